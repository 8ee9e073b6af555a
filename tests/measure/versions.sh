#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# versions: this dns64d and another build of it in turns on the same CPU core, one loop each; fakedns and
# dnsperf on another. What a question costs at saturation, of new names and of names that the cache knows.
#
#	versions.sh OTHER [ROUNDS]	another dns64d; 7 rounds by default, of some 25 seconds
#
# Prints for each round the CPU time (user and system) of a question, and at the end the medians, their
# spread and the median of the rounds' quotients: the machine's own noise is that of the quotients.
# LINES_THIS has one line of the configuration for this dns64d alone, SECONDS_EACH how long a load lasts.
. "${TOP_SRCDIR:-.}/tests/measure/cachelib.sh"

[ $# -gt 0 ] || {
	echo "versions: not measured, it needs the path of another dns64d"
	exit 0
}
other=$1 rounds=${2:-7} seconds=${SECONDS_EACH:-4}
this=$DNS64D
[ -x "$other" ] || give_up "no $other"

ticks()
{
	awk '{ print $14 + $15 }' "/proc/$(pid_of "$1")/stat"
}

# cost NAME PORT FILE SECONDS: nanoseconds of CPU time for each question that it can answer in that time
cost()
{
	cost_before=$(ticks "$1")
	taskset -c 1 dnsperf -s 127.0.0.1 -p "$2" -c 4 -b 4096 -t 1 -q 1000 -l "$4" <"$3" >"$work/dnsperf.out" 2>&1
	cost_answers=$(sed -n 's/.*Queries completed: *\([0-9]*\).*/\1/p' "$work/dnsperf.out")
	[ "${cost_answers:-0}" -gt 0 ] || give_up "$1 answers nothing"
	echo $((($(ticks "$1") - cost_before) * (1000000000 / $(getconf CLK_TCK)) / cost_answers))
}

# measure WHICH PORT: appends to its files cold and hot
measure()
{
	DNS64D=$this measure_lines=${LINES_THIS-}
	[ "$1" = this ] || DNS64D=$other measure_lines=
	dns64d "$1" "$2" "${measure_lines:-log-level notice}"
	cost "$1" "$2" "$work/known" 1 >/dev/null
	cost "$1" "$2" "$work/known" "$seconds" >>"$work/$1.hot"
	cost "$1" "$2" "$work/names" "$seconds" >>"$work/$1.cold"
	stop "$1"
}

questions 3000000 >"$work/names"
questions 10000 >"$work/known"
upstream 5300 --ttl 300
round=0
while [ $round -lt "$rounds" ]; do
	round=$((round + 1))
	if [ $((round % 2)) = 1 ]; then
		measure this 5364
		measure other 5365
	else
		measure other 5365
		measure this 5364
	fi
	for kind in cold hot; do
		echo "round $round, $kind: $(tail -n 1 "$work/this.$kind") ns, the other $(tail -n 1 "$work/other.$kind") ns"
	done
done
for kind in cold hot; do
	paste "$work/this.$kind" "$work/other.$kind" | awk '{ printf "%.3f\n", $1 / $2 }' >"$work/quotients"
	echo "$kind: $(median "$work/this.$kind") ns ($(spread "$work/this.$kind")), the other $(median "$work/other.$kind") ns" \
		"($(spread "$work/other.$kind")); quotient $(median "$work/quotients") ($(spread "$work/quotients"))"
done
finish
