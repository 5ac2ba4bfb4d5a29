#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# A line whenever the state of a path changes, until interrupted:
#
#   12:03:11 map 253:0 sdb: active -> probing
#
# Root only.

set -eu

instance=${TRACEFS:-/sys/kernel/tracing}/instances/lw-state-$$
event=$instance/events/dm_latency_weighted/lw_state

stop() {
	# Not -e: it may have begun by halves, or the reader's reader may be gone.
	set +e
	[ -z "${reader:-}" ] || kill "$reader" 2>/dev/null
	wait
	echo 0 >"$event/enable"
	# A command that the reader has just started may still hold it.
	until rmdir "$instance" 2>/dev/null; do sleep 0.1; done
}

# map=253:0 dev=8:16 was=active is=probing
show() {
	disk=$(readlink "/sys/dev/block/${2#dev=}")
	echo "$(date +%T) map ${1#map=} ${disk##*/}: ${3#was=} -> ${4#is=}"
}

follow() {
	while read -r line; do
		case $line in
		*": lw_state: "*) show ${line##*: lw_state: } ;;
		esac
	done
}

mkdir "$instance"
trap stop EXIT
trap 'exit 0' INT TERM
echo 1 >"$event/enable"
follow <"$instance/trace_pipe" &
reader=$!
wait
