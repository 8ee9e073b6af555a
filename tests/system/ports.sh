#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# ports: the source ports of questions, as an upstream sees them. With outgoing-ports each, every question leaves by
# another one; with a number, by so many at a time, which are replaced after 64 questions or two seconds. Never the
# same for two batches in a row, and no more sockets than there may be (rule 25). Figures are told.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"

control=$work/control

begin()
{
	[ ! -f "$work/dns64d.pid" ] || stop dns64d
	[ ! -f "$work/upstream.pid" ] || stop upstream
	# The ports into a file of their own: they are many.
	start upstream sh -c "exec \"$upstream\" 5300 $1 >\"$work/seen\""
	shift
	configure 'nameserver 127.0.0.1 port 5300' 'num-threads 1' 'cache-size 0' 'max-waiting-per-client 0' \
		"control-socket $control" "$@"
	start_dns64d
}

# steady FIRST N RATE: what is not NOERROR is shown
steady()
{
	"$wire" udp ::1 5364 steady "$1" "$2" dns64perf.test 10000 "$3"
}

# one_by_one: 100 questions, each when the one before has its answer; how many got it
one_by_one()
{
	one_n=0
	set --
	while [ $one_n -lt 100 ]; do
		one_n=$((one_n + 1))
		set -- "$@" ask $one_n "$one_n.test" A get 1 5000
	done
	"$wire" udp ::1 5364 "$@" | grep -c ' 0 1$'
}

# seen: the ports of the questions that the upstream got since it was last asked for, in turn
n_seen=0
seen()
{
	tail -n +$((n_seen + 1)) "$work/seen" >"$work/ports"
	n_seen=$(wc -l <"$work/seen")
	n=$(wc -l <"$work/ports")
	distinct=$(sort -u "$work/ports" | wc -l)
	repeated=$(uniq -d "$work/ports" | wc -l)
	low=$(sort -n "$work/ports" | head -n 1)
	told="$n questions, $distinct ports, $repeated the same as the one before, the lowest $low"
}

sockets()
{
	ss -Hun "dst 127.0.0.1 and dport = 5300" | wc -l
}

# few: are not many open?
# shellcheck disable=SC2317 # wait_for calls it
few()
{
	[ "$(sockets)" -le 16 ]
}

# late: what waited in the queue for half a second, as on a machine that is busy, is dropped unread (RULES D32)
late()
{
	"$TOP_BUILDDIR/dns64ctl" -s "$control" stats |
		awk '$1 == "client_late" || $1 == "socket_drops" { n += $2 } END { print n + 0 }'
}

# few_uses MOST FILE: does no port of FILE serve more than MOST questions, and none more than 64 before 33 others were
# used up? Of their 64 half may be lost on the way. A port that is drawn again later, as one in four runs sees, is
# another use of it: 500 questions lie between. One in 27 runs sees one that is drawn again sooner, so that two uses
# look like one; one in 100,000 sees three of them.
# shellcheck disable=SC2317 # check calls it
few_uses()
{
	awk -v most="$1" '
		NR - last[$1] > 500 { n[$1] = 0 }
		{ last[$1] = NR; n[$1]++ }
		n[$1] == 32 { used_up++ }
		n[$1] == most + 1 || n[$1] == 65 && used_up <= 33 { again++ }
		again > 2 || n[$1] > 2 * most {
			print "question " NR " is number " n[$1] " by port " $1 "; " used_up - 1 " others were used up"
			exit failed = 1
		}
		END { exit failed }' "$2"
}

# --- each ---

begin ports 'outgoing-ports each'
steady 1 500 200 >"$work/answers"
check "each: all are answered ($(cat "$work/answers"))" grep -q '^500 answers, 0 SERVFAIL' "$work/answers"
seen
# AAAA and A. Of 1,000 out of 64,512 about 8 are drawn twice.
check "each: each from another port ($told)" test "$n" -ge 1000 -a "$distinct" -ge 970 -a "$repeated" -le 1 -a "$low" -ge 1024
"$wire" udp ::1 5364 burst 1000 1000 dns64perf.test 10000 >"$work/answers"
read -r answered _ failed _ <"$work/answers"
late=$(late)
check "each: a burst is answered too ($(cat "$work/answers"); $late too late)" \
	test $((answered + late)) -eq 1000 -a "$failed" -eq 0 -a "$answered" -ge 300
