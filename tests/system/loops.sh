#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# loops: with num-threads 2 both loops serve, over UDP and TCP.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need dnsperf

start_fakedns --ttl 300
configure 'nameserver 127.0.0.1 port 5300' 'num-threads 2'
start_dns64d
questions 20000 >"$work/questions"

# ticks LOOP: CPU time of the loop so far, in clock ticks
ticks()
{
	for task in "/proc/$(pid_of dns64d)/task"/*; do
		grep -qx "dns64d/$1" "$task/comm" && awk '{ print $14 + $15 }' "$task/stat"
	done
}

for way in udp tcp; do
	before0=$(ticks 0) before1=$(ticks 1)
	dnsperf -m $way -s 127.0.0.1 -p 5364 -d "$work/questions" -c 40 -l 3 -t 20 >"$work/dnsperf.out" 2>&1
	lost=$(sed -n 's/.*Queries lost: *\([0-9]*\) .*/\1/p' "$work/dnsperf.out")
	tell_statistics
	late=$(n_late)
	check "$way: nothing is lost ($lost, $late too late)" test "$lost" -le "$late"
	check "$way: all NOERROR" grep -q 'Response codes: *NOERROR [0-9]* (100.00%)$' "$work/dnsperf.out"
	zero=$(($(ticks 0) - before0)) one=$(($(ticks 1) - before1))
	check "$way: both loops work ($zero and $one ticks)" test $((zero * 10)) -ge $one -a $((one * 10)) -ge $zero
	grep 'Queries per second' "$work/dnsperf.out"
done
stop dns64d
equal 'SIGTERM: exit status' 0 "$status"

finish
