#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# faults: calls of the system and of libc fail (faults.c), each at its n-th time, while dns64d serves; storms of
# them; clocks that jump, a stop of ten seconds, no more memory. It goes on, and serves again once they are over.
# faults-start.sh has those of its start. Figures are told.
# (EMFILE, ENOBUFS, EAGAIN, clocks-jump, SIGSTOP, memory-limit)
# limit: 900
. "${TOP_SRCDIR:-.}/tests/system/faulty.sh"

watch_noise
start_fakedns --ttl 300
settings
fault clear

# --- in service ---

# over N: have N reloads come to an end?
over()
{
	[ "$(grep -c 'reload: \(done\|failed\)' "$work/dns64d.log")" -ge "$1" ]
}

# round: questions by UDP and TCP, a command, a reload
n_rounds=0
round()
{
	n_rounds=$((n_rounds + 1))
	asked AAAA 200
	asked_by_tcp 200
	timeout 3 "$TOP_BUILDDIR/dns64ctl" -s "$control" cache save >/dev/null 2>&1
	timeout 3 "$TOP_BUILDDIR/dns64ctl" -s "$control" status >/dev/null 2>&1
	settings "listen 127.0.0.$((n_rounds % 2 + 2)) port 5364"
	kill -HUP "$(pid_of dns64d)"
	wait_for 5 over $n_rounds
	asked A 200
}

# asked_at_new: is what the last reload added served? It adds nothing if it failed, or could not be
# told to the loop.
asked_at_new()
{
	over "$n_rounds" || return 0
	case $(grep 'reload: \(done\|failed\)' "$work/dns64d.log" | tail -n 1) in
	*failed*) return 0 ;;
	esac
	[ "$("$wire" udp "127.0.0.$((n_rounds % 2 + 2))" 5364 ask 1 ipv4only.arpa A get 1 1000 2>/dev/null)" = '1 0 2' ]
}

begin
starts
total=0
for call in $(fault list); do
	"$fault" "$file" clear
	at=$(fault calls "$call")
	round
	n=$(($(fault calls "$call") - at))
	[ $n -gt 0 ] || continue
	bad=0 at=0
	step=$((n / 15 + 1))
	while [ $at -lt $n ]; do
		fault set "$call" $at 1 "$(errno_of "$call")"
		round
		total=$((total + $(fault hits)))
		fault clear
		if ! alive; then
			wait "$(pid_of dns64d)"
			echo "$call $at: ended with $?"
			cat "$work/dns64d.log"
			bad=$((bad + 1)) n_rounds=0
			begin
			starts
		fi
		wait_for 10 asked A || { bad=$((bad + 1)); echo "$call $at: no UDP"; }
		wait_for 10 asked_at_new || { bad=$((bad + 1)); echo "$call $at: not served where it is new"; }
		wait_for 10 asked_by_tcp || { bad=$((bad + 1)); echo "$call $at: no TCP"; }
		at=$((at + step))
	done
	check "service: $call fails, at each of $n times (every $step.)" test $bad -eq 0
done
check "service: $total faults, and it goes on" test $total -gt 60

# --- storms ---

ticks()
{
	awk '{ print $14 + $15 }' "/proc/$(pid_of dns64d)/stat"
}

# storm CALL ERRNO [MOST]: all of them fail for a second, while it is asked; then it serves as before. The
# CPU time tells whether it waits, MOST percent, or tries again and again, as it may where the kernel
# would not go on failing.
storm()
{
	most=${3:-100}
	before=$(ticks)
	began=$(milliseconds)
	fault set "$1" 0 1000000000 "$2"
	timeout 2 "$TOP_BUILDDIR/dns64ctl" -s "$control" status >/dev/null 2>&1 &
	kill -HUP "$(pid_of dns64d)"
	while [ $(($(milliseconds) - began)) -lt 1000 ]; do
		asked AAAA 50
		asked_by_tcp 50
	done
	hits=$(fault hits)
	used=$((($(ticks) - before) * (100000 / $(getconf CLK_TCK)) / ($(milliseconds) - began)))
	fault clear
	began=$(milliseconds)
	wait_for 10 asked AAAA
	wait_for 10 asked_by_tcp
	check "storm of $1 $2: goes on ($hits faults; $used % of a CPU; serves again after $(($(milliseconds) - began)) ms)" \
		test $(($(milliseconds) - began)) -lt "$(stretch 3000)" -a $used -le "$most"
}

