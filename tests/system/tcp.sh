#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# tcp: clients and upstreams over TCP as they come: fast, slow, half-closed, silent, rude (RFC 7766).
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need kdig

ok=010-000-000-001.dns64perf.test
start_fakedns --ttl 300
configure 'nameserver 127.0.0.1 port 5300' 'num-threads 1' 'upstream-timeout 5' 'upstream-tries 1' \
	'tcp-idle-timeout 5' 'max-tcp-per-client 8' 'max-tcp-clients 12' 'cache-size 0'
start_dns64d

tcp()
{
	"$wire" tcp ::1 5364 "$@" 2>&1
}

# beside PID WHAT: is a question answered over TCP while the client with that process is there?
beside()
{
	equal "$2" '1 0 1' "$(tcp ask 1 $ok AAAA get 1 3000)"
	check "$2: it is still there" kill -0 "$1"
}

# --- pipelining ---

equal 'answers leave as they come, not in the order of questions' '2 0 1
1 2 0' "$(tcp ask 1 drop-1.dns64perf.test A ask 2 $ok AAAA get 2 20000)"
equal '500 questions at once, more than are worked on at a time' 500 \
	"$(tcp flood 500 $ok AAAA get 500 20000 | grep -c ' 0 1$')"
equal 'all of them, once each' 500 "$(tcp flood 500 $ok AAAA get 500 20000 | grep ' 0 1$' | sort -u | wc -l)"
equal 'large answers' 40 "$(tcp flood 40 txt-60000.dns64perf.test TXT get 40 20000 | grep -c ' 0 1$')"

# --- slow, half-closed and silent clients ---

tcp drip 7 $ok AAAA 20 get 1 8000 >"$work/drip.out" &
drip=$!
sleep 0.2
beside $drip 'nobody waits for a slow client'
equal 'nor over UDP' '1 0 1' "$("$wire" udp ::1 5364 ask 1 $ok AAAA get 1 3000)"
wait $drip
equal 'and it gets its answer' '7 0 1' "$(cat "$work/drip.out")"
equal 'a half-closed client gets its answers' '1 0 1
2 0 1' "$(tcp ask 1 $ok AAAA ask 2 $ok A half get 2 3000 | sort)"
check 'then the connection ends' tcp ask 1 $ok AAAA half get 1 3000 end 20000
equal 'also if that takes until the upstream is given up' '1 2 0' \
	"$(tcp ask 1 drop-2.dns64perf.test A half get 1 20000)"
for idle in 'pause 0' 'raw 00' 'raw 001d0001'; do
	# shellcheck disable=SC2086 # a step
	took=$(tcp $idle end 30000 | sed 's/[^0-9]//g')
	check "who asks nothing is closed after 3 s ($idle: $took ms)" test "${took:-0}" -ge 2900 -a "${took:-99999}" -le 20000
done
took=$(tcp ask 1 $ok A get 1 3000 end 30000 | sed -n '2s/[^0-9]//gp')
check "an idle client is closed after 5 s ($took ms)" test "${took:-0}" -ge 4900 -a "${took:-99999}" -le 20000
took=$(tcp ask 1 $ok A get 1 3000 raw 0100 pause 3000 raw 00 end 30000 | sed -n '2s/[^0-9]//gp')
check "one whose question trickles in: 5 s after it has begun ($took ms)" \
	test "${took:-0}" -ge 500 -a "${took:-99999}" -le 20000
equal 'one that asks within that time stays' '1 0 1
2 0 1
3 0 1' "$(tcp ask 1 $ok A get 1 3000 pause 3000 ask 2 $ok A get 1 3000 pause 3000 ask 3 $ok A get 1 3000)"

# --- ceilings ---

# Idle connections of one client: 8; new ones take the place of its own.
equal 'connections of one client: 8' '8 open' "$(tcp crowd 20 1500)"
tell_statistics
check "the idlest gave way ($(statistic tcp_evicted))" test "$(statistic tcp_evicted)" -ge 13
equal 'none was refused' 0 "$(statistic tcp_refused)"
# 8 of 12 places are held with questions open, 4 are left: for others too.
holders=
for i in 1 2 3 4 5 6 7 8; do
	tcp ask 1 drop-$i.dns64perf.test A pause 6000 >/dev/null &
	holders="$holders $!"
