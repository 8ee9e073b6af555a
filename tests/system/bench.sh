#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bench: dns64bench asks real servers: fakedns alone, good and bad, and dns64d in front of it. What it
# counts must be so whatever else this machine does; how exactly it keeps time is not for here.
# limit: 900
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need python3 dnsperf ip
dns64bench=$TOP_BUILDDIR/dns64bench
[ -x "$dns64bench" ] || {
	echo "no $dns64bench"
	exit 77
}

# bench ARGUMENT...: run it, the exit code to $status, what it prints to $work/out and $work/err; and
# if it ran at all, $work/run.json
bench()
{
	rm -f "$work/run.json"
	timeout 300 "$dns64bench" "$@" >"$work/out" 2>"$work/err"
	status=$?
}

# report ARGUMENT...: the same for dns64bench-report
report()
{
	timeout 300 "$TOP_SRCDIR/src/bench/dns64bench-report" "$@" >"$work/out" 2>"$work/err"
	status=$?
}

# rate PORT ARGUMENT...: the same for a run of that method. The timeout is long: a busy machine is no
# fault of the server's.
rate()
{
	rate_port=$1
	shift
	bench rate -s 127.0.0.1 -p "$rate_port" --timeout 5 --json "$work/run.json" "$@"
}

# Everything was fine, except perhaps that the machine had no time to send at the pace.
good()
{
	[ "$status" = 0 ] && return
	[ "$status" = 1 ] && python3 - "$work/run.json" <<-'END'
		import json, sys
		reasons = json.load(open(sys.argv[1]))["failed"]
		others = [r for r in reasons if not r.startswith(("the pace was not kept", "the tester "))]
		print(*others, sep="\n")
		sys.exit(bool(others))
	END
}

# counts WHAT NAME=N...: a check of findings, and that each question is counted once
counts()
{
	counts_what=$1
	shift
	# Questions that were due while the machine had no time for the tester are taken out: all have the same end here.
	counts_out=$(found "taken out")
	for counts_pair; do
		counts_name=${counts_pair%=*} counts_want=${counts_pair#*=}
		case $counts_name in
		sent | valid | truncated | wrong\ * | no\ data)
			[ "$counts_want" = 0 ] || counts_want=$((counts_want - ${counts_out:-0})) ;;
		esac
		# A machine without time to keep the pace has not sent all, and the run says so.
		[ "$counts_name" != sent ] || ! grep -q 'the pace was not kept' "$work/run.json" ||
			counts_want=$(found sent)
		equal "$counts_what: $counts_name" "$counts_want" "$(found "$counts_name")"
	done
	counts_sum=0
	for counts_name in valid truncated "wrong rcode" "no data" "wrong data" late lost; do
		counts_sum=$((counts_sum + $(found "$counts_name")))
	done
	equal "$counts_what: each question has one end" "$(found sent)" $counts_sum
}

told()
{
	check "$1" grep -q -- "$2" "$work/$3"
}

# restart_fakedns OPTION...
restart_fakedns()
{
	[ ! -f "$work/fakedns.pid" ] || stop fakedns
	start_fakedns "$@"
}

# --- A good server ---

restart_fakedns
# Its upstream changes its mind about the same names.
configure 'nameserver 127.0.0.1 port 5300' 'cache-size 0'
start_dns64d

rate 5364 -r 2000 -n 4000 --prefix "$prefix" --csv "$work/run.csv" --raw "$work/raw.csv"
check "dns64d: a good run ($status)" good
counts "dns64d" sent=4000 valid=4000 duplicate=0 stray=0 "other question=0" malformed=0
told "dns64d: the text has the findings" '^ *valid  *4000' out
equal "--raw has a line for each question" 4000 "$(grep -c ',28,valid,[0-9]*$' "$work/raw.csv")"
equal "--raw has a head and nothing else" 4001 "$(wc -l <"$work/raw.csv")"
equal "--raw has each name once" 4000 "$(sed 1d "$work/raw.csv" | cut -d , -f 2 | sort -u | wc -l)"
check "--csv has a head" grep -q '^elapsed,asked,valid,wrong,overdue,rtt_p50,rtt_p99,rtt_max$' "$work/run.csv"
equal "--csv has rows with all questions" "$(found sent)" "$(awk -F , 'NR > 1 { n += $2 } END { print n }' "$work/run.csv")"
check "--json has the histogram" python3 - "$work/run.json" <<-'END'
	import json, sys
	run = json.load(open(sys.argv[1]))
	rtt, = (h for h in run["histograms"] if h["name"] == "rtt")
	valid, = (f["value"] for f in run["findings"] if f["name"] == "valid")
	assert run["schema"] == 1 and rtt["unit"] == "ns"
	assert sum(n for _, _, n in rtt["buckets"]) == valid
	assert all(a[1] < b[0] for a, b in zip(rtt["buckets"], rtt["buckets"][1:]))
