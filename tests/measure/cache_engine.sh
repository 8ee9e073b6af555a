#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# cache_engine: the cache and the engine without sockets (bench_engine).
#
#	cache_engine.sh [ROUNDS]	7 by default; 0: the first part only
#	cache_engine.sh ceilings	the instructions alone, in half a minute, each at most what RESULTS allows, as
#					gcc 12 makes them at -O2
#
# First the user instructions of an answer, and its misses of a simulated last-level cache of 32 MiB: exact, the
# same in every run of the same binary, and on a busy machine too, so that two versions can be compared. Cold, a
# name asked for the first time, with the default cache, full, and without; hot, a name that the cache knows, asked
# for once in a second, and over and over in one second. Then two engines on one cache, with a core each, beside
# one, all hits, in turns.
. "${TOP_SRCDIR:-.}/tests/measure/cachelib.sh"
need valgrind

# What is measured is what the source is now: programs of tests are not built by "make".
[ ! -f "$TOP_BUILDDIR/Makefile" ] || make -s -C "$TOP_BUILDDIR" "${engine#"$TOP_BUILDDIR"/}" || exit 99
rounds=${1:-7} questions=20000
simulated='--cache-sim=yes --LL=33554432,16,64'
[ -x "$engine" ] || {
	echo "no $engine"
	exit 99
}

# callgrind OPTION...: "INSTRUCTIONS READS WRITES" of one question, the two being misses; the profile is left in
# $PROFILES, if set
callgrind()
{
	profile=${PROFILES:-$work}/engine$(echo "$*" | tr -d ' ')
	# shellcheck disable=SC2086 # words
	valgrind -q --tool=callgrind --callgrind-out-file="$profile" --instr-atstart=no --collect-atstart=no \
		$simulated --toggle-collect=engine_prepare --toggle-collect=engine_input \
		--toggle-collect=engine_next --toggle-collect=engine_tick "$engine" -n $questions "$@" \
		>"$work/valgrind.out" 2>&1 || {
		cat "$work/valgrind.out" >&2
		exit 99
	}
	awk -v n=$questions '$1 == "totals:" { printf "%.0f %.2f %.2f\n", $2 / n, $9 / n, $10 / n }' "$profile"
}

# cold WHAT MOST FIRST OPTION...: FIRST questions fill the cache, which takes MOST instructions more at most
cold()
{
	cold_what=$1 cold_most=$2 cold_first=$3
	shift 3
	cold_without=$(callgrind "$@") || exit
	cold_with=$(callgrind -c 64 -f "$cold_first" "$@") || exit
	echo "$cold_what: instructions, read misses, write misses: $cold_without without a cache, $cold_with with"
	check "$cold_what: $((${cold_with%% *} - ${cold_without%% *})) instructions more, at most $cold_most" \
		test $((${cold_with%% *} - ${cold_without%% *})) -le "$cold_most"
}

# hot WHAT OPTION...
hot()
{
	hot_what=$1
	shift
	hot_once=$(callgrind -c 64 -k $questions -w 1 "$@") || exit
	hot_again=$(callgrind -c 64 -k 64 -w 1 "$@") || exit
	echo "$hot_what: instructions, read misses, write misses: $hot_once once a second, $hot_again in the same second"
}

# ceiling WHAT MOST OPTION...
ceiling()
{
	ceiling_what=$1 ceiling_most=$2
	shift 2
	ceiling_found=$(callgrind "$@") || exit
	check "$ceiling_what: ${ceiling_found%% *} instructions, at most $ceiling_most" \
		test "${ceiling_found%% *}" -le "$ceiling_most"
}

# rate OPTION...: answers per second of all engines together
rate()
{
	"$engine" "$@" >"$work/engine.out" || {
		cat "$work/engine.out" >&2
		give_up "there were misses"
	}
	sed -n 's/.*, \([0-9]*\) per second together.*/\1/p' "$work/engine.out"
}

# scale WHAT OPTION...
scale()
{
	scale_what=$1
	shift
	rm -f "$work/one" "$work/two" "$work/quotients"
	scale_round=0
	while [ $scale_round -lt "$rounds" ]; do
		scale_round=$((scale_round + 1))
		scale_one=$(rate "$@") || exit
		scale_two=$(rate -t 2 "$@") || exit
		echo "$scale_one" >>"$work/one"
		echo "$scale_two" >>"$work/two"
		quotient "$scale_two" "$scale_one" >>"$work/quotients"
	done
	echo "$scale_what: one engine $(median "$work/one")/s ($(spread "$work/one"))," \
		"two $(median "$work/two")/s ($(spread "$work/two"))"
	scale_by=$(median "$work/quotients")
	check "$scale_what: two do $scale_by ($(spread "$work/quotients")) of one, at least 1.9" holds "$scale_by >= 1.9"
}

if [ "$rounds" = ceilings ]; then
	simulated=
	ceiling 'cold A' 4470 -A
	ceiling 'cold AAAA, synthesized' 8600
	ceiling 'hot A, once a second' 2740 -A -c 64 -k $questions -w 1
	ceiling 'hot A, in the same second' 560 -A -c 64 -k 64 -w 1
	ceiling 'hot AAAA, synthesized, once a second' 5195 -c 64 -k $questions -w 1
	ceiling 'hot AAAA, synthesized, in the same second' 521 -c 64 -k 64 -w 1
	conclude
fi
cold 'cold A' 1250 800000 -A
cold 'cold AAAA, synthesized, two entries' 2460 400000
hot 'hot A' -A
hot 'hot AAAA, synthesized'
[ "$rounds" -gt 0 ] || conclude
scale 'A, 1,000 names' -c 64 -A -k 1000 -n 2000000
scale 'A, 100,000 names' -c 64 -A -k 100000 -n 1000000
scale 'AAAA, synthesized, 100,000 names' -c 64 -k 100000 -n 1000000
conclude
