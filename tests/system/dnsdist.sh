#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# dnsdist: three dns64d behind dnsdist, configured by contrib/dnsdist: which node gets which names, how much is asked
# upstream, and what is lost when one of them goes. tests/measure/dnsdist.sh has more figures.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
. "${TOP_SRCDIR:-.}/tests/system/nodes.sh"
need dnsdist dnsperf kdig openssl
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

# upstream: the questions that nodes asked upstream so far
upstream()
{
	# shellcheck disable=SC2046 # words
	sum $(counted upstream_udp)
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
	before=$(upstream)
	bench 4 7500 --hits 100 --hot 3000
	echo $(($(upstream) - before))
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
	start_backend $n
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
		ask 127.0.1.$n 5364 "010-001-00$n-00$name.dns64perf.test" A >/dev/null &
	done
done
for n in 1 2 3; do
	check "node $n is not ready" wait_for 60 is SERVFAIL ask 127.0.1.$n 5364 health.invalid A
done
sleep 2
check 'what is in a cache is answered' is NOERROR ask 127.0.0.1 5353 $known AAAA
finish
