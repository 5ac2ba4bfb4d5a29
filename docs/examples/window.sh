#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What each window measured of each path, without any tool but the shell:
#
#   window.sh [FILTER]		e.g. window.sh 'latency_us > 10000'
#
# A line for each window of each path, until interrupted. Root only.

set -eu

instance=${TRACEFS:-/sys/kernel/tracing}/instances/lw-window-$$
event=$instance/events/dm_latency_weighted/lw_window

stop() {
	# Not -e: it may have begun by halves, or the reader's reader may be gone.
	set +e
	[ -z "${reader:-}" ] || kill "$reader" 2>/dev/null
	wait
	echo 0 >"$event/enable"
	# A command that the reader has just started may still hold it.
	until rmdir "$instance" 2>/dev/null; do sleep 0.1; done
}

mkdir "$instance"
trap stop EXIT
trap 'exit 0' INT TERM
[ $# -eq 0 ] || echo "$1" >"$event/filter"
echo 1 >"$event/enable"
# Of a line: the time in seconds, and what follows the event's name.
sed -u -n 's/^.* \([0-9.]*\): lw_window: /\1 /p' <"$instance/trace_pipe" &
reader=$!
wait
