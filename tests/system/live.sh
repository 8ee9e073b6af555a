#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# limit: 600
# live: what an operator does while the daemon runs, under load and over a reload: upstreams by hand, networks that
# are denied, the query log, questions in flight, what occurs most.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need kdig dnsperf curl python3
control=$work/state/control
mkdir -m 755 "$work/state" && chown "$usual" "$work/state" || exit 99

# exits CODE WORD...: the exit code of dns64ctl, what it prints goes to $work/said
exits()
{
	expected_code=$1
	shift
	ctl "$@" >"$work/said"
	equal "dns64ctl $*: exit code" "$expected_code" $?
}

# says TEXT: the last dns64ctl did
says()
{
	check "  and says: $1" is "$1" cat "$work/said"
}

settings()
{
	configure 'nameserver 127.0.0.1 port 5300' 'nameserver 127.0.0.2 port 5301' \
		"control-socket $control" 'cache-size 0' 'web-listen 127.0.0.1' "$@"
}

# sends ADDRESS#PORT: how many questions went to that upstream so far
sends()
{
	ctl --json upstreams | python3 -c 'import json, sys
for u in json.load(sys.stdin)["upstreams"]:
	if u["address"] == sys.argv[1]:
		print(u["sends"])' "$1"
}

# quiet ADDRESS#PORT: no question goes there any more, while others are answered
quiet()
{
	quiet_before=$(sends "$1")
	sleep 0.5
	[ "$(sends "$1")" = "$quiet_before" ]
}

# busy ADDRESS#PORT: questions go there
busy()
{
	busy_before=$(sends "$1")
	sleep 0.2
	[ "$(sends "$1")" -gt "$busy_before" ]
}

one=127.0.0.1#5300 two=127.0.0.2#5301
start_fakedns --ttl 0
start_another second 127.0.0.2 5301 --ttl 0
settings 'num-threads 2'
start_dns64d
questions 20000 >"$work/questions"

# load: until unharmed ends it, in the background
load()
{
	start load dnsperf -s ::1 -p 5364 -d "$work/questions" -l 1000 -Q 500 -c 20 -t 5
	wait_for 60 busy "$one"
}

# unharmed: end the load; and each question had a good answer
unharmed()
{
	stop load INT
	grep 'Queries\|Response codes' "$work/load.log"
	grep -q 'Queries lost: *0 ' "$work/load.log" && grep -q 'Response codes: *NOERROR [0-9]* (100.00%)' "$work/load.log"
}

# --- upstreams by hand ---

exits 2 upstream "$one"
exits 2 upstream
exits 1 upstream 192.0.2.77 drain
says 'there is no upstream 192.0.2.77; dns64ctl upstreams lists them'
exits 1 upstream "$one" away
says 'state is not up, drain or down; allowed: up, drain, down'
exits 1 upstream "$(printf '%0300d' 0)" down

load
check 'both are asked' wait_for 60 busy "$two"
exits 0 upstream "$one" drain
says "$one: drain by operator (dns64ctl upstream), until changed or a restart"
check 'drained: it gets no more questions' quiet "$one"
check 'and the other one does' busy "$two"
check 'upstreams tells of it' is 'drain by operator, for 0m ' ctl upstreams
check 'status too' is "$one drain by operator" ctl status
check 'and explain' is "$one drain by operator" ctl explain 010-000-000-001.dns64perf.test
check 'and the metrics' is "dns64d_upstream_by_operator{upstream=\"$one\",state=\"drain\"} 1" \
	curl -s http://127.0.0.1:6464/metrics
check 'it is ready' is ready sh -c 'curl -s http://127.0.0.1:6464/ready'
exits 0 reload
check 'a reload keeps it' quiet "$one"
exits 0 upstream 127.0.0.1 up
check 'up: it is asked again' wait_for 60 busy "$one"
exits 0 upstream "$two" down
check 'down: it gets no more questions' quiet "$two"
exits 0 upstream "$two" up
check 'and up again' wait_for 60 busy "$two"
check 'nobody has lost an answer by all that' unharmed

# The last one may be taken, too.
exits 0 upstream "$one" down
exits 0 upstream "$two" drain
says 'no upstream is left to be asked, all are drained or down by operator'
check 'then there are no answers' is SERVFAIL answer 010-000-000-001.dns64perf.test AAAA
exits 0 explain 010-000-000-001.dns64perf.test
says 'all upstreams are drained or down by operator (dns64ctl upstream)'
check 'and it is not ready' wait_for 60 is 'all upstreams are drained or down by operator' \
	curl -s http://127.0.0.1:6464/ready
exits 0 upstream "$two" up
check 'one is back: there are answers' is '2001:db8:64::a00:1' answer 010-000-000-001.dns64perf.test AAAA
# One that is configured no more is forgotten.
configure 'nameserver 127.0.0.2 port 5301' "control-socket $control" 'num-threads 2' 'cache-size 0'
exits 0 reload
says "upstream $one is configured no more: dns64ctl's down for it is forgotten"
settings 'num-threads 2'
exits 0 reload
load
check 'so that it is asked when it is configured again' wait_for 60 busy "$one"
check 'and all is well' unharmed

