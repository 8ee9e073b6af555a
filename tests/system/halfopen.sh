#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# halfopen: upstreams that are half-open. "silent": TC over UDP, and TCP that is accepted, or answers some
# questions, and then says nothing. "gone": a machine that answers over TCP and vanishes, without a FIN, and comes
# back. Nobody waits longer than a question lives; beside a good one nobody fails; then it is as before. Figures are
# told. (half-open)
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need ip nsenter

# What a busy machine adds to a time, in ms.
least_busy=${HALFOPEN_MS:-1000} busy=$least_busy
watch_noise
modes='random round-robin in-order fastest'

# back WHAT MS: does it answer within MS, and all from then on as if nothing had been?
back()
{
	took=$("$wire" udp ::1 5364 persist dns64perf.test 20000)
	check "$1: answers ${took:-never} ms after the return" test "${took:-99999}" -le $(($2 + busy))
	sleep 1
	steady 60000 200
	check "$1: normal a second later ($told)" test "$resolved" -eq 200 -a "$longest" -le "$busy"
}

# --- TC over UDP, and TCP says nothing ---

for n in 0 7; do
	start bad "$upstream" 5300 silent $n
	anew 'nameserver 127.0.0.1 port 5300'
	steady 1 200
	check "$n answers each connection, alone: an answer for each question ($told)" \
		test "$came" -eq 200 -a "$longest" -le $((4500 + busy))
	check "$n answers each connection, alone: those" test "$resolved" -ge $n
	stop bad
	start_fakedns --ttl 300
	back "$n answers each connection, alone" 0
	stop fakedns
done
start_another good 127.0.0.1 5301
start bad "$upstream" 5300 silent 0
for mode in $modes; do
	anew 'nameserver 127.0.0.1 port 5300' 'nameserver 127.0.0.1 port 5301' "selection-mode $mode"
	steady 1 300
	# TCP that was never measured is waited for as long as that: 400 ms.
	check "beside a good one, $mode: all ($told)" test "$resolved" -eq 300 -a "$longest" -le $((400 + busy))
done
stop bad

# --- gone without a word ---

start far unshare --net sleep 900
far=$(pid_of far)
in_far()
{
	nsenter --target "$far" --net "$@"
}

# ready: has the machine a network of its own?
# shellcheck disable=SC2317 # wait_for calls it
ready()
{
	[ "$(readlink "/proc/$far/ns/net")" != "$(readlink /proc/$$/ns/net)" ]
}
wait_for 10 ready || give_up 'no second network'
ip link add near0 type veth peer name far0 || give_up 'no link'
ip link set far0 netns "$far" || give_up 'no link'
ip address add 192.0.2.1/24 dev near0
ip link set near0 up
in_far ip address add 192.0.2.2/24 dev far0
in_far ip link set far0 up
# Else the kernel would notice that nobody is there.
ip neighbour replace 192.0.2.2 dev near0 nud permanent \
	lladdr "$(in_far ip -o link show far0 | sed 's/.*ether \([^ ]*\).*/\1/')"
distant()
{
	start distant nsenter --target "$far" --net "$fakedns" -l 192.0.2.2 -p 5300 --truncate 100
	wait_for 60 "$wire" tcp 192.0.2.2 5300 pause 0 || give_up 'fakedns does not start'
}

# vanish, return_as_new: packets to it are lost, and so are its own; its connections are of another life then
vanish()
{
	in_far ip address del 192.0.2.2/24 dev far0
}
return_as_new()
{
	stop distant
	in_far ip address add 192.0.2.2/24 dev far0
	distant
}

distant
anew 'nameserver 192.0.2.2 port 5300'
steady 1 100
check "before, alone ($told)" test "$resolved" -eq 100
tell_statistics
check 'over TCP' test "$(statistic upstream_tcp)" -ge 100
vanish
steady 201 200
check "gone, alone: SERVFAIL for all in their time ($told)" test "$came" -eq 200 -a "$resolved" -eq 0 -a "$longest" -le $((4500 + busy))
steady 501 100
check "and sooner when it is known ($told)" test "$came" -eq 100 -a "$resolved" -eq 0 -a "$longest" -le $((1000 + busy))
in_far ip address add 192.0.2.2/24 dev far0
back 'gone, alone' 1000
vanish
steady 801 100
return_as_new
back 'gone and started anew, alone' 1000
for mode in $modes; do
	anew 'nameserver 192.0.2.2 port 5300' 'nameserver 127.0.0.1 port 5301' "selection-mode $mode"
	steady 1 100
	check "before, $mode ($told)" test "$resolved" -eq 100
	vanish
	steady 201 200
	check "gone, $mode: all resolved ($told)" test "$resolved" -eq 200 -a "$longest" -le $((400 + busy))
	return_as_new
	back "gone, $mode" 0
done
stop dns64d
equal 'SIGTERM: exit status' 0 "$status"
finish
