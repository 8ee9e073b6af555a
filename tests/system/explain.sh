#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# explain: what dns64ctl explain tells is what a client gets, for each kind of answer (D33): the rcode, the
# addresses, the reason; and the line of the configuration that decided. A question that is explained is counted
# nowhere, and a dry one asks nobody. Those who hang up, a reload and a stop meanwhile lose nothing.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need kdig ip unbound python3 curl
control=$work/state/control
mkdir -m 755 "$work/state" && chown "$usual" "$work/state" || exit 99
conf=$work/dns64d.conf

own_addresses 192.0.2.53/32 10.1.0.1/32 10.2.0.1/32 10.3.0.1/32 10.4.0.1/32 10.5.0.1/32 10.6.0.1/32 203.0.113.1/32 ||
	give_up 'no addresses'

# our_unbound: an upstream that has each kind of name
our_unbound()
{
	cat >"$work/unbound.conf" <<-'END'
		server:
		  interface: 127.0.0.1@5300
		  do-daemonize: no
		  use-syslog: no
		  chroot: ""
		  username: ""
		  pidfile: ""
		  module-config: "iterator"
		  local-zone: "test." static
		  local-data: "test. 3600 SOA localhost. nobody.invalid. 1 3600 1200 604800 600"
		  local-data: "a.test. 300 A 8.8.0.1"
		  local-data: "two.test. 300 A 8.8.0.1"
		  local-data: "two.test. 300 A 10.0.0.9"
		  local-data: "6.test. 300 AAAA 2001:db8::6"
		  local-data: "mapped.test. 300 AAAA ::ffff:192.0.2.9"
		  local-data: "mapped.test. 300 A 8.8.0.9"
		  local-data: "some.test. 300 AAAA 2001:db8:bad::1"
		  local-data: "some.test. 300 AAAA 2001:db8::5"
		  local-data: "private.test. 300 A 10.1.2.3"
		  local-data: "excluded.test. 300 A 8.9.0.1"
		  local-data: "loop.test. 300 A 127.0.0.1"
		  local-data: "a.never.test. 300 A 8.8.0.2"
		  local-data: "a.ignore.test. 300 A 8.8.0.3"
		  local-data: "a.ignore.test. 300 AAAA 2001:db8::3"
		  local-data: "text.test. 300 TXT words"
		  local-data: "short.test. 1 A 8.8.0.4"
		  local-zone: "8.8.in-addr.arpa." static
		  local-data: "8.8.in-addr.arpa. 3600 SOA localhost. nobody.invalid. 1 3600 1200 604800 600"
		  local-data-ptr: "8.8.0.1 a.test"
		remote-control:
		  control-enable: no
	END
	start upstream unbound -d -c "$work/unbound.conf"
	wait_for 60 resolves 127.0.0.1 5300 a.test A || give_up 'no upstream'
}

settings()
{
	printf '%s\n' 'listen 192.0.2.53 port 5364' 'listen 127.0.0.1 port 5364' 'num-threads 1' "control-socket $control" \
		'nameserver 127.0.0.1 port 5300' 'allow 10.0.0.0/8' 'exclude-a 8.9.0.0/16' \
		'exclude-aaaa 2001:db8:bad::/48' 'never-synthesize never.test' 'ignore-aaaa ignore.test' \
		'client 10.2.0.0/16 {' '	synthesize never' '}' 'client 10.3.0.0/16 {' '	dns64-for ipv6' '}' \
		'client 10.4.0.0/16 {' '	dns64-prefix 2001:db8:64::/96 down' '}' \
		'client 10.5.0.0/16 {' '	hide-a yes' '	exclude-a 8.8.0.0/24' '}' \
		'client 10.6.0.0/16 {' '	map 10.0.0.0/8 2001:db8:66::/96' '}' \
		'client 10.7.0.0/16 {' '	dns64-prefix 2001:db8:67::/96' '}' "$@" >"$conf"
}

# real CLIENT KDIG-ARGUMENTS...: rcode and RDATA of the answer, sorted, on a line
real()
{
	real_client=$1
	shift
	ask 192.0.2.53 5364 -b "$real_client" +bufsize=1232 "$@" | awk '{ print $NF }' | sort | tr '\n' ' '
}

# explained WORD...: the same of what is explained; then the reason, and the line that decided
explained()
{
	ctl --json explain "$@" >"$work/explained"
	python3 - "$work/explained" <<-'END'
		import json, sys
		j = json.load(open(sys.argv[1]))
		a = j["answer"] or {"rcode": "none", "answer": []}
		print(" ".join(sorted([a["rcode"]] + [r.split()[-1] for r in a["answer"]])), "")
		print((j["reason"] or {"name": "-"})["name"])
		by = j["decided_by"]
		print("-" if by is None else by["rule"] if "rule" in by else "%s:%s" % (by["file"], by["line"]))
	END
}

