#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# dnsdist: three dns64d behind dnsdist, configured by contrib/dnsdist: which node gets which names, how much is asked
# upstream, who is asking, and what is lost when one of them goes. tests/measure/dnsdist.sh has more figures.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
. "${TOP_SRCDIR:-.}/tests/system/nodes.sh"
need dnsdist dnsperf kdig openssl python3
known=010-000-000-001.dns64perf.test

# taken: dnsdist takes the file at $recipe
taken()
{
	dnsdist --check-config -C "$recipe" >"$work/taken.log" 2>&1
}

# entries: what is in each node's cache, in a line
entries()
{
	for n in 1 2 3; do
		ctl_node $n cache stats | sed -n 's/ entries.*//p'
	done | tr '\n' ' '
}

flush_all()
{
	for n in 1 2 3; do
		ctl_node $n flush all >/dev/null
	done
}

# ask_all: AAAA and A of each of the names, once
ask_all()
{
	dnsperf -s 127.0.0.1 -p 5353 -d "$work/names" -n 1 -Q 8000 >"$work/load.log" 2>&1
}

# bench SECONDS RATE WORD...: dns64bench, which asks for new names, and by Zipf's law for old ones
bench()
{
	seconds=$1 rate=$2
	shift 2
	"$TOP_BUILDDIR/dns64bench" rate -s 127.0.0.1 -p 5353 -d "$seconds" -r "$rate" --popularity zipf:0.9 --prefix $prefix \
		--json "$work/run.json" "$@" >"$work/bench.log" 2>&1
}

# all_of NAME: that counter of all nodes
all_of()
{
	# shellcheck disable=SC2046 # words
	sum $(counted "$1")
}

# cookie_of CLIENT COOKIE: the cookie in the answer for that client, who sends COOKIE
cookie_of()
{
	kdig @127.0.0.1 -p 5353 -b "$1" +cookie="$2" $known AAAA | sed -n 's/^;; COOKIE: *//p'
}

# in_querylog CLIENT: a node has it in its query log
in_querylog()
{
	cat "$work"/state/queries? | grep -q " $1#"
}

# start_reader N: of node N's dnstap
start_reader()
{
	start "tap$1" fstrm_capture -t protobuf:dnstap.Dnstap -u "$work/tap$1" -w "$work/tap$1.fstrm"
	wait_for 20 test -S "$work/tap$1" || give_up 'fstrm_capture does not start'
	chmod 777 "$work/tap$1"
}

# written N: readers of dnstap have got so many messages
written()
{
	[ "$(all_of dnstap_frames)" -ge "$1" ]
}

# forged ADDRESS OPTION...: what ADDRESS gets of node 1, with a header that names another client
forged()
{
	forged_from=$1
	shift
	python3 "$TOP_SRCDIR/tests/system/proxy.py" --from "$forged_from" --at 127.0.1.1 --wait 0.5 --header 127.0.2.1 "$@" \
		$known AAAA
}

# unread: those that were dropped unread so far by the kernel, or by the nodes but for $goes, as on a machine that has no
# time for them (RULES D32)
unread()
{
	{
		awk '/^Udp: [0-9]/ { print "client_late", $6 }' /proc/net/snmp
		for n in 1 2 3; do
			[ $n = "$goes" ] || ctl_node $n stats
		done
	} | awk '$1 == "client_late" { n += $2 } END { print n + 0 }'
}

# asked_upstream: how much is asked upstream, from empty caches, for 30,000 questions by Zipf's law for 3,000 names
asked_upstream()
{
	flush_all
	before=$(all_of upstream_udp)
	bench 4 7500 --hits 100 --hot 3000
	echo $(($(all_of upstream_udp) - before))
}

# lost N SECONDS COMMAND...: of 1,000 questions a second, how many have no good answer, when the command has node N go
# after more than a second
lost()
{
	goes=$1 seconds=$2
	shift 2
	before=$(unread)
	bench "$seconds" 1000 --hits 80 --hot 1000 --timeout 2 &
	asking=$!
	sleep 1.5
	"$@"
	wait $asking
	echo $(($(found sent) - $(found valid) - $(unread) + before))
}

