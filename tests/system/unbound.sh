#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# unbound: dns64d in front of Unbound, which validates signed.site.test.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need kdig unbound dnssec-signzone named-compilezone

began=$(milliseconds)
start_unbound
configure 'nameserver 127.0.0.1 port 5302'
start_dns64d

# answers NAME KDIG-ARGUMENT...: read the expected answer from standard input. TTLs run down in Unbound's cache.
answers()
{
	answers_name=$1
	shift
	equal "$way: $answers_name $*" "$(cat)" "$(answer "$@" "$answers_name" | whole_ttls)"
}

# whole_ttls: TTLs as they were when Unbound was started, at $began: what has run down since is no difference
whole_ttls()
{
	awk -v gone=$((($(milliseconds) - began) / 1000 + 1)) '
		BEGIN { n = split("60 120 600 3600", whole) }
		/^a[nud] / {
			for (i = 1; i <= n; i++) {
				if ($3 < whole[i] && $3 >= whole[i] - gone) {
					$3 = whole[i]
					break
				}
			}
		}
		{ print }'
}

# same NAME TYPE [KDIG-ARGUMENT...]: as Unbound itself answers, but for TTLs, which run down there
same()
{
	same_name=$1 same_type=$2
	shift 2
	equal "$way: $same_name $same_type $* as Unbound has it" \
		"$(answer_of 127.0.0.1 5302 "$@" "$same_name" -t "$same_type" | without_ttl)" \
		"$(answer "$@" "$same_name" -t "$same_type" | without_ttl)"
}

without_ttl()
{
	awk '/^a[nud] / { $3 = "-" } { print }' | sort
}

# At the first ask of each name the TTLs are whole.
insecure()
{
	answers v4.site.test -t AAAA "$@" <<-TEXT
		NOERROR qr rd ra
		an v4.site.test. 120 IN AAAA 2001:db8:64::c000:201
	TEXT
	answers far-v4.site.test -t AAAA "$@" <<-TEXT
		NOERROR qr rd ra
		an far-v4.site.test. 3600 IN CNAME v4.other.test.
		an v4.other.test. 60 IN AAAA 2001:db8:64::cb00:7101
	TEXT
	answers v4.tree.site.test -t AAAA "$@" <<-TEXT
		NOERROR qr rd ra
		an tree.site.test. 3600 IN DNAME target.site.test.
		an v4.tree.site.test. 0 IN CNAME v4.target.site.test.
		an v4.target.site.test. 120 IN AAAA 2001:db8:64::c000:205
	TEXT
	answers mapped.site.test -t AAAA "$@" <<-TEXT
		NOERROR qr rd ra
		an mapped.site.test. 600 IN AAAA 2001:db8:64::c000:209
	TEXT
}

# The same names again: Unbound has them in its cache now.
relayed()
{
	while read -r relayed_type relayed_name; do
		same "$relayed_name" "$relayed_type" "$@"
	done <<-TEXT
		A v4.site.test
		AAAA both.site.test
		AAAA c-both.site.test
		AAAA no-such-name.site.test
		MX mail.site.test
		NAPTR 1.2.3.e164.site.test
		SRV _sip._udp.site.test
		HTTPS web.site.test
		PTR 1.2.0.192.in-addr.arpa
	TEXT
}

# A validator behind us (RFC 6147 5.5, D3, D8, D9)
zone=signed.site.test
secure()
{
	same both.$zone AAAA "$@" +dnssec
	same both.$zone AAAA "$@" +adflag
	same no-such-name.$zone AAAA "$@" +dnssec
	same bogus.$zone AAAA "$@" +dnssec +cdflag
	same v4.$zone AAAA "$@" +dnssec +cdflag
	equal "$way: no AD for who did not ask for it (D9)" 'NOERROR qr rd ra' \
		"$(answer both.$zone AAAA "$@" +noadflag | head -n 1)"
	answers v4.$zone -t AAAA "$@" +dnssec <<-TEXT
		NOERROR qr rd ra
		opt Version: 0; flags: do; ext-rcode: NOERROR
		opt EDE: 29 (Synthesized)
		an v4.$zone. 120 IN AAAA 2001:db8:64::c000:265
	TEXT
	# Its AAAA is bogus, its A is not: an answer made of that would hide the attack.
	answers bogus.$zone -t AAAA "$@" <<-TEXT
		SERVFAIL qr rd ra
	TEXT
	equal "$way: the A of that name" "an bogus.$zone. - IN A 192.0.2.104" \
		"$(answer bogus.$zone A "$@" | without_ttl | grep "^an")"
	equal "$way: bogus AAAA, asked with CD (D8)" "an bogus.$zone. - IN AAAA 2001:db8:1::bae" \
		"$(answer bogus.$zone AAAA "$@" +cdflag | without_ttl | grep "^an")"
}

way='UDP, IPv6'
insecure
relayed
secure
server='127.0.0.1 5364' way='TCP, IPv4'
relayed +tcp
tell_statistics
check "the second time they were in the cache ($(statistic cache_hits))" test "$(statistic cache_hits)" -ge 9
stop dns64d
stop unbound
began=$(milliseconds)
start_unbound
start_dns64d
insecure +tcp
secure +tcp
equal '60 AAAA over TCP' 60 "$(answer +tcp many.site.test AAAA | grep -c '^an many.site.test. [0-9]* IN AAAA ')"
equal '3,000 octets of text: TC' 'NOERROR qr tc rd ra' "$(answer long.site.test TXT | head -n 1)"
equal '3,000 octets of text over TCP' "$(answer_of 127.0.0.1 5302 +tcp long.site.test TXT | without_ttl | cksum)" \
	"$(answer +tcp long.site.test TXT | without_ttl | cksum)"

tell_statistics
check 'bogus answers were counted' test "$(statistic bogus)" -gt 0
equal 'no answer was synthesized after a failure' 0 "$(statistic synthesized_failed)"

# --- With the reason in the answer (EDE 6, RFC 8914) a question with CD is not needed ---

stop dns64d
stop unbound
began=$(milliseconds)
start_unbound 'ede: yes'
start_dns64d
way='EDE'
answers bogus.$zone -t AAAA <<-TEXT
	SERVFAIL qr rd ra
TEXT
tell_statistics
equal 'bogus by EDE' 1 "$(statistic bogus)"
equal 'one question was enough' 1 "$(statistic upstream_udp)"

finish
