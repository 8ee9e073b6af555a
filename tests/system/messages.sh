#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# messages: what two loops meet at the same time the operator is told once, and once that it is over; and
# what more there is to read at higher levels.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need dnsperf kdig prlimit

# told TEXT: how many lines say so
told()
{
	grep -c -- "$1" "$work/dns64d.log"
}

# told_times N TEXT
told_times()
{
	[ "$(told "$2")" -ge "$1" ]
}

# statistic_is NAME N: it is N at least
statistic_is()
{
	tell_statistics
	[ "$(statistic "$1")" -ge "$2" ]
}

# crowd_asks FIRST N ZONE: N questions from as many ports, so that all loops get some; no answer is read
crowd_asks()
{
	crowd_n=0
	while [ $crowd_n -lt "$2" ]; do
		"$wire" udp ::1 5364 ask 1 "010-$1-000-$(printf %03d $crowd_n).$3" AAAA
		crowd_n=$((crowd_n + 1))
	done
}

# --- an upstream that is down, and replies again ---

ip address add 192.0.2.9/32 dev lo || give_up 'no address'
start mute "$upstream" 5300 mute
configure 'listen 192.0.2.9 port 5364' 'nameserver 127.0.0.1 port 5300' 'num-threads 2' 'upstream-timeout 1' 'upstream-tries 1' \
	'cache-size 0' 'allow ::1' 'user none'
start_dns64d
crowd_asks 000 24 dns64perf.test
check 'both loops find it down' wait_for 60 statistic_is upstream_down 2
equal 'which is said once' 1 "$(told 'no reply to')"
equal 'and that there is no other' 1 "$(told 'error upstream: no upstream replies')"
stop mute
start_fakedns
check 'that it is back too' wait_for 60 told_times 1 'replies again'
sleep 1
equal 'and once' 1 "$(told 'replies again')"
equal 'likewise that not all are down any more' 1 "$(told 'notice upstream: upstreams reply again')"

# --- clients that may not ask ---

for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
	"$wire" udp 192.0.2.9 5364 ask 1 010-000-000-001.dns64perf.test A get 1 1000 >>"$work/denied"
done
equal 'clients that may not ask are refused' '16 1 5 0' "$(sort "$work/denied" | uniq -c | sed 's/^ *//')"
equal 'a network that may not ask is told once' 1 "$(told 'refused a client')"

# --- no descriptor for connections ---

