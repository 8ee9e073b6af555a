#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# memory: what dns64d, without a cache, holds after 100,000 and after 2,000,000 questions for ever new
# names.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need dnsperf

# resident FIELD: kilobytes; VmRSS now, VmHWM at most
resident()
{
	awk -v field="$1:" '$1 == field { print $2 }' "/proc/$(pid_of dns64d)/status"
}

# put FIRST COUNT: these lines of the file, each once
put()
{
	tail -n "+$1" "$work/questions" | head -n "$2" >"$work/part"
	dnsperf -s 127.0.0.1 -p 5364 -d "$work/part" -n 1 -c 20 -q 500 -t 2 >"$work/dnsperf.out" 2>&1
	check "$2 questions answered" grep -q "NOERROR $2 (100.00%)" "$work/dnsperf.out"
}

questions 2000000 >"$work/questions"
start_fakedns --ttl 300
configure 'nameserver 127.0.0.1 port 5300' "num-threads ${LOOPS:-1}" 'cache-size 0'
start_dns64d
echo "started: $(resident VmRSS) kB"
put 1 100000
early=$(resident VmRSS)
echo "after 100,000 questions: $early kB"
n=100001
while [ $n -lt 2000000 ]; do
	put $n 475000
	n=$((n + 475000))
	echo "after $((n - 1)): $(resident VmRSS) kB"
done
late=$(resident VmRSS)
echo "grown by $((late - early)) kB; at most $(resident VmHWM) kB"
check 'no growth' test $((late - early)) -le 256
finish
