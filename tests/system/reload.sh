#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# reload: SIGHUP with ever other configurations while questions pour in; not one is lost.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need dnsperf

start_fakedns --ttl 300
start_other()
{
	start_another other 127.0.0.1 5301 --ttl 300
}
start_other
base='nameserver 127.0.0.1 port 5300'
# With so small a cache there are always hits and misses, and things thrown out.
configure "$base" 'num-threads 2' 'cache-size 1m'
start_dns64d
questions 50000 >"$work/questions"
descriptors=$(find "/proc/$(pid_of dns64d)/fd" -mindepth 1 | wc -l)

# reconfigure N: one of several configurations
reconfigure()
{
	case $(($1 % 6)) in
	0) configure "$base" 'num-threads 2' 'dns64-prefix 2001:db8:65::/96' ;;
	1) configure "$base" 'num-threads 2' 'listen 127.0.0.2 port 5364' 'listen 127.0.0.3 port 5364' ;;
	2) configure "$base" 'num-threads 2' 'listen 127.0.0.3 port 5364' 'nameserver 127.0.0.1 port 5301' ;;
	3) configure 'serve-stale 0' 'prefetch no' 'nameserver 127.0.0.1 port 5301' 'num-threads 2' 'exclude-aaaa 2001:db8:ffff::/48' ;;
	4) configure "$base" 'num-threads 2' 'udp-size-client 4096' 'upstream-timeout 2' 'prot 1' ;;
	5) configure "$base" 'num-threads 2' 'cache-size 0' 'max-tcp-per-client 100' 'listen ::1 port 5365' ;;
	esac
}

for way in udp tcp; do
	start "dnsperf-$way" dnsperf -m $way -s 127.0.0.1 -p 5364 -d "$work/questions" -c 8 -l 8 -t 20 -Q 4000
done
start dnsperf-six dnsperf -s ::1 -p 5364 -d "$work/questions" -c 4 -l 8 -t 20 -Q 2000
# reloaded N: were so many done or refused?
reloaded()
{
	[ "$(grep -c 'reload: \(done\|failed\)' "$work/dns64d.log")" -ge "$1" ]
}

sleep 0.5
n=0
while [ $n -lt 60 ]; do
	reconfigure $n
	kill -HUP "$(pid_of dns64d)"
	wait_for 60 reloaded $((n + 1))
	sleep 0.05
	n=$((n + 1))
done
for run in udp tcp six; do
	wait "$(pid_of dnsperf-$run)"
	rm "$work/dnsperf-$run.pid"
	check "$run: nothing is lost" logged dnsperf-$run 'Queries lost: *0 '
	check "$run: all NOERROR" logged dnsperf-$run 'Response codes: *NOERROR [0-9]* (100.00%)$'
	grep 'Queries completed' "$work/dnsperf-$run.log"
done
equal 'all but the bad ones were done' 50 "$(grep -c 'reload: done' "$work/dns64d.log")"
check 'the bad ones changed nothing' logged dns64d 'reload: failed; nothing was changed'
check 'the cache stays as large as it was' logged dns64d 'config: cache-size was changed, which takes effect only'

# --- afterwards ---

configure "$base" 'num-threads 2'
kill -HUP "$(pid_of dns64d)"
check 'it is reloaded' wait_for 60 reloaded 61
equal 'the last configuration holds' '2001:db8:64::a00:1' "$(kdig +short @127.0.0.1 -p 5364 010-000-000-001.dns64perf.test AAAA)"
"$wire" udp 127.0.0.3 5364 ask 1 010-000-000-001.dns64perf.test A quiet 300
equal 'an address that was taken away is not served' 0 $?

# What was taken away is given back, while a question that came by it is in flight.
start_another slow 127.0.0.1 5302 --delay 2000
slow='nameserver 127.0.0.1 port 5302'
configure "$slow" 'num-threads 2' 'cache-size 0' 'listen 127.0.0.4 port 5364'
kill -HUP "$(pid_of dns64d)"
check 'an address more' wait_for 60 reloaded 62
kdig @127.0.0.4 -p 5364 +timeout=10 +retry=0 +short 010-000-000-009.dns64perf.test A >"$work/asked" &
asking=$!
sleep 0.3
configure "$slow" 'num-threads 2' 'cache-size 0'
kill -HUP "$(pid_of dns64d)"
check 'it is taken away' wait_for 60 reloaded 63
configure "$base" 'num-threads 2' 'listen 127.0.0.4 port 5364'
kill -HUP "$(pid_of dns64d)"
check 'and given back' wait_for 60 reloaded 64
wait $asking
equal 'what came by it before is answered' 10.0.0.9 "$(cat "$work/asked")"
equal 'it is no error' 0 "$(grep -c '127.0.0.4.*in use' "$work/dns64d.log")"
equal 'it is served' '2001:db8:64::a00:1' "$(kdig +short @127.0.0.4 -p 5364 010-000-000-001.dns64perf.test AAAA)"
configure "$base" 'num-threads 2'
kill -HUP "$(pid_of dns64d)"
check 'as before' wait_for 60 reloaded 65

few_descriptors()
{
	now=$(find "/proc/$(pid_of dns64d)/fd" -mindepth 1 | wc -l)
	[ "$now" -le $((descriptors + 20)) ]
}
wait_for 60 few_descriptors # a question can be in flight for 4.5 s
check "no descriptor was left open ($descriptors before, $now after)" few_descriptors
tell_statistics
check "the cache had answers ($(statistic cache_hits)), had none ($(statistic cache_misses))" \
	test "$(statistic cache_hits)" -gt 1000 -a "$(statistic cache_misses)" -gt 1000
check 'it is as large as at the start, and full' \
	test "$(statistic cache_size_bytes)" -eq 1048576 -a "$(statistic cache_entries)" -gt 1000
stop dns64d
equal 'SIGTERM: exit status' 0 "$status"

finish