done
eight_wait()
{
	tell_statistics
	grep 'stats: in flight' "$work/dns64d.log" | tail -n 1 | grep -q 'in flight 8 '
}
check 'all of one client have a question open' wait_for 4 eight_wait
check 'a new one is refused while all of a client have questions open' tcp end 2000
tell_statistics
check 'which is counted' test "$(statistic tcp_refused)" -ge 1
equal 'others have their place' '1 0 1' "$("$wire" tcp 127.0.0.1 5364 ask 1 $ok AAAA get 1 3000)"
equal 'UDP is served' '1 0 1' "$("$wire" udp ::1 5364 ask 1 $ok AAAA get 1 3000)"
# shellcheck disable=SC2086 # process IDs
wait $holders
check 'when they have been answered there is room again' wait_for 20 tcp ask 1 $ok AAAA get 1 3000

# --- rude clients ---

check 'an empty frame ends the connection' tcp raw 0000 end 4000
check 'so does a short one, or it is dropped' tcp raw 0003010203 half end 20000
# Questions that are dropped are waited for in vain for 10 s.
check 'noise' tcp noise 60000 1 half end 40000
equal 'a response is not answered, the question behind it is' '2 0 1' \
	"$(tcp hex 000181800001000000000000046e616d650474657374000001 ask 2 $ok A get 1 3000 quiet 300)"
tcp flood 4000 txt-60000.dns64perf.test TXT pause 60000 >/dev/null &
rude=$!
sleep 2
beside $rude 'nobody waits for a client that does not read'
stalled()
{
	tell_statistics
	[ "$(statistic tcp_stalled)" -eq 1 ]
}
check 'which is closed' wait_for 30 stalled
kill $rude
wait $rude
check 'idle ones were counted' test "$(statistic tcp_idle)" -ge 3
check 'short messages were counted' test "$(statistic client_short)" -ge 2
check 'responses were counted' test "$(statistic client_response)" -ge 1
check 'it goes on' tcp ask 1 $ok AAAA get 1 3000
stop dns64d
equal 'SIGTERM: exit status' 0 "$status"

# --- answers from the cache leave at once, in the middle of reading ---

configure 'nameserver 127.0.0.1 port 5300' 'num-threads 1'
start_dns64d
equal 'the first answer comes from upstream' '1 0 1' "$(tcp ask 1 $ok AAAA get 1 3000)"
equal '5000 questions at once, all answered from the cache' 5000 \
	"$(tcp flood 5000 $ok AAAA get 5000 20000 | grep ' 0 1$' | sort -u | wc -l)"
equal 'answers of 15,000 octets' 200 "$(tcp flood 200 txt-15000.dns64perf.test TXT get 200 20000 | grep -c ' 0 1$')"
tcp flood 4000 txt-15000.dns64perf.test TXT pause 6000 >/dev/null &
rude=$!
sleep 1
beside $rude 'nobody waits for a client that does not read them'
wait $rude
tell_statistics
check "they were from there ($(statistic cache_hits))" test "$(statistic cache_hits)" -ge 10000
check "and hardly anything else ($(statistic upstream_udp))" test "$(statistic upstream_udp)" -le 4
stop dns64d
equal 'SIGTERM: exit status' 0 "$status"

# --- an upstream that closes with questions open (RFC 7766 6.2.4) ---

start hangup "$upstream" 5303 hangup
configure 'nameserver 127.0.0.1 port 5303' 'num-threads 1'
start_dns64d
equal 'open questions are asked again' '4' \
	"$(tcp ask 1 a.test AAAA ask 2 b.test AAAA ask 3 c.test AAAA ask 4 d.test AAAA get 4 20000 | grep -c ' 0 1$')"
tell_statistics
check 'on another connection' test "$(statistic tcp_upstream_opened)" -ge 2
check 'the loss was counted' test "$(statistic tcp_upstream_lost)" -ge 1

finish
