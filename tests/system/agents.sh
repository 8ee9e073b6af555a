#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# agents: testers in namespaces of their own, with clocks of their own, ask one server together. What
# they count must add up to the question, and what fails on one is told by its name, not as the server's.
# limit: 900
# shellcheck disable=SC2317 # functions are called by check and wait_for
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need python3 ip nsenter unshare
dns64bench=$TOP_BUILDDIR/dns64bench
[ -x "$dns64bench" ] || {
	echo "no $dns64bench"
	exit 77
}
echo 'the secret of this test' >"$work/secret"
echo 'the secret of another one' >"$work/other-secret"

# --- The machines ---

# machine N SECONDS: namespaces with the address 198.18.N.2, of which this one is 198.18.N.1; its clock
# is so much later than ours
machine()
{
	start "machine$1" unshare -n -T --boottime "$2" --fork --kill-child sleep 900
	# unshare(1) waits; its child is in all the namespaces.
	wait_for 20 child_of "machine$1" || exit 77
	ip link add "m$1" type veth peer name far netns "$(child_of "machine$1")" || exit 77
	{
		ip addr add "198.18.$1.1/24" dev "m$1" && ip link set "m$1" up && on "$1" ip link set lo up &&
			on "$1" ip addr add "198.18.$1.2/24" dev far && on "$1" ip link set far up &&
			on "$1" ip route add default via "198.18.$1.1"
	} || give_up 'no network'
}

child_of()
{
	child_pid=$(cat "/proc/$(pid_of "$1")/task/$(pid_of "$1")/children")
	[ -n "$child_pid" ] && [ "$(cat "/proc/${child_pid% }/comm")" = sleep ] && echo "${child_pid% }"
}

# on N COMMAND...: there
on()
{
	on_machine=$1
	shift
	nsenter -t "$(child_of "machine$on_machine")" -n -T "$@"
}

# agent N: start it there
agent()
{
	agent_pid=$(child_of "machine$1")
	start "agent$1" nsenter -t "$agent_pid" -n -T "$dns64bench" agent -l "198.18.$1.2" --secret "$work/secret"
	wait_for 20 logged "agent$1" 'listens on' || give_up "agent $1 does not start"
}

machine 1 100000
machine 2 7000
agent 1
agent 2
agents=198.18.1.2,198.18.2.2
start fakedns "$fakedns" -l 0.0.0.0 -p 5300 --aaaa 100
wait_for 60 serves 5300 || give_up 'fakedns does not start'

# --- Asking ---

# The address 198.51.100.1 is ours: both have their own way to it.
ip addr add 198.51.100.1/32 dev lo || give_up 'no address'

# together METHOD ARGUMENT...: by both, the exit code to $status, what it prints to $work/out and
# $work/err; and if it ran at all, $work/run.json. The timeout is long: pauses of a busy machine that
# are shorter than a tenth of it are no faults of anybody.
together()
{
	begin_together "$@"
	end_together
}

begin_together()
{
	rm -f "$work/run.json"
	together_method=$1
	shift
	timeout 300 "$dns64bench" "$together_method" -s 198.51.100.1 -p 5300 --aaaa 100 --timeout 30 --agents "$agents" \
		--secret "$work/secret" --json "$work/run.json" "$@" >"$work/out" 2>"$work/err" &
	controller=$!
}

end_together()
{
	wait "$controller"
	status=$?
}

# of_agents COLUMN: what their table has there, in a line
of_agents()
{
	python3 - "$work/run.json" "$1" <<-'END'
		import json, sys
		run = json.load(open(sys.argv[1]))
		table = [t for t in run["tables"] if t["name"] == "agents"][0]
		at = [c["name"] for c in table["columns"]].index(sys.argv[2])
		print(*[row[at] for row in table["rows"]])
	END
}

# failed: why it did, a reason in a line
failed()
{
	python3 -c 'import json, sys
print(*json.load(open(sys.argv[1]))["failed"], sep="\n")' "$work/run.json"
}

# good: everything was fine, except perhaps that this machine had no time to send at the pace
good()
{
	[ "$status" = 0 ] && return
	failed
	[ "$status" = 1 ] && ! failed | grep -qv 'the pace was not kept'
}

