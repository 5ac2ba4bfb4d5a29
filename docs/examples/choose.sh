#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Which paths are chosen, how often and why, counted in the kernel:
#
#   choose.sh [SECONDS [FILTER]]	e.g. choose.sh 10 'bytes > 32768'
#
# Root only.

set -eu

instance=${TRACEFS:-/sys/kernel/tracing}/instances/lw-choose-$$
event=$instance/events/dm_latency_weighted/lw_choose
trigger="hist:keys=dev,reason:vals=bytes"
[ $# -lt 2 ] || trigger="$trigger if $2"
mkdir "$instance"
trap 'rmdir "$instance"' EXIT
trap 'exit 1' INT TERM
grep -qw hist "$event/trigger" || {
	echo "choose.sh: this kernel cannot count events (CONFIG_HIST_TRIGGERS)" >&2
	exit 1
}

trap 'echo "!$trigger" >"$event/trigger"; rmdir "$instance"' EXIT
echo "$trigger" >"$event/trigger"
sleep "${1:-1}"
awk -F '[:,}]' '
BEGIN {
	split("cost probe run full avoid backoff stalled suspected policy observed", why, " ")
	print "path reason ios bytes"
}
/^\{ dev/ {
	printf "%d:%d %s %d %d\n", $2 / 1048576, $2 % 1048576, why[$4 + 1], $6, $7
}' "$event/hist"
