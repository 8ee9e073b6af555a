#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# bind: dns64d in front of BIND, asked by kdig: exact answers over UDP and TCP, IPv4 and IPv6.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need kdig named dnssec-signzone named-compilezone

start_named
# Without a cache all is as named has it (D24).
configure 'nameserver 127.0.0.1 port 5301' 'udp-size-client 4096' 'cache-size 0'
start_dns64d
from_cache=no

SOA='au site.test. 120 IN SOA ns.site.test. hostmaster.site.test. 1 3600 600 86400 120'
OTHER_SOA='au other.test. 60 IN SOA ns.other.test. hostmaster.other.test. 1 3600 600 86400 60'

# as_fresh FRESH CACHED: CACHED, with AA and the whole TTLs where FRESH has them and a minute at most has passed
as_fresh()
{
	printf '%s\n' "$1" >"$work/fresh"
	printf '%s\n' "$2" | awk -v fresh="$work/fresh" '
		(getline line <fresh) <= 0 { line = "" }
		NR == 1 && line ~ / aa / && !/ aa / { sub(/ qr( tc)?/, "& aa") }
		/^a[nud] / && split(line, f) >= 3 && f[3] - $3 > 0 && f[3] - $3 <= 60 {
			# the MINIMUM of a local SOA goes down with its TTL (D16)
			if (/ nobody\.invalid\. / && $NF == $3)
				$NF = f[3]
			$3 = f[3]
		}
		{ print }'
}

# answer_is WHAT EXPECTED GOT
answer_is()
{
	answer_got=$3
	[ $from_cache = no ] || answer_got=$(as_fresh "$2" "$3")
	equal "$1" "$2" "$answer_got"
}

# answers NAME [KDIG-ARGUMENT...]: read the expected answer from standard input
answers()
{
	answers_name=$1
	shift
	answer_is "$way: $answers_name $*" "$(cat)" "$(answer "$@" "$answers_name")"
}

# What dns64d makes; TTL: the smallest of the A's, the SOA's and its MINIMUM (RFC 6147 5.1.7)
synthesized()
{
	answers v4.site.test -t AAAA "$@" <<-TEXT
		NOERROR qr rd ra
		an v4.site.test. 120 IN AAAA 2001:db8:64::c000:201
	TEXT
	answers v4short.site.test -t AAAA "$@" <<-TEXT
		NOERROR qr rd ra
		an v4short.site.test. 30 IN AAAA 2001:db8:64::c000:202
	TEXT
	answers v4two.site.test -t AAAA "$@" <<-TEXT
		NOERROR qr rd ra
		an v4two.site.test. 120 IN AAAA 2001:db8:64::c000:20b
		an v4two.site.test. 120 IN AAAA 2001:db8:64::c000:20c
	TEXT
	answers x.wild.site.test -t AAAA "$@" <<-TEXT
		NOERROR qr rd ra
		an x.wild.site.test. 120 IN AAAA 2001:db8:64::c000:214
	TEXT
	# 10/8 and the like are somebody's own behind a network-specific prefix (D14)
	answers private.site.test -t AAAA "$@" <<-TEXT
		NOERROR qr rd ra
		an private.site.test. 120 IN AAAA 2001:db8:64::a01:203
		an private.site.test. 120 IN AAAA 2001:db8:64::ac10:405
		an private.site.test. 120 IN AAAA 2001:db8:64::c0a8:607
	TEXT
	answers local-too.site.test -t AAAA "$@" <<-TEXT
		NOERROR qr rd ra
		an local-too.site.test. 120 IN AAAA 2001:db8:64::c000:207
	TEXT
	# ::ffff:0:0/96 is as good as none (RFC 6147 5.1.4, D7); 600 s at most (D2)
	answers mapped.site.test -t AAAA "$@" <<-TEXT
		NOERROR qr rd ra
		an mapped.site.test. 600 IN AAAA 2001:db8:64::c000:209
	TEXT
}