END
check "--json is JSON" python3 -m json.tool "$work/run.json" "$work/tidy.json"

rate 5364 -r 2000 -n 2001 -t 2 --sources 3 --burst 7 --bufsize 1232 --prefix "$prefix"
check "dns64d: two threads, bursts, EDNS ($status)" good
counts "dns64d: two threads" sent=2001 valid=2001

bench rate -s ::1 -p 5364 -r 1000 -n 500 --timeout 5 --json "$work/run.json"
check "dns64d: over IPv6, any prefix ($status)" good
counts "dns64d: over IPv6" sent=500 valid=500

bench rate -s localhost -p 5364 -r 1000 -n 100 --timeout 5 --clients-from 127.0.0.0/8 --json "$work/run.json"
check "dns64d: by its name ($status)" good
check "dns64d: which address that is" grep -q '"server": *"127.0.0.1#5364"' "$work/run.json"
bench rate -s no-such-host.invalid -r 1000 -n 100
equal "nobody of that name: exit code" 2 $status
told "nobody of that name: who" '--server: no-such-host.invalid: ' err

# --- Names that are known ---

# Names begin at random, so that a second run does not ask for those of the first; with the same --first it
# does, and where the upstream is known it is told.
restart_fakedns --delay 100
stop dns64d
configure 'nameserver 127.0.0.1 port 5300'
start_dns64d
for turn in first second; do
	[ $turn = first ] || sleep 2.5 # TTLs of names that are known go down by two seconds
	rate 5364 -r 100 -n 50 --first 500000 --upstream 127.0.0.1#5300
	equal "names: the $turn run" 50 "$(found valid)"
	cp "$work/run.json" "$work/$turn.json"
done
equal "names: the second run is warned" 'first: no; second: yes' "$(for turn in first second; do
	cp "$work/$turn.json" "$work/run.json"
	echo "$turn: $(if [ -n "$(found warning)" ]; then echo yes; else echo no; fi)"
done | paste -sd ';' | sed 's/;/; /')"
rate 5364 -r 100 -n 50 --upstream 127.0.0.1#5300
equal "names: a run with others is not" '' "$(found warning)"
bench search -s 127.0.0.1 -p 5364 --low 100 --high 100 --repetitions 1 -d 0.5 --first 500000 --timeout 5 \
	--json "$work/run.json"
equal "names: a search for known ones: exit code" 1 $status
told "names: a search for known ones: the reason" '^FAILED: cached: before the trial at 100/s' out
equal "names: and its trial has the verdict" cached "$(python3 -c '
import json, sys
t = [t for t in json.load(open(sys.argv[1]))["tables"] if t["name"] == "trials"][0]
print(*[r[[c["name"] for c in t["columns"]].index("verdict")] for r in t["rows"]])' "$work/run.json")"
restart_fakedns
stop dns64d
configure 'nameserver 127.0.0.1 port 5300' 'cache-size 0'
start_dns64d

# --- By chance, of several types, faster and faster ---

rate 5364 -r 2000 -n 2000 --arrivals poisson --prefix "$prefix"
check "by chance ($status)" good
counts "by chance" sent=2000 valid=2000
# Even gaps of 500 us have hardly one of less than 100; of exponential ones every fifth is.
check "by chance: gaps differ" python3 -c '
import json, sys
t = [t for t in json.load(open(sys.argv[1]))["tables"] if t["name"] == "gaps"][0]
at = {row[0]: row[1] for row in t["rows"]}
sys.exit(not (at[10] < 250 and at[95] > 900))' "$work/run.json"
rate 5364 -r 2000 -n 2000 --mix A=40,AAAA=55,HTTPS=5 --prefix "$prefix" --raw "$work/raw.csv"
check "types ($status)" good
counts "types" sent=2000 valid=2000
equal "types: their shares" '800 1100 100' "$(for type in 1 28 65; do grep -c ",$type,valid," "$work/raw.csv"; done | paste -sd ' ')"
bench ramp -s 127.0.0.1 -p 5364 --high 3000 -d 3 --timeout 5 --prefix "$prefix" --json "$work/run.json" \
	--csv "$work/run.csv"
