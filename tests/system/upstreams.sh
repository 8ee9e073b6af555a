#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# upstreams: SIGUSR1 tells of each upstream, for all loops together; each change of state is told once.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need kdig

# line PORT: what was told last of the upstream there
line()
{
	sed -n "s/^.* stats: upstream 127.0.0.1#$1: //p" "$work/dns64d.log" | tail -n 1
}

# figure PORT NAME: a number of that line
figure()
{
	line "$1" | sed -n "s/.*, $2 \([0-9.]*\).*/\1/p"
}

# tells PORT TEXT: is the line TEXT, a basic regular expression, at its beginning?
tells()
{
	tell_statistics && line "$1" | grep -q "^$2"
}

# ask_some FIRST: 40 questions by as many sockets, so that each loop gets some
ask_some()
{
	n=$1
	while [ "$n" -lt $(($1 + 40)) ]; do
		"$wire" udp ::1 5364 ask 1 "010-000-000-$(printf %03d "$n").dns64perf.test" AAAA get 1 5000
		n=$((n + 1))
	done
}

# adds_up: are the sends those of the counters? A probe may be between the two.
adds_up()
{
	tell_statistics
	[ $(($(figure 5300 sends) + $(figure 5301 sends))) -eq \
		$(($(statistic upstream_udp) + $(statistic upstream_tcp))) ]
}

# known: does each loop know that the upstream is down?
known()
{
	tells 5301 'down for [0-9.]* s, '
}

start_fakedns --ttl 300
configure 'nameserver 127.0.0.1 port 5301' 'nameserver 127.0.0.1 port 5300' 'num-threads 2' \
	'selection-mode round-robin' 'cache-size 0'
start_dns64d
none='good, UDP not measured yet, sends 0, replies 0, overdue 0, lost 0, hedges 0, share 0.0 %, no reply yet'
tell_statistics
equal 'nothing is known at first' "$none" "$(line 5300)"
equal 'of the other neither' "$none" "$(line 5301)"
equal 'all are answered' 40 "$(ask_some 0 | grep -c '^1 0 1$')"
check 'the dead one is down' wait_for 60 tells 5301 'down for [0-9.]* s'
ask_some 40 >"$work/more"
check 'all loops see it so' wait_for 60 known
check 'it was measured never' is 'UDP not measured yet, sends' line 5301
check 'it never replied' is 'no reply yet' line 5301
equal 'so there are no replies' 0 "$(figure 5301 replies)"
check 'questions to it are lost' test "$(figure 5301 lost)" -ge 1
check 'the other is good' tells 5300 'good, UDP [0-9.]* ms (deviation [0-9.]*), sends'
check 'it got every question' test "$(figure 5300 replies)" -ge 160
check 'sends add up to the counters' wait_for 60 adds_up
# A machine that is busy keeps a reply back.
check 'none is lost but what came late' \
	test "$(figure 5300 lost)" -le $(($(statistic upstream_overdue) + $(statistic upstream_late)))
equal 'shares add up to 100 %' 100.0 \
	"$(echo "$(figure 5300 share) $(figure 5301 share)" | awk '{ printf "%.1f", $1 + $2 }')"
equal 'one line said that it is down' 1 "$(grep -c '127.0.0.1#5301: no reply' "$work/dns64d.log")"

start second "$fakedns" -l 127.0.0.1 -p 5301
check 'it is good since it came back' wait_for 60 tells 5301 'good for [0-9.]* s, .*, last reply'
equal 'one line said so' 1 "$(grep -c '127.0.0.1#5301: replies again' "$work/dns64d.log")"
equal 'no upstream else changed' 0 "$(grep -c 'warning upstream: 127.0.0.1#5300' "$work/dns64d.log")"
stop dns64d
equal 'SIGTERM: exit status' 0 "$status"

finish