# Chains go into the answer in their order (RFC 6147 5.1.5, D6)
chains()
{
	answers c-v4.site.test -t AAAA "$@" <<-TEXT
		NOERROR qr rd ra
		an c-v4.site.test. 3600 IN CNAME v4.site.test.
		an v4.site.test. 120 IN AAAA 2001:db8:64::c000:201
	TEXT
	answers c3-v4.site.test -t AAAA "$@" <<-TEXT
		NOERROR qr rd ra
		an c3-v4.site.test. 900 IN CNAME c2-v4.site.test.
		an c2-v4.site.test. 600 IN CNAME c-v4.site.test.
		an c-v4.site.test. 3600 IN CNAME v4.site.test.
		an v4.site.test. 120 IN AAAA 2001:db8:64::c000:201
	TEXT
	answers c-neither.site.test -t AAAA "$@" <<-TEXT
		NOERROR qr rd ra
		an c-neither.site.test. 3600 IN CNAME neither.site.test.
		$SOA
	TEXT
	answers v4.tree.site.test -t AAAA "$@" <<-TEXT
		NOERROR qr rd ra
		an tree.site.test. 3600 IN DNAME target.site.test.
		an v4.tree.site.test. 3600 IN CNAME v4.target.site.test.
		an v4.target.site.test. 120 IN AAAA 2001:db8:64::c000:205
	TEXT
	answers neither.tree.site.test -t AAAA "$@" <<-TEXT
		NOERROR qr rd ra
		an tree.site.test. 3600 IN DNAME target.site.test.
		an neither.tree.site.test. 3600 IN CNAME neither.target.site.test.
		$SOA
	TEXT
	answers c-tree.site.test -t AAAA "$@" <<-TEXT
		NOERROR qr rd ra
		an c-tree.site.test. 3600 IN CNAME v4.tree.site.test.
		an tree.site.test. 3600 IN DNAME target.site.test.
		an v4.tree.site.test. 3600 IN CNAME v4.target.site.test.
		an v4.target.site.test. 120 IN AAAA 2001:db8:64::c000:205
	TEXT
	answers far-v4.site.test -t AAAA "$@" <<-TEXT
		NOERROR qr rd ra
		an far-v4.site.test. 3600 IN CNAME v4.other.test.
		an v4.other.test. 60 IN AAAA 2001:db8:64::cb00:7101
	TEXT
	answers far-neither.site.test -t AAAA "$@" <<-TEXT
		NOERROR qr rd ra
		an far-neither.site.test. 3600 IN CNAME neither.other.test.
		$OTHER_SOA
	TEXT
	answers v4.far-tree.site.test -t AAAA "$@" <<-TEXT
		NOERROR qr rd ra
		an far-tree.site.test. 3600 IN DNAME other.test.
		an v4.far-tree.site.test. 3600 IN CNAME v4.other.test.
		an v4.other.test. 60 IN AAAA 2001:db8:64::cb00:7101
	TEXT
}

# No AAAA, and no A that could be embedded (D2, D14)
negative()
{
	for negative_name in neither local multicast mapped-only; do
		answers $negative_name.site.test -t AAAA "$@" <<-TEXT
			NOERROR qr rd ra
			$SOA
		TEXT
	done
	answers x.nowhere.site.test -t AAAA "$@" <<-TEXT
		SERVFAIL qr rd ra
	TEXT
	answers mapped-too.site.test -t AAAA "$@" <<-TEXT
		NOERROR qr rd ra
		an mapped-too.site.test. 3600 IN AAAA 2001:db8:1::11
	TEXT
}

# PTR under the prefix, and under the Well-Known one (RFC 6147 5.3.1, D16)
LOCAL_SOA='3600 IN SOA localhost. nobody.invalid. 1 3600 1200 604800 600'
# of what upstream says so of: for as long as it does
LOCAL_SOA_120='120 IN SOA localhost. nobody.invalid. 1 3600 1200 604800 120'
reverse()
{
	reverse_net=0.0.0.0.0.0.0.0.0.0.0.0.4.6.0.0.8.b.d.0.1.0.0.2.ip6.arpa.
	answers 1.0.2.0.0.0.0.c.$reverse_net -t PTR "$@" <<-TEXT
		NOERROR qr rd ra
		an 1.0.2.0.0.0.0.c.$reverse_net 600 IN CNAME 1.2.0.192.in-addr.arpa.
		an 1.2.0.192.in-addr.arpa. 3600 IN PTR v4.site.test.
	TEXT
	answers 2.0.2.0.0.0.0.c.$reverse_net -t PTR "$@" <<-TEXT
		NOERROR qr rd ra
		an 2.0.2.0.0.0.0.c.$reverse_net 60 IN CNAME 2.2.0.192.in-addr.arpa.
		an 2.2.0.192.in-addr.arpa. 60 IN PTR v4short.site.test.
	TEXT
	answers 5.0.2.0.0.0.0.c.$reverse_net -t PTR "$@" <<-TEXT
		NOERROR qr rd ra
		an 5.0.2.0.0.0.0.c.$reverse_net 600 IN CNAME 5.0-7.2.0.192.in-addr.arpa.
		an 5.0-7.2.0.192.in-addr.arpa. 1800 IN PTR v4.target.site.test.
	TEXT
	answers 9.0.2.0.0.0.0.c.$reverse_net -t PTR "$@" <<-TEXT
		NOERROR qr rd ra
		au $reverse_net $LOCAL_SOA_120
	TEXT
	answers 8.c.2.0.0.0.0.c.$reverse_net -t PTR "$@" <<-TEXT
		NXDOMAIN qr rd ra
		au $reverse_net $LOCAL_SOA_120
	TEXT
	answers 1.0.2.0.0.0.0.c.$reverse_net -t TXT "$@" <<-TEXT
		NOERROR qr rd ra
		au $reverse_net $LOCAL_SOA
	TEXT
	reverse_net=0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.b.9.f.f.4.6.0.0.ip6.arpa.
	answers 1.0.2.0.0.0.0.c.$reverse_net -t PTR "$@" <<-TEXT
		NOERROR qr rd ra
		an 1.0.2.0.0.0.0.c.$reverse_net 600 IN CNAME 1.2.0.192.in-addr.arpa.
		an 1.2.0.192.in-addr.arpa. 3600 IN PTR v4.site.test.
	TEXT
}