# no_fault_of_server: everything was fine, except perhaps that this machine had no time to ask
no_fault_of_server()
{
	[ "$status" = 0 ] && return
	failed
	[ "$status" = 1 ] && ! failed | grep -qvE 'the tester is the limit|--low failed'
}

# rows TABLE: how many it has there
rows()
{
	python3 - "$work/run.json" "$1" <<-'END'
		import json, sys
		run = json.load(open(sys.argv[1]))
		print(sum(len(t["rows"]) for t in run["tables"] if t["name"] == sys.argv[2]))
	END
}

# clocks: do they differ from ours as they were told to, as far as they say themselves that they know?
clocks()
{
	python3 - "$(of_agents clock_offset)" "$(of_agents clock_unsure)" <<-'END'
		import sys
		offset, unsure = [[float(v) for v in a.split()] for a in sys.argv[1:]]
		print("clocks", offset, "+-", unsure, "us")
		sys.exit(not all(abs(o - s * 1e6) <= u + 1 for o, s, u in zip(offset, (100000, 7000), unsure)))
	END
}

# Packets that have come from both agents so far.
packets()
{
	awk '$1 ~ /^m[12]:/ { n += $3 } END { print n }' /proc/net/dev
}

# asked N: have they sent more than N packets since $before?
asked()
{
	[ "$(packets)" -gt $((before + $1)) ]
}