storm accept4 EMFILE 30
storm accept4 ENOBUFS 30
# The loop, and the main thread for the control socket: at once again, as each is about another connection.
storm accept4 ECONNABORTED 220
storm socket EMFILE 30
storm socket ENOBUFS 30
storm connect ENETUNREACH 30
storm bind EACCES 30
storm sendmmsg EAGAIN 30
storm sendmmsg ENOBUFS 30
storm sendmmsg EPERM 30
storm recvmmsg ENOBUFS
storm recv ENOBUFS
storm sendmsg ENOBUFS
storm malloc ENOMEM
storm calloc ENOMEM
storm aligned_alloc ENOMEM
storm epoll_ctl ENOMEM
# The loop and the main thread, which nothing else keeps from asking again.
storm epoll_wait EINTR 220
storm setsockopt ENOBUFS
storm write EAGAIN
check 'it is still the same' alive

# --- a kernel that is short of room ---

# short ERRNO EVERY RUN: of each EVERY sends the first RUN fail, of answers and of questions upstream (RULES D27):
# all is answered, nobody waits for a timeout, and no upstream is blamed.
counter()
{
	"$TOP_BUILDDIR/dns64ctl" -s "$control" stats | awk -v name="$1" '$1 == name { print $2 }'
}

first=100000
# short_once ERROR EACH N: 400 questions, while N of EACH calls that send fail
short_once()
{
	lost=$(counter send_failed)
	silent=$(counter upstream_timeouts)
	fault set sendmmsg 0 1000000000 "$1" "$2" "$3"
	found=$("$wire" udp ::1 5364 steady $first 400 dns64perf.test 3000 400)
	hits=$(fault hits)
	fault clear
	first=$((first + 400))
	lost=$(($(counter send_failed) - lost))
	silent=$(($(counter upstream_timeouts) - silent))
}

short()
{
	short_once "$@"
	# A machine that stands still for 50 ms makes an upstream silent, too, but not each time. It gives up no answer.
	for again in 2 3 4; do
		if [ "$silent" -eq 0 ] || [ "$lost" -gt 0 ]; then break; fi
		echo "$1 for $3 of each $2 sends: $silent timeouts, so it is done again: $again"
		short_once "$@"
	done
	check "$1 for $3 of each $2 sends ($hits): $found" test "${found%%SERVFAIL*}" = '400 answers, 0 ' -a "$hits" -gt 40
	equal "$1: no answer is given up" 0 "$lost"
	equal "$1: no upstream is silent" 0 "$silent"
}

settings
kill -HUP "$(pid_of dns64d)"
wait_for 10 asked AAAA
short EAGAIN 10 1
short EAGAIN 23 5
short ENOBUFS 10 1
short ENOBUFS 23 5
short EPERM 10 1

# --- clocks ---

for jump in 86400 -86400 4000000000 -1000000000; do
	fault wall $jump
	began=$(milliseconds)
	check "the clock jumps by $jump s: UDP" asked AAAA 4000
	check "the clock jumps by $jump s: TCP ($(($(milliseconds) - began)) ms)" asked_by_tcp 4000
done
fault wall 0
kill -STOP "$(pid_of dns64d)"
sleep 10
kill -CONT "$(pid_of dns64d)"
began=$(milliseconds)
wait_for 10 asked AAAA
took=$(($(milliseconds) - began))
check "stopped for 10 s: serves again after $took ms" test $took -lt "$(stretch 1000)"

# --- no more memory ---

# No call is made to fail here: the kernel has no more.
end
equal 'it ends well' 0 $status
settings
start dns64d "$DNS64D" -f -c "$work/dns64d.conf"
starts
size=$(awk '{ print $1 * 4 }' "/proc/$(pid_of dns64d)/statm")
end
start dns64d sh -c "ulimit -v $((size + 1024)) && exec $DNS64D -f -c $work/dns64d.conf"
starts
check 'with a MiB more than it took: it starts' test $? -eq 0
for n in 1 2 3 4 5; do
	# More than what the first one has had at any time, and this one not yet; but hardly more than there is room for, as
	# each further one takes the time of a search for it.
	settings "$(awk 'BEGIN { for (i = 0; i < 500000; i++) print "never-synthesize z" i ".test" }')"
	kill -HUP "$(pid_of dns64d)"
	"$wire" tcp ::1 5364 crowd 200 10 >/dev/null 2>&1
	wait_for 60 over $n
done
check 'it has not been enough' logged dns64d 'reload: failed'
check 'it does not fill the log' test "$(grep -c 'no memory' "$work/dns64d.log")" -lt 600
check 'it goes on' alive
check 'it answers over UDP' wait_for 10 asked AAAA
check 'it answers over TCP' wait_for 10 asked_by_tcp
end
equal 'and ends well' 0 $status
finish