# same NAME TYPE [KDIG-ARGUMENT...]: passed on just as named itself answers (D24)
same()
{
	same_name=$1 same_type=$2
	shift 2
	# Extended errors are passed on (RFC 8914 section 3); other options are a matter of one hop.
	answer_is "$way: $same_name $same_type $* as named has it" \
		"$(answer_of 127.0.0.1 5301 "$@" "$same_name" -t "$same_type")" \
		"$(answer "$@" "$same_name" -t "$same_type")"
}

passed_on()
{
	while read -r passed_type passed_name; do
		same "$passed_name" "$passed_type" "$@"
	done <<-TEXT
		A v4.site.test
		A private.site.test
		A neither.site.test
		A c3-v4.site.test
		A loop1.site.test
		A far-v4.site.test
		A v4.tree.site.test
		A no-such-name.site.test
		AAAA v6.site.test
		AAAA both.site.test
		AAAA c-v6.site.test
		AAAA c-both.site.test
		AAAA c-nx.site.test
		AAAA far-v6.site.test
		AAAA far-nx.site.test
		AAAA v6.tree.site.test
		AAAA both.tree.site.test
		AAAA no-such-name.site.test
		MX mail.site.test
		MX v4.site.test
		TXT mail.site.test
		NAPTR 1.2.3.e164.site.test
		SRV _sip._udp.site.test
		HTTPS web.site.test
		TYPE65399 unknown.site.test
		ANY both.site.test
		SOA site.test
		NS site.test
		DS signed.site.test
		PTR 1.2.0.192.in-addr.arpa
		PTR 1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa
	TEXT
}

# The signed zone (RFC 6147 5.5, D8, D9)
signed()
{
	zone=signed.site.test
	signed_soa="au $zone. 120 IN SOA ns.$zone. hostmaster.$zone. 1 3600 600 86400 120"
	for signed_type in A TXT DNSKEY; do
		same both.$zone $signed_type "$@" +dnssec
		same both.$zone $signed_type "$@" +dnssec +cdflag
	done
	same both.$zone AAAA "$@" +dnssec
	same no-such-name.$zone AAAA "$@" +dnssec
	# DO and CD: hands off
	for signed_name in v4 v6 both neither c-v4 x.wild no-such-name; do
		same $signed_name.$zone AAAA "$@" +dnssec +cdflag
	done
	answers v4.$zone -t AAAA "$@" <<-TEXT
		NOERROR qr rd ra
		an v4.$zone. 120 IN AAAA 2001:db8:64::c000:265
	TEXT
	answers v4.$zone -t AAAA "$@" +cdflag <<-TEXT
		NOERROR qr rd ra cd
		an v4.$zone. 120 IN AAAA 2001:db8:64::c000:265
	TEXT
	answers v4.$zone -t AAAA "$@" +dnssec <<-TEXT
		NOERROR qr rd ra
		opt Version: 0; flags: do; ext-rcode: NOERROR
		opt EDE: 29 (Synthesized)
		an v4.$zone. 120 IN AAAA 2001:db8:64::c000:265
	TEXT
	answers c-v4.$zone -t AAAA "$@" <<-TEXT
		NOERROR qr rd ra
		an c-v4.$zone. 3600 IN CNAME v4.$zone.
		an v4.$zone. 120 IN AAAA 2001:db8:64::c000:265
	TEXT
	answers x.wild.$zone -t AAAA "$@" +dnssec <<-TEXT
		NOERROR qr rd ra
		opt Version: 0; flags: do; ext-rcode: NOERROR
		opt EDE: 29 (Synthesized)
		an x.wild.$zone. 120 IN AAAA 2001:db8:64::c000:278
	TEXT
	answers neither.$zone -t AAAA "$@" <<-TEXT
		NOERROR qr rd ra
		$signed_soa
	TEXT
}