# stopped N: node N does not run for some seconds
stopped()
{
	kill -STOP "$(pid_of "node$1")"
	sleep 3
	kill -CONT "$(pid_of "node$1")"
}

# --- the file is what dnsdist takes ---

recipe=$TOP_SRCDIR/contrib/dnsdist/dnsdist.conf
check 'contrib/dnsdist/dnsdist.conf' taken
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=dns64.test \
	-keyout "$work/privkey.pem" -out "$work/fullchain.pem" >"$work/openssl.log" 2>&1 || give_up 'no certificate'
configure_dnsdist
check 'with a certificate and our addresses' taken
equal 'no address of the file is left' '' "$(grep -n '^[^-]*2001:db8:' "$recipe")"
# What later versions have, made up.
configure_dnsdist -e '1i setWHashedPerturbation, setWHashedPertubation = setWHashedPertubation, nil' \
	-e '1i addDOQLocal = function() error("not built in") end'
check 'as 2.0 spells it, without QUIC' taken
check 'which is reported' logged taken 'no DNS over QUIC: .*not built in'
configure_dnsdist -e '1i addDOQLocal = function(address, certificate, key) print("QUIC: " .. address .. certificate .. key) end'
check 'with QUIC' taken
check 'which is configured' logged taken "QUIC: 127.0.0.1:8853$work/fullchain.pem$work/privkey.pem"

# --- each name has its node ---

questions 9000 | sed 'p; s/AAAA/A/' >"$work/names"
start_fakedns --ttl 3600
for n in 1 2 3; do
	start_backend $n "query-log $work/state/queries$n" 'query-log-select failed'
done
# Where hardly a question waits two at once for one node are more than 1.5 times the mean, so one of them goes elsewhere.
# Whether they are where they should be is seen without that.
configure_dnsdist -e '/BalancingFactor/d'
start_dnsdist
check 'over UDP' is 'NOERROR' ask 127.0.0.1 5353 $known AAAA
check 'over TLS' is '2001:db8:64::a00:1' ask 127.0.0.1 8853 +tls $known AAAA
check 'over HTTPS' is '2001:db8:64::a00:1' ask 127.0.0.1 8443 +https $known AAAA
flush_all
ask_all
check 'all are answered' logged load 'Queries lost:         0 (0.00%)'
shares=$(entries)
# shellcheck disable=SC2086 # words
all=$(sum $shares)
check "AAAA and A of a name are at one node: $all entries of 9,000 names" test "$all" -ge 18000 -a "$all" -le 18200
for share in $shares; do
	check "a node has its third within 5 %: $share" test $((share * 300)) -ge $((all * 95)) -a $((share * 300)) -le $((all * 105))
done
stop dnsdist
start_dnsdist
ask_all
# shellcheck disable=SC2046 # words
again=$(sum $(entries))
check "after a restart of dnsdist they are where they were: $again entries" test "$again" -le $((all + 200))
stop dnsdist

# --- less is asked upstream ---

configure_dnsdist -e 's/^setServerPolicy(chashed)/setServerPolicy(roundrobin)/'
start_dnsdist
turns=$(asked_upstream)
stop dnsdist
configure_dnsdist
start_dnsdist
chashed=$(asked_upstream)
check "fewer questions upstream than by turns: $chashed of $turns" test $((chashed * 10)) -le $((turns * 7))

# --- each client is itself (PROXY) ---

tapped=
! "$DNS64D" -V | grep -qx 'dnstap yes' || ! command -v fstrm_capture >/dev/null || tapped=yes
for n in 1 2 3; do
	configure_backend $n 'client 127.0.2.0/24 {' 'dns64-prefix 2001:db8:65::/96' '}' 'rate-limit 20' \
		"query-log $work/state/queries$n" ${tapped:+"dnstap-socket $work/tap$n"}
	[ -z "$tapped" ] || start_reader $n
	ctl_node $n reload >"$work/reload.log" || give_up "node $n is not reloaded"
