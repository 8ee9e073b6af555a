#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# closed: "dns64bench closed" with one client and the plainest client there is (sequential.c) in turns,
# in front of the same fakedns, on two CPUs.
#
#	closed.sh [ROUNDS]	or ROUNDS in the environment; 9 by default, of some 6 seconds
#
# Prints for each round the time of 256 questions by both, and the median of their quotients: the two are
# to agree within 5 %. PRIORITY='chrt -f 10' keeps the rest of a busy machine out of it (as root).
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need taskset

rounds=${1:-${ROUNDS:-9}}
port=${PORT:-5300}
bench=$TOP_BUILDDIR/dns64bench
sequential=$TOP_BUILDDIR/tests/measure/sequential
[ -x "$bench" ] || {
	echo "no $bench"
	exit 77
}
[ "$(nproc)" -ge 2 ] || {
	echo "two CPUs are needed"
	exit 77
}

# shellcheck disable=SC2086 # PRIORITY may be empty, or several words
start fakedns ${PRIORITY-} taskset -c 1 "$fakedns" -l 127.0.0.1 -p "$port" --aaaa 100
wait_for 5 "$sequential" 127.0.0.1 "$port" 1 >/dev/null || give_up "fakedns does not start"

# Milliseconds, of which both print the average.
plain()
{
	# shellcheck disable=SC2086
	${PRIORITY-} taskset -c 0 "$sequential" 127.0.0.1 "$port" | awk '{ print $1 }'
}

ours()
{
	# shellcheck disable=SC2086
	${PRIORITY-} taskset -c 0 "$bench" closed -s 127.0.0.1 -p "$port" --aaaa 100 --csv "$work/csv" \
		>/dev/null || give_up "dns64bench failed"
	awk -F, '!/^#/ && n++ == 1 { print $3 }' "$work/csv"
}

round=0
while [ "$round" -lt "$rounds" ]; do
	round=$((round + 1))
	# Each goes first every other time.
	if [ $((round % 2)) -eq 1 ]; then
		a=$(plain) b=$(ours)
	else
		b=$(ours) a=$(plain)
	fi
	echo "$a $b" >>"$work/pairs"
	echo "round $round: sequential $a ms, dns64bench $b ms"
done
quotient=$(awk '{ print $2 / $1 }' "$work/pairs" | sort -n |
	awk '{ q[NR] = $1 } END { printf "%.3f\n", (q[int((NR + 1) / 2)] + q[int(NR / 2) + 1]) / 2 }')
echo "dns64bench takes $quotient times as long as sequential (median of $rounds)"
check "within 5 %" awk "BEGIN { exit !($quotient > 0.95 && $quotient < 1.05) }"
exit $((n_failed > 0))
