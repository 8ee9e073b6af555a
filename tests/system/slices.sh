#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# slices: thousands wait for one reply of 60,000 octets; who asks for what is known is answered meanwhile.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"

connections=64 # with as many questions as one may have open: 4,096 wait for one reply
each=64
# The longest wait for what is known, in ms: 5 of ours, and what a busy machine adds. All at once are 240.
most_ms=${SLICES_MS:-150}

watch_noise
start_fakedns --ttl 300 --slow-first 1000
configure 'nameserver 127.0.0.1 port 5300' 'num-threads 1' 'upstream-timeout 5' 'max-tcp-per-client 128' 'max-same-question 0'
start_dns64d

known()
{
	"$wire" udp 127.0.0.1 5364 burst 1 2000 dns64perf.test 10000
}

# all_known: has the cache all of them? A busy machine may lose some on their way to upstream.
# shellcheck disable=SC2317 # wait_for calls it
all_known()
{
	known | grep -q '^2000 answers, 0 SERVFAIL'
}

wait_for 60 all_known || give_up 'the cache does not get to know them'
waiters=
n=0
while [ $n -lt $connections ]; do
	"$wire" tcp 127.0.0.1 5364 flood $each txt-60000.dns64perf.test TXT get $each 20000 >"$work/waiter.$n" 2>&1 &
	waiters="$waiters $!"
	n=$((n + 1))
done
n=0
while [ $n -lt 12 ]; do
	known
	n=$((n + 1))
done >"$work/known"
# shellcheck disable=SC2086 # a list
wait $waiters
echo "questions for known names, 2,000 each time:"
cat "$work/known"
longest=$(sed 's/.* \([0-9]*\) ms.*/\1/' "$work/known" | sort -n | tail -1)
check "nobody waits for long beside 4,096 large answers ($longest ms)" test "$longest" -le "$(stretch "$most_ms")"
tell_statistics
known=$(awk '{ n += $1 } END { print n }' "$work/known")
check "all who ask for what is known get it ($known, $(n_late) too late)" \
	test $((known + $(n_late))) -ge 24000 -a "$(grep -c ' 0 SERVFAIL' "$work/known")" -eq 12 -a "$known" -ge 12000
got=$(cat "$work"/waiter.* | grep -c ' 0 1$')
check "so do all who wait for the reply ($got)" test "$got" -eq $((connections * each))
finish
