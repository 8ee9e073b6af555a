#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# querylog: the query log of the running daemon: lines for what was asked and why (D33), as text and JSON;
# reload, rotation, a file that cannot be written, and a flood that it is too slow for.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need logrotate kdig python3 dnsperf curl
log=$work/querylog/log
mkdir "$work/querylog"
chown "$usual" "$work/querylog"

# in_log TEXT: some line of the query log has it
in_log()
{
	grep -q -- "$1" "$log"
}

# lines_are N: the query log has so many lines
lines_are()
{
	[ "$(wc -l <"$log")" -eq "$1" ]
}

# lost: has a metric that lines are lost?
lost()
{
	curl -s --unix-socket "$control" http://dns64d/metrics | grep -q '^dns64d_query_log_lost_total [1-9]'
}

# reloads_are N: so many have been done
reloads_are()
{
	[ "$(grep -c 'reload: done' "$work/dns64d.log")" -eq "$1" ]
}

# --- text ---

start_fakedns --ttl 300
configure 'nameserver 127.0.0.1 port 5300' 'num-threads 2' 'sandbox strict' "query-log $log" \
	'never-synthesize never.test' "control-socket $control"
start_dns64d
answer 010-000-000-001.dns64perf.test AAAA >/dev/null
check 'a line for an answer' wait_for 20 in_log \
	'^20.*Z ::1#[0-9]* udp 010-000-000-001.dns64perf.test. IN AAAA NOERROR synth-no-aaaa [0-9a-f:]* 127.0.0.1#5300 - [0-9]*$'
answer 010-000-000-001.dns64perf.test AAAA >/dev/null
check 'of the cache: its age, and no upstream' wait_for 20 in_log 'synth-no-aaaa [0-9a-f:]* - [0-9]* [0-9]*$'
answer +tcp a.never.test AAAA >/dev/null
check 'over TCP' wait_for 20 in_log ' tcp a.never.test. IN AAAA '
answer 'a\010b\"\032c.dns64perf.test' A >/dev/null
check 'a name that would forge a line is one word' wait_for 20 in_log ' a\\010b\\"\\032c.dns64perf.test. IN A '
answer dns64perf.test AXFR +notcp >/dev/null
check 'what is refused' wait_for 20 in_log 'AXFR REFUSED refused-type - - - [0-9]*$'
equal 'no line more' 5 "$(wc -l <"$log")"
equal 'its mode and owner' "640 $usual" "$(stat -c '%a %U' "$log")"

# --- rotation ---

chown root "$work/querylog"
mv "$log" "$log.1"
check 'who wants it opened again is told that it cannot be' is 'cannot be opened: Permission denied' ctl log reopen
answer 010-000-000-001.dns64perf.test AAAA >/dev/null
check 'and the file before has the lines' wait_for 20 sh -c "[ \$(wc -l <'$log.1') = 6 ]"
chown "$usual" "$work/querylog"
kill -USR2 "$(pid_of dns64d)"
check 'a new file' wait_for 20 test -e "$log"
sleep 0.3
answer 010-000-000-002.dns64perf.test AAAA >/dev/null
check 'has the next line' wait_for 20 lines_are 1
equal 'the old one has no more' 6 "$(wc -l <"$log.1")"

# logrotate does the same by the file in contrib, at this place and for this user.
sed -e "s,/var/log/dns64d/query.log,$log," -e "s,su .*,su $usual $(id -gn "$usual")," \
	"$TOP_SRCDIR/contrib/logrotate/dns64d" >"$work/logrotate.conf"
check 'logrotate takes it' logrotate --force --state "$work/logrotate.state" "$work/logrotate.conf"
check 'logrotate: a new file' wait_for 20 test -e "$log"
sleep 0.3
answer 010-000-000-003.dns64perf.test AAAA >/dev/null
check 'logrotate: it has the next line' wait_for 20 lines_are 1
equal 'logrotate: the one before has its line' 1 "$(wc -l <"$log.1")"

# --- a reload: JSON, and only some ---

configure 'nameserver 127.0.0.1 port 5300' 'num-threads 2' 'sandbox strict' "query-log $log" 'query-log-format json' \
	'query-log-select denied'
kill -HUP "$(pid_of dns64d)"
check 'a reload' wait_for 60 logged dns64d 'reload: done'
sleep 0.3
answer 010-000-000-003.dns64perf.test AAAA >/dev/null
answer dns64perf.test AXFR +notcp >/dev/null
check 'only what was selected' wait_for 20 lines_are 2
equal 'is an object' 'dns64perf.test. AXFR REFUSED refused-type refused [] None' "$(tail -n 1 "$log" |
	python3 -c 'import json,sys; j = json.loads(sys.stdin.readline())
print(j["name"], j["type"], j["rcode"], j["reason"], j["kind"], j["addresses"], j["upstream"])')"
configure 'nameserver 127.0.0.1 port 5300' 'num-threads 2' 'sandbox strict'
kill -HUP "$(pid_of dns64d)"
check 'another reload' wait_for 60 reloads_are 2
sleep 0.3
answer dns64perf.test AXFR +notcp >/dev/null
sleep 0.3
equal 'which switches it off' 2 "$(wc -l <"$log")"
stop dns64d

# --- no place for it ---

configure 'nameserver 127.0.0.1 port 5300' 'num-threads 2' "query-log $work/none/log" "control-socket $control"
start_dns64d
check 'a file that cannot be made is told' wait_for 20 logged dns64d 'error server: query-log .*cannot be opened: No such file'
equal 'but answers are given' NOERROR "$(answer 010-000-000-004.dns64perf.test AAAA | head -n 1 | cut -d ' ' -f 1)"
check 'and that lines are lost is counted' wait_for 20 lost
stop dns64d

# --- its mode, under a umask and in the strict sandbox ---

rm -f "$log"
umask 077
configure 'nameserver 127.0.0.1 port 5300' 'num-threads 2' 'sandbox strict' "query-log $log" 'query-log-mode 0644' \
	"control-socket $control"
chmod 644 "$work/dns64d.conf"
start_dns64d
wait_for 20 test -e "$log"
equal 'as query-log-mode says' 644 "$(stat -c %a "$log")"
mv "$log" "$log.1"
"$TOP_BUILDDIR/dns64ctl" -s "$control" log reopen >/dev/null
wait_for 20 test -e "$log"
equal 'likewise when it is made again' 644 "$(stat -c %a "$log")"
stop dns64d
umask 022

# --- a flood ---

rm -f "$log"
configure 'nameserver 127.0.0.1 port 5300' 'num-threads 2' "query-log $log"
start_dns64d
questions 1000 >"$work/questions"
dnsperf -s 127.0.0.1 -p 5364 -d "$work/questions" -l 3 -c 8 -q 200 >"$work/dnsperf" 2>&1
completed=$(sed -n 's/.*Queries completed: *\([0-9]*\).*/\1/p' "$work/dnsperf")
tell_statistics
equal 'all that was answered was told of or counted' "$(statistic answers)" \
	"$(($(statistic query_log) + $(statistic query_log_dropped)))"
echo "# $completed answers in 3 s, $(statistic query_log_dropped) of them not in the query log"
stop dns64d
equal 'and is in the file' "$(statistic query_log)" "$(wc -l <"$log")"
equal 'in lines of 12 words' 12 "$(awk '{ print NF }' "$log" | sort -u)"
finish
