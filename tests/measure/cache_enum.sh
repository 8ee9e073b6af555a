#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# cache_enum: telephone numbers (C. Shen and H. Schulzrinne, "Evaluation and Comparison of BIND, PDNS and Navitas
# as ENUM Server"): existing ones, missing ones and both, from spaces of 500 thousand, 5 million and, if asked for,
# 20 million numbers.
#
#	cache_enum.sh [PART...]		spaces small changing
#
#	spaces		a dns64d for each of SPACES ("500000 5000000"), its cache (SIZES, "1g 4g") filled with so many
#			existing and so many missing numbers; then in turns, ROUNDS (5) of SECONDS (2): throughput and
#			p99 must be the same within 10 %, and 39,000/s existing and 72,000/s missing at least
#	small		the hit rate and throughput of numbers drawn from the last space with a cache (SMALL, 256m) that does
#			not hold it, after SMALL_FILL of them (3000000)
#	changing	25,000 numbers of which 2,500 come to their end each second and, if dns64d can, 250 are flushed
#			by signal, beside the same ones unchanged: at most 5 % slower
#
# To fill takes the time: some 80,000 numbers per second. 20 million existing ones in 5g, nothing else:
#	SPACES='500000 20000000' SIZES='1g 5g' KINDS=existing cache_enum.sh spaces
. "${TOP_SRCDIR:-.}/tests/measure/cachelib.sh"

SPACES=${SPACES:-500000 5000000}
SIZES=${SIZES:-1g 4g}
KINDS=${KINDS:-existing missing mixed}
ROUNDS=${ROUNDS:-5}
SECONDS_EACH=${SECONDS_EACH:-2}
SMALL=${SMALL:-256m}
SMALL_FILL=${SMALL_FILL:-3000000}
first=10000000 # of 8 digits: so many exist from here on
missing=60000000

# ask_numbers NAME PORT KIND SPACE: a turn
ask_numbers()
{
	case $3 in
	existing) ask_share=0 ;;
	missing) ask_share=100 ;;
	*) ask_share=50 ;;
	esac
	bench "$2" "$(pid_of "$1")" enum --clients 4 --window 64 -d "$SECONDS_EACH" \
		--numbers "$first-$((first + $4 - 1))" --missing-numbers "$missing-$((missing + $4 - 1))" \
		--missing "$ask_share"
	[ "$(finding lost)" = 0 ] || echo "$1, $3: $(finding lost) of $(finding sent) lost"
	column rate | cut -d . -f 1 >>"$work/$1.$3.rate"
	column rtt_p99 >>"$work/$1.$3.p99"
	cost >>"$work/$1.$3.cost"
}

# fill_space NAME PORT SPACE
fill_space()
{
	fill_began=$(milliseconds)
	case " $KINDS " in *' existing '* | *' mixed '*)
		numbers "$first" "$3" >"$work/numbers"
		fill "$2" "$work/numbers"
		;;
	esac
	case " $KINDS " in *' missing '* | *' mixed '*)
		numbers "$missing" "$3" >"$work/numbers"
		fill "$2" "$work/numbers"
		;;
	esac
	rm -f "$work/numbers"
	counters "$1"
	echo "$1: $(count "$1" cache_entries) entries in $(($(milliseconds) - fill_began)) ms," \
		"$(awk '/^VmRSS/ { print int($2 / 1024) }' "/proc/$(pid_of "$1")/status") MiB resident"
}

# tell NAME KIND
tell()
{
	echo "$1, $2: $(median "$work/$1.$2.rate")/s ($(spread "$work/$1.$2.rate"))," \
		"p99 $(median "$work/$1.$2.p99") us, $(median "$work/$1.$2.cost") ns of CPU an answer"
}

# flat KIND NAME OTHER: within 10 %
flat()
{
	flat_rate=$(quotient "$(median "$work/$3.$1.rate")" "$(median "$work/$2.$1.rate")")
	flat_p99=$(quotient "$(median "$work/$3.$1.p99")" "$(median "$work/$2.$1.p99")")
	check "$1, $3 to $2: throughput $flat_rate (at least 0.9), p99 $flat_p99 (at most 1.1)" \
		holds "$flat_rate >= 0.9 && $flat_p99 <= 1.1"
}

