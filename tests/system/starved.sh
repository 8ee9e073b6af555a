#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# starved: loops that get no CPU. A process of real-time priority has one CPU of two: loops go elsewhere, as
# none is bound to a CPU unless cpu-affinity says so.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need dnsperf python3
python3 -c 'import os, sys
cpus = os.sched_getaffinity(0)
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
sys.exit(len(cpus) < 2)' 2>/dev/null || {
	echo 'it takes two CPUs, and real-time priority'
	exit 77
}

# hog SECONDS: it ends by itself, as nothing else on its CPU could end it
hog()
{
	start hog timeout -s KILL $(($1 + 10)) python3 -c 'import os, sys, time
cpus = sorted(os.sched_getaffinity(0))
os.sched_setaffinity(0, cpus[:1])
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    pass' "$1"
}

# slow: 200 questions a second for 4 s, from 16 ports, so that each loop has some: how many of 100 answers
# took over 200 ms, or did not come
slow()
{
	dnsperf -v -s 127.0.0.1 -p 5364 -d "$work/questions" -c 16 -Q 200 -l 4 -t 5 >"$work/dnsperf.out" 2>&1
	awk '/^> / { n++; slow += $2 != "NOERROR" || $NF > 0.2 } END { print (n < 700 ? 100 : int(slow * 100 / n)) }' \
		"$work/dnsperf.out"
}

start_fakedns --ttl 300
configure 'nameserver 127.0.0.1 port 5300' 'num-threads 2'
start_dns64d
questions 20000 >"$work/questions"
hog 5
sleep 0.2
percent=$(slow)
wait "$(pid_of hog)"
rm "$work/hog.pid"
check "one CPU of two is taken: $percent % of the answers are late" test "$percent" -lt 15
stop dns64d
equal 'exit status' 0 "$status"

finish