# --- networks ---

# asks ADDRESS WORD...: what a client there gets
asks()
{
	asks_from=$1
	shift
	server='127.0.0.1 5364' answer -b "$asks_from" "$@"
}

exits 2 deny 192.0.2.0/24 for
exits 2 deny 192.0.2.0/24 for -5
exits 1 deny 192.0.2.0/24 for 0
says 'for is not a number of seconds from 1 to 31536000'
exits 1 deny 192.0.2.1/24
says 'the network of that length is 192.0.2.0/24'
exits 1 deny nowhere
exits 1 undeny 192.0.2.0/24
exits 0 deny
says none
check 'before, it is served' is NOERROR asks 127.0.0.9 010-000-000-001.dns64perf.test AAAA
load
exits 0 deny 127.0.0.8/29
says 'deny 127.0.0.8/29: refused by operator (dns64ctl deny), until changed or a restart'
check 'denied, it is refused' is REFUSED asks 127.0.0.9 010-000-000-001.dns64perf.test AAAA
check 'and its neighbour is not' is NOERROR asks 127.0.0.17 010-000-000-001.dns64perf.test AAAA
exits 0 deny
says '127.0.0.8/29                                 refuse   until changed'
exits 0 explain 010-000-000-001.dns64perf.test client 127.0.0.9
says 'dns64ctl deny 127.0.0.8/29'
says 'reason      denied-operator, extended error 18'
check 'status tells of it' is 'denied      1 networks, by operator (dns64ctl deny)' ctl status
check 'and the metrics' is 'dns64d_denied_networks 1' curl -s http://127.0.0.1:6464/metrics
exits 0 reload
check 'a reload keeps it' is REFUSED asks 127.0.0.9 010-000-000-001.dns64perf.test AAAA
exits 0 undeny 127.0.0.8/29
check 'lifted, it is served' is NOERROR asks 127.0.0.9 010-000-000-001.dns64perf.test AAAA

# On an open connection: answered, refused, closed.
cat >"$work/open.py" <<'END'
import socket, subprocess, struct, sys
s = socket.create_connection(("127.0.0.1", 5364), 20, ("127.0.0.9", 0))
question = bytes.fromhex("000101000001000000000000") + b"\x0f010-000-000-001\x0bdns64perf\x04test\0".replace(
    b"\x0b", b"\x09") + struct.pack(">HH", 28, 1)
def asked():
    try:
        s.sendall(struct.pack(">H", len(question)) + question)
        n = s.recv(2, socket.MSG_WAITALL)
        if len(n) < 2:
            return "closed"
        return s.recv(struct.unpack(">H", n)[0], socket.MSG_WAITALL)[3] & 15
    except OSError:
        return "closed"
def ctl(*words):
    subprocess.run(sys.argv[1:] + list(words), check=True, stdout=subprocess.DEVNULL)
print(asked())
ctl("deny", "127.0.0.9")
print(asked())
ctl("deny", "127.0.0.9", "drop", "for", "2")
print(asked())
END
equal 'an open connection: answered, refused, closed' '0 5 closed' \
	"$(python3 "$work/open.py" "$TOP_BUILDDIR/dns64ctl" -s "$control" | xargs)"
check 'its time comes to an end' wait_for 60 logged dns64d 'deny 127.0.0.9/32: its time is over'
check 'and it is served' is NOERROR asks 127.0.0.9 010-000-000-001.dns64perf.test AAAA
check 'nobody else has lost an answer by all that' unharmed

# --- the query log ---

exits 1 querylog on
says 'there is no file to write to; the keyword query-log names one'
mkdir -m 755 "$work/logs" && chown "$usual" "$work/logs"
settings 'num-threads 2' "query-log $work/logs/q" 'query-log-select slow 60000'
stop dns64d
start_dns64d
exits 0 querylog
says "config, to $work/logs/q"
check 'nothing is slow' is NOERROR answer 010-000-000-001.dns64perf.test AAAA
sleep 0.3
equal 'so nothing is written' 0 "$(wc -c <"$work/logs/q")"
exits 1 querylog everything
exits 1 querylog on for 0
exits 0 querylog on for 2
says 'querylog on (dns64ctl querylog), for 2 s'
check 'on: each answer' is NOERROR answer 010-000-000-001.dns64perf.test AAAA
check 'is written' wait_for 60 grep -q '010-000-000-001.dns64perf.test' "$work/logs/q"
exits 0 reload
check 'a reload keeps it, until it is over' wait_for 60 logged dns64d 'querylog on: its time is over'
written=$(wc -c <"$work/logs/q")
check 'then' is NOERROR answer 010-000-000-002.dns64perf.test AAAA
sleep 0.3
equal 'nothing is written' "$written" "$(wc -c <"$work/logs/q")"
exits 0 querylog failures
exits 0 upstream "$one" down
exits 0 upstream "$two" down
check 'failures: this one' is SERVFAIL answer 010-000-000-003.dns64perf.test AAAA
check 'is written' wait_for 60 grep -q '010-000-000-003.dns64perf.test' "$work/logs/q"
exits 0 upstream "$one" up
exits 0 upstream "$two" up
check 'and this one' is NOERROR answer 010-000-000-004.dns64perf.test AAAA
sleep 0.3
equal 'is not' 0 "$(grep -c 010-000-000-004 "$work/logs/q")"
exits 0 querylog config

