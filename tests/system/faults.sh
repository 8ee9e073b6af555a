#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# faults: calls of the system and of libc fail (faults.c), each at its n-th time, while dns64d starts
# and while it serves; storms of them; clocks that jump, a stop of ten seconds, no more memory. It
# ends with a message or goes on, and serves again once they are over. Figures are told.
# (EMFILE, ENOBUFS, EAGAIN, clocks-jump, SIGSTOP, memory-limit)
# limit: 900
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
fault=$TOP_BUILDDIR/tests/system/fault
preload=$work/faults.so
cp "$TOP_BUILDDIR/tests/system/faults.so" "$preload" && chmod 755 "$preload" || exit 99
grep -q '^#define INSTRUMENTED' "$TOP_BUILDDIR/config.h" && {
	echo 'a build with sanitizers has its own malloc'
	exit 77
}

mkdir -m 777 "$work/state" || exit 99
file=$work/state/faults
"$fault" "$file" new || exit 99
settings()
{
	configure 'nameserver 127.0.0.1 port 5300' 'num-threads 1' 'cache-size 1m' 'max-queries 256' \
		'max-tcp-clients 64' "cache-file $work/state/cache" "control-socket $control" \
		'stop-timeout 1' "$@"
}

fault()
{
	"$fault" "$file" "$@"
}

begin()
{
	start dns64d env FAULTS="$file" LD_PRELOAD="$preload" "$DNS64D" -f -c "$work/dns64d.conf"
}

# asked TYPE: is a new name answered within a second?
n_names=0
asked()
{
	n_names=$((n_names + 1))
	new=$(printf '010-%03d-%03d-%03d.dns64perf.test' $((n_names / 65536)) $((n_names / 256 % 256)) $((n_names % 256)))
	[ "$("$wire" udp ::1 5364 ask 1 "$new" "$1" get 1 "${2:-1000}" 2>/dev/null)" = '1 0 1' ]
}

asked_by_tcp()
{
	n_names=$((n_names + 1))
	new=$(printf '010-%03d-%03d-%03d.dns64perf.test' $((n_names / 65536)) $((n_names / 256 % 256)) $((n_names % 256)))
	[ "$("$wire" tcp ::1 5364 ask 1 "$new" A get 1 "${1:-1000}" 2>/dev/null)" = '1 0 1' ]
}

alive()
{
	# A zombie is not.
	case $(sed -n 's/^State:[[:space:]]*//p' "/proc/$(pid_of dns64d)/status" 2>/dev/null) in
	'' | Z*) return 1 ;;
	esac
}

# starts: does it serve (0), or has it ended with a message (1)? 2: neither
starts()
{
	tries=0
	while [ $tries -lt 400 ]; do
		tries=$((tries + 1))
		if ! alive; then
			wait "$(pid_of dns64d)"
			status=$?
			rm -f "$work/dns64d.pid"
			[ $status -ge 1 ] && [ $status -le 3 ] && grep -q "error\|no memory" "$work/dns64d.log" && return 1
			# The C library ends a thread's process itself if a library's data for it find no memory.
			[ $status -eq 127 ] && grep -q 'thread-local data: ABORT' "$work/dns64d.log" && return 1
			return 2
		fi
		if logged dns64d 'server: sandbox' && asked A 500; then
			return 0
		fi
		sleep 0.02
	done
	return 2
}

end()
{
	pid=$(pid_of dns64d)
	kill -TERM "$pid"
	wait "$pid"
	status=$?
	rm -f "$work/dns64d.pid"
}

errno_of()
{
	case $1 in
	malloc | calloc | realloc | aligned_alloc | epoll_ctl | listen) echo ENOMEM ;;
	socket | accept4 | open | epoll_create1 | eventfd | signalfd) echo EMFILE ;;
	send* | recv* | setsockopt) echo ENOBUFS ;;
	bind) echo EACCES ;;
	connect) echo ENETUNREACH ;;
	pthread_create) echo EAGAIN ;;
	epoll_wait) echo EINTR ;;
	write | writev | rename) echo ENOSPC ;;
	*) echo EIO ;;
	esac
}

watch_noise
start_fakedns --ttl 300

# --- at the start ---

settings
fault clear
begin
starts
end
check 'it starts and ends without a fault' test $status -eq 0
total=0 went_on=0
for call in $(fault list); do
	"$fault" "$file" new
	begin
	starts
	n=$(fault calls "$call")
	end
	bad=0 at=0
	step=$((n / 50 + 1))
	while [ $at -lt "$n" ]; do
		fault set "$call" $at 1 "$(errno_of "$call")"
		begin
		starts
		case $? in
		0)
			went_on=$((went_on + 1))
			fault clear
			end
			[ $status -eq 0 ] || { bad=$((bad + 1)); echo "$call $at: served, then ended with $status"; }
			;;
		1) ;;
		*)
			bad=$((bad + 1))
			echo "$call $at: ended with $status, or does nothing"
			sed 's/^/  /' "$work/dns64d.log"
			[ ! -f "$work/dns64d.pid" ] || { kill -KILL "$(pid_of dns64d)"; wait "$(pid_of dns64d)"; }
			;;
		esac
		total=$((total + 1))
		at=$((at + step))
	done
	check "start: $call fails, at each of $n times (every $step.)" test $bad -eq 0
done
fault clear
check "start: $total faults, of which $went_on let it go on" test $total -gt 100

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

size=$(awk '{ print $1 * 4 }' "/proc/$(pid_of dns64d)/statm")
end
equal 'it ends well' 0 $status
settings
start dns64d sh -c "ulimit -v $((size + 1024)) && exec env FAULTS=$file LD_PRELOAD=$preload $DNS64D -f -c $work/dns64d.conf"
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