spaces()
{
	spaces_port=5400
	for space in $SPACES; do
		spaces_port=$((spaces_port + 1))
		dns64d "s$space" "$spaces_port" "cache-size ${SIZES%% *}"
		SIZES=${SIZES#* }
		fill_space "s$space" "$spaces_port" "$space"
	done
	for space in $SPACES; do
		looked_up "s$space" >"$work/s$space.before"
	done
	spaces_round=0
	while [ "$spaces_round" -lt "$ROUNDS" ]; do
		spaces_round=$((spaces_round + 1))
		for kind in $KINDS; do
			spaces_port=5400
			for space in $SPACES; do
				spaces_port=$((spaces_port + 1))
				ask_numbers "s$space" "$spaces_port" "$kind" "$space"
			done
		done
	done
	for space in $SPACES; do
		echo "s$space: $(hit_rate "$(cat "$work/s$space.before")" "$(looked_up "s$space")") % hits"
		for kind in $KINDS; do
			tell "s$space" "$kind"
		done
	done
	judge_spaces
	for space in $SPACES; do
		stop "s$space"
	done
}

judge_spaces()
{
	for space in $SPACES; do
		for kind in $KINDS; do
			case $kind in existing) least=39000 ;; missing) least=72000 ;; *) continue ;; esac
			check "s$space, $kind: at least $least/s" \
				test "$(median "$work/s$space.$kind.rate")" -ge "$least"
		done
		for kind in $KINDS; do
			[ "$space" = "${SPACES%% *}" ] || flat "$kind" "s${SPACES%% *}" "s$space"
		done
	done
}

# drawn SEED N SPACE: N existing numbers of the space, at random
drawn()
{
	awk -v seed="$1" -v n="$2" -v first="$first" -v space="$3" 'BEGIN {
		srand(seed)
		for (i = 0; i < n; i++) {
			t = sprintf("%d", first + int(rand() * space))
			r = ""
			for (j = length(t); j > 0; j--)
				r = r substr(t, j, 1) "."
			print r "e164.arpa NAPTR"
		}
	}'
}

small()
{
	space=${SPACES##* }
	dns64d small 5410 "cache-size $SMALL"
	# Until it is full, and what is in it has been chosen.
	drawn 1 "$SMALL_FILL" "$space" >"$work/numbers"
	fill 5410 "$work/numbers"
	small_before=$(looked_up small)
	drawn 2 "$((SMALL_FILL / 4))" "$space" >"$work/numbers"
	fill 5410 "$work/numbers"
	counters small
	echo "small: $space numbers, cache-size $SMALL: $(count small cache_entries) entries," \
		"$(hit_rate "$small_before" "$(looked_up small)") % hits," \
		"$(sed -n 's/.*Queries per second: *\([0-9]*\).*/\1/p' "$work/dnsperf.out")/s"
	rm "$work/numbers"
	stop small
}

# flush_often: 25 names ten times a second
flush_often()
{
	# From Unix time, so that the names are others each time.
	while :; do
		taskset -c 1 awk -v seed="$(milliseconds)" -v first="$first" 'BEGIN {
			srand(seed % 1000000)
			for (i = 0; i < 25; i++) {
				t = sprintf("%d", first + int(rand() * 25000))
				r = ""
				for (j = length(t); j > 0; j--)
					r = r substr(t, j, 1) "."
				print "{\"name\": \"" r "e164.arpa\"}"
			}
		}' | while read -r name; do
			curl -s --unix-socket "$work/control" -d "$name" http://dns64d/flush/name
		done >/dev/null
		sleep 0.1
	done
}

# three NAME PORT: turns of it
three()
{
	for _ in 1 2 3; do
		ask_numbers "$1" "$2" existing 25000
	done
}

changing()
{
	upstream 5301 --ttl 10 --negative-ttl 10 --enum-range "$first-$((first + 24999))"
	dns64d still 5411
	set -- 'nameserver 127.0.0.1 port 5301'
	if "$DNS64D" -h 2>&1 | grep -q control-socket; then
		set -- "$@" "control-socket $work/control"
	else
		echo 'this dns64d takes no commands: nothing is flushed'
	fi
	dns64d changing 5412 "$@"
	numbers "$first" 25000 >"$work/numbers"
	fill 5411 "$work/numbers"
	three still 5411
	# Spread over their TTL, so that they end at different times.
	dnsperf -s 127.0.0.1 -p 5412 -d "$work/numbers" -n 1 -Q 2500 >"$work/dnsperf.out" 2>&1
	flusher=
	[ $# = 1 ] || {
		flush_often &
		flusher=$!
		echo "$flusher" >"$work/flusher.pid"
	}
	changing_before=$(looked_up changing)
	three changing 5412
	echo "changing: $(hit_rate "$changing_before" "$(looked_up changing)") % hits, $(count changing cache_prefetch)" \
		"refreshed before their end, $(grep -c 'flush' "$work/changing.log") flushes"
	[ -z "$flusher" ] || stop flusher KILL
	three still 5411
	tell still existing
	tell changing existing
	changing_by=$(quotient "$(median "$work/changing.existing.cost")" "$(median "$work/still.existing.cost")")
	check "what changes underneath costs $changing_by of the CPU time of what does not, at most 1.05" \
		holds "$changing_by <= 1.05"
	stop changing
	stop still
}

upstream 5300 --ttl 86400 --negative-ttl 3600 --enum-range "$first-$((missing - 1))"
[ $# -gt 0 ] || set -- spaces small changing
for part; do
	case $part in
	spaces | small | changing) "$part" ;;
	*) give_up "no part $part" ;;
	esac
done
conclude