check "ramp: a good run ($status)" good
counts "ramp" sent=4500 valid=4500
equal "ramp: a row for each second" 3 "$(grep -c '^[123],[0-9]' "$work/run.csv")"

# Where there is no room for the results.
timeout 300 "$dns64bench" rate -s 127.0.0.1 -p 5364 -r 100 -n 10 >/dev/full 2>"$work/err"
equal "no room for the results: exit code" 1 $?
told "no room for the results: the reason" "the results cannot be written: No space left on device" err
bench rate -s 127.0.0.1 -p 5364 -r 100 -n 10 --csv /dev/full
equal "no room for the table: exit code" 1 $status
told "no room for the table: the reason" "dns64bench: /dev/full: No space left on device" err

# --- Connections ---

rate 5364 -r 2000 -n 2000 --transport tcp --prefix "$prefix"
check "over TCP ($status)" good
counts "over TCP" sent=2000 valid=2000 connections=16 closed=0 stalled=0

rate 5364 -r 500 -n 500 --transport tcp --per-connection 5 --sources 2 --prefix "$prefix"
check "five questions per connection ($status)" good
counts "five questions per connection" sent=500 valid=500 closed=0
check "five questions per connection: a hundred connections" test "$(found connections)" -ge 100

at=$(($(date +%s) + 3))
rate 5364 -r 500 -n 500 --transport tcp --start-at "$at" --prefix "$prefix"
check "a start that was set, over TCP ($status)" good
counts "a start that was set, over TCP" sent=500 valid=500 connections=16 closed=0
check "a start that was set, over TCP: it was waited for" test "$(date +%s)" -gt "$at"

bench rate -s 127.0.0.1 -p 5399 -r 1000 -n 100 --transport tcp
equal "nobody listens on TCP: exit code" 1 $status
told "nobody listens on TCP: the reason" "nobody listens at the server's address and port" out

# --- Many clients ---

rate 5364 -r 1000 -n 100 --clients-from 198.18.0.0/15
equal "addresses that are nobody's: exit code" 2 $status
told "addresses that are nobody's: what to do" 'ip route add local 198.18.0.0/15 dev lo' err
ip route add local 198.18.0.0/15 dev lo
ip -6 route add local 2001:db8:c::/48 dev lo
ip -6 route add local 2001:db8:d::/56 dev lo

# clients NETWORK N: the query log, which is written a little later, has N addresses that begin so
clients()
{
	wait_for 20 clients_now "$@"
}

clients_now()
{
	[ "$(cut -d ' ' -f 2 "$work/queries.log" | sed 's/#.*//' | grep "^$1" | sort -u | wc -l)" = "$2" ]
}

# A limit by client refuses what one asks, and not the same from many.
stop dns64d
configure 'nameserver 127.0.0.1 port 5300' 'cache-size 0' 'allow any' 'rate-limit 20' \
	"query-log $work/queries.log"
: >"$work/queries.log"
chmod 666 "$work/queries.log"
start_dns64d
rate 5364 -r 1000 -n 2000 --sources 100 --clients-from 198.18.7.7/32 --timeout 1
equal "one client beyond its limit: exit code" 1 $status
check "one client beyond its limit: few answers" test "$(found valid)" -lt 200
counts "one client beyond its limit" sent=2000
check "one client: is one" clients 198.18. 1
rate 5364 -r 1000 -n 2000 --sources 400 --clients-from 198.18.0.0/15 --prefix "$prefix"
check "many clients below it ($status)" good
counts "many clients" sent=2000 valid=2000
check "many clients: the settings tell" grep -q '"client_addresses": *400' "$work/run.json"
check "many clients: as many, and the one" clients 198. 401
rate 5364 -r 1000 -n 300 --sources 100 --transport tcp --clients-from 198.18.0.0/15
check "many clients over TCP ($status)" good
counts "many clients over TCP" sent=300 valid=300 connections=100
check "many clients over TCP: some of these" clients 198. 401
bench rate -s ::1 -p 5364 -r 1000 -n 300 --sources 100 --clients-from 2001:db8:c::/48 \
	--clients-from 2001:db8:d::/56 --timeout 5 --json "$work/run.json"