seen
check "each: and in a burst ($told)" test "$distinct" -ge $((n * 95 / 100)) -a "$repeated" -le 1
check "each: what is not needed is closed ($(sockets))" wait_for 10 few

equal 'each: one by one all are answered' 100 "$(one_by_one)"
seen
check "each: never twice the same ($told)" test "$repeated" -eq 0
# Nothing is answered: all sockets stay open as long as they may.
begin mute 'outgoing-ports each'
before=$(find "/proc/$(pid_of dns64d)/fd" | wc -l)
"$wire" udp ::1 5364 burst 1 5000 dns64perf.test 200 >/dev/null 2>&1
open=$(sockets)
descriptors=$(find "/proc/$(pid_of dns64d)/fd" | wc -l)
# ss lists a socket twice that is replaced meanwhile, by another port.
check "each: 5,000 questions without a reply have $open sockets" test "$open" -gt 1000
check "each: and $((descriptors - before)) descriptors more than at first" test $((descriptors - before)) -le $((4096 + 16))
stop upstream
start_fakedns --ttl 300
check 'each: and then it is answered again' wait_for 20 "$wire" udp ::1 5364 persist dns64perf.test 5000
stop fakedns

# --- four ---

begin ports 'outgoing-ports 4'
n_seen=0
equal '4: all are answered' 100 "$(one_by_one)"
seen
check "4: four ports in turn ($told)" test "$n" -ge 100 -a "$distinct" -ge 4 -a "$distinct" -le 8 -a "$repeated" -eq 0
cp "$work/ports" "$work/first"
equal '4: they are open' 4 "$(sockets)"
sleep 2.1
equal '4: all are answered two seconds later' 100 "$(one_by_one)"
seen
common=$(sort -u "$work/ports" "$work/first" | wc -l)
check "4: by other ports ($told; $common with those before)" \
	test "$distinct" -ge 4 -a "$distinct" -le 8 -a "$common" -ge 8 -a "$repeated" -eq 0
# AAAA and A: 12,500 questions, if all are answered. More are asked again, as a machine that is busy kept replies back;
# such a round is played once more, twice at most.
n_round=0
while [ $n_round -lt 3 ]; do
	n_round=$((n_round + 1))
	check "4: few are open before round $n_round ($(sockets))" wait_for 10 few
	late_before=$(late)
	steady 1000 6250 2000 >"$work/answers" 2>/dev/null
	read -r answered _ failed _ <"$work/answers"
	late=$(($(late) - late_before))
	check "4: all are answered ($(cat "$work/answers"); $late too late)" \
		test $((answered + late)) -eq 6250 -a "$failed" -eq 0 -a "$answered" -ge 3000
	seen
	[ "$n" -ne $((2 * answered)) ] || break
done
if [ "$n" -eq $((2 * answered)) ]; then
	check "4: no port for more than 64 questions ($told)" few_uses 64 "$work/ports"
	check "4: by as many ports as that takes ($told)" test $((distinct * 66)) -ge "$n" -a "$distinct" -le 240
else
	# No round was calm. While more than 32 other sockets, which are used up, wait for their replies, one serves 512
	# (io/upstream_set; a loop that asks more than 20,000 a second, where it does so too, is not this one).
	check "4: 512 questions by a port only after 33 others with 64 ($told)" few_uses 512 "$work/ports"
	check "4: by as many ports as that takes ($told)" \
		test $((33 * 66 + (distinct - 33) * 512)) -ge "$n" -a "$distinct" -le 240
fi
check "4: few are open ($(sockets))" test "$(sockets)" -le 8
stop dns64d
equal 'SIGTERM: exit status' 0 "$status"
finish
