#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# wakeups: how many system calls an answer takes where nothing can share them, as faults.so counts them: one client that
# waits for one answer after another. No timer, eventfd or second look at an empty socket is among them. And batch-delay:
# a loop sleeps for the sake of many clients, never of few.
. "${TOP_SRCDIR:-.}/tests/system/faulty.sh"

start_fakedns --ttl 3600 --negative-ttl 3600

# begin_with LINE...
begin_with()
{
	configure 'nameserver 127.0.0.1 port 5300' 'num-threads 1' 'max-waiting-per-client 0' 'max-queries 4096' \
		'user root' "control-socket $control" 'stop-timeout 1' "$@"
	begin
	starts || give_up 'dns64d does not start'
}

counter()
{
	"$TOP_BUILDDIR/dns64ctl" -s "$control" stats | awk -v name="$1" '$1 == name { n = $2 } END { print n + 0 }'
}

# closed WORD...: for a second; answers in $answers
closed()
{
	"$TOP_BUILDDIR/dns64bench" closed -s 127.0.0.1 -p 5364 -d 1 --window 1 --prefix $prefix "$@" >"$work/bench.out" 2>&1
	answers=$(awk '/^valid / { print $2 }' "$work/bench.out")
	[ "${answers:-0}" -gt 0 ] || give_up "no answers: $(tail -n 3 "$work/bench.out")"
}

kinds='recvmmsg sendmmsg epoll_wait epoll_ctl setsockopt read write recvmsg sendmsg'

# at_most WHAT HUNDREDTHS-OF-A-CALL-BY-KIND... -- WORD...
at_most()
{
	scene=$1
	bounds=''
	shift
	while [ "$1" != -- ]; do
		bounds="$bounds $1"
		shift
	done
	shift
	for kind in $kinds; do
		fault calls "$kind"
	done >"$work/before"
	closed "$@"
	for kind in $kinds; do
		fault calls "$kind"
	done >"$work/after"
	# shellcheck disable=SC2086 # words
	printf '%s\n' $kinds | paste - "$work/before" "$work/after" | while read -r kind before after; do
		echo "$kind $(((after - before) * 100 / answers))"
	done >"$work/each"
	for bound in $bounds; do
		kind=${bound%=*}
		each=$(awk -v kind="$kind" '$1 == kind { print $2 }' "$work/each")
		check "$scene: $kind, $each in 100 answers, at most ${bound#*=}" test "$each" -le "${bound#*=}"
	done
}

# Two questions upstream and so three turns, each a wait, a read and a send; a port serves 64 questions. Timers and what
# is asked again add a little on a machine that is slow.
begin_with 'cache-size 0'
at_most cold recvmmsg=320 sendmmsg=320 epoll_wait=450 epoll_ctl=40 setsockopt=40 read=20 write=20 recvmsg=10 sendmsg=10 -- \
	--clients 1
end
begin_with 'cache-size 64m'
closed --clients 1 --hits 100 --hot 100
at_most hot recvmmsg=110 sendmmsg=110 epoll_wait=200 epoll_ctl=10 setsockopt=10 read=20 write=20 recvmsg=10 sendmsg=10 -- \
	--clients 1 --hits 100 --hot 100
end

begin_with 'cache-size 64m' 'batch-delay 1000'
closed --clients 64 --hits 100 --hot 100
check '64 clients are not delayed' test "$(counter gathered_turns)" -eq 0
closed --clients 250 --hits 100 --hot 100
slept=$(counter gathered_turns)
check "250 are ($slept turns of $answers answers)" test "$slept" -gt 0
end

begin_with 'cache-size 64m' 'batch-delay off'
closed --clients 250 --hits 100 --hot 100
check 'nor are they with batch-delay off' test "$(counter gathered_turns)" -eq 0
end
finish