# line_of TEXT: file and number of the line of the configuration that has it
line_of()
{
	echo "$conf:$(grep -n -F -- "$1" "$conf" | head -n 1 | cut -d : -f 1)"
}

# agrees REASON BY CLIENT NAME TYPE [WORD...]: explain says what the client gets, whichever comes first, and that
# this line decided (BY: what is in it; - for none, or a rule)
agrees()
{
	agrees_reason=$1 agrees_by=$2 agrees_client=$3 agrees_name=$4 agrees_type=$5
	shift 5
	agrees_flags=
	for agrees_word; do
		case $agrees_word in
		do) agrees_flags="$agrees_flags +dnssec" ;;
		cd) agrees_flags="$agrees_flags +cdflag" ;;
		esac
	done
	for agrees_turn in 1 2; do
		[ -n "${keep_cache-}" ] || ctl flush all >/dev/null
		# shellcheck disable=SC2086 # flags
		[ $agrees_turn = 1 ] || agrees_real=$(real "$agrees_client" "$agrees_name" "$agrees_type" $agrees_flags)
		explained "$agrees_name" "$agrees_type" client "$agrees_client" "$@" >"$work/told"
		# shellcheck disable=SC2086 # flags
		[ $agrees_turn = 2 ] || agrees_real=$(real "$agrees_client" "$agrees_name" "$agrees_type" $agrees_flags)
		equal "$agrees_client $agrees_name $agrees_type ($agrees_turn): what the client gets" "$agrees_real" \
			"$(sed -n 1p "$work/told")"
		equal "$agrees_client $agrees_name $agrees_type ($agrees_turn): the reason" "$agrees_reason" \
			"$(sed -n 2p "$work/told")"
	done
	case $agrees_by in
	-) equal "$agrees_name: no line decided" - "$(sed -n 3p "$work/told")" ;;
	built* | no*) check "$agrees_name: decided by a rule" is "$agrees_by" sed -n 3p "$work/told" ;;
	*) equal "$agrees_name: the line that decided" "$(line_of "$agrees_by")" "$(sed -n 3p "$work/told")" ;;
	esac
}

# counted: all counters of what clients asked and got, and the answers of the query log; not its
# lines, which its thread counts when it has written them, a little later: they are looked for in the log itself.
counted()
{
	ctl --json stats | grep -E '"(client_|answers|asked|aaaa_|synth|cache_hits|query_log|bogus|servfail|rate_)[a-z_]*":' |
		grep -v query_log_written | sort
}

# sends: how many questions went upstream
sends()
{
	ctl --json upstreams | sed -n 's/.*"sends": \([0-9]*\).*/\1/p'
}

our_unbound
settings 'query-log stderr' 'query-log-select all'
start_dns64d

# --- each kind of answer ---

agrees native - 10.1.0.1 6.test AAAA
agrees native-filtered 2001:db8:bad::/48 10.1.0.1 some.test AAAA
agrees synth-no-aaaa - 10.1.0.1 a.test AAAA
agrees synth-no-aaaa - 10.1.0.1 two.test AAAA
agrees synth-aaaa-excluded 'built in: ::ffff' 10.1.0.1 mapped.test AAAA
agrees synth-aaaa-ignored ignore.test 10.1.0.1 a.ignore.test AAAA
agrees nxdomain - 10.1.0.1 nothing.test AAAA
agrees no-a - 10.1.0.1 text.test AAAA
# These four look alike to a client.
agrees a-private 'built in: it is not a global' 10.1.0.1 private.test AAAA
agrees a-excluded 'exclude-a 8.9.0.0/16' 10.1.0.1 excluded.test AAAA
agrees never-synthesize never.test 10.1.0.1 a.never.test AAAA
agrees client-never '	synthesize never' 10.2.0.1 a.test AAAA
agrees a-excluded 'built in: it is no address' 10.1.0.1 loop.test AAAA
agrees a-excluded 'exclude-a 8.8.0.0/24' 10.5.0.1 a.test AAAA
agrees synth-no-aaaa - 10.6.0.1 private.test AAAA
agrees client-family 'dns64-for ipv6' 10.3.0.1 a.test AAAA
agrees no-prefix '2001:db8:64::/96 down' 10.4.0.1 a.test AAAA
agrees hidden-a 'hide-a yes' 10.5.0.1 a.test A
agrees client-validates - 10.1.0.1 a.test AAAA 'do' cd
agrees synth-no-aaaa - 10.1.0.1 a.test AAAA 'do'
agrees relayed - 10.1.0.1 a.test A
agrees relayed - 10.1.0.1 text.test TXT
agrees reverse - 10.1.0.1 1.0.0.0.8.0.8.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.b.9.f.f.4.6.0.0.ip6.arpa PTR
agrees ipv4only - 10.1.0.1 ipv4only.arpa AAAA
agrees localhost - 10.1.0.1 localhost AAAA
agrees denied 'no allow line has this client' 203.0.113.1 a.test AAAA
keep_cache=yes
agrees synth-no-aaaa - 10.1.0.1 a.test AAAA
check 'from the cache, with its age' is '"cached": true' cat "$work/explained"
check 'and fresh' is '"stale": false' cat "$work/explained"
check 'no log line of a client that was refused' sh -c "[ \$(grep -c 'refused a client' $work/dns64d.log) -le 1 ]"

