#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# starved: loops that get no CPU. A process of real-time priority has one CPU of two: loops go elsewhere, as
# none is bound to a CPU unless cpu-affinity says so. A loop that stands still is told of, and neither a reload
# nor a change nor a stop waits for it without end. (RULES D31)
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need dnsperf python3 curl
web=http://127.0.0.1:6464
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

# hold LOOP: it stands still, as under a process that never leaves its CPU, until "stop holder"
hold()
{
	for task in "/proc/$(pid_of dns64d)/task"/*; do
		grep -qx "dns64d/$1" "$task/comm" && held=${task##*/}
	done
	start holder python3 -u -c 'import ctypes, os, sys
ptrace = ctypes.CDLL(None, use_errno=True).ptrace
tid, SEIZE, INTERRUPT, WALL = int(sys.argv[1]), 0x4206, 0x4207, 0x40000000
if ptrace(SEIZE, tid, None, None) < 0 or ptrace(INTERRUPT, tid, None, None) < 0:
    sys.exit("not permitted")
os.waitpid(tid, WALL)
print("held")
os.waitpid(tid, WALL) # its end, which the process could not end without' "$held"
	wait_for 60 logged holder held || give_up 'a thread cannot be held'
}

# took FROM MOST WHAT: since FROM, in ms, no more than MOST have passed
took()
{
	took=$(($(milliseconds) - $1))
	check "$3 ($took ms)" test "$took" -lt "$(stretch "$2")"
}

# page PATH: the code, then what is there
page()
{
	curl -s -m 20 -w '\n%{http_code}' "$web$1" | tr -d '\n' | sed 's/\(.*\)\(...\)$/\2 \1/'
}

# configured LINE...
configured()
{
	configure 'nameserver 127.0.0.1 port 5300' 'num-threads 2' "control-socket $control" 'web-listen 127.0.0.1' \
		'stop-timeout 1' "$@"
}

watch_noise
start_fakedns --ttl 300
configured
start_dns64d
questions 20000 >"$work/questions"
hog 5
sleep 0.2
percent=$(slow)
wait "$(pid_of hog)"
rm "$work/hog.pid"
check "one CPU of two is taken: $percent % of the answers are late" test "$percent" -lt 15

# --- a loop that stands still ---

reason='1 of 2 loops do not go round'
hold 1
check 'it is noticed' wait_for 60 is "503 not ready: $reason" page /health
check 'ready' is "503 { \"error\": \"$reason\"}" page /ready
check 'status' is "not ready: $reason" ctl status
check 'metrics' is 'dns64d_loops_stuck 1' page /metrics
check 'log' wait_for 10 logged dns64d "server: not ready: $reason"
began=$(milliseconds)
ctl prefix add 2001:db8:65::/96 >"$work/said"
equal 'a change: exit code' 1 $?
check 'which says what it is' is 'made, but not all loops have taken it' cat "$work/said"
took "$began" 9000 'it does not wait'
began=$(milliseconds)
ctl reload >"$work/said"
equal 'a reload: exit code' 1 $?
check 'which loop it was' is 'dns64d/1 has not taken the change before: it does not go round' cat "$work/said"
took "$began" 16000 'nor does that wait'
check 'and it was refused' is 'dns64d_config_last_reload_successful 0' page /metrics
stop holder
check 'it goes round again' wait_for 60 is '200 degraded: the last reload was refused' page /health
ctl reload >/dev/null
equal 'a reload then' 0 $?

# --- one that stands still with a reload ---

hold 0
configured 'dns64-prefix 2001:db8:66::/96'
began=$(milliseconds)
ctl reload >"$work/said"
equal 'a reload: exit code' 1 $?
took "$began" 10000 'it does not wait'
check 'which loop it was' is 'reload: dns64d/0 has not taken it: it does not go round' cat "$work/said"
check 'status' is 'reload      not all loops have taken it' ctl status
check 'the verdict' wait_for 60 is "503 not ready: $reason; not all loops have taken the last reload" page /health
check 'metrics' is 'dns64d_config_last_reload_successful 0' page /metrics
stop holder
check 'until it goes round' wait_for 60 logged dns64d 'config: reload: all loops have taken it now'
check 'status' wait_for 60 is 'reload      done' ctl status
check 'ready' wait_for 60 is '200 ready' page /ready
check 'metrics' is 'dns64d_config_last_reload_successful 1' page /metrics

# --- an order that ends meanwhile ---

ctl deny 127.0.0.9 for 4 >/dev/null
equal 'a denial: exit code' 0 $?
hold 1
ctl prefix add 2001:db8:67::/96 >"$work/said"
equal 'a change that one loop does not take: exit code' 1 $?
check 'the denial ends all the same' wait_for 60 logged dns64d 'deny 127.0.0.9/32: its time is over'
# switches: how often the main thread has gone to sleep so far
switches()
{
	awk '$1 == "voluntary_ctxt_switches:" { print $2 }' "/proc/$(pid_of dns64d)/status"
}
before=$(switches)
sleep 2
switched=$(($(switches) - before))
check "and the main thread is idle ($switched times awake in 2 s)" test "$switched" -lt 100
stop holder
check 'it goes round again' wait_for 60 is '200 ready' page /ready

# --- a stop ---

hold 1
began=$(milliseconds)
stop dns64d
equal 'exit status: not as it should' 3 "$status"
took "$began" 5000 'a stop does not wait'
check 'which loop it was' logged dns64d 'server: dns64d/1 did not end in time'
stop holder

finish
