#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# prefixcheck: prefixes that know whether they work (prefix-check). A translator is a prefix whose addresses are this
# machine's; a dead one is a prefix on an interface where nobody is.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need curl ip kdig python3
control=$work/state/control
a=$prefix b=2001:db8:b::/96
known=010-000-000-001.dns64perf.test
mkdir -m 755 "$work/state" && chown "$usual" "$work/state" || exit 99
# Without neighbour discovery what is sent there vanishes.
ip link add nobody type veth peer name nowhere 2>/dev/null || {
	echo 'no veth interface'
	exit 77
}
ip link set nobody arp off up
ip link set nowhere up
ip -6 addr add 2001:db8:ffff::1/64 dev nobody nodad
for of in $a $b; do
	ip -6 route add "$of" dev nobody || exit 99
done

# works PREFIX, dies PREFIX: what becomes of its translator
works()
{
	ip -6 route add local "$1" dev lo
}

dies()
{
	ip -6 route del local "$1" dev lo
}

settings()
{
	configure 'nameserver 127.0.0.1 port 5300' "control-socket $control" 'num-threads 2' 'web-listen 127.0.0.1' 'sandbox strict' \
		"dns64-prefix $b" 'prefix-check-interval 0.5' 'prefix-check-timeout 0.5' \
		'prefix-check-rise 3' "$@"
}

# addresses [KDIG-ARGUMENTS...]: the AAAA of $known, sorted, on one line
addresses()
{
	kdig @127.0.0.1 -p 5364 "$@" +short $known AAAA | sort | xargs
}

answers()
{
	test "$(addresses)" = "$1"
}

both='2001:db8:64::a00:1 2001:db8:b::a00:1'
only_a=2001:db8:64::a00:1
only_b=2001:db8:b::a00:1
watch_noise
start_fakedns --ttl 300
start accept python3 "$TOP_SRCDIR/tests/system/target.py" accept 8080
works $a
works $b
settings 'prefix-check tcp 192.0.2.1 port 8080'
start_dns64d

# --- one of two ---

sleep 1
equal 'both work' "$both" "$(addresses)"
dies $b
died=$(milliseconds)
check 'a dead one is out of all answers' wait_for 30 answers $only_a
took=$(($(milliseconds) - died))
echo "out after $took ms"
check 'within interval x fall + timeout + 0.2 s' test "$took" -le "$(stretch 2200)"
check 'and why' logged dns64d "prefix $b is down by prefix-check: tcp 192.0.2.1 port 8080: no answer in time"
check 'prefixes: since when, and the last error' is '; down by prefix-check since 20' ctl prefixes
check '  of it' is ', last error: tcp 192.0.2.1 port 8080: no answer in time' ctl prefixes
check '  the other is up' is '; up by prefix-check since 20' ctl prefixes
check 'explain' is "$b down by prefix-check since 20" ctl explain "$known"
check 'status' is "$b down by prefix-check" ctl status
curl -s http://127.0.0.1:6464/metrics >"$work/metrics"
check 'metrics: the state' is "dns64d_prefix_state{prefix=\"$b\",block=\"0\",state=\"down\"} 1" cat "$work/metrics"
check '  its cause' is "dns64d_prefix_cause{prefix=\"$b\",block=\"0\",cause=\"probe\"} 1" cat "$work/metrics"
check '  what prefix-check has found' is "dns64d_prefix_check_up{prefix=\"$b\",block=\"0\"} 0" cat "$work/metrics"
check '  of the other' is "dns64d_prefix_check_up{prefix=\"$a\",block=\"0\"} 1" cat "$work/metrics"
check '  since when' is "dns64d_prefix_check_since_seconds{prefix=\"$b\",block=\"0\"} 1" cat "$work/metrics"
check 'the page' is '<td class="bad">down by prefix-check</td><td class="n">100</td><td class="">down since 20' curl -s http://127.0.0.1:6464/
settings 'prefix-check tcp 192.0.2.1 port 8080' 'prefix-check tcp 192.0.2.1 port 8081'
ctl reload >/dev/null
equal 'a reload with other targets: it is down' $only_a "$(addresses)"
settings 'prefix-check tcp 192.0.2.1 port 8080'
ctl reload >/dev/null
equal 'and with the first ones again' $only_a "$(addresses)"
works $b
check 'it comes back' wait_for 30 answers "$both"
check 'and is told' logged dns64d "prefix $b is up by prefix-check"