# --- what occurs most ---

# often N NAME: so many questions for it, as dnsperf reads them
often()
{
	yes "$2 AAAA" | head -n "$1"
}

# lines: columns 1, 2 and from 4 on of what was said, but for headings
lines()
{
	sed '1,2d' "$work/said" | awk '{ $3 = ""; print }' | tr -s ' '
}

exits 2 top everything
says 'top takes a number of lines, or clients, names or failures, not everything'
exits 2 top names 5 6
exits 1 top names many
says 'lines is not a number from 1 to 500'
exits 1 top clients 501
exits 0 top names
says 'counting begins'
says '0 answers counted in 1.'
exits 0 top failures
exits 0 top clients
a=010-000-001-001.dns64perf.test b=010-000-001-002.dns64perf.test c=010-000-001-003.dns64perf.test
{
	often 60 "$a"
	often 40 "$(echo "$a" | tr '[:lower:]' '[:upper:]')"
	often 10 "$b"
	often 1 "$c"
} >"$work/some"
dnsperf -s 127.0.0.1 -p 5364 -a 127.0.0.7 -d "$work/some" -n 1 -c 16 >"$work/some.log" 2>&1
equal 'answers of both loops' 111 \
	"$(ctl --json top names | python3 -c 'import json, sys; print(json.load(sys.stdin)["answers"])')"
exits 0 top names
equal 'names, of both loops, the most frequent first' "100 0 $a. 10 0 $b. 1 0 $c." "$(lines | xargs)"
exits 0 top names 1
equal 'so many lines' "100 0 $a." "$(lines | xargs)"
says 'each that is not listed: 10 at most'
exits 0 reload
check 'one more' is NOERROR answer "$b" AAAA
exits 0 top names 2
equal 'a reload keeps what was counted' "100 0 $a. 11 0 $b." "$(lines | xargs)"
exits 0 top clients 1
equal 'the client' '111 0 127.0.0.7' "$(lines | xargs)"
dnsperf -s ::1 -p 5364 -d "$work/some" -n 1 -c 16 >"$work/some.log" 2>&1
exits 0 top clients
says 'much of it from:'
says '%  ::/64'
exits 0 top failures
equal 'nothing failed' '' "$(lines)"
exits 0 upstream "$one" down
exits 0 upstream "$two" down
for name in "$a" "$a" "$b"; do
	check 'these fail' is SERVFAIL answer "$name" AAAA
done
exits 0 top failures
equal 'failures' "2 0 $a. SERVFAIL silent 1 0 $b. SERVFAIL silent" "$(lines | xargs)"
exits 0 upstream "$one" up
exits 0 upstream "$two" up

# --- what is in flight ---

start_another third 127.0.0.3 5302 --outage 1-100000 # over TCP, too
configure 'nameserver 127.0.0.3 port 5302' "control-socket $control" 'num-threads 2' 'cache-size 0'
stop dns64d
start_dns64d
exits 0 inflight
says '0 in flight'
exits 2 inflight all
start flood dnsperf -s 127.0.0.1 -p 5364 -d "$work/questions" -l 4 -Q 300 -c 20 -t 5
start asking "$wire" udp ::1 5364 ask 1 010-000-000-009.dns64perf.test AAAA get 1 9000
sleep 2
exits 0 inflight
says '  udp  010-'
says ' sends: 127.0.0.3#5302 '
lines=$(wc -l <"$work/said")
# How many wait depends on when the upstream is known to be down.
check "not more than there may be, and some ($lines)" test "$lines" -le 101 -a "$lines" -ge 10
equal 'the oldest first' '' "$(sed 1d "$work/said" | awk '$1 > before && NR > 1 { print } { before = $1 }')"
for i in 1 2 3 4; do
	ctl inflight >"$work/several.$i" 2>&1 &
	ctl top names >>"$work/several.top" 2>&1 || check 'top beside inflight is answered' false
	wait $!
	equal 'inflight beside top is answered' 0 $?
done
exits 0 reload
exits 0 inflight
wait "$(pid_of flood)" "$(pid_of asking)"
rm "$work/flood.pid" "$work/asking.pid"

finish