before=$(awk '{ print $14 + $15 }' "/proc/$(pid_of dns64d)/stat")
set -- "/proc/$(pid_of dns64d)/fd"/*
prlimit --pid "$(pid_of dns64d)" --nofile=$#:
start crowd "$wire" tcp ::1 5364 crowd 40 3000
check 'connections are not accepted' wait_for 60 told_times 1 'cannot accept'
prlimit --pid "$(pid_of dns64d)" --nofile=$(($# + 2)):
sleep 0.5
prlimit --pid "$(pid_of dns64d)" --nofile=4096:
sleep 0.5
wait "$(pid_of crowd)"
rm -f "$work/crowd.pid"
after=$(awk '{ print $14 + $15 }' "/proc/$(pid_of dns64d)/stat")
equal 'which is said once' 1 "$(told 'cannot accept')"
check "and is no work ($((after - before)) ticks)" test $((after - before)) -le 50
check 'that it is over is said when it is' wait_for 60 told_times 1 'are accepted again'
equal 'and once' 1 "$(told 'are accepted again')"

# --- nothing but errors ---

stop fakedns
start_fakedns --rcode SERVFAIL
for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
	crowd_asks "$(printf %03d $n)" 12 dns64perf.test
	sleep 1
done
check 'an upstream that replies with errors only' wait_for 60 told_times 1 'every reply'
equal 'is told once' 1 "$(told 'every reply')"
stop fakedns
start_fakedns
crowd_asks 100 24 dns64perf.test
check 'and that it does not any more' wait_for 60 told_times 1 'without error'
equal 'once' 1 "$(told 'without error')"
stop dns64d
equal 'SIGTERM: exit status' 0 "$status"

# --- an upstream to which there is no way ---

configure 'nameserver 2001:db8:ffff::1' 'num-threads 2' 'cache-size 0'
start_dns64d
crowd_asks 000 24 dns64perf.test
sleep 1
equal 'an upstream without a way to it is told once' 1 "$(told 'no socket')"
stop dns64d

# --- a reload ---

configure 'nameserver 127.0.0.1 port 5300' 'num-threads 2' 'log-level info'
start_dns64d
configure 'nameserver 127.0.0.1 port 5301' 'num-threads 2' 'log-level info' 'serve-stale 60' \
	'never-synthesize example.org'
kill -HUP "$(pid_of dns64d)"
check 'a reload' wait_for 60 logged dns64d 'reload: done'
check 'says which upstream is new' logged dns64d 'config: asks 127.0.0.1#5301'
check 'and which is not asked any more' logged dns64d 'config: asks 127.0.0.1#5300 no more'
check 'which keyword has another value' logged dns64d 'config: serve-stale was changed'
check 'also of those for clients' logged dns64d 'config: never-synthesize was changed'
check 'the first of them too' logged dns64d 'config: nameserver was changed'
equal 'and nothing else' 5 "$(grep -c 'info config:' "$work/dns64d.log")"
stop dns64d

# --- why there is no address ---

configure 'nameserver 127.0.0.1 port 5300' 'never-synthesize txt-7.dns64perf.test' 'log-level debug'
start_dns64d
answer nx-a.dns64perf.test AAAA >/dev/null
answer txt-7.dns64perf.test AAAA >/dev/null
answer txt-9.dns64perf.test AAAA >/dev/null
answer 127-0-0-1.dns64perf.test AAAA >/dev/null
answer 010-000-000-001.dns64perf.test AAAA >/dev/null
check 'a name that does not exist' logged dns64d 'debug dns64: nx-a.dns64perf.test. for ::1: .*exist'
check 'a name never synthesized' logged dns64d 'debug dns64: txt-7.dns64perf.test. for ::1: .*never-synthesize'
check 'a name without A' logged dns64d 'debug dns64: txt-9.dns64perf.test. for ::1: .*no A'
check 'an address that is never mapped' logged dns64d 'debug dns64: 127-0-0-1.dns64perf.test. for ::1: .*map'
check 'and where there is one, under which prefix' logged dns64d \
	'debug dns64: 010-000-000-001.dns64perf.test. for ::1: synthesized under 2001:db8:64::/96: it has no AAAA'
name=010-000-000-001.dns64perf.test.
check 'each question, and why it went there' logged dns64d \
	"debug upstream: 127.0.0.1#5300: asked for $name A over UDP, attempt 1: the only one"
check 'each reply' logged dns64d \
	"debug upstream: 127.0.0.1#5300: replies about $name A over UDP in [0-9.]* ms: NOERROR, 1 answers"
check 'what the cache keeps' logged dns64d "debug cache: kept $name A: data, TTL [0-9]*"
check 'who asks' logged dns64d "debug client: ::1#[0-9]* asks for $name AAAA over UDP"
check 'and what that comes to' logged dns64d \
	"debug client: ::1#[0-9]* gets for $name AAAA: NOERROR, 1 answers, after [0-9.]* ms: synth-no-aaaa (it has no AAAA)"
answer 010-000-000-001.dns64perf.test AAAA >/dev/null
check 'what the cache has' logged dns64d "debug cache: hit $name A: data, [0-9]* s old, TTL [0-9]*"
stop dns64d
configure 'nameserver 127.0.0.1 port 5300' 'log-level info'
start_dns64d
answer nx-a.dns64perf.test AAAA >/dev/null
equal 'none of that below debug' 0 "$(told 'dns64:')"
stop dns64d

# --- who reads standard error is stopped ---

configure 'nameserver 127.0.0.1 port 5300' 'log-level debug' 'cache-size 0'
mkfifo "$work/pipe"
exec 9<>"$work/pipe" # reads nothing yet
# shellcheck disable=SC2016 # that shell is to expand them
start dns64d sh -c 'exec "$0" -f -c "$1" 2>"$2"' "$DNS64D" "$work/dns64d.conf" "$work/pipe"
wait_for 60 serves 5364 || give_up 'dns64d does not start'
questions 2000 >"$work/questions"
dnsperf -s 127.0.0.1 -p 5364 -d "$work/questions" -t 3 >"$work/asked" 2>&1
check 'each question is answered' grep -q 'Queries completed: *2000 ' "$work/asked"
timeout 2 cat <&9 >"$work/heard"
check 'what there was room for is there' grep -q '^debug client: ' "$work/heard"
equal 'in whole lines' 0 "$(grep -vc '^\(debug\|info\|notice\|warning\) [a-z0-9]*: ' "$work/heard")"
answer 010-000-000-001.dns64perf.test AAAA >/dev/null
timeout 2 cat <&9 >"$work/heard"
check 'what there was not is counted' grep -q \
	'^warning server: [0-9]\{4,\} lines of the log were lost, as nobody read them$' "$work/heard"
stop dns64d
equal 'SIGTERM: exit status' 0 "$status"
exec 9<&-

finish
