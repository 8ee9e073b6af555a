#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# syscalls: system calls and context switches an answer, by kind, at four rates, cold and hot, as the kernel counts them
# for the loop's thread (perf stat, as root), which hardly slows it.
#
#	syscalls.sh [OTHER]	of dns64d, or of OTHER
. "${TOP_SRCDIR:-.}/tests/measure/cachelib.sh"
need perf
perf stat -e syscalls:sys_enter_recvmmsg true >"$work/perf.out" 2>&1 || {
	echo 'no tracepoints of system calls'
	exit 77
}
DNS64D=${1:-$DNS64D}
upstream 5300 --ttl 3600 --negative-ttl 3600

# counted WHAT RATE CACHE WORD...: during two seconds
counted()
{
	what=$1 rate=$2 cache=$3
	shift 3
	dns64d subject 5364 "cache-size $cache" 'max-waiting-per-client 0' 'user root'
	subject=$(pid_of subject)
	loop=$(grep -l '^dns64d/0' "/proc/$subject/task"/*/comm | sed 's|/comm||; s|.*/||')
	perf stat -x, -t "$loop" -e 'context-switches,syscalls:sys_enter_*' -o "$work/calls" -- \
		taskset -c 1 "$tester" rate -r "$rate" --singles -d 2 -s 127.0.0.1 -p 5364 --prefix $prefix "$@" >"$work/run.out" 2>&1
	answers=$(awk '$1 == "valid" && $2 + 0 == $2 { print $2 }' "$work/run.out")
	awk -F, -v what="$what at $rate/s" -v n="${answers:-0}" '
		n == 0 || $1 + 0 == 0 { next }
		$3 == "context-switches" { switches = $1; next }
		{ sub(/.*sys_enter_/, "", $3); all += $1; if ($1 / n >= 0.005) list = list sprintf(", %s %.2f", $3, $1 / n) }
		END { if (n > 0) printf "%s: %.2f calls and %.2f switches an answer%s\n", what, all / n, switches / n, list }' \
		"$work/calls"
	stop subject
}

for rate in 1000 5000 20000 60000; do
	counted cold $rate 0
done
for rate in 1000 5000 20000 60000; do
	counted hot $rate 64m --sources 1000 --hits 100 --hot 1000
done
conclude
