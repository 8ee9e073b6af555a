#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# upstream-tcp: an upstream whose answers all come over TCP, and what may become of its connections:
# busy, closed, resetting, refused (RFC 7766, RULES D11, D27).
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need dnsperf

# begin FAKEDNS-OPTION...: fresh servers, dns64d with one thread and without a cache.
begin()
{
	for begin_name in dns64d fakedns; do
		[ ! -f "$work/$begin_name.pid" ] || stop $begin_name
	done
	start_fakedns "$@"
	configure 'nameserver 127.0.0.1 port 5300' 'num-threads 1' 'cache-size 0'
	start_dns64d
}

# burst N: ask for N names at once; prints how many were resolved. dnsperf has room for all answers, as
# those that it is too busy to read would be lost.
burst()
{
	questions "$1" >"$work/questions"
	dnsperf -s 127.0.0.1 -p 5364 -d "$work/questions" -n 1 -c 1 -T 1 -q "$1" -t 10 -b 2048 2>&1 |
		sed -n 's/.*Response codes: .*NOERROR \([0-9]*\) .*/\1/p'
}

begin --truncate 100
resolved=$(burst 1000)
tell_statistics
check "many questions at once, before there is any connection ($resolved, $(n_late) too late)" \
	test $((${resolved:-0} + $(n_late))) -ge 1000
# On a busy machine some are asked once more, as their replies are late.
most=$(($(statistic lookups) * 6 / 5 + $(statistic upstream_timeouts)))
check "each went over TCP once ($(statistic upstream_tcp))" test "$(statistic upstream_tcp)" -le $most
check "and over UDP once ($(statistic upstream_udp))" test "$(statistic upstream_udp)" -le $most
equal 'none was without room' 0 "$(statistic tcp_upstream_full)"
check "by a few connections ($(statistic tcp_upstream_opened))" \
	test "$(statistic tcp_upstream_opened)" -ge 1 -a "$(statistic tcp_upstream_opened)" -le 4

for how in --tcp-close --tcp-reset; do
	begin --truncate 100 $how 7
	resolved=$(burst 500)
	tell_statistics
	# A reset takes replies along that a busy machine has not read: what then comes late may fail.
	check "connections end after seven replies ($how): $resolved of 500" \
		test $((${resolved:-0} + $(statistic upstream_timeouts))) -ge 500
	check 'with questions open' test "$(statistic tcp_upstream_lost)" -ge 4
	# What a connection will not answer is not asked over it: most questions go over TCP once (RULES D28).
	equal 'none was sent too often' 0 "$(statistic over_budget)"
	check "few went over TCP again ($(statistic upstream_tcp))" test "$(statistic upstream_tcp)" -le 1500
	equal 'nobody is down' 0 "$(grep -c ' down' "$work/dns64d.log")"
done

begin --tcp-reset 0
equal 'no connection brings anything: UDP does' '20' \
	"$("$wire" tcp ::1 5364 flood 20 010-000-000-001.dns64perf.test A get 20 20000 | grep -c ' 0 1$')"
equal 'and works as before' 100 "$(burst 100)"
equal 'the upstream is not to blame' 0 "$(grep -c 'upstream: .*no reply' "$work/dns64d.log")"
stop dns64d
equal 'SIGTERM: exit status' 0 "$status"

finish
