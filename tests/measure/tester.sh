#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tester: what dns64bench itself can do, and whether it agrees with others.
#
#	tester.sh [SECONDS]	of each trial; 5 by default
#
# Looped back to fakedns: the highest rates at which every answer was verified and the timing error, with a
# core each and with one for both. With RELAY (a DNS64 relay without checks, "RELAY -p PORT -u UPSTREAM")
# in the environment: DNS64 answers with tester and fakedns on one core, the relay on the other. Beside
# dnsperf: throughput of Unbound, which neither of the two limits, in turns.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need dnsperf taskset unbound

seconds=${1:-5}
bench=$TOP_BUILDDIR/dns64bench

[ "$(nproc)" -ge 2 ] || {
	echo "two CPUs are needed"
	exit 77
}

# finding NAME: of the run in $work/run.json
finding()
{
	awk -v name="$1" '
		/"name": / { sub(/.*"name": "/, ""); sub(/".*/, ""); this = $0 }
		/"value": / && this == name { sub(/.*"value": /, ""); sub(/,$/, ""); print; exit }' "$work/run.json"
}

# trial CORE RATE ARGUMENT...: is every question answered right, on time and in time? Tells the figures.
trial()
{
	trial_core=$1 trial_rate=$2
	shift 2
	if taskset -c "$trial_core" "$bench" rate -r "$trial_rate" -d "$seconds" --json "$work/run.json" "$@" \
		>"$work/run.out" 2>&1; then
		verdict=good
	else
		verdict=bad
	fi
	echo "  $trial_rate/s: $verdict, $(finding valid) of $(finding sent) valid, timing error" \
		"$(finding 'timing error') %, lag p99.9 $(finding 'lag p99.9') us, RTT median" \
		"$(finding 'rtt median') us, p99 $(finding 'rtt p99') us"
	[ $verdict = good ]
}

# climb CORE RATES... -- ARGUMENT...: the highest of these rates that is good, in $highest
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
}

loop_back()
{
	start fakedns taskset -c 0 "$fakedns" -l 127.0.0.1 -p 5300 --aaaa 100
	wait_for 5 serves 5300 || give_up "fakedns does not start"
	echo "$1:"
	shift
	climb "$@" -- -s 127.0.0.1 -p 5300 --aaaa 100
	stop fakedns
	echo "  highest: $highest/s"
}

relay()
{
	[ -n "${RELAY:-}" ] || return
	start fakedns taskset -c 0 "$fakedns" -l 127.0.0.1 -p 5300
	# shellcheck disable=SC2086 # a command with arguments
	start relay taskset -c 1 $RELAY -p 5390 -u 127.0.0.1:5300
	wait_for 5 kdig +timeout=1 @::1 -p 5390 010-000-000-001.dns64perf.test AAAA || give_up "the relay does not start"
	echo "in front of $RELAY:"
	climb 0 50000 100000 150000 150000 150000 150000 150000 -- -s ::1 -p 5390 --prefix $prefix
	stop relay
	stop fakedns
	echo "  highest: $highest/s"
}

# closed_loop OPTION...: valid answers per second
closed_loop()
{
	taskset -c 1 "$bench" closed -s 127.0.0.1 -p 5364 -d "$seconds" --prefix $prefix \
		--json "$work/run.json" "$@" >"$work/run.out" 2>&1
	finding 'highest rate'
}

agree()
{
	questions 6000000 >"$work/questions"
	start fakedns taskset -c 1 "$fakedns" -l 127.0.0.1 -p 5300
	configure_forwarder 5364
	start subject taskset -c 0 unbound -d -p -c "$work/forwarder.conf"
	wait_for 5 serves 5364 || give_up "unbound does not start"
	echo "unbound's answers per second, 4 sources with 250 open questions each:"
	for round in 1 2 3 4 5 6 7 8 9; do # never the same names
		ours=$(closed_loop --clients 4 --window 250 --namespace $((10 + round)).0.0.0/8)
		theirs=$(tail -n "+$((round * 600000))" "$work/questions" |
			taskset -c 1 dnsperf -s 127.0.0.1 -p 5364 -c 4 -T 1 -q 1000 -l "$seconds" 2>/dev/null |
			sed -n 's/.*Queries per second: *//p')
		echo "  dns64bench $ours, dnsperf $theirs"
		echo "$ours $theirs" >>"$work/pairs"
	done
	stop subject
	stop fakedns
}

# ratio FILE: the median of its lines' quotients: what the machine does meanwhile is in both columns
ratio()
{
	awk '{ print $1 / $2 }' "$1" | sort -n | awk '{ v[NR] = $1 } END { printf "%.3f (%.3f to %.3f)\n",
		v[int((NR + 1) / 2)], v[1], v[NR] }'
}

loop_back 'fakedns looped back, a core each' 1 100 1000 10000 100000 200000 300000 400000 500000
loop_back 'fakedns looped back, one core for both' 0 100000 150000 180000 200000 250000
relay
agree
echo "dns64bench / dnsperf: $(ratio "$work/pairs")"
finish
