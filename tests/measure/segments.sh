#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# segments: what runs of datagrams that leave as one message (UDP_SEGMENT, io/udp_slot) take off the CPU time (user and
# system) of an answer: dns64d with them beside the same on a kernel that does not know them, as faults.so makes it say,
# in turns on the same core.
#
#	segments.sh [veth] [ROUNDS [SECONDS [OTHER]]]	5 rounds of 2 s each; OTHER: another dns64d, to be compared as well
#
# Over lo, where the one who sends does the work of the one who receives, which runs save, too; or by a pair of virtual
# cards (veth) to another network namespace, where fakedns and the tester are. Whoever sends to dns64d
# here may send runs, but for "one by one", as clients do.
. "${TOP_SRCDIR:-.}/tests/measure/cachelib.sh"

[ "${1:-}" != veth ] || {
	shift
	by_veth
}
rounds=${1:-5} seconds=${2:-2} other=${3:-}
fault=$TOP_BUILDDIR/tests/system/fault
file=$work/faults
here=$DNS64D
variants="with without${other:+ other}"
upstream 5300 --ttl 3600 --negative-ttl 3600

# begin VARIANT CACHE
begin()
{
	DNS64D=$here
	[ "$1" != other ] || DNS64D=$other
	"$fault" "$file" new
	[ "$1" != without ] || "$fault" "$file" set setsockopt_udp 0 1000000000 ENOPROTOOPT
	FAULTS=$file LD_PRELOAD=$TOP_BUILDDIR/tests/system/faults.so
	export FAULTS LD_PRELOAD
	dns64d subject 5364 "cache-size $2" 'max-waiting-per-client 0' 'user root'
	unset FAULTS LD_PRELOAD
	subject=$(pid_of subject)
}

# ran: nanoseconds on a CPU, of all its threads
ran()
{
	cat "/proc/$subject/task"/*/schedstat | awk '{ n += $1 } END { printf "%.0f\n", n }'
}

# lengths: names of 30 lengths that do not exist, from 64 ports, one question upstream for each
lengths()
{
	awk -v first="$1" 'BEGIN { for (i = 0; i < 400000; i++) {
		pad = substr("abcdefghijklmnopqrstuvwxyzabcd", 1, (i * 7) % 30 + 1)
		print pad first + i ".dns64perf.test AAAA" } }'
}

# once VARIANT CACHE WORD...: a trial of dns64bench, or of dnsperf for "lengths"; appends what an answer takes, in ns
once()
{
	once_variant=$1 once_cache=$2
	shift 2
	begin "$once_variant" "$once_cache"
	if [ "$1" = lengths ]; then
		lengths "$((once_n += 1000000))" >"$work/questions"
		before=$(ran)
		# shellcheck disable=SC2086 # words
		$across taskset -c 1 dnsperf -s $server_at -p 5364 -d "$work/questions" -n 1 -c 64 -T 1 -q 1000 -b 4096 -l "$seconds" \
			>"$work/dnsperf.out" 2>&1
		awk -v ns=$(($(ran) - before)) '/Queries completed/ { printf "%.0f\n", ns / $3 }' "$work/dnsperf.out"
	else
		bench 5364 "$subject" "$@" -d "$seconds" --prefix $prefix
		cost
	fi >>"$work/$once_variant.cost"
	stop subject
}

# compare WHAT CACHE WORD...
once_n=1000000000
compare()
{
	what=$1
	shift
	rm -f "$work"/*.cost
	round=0
	while [ $round -lt "$rounds" ]; do
		round=$((round + 1))
		for variant in $variants; do
			once "$variant" "$@"
		done
	done
	for variant in $variants; do
		printf '%s, %s: %s ns of CPU an answer (%s)' "$what" "$variant" "$(median "$work/$variant.cost")" \
			"$(spread "$work/$variant.cost")"
		[ "$variant" = with ] || {
			paste "$work/with.cost" "$work/$variant.cost" | awk '$2 > 0 { print $1 / $2 }' >"$work/ratios"
			printf ': with them %.2f of that (%s)' "$(median "$work/ratios")" "$(spread "$work/ratios")"
		}
		echo
	done
}

compare 'cold, 4 ports' 0 closed --clients 4 --window 250
compare 'cold, 64 ports, one by one' 0 closed --singles --clients 64 --window 16
compare 'cold, 30 lengths, 64 ports' 0 lengths
compare 'cold at 20,000/s, one by one' 0 rate -r 20000 --singles
compare 'hot, 4 ports, as through a front' 64m closed --clients 4 --window 250 --hits 100 --hot 1000
compare 'hot, 1,000 ports, one by one' 64m closed --singles --clients 1000 --window 1 --hits 100 --hot 1000
conclude