# EDNS as it comes (RFC 6891; the questions of the DNS flag day), and what is not for us
edns()
{
	answers v4.site.test -t AAAA "$@" +edns <<-TEXT
		NOERROR qr rd ra
		opt Version: 0; flags: ; ext-rcode: NOERROR
		opt EDE: 29 (Synthesized)
		an v4.site.test. 120 IN AAAA 2001:db8:64::c000:201
	TEXT
	answers v4.site.test -t AAAA "$@" +edns=1 <<-TEXT
		BADVERS qr rd ra
		opt Version: 0; flags: ; ext-rcode: BADVERS
	TEXT
	answers v4.site.test -t AAAA "$@" +ednsopt=100:1234 <<-TEXT
		NOERROR qr rd ra
		opt Version: 0; flags: ; ext-rcode: NOERROR
		opt EDE: 29 (Synthesized)
		an v4.site.test. 120 IN AAAA 2001:db8:64::c000:201
	TEXT
	answers v4.site.test -t AAAA "$@" +zflag <<-TEXT
		NOERROR qr rd ra
		an v4.site.test. 120 IN AAAA 2001:db8:64::c000:201
	TEXT
	answers v4.site.test -t AAAA "$@" +noadflag <<-TEXT
		NOERROR qr rd ra
		an v4.site.test. 120 IN AAAA 2001:db8:64::c000:201
	TEXT
	answers v4.site.test -t AAAA "$@" +norec <<-TEXT
		REFUSED qr ra
	TEXT
	answers version.bind -t TXT -c CH "$@" <<-TEXT
		REFUSED qr rd ra
	TEXT
	answers v4.site.test -t AAAA -c CH "$@" <<-TEXT
		REFUSED qr rd ra
	TEXT
}

# Signed questions: BIND must find our client's signature right, the client BIND's, whatever is asked
# (RFC 8945, D20); so there is no synthesis either. A key that BIND does not have: its own error.
tsig()
{
	tsig_key=hmac-sha256:dns64d.:$tsig_secret
	for tsig_type in A AAAA MX; do
		equal "$way: TSIG, v4.site.test $tsig_type $*" \
			"$(answer_of 127.0.0.1 5301 -y "$tsig_key" "$@" v4.site.test -t $tsig_type | sed 's/dns64d\. 0 ANY TSIG.*/TSIG/')" \
			"$(answer -y "$tsig_key" "$@" v4.site.test -t $tsig_type | sed 's/dns64d\. 0 ANY TSIG.*/TSIG/')"
	done
	check "$way: TSIG, both signatures were there and right $*" is 'TSIG' \
		answer -y "$tsig_key" "$@" v4.site.test -t A
	check "$way: TSIG, none was found wrong $*" is '0' \
		sh -c "kdig $* +timeout=8 +retry=0 @127.0.0.1 -p 5364 -y $tsig_key v4.site.test A 2>&1 | grep -cE '^;; (WARNING|ERROR)'"
	check "$way: TSIG with another key is BIND's to refuse $*" is BADKEY \
		answer -y "hmac-sha256:other.:$tsig_secret" "$@" v4.site.test -t A
}

# A cookie comes back with ours behind it, and that is taken (RFC 7873)
cookies()
{
	cookies_got=$(kdig "$@" +timeout=8 +retry=0 +cookie=0011223344556677 @::1 -p 5364 v4.site.test AAAA |
		sed -n 's/.*COOKIE: \([0-9a-fA-F]*\).*/\1/p')
	check "$way: a cookie of 24 octets $*" is 001122334455667701000000 echo "$cookies_got"
	check "$way: an answer to that cookie $*" is NOERROR answer "$@" +cookie="$cookies_got" v4.site.test -t AAAA
}

# All answers, asked in each way
all()
{
	synthesized "$@"
	chains "$@"
	negative "$@"
	reverse "$@"
	passed_on "$@"
	signed "$@"
	edns "$@"
	tsig "$@"
	cookies "$@"
}

