#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bench-faults: whose fault it is that a trial of dns64bench is not good. The tester stands still, others send to its
# ports, its server stands still: over UDP and TCP. The server is fakedns, which answers everything right and has room
# for all: it is never to blame but where it stands still itself. A busy machine may make any run the tester's.
# limit: 400
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need python3
dns64bench=$TOP_BUILDDIR/dns64bench
[ -x "$dns64bench" ] || {
	echo "no $dns64bench"
	exit 77
}

# begin ARGUMENT...: dns64bench in the background; it asks when this returns
begin()
{
	rm -f "$work/run.json"
	start bench "$dns64bench" "$@" --json "$work/run.json"
	wait_for 60 asking 14B4
}

# asking PORT: are there sockets, connected and not closed since, whose other end is that port (hexadecimal)?
asking()
{
	asking_n=$(cat /proc/net/udp /proc/net/tcp | awk -v port=":$1" '$3 ~ port "$" && $4 == "01" { n++ } END { print n + 0 }')
	[ "$asking_n" -ge 16 ]
}

# end: wait for it; its exit code to $status
end()
{
	wait "$(pid_of bench)"
	status=$?
	rm -f "$work/bench.pid"
}

# stand_still NAME TIMES STOPPED RUNNING: it is stopped so often, for so long and then runs, in seconds
stand_still()
{
	still_pid=$(pid_of "$1") still_times=$2
	while [ "$still_times" -gt 0 ] && kill -STOP "$still_pid" 2>/dev/null; do
		sleep "$3"
		kill -CONT "$still_pid" 2>/dev/null
		sleep "$4"
		still_times=$((still_times - 1))
	done
}

# blamed: whom the run's reasons blame: nobody, tester, server, or both
blamed()
{
	python3 - "$work/run.json" <<-'END'
		import json, re, sys
		run = json.load(open(sys.argv[1]))
		tester = re.compile("the tester |the pace |[0-9]+ questions could not be sent|no question could be sent|"
		                    "[0-9]+ replies were dropped by this machine|self-test")
		who = sorted({"tester" if tester.match(r) else "server" for r in run["failed"]})
		print(*who or ["nobody"])
	END
}

# not_the_server WHAT
not_the_server()
{
	not_blamed=$(blamed)
	check "$1: not the server's fault ($not_blamed)" test "$not_blamed" != server
	case $not_blamed in *server*) sed -n 's/^FAILED: /  &/p' "$work/bench.log" ;; esac
	check "$1: the exit code agrees" test "$status" = "$([ "$not_blamed" = nobody ] && echo 0 || echo 1)"
}

# verdicts: of all trials, each once
verdicts()
{
	python3 - "$work/run.json" <<-'END'
		import json, sys
		table = [t for t in json.load(open(sys.argv[1]))["tables"] if t["name"] == "trials"][0]
		at = [c["name"] for c in table["columns"]].index("verdict")
		print(*sorted({row[at] for row in table["rows"]}))
	END
}

