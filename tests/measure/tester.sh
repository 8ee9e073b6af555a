#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tester: what dns64bench itself can do, and whether it agrees with others.
#
#	tester.sh [SECONDS [ROUNDS]]	of each trial, 5 by default; of what is compared, 12 by default
#
# Looped back to fakedns, each datagram by itself: the highest rates at which every answer was verified, with
# a core each and with one for both. In front of dns64d, tester and fakedns on one core. Beside dnsperf:
# the same rates of the same fakedns, and the answers of an Unbound, which neither of the two limits, over
# UDP and TCP. Beside dns64perf++ (DNS64PERF, or in PATH): how many answers of dns64d are right. Beside the
# plainest client there is (sequential.c): questions one after another, and round trips of questions that are
# due at their time, neither of them sleeping. All in turns.
#
# dns64perf++ is github.com/bakaid/dns64perfpp: g++ -O2 -std=c++14 -pthread -include cstring -include cstdint
# -include array -include stdexcept *.cpp -o dns64perf++
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need dnsperf taskset unbound

seconds=${1:-5}
rounds=${2:-12}
bench=$TOP_BUILDDIR/dns64bench
sequential=$TOP_BUILDDIR/tests/measure/sequential
names=4000000

[ "$(nproc)" -ge 2 ] || {
	echo "two CPUs are needed"
	exit 77
}
[ -x "$sequential" ] || give_up "no $sequential; \"make bench\" builds it"

# finding NAME: of the run in $work/run.json
finding()
{
	awk -v name="$1" '
		/"name": / { sub(/.*"name": "/, ""); sub(/".*/, ""); this = $0 }
		/"value": / && this == name { sub(/.*"value": /, ""); sub(/,$/, ""); print; exit }' "$work/run.json"
}

# ours CORE METHOD OPTION...: dns64bench on that core; its JSON in $work/run.json
ours()
{
	ours_core=$1
	shift
	taskset -c "$ours_core" "$bench" "$@" --json "$work/run.json" >"$work/run.out" 2>&1
}

# theirs OPTION...: dnsperf on core 1, in $work/dnsperf.out
# shellcheck disable=SC2317 # called by those that in_turns calls
theirs()
{
	taskset -c 1 dnsperf -s 127.0.0.1 -T 1 -l "$seconds" "$@" >"$work/dnsperf.out" 2>/dev/null
}

# shellcheck disable=SC2317
answers_a_second()
{
	sed -n 's/.*Queries per second: *//p' "$work/dnsperf.out"
}

start_on()
{
	start_core=$1
	shift
	start fakedns taskset -c "$start_core" "$fakedns" --singles -l 127.0.0.1 -p 5300 "$@"
	wait_for 5 serves 5300 || give_up "fakedns does not start"
}

# --- the tester by itself ---

# trial CORE RATE OPTION...: is every question answered right, on time and in time? Tells the figures.
trial()
{
	trial_core=$1 trial_rate=$2
	shift 2
	if ours "$trial_core" rate --singles -r "$trial_rate" -d "$seconds" "$@"; then
		verdict=good
	else
		verdict=bad
	fi
	echo "  $trial_rate/s: $verdict, $(finding valid) of $(finding sent) valid, timing error" \
		"$(finding 'timing error') %, lag p99.9 $(finding 'lag p99.9') us, max $(finding 'lag max') us, RTT median" \
		"$(finding 'rtt median') us, p99 $(finding 'rtt p99') us"
	[ $verdict = good ]
}

# climb CORE RATE... -- OPTION...: the highest of these rates that is good, in $highest
climb()
{
	climb_core=$1 rates=
	shift
	while [ "$1" != -- ]; do
		rates="$rates $1"
		shift
	done
	shift
	highest=0
	for rate in $rates; do
		trial "$climb_core" "$rate" "$@" && highest=$rate
	done
	echo "  highest: $highest/s"
}

# loop_back WHAT CORE RATE...: fakedns on core 0
loop_back()
{
	start_on 0 --aaaa 100
	echo "$1:"
	shift
	climb "$@" -- -s 127.0.0.1 -p 5300 --aaaa 100
	stop fakedns
}

# start_forwarder: dns64d, on core 0
start_forwarder()
{
	configure 'nameserver 127.0.0.1 port 5300' 'num-threads 1' 'cache-size 0'
	start dns64d taskset -c 0 "$DNS64D" -f -c "$work/dns64d.conf"
	wait_for 5 serves 5364 || give_up "dns64d does not start"
}

in_front_of_dns64d()
{
	start_on 1
	start_forwarder
	echo "in front of dns64d, on the other core; two questions to fakedns for each:"
	climb 1 10000 20000 30000 40000 50000 60000 70000 -- -s 127.0.0.1 -p 5364 --prefix "$prefix"
	stop dns64d
	stop fakedns
}

# --- beside others ---

# in_turns FILE OURS THEIRS: a line of both figures a round, each first every other time
in_turns()
{
	round=0
	: >"$work/$1"
	while [ "$round" -lt "$rounds" ]; do
		round=$((round + 1))
		if [ $((round % 2)) = 1 ]; then
			a=$("$2") b=$("$3")
		else
			b=$("$3") a=$("$2")
		fi
		echo "  $a $b"
		echo "$a $b" >>"$work/$1"
	done
	awk '$2 > 0 { print $1 / $2 }' "$work/$1" | sort -n | awk '{ v[NR] = $1 }
		END { printf "  dns64bench / other: %.3f (%.3f to %.3f)\n", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2,
			v[1], v[NR] }'
}