check "many clients over IPv6 ($status)" good
counts "many clients over IPv6" sent=300 valid=300
check "many clients over IPv6: each in a /64 of its own" clients 2001:db8:c: 50
check "many clients over IPv6: in both networks" clients 2001:db8:d: 50

# Who asked what was recorded stays one client each, of another address.
cp "$work/queries.log" "$work/recorded"
stop dns64d
configure 'nameserver 127.0.0.1 port 5300' 'cache-size 0' 'allow any' "query-log $work/queries.log"
: >"$work/queries.log"
start_dns64d
rate 5364 -r 2000 --replay "$work/recorded" --clients-from 198.18.0.0/15
check "clients of a recording ($status)" good
cat >"$work/mapped" <<'END'
import collections, sys
# The askers of names that one client has asked for.
def askers(path):
	lines = [l.split() for l in open(path)]
	pairs = {(l[3], l[1].split("#")[0]) for l in lines if len(l) == 12 and l[4] == "IN"}
	times = collections.Counter(name for name, _ in pairs)
	return {name: asker for name, asker in pairs if times[name] == 1}
recorded, replayed = map(askers, sys.argv[1:])
pairs = {(asker, replayed[name]) for name, asker in recorded.items() if name in replayed}
# Each client has one address, and no two have the same.
print(len(pairs), len({a for a, _ in pairs}), len({b for _, b in pairs}))
END
mapped()
{
	mapped_n=$(python3 "$work/mapped" "$work/recorded" "$work/queries.log")
	# shellcheck disable=SC2086 # numbers
	set -- $mapped_n
	[ "$1" -ge 400 ] && [ "$1" = "$2" ] && [ "$1" = "$3" ]
}
check "clients of a recording: each has an address of its own" wait_for 20 mapped
stop dns64d
configure 'nameserver 127.0.0.1 port 5300' 'cache-size 0'
start_dns64d

# --- What was recorded ---

# asked: names and types of the query log, sorted, but for the one question before the run, which is
# the first of it, too, and that for the server's version
asked()
{
	awk '$5 == "IN" && n++ > 0 { sub(/\.$/, "", $4); print $4, $6 }' "$work/queries.log" | sort
}

# relog LINE...: dns64d anew with a query log of its own, which is empty
relog()
{
	stop dns64d
	rm -f "$work/queries.log"
	: >"$work/queries.log"
	chmod 666 "$work/queries.log"
	configure 'nameserver 127.0.0.1 port 5300' 'cache-size 0' 'num-threads 1' \
		"query-log $work/queries.log" "$@"
	start_dns64d
}

# logged_all N: the query log has N questions and the one before the run
logged_all()
{
	[ "$(grep -c -e ' IN ' -e '"IN"' "$work/queries.log")" = $(($1 + 1)) ]
}

# Lines of dnsperf, at a rate
relog
{
	echo '; of another program'
	questions 300
	for i in 1 2 3 4 5 6 7 8 9 10; do
		echo "nx-010-000-000-0$i.dns64perf.test TYPE65"
		echo "010-001-000-00$((i % 10)).dns64perf.test A"
	done
} >"$work/lines"
rate 5364 -r 1000 --sources 1 --replay "$work/lines"
check "lines are replayed ($status)" good
counts "lines are replayed" sent=320 valid=320
check "lines: the log has them" wait_for 20 logged_all 320
asked >"$work/asked"
sed -e 1d -e s/TYPE65/HTTPS/ "$work/lines" | sort >"$work/wanted"
check "lines: asked was what they say" cmp "$work/asked" "$work/wanted"
rate 5364 --replay "$work/lines"
equal "lines have no times: exit code" 2 $status
told "lines have no times: what to do" 'lines: has no times, so --rate is needed' err

