#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# segments: runs of datagrams that leave as one message each (UDP_SEGMENT, io/udp_slot), to upstreams and to clients, and
# that are received so (UDP_GRO, io/udp_pieces): that they do; that nothing is lost on a kernel that does not know them, by a way that is too narrow, where a send fails
# in the middle, where ICMP refuses a run, under loss, over a reload. Figures are told.
# (EIO, EINVAL, EMSGSIZE, ENOPROTOOPT)
. "${TOP_SRCDIR:-.}/tests/system/faulty.sh"

watch_noise
first=0

# begin_with LINE...: dns64d anew, with the faults, and with these lines
begin_with()
{
	[ ! -f "$work/dns64d.pid" ] || end
	fault clear
	[ -z "${kernel_lacks:-}" ] || fault set "$kernel_lacks" 0 1000000 ENOPROTOOPT
	configure 'num-threads 1' 'cache-size 0' 'max-waiting-per-client 0' "control-socket $control" 'stop-timeout 1' "$@"
	begin
	starts || give_up 'dns64d does not start'
}

counter()
{
	"$TOP_BUILDDIR/dns64ctl" -s "$control" stats | awk -v name="$1" '$1 == name { n = $2 } END { print n + 0 }'
}

# together_once N [WORD...]: N questions, of one client, wait for the daemon when it wakes; a fault is set before that
together_once()
{
	n=$1
	shift
	late=$(counter client_late) silent=$(counter upstream_timeouts)
	runs=$(counter send_runs) segments=$(counter send_segments) lost=$(counter send_failed)
	kill -STOP "$(pid_of dns64d)"
	[ $# -eq 0 ] || fault set "$@"
	"$wire" udp "${at:-::1}" 5364 burst $first "$n" dns64perf.test 6000 >"$work/answers" &
	asker=$!
	first=$((first + n))
	sleep 0.1
	kill -CONT "$(pid_of dns64d)"
	wait $asker
	hits=$(fault hits)
	fault clear
	found=$(cat "$work/answers")
	late=$(($(counter client_late) - late)) silent=$(($(counter upstream_timeouts) - silent))
	runs=$(($(counter send_runs) - runs)) segments=$(($(counter send_segments) - segments))
	lost=$(($(counter send_failed) - lost))
}

# together WHAT N [WORD...]: likewise, and all are answered. A machine that stands still for half a second makes them
# too old to be read (RULES D32), but not each time.
together()
{
	what=$1
	shift
	together_once "$@"
	for again in 2 3 4; do
		[ "$late" -gt 0 ] || break
		echo "$late waited for too long, so it is done again: $again"
		together_once "$@"
	done
	check "$what: all are answered ($found; $segments datagrams in $runs runs, $hits faults, $silent timeouts)" \
		test "${found%%SERVFAIL*}" = "$n answers, 0 "
	equal "$what: none is given up" 0 "$lost"
}

# --- a kernel that knows runs ---

start_fakedns --ttl 300
begin_with 'nameserver 127.0.0.1 port 5300'
logged dns64d 'system calls limited' && echo 'with the sandbox'
together 'runs' 256
# Questions for AAAA, then for A, then answers: three times 256 datagrams.
check 'runs: most leave by them' test "$segments" -ge 512
check 'runs: of many datagrams each' test $((runs * 12)) -le "$segments"
equal 'runs: no timeout' 0 "$silent"
# Names of several lengths at once: what does not exist is NXDOMAIN.
set --
for length in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	name=$(printf "%0${length}d" 0)
	for other in a b c; do
		set -- "$@" ask $length "$other$name.dns64perf.test" AAAA
	done
done
equal 'lengths: all are answered' 60 "$("$wire" udp ::1 5364 "$@" get 60 5000 | grep -c ' 3 0$')"
begin_with 'nameserver 127.0.0.1 port 5300' 'outgoing-ports each'
together 'a port each' 100
begin_with 'nameserver 127.0.0.1 port 5300' 'listen :: port 5364' 'listen 0.0.0.0 port 5364'
for at in 127.0.0.7 ::1; do
	together "wildcard, asked at $at" 100
	check "wildcard, asked at $at: by runs" test "$runs" -gt 0
done
at=

# --- what fails in the middle ---

for errno in EIO EINVAL EMSGSIZE; do
	begin_with 'nameserver 127.0.0.1 port 5300'
	kind=send_runs_$(echo $errno | tr '[:upper:]' '[:lower:]')
	together "$errno" 256 sendmmsg 0 1 $errno
	equal "$errno: refused" 1 "$(counter "$kind")"
	# Those to the client go on, those to the upstream do not for a minute.
	together "$errno, after that" 256
	check "$errno, after that: no questions by runs, but answers ($segments)" \
		test "$segments" -gt 128 -a "$segments" -le 256
done
begin_with 'nameserver 127.0.0.1 port 5300'
for errno in EAGAIN ENOBUFS EPERM; do
	together "$errno for each second send" 256 sendmmsg 0 1000000 $errno 2 1
	# An answer that is let out neither at once nor a little later is given up (RULES D27).
	[ $errno = EPERM ] || together "$errno for three sends of four" 256 sendmmsg 0 1000000 $errno 4 3
done
{
	sleep 0.05
	kill -HUP "$(pid_of dns64d)"
} &
together 'a reload' 256
begin_with 'nameserver 127.0.0.1 port 5300'
together 'a kernel without runs' 256 setsockopt 0 1000000 ENOPROTOOPT
equal 'a kernel without runs: it gets none' 0 "$segments"
together 'a kernel without runs, asked once' 64
equal 'a kernel without runs, asked once: it gets none' 0 "$segments"

# --- runs in both directions ---

# fakedns answers a run by runs. The tester sends runs; each name is asked for once, so each question goes upstream.
both_ways()
{
	"$TOP_BUILDDIR/dns64bench" closed --clients 4 --window 250 -d 2 -s 127.0.0.1 -p 5364 --prefix $prefix \
		--json "$work/run.json" >"$work/bench.out" 2>&1
	check "$1: all answers of the tester are right" test $? -eq 0
}

begin_with 'nameserver 127.0.0.1 port 5300'
before=$("$fault" "$file" calls recvmmsg)
both_ways 'runs both ways'
calls=$(($("$fault" "$file" calls recvmmsg) - before)) questions=$(counter client_udp)
check "runs both ways: few calls ($calls) receive $questions questions and their replies" \
	test "$questions" -gt 1000 -a $((calls * 8)) -lt "$questions"
kernel_lacks=setsockopt_udp
begin_with 'nameserver 127.0.0.1 port 5300'
both_ways 'a kernel that knows no runs at all'
equal 'a kernel that knows no runs at all: it gets none' 0 "$(counter send_segments)"
check 'a kernel that knows no runs at all: nothing is said of it' \
	test "$(grep -c 'error\|warning' "$work/dns64d.log")" -eq 0
together 'a kernel that knows no runs at all' 256
kernel_lacks=

# --- ways ---

# Nobody is at the first port: ICMP refuses a run, and all its questions go on.
begin_with 'nameserver 127.0.0.1 port 5301' 'nameserver 127.0.0.1 port 5300' 'selection-mode round-robin'
together 'ICMP' 256
check "ICMP: it came ($(counter upstream_refused))" test "$(counter upstream_refused)" -gt 0
equal 'ICMP: no timeout' 0 "$silent"
# A way that takes no answer whole: what the kernel itself says of runs that are too long.
begin_with 'nameserver 127.0.0.1 port 5300'
ip link set lo mtu 90
at=127.0.0.1 together 'an MTU of 90' 200
ip link set lo mtu 65536
check "an MTU of 90: runs are refused ($(counter send_runs_einval), $(counter send_runs_emsgsize))" \
	test $(($(counter send_runs_einval) + $(counter send_runs_emsgsize))) -gt 0
own_addresses ::1/128 2>/dev/null
stop fakedns
start_fakedns --ttl 300 --loss 30 --seed 1
begin_with 'nameserver 127.0.0.1 port 5300'
together 'a third is lost' 256
end
equal 'SIGTERM: exit status' 0 "$status"
finish