# shellcheck disable=SC2317 # called by in_turns, as those below
ours_at_rate()
{
	ours 1 rate --singles -r "$rate" -d "$seconds" -s 127.0.0.1 -p 5300 --aaaa 100
	finding 'valid per second'
}

# shellcheck disable=SC2317
theirs_at_rate()
{
	theirs -p 5300 -d "$work/questions" -c 16 -q 20000 -Q "$rate"
	answers_a_second
}

# shellcheck disable=SC2317
ours_saturating()
{
	ours 1 closed --transport "$transport" -s 127.0.0.1 -p 5364 -d "$seconds" --prefix "$prefix" \
		--clients "$clients" --window "$window"
	finding 'highest rate'
}

# shellcheck disable=SC2317
theirs_saturating()
{
	theirs_place=$(($(cat "$work/place") + seconds * 30000))
	[ "$theirs_place" -lt "$names" ] || theirs_place=1
	echo "$theirs_place" >"$work/place"
	tail -n "+$theirs_place" "$work/questions" |
		theirs -p 5364 -m "$transport" -c "$clients" -q $((clients * window))
	answers_a_second
}

# shellcheck disable=SC2317
ours_one_by_one()
{
	ours 1 closed --spin --window 1 -s 127.0.0.1 -p 5300 -d "$seconds" --aaaa 100
	finding 'highest rate'
}

# shellcheck disable=SC2317
plain_one_by_one()
{
	taskset -c 1 "$sequential" 127.0.0.1 5300 256 spin | sed 's/.* \([0-9]*\) questions.*/\1/'
}

# shellcheck disable=SC2317
ours_counted()
{
	ours 1 rate --singles -r "$rate" -n $((rate * seconds)) -s 127.0.0.1 -p 5364 --prefix "$prefix"
	finding valid
}

# It writes a line for each question to its directory.
# shellcheck disable=SC2317
perfpp_counted()
{
	(cd "$work" && taskset -c 1 "$perfpp" ::ffff:127.0.0.1 5364 10.0.0.0/8 $((rate * seconds)) 1 1 $((1000000000 / rate)) 1 2>/dev/null) |
		sed -n 's/^Valid answers: \([0-9]*\).*/\1/p'
}

# shellcheck disable=SC2317
ours_rtt()
{
	ours 1 rate --spin --sources 1 -r 2000 -d "$seconds" -s 127.0.0.1 -p 5364 --prefix "$prefix"
	finding 'rtt median'
}

# shellcheck disable=SC2317
plain_rtt()
{
	taskset -c 1 "$sequential" 127.0.0.1 5364 $((seconds * 2000 / 256)) 2000 | sed 's/ .*//'
}

beside_in_rate()
{
	start_on 0 --aaaa 100
	for rate in 20000 50000 100000; do
		echo "answers of fakedns a second at $rate/s, dns64bench and dnsperf:"
		in_turns rate ours_at_rate theirs_at_rate
	done
	echo "answers of fakedns a second, one question after another, dns64bench and sequential:"
	in_turns one ours_one_by_one plain_one_by_one
	stop fakedns
}

beside_in_rtt()
{
	start_on 0
	start_forwarder
	echo "RTT median of dns64d at 2,000/s in us, dns64bench and sequential:"
	in_turns rtt ours_rtt plain_rtt
	stop dns64d
	stop fakedns
}

beside_in_counts()
{
	perfpp=${DNS64PERF:-$(command -v dns64perf++)}
	if [ ! -x "$perfpp" ]; then
		echo "dns64perf++ is not here (DNS64PERF): nothing is counted beside it"
		return
	fi
	start_on 0
	start_forwarder
	for rate in 1000 5000; do
		echo "right answers of dns64d to $((rate * seconds)) questions at $rate/s, dns64bench and dns64perf++:"
		in_turns counts ours_counted perfpp_counted
	done
	stop dns64d
	stop fakedns
}

# beside_saturating TRANSPORT CLIENTS WINDOW
beside_saturating()
{
	transport=$1 clients=$2 window=$3
	start_on 1
	configure_forwarder 5364
	sed -i 's/num-threads: 1/&\n  incoming-num-tcp: 200/' "$work/forwarder.conf"
	start subject taskset -c 0 unbound -d -p -c "$work/forwarder.conf"
	wait_for 5 serves 5364 || give_up "unbound does not start"
	echo "answers of unbound a second over $transport, $clients clients with $window open questions each," \
		"dns64bench and dnsperf:"
	in_turns saturating ours_saturating theirs_saturating
	stop subject
	stop fakedns
}

questions $names >"$work/questions"
echo 1 >"$work/place"
loop_back 'fakedns looped back, a core each' 1 100 1000 10000 100000 150000 150000 150000 150000 150000 200000
loop_back 'fakedns looped back, one core for both' 0 20000 30000 40000 50000 60000 70000 80000
in_front_of_dns64d
beside_in_rate
beside_in_counts
beside_in_rtt
beside_saturating udp 100 1
beside_saturating udp 4 250
beside_saturating tcp 100 1
beside_saturating tcp 4 250
finish