done
check 'a client block' is '2001:db8:65::a00:1' ask 127.0.0.1 5353 -b 127.0.2.1 $known AAAA
check 'over TCP' is '2001:db8:65::a00:1' ask 127.0.0.1 5353 -b 127.0.2.1 +tcp $known AAAA
check 'over TLS' is '2001:db8:65::a00:1' ask 127.0.0.1 8853 -b 127.0.2.1 +tls $known AAAA
check 'over HTTPS' is '2001:db8:65::a00:1' ask 127.0.0.1 8443 -b 127.0.2.1 +https $known AAAA
check 'another client' is '2001:db8:64::a00:1' ask 127.0.0.1 5353 -b 127.0.3.1 $known AAAA
check 'the query log' wait_for 20 in_querylog 127.0.2.1
cookie=$(cookie_of 127.0.3.1 0102030405060708)
equal 'a cookie' 48 "${#cookie}"
good=$(all_of client_cookies_good)
cookie_of 127.0.3.1 "$cookie" >/dev/null
equal 'is good of its client' $((good + 1)) "$(all_of client_cookies_good)"
cookie_of 127.0.3.2 "$cookie" >/dev/null
equal 'and of no other' $((good + 1)) "$(all_of client_cookies_good)"
if [ -n "$tapped" ]; then
	check 'dnstap' wait_for 20 written 12
	for n in 1 2 3; do
		stop tap$n
		python3 "$TOP_SRCDIR/tests/system/dnstap.py" "$work/tap$n.fstrm" 1 4 10
	done >"$work/tapped"
	check 'dnstap: questions' grep -q "^CQ 127.0.2.1 $known/28" "$work/tapped"
	check 'dnstap: answers' grep -q "^CR 127.0.2.1 $known/28" "$work/tapped"
	equal 'dnstap: of dnsdist the checks only' '' "$(grep '^C. 127.0.0.1 ' "$work/tapped" | grep -v 'ipv4only.arpa')"
fi
equal 'nobody was limited' 0 "$(all_of rate_limited)"
dnsperf -s 127.0.0.1 -p 5353 -a 127.0.4.1 -d "$work/names" -l 1 -Q 500 -t 1 >"$work/load.log" 2>&1
check 'a rate limit' test "$(all_of rate_limited)" -gt 100
limited=$(all_of rate_limited)
check 'which is not that of others' is '2001:db8:64::a00:1' ask 127.0.0.1 5353 -b 127.0.4.2 $known AAAA
equal 'nor counts them' "$limited" "$(all_of rate_limited)"
equal 'nothing was refused' 0 "$(all_of proxy_refused)"
equal 'a forged header from elsewhere gets nothing' nothing "$(forged 127.0.0.8)"
equal 'over TCP' closed "$(forged 127.0.0.8 --tcp)"
equal 'both are counted' 2 "$(all_of proxy_refused)"

# --- one goes ---

n=$(lost 1 7 kill -TERM "$(pid_of node1)")
check "a planned stop loses no question: $n" test "$n" -le 0
gone 1
equal 'exit code' 0 "$status"
renew_backend 1
# A third of 1,000 a second, for a second.
n=$(lost 2 4 kill -KILL "$(pid_of node2)")
check "kill -9 loses at most its share of a second: $n" test "$n" -le 333
gone 2
renew_backend 2
n=$(lost 3 5 stopped 3)
check "so does SIGSTOP: $n" test "$n" -le 333
in_use 3

# --- an answer that takes long ---

check 'a name that is known by now' is NOERROR ask 127.0.0.1 5353 $known AAAA
stop fakedns
start_fakedns --ttl 3600 --delay 4000 --delay-type AAAA
check 'A is asked where AAAA is late, and dnsdist waits for that' is '2001:db8:64::a00:6301' \
	ask 127.0.0.1 5353 010-000-099-001.dns64perf.test AAAA

# --- none is ready ---

stop fakedns
for n in 1 2 3; do
	for name in 1 2 3 4 5 6 7 8; do
		ask_backend $n "010-001-00$n-00$name.dns64perf.test" A >/dev/null &
	done
done
for n in 1 2 3; do
	check "node $n is not ready" wait_for 60 is SERVFAIL ask_backend $n health.invalid A
done
sleep 2
check 'what is in a cache is answered' is NOERROR ask 127.0.0.1 5353 $known AAAA
finish
