#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# start: how soon it answers after it was started, and what happens when its port is taken.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"

start_fakedns --ttl 300
configure 'nameserver 127.0.0.1 port 5300'
fastest=20000
for round in 1 2 3 4 5; do
	began=$(milliseconds)
	start dns64d "$DNS64D" -f -c "$work/dns64d.conf"
	"$wire" udp ::1 5364 persist dns64perf.test 20000 >/dev/null
	check "start $round: it answers" test $? -eq 0
	took=$(($(milliseconds) - began))
	[ $took -ge $fastest ] || fastest=$took
	[ $round = 5 ] || stop dns64d
done

check "first answer after $fastest ms, in one of five starts" test $fastest -lt 1000

"$DNS64D" -f -c "$work/dns64d.conf" >"$work/second.log" 2>&1
equal 'a second one on the same port: exit status' 3 $?
check 'it says what is taken' logged second 'listen ::1#5364: Address already in use'
equal 'the first goes on' '1 0 1' "$("$wire" udp ::1 5364 ask 1 010-000-000-001.dns64perf.test AAAA get 1 3000)"

finish