# That log again, ten times as slow, and then its own as JSON, twice as fast.
cp "$work/queries.log" "$work/recorded"
relog 'query-log-format json'
rate 5364 --sources 1 --replay "$work/recorded" --speed 0.1 --raw "$work/raw.csv"
check "a query log is replayed ($status)" good
counts "a query log" sent=321 valid=321
check "a query log: in its time" awk -v s="$(found 'sending time')" 'BEGIN { exit !(s > 2.9 && s < 20) }'
check "a query log: the log has them" wait_for 20 logged_all 321
cp "$work/queries.log" "$work/recorded"
relog
rate 5364 --sources 1 --replay "$work/recorded" --speed 2
check "a query log in JSON is replayed ($status)" good
counts "a query log in JSON" sent=322 valid=322
check "a query log in JSON: the log has them" wait_for 20 logged_all 322
# In the logs is what was asked before those runs, too: the first question.
{
	cat "$work/wanted"
	echo 010-000-000-000.dns64perf.test AAAA
	echo 010-000-000-000.dns64perf.test AAAA
} | sort >"$work/more"
asked >"$work/asked"
check "a query log in JSON: the same was asked" cmp "$work/asked" "$work/more"

# A client that asks one question after another, for longer than the recording is.
bench closed -s 127.0.0.1 -p 5364 --clients 2 -d 1 --replay "$work/lines" --timeout 5 \
	--json "$work/run.json"
equal "closed replays lines: exit code" 0 $status
printf '\324\303\262\241nonsense' >"$work/lines"
rate 5364 --replay "$work/lines"
equal "a malformed recording: exit code" 2 $status
told "a malformed recording: where" 'lines: offset 4: the header of the file is cut off' err
stop dns64d
# With some methods a fifth of the questions is for one name; many of them wait when the upstream is kept from running.
configure 'nameserver 127.0.0.1 port 5300' 'cache-size 0' 'max-same-question 0'
start_dns64d

# --- The wrong answers ---

rate 5364 -r 2000 -n 1000 --prefix 64:ff9b::/96
equal "wrong prefix: exit code" 1 $status
counts "wrong prefix" valid=0 "wrong data=1000"
told "wrong prefix: the reason" '1000 of 1000 questions got no valid answer in time' out

rate 5300 -r 2000 -n 1000
equal "no DNS64: exit code" 1 $status
counts "no DNS64" valid=0 "no data=1000"

# What fakedns counts is what was asked: those, and the one before the run, which is asked again and again
# as its answer is not right.
restart_fakedns --rcode SERVFAIL
rate 5300 -r 2000 -n 1000
equal "SERVFAIL: exit code" 1 $status
counts "SERVFAIL" valid=0 "wrong rcode=1000" "rcode SERVFAIL=1000"
stop fakedns
check "fakedns was asked as often" grep -q 'questions 10[01][0-9],' "$work/fakedns.log"

start_fakedns --truncate 100
rate 5300 -r 2000 -n 1000
equal "TC: exit code" 1 $status
counts "TC" valid=0 truncated=1000

# Half of the names have AAAA themselves; both must think so.
restart_fakedns --aaaa 50
rate 5364 -r 2000 -n 2000 --aaaa 50
check "names with AAAA ($status)" good
counts "names with AAAA" valid=2000
rate 5364 -r 2000 -n 2000 --prefix "$prefix"
equal "names with AAAA, not expected: exit code" 1 $status
check "names with AAAA, not expected: the others are valid" test "$(found valid)" -gt 800
check "names with AAAA, not expected: they are wrong" test "$(found 'wrong data')" -gt 800
counts "names with AAAA, not expected" sent=2000

restart_fakedns --aaaa 100
rate 5300 -r 2000 -n 2000 --aaaa 100 --hits 50 --hot 20
check "hits ($status)" good
counts "hits" valid=2000

# --- Answers late and never ---

# From 0 to 400 ms: about a half is over the timeout.
restart_fakedns --aaaa 100 --jitter 400
rate 5300 -r 1000 -n 1000 --aaaa 100 --timeout 0.2 --raw "$work/raw.csv"
equal "late: exit code" 1 $status
check "late: some are valid" test "$(found valid)" -gt 100
check "late: some are not" test "$(($(found late) + $(found lost)))" -gt 100
check "late: and known as such" test "$(found late)" -gt 0
counts "late" sent=1000
equal "late: --raw has them" "$(found late)" "$(grep -c ',late,' "$work/raw.csv")"