# --- for people ---

ctl explain private.test client 10.1.0.1 >"$work/said"
check 'the conclusion is the first line' is 'private.test. AAAA for 10.1.0.1 over UDP: NOERROR, no AAAA; not-synthesized: its IPv4 addresses are not global' head -n 1 "$work/said"
check 'each address' is '10.1.2.3: not mapped: 64:ff9b::/96 is for global addresses only' cat "$work/said"
ctl explain private.test client 10.7.0.1 >"$work/said"
equal 'under a prefix of ones own it is mapped, and nothing speaks against it' 1 \
	"$(grep -c '10.1.2.3: mapped$' "$work/said")"
ctl prefix down 2001:db8:67::/96 client 10.7.0.0/16 >/dev/null
ctl explain private.test client 10.7.0.1 >"$work/said"
check 'that dns64ctl set it down, not the line that has it active' is \
	'decided by  dns64ctl: dns64-prefix 2001:db8:67::/96 down' sed -n 2p "$work/said"
ctl prefix active 2001:db8:67::/96 client 10.7.0.0/16 >/dev/null
ctl explain excluded.test client 10.1.0.1 >"$work/said"
check 'the line' is "$(line_of 'exclude-a 8.9.0.0/16'): exclude-a 8.9.0.0/16" sed -n 2p "$work/said"
ctl explain a.test client 10.2.0.1 >"$work/said"
check 'the block' is "$(line_of 'client 10.2.0.0/16'): client 10.2.0.0/16" cat "$work/said"
check 'by what it may ask' is "$(line_of 'allow 10.0.0.0/8'): allow 10.0.0.0/8" cat "$work/said"
ctl flush all >/dev/null
ctl explain 6.test >"$work/said"
check 'the question upstream, and why there' is 'to 127.0.0.1#5300 over UDP: 6.test. AAAA, attempt 1: the only one' \
	cat "$work/said"
check 'the reply, and its time' is 'from 127.0.0.1#5300 over UDP: 6.test. AAAA NOERROR, 1 answers, after ' cat "$work/said"
check 'what the cache keeps' is 'cache: 6.test. AAAA kept, positive, TTL 300 s' cat "$work/said"
check 'over TCP' is 'over TCP: NOERROR, 1 TXT' ctl explain text.test TXT tcp

# --- what it changes ---

ctl flush all >/dev/null
counted >"$work/before"
lines=$(grep -c 'test. IN ' "$work/dns64d.log")
sent=$(sends)
for name in a.test 6.test private.test a.never.test nothing.test; do
	ctl explain --dry $name client 10.1.0.1 >"$work/said"
	case $name in
	*) check "dry: $name: what it would ask" is "would ask $name. AAAA" cat "$work/said" ;;
	esac
	check "dry: whom" is 'of 127.0.0.1#5300' cat "$work/said"
done
equal 'dry: nobody was asked' "$sent" "$(sends)"
ctl explain a.test client 10.1.0.1 --ask >/dev/null
check 'ask: an upstream was' test "$(sends)" -gt "$sent"
sent=$(sends)
check 'dry: what is known now' is 'NOERROR, 1 AAAA; synthesized' ctl explain a.test client 10.1.0.1 --dry
real 10.1.0.1 a.test AAAA >"$work/said"
check 'a client gets what was asked for that' is '64:ff9b::808:1' cat "$work/said"
equal 'of the cache' "$sent" "$(sends)"
counted >"$work/after"
check 'a client is counted' sh -c "! cmp -s $work/before $work/after"
counted >"$work/before"
ctl flush all >/dev/null
for name in a.test 6.test private.test a.never.test nothing.test; do
	ctl explain $name client 10.1.0.1 >/dev/null
	ctl explain $name client 203.0.113.1 >/dev/null
done
counted >"$work/after"
equal 'who is explained is not' "$(cat "$work/before")" "$(cat "$work/after")"
sleep 0.5
equal 'and is not in the query log' $((lines + 1)) "$(grep -c 'test. IN ' "$work/dns64d.log")"

# --- bad input ---

