#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# flapping: an upstream that is there and away again, each for less than a second: silent meanwhile, or refusing;
# and one that is slow. Beside a good one nobody fails or waits for long; alone most are resolved, and as before once
# it is well. Figures are told. tests/measure/asking has the same with longer times.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"

# What a busy machine adds to a time, in ms.
least_busy=${FLAPPING_MS:-1000} busy=$least_busy
watch_noise

# alone WHAT LEAST OPTION...: at least LEAST of 500 are resolved
alone()
{
	alone_what=$1 least=$2
	shift 2
	start_fakedns "$@"
	anew 'nameserver 127.0.0.1 port 5300'
	steady 1 500
	check "$alone_what, alone: an answer to all, at least $least good ones ($told)" \
		test "$came" -eq 500 -a "$resolved" -ge "$least" -a "$longest" -le $((4500 + busy))
	stop fakedns
	start_fakedns
	back=$("$wire" udp ::1 5364 persist dns64perf.test 20000)
	sleep 1
	steady 1 200
	check "$alone_what, alone: back after ${back:-never} ms, normal a second later ($told)" \
		test "${back:-99999}" -le $((500 + busy)) -a "$resolved" -eq 200 -a "$longest" -le "$busy"
	stop fakedns
}

# beside WHAT MS OPTION...: with each selection-mode, all are resolved within MS
beside()
{
	beside_what=$1 most=$2
	shift 2
	for mode in random round-robin in-order fastest; do
		start_fakedns "$@"
		anew 'nameserver 127.0.0.1 port 5300' 'nameserver 127.0.0.1 port 5301' "selection-mode $mode"
		steady 1 300
		check "$beside_what, beside a good one, $mode: all ($told)" \
			test "$resolved" -eq 300 -a "$longest" -le $((most + busy))
		stop fakedns
	done
}

start_another good 127.0.0.1 5301
beside 'flapping, 500 ms each' 400 --outage 500-500
beside 'flapping, away for 900 ms' 400 --outage 100-900
beside 'flapping, 50 ms each' 400 --outage 50-50
beside 'flapping, 500 ms each, refusing' 400 --outage 500-500 --outage-refuse
# AAAA and A take it twice.
beside 'slow, 800 ms' 1600 --delay 800
alone 'flapping, 500 ms each' 490 --outage 500-500
# Shorter than 50 ms, the shortest wait for a reply: questions that are sent again just then, and again after twice that,
# would meet each outage, as a busy machine shifts them.
alone 'flapping, away for 40 ms' 490 --outage 60-40
alone 'flapping, away for 100 ms' 490 --outage 900-100
alone 'flapping, away for 100 ms, refusing' 490 --outage 900-100 --outage-refuse
alone 'flapping, 500 ms each, refusing' 490 --outage 500-500 --outage-refuse
alone 'slow, 1500 ms' 490 --delay 1500
stop dns64d
equal 'SIGTERM: exit status' 0 "$status"
finish
