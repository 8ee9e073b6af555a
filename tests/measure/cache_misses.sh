#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# cache_misses: what a cache costs when it is of no use: names that were never asked for before, with the
# default cache (full, so that it throws out) beside none, in turns.
#
#	cache_misses.sh [ROUNDS [SECONDS]]	7 rounds by default, of twice 2 s
#
# Prints the CPU time (user and system) of an answer at saturation, and the median of the rounds' quotients.
. "${TOP_SRCDIR:-.}/tests/measure/cachelib.sh"

rounds=${1:-7} seconds=${2:-2}

# measure NAME PORT NAMESPACE
measure()
{
	bench "$2" "$(pid_of "$1")" closed -d "$seconds" --clients 4 --window 250 --prefix $prefix -N "$3"
	[ "$(finding lost)" = 0 ] || echo "$1: $(finding lost) of $(finding sent) lost"
	measured=$(cost)
	echo "$measured" >>"$work/$1"
	busy >>"$work/$1.busy"
}

upstream 5300 --ttl 300
dns64d with 5364
dns64d without 5365 'cache-size 0'
# The first turn fills it.
measure with 5364 10.0.0.0/11
measure without 5365 10.0.0.0/11
rm "$work/with" "$work/without"
round=0
while [ $round -lt "$rounds" ]; do
	round=$((round + 1))
	names=10.$((round * 8)).0.0/13
	if [ $((round % 2)) = 1 ]; then
		measure with 5364 $names
		a=$measured
		measure without 5365 $names
		b=$measured
	else
		measure without 5365 $names
		b=$measured
		measure with 5364 $names
		a=$measured
	fi
	quotient "$a" "$b" 4 >>"$work/quotients"
done
counters with
echo "hits: $(count with cache_hits); thrown out: $(count with cache_evicted) of $(count with cache_put)"
echo "CPU time of an answer, ns: with a cache $(median "$work/with") ($(spread "$work/with"))," \
	"without $(median "$work/without") ($(spread "$work/without")); core" \
	"$(median "$work/with.busy") % and $(median "$work/without.busy") % busy"
quotient=$(median "$work/quotients")
echo "quotient: $quotient ($(spread "$work/quotients")), median of $rounds rounds"
check "a cache without hits costs at most 8 %" holds "$quotient <= 1.08"
conclude
