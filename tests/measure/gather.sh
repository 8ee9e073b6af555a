#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# gather: what batch-delay takes off the CPU time (user and system) of an answer and adds to its time, at rates far
# below saturation: dns64d with auto beside off, in turns on the same core, in front of an upstream that takes 10 ms and
# of one that replies at once; and closed loops of few clients, which it must not touch (of those the median tells the
# microseconds an answer of all of them together, the inverse of the rate).
#
#	gather.sh [ROUNDS [SECONDS [OTHER...]]]	5 rounds of 2 s each; OTHER: dns64d of other builds, to be compared as well
. "${TOP_SRCDIR:-.}/tests/measure/cachelib.sh"

rounds=${1:-5} seconds=${2:-2}
shift $(($# < 2 ? $# : 2))
here=$DNS64D
upstream 5300 --ttl 3600 --negative-ttl 3600
upstream 5301 --ttl 3600 --negative-ttl 3600 --delay 10

# begin VARIANT PORT CACHE: VARIANT is auto, off, a number, or another dns64d
begin()
{
	case $1 in
	auto | off | [0-9]*) DNS64D=$here line="batch-delay $1" ;;
	*) DNS64D=$1 line='' ;;
	esac
	dns64d subject 5364 "nameserver 127.0.0.1 port $2" "cache-size $3" 'max-waiting-per-client 0' 'user root' "$line"
	subject=$(pid_of subject)
}

# compare WHAT PORT CACHE VARIANTS WORD...: the first variant is what the others are compared with
compare()
{
	what=$1 port=$2 cache=$3 variants=$4
	shift 4
	rm -f "$work"/*.ns "$work"/*.us "$work"/*.late
	round=0
	while [ $round -lt "$rounds" ]; do
		round=$((round + 1))
		at=0
		for variant in $variants; do
			at=$((at + 1))
			begin "$variant" "$port" "$cache"
			bench 5364 "$subject" "$@" -d "$seconds" --prefix $prefix
			cost >>"$work/$at.ns"
			awk '/^rtt median/ { print $3 } /^highest rate/ { print 1000000 / $3 }' "$work/run.out" >>"$work/$at.us"
			awk '/^rtt p99/ { print $3 } /^highest rate/ { print 0 }' "$work/run.out" >>"$work/$at.late"
			stop subject
		done
	done
	at=0
	for variant in $variants; do
		at=$((at + 1))
		paste "$work/1.ns" "$work/$at.ns" | awk '$1 > 0 { printf "%.3f\n", $2 / $1 }' >"$work/ratios"
		echo "$what, $variant: $(median "$work/$at.ns") ns of CPU an answer ($(spread "$work/$at.ns")), $(median \
			"$work/ratios") times ($(spread "$work/ratios")); median $(median "$work/$at.us") us, p99 $(median \
			"$work/$at.late") us ($(spread "$work/$at.late"))"
	done
}

compare 'cold at 20,000/s, upstream 10 ms' 5301 0 "off auto $*" rate -r 20000 --singles
compare 'cold at 5,000/s, upstream 10 ms' 5301 0 "off auto $*" rate -r 5000 --singles
compare 'cold at 20,000/s, upstream at once' 5300 0 "off auto 150 $*" rate -r 20000 --singles
compare 'cold at 5,000/s, upstream at once' 5300 0 "off auto $*" rate -r 5000 --singles
compare 'hot from 1,000 ports at 20,000/s' 5301 64m "off auto $*" rate -r 20000 --singles --sources 1000 --hits 100 --hot 1000
for clients in 1 16 64; do
	compare "hot, closed loop of $clients" 5301 64m "off auto" closed --singles --clients $clients --window 1 --hits 100 --hot 1000
	compare "cold, closed loop of $clients" 5300 0 "off auto" closed --singles --clients $clients --window 1
done
conclude
