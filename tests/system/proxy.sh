#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# proxy: a balancer that names its clients (proxy-protocol) gets for each of them what that client would get by
# itself, over UDP and TCP: policy, limits, cookies, logs, to the octet; who must send the header and does not, and
# who sends it and may not, gets nothing.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need python3
here=${TOP_SRCDIR:-.}/tests/system

# by ADDRESS OPTION...: what whoever has that address gets
by()
{
	by_from=$1
	shift
	python3 "$here/proxy.py" --from "$by_from" "$@"
}

# of ADDRESS OPTION...: the same over IPv4, for the AAAA of a name of fakedns
of()
{
	by "$@" "$asked" AAAA
}

count_of()
{
	ctl stats | sed -n "s/^$1  *\([0-9]*\) .*/\1/p" | grep . || echo 0
}

# ignored N: so many questions got nothing at least, as their client is denied
ignored()
{
	[ "$(count_of client_ignored)" -ge "$1" ]
}

# same WHAT CLIENT OPTION... NAME TYPE: CLIENT by itself and by the balancer gets the same octets
same()
{
	same_what=$1 same_client=$2
	shift 2
	case $same_client in
	*:*) same_at=::1 same_balancer=fd00::9 ;;
	*) same_at=127.0.0.1 same_balancer=127.0.0.9 ;;
	esac
	# A server cookie has the second: it may be another one in between, but hardly each time.
	for same_try in 1 2 3 4 5; do
		same_alone=$(by "$same_client" --hex --at "$same_at" "$@")
		same_proxied=$(by "$same_balancer" --hex --at "$same_at" --header "$same_client" "$@")
		case "$*" in
		*--cookie*) [ "$same_alone" = "$same_proxied" ] || [ "$same_try" = 5 ] || continue ;;
		esac
		break
	done
	equal "the same octets: $same_what" "$same_alone" "$same_proxied"
	check "and an answer: $same_what" test "${#same_alone}" -gt 24
}

settings()
{
	configure 'nameserver 127.0.0.1 port 5300' 'num-threads 2' "control-socket $control" \
		"query-log $work/state/queries" 'query-log-select all' \
		'allow 192.0.2.0/24 2001:db8::/32 fd00::/8' 'deny 203.0.113.0/24 drop' \
		'client 192.0.2.64/26 {' '	dns64-prefix 2001:db8:65::/96' '}' "$@"
}

mkdir -m 755 "$work/state" && chown "$usual" "$work/state" || exit 99
own_addresses fd00::9/128 fd00::7/128 || exit 99
start_fakedns --ttl 300
asked=010-000-000-001.dns64perf.test
settings 'proxy-protocol 127.0.0.9 fd00::9'
start_dns64d

# --- who asks, and where the answer goes ---

for tcp in '' --tcp; do
	equal "the client's policy $tcp" 'NOERROR 2001:db8:64::a00:1' "$(of 127.0.0.9 $tcp --header 192.0.2.1)"
	equal "another client's $tcp" 'NOERROR 2001:db8:65::a00:1' "$(of 127.0.0.9 $tcp --header 192.0.2.65)"
	equal "an IPv6 client by IPv4 $tcp" 'NOERROR 2001:db8:64::a00:1' "$(of 127.0.0.9 $tcp --header 2001:db8::1)"
	equal "an IPv4 client by IPv6 $tcp" 'NOERROR 2001:db8:65::a00:1' \
		"$(by fd00::9 $tcp --at ::1 --header 192.0.2.65 "$asked" AAAA)"
	equal "a mapped one $tcp" 'NOERROR 2001:db8:65::a00:1' "$(of 127.0.0.9 $tcp --header ::ffff:192.0.2.65)"
	equal "who may not ask $tcp" REFUSED "$(of 127.0.0.9 $tcp --header 198.51.100.1)"
	equal "LOCAL $tcp" 'NOERROR 2001:db8:64::a00:1' "$(of 127.0.0.9 $tcp --header local)"
	equal "UNSPEC $tcp" 'NOERROR 2001:db8:64::a00:1' "$(of 127.0.0.9 $tcp --header unspec)"
	equal "no proxy, no header $tcp" 'NOERROR 2001:db8:64::a00:1' "$(of 127.0.0.8 $tcp)"