for bad in 'name=a..b 63 characters' 'type=AAAA name is missing' 'name=a.test&type=nonsense TYPE and a number' \
	'name=a.test&type=TKEY can be asked for' 'name=a.test&client=10.1 an IPv4 or IPv6 address' \
	'name=a.test&ask=maybe "0"' 'name=a.test&colour=red "client"' "name=$(printf '%0300d' 0) 253 in all"; do
	got=$(curl -s -w '%{http_code}' --unix-socket "$control" "http://d/explain?${bad%% *}" | tr -d '\n')
	check "400: ${bad%% *}" is '}400' echo "$got"
	check "with what is allowed: ${bad#* }" is "${bad#* }" echo "$got"
done
for words in '' 'a.test AAAA A' 'a.test client' 'a.test --ask --dry' 'a.test AAAA client 10.1.0.1 nonsense'; do
	# shellcheck disable=SC2086 # words
	ctl explain $words >/dev/null 2>&1 && check "explain $words" false
done
ctl ping --dry >/dev/null 2>&1
equal '--dry is for explain' 2 $?

# --- stale, and no upstream ---

settings 'serve-stale 1000'
ctl reload >/dev/null
keep_cache=yes
real 10.1.0.1 short.test A >/dev/null
stop upstream
sleep 2
agrees stale - 10.1.0.1 short.test A
check 'stale: told' is '"stale": true' cat "$work/explained"
check 'dry: the stale entry' is 'an expired entry' sh -c "$TOP_BUILDDIR/dns64ctl -s $control explain short.test A --dry | grep -q 'stale: \|EXPIRED\|expired' && echo an expired entry"
real 10.1.0.1 6.test AAAA >/dev/null
explained 6.test AAAA client 10.1.0.1 >"$work/told"
equal 'no upstream: what the client gets' "$(real 10.1.0.1 6.test AAAA)" "$(sed -n 1p "$work/told")"

# --- those who hang up, others at the same time, a reload, a stop ---

start mute "$upstream" 5300 mute
ctl flush all >/dev/null
curl -s -m 0.3 --unix-socket "$control" "http://d/explain?name=first.test" >/dev/null
curl -s -m 25 --unix-socket "$control" "http://d/explain?name=second.test" >"$work/second" &
second=$!
ctl explain third.test >"$work/said"
equal 'another one waits, and has its answer' 0 $?
check '  which is its own' is 'third.test' cat "$work/said"
check 'silence, and its time' is 'no reply from 127.0.0.1#5300 over UDP: third.test. AAAA, after ' cat "$work/said"
wait $second
check '  as has who asked before' is '"name": "second.test."' cat "$work/second"
check 'then it is over' is 'SERVFAIL' ctl explain fourth.test
curl -s --unix-socket "$control" "http://d/explain?name=fifth.test" >"$work/fifth" &
fifth=$!
wait_for 20 logged mute fifth.test
settings 'serve-stale 1000' 'hide-a yes'
ctl reload >/dev/null
wait $fifth
check 'a reload meanwhile' is '"reloaded": true' cat "$work/fifth"
check 'no line is told then' is '"decided_by": null' cat "$work/fifth"
curl -s -w '%{http_code}' --unix-socket "$control" "http://d/explain?name=sixth.test" >"$work/sixth" &
sixth=$!
wait_for 20 logged mute sixth.test
stop dns64d
equal 'a stop meanwhile: it ends well' 0 "$status"
wait $sixth
check 'who waited has an answer' grep -q '503\|SERVFAIL' "$work/sixth"
stop mute

# --- the rate limit ---

our_unbound
settings 'rate-limit 1' 'rate-limit-burst 3' 'rate-limit-slip 1'
start_dns64d
for _ in 1 2 3 4 5 6 7 8; do
	explained a.test AAAA client 10.1.0.1 >"$work/told"
done
equal 'explaining spends nothing' synth-no-aaaa "$(sed -n 2p "$work/told")"
for _ in 1 2 3 4 5 6 7 8; do
	kdig @192.0.2.53 -p 5364 -b 10.1.0.1 +ignore +retry=0 a.test AAAA >"$work/last"
done
explained a.test AAAA client 10.1.0.1 >"$work/told"
check 'a client beyond it gets TC' is ' tc ' cat "$work/last"
equal 'explained: the reason' rate-limited "$(sed -n 2p "$work/told")"
equal 'explained: the line' "$(line_of 'rate-limit 1')" "$(sed -n 3p "$work/told")"
check 'explained: TC' is '"tc": true' cat "$work/explained"
explained a.test AAAA client 10.1.0.1 tcp >"$work/told"
equal 'over TCP there is none' synth-no-aaaa "$(sed -n 2p "$work/told")"
stop dns64d
finish
