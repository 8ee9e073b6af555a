#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# revive: an upstream dies and comes back. SERVFAIL within the client's patience while it is dead, answers
# again within a second of its return; a second upstream takes over.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need kdig

second=5301

# took COMMAND...: run it; its milliseconds in $took
took()
{
	took_start=$(milliseconds)
	"$@" >"$work/took.out" 2>&1
	took=$(($(milliseconds) - took_start))
}

# ask_dead NAME: a question that cannot be answered
ask_dead()
{
	took answer "$1.dns64perf.test" AAAA
	equal "$1: SERVFAIL" 'SERVFAIL qr rd ra' "$(cat "$work/took.out")"
	# After 4.5 s (D5): scenarios say when to the ms; a busy machine is late.
	check "$1: within a question's time ($took ms)" test $took -le "$(stretch 9000)"
}

revived()
{
	took "$wire" udp ::1 5364 persist dns64perf.test 20000
	check "$1: answers $took ms after its return" test $took -le "$(stretch 4000)"
	equal "$1: at once from then on" '1 0 1' "$("$wire" udp ::1 5364 ask 1 010-002-002-002.dns64perf.test AAAA get 1 3000)"
}

watch_noise
configure 'nameserver 127.0.0.1 port 5300'
start_fakedns --ttl 300
start_dns64d
equal 'it answers' '1 0 1' "$("$wire" udp ::1 5364 ask 1 010-000-000-001.dns64perf.test AAAA get 1 3000)"

# quick: is a new name answered sooner than one upstream is given up?
quick()
{
	n=$((n + 1))
	took answer "010-000-004-$(printf %03d "$n").dns64perf.test" AAAA
	[ "$took" -le "$(stretch 200)" ]
}

# --- its port is closed: the kernel says so, by ICMP ---

stop fakedns
for n in 1 2; do
	ask_dead 010-000-001-00$n
done
start fakedns "$fakedns" -l 127.0.0.1 -p 5300
revived 'closed port'

# --- it takes everything and says nothing ---

stop fakedns
start mute "$upstream" 5300 mute
for n in 1 2 3; do
	ask_dead 010-000-002-00$n
done
tell_statistics
check 'it is marked down' test "$(statistic upstream_down)" -ge 1
check 'and probed' test "$(statistic upstream_probes)" -ge 1
stop mute
start fakedns "$fakedns" -l 127.0.0.1 -p 5300
revived 'silent upstream'

# --- a second one ---

stop dns64d
equal 'SIGTERM: exit status' 0 "$status"
start_another second 127.0.0.1 $second
for mode in in-order round-robin random; do
	configure 'nameserver 127.0.0.1 port 5300' "nameserver 127.0.0.1 port $second" "selection-mode $mode"
	start_dns64d
	stop fakedns
	start mute "$upstream" 5300 mute
	slowest=0
	for n in 1 2 3 4 5 6; do
		took answer "010-000-003-00$n.dns64perf.test" AAAA
		equal "$mode: the second answers" 'NOERROR qr rd ra' "$(head -n 1 "$work/took.out")"
		[ $took -le $slowest ] || slowest=$took
	done
	check "$mode: each after at most $slowest ms" test $slowest -le "$(stretch 4500)"
	stop mute
	start fakedns "$fakedns" -l 127.0.0.1 -p 5300
	n=0
	check "$mode: soon with both again" wait_for 20 quick
	stop dns64d
done

finish
