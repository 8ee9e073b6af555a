#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# deadupstream: 200,000 different questions in flight at an upstream that says nothing: memory, SERVFAIL
# in time, and answers within a second of its return.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need taskset
[ "$(nproc)" -ge 2 ] || {
	echo "two CPUs are needed"
	exit 77
}

n=200000
start mute "$upstream" 5300 mute
configure 'nameserver 127.0.0.1 port 5300' 'num-threads 1' 'cache-size 0'
# The clients must not take the CPU from what they measure.
start dns64d taskset -c 0 "$DNS64D" -f -c "$work/dns64d.conf"
wait_for 5 serves 5364 || give_up "dns64d does not start"
status_file=/proc/$(pid_of dns64d)/status
echo "started: $(awk '/VmRSS/ { print $2 }' "$status_file") kB"

# Four clients, a socket and 50,000 IDs each
for client in 0 1 2 3; do
	start client$client taskset -c 1 "$wire" udp 127.0.0.1 5364 burst $((client * 65536)) $((n / 4)) dns64perf.test 8000
done
sleep 4
tell_statistics
in_flight=$(sed -n 's/.*stats: in flight \([0-9]*\).*/\1/p' "$work/dns64d.log" | tail -n 1)
echo "in flight after 4 s: $in_flight"
answers=0 slowest=0
for client in 0 1 2 3; do
	wait "$(pid_of client$client)"
	rm "$work/client$client.pid"
	cat "$work/client$client.log"
	read -r _ _ servfail _ ms _ <"$work/client$client.log"
	answers=$((answers + servfail))
	[ "$ms" -le "$slowest" ] || slowest=$ms
done
peak=$(awk '/VmHWM/ { print $2 }' "$status_file")
echo "at most: $peak kB, $((peak * 1024 / n)) octets for a question"
check 'all were in flight at a time' test "${in_flight:-0}" -ge $n
check 'less than 256 MB' test "$peak" -lt 250000
equal 'all end in SERVFAIL' $n $answers
check "in time ($slowest ms)" test "$slowest" -le 5500

stop mute
start fakedns "$fakedns" -l 127.0.0.1 -p 5300
returned=$(milliseconds)
"$wire" udp 127.0.0.1 5364 persist dns64perf.test 5000 >/dev/null
took=$(($(milliseconds) - returned))
check "answers $took ms after its return" test $took -le 1000
tell_statistics
grep 'stats:' "$work/dns64d.log" | tail -n 25 | grep -E 'dropped|exhausted|drops|in flight'
finish