# --- the last one, and the target ---

dies $a
check 'the other' wait_for 30 answers $only_b
dies $b
check 'no prefix: the fault of the target' logged dns64d 'prefix-check tcp 192.0.2.1 port 8080 answers under no prefix'
equal 'nothing changes' $only_b "$(addresses)"
works $a
check 'the first is back: the last one goes' wait_for 30 answers $only_a
check 'the target answers again' logged dns64d 'prefix-check tcp 192.0.2.1 port 8080 answers again'
stop dns64d
equal 'exit status' 0 "$status"

# --- other targets, one of which answers is enough; a reload ---

works $b
stop accept
settings 'prefix-check tcp 192.0.2.1 port 8080' 'prefix-check dns 192.0.2.53 a.test' \
	'client 127.0.0.9 {' "dns64-prefix $b" '}'
start dns python3 "$TOP_SRCDIR/tests/system/target.py" dns 53
start_dns64d
check 'one refuses: its fault' logged dns64d 'prefix-check tcp 192.0.2.1 port 8080 answers under no prefix'
equal 'the other is enough' "$both" "$(addresses)"
dies $b
check 'by DNS' wait_for 30 answers $only_a
check 'and why' logged dns64d "prefix $b is down by prefix-check: .* no answer in time"
equal 'a client with no other keeps it' 2001:db8:b::a00:1 "$(addresses -b 127.0.0.9)"
check 'prefixes has that' is ', but active as the last one left, last error: ' ctl prefixes
check 'and the log has it' logged dns64d 'no prefix passes prefix-check for 1 of 2 policies: the one that failed last'
ctl reload >/dev/null
equal 'a reload keeps that' $only_a "$(addresses)"
ctl prefix down $a >/dev/null
equal 'by hand: the last one is not taken by probes' $only_b "$(addresses)"
ctl prefix down $b >/dev/null
check 'none is active: extended errors say by whom' is 'no NAT64 prefix is active, by the operator' \
	kdig @127.0.0.1 -p 5364 +edns "$known" AAAA
ctl prefix active $a >/dev/null
equal 'back' $only_a "$(addresses)"
ctl prefix active $b >/dev/null
equal 'the lower state holds, whatever the operator says' $only_a "$(addresses)"
works $b
check 'it comes back' wait_for 30 answers "$both"
settings 'prefix-check none'
dies $b
ctl reload >/dev/null
sleep 2
equal 'nothing is asked any more' "$both" "$(addresses)"
stop dns

# --- garbage, and ping ---

start garbage python3 "$TOP_SRCDIR/tests/system/target.py" garbage 53
works $b
settings 'prefix-check dns 192.0.2.53 a.test' 'prefix-check icmp 192.0.2.1'
echo '1 0' >/proc/sys/net/ipv4/ping_group_range
check '-t: no ping socket' is "'icmp 192.0.2.1' cannot be asked by the daemon: Permission denied" ctl check-config "$work/dns64d.conf"
ctl reload >/dev/null
check 'garbage is no answer' logged dns64d 'prefix-check dns 192.0.2.53 a.test. answers under no prefix'
check 'no ping socket is no answer' logged dns64d 'prefix-check icmp 192.0.2.1 answers under no prefix'
equal 'nothing changes' "$both" "$(addresses)"
echo '0 2147483647' >/proc/sys/net/ipv4/ping_group_range
check '-t: nothing' test "$(ctl check-config "$work/dns64d.conf" | grep -c prefix-check)" -eq 0
check 'ping' logged dns64d 'prefix-check icmp 192.0.2.1 answers again'
dies $a
check 'by ping' wait_for 30 answers $only_b
stop dns64d
equal 'exit status' 0 "$status"
stop garbage

# --- what -t says ---

configure 'nameserver 127.0.0.1 port 5300' 'prefix-check icmp 2001:db8::1' 'prefix-check-fall 0'
check '-t: an IPv6 address' is "dns64d.conf:6: prefix-check: '2001:db8::1' is not an IPv4 address" ctl check-config "$work/dns64d.conf"
check '-t: fall 0' is "prefix-check-fall: '0' is not a number from 1 to 100" ctl check-config "$work/dns64d.conf"
finish