# Two testers agree on a server that loses one question in ten: 2,000 of them, 200 more or less.
# Neither asks again.
restart_fakedns --aaaa 100 --loss 10
rate 5300 -r 2000 -n 2000 --aaaa 100 --timeout 3
equal "lost: exit code" 1 $status
counts "lost" sent=2000
questions 2000 >"$work/questions"
dnsperf -s 127.0.0.1 -p 5300 -d "$work/questions" -n 1 -t 3 -q 200 >"$work/dnsperf.log" 2>&1
dnsperf_lost=$(sed -n 's/^ *Queries lost: *\([0-9]*\) .*/\1/p' "$work/dnsperf.log")
for lost in "$(found lost)" "${dnsperf_lost:-none}"; do
	check "lost: $lost of 2000" test "$lost" -gt 130 -a "$lost" -lt 270
done

# And on a good one: all is answered.
restart_fakedns
rate 5364 -r 2000 -n 2000
dnsperf -s 127.0.0.1 -p 5364 -d "$work/questions" -n 1 -t 20 >"$work/dnsperf.log" 2>&1
check "dnsperf has all its answers" grep -q 'Queries completed: *2000 (100' "$work/dnsperf.log"
counts "and so have we" valid=2000

restart_fakedns --loss 100
bench rate -s 127.0.0.1 -p 5300 -r 1000 -n 1000 --timeout 0.2
equal "silent: exit code" 1 $status
told "silent: the reason" 'the server does not answer' out

bench rate -s 127.0.0.1 -p 5399 -r 1000 -n 1000 --timeout 0.2
equal "nobody there: exit code" 1 $status
told "nobody there: the reason" "nobody listens at the server's address and port" out

# --- The other methods, and a page of all ---

restart_fakedns
bench closed -s 127.0.0.1 -p 5364 --clients 1,4 -d 1 --prefix "$prefix" --timeout 5 \
	--json "$work/closed.json"
equal "closed: exit code" 0 $status
bench soak -s 127.0.0.1 -p 5364 -r 500 -d 3 --interval 1 --prefix "$prefix" --timeout 5 \
	--pid "$(pid_of dns64d)" --json "$work/soak.json"
cp "$work/soak.json" "$work/run.json"
check "soak: a good run ($status)" good
counts "soak" "wrong data=0" "wrong rcode=0" "no data=0" duplicate=0
check "soak: dns64d's memory" test "$(found 'server RSS' | cut -d . -f 1)" -ge 1
# Whether the machine can do it or not, there is a verdict.
bench search -s 127.0.0.1 -p 5364 --low 100 --high 200 --resolution 50 --repetitions 2 -d 0.5 \
	--prefix "$prefix" --upstream 127.0.0.1#5300 --json "$work/search.json"
check "search: ends ($status)" test "$status" -le 1
check "search: has done trials" grep -q '"name": *"trials"' "$work/search.json"
# A restart that leaves the cache as it was: the second trial's names were the first one's.
stop dns64d
configure 'nameserver 127.0.0.1 port 5300' 'cache-size 1m'
start_dns64d
bench search -s 127.0.0.1 -p 5364 --low 100 --high 200 --resolution 50 -d 3 --timeout 5 --first 700000 \
	--prefix "$prefix" --restart true --json "$work/cached.json"
equal 'search: names that are known are no measure' "1 cached: before the trial at" \
	"$status $(grep -o 'cached: before the trial at' "$work/cached.json" | head -n 1)"
check 'search: what is known has no verdict' grep -q -- '--restart must empty its cache' "$work/cached.json"
stop dns64d
configure 'nameserver 127.0.0.1 port 5300' 'cache-size 0' 'max-same-question 0'
start_dns64d
# The shares are zones of one fakedns. It is interrupted, and goes on where it was.
matrix="-s 127.0.0.1 -p 5364 --aaaa 0,50,100 --low 200 --high 200 --repetitions 1 -d 0.7 --timeout 5"
# shellcheck disable=SC2086 # words
start bench "$dns64bench" matrix $matrix --hits 0,50,100 --prefix "$prefix" --state "$work/state"
wait_for 60 logged bench 'cell 2/9'
stop bench INT
equal "matrix: interrupted" 3 $status
# shellcheck disable=SC2086 # words
bench matrix $matrix --hits 0,100 --prefix "$prefix" --state "$work/state"
equal "matrix: another list: exit code" 1 $status
told "matrix: another list: the reason" 'hits_percent was "0,50,100"' out
# shellcheck disable=SC2086 # words
bench matrix $matrix --hits 0,50,100 --prefix "$prefix" --state "$work/state" \
	--json "$work/matrix.json"