server='::1 5364' way='UDP, IPv6'
all
server='::1 5364' way='TCP, IPv6'
all +tcp
server='127.0.0.1 5364' way='UDP, IPv4'
passed_on +edns
synthesized
chains
server='127.0.0.1 5364' way='TCP, IPv4'
all +tcp

# --- sizes: TC only if needed, by the size of what is sent (RFC 6147 5.4, D12) ---

# size NAME TYPE [KDIG-ARGUMENT...]: "RECORDS FLAGS" of the answer
size()
{
	size_name=$1 size_type=$2
	shift 2
	answer "$@" "$size_name.site.test" -t "$size_type" | awk '
		NR == 1 { $1 = ""; flags = $0 } /^an / { n++ } END { print n + 0 flags }'
}

whole='60 qr rd ra'
passed='60 qr aa rd ra'
cut='qr tc rd ra'
equal '60 AAAA in 512 octets: TC' "$cut" "$(size many AAAA | cut -d' ' -f2-)"
equal '60 AAAA in 1232 octets: TC' "$cut" "$(size many AAAA +bufsize=1232 | cut -d' ' -f2-)"
equal '60 AAAA in 1719 octets: TC' "$cut" "$(size many AAAA +bufsize=1719 | cut -d' ' -f2-)"
equal '60 AAAA in 1736 octets' "$whole" "$(size many AAAA +bufsize=1736)"
equal '60 AAAA in 4096 octets' "$whole" "$(size many AAAA +bufsize=4096)"
equal '60 AAAA over TCP' "$whole" "$(size many AAAA +tcp)"
equal '60 A in 512 octets: TC' 'qr aa tc rd ra' "$(size many A | cut -d' ' -f2-)"
equal '60 A in 1232 octets' "$passed" "$(size many A +bufsize=1232)"
equal '60 A over TCP' "$passed" "$(size many A +tcp)"
equal '3,000 octets of text: TC' 'qr aa tc rd ra' "$(size long TXT | cut -d' ' -f2-)"
equal '3,000 octets of text in 4096: TC, for named was asked for 1232' 'qr aa tc rd ra' \
	"$(size long TXT +bufsize=4096 | cut -d' ' -f2-)"
equal '3,000 octets of text over TCP' "$(answer_of 127.0.0.1 5301 +tcp long.site.test TXT | cksum)" \
	"$(answer +tcp long.site.test TXT | cksum)"

# --- with a cache: a hit is as exact as a miss, but for AA and the time that has passed (D22, D24) ---

stop dns64d
configure 'nameserver 127.0.0.1 port 5301' 'udp-size-client 4096' 'cache-max-negative 86400'
start_dns64d
from_cache=yes
for way in 'cache, UDP, IPv6' 'cache, TCP, IPv4'; do
	case $way in
	*UDP*) server='::1 5364' tcp='' ;;
	*) server='127.0.0.1 5364' tcp=+tcp ;;
	esac
	for turn in passed_on signed negative chains synthesized reverse signed passed_on; do
		# shellcheck disable=SC2086 # may be none
		$turn $tcp
	done
done
tell_statistics
check "of the cache: $(statistic cache_hits) answers" test "$(statistic cache_hits)" -gt 200
check "of these $(statistic cache_hits_aaaa) AAAA" test "$(statistic cache_hits_aaaa)" -ge 90
check "nobody but TTL 0 is asked for twice ($(statistic upstream_udp) questions)" \
	test "$(statistic upstream_udp)" -lt 200
from_cache=no

# --- without configuration: 1232 octets, and private addresses not under 64:ff9b::/96 (D14) ---

stop dns64d
equal 'SIGTERM: exit status' 0 "$status"
printf '%s\n' 'nameserver 127.0.0.1 port 5301' 'listen ::1 port 5364' 'listen 127.0.0.1 port 5364' \
	>"$work/dns64d.conf"
start_dns64d
server='::1 5364' way='Well-Known Prefix'
equal '60 AAAA by default in at most 1232 octets' "$cut" "$(size many AAAA +bufsize=4096 | cut -d' ' -f2-)"
answers v4.site.test -t AAAA <<-TEXT
	NOERROR qr rd ra
	an v4.site.test. 120 IN AAAA 64:ff9b::c000:201
TEXT
answers private.site.test -t AAAA <<-TEXT
	NOERROR qr rd ra
	$SOA
TEXT

finish
