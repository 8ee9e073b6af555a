#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# limit: 300
# live: what an operator does while the daemon runs: upstreams by hand, under load and over a reload.
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
start second "$fakedns" -l 127.0.0.2 -p 5301 --ttl 0
wait_for 60 resolves 127.0.0.2 5301 010-000-000-001.dns64perf.test A || give_up 'the second upstream does not start'
settings 'num-threads 2'
start_dns64d
questions 20000 >"$work/questions"

# load SECONDS: so long, in the background
load()
{
	start load dnsperf -s ::1 -p 5364 -d "$work/questions" -l "$1" -Q 2000 -c 20 -t 5
	wait_for 10 busy "$one"
}

# unharmed: the load ended, and each question had a good answer
unharmed()
{
	wait "$(pid_of load)"
	rm "$work/load.pid"
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

load 12
check 'both are asked' wait_for 10 busy "$two"
exits 0 upstream "$one" drain
says "$one: drain by operator (dns64ctl upstream), until told otherwise or a restart"
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
check 'up: it is asked again' wait_for 10 busy "$one"
exits 0 upstream "$two" down
check 'down: it gets no more questions' quiet "$two"
exits 0 upstream "$two" up
check 'and up again' wait_for 10 busy "$two"
check 'nobody has lost an answer by all that' unharmed

# The last one may be taken, too.
exits 0 upstream "$one" down
exits 0 upstream "$two" drain
says 'no upstream is left to be asked, all are drained or down by operator'
check 'then there are no answers' is SERVFAIL answer 010-000-000-001.dns64perf.test AAAA
exits 0 explain 010-000-000-001.dns64perf.test
says 'all upstreams are drained or down by operator (dns64ctl upstream)'
check 'and it is not ready' wait_for 10 is 'all upstreams are drained or down by operator' \
	curl -s http://127.0.0.1:6464/ready
exits 0 upstream "$two" up
check 'one is back: there are answers' is '2001:db8:64::a00:1' answer 010-000-000-001.dns64perf.test AAAA
# One that is configured no more is forgotten.
configure 'nameserver 127.0.0.2 port 5301' "control-socket $control" 'num-threads 2' 'cache-size 0'
exits 0 reload
says "upstream $one is configured no more: dns64ctl's down for it is forgotten"
settings 'num-threads 2'
exits 0 reload
load 2
check 'so that it is asked when it is configured again' wait_for 10 busy "$one"
check 'and all is well' unharmed

finish