told "matrix: goes on" 'going on with what' err
equal "matrix: not with the first cell" 0 "$(grep -c 'cell 1/9' "$work/err")"
cat >"$work/cells" <<-'END'
	import json, sys
	tables = {t["name"]: t for t in json.load(open(sys.argv[1]))["tables"]}
	searches = [dict(zip((c["name"] for c in tables["searches"]["columns"]), row))
		for row in tables["searches"]["rows"]]
	cells = [(s["hits"], s["aaaa"]) for s in searches]
	assert list(dict.fromkeys(cells)) == [(h, a) for a in (0, 50, 100) for h in (0, 50, 100)]
	# The tester may have been too slow here and there, but no answer was wrong.
	wrong = [c["name"] for c in tables["trials"]["columns"]].index("wrong")
	assert all(row[wrong] == 0 for row in tables["trials"]["rows"]), tables["trials"]["rows"]
	assert all(s["rate_passed"] == 200 or s["limit"] == "tester" for s in searches), searches
	assert any(s["rate_passed"] == 200 for s in searches), searches
END

# On a busy machine the upstream may be kept from running for so long that dns64d tells of that.
all_cells()
{
	for _ in 1 2 3; do
		python3 "$work/cells" "$work/matrix.json" && return
		# shellcheck disable=SC2086 # words
		bench matrix $matrix --hits 0,50,100 --prefix "$prefix" --json "$work/matrix.json"
	done
	python3 "$work/cells" "$work/matrix.json"
}

check "matrix: all cells" all_cells

bench sweep -s 127.0.0.1 -p 5364 --rates 200-1600/4 --repetitions 2 -d 0.5 --prefix "$prefix" \
	--timeout 5 --pid "$(pid_of dns64d)" --json "$work/sweep.json" --csv "$work/sweep.csv"
check "sweep: ends ($status)" test "$status" -le 1
check "sweep: a line for each trial" test "$(grep -c '^trial [1-8]/8: .* left$' "$work/err")" -ge 8
equal "sweep: trials at each rate" 4 "$(sed -n 's/^[12],\([0-9]*\),.*/\1/p' "$work/sweep.csv" | sort -u | wc -l)"
check "sweep: each rate once in four trials" test "$(sed -n '1,4s/^trial.*: \([0-9]*\).s.*/\1/p' \
	"$work/err" | sort -u | wc -l)" -ge 3

# The server is restarted before each trial; who watches it follows the file with its number.
cat >"$work/restart" <<-END
	if [ -f "$work/restarted.pid" ]; then
		pid=\$(cat "$work/restarted.pid")
		kill "\$pid"
		while kill -0 "\$pid" 2>/dev/null; do sleep 0.05; done
	fi
	"$fakedns" -l 127.0.0.1 -p 5302 --aaaa 100 >/dev/null 2>&1 &
	echo \$! | tee -a "$work/restarts" >"$work/restarted.pid"
END
sh "$work/restart"
bench search -s 127.0.0.1 -p 5302 --aaaa 100 --low 200 --high 200 --repetitions 2 -d 0.5 --timeout 5 \
	--restart "sh $work/restart" --pid-file "$work/restarted.pid" --json "$work/restarted.json"
check "search with restarts: ends ($status)" test "$status" -le 1
check "search with restarts: one before each trial" test "$(sort -u "$work/restarts" | wc -l)" -ge 3
check "search with restarts: the server's CPU is known" grep -q 'server CPU per answer' "$work/out"
kill "$(cat "$work/restarted.pid")"

restart_fakedns --enum-range 1000-4999
bench enum -s 127.0.0.1 -p 5364 --numbers 1000-4999 --missing-numbers 5000-9999 --missing 20 \
	--clients 1-5/2 -d 1 --timeout 5 --json "$work/enum.json"
equal "enum: exit code" 0 $status
rm -f "$work/page.html"
report page -o "$work/page.html" "$work/closed.json" "$work/soak.json" "$work/search.json" \
	"$work/enum.json" "$work/matrix.json" "$work/sweep.json"
equal "page: exit code" 0 $status
for method in closed soak search enum matrix sweep; do
	check "page: $method" grep -q "dns64bench $method" "$work/page.html"
done
report table "$work/closed.json"
told "table: the run" '^dns64bench .* closed, ' out
report table --table searches "$work/search.json"
told "table: one" '^Highest rate without a fault' out
report compare --json "$work/compare.json" --csv "$work/compare.csv" --fail-if 'rate < 0.9' \
	A="$work/closed.json" B="$work/closed.json"