done
equal 'who gets no answer' nothing "$(of 127.0.0.9 --wait 1 --header 203.0.113.1)"
equal 'nor a connection' closed "$(of 127.0.0.9 --tcp --header 203.0.113.1)"
equal 'byte by byte' 'NOERROR 2001:db8:65::a00:1' "$(of 127.0.0.9 --tcp --bytes 1 --header 192.0.2.65)"
equal 'more questions behind one header' 'NOERROR 2001:db8:65::a00:1; NOERROR 2001:db8:65::a00:1' \
	"$(of 127.0.0.9 --tcp --times 2 --header 192.0.2.65)"
equal 'nothing was refused' 0 "$(count_of proxy_refused)"

# --- violations ---

for wrong in none v1 long cut 224.0.0.1 0.0.0.0 '192.0.2.1 192.0.2.1' 'local local'; do
	headers=
	for each in $wrong; do
		headers="$headers --header $each"
	done
	# shellcheck disable=SC2086 # words
	equal "nothing for $wrong" nothing "$(of 127.0.0.9 --wait 0.5 $headers)"
	# shellcheck disable=SC2086 # words
	equal "$wrong ends the connection" closed "$(of 127.0.0.9 --tcp $headers)"
done
equal 'a header from elsewhere' nothing "$(of 127.0.0.8 --wait 0.5 --header 192.0.2.1)"
equal 'over TCP' closed "$(of 127.0.0.8 --tcp --header 192.0.2.1)"
equal 'a second one' 'NOERROR 2001:db8:64::a00:1; closed' \
	"$(of 127.0.0.9 --tcp --times 2 --header 192.0.2.1 --second 192.0.2.65)"
equal 'all are counted' 19 "$(count_of proxy_refused)"
equal 'and logged once' 1 "$(grep -c '(proxy-protocol)' "$work/dns64d.log")"
equal 'and it serves on' 'NOERROR 2001:db8:64::a00:1' "$(of 127.0.0.9 --header 192.0.2.1)"

# --- what is logged of clients ---

check 'the query log has the client' wait_for 20 grep -q ' 192.0.2.65#4000 ' "$work/state/queries"
check 'and no balancer but for LOCAL' test "$(grep -c ' 127.0.0.9#' "$work/state/queries")" -eq 4
check 'explain is by the client' is 2001:db8:65::a00:1 ctl explain "$asked" AAAA client 192.0.2.65

# --- cookies are the client's ---

cookie=$(of 127.0.0.9 --header 192.0.2.1 --cookie 0102030405060708 | sed 's/.* //')
equal 'a cookie' 48 "${#cookie}"
good=$(count_of client_cookies_good)
of 127.0.0.9 --header 192.0.2.1 --cookie "$cookie" >/dev/null
equal 'counts for its client' $((good + 1)) "$(count_of client_cookies_good)"
of 127.0.0.9 --header 192.0.2.2 --cookie "$cookie" >/dev/null
equal 'and for no other' $((good + 1)) "$(count_of client_cookies_good)"

# --- a client's answers do not depend on the balancer ---

# Without a cache, in which time would pass. All the prefixes in ipv4only.arpa are too much for a datagram.
set --
for i in 1 2 3 4 5 6 7 8 9; do
	set -- "$@" "dns64-prefix 2001:db8:7$i::/96"
done
anew 'nameserver 127.0.0.1 port 5300' "control-socket $control" 'proxy-protocol 127.0.0.9 fd00::9' "$@" \
	'prefix-selection client-hash' 'client 127.0.0.8 {' 'hide-a yes' '}' 'any minimal'
for client in 127.0.0.7 127.0.0.8 fd00::7; do
	for tcp in '' --tcp; do
		# shellcheck disable=SC2086 # a word or none
		{
			same "AAAA of $client $tcp" $client $tcp "$asked" AAAA
			same "A of $client $tcp" $client $tcp "$asked" A
			same "MX of $client $tcp" $client $tcp "$asked" MX
			same "none such, with EDNS, of $client $tcp" $client $tcp --bufsize 4096 nothing.test AAAA
			same "a cookie of $client $tcp" $client $tcp --cookie 0102030405060708 "$asked" AAAA
			same "resolver.arpa of $client $tcp" $client $tcp resolver.arpa A
			same "ipv4only.arpa of $client $tcp" $client $tcp ipv4only.arpa AAAA
			same "signed by $client $tcp" $client $tcp --signed "$asked" AAAA
		}
	done
