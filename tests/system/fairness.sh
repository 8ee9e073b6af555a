#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# fairness: upstream is silent, and one network asks far more than there is room for. Another one gets what is
# known at once, and its own questions wait on (RULES D26).
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"

# The longest wait for what is known, in ms: what a busy machine adds to nothing.
most_ms=${FAIRNESS_MS:-500}

# flood FIRST N: ::1 asks for N names
flood()
{
	"$wire" udp ::1 5364 burst "$1" "$2" dns64perf.test 10000
}

# known: 127.0.0.1 asks for 2,000 names that the cache has
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

# --- a flood while upstream is silent ---

watch_noise
start_fakedns --ttl 300
configure 'nameserver 127.0.0.1 port 5300' 'num-threads 1' 'max-queries 1024' 'max-waiting-per-client 0' 'user none'
start_dns64d
wait_for 60 all_known || give_up 'the cache does not get to know them'
stop fakedns
start mute "$upstream" 5300 mute
flood 10000 30000 >"$work/flood" &
flood=$!
"$wire" udp 127.0.0.1 5364 ask 1 010-002-000-001.dns64perf.test A get 1 10000 >"$work/other" &
other=$!
n=0
while [ $n -lt 8 ]; do
	known
	n=$((n + 1))
done >"$work/known"
wait $flood
wait $other
echo "the flood: $(cat "$work/flood"); known names meanwhile, 2,000 each time:"
cat "$work/known"
longest=$(sed 's/.* \([0-9]*\) ms.*/\1/' "$work/known" | sort -n | tail -1)
check 'another network gets all that is known' test "$(grep -c '^2000 answers, 0 SERVFAIL' "$work/known")" -eq 8
check "without waiting ($longest ms)" test "$longest" -le "$(stretch "$most_ms")"
check 'its own question has its whole time' grep -q '^1 2 0' "$work/other"
tell_statistics
check 'the flood gave way to itself' test "$(statistic gave_way)" -gt 20000
equal 'nothing was dropped for want of room' 0 "$(statistic client_dropped)"

# --- the same question again and again, and then all is well ---

# shellcheck disable=SC2046 # 200 steps
"$wire" udp ::1 5364 $(yes 'ask 1 010-003-000-001.dns64perf.test A' | head -n 200) get 184 5000 >"$work/same"
equal 'few of one network wait for the same' 184 "$(grep -c TC "$work/same")"
stop mute
start_fakedns --ttl 300
check 'a moment later all is well' wait_for 20 "$wire" udp ::1 5364 persist dns64perf.test 5000
check 'and all are answered' test "$(flood 50000 500 | cut -d' ' -f1-4)" = '500 answers, 0 SERVFAIL,'
finish
