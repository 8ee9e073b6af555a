#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# hostile-http: ten thousand requests of those who mean no good, at web-listen and at the control socket: slow,
# endless, wrong, broken off, and a thousand connections at once. Questions are answered meanwhile as ever, memory and
# descriptors stay what they were, and who asks properly afterwards is served at once. (slowloris)
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need curl python3 ss
control=$work/state/control
mkdir -m 755 "$work/state" && chown "$usual" "$work/state" || exit 99
# What a busy machine adds to a time, in ms.
least_busy=${HOSTILE_MS:-100} busy=$least_busy

# figure NAME: of the daemon, from its status, in kB
figure()
{
	sed -n "s/^$1:[^0-9]*\([0-9]*\).*/\1/p" "/proc/$(pid_of dns64d)/status"
}

# descriptors: how many are open, without those to upstreams, which come and go
descriptors()
{
	echo $(($(find "/proc/$(pid_of dns64d)/fd" -mindepth 1 | wc -l) - $(ss -Hanu dst 127.0.0.1:5300 | wc -l)))
}

# cpu: what its main thread used, in ms
cpu()
{
	awk '{ sub(/.*\) /, ""); print ($12 + $13) * 10 }' "/proc/$(pid_of dns64d)/task/$(pid_of dns64d)/stat"
}

# hostile N SECONDS: N requests of all kinds, then 1,000 connections at each of the sockets for so long
hostile()
{
	start hostile python3 "${TOP_SRCDIR:-.}/tests/system/hostile.py" 127.0.0.1 6464 "$control" "$1" "$2"
}

start_fakedns --ttl 300
configure 'nameserver 127.0.0.1 port 5300' 'num-threads 2' "control-socket $control" 'web-listen 127.0.0.1' 'cache-size 0' \
	'max-queries 1024'
start_dns64d
watch_noise

# --- as it is without them ---

# Each object of the engine is used once, so that it is in memory.
"$wire" udp ::1 5364 burst 100000 6000 dns64perf.test 5000
steady 1 300
check "before: $told" test "$resolved" -eq 300
hostile 200 3
wait "$(pid_of hostile)"
check 'each kind once, and what libevent and the allocator keep of it' logged hostile 'all as it has to be'
sleep 1
memory=$(figure VmRSS) open=$(descriptors)

# --- with them ---

hostile 10000 12
began=$(cpu)
n=0 failed=0 most=0 late=0
while kill -0 "$(pid_of hostile)" 2>/dev/null; do
	n=$((n + 500))
	steady $((n + 1000)) 500
	failed=$((failed + 500 - resolved))
	late=$((late + slow))
	[ "$longest" -le "$most" ] || most=$longest
done
wait "$(pid_of hostile)"
check 'ten thousand' logged hostile 'all as it has to be'
cat "$work/hostile.log"
took=$(($(cpu) - began))
check "the main thread used $took ms for it" test "$took" -le 20000
equal "of $n questions meanwhile none is without an answer" 0 "$failed"
check "the longest took $most ms, $late over 100 ms" test "$most" -le "$busy"

# --- after them ---

began=$(milliseconds)
equal 'a page is there' 200 "$(curl -s -m 20 -o /dev/null -w '%{http_code}' http://127.0.0.1:6464/metrics)"
equal 'and control' pong "$(ctl ping)"
took=$(($(milliseconds) - began))
check "at once: $took ms" test "$took" -le "$(stretch 1000)"
sleep 1
grown=$(($(figure VmRSS) - memory))
# A sanitizer keeps what was freed.
if grep -q sanitizer "/proc/$(pid_of dns64d)/maps" || nm "$DNS64D" 2>/dev/null | grep -q __asan_init; then
	echo "memory: $grown kB more, with a sanitizer"
else
	check "memory is flat: $memory kB, $grown kB more" test "$grown" -le 2048
fi
# no_more: none is left? What a loop has at a moment comes and goes.
no_more()
{
	[ "$(descriptors)" -le "$open" ]
}
check "no more descriptors than before, $open" wait_for 20 no_more
check 'nothing of it is a warning' test -z "$(grep -E '^(error|warning) (control|server):' "$work/dns64d.log" | grep -v root)"

stop dns64d
equal 'exit status' 0 "$status"
finish