done
check 'too long for a datagram' is 'NOERROR tc' by fd00::9 --at ::1 --header fd00::7 ipv4only.arpa AAAA

# --- from the address that was asked, by a socket of all addresses ---

anew 'nameserver 127.0.0.1 port 5300' "control-socket $control" 'proxy-protocol 127.0.0.9 fd00::9' 'allow 192.0.2.0/24' \
	'listen :: port 5365' 'listen 0.0.0.0 port 5365'
equal 'IPv4' 'NOERROR 2001:db8:64::a00:1' "$(of 127.0.0.9 --at 127.0.0.77 --port 5365 --header 192.0.2.1)"
equal 'IPv6' 'NOERROR 2001:db8:64::a00:1' \
	"$(by fd00::9 --at fd00::7 --port 5365 --header 192.0.2.1 "$asked" AAAA)"

# --- questions that wait when their client is denied are dropped, and leave nothing ---

start_another silent 127.0.0.1 5399 --loss 100
anew 'nameserver 127.0.0.1 port 5399' "control-socket $control" 'proxy-protocol 127.0.0.9' 'allow 192.0.2.0/24' \
	'max-queries 256' 'max-waiting-per-client 0' 'max-same-question 0'
for round in 1 2 3; do
	equal "$round: they wait" '150 nothing' "$(of 127.0.0.9 --wait 0 --times 150 --header 192.0.2.1)"
	ctl deny 192.0.2.0/25 drop >/dev/null
	check "$round: and are dropped" wait_for 60 ignored $((150 * round))
	ctl undeny 192.0.2.0/25 >/dev/null
done
equal 'there is room for the next' NOERROR "$(by 127.0.0.9 --header 192.0.2.129 resolver.arpa A)"

# --- limits are the client's ---

stop dns64d
settings 'proxy-protocol 127.0.0.9' 'rate-limit 5' 'rate-limit-burst 5' 'rate-limit-slip 0' 'max-tcp-per-client 1'
start_dns64d
check 'a client has its limit' is nothing of 127.0.0.9 --wait 0.2 --times 20 --header 192.0.2.1
equal 'another one has its own' '5 NOERROR 2001:db8:64::a00:1' \
	"$(of 127.0.0.9 --times 5 --header 192.0.2.2)"
equal 'and may be forged, over UDP' 1 "$([ "$(count_of rate_dropped)" -gt 0 ] && echo 1)"
equal 'over TCP none' 'NOERROR 2001:db8:64::a00:1' "$(of 127.0.0.9 --tcp --header 192.0.2.1)"

# --- reload ---

equal 'the other balancer is none any more' nothing \
	"$(by fd00::9 --wait 0.5 --at ::1 --header 192.0.2.1 "$asked" AAAA)"
settings
check 'reload' is 'proxy-protocol was changed' sh -c "$TOP_BUILDDIR/dns64ctl -s $control reload; cat $work/dns64d.log"
equal 'without proxy-protocol: as before' NOTIMP "$(of 127.0.0.9 --header 192.0.2.1)"
equal 'and it is served' 'NOERROR 2001:db8:64::a00:1' "$(of 127.0.0.9)"
stop dns64d
equal 'exit status' 0 "$status"

# --- what -t reports ---

settings 'proxy-protocol ::/0'
"$DNS64D" -t -c "$work/dns64d.conf" >"$work/checked" 2>&1
equal 'a warning only' 0 $?
check 'of whoever can pass for any client' is 'can pass for any client' cat "$work/checked"
settings 'proxy-protocol 192.0.2.1/24'
"$DNS64D" -t -c "$work/dns64d.conf" >"$work/checked" 2>&1
check 'host bits' is 'did you mean 192.0.2.0/24' cat "$work/checked"
finish