# shared WHAT: both had the same number of answers, but for one question of each trial, and some: where the tester
# was no limit those of several trials
shared()
{
	least=500
	[ "$status" = 0 ] || least=100
	shares=$(of_agents valid)
	check "$1: the same share of all trials ($shares)" test $((${shares% *} - ${shares#* })) -lt 40
	check "$1: the same share of all trials ($shares)" test $((${shares#* } - ${shares% *})) -lt 40
	check "$1: there are some ($shares)" test "${shares% *}" -gt $least
}

# --- Together ---

together rate -r 2000 -d 3
check "both: a good run ($status)" good
equal "both: sent" 6000 "$(found sent)"
equal "both: valid" 6000 "$(found valid)"
equal "both: each its share" '3000 3000' "$(of_agents sent)"
equal "both: each got its answers" '3000 3000' "$(of_agents valid)"
check "both: their clocks are known" clocks
check "both: RTT of all" grep -q '^ *100.000 ' "$work/out"
stop fakedns
# Before, each asked for one name, the controller for the version, and 16 samples of the names and 4 others.
check "both: what the server counts" logged fakedns 'questions 6023, answers 6023,'
start fakedns "$fakedns" -l 0.0.0.0 -p 5300 --aaaa 100
wait_for 60 serves 5300 || give_up 'fakedns does not start'

together rate -r 2000 -n 3001 --transport tcp -t 2 --sources 3 --hits 50 --hot 100 --popularity zipf:0.9
check "over TCP, two threads each: a good run ($status)" good
equal "over TCP, two threads each: valid" 3001 "$(found valid)"
equal "over TCP, two threads each: each its share" '1501 1500' "$(of_agents valid)"
# Six connections each, and one to get ready.
equal "over TCP, two threads each: connections" 12 "$(found connections)"

together sweep --rates 500,1000 --repetitions 2 -d 0.5
check "sweep: no fault but the tester's ($status)" no_fault_of_server
# A trial that the machine had no time for was done once more.
shared sweep

together search --low 500 --high 1000 --resolution 50 -d 0.5 --repetitions 2
check "search: no fault but the tester's ($status)" no_fault_of_server
shared search

together matrix --hits 0,50 --hot 20 --low 500 --high 1000 --resolution 50 -d 0.5 --repetitions 1
check "matrix: no fault but the tester's ($status)" no_fault_of_server
equal "matrix: cells" 2 "$(rows matrix)"
shared matrix

# The server has no loops, but is there all the same.
together scale --restart true --loops 1,2 --low 500 --high 1000 --resolution 50 -d 0.5 --repetitions 1
check "scale: no fault but the tester's ($status)" no_fault_of_server
equal "scale: numbers of loops" 2 "$(rows scale)"
shared scale

together soak -r 1000 -d 3 --interval 1
check "soak: a good run ($status)" good
equal "soak: sent" 3000 "$(found sent)"
equal "soak: valid" 3000 "$(found valid)"
equal "soak: each its share" '1500 1500' "$(of_agents valid)"
check "soak: rows" test "$(rows soak)" -ge 3

together rate -r 1000 -n 1000
cp "$work/run.json" "$work/first.json"
together rate -r 1000 -n 1000
"$dns64bench" compare "a=$work/first.json" "b=$work/run.json" >"$work/out" 2>&1
equal "compare: exit code" 0 $?

# --- Addresses of their own ---

# Both have the local route, and we the way back.
for i in 1 2; do
	on $i ip route add local "10.64.$i.0/24" dev lo || give_up 'no local route'
	ip route add "10.64.$i.0/24" via "198.18.$i.2" || give_up 'no route'
done
clients='--clients-from 10.64.1.0/24 --clients-from 10.64.2.0/24'
# shellcheck disable=SC2086 # words
together rate -r 1000 -n 600 --sources 4 $clients
check "networks: a good run ($status)" good
equal "networks: valid" 600 "$(found valid)"
# It asked from there: without the way back nothing comes.
ip route del 10.64.2.0/24 via 198.18.2.2
ip route add blackhole 10.64.2.0/24
# shellcheck disable=SC2086 # words
together rate -r 1000 -n 600 --sources 4 --timeout 1 $clients
equal "networks: without the way back" 'agent 198.18.2.2: the server does not answer' "$(failed)"
on 2 ip route del local 10.64.2.0/24 dev lo
# shellcheck disable=SC2086 # words
together rate -r 1000 -n 600 --sources 4 $clients
equal "networks: not local" "agent 198.18.2.2: answers to 10.64.2.0/24 would not come to this machine; root \
makes it so by: ip route add local 10.64.2.0/24 dev lo" "$(failed)"

# --- What they cannot do ---

# refused METHOD WORDS ARGUMENT...: at once, with these words
refused()
{
	refused_method=$1
	refused_words=$2
	shift 2
	timeout 20 "$dns64bench" "$refused_method" --agents "$agents" --secret "$work/secret" "$@" >"$work/out" 2>&1
	equal "refused, $refused_method $*: exit code" 2 $?
	check "refused, $refused_method $*: told" grep -q -- "$refused_words" "$work/out"
}
refused closed '--agents: says nothing to closed, but to rate, search, soak, matrix, sweep, scale' -s ::1
refused enum '--agents: says nothing to enum, but to rate' -s ::1 --numbers 1000-2000
refused compare '--agents: says nothing to compare, but to rate' "$work/run.json" "$work/first.json"
refused report '--agents: says nothing to report, but to rate' "$work/run.json" --output "$work/page.html"
refused agent '--agents: says nothing to agent, but to rate'
refused rate '--replay: not with --agents: one tester' -s ::1 -r 1000 --replay "$work/run.json"
refused soak '--raw: says nothing to soak, but to rate' -s ::1 -r 1000 --raw "$work/raw"
refused rate '--raw: not with --agents: one tester' -s ::1 -r 1000 --raw "$work/raw"
refused rate '--clients-from: 1 networks cannot be shared by 2 agents' -s 192.0.2.1 -r 1000 \
	--clients-from 10.64.1.0/24
refused soak '--agents: their threads are more than' -s ::1 -r 1

# --- One fails ---

before=$(packets)
begin_together rate -r 1000 -d 60 --timeout 10
wait_for 60 asked 1500
# More than a tenth of the timeout, and less than it takes to be given up.
kill -STOP "$(pid_of agent2)"
sleep 2
kill -CONT "$(pid_of agent2)"
sleep 1
# timeout(1) sends it to its child, and then to the process group: that is one wish to end it, not two.
kill -INT "$controller"
end_together
cat "$work/err"
check "kept from running: there are results" test -s "$work/run.json"
echo "kept from running: pauses $(of_agents pauses), sent $(of_agents sent), lag $(of_agents lag_max) us"
# On a busy machine the two seconds may become five, and it is over.
if grep -q 'agent 198.18.2.2: no sign of life' "$work/err"; then
	equal "kept from running: exit code" 1 "$status"
else
	equal "kept from running: exit code" 3 "$status"
	check "kept from running: told by its name" \
		grep -q 'agent 198.18.2.2: it was kept from running' "$work/err"
fi

# An agent that is stopped does not tell what it has done; nobody has to wait for that who wishes twice.
before=$(packets)
begin_together rate -r 1000 -d 60
wait_for 60 asked 1500
kill -STOP "$(pid_of agent2)"
child=$(cat "/proc/$controller/task/$controller/children")
kill -INT "$child"
sleep 1
begun=$(milliseconds)
kill -INT "$child"
end_together
took=$(($(milliseconds) - begun))
kill -CONT "$(pid_of agent2)"
equal "two wishes: exit code" 3 "$status"
check "two wishes: it ends at once ($took ms)" test "$took" -lt 1500
check "two wishes: without results" test ! -e "$work/run.json"

# In a long load what was due meanwhile is taken out, and told.
before=$(packets)
begin_together soak -r 1000 -d 8 --interval 1 --timeout 10
wait_for 60 asked 1500
kill -STOP "$(pid_of agent2)"
sleep 2
kill -CONT "$(pid_of agent2)"
end_together
cat "$work/err"
if failed | grep -q 'agent 198.18.2.2: no sign of life'; then
	equal "soak, kept from running: exit code" 1 "$status"
else
	check "soak, kept from running: a good run ($status)" good
	check "soak, kept from running: told" \
		expr "$(found 'agent 198.18.2.2')" : 'kept from running [1-9].* questions taken out$'
	equal "soak, kept from running: all are accounted for" 8000 "$(($(found sent) + $(found 'taken out')))"
fi

before=$(packets)
begin_together soak -r 1000 -d 60 --interval 1
wait_for 60 asked 1500
kill -KILL "$(pid_of agent2)"
wait "$(pid_of agent2)"
killed=$(milliseconds)
end_together
took=$(($(milliseconds) - killed))
equal "soak, killed: exit code" 1 "$status"
failed >"$work/why"
equal "soak, killed: one reason" 1 "$(wc -l <"$work/why")"
check "soak, killed: it is the tester's" \
	grep -qx 'the tester failed, not the server: agent 198.18.2.2: the connection was .*' "$work/why"
check "soak, killed: the run ends ($took ms)" test "$took" -lt 20000
agent 2

before=$(packets)
begin_together rate -r 1000 -d 60
wait_for 60 asked 1500
kill -KILL "$(pid_of agent2)"
wait "$(pid_of agent2)"
killed=$(milliseconds)
end_together
took=$(($(milliseconds) - killed))
equal "killed: exit code" 1 "$status"
failed >"$work/why"
equal "killed: one reason" 1 "$(wc -l <"$work/why")"
check "killed: it is the tester's" \
	grep -qx 'the tester failed, not the server: agent 198.18.2.2: the connection was .*' "$work/why"
equal "killed: the other one lost nothing" 0 "$(found lost)"
check "killed: the run ends ($took ms)" test "$took" -lt 20000
equal "killed: spoilt" '0 1' "$(of_agents spoilt)"

together rate -r 1000 -n 100
equal "absent: exit code" 1 "$status"
equal "absent: told" 'agent 198.18.2.2: Connection refused' "$(failed)"
agent 2

# The cable is drawn: nobody says that a connection has ended.
before=$(packets)
begin_together rate -r 1000 -d 60
wait_for 60 asked 1500
ip link set m2 down
end_together
ip link set m2 up
equal "no cable: exit code" 1 "$status"
equal "no cable: told" 'the tester failed, not the server: agent 198.18.2.2: no sign of life for 5 s' "$(failed)"
equal "no cable: the other one lost nothing" 0 "$(found lost)"

# It has seen by itself that its controller is gone.
again()
{
	together rate -r 1000 -n 100
	[ -f "$work/run.json" ] && good
}
check "no cable: it serves again" wait_for 3 again

# --- The controller goes ---

for signal in INT KILL; do
	before=$(packets)
	begin_together rate -r 1000 -d 60
	wait_for 60 asked 1500
	kill -$signal "$(cat "/proc/$controller/task/$controller/children")"
	begun=$(milliseconds)
	end_together
	took=$(($(milliseconds) - begun))
	check "$signal: it ends ($took ms)" test "$took" -lt 2000
	sleep 1
	before=$(packets)
	sleep 1
	check "$signal: so do the agents" test "$(($(packets) - before))" -lt 100
done
check "KILL: told" wait_for 20 logged agent1 'gone in the middle of a trial'

# --- Who must not ---

# While one is served another one is told so, and the first one does not mind.
before=$(packets)
begin_together rate -r 1000 -d 3
wait_for 60 asked 500
timeout 60 "$dns64bench" rate -s 198.51.100.1 -p 5300 -r 1000 -n 100 --agents 198.18.1.2 --secret "$work/secret" \
	>"$work/second" 2>&1
equal "two testers: the second one's exit code" 1 $?
check "two testers: told" grep -q 'agent 198.18.1.2: it serves another controller' "$work/second"
end_together
check "two testers: a good run of the first one ($status)" good
equal "two testers: valid" 3000 "$(found valid)"

for who in other-secret none; do
	secret="--secret $work/$who"
	[ $who != none ] || secret=
	# shellcheck disable=SC2086 # two words
	timeout 60 "$dns64bench" rate -s 198.51.100.1 -p 5300 -r 1000 -n 100 --agents 198.18.1.2 $secret >"$work/out" 2>&1
	equal "$who: exit code" 1 $?
done
check "another secret: told there" logged agent1 'refused: the secrets differ'
check "no secret: told" grep -q 'agent 198.18.1.2: it wants a secret' "$work/out"
python3 - <<-'END'
	import socket
	for junk in b"GET / HTTP/1.1\r\n\r\n", b"\x7f\xff\xff\xff" + bytes(100000), b"\0\0\0\4{}{}", b"\0\0":
	    s = socket.create_connection(("198.18.1.2", 6465), 20)
	    try:
	        s.sendall(junk)
	        s.shutdown(socket.SHUT_WR)
	        while s.recv(4096):
	            pass
	    except OSError:
	        pass
	    s.close()
END
# One of another version; then many who say nothing, or a byte now and then.
cat >"$work/crowd.py" <<-'END'
	import json, socket, struct, time
	old = json.dumps({"program": "dns64bench 0.0.1", "format": 1, "number": 64 * "0"}).encode()
	time.sleep(2)
	s = socket.create_connection(("198.18.1.2", 6465), 20)
	s.sendall(struct.pack("!I", len(old)) + old)
	while s.recv(4096):
	    pass
	crowd = [socket.create_connection(("198.18.1.2", 6465), 20) for i in range(100)]
	print("here", flush=True)
	begin = time.time()
	while time.time() < begin + 100:
	    for c in crowd[:]:
	        try:
	            c.sendall(b"\0")
	        except OSError:
	            crowd.remove(c)
	    while len(crowd) < 120:
	        try:
	            crowd.append(socket.create_connection(("198.18.1.2", 6465), 20))
	        except OSError:
	            break
	    time.sleep(0.1)
END
start crowd python3 "$work/crowd.py"
check "in a crowd: it is there" wait_for 20 logged crowd here
together rate -r 1000 -n 1000
check "in a crowd: a good run ($status)" good
equal "in a crowd: valid" 1000 "$(found valid)"
# One line in a while is about guests: the crowd comes until one is about it.
check "in a crowd: told" wait_for 30 logged agent1 'others came, and it had not said who it is'
stop crowd
check "another version: told" logged agent1 'versions differ: dns64bench 0.0.1 (exchange 1) there'
check "in a crowd: the log is short" test "$(wc -c <"$work/agent1.log")" -lt 20000

together rate -r 1000 -n 1000
check "after garbage: a good run ($status)" good
equal "after garbage: valid" 1000 "$(found valid)"
memory=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$(pid_of agent1)/status")
check "after garbage: memory ($memory KiB)" test "$memory" -lt 100000

stop agent1
equal "an agent ends: exit code" 0 "$status"
finish