start_fakedns --aaaa 100
for transport in udp tcp; do
	to="-s 127.0.0.1 -p 5300 --aaaa 100 --transport $transport"
	[ $transport = udp ] || to="$to --window 4096"

	# --- The tester stands still ---

	# Four times for 35 ms, less than a pause: what is overdue is spread.
	# shellcheck disable=SC2086 # words
	begin rate $to -r 12000 -d 4 --timeout 1
	stand_still bench 4 0.035 0.3
	end
	not_the_server "$transport: stopped 4 x 35 ms"
	# 128 at once, and twice what is due in a millisecond: a default buffer holds 277. A connection loses nothing, and
	# what waited for its server may leave at once.
	[ $transport = tcp ] ||
		check "udp: stopped 4 x 35 ms: no crowd ($(found 'largest burst'))" test "$(found 'largest burst')" -lt 277
	check "$transport: stopped 4 x 35 ms: it is told ($(found 'late at once'))" test "$(found 'late at once')" -ge 100

	# For 200 ms: the questions of that time are taken out, 5 % of these.
	# shellcheck disable=SC2086
	begin rate $to -r 2000 -d 4 --timeout 1
	stand_still bench 1 0.2 0
	end
	not_the_server "$transport: stopped 200 ms"
	check "$transport: stopped 200 ms: taken out" test "$(found 'taken out')" -ge 200
	check "$transport: stopped 200 ms: the reason" logged bench '^FAILED: the tester was kept from running: '

	# For most of the time.
	# shellcheck disable=SC2086
	begin rate $to -r 2000 -d 4 --timeout 1
	stand_still bench 20 0.2 0.08
	end
	not_the_server "$transport: stopped 0.2 of 0.28 s"
	equal "$transport: stopped 0.2 of 0.28 s: exit code" 1 $status
	check "$transport: stopped 0.2 of 0.28 s: the reason" logged bench '^FAILED: the tester was kept from running: '

	begin closed -s 127.0.0.1 -p 5300 --aaaa 100 --transport $transport --clients 16 -d 4 --timeout 0.05
	stand_still bench 12 0.4 0.08
	end
	not_the_server "$transport: clients, stopped 0.4 of 0.48 s"
	equal "$transport: clients, stopped 0.4 of 0.48 s: exit code" 1 $status
	check "$transport: clients, stopped 0.4 of 0.48 s: the reason" logged bench \
		'^FAILED: the tester was kept from running for '

	# A search repeats such trials, and none is the server's.
	# shellcheck disable=SC2086
	begin search $to --low 2000 --high 2000 --repetitions 1 -d 0.5 --timeout 1
	stand_still bench 12 0.2 0.08
	end
	check "$transport: a search, stopped: no trial failed ($(verdicts))" test "$(verdicts | grep -c failed)" = 0
	not_the_server "$transport: a search, stopped"

	# --- The server stands still, for longer than the timeout ---

	# shellcheck disable=SC2086
	begin rate $to -r 1000 -d 3 --timeout 0.3
	stand_still fakedns 2 0.7 0.3
	end
	equal "$transport: the server stopped: exit code" 1 $status
	check "$transport: the server stopped: answers are late" test "$(($(found late) + $(found lost)))" -ge 100
	check "$transport: the server stopped: its fault" logged bench 'questions got no valid answer in time'
done

# --- Others send to the tester's ports ---

# Datagrams of four kinds, N of each to the ports of whoever asks port 5300: from another port, and as if they were the
# server's: a question, rubbish, and a reply to nothing.
cat >"$work/foreign" <<'END'
import socket, struct, sys, time

def ports():
	lines = [l.split() for l in open("/proc/net/udp")][1:]
	return [int(l[1].split(":")[1], 16) for l in lines if l[2].endswith(":14B4")]

def spoofed(raw, port, payload):
	raw.sendto(struct.pack("!HHHH", 5300, port, 8 + len(payload), 0) + payload, ("127.0.0.1", 0))

n, to = int(sys.argv[1]), ports()
plain = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_UDP)
reply = struct.pack("!HHHHHH", 1, 0x8180, 1, 0, 0, 0) + b"\x03foo\x04test\x00\x00\x1c\x00\x01"
asked = struct.pack("!HHHHHH", 1, 0x0100, 1, 0, 0, 0) + b"\x03foo\x04test\x00\x00\x1c\x00\x01"
for i in range(n):
	port = to[i % len(to)]
	plain.sendto(reply, ("127.0.0.1", port))
	spoofed(raw, port, asked)
	spoofed(raw, port, b"rubbish")
	spoofed(raw, port, reply)
	time.sleep(0.001)
END

# foreign N: a run to which others send N of each kind
foreign()
{
	begin rate -s 127.0.0.1 -p 5300 --aaaa 100 -r 2000 -d 4 --timeout 1
	python3 "$work/foreign" "$1" >"$work/foreign.log" 2>&1
	end
}

# told_kinds N: each kind was counted
told_kinds()
{
	for told_kind in "from elsewhere" "no reply" malformed stray; do
		equal "$1 foreign datagrams of each kind: $told_kind" "$1" "$(found "$told_kind")"
	done
}

foreign 2
not_the_server "few foreign datagrams"
told_kinds 2
check "few foreign datagrams: no reason" test "$(grep -c '^FAILED: the tester was disturbed' "$work/bench.log")" = 0
foreign 100
not_the_server "many foreign datagrams"
told_kinds 100
check "many foreign datagrams: the reason" logged bench '^FAILED: the tester was disturbed: 400 datagrams'

finish