equal "compare with itself: exit code" 0 $status
told "compare with itself: the ratio" '^rate  *ratio 1.000 in 1 round: ' out
equal "compare with itself: as CSV" 2 "$(grep -c '^rate,[AB],' "$work/compare.csv")"
report compare --fail-if 'rate > 0.9' "$work/closed.json" "$work/closed.json"
equal "compare: exit code of a bound that is broken" 1 $status
told "compare: and which" '^FAILED: rate > 0.9: ' out
report page -o "$work/page.html" "$work/compare.json"
equal "page of a comparison: exit code" 0 $status
report compare "$work/closed.json" "$work/soak.json"
equal "compare of two methods: exit code" 2 $status
report compare "$work/closed.json" "$work/page.html"
equal "compare of a page: exit code" 2 $status
told "compare of a page: the reason" 'page.html:1: ' err
report page -o "$work/page.html" "$work/nosuch.json"
equal "page without a run: exit code" 2 $status

# drawn FILE HEAD: it is there and begins so
drawn()
{
	check "$1 is a picture" env LC_ALL=C grep -aq -m 1 "^.\\?$2" "$work/$1"
}

# Pictures of one run, of two over each other, and of each chart.
if command -v gnuplot >/dev/null; then
	restart_fakedns --aaaa 100
	bench closed -s 127.0.0.1 -p 5300 --clients 1,2,4 -d 0.5 --aaaa 100 --timeout 5 --json "$work/other.json"
	report plot -o "$work/run.pdf" --panels "$work/other.json"
	equal "panels: exit code" 0 $status
	drawn run-steps-rate.pdf %PDF-1.
	drawn run-steps-rtt.pdf %PDF-1.
	report compare --json "$work/both.json" one="$work/closed.json" "$work/other.json"
	for end in png svg pdf; do
		report plot -o "$work/both.$end" --titles "$work/both.json"
		equal "plot as $end: exit code" 0 $status
	done
	drawn both.png PNG
	drawn both.svg '<?xml'
	drawn both.pdf %PDF-1.
	check "plot as svg: its runs" grep -q '>one<' "$work/both.svg"
	check "plot as svg: its titles" grep -q '>Answers by clients<' "$work/both.svg"
	report plot -o "$work/run.eps" "$work/other.json"
	equal "picture of another kind: exit code" 2 $status
	told "picture of another kind" 'pictures end in .png, .svg or .pdf' err
else
	report plot -o "$work/run.png" "$work/closed.json"
	equal "no gnuplot: exit code" 1 $status
	told "no gnuplot" 'there is no gnuplot' err
fi

# --- The user ---

restart_fakedns --aaaa 100
for signal in INT TERM; do
	start bench "$dns64bench" rate -s 127.0.0.1 -p 5300 -r 1000 -d 600 --aaaa 100 \
		--json "$work/run.json"
	sleep 3
	stop bench $signal
	equal "SIG$signal: exit code" 3 $status
	check "SIG$signal: what there is, is printed" logged bench '^ *sent  *[1-9]'
	check "SIG$signal: and written, as not complete" grep -q '"complete": *false' "$work/run.json"
	check "SIG$signal: most is valid" test "$(($(found valid) * 2))" -gt "$(found sent)"
done

bench -h
equal "-h: exit code" 0 $status
bench --version
equal "--version: exit code" 0 $status
told "--version" '^dns64bench [0-9]' out
bench rate -s 127.0.0.1 -r none --nosuch word
equal "command line: exit code" 2 $status
equal "command line: every fault, and a hint" 4 "$(grep -c '^dns64bench: ' "$work/err")"
bench rate -s 127.0.0.1 -r 300000 -d 60
equal "too few names: exit code" 2 $status
told "too few names: the reason" '16777216 names, and the run asks for 18000000' err
bench
equal "no method: exit code" 2 $status
rate 5300 -r 1000 -n 100 --aaaa 100 --raw /nonexistent/raw.csv
equal "no file for --raw: exit code" 2 $status
rate 5300 -r 1000 -n 100 --aaaa 100 --csv /nonexistent/run.csv
equal "no file for --csv: exit code" 2 $status
told "no file for --csv: the reason" '--csv: /nonexistent/run.csv: No such file or directory' err

finish
