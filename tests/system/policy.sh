#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# policy: clients of several networks get what their block says (D13), those of others nothing (D23).
. "${TOP_SRCDIR:-.}/tests/system/lib.sh"
need kdig ip
start_upstream || {
	echo "no upstream"
	exit 99
}

# Our own address, and those of clients.
own_addresses 192.0.2.53/32 2001:db8::53/128 10.1.0.1/32 10.2.0.1/32 10.2.3.1/32 10.2.3.9/32 10.3.0.1/32 \
	10.4.0.1/32 10.5.0.1/32 10.9.0.1/32 203.0.113.1/32 2001:db8:1::1/128 2001:db8:2::1/128 || exit 99

# The first block stands before what it changes.
blocks()
{
	config dns64d.conf \
		'client 10.2.0.0/16 2001:db8:2::/48 {' '	dns64-prefix 2001:db8:65::/96' '}' \
		'nameserver 127.0.0.1 port 5300' \
		'listen 192.0.2.53' 'listen 2001:db8::53' 'listen 127.0.0.1' \
		'allow 10.0.0.0/8 2001:db8::/32' \
		'dns64-prefix 2001:db8:64::/96' \
		'map 198.51.100.0/24 2001:db8:66::/96' \
		'client 10.2.3.0/24 { # inside the first' '	hide-a yes' '}' \
		'client 10.2.3.9 {' '	synthesize never' '}' \
		'client 10.3.0.0/16 {' '	exclude-a 192.0.2.0/24' '	exclude-aaaa 2001:db8::46' '}' \
		'client 10.4.0.0/16 {' '	never-synthesize a.test' '	ignore-aaaa 46.test' '}' \
		'client 10.5.0.0/16 {' '	dns64-for ipv6' '}' \
		'version dns64d for a test' \
		"$@" >/dev/null
}

# ask_as CLIENT KDIG-ARGUMENTS...
ask_as()
{
	client=$1
	shift
	case $client in
	*:*) ask 2001:db8::53 53 -b "$client" "$@" ;;
	*) ask 192.0.2.53 53 -b "$client" "$@" ;;
	esac
}

# gets CLIENT NAME TYPE RCODE [ADDRESS...]: exactly that is the answer
gets()
{
	gets_client=$1 gets_name=$2 gets_type=$3
	shift 3
	gets_answer=$(ask_as "$gets_client" "$gets_name" "$gets_type" | awk '{ print $NF }' | tr '\n' ' ')
	check "$gets_client: $gets_name $gets_type: $*" test "$gets_answer" = "$* "
	[ "$gets_answer" = "$* " ] || echo "  got: $gets_answer"
}

blocks
start dns64d "$DNS64D" -f -c "$work/dns64d.conf"
wait_for 60 resolves 127.0.0.1 53 a.test A

# In no block
# One cache serves them all, whatever they are answered from it (D22).
gets 10.1.0.1 a.test AAAA NOERROR 2001:db8:64::c000:201
gets 10.1.0.1 b.test AAAA NOERROR 2001:db8:66::c633:6402
gets 10.1.0.1 a.test A NOERROR 192.0.2.1
gets 10.1.0.1 46.test AAAA NOERROR 2001:db8::46
gets 2001:db8:1::1 a.test AAAA NOERROR 2001:db8:64::c000:201
# One list is replaced, the other stays
gets 10.2.0.1 a.test AAAA NOERROR 2001:db8:65::c000:201
gets 10.2.0.1 b.test AAAA NOERROR 2001:db8:66::c633:6402
gets 2001:db8:2::1 a.test AAAA NOERROR 2001:db8:65::c000:201
# Networks do not merge
gets 10.2.3.1 a.test AAAA NOERROR 2001:db8:64::c000:201
gets 10.2.3.1 a.test A NOERROR
gets 10.2.3.9 a.test AAAA NOERROR
gets 10.2.3.9 a.test A NOERROR 192.0.2.1
# What is excluded
gets 10.3.0.1 a.test AAAA NOERROR
gets 10.3.0.1 b.test AAAA NOERROR 2001:db8:66::c633:6402
gets 10.3.0.1 46.test AAAA NOERROR
# Zones
gets 10.4.0.1 a.test AAAA NOERROR
gets 10.4.0.1 b.test AAAA NOERROR 2001:db8:66::c633:6402
gets 10.4.0.1 46.test AAAA NOERROR 2001:db8:64::c000:22e
gets 10.4.0.1 6.test AAAA NOERROR 2001:db8::6
# It came over IPv4
gets 10.5.0.1 a.test AAAA NOERROR
# Not allowed; the machine itself always is
gets 203.0.113.1 a.test AAAA REFUSED
check "the log names the line that would allow it" wait_for 60 logged dns64d 'allow 203.0.113'
gets 127.0.0.1 a.test AAAA NOERROR 2001:db8:64::c000:201
check "version.bind" is '"dns64d for a test"' ask 192.0.2.53 53 -b 10.1.0.1 -c CH version.bind TXT

# The blocks of the moment, also in a reload
blocks 'client 10.9.0.0/16 {' '	dns64-prefix 2001:db8:69::/96 ' '	hide-a yes' '}'
gets 10.9.0.1 a.test AAAA NOERROR 2001:db8:64::c000:201
kill -HUP "$(pid_of dns64d)"
wait_for 60 logged dns64d 'reload: done'
gets 10.9.0.1 a.test AAAA NOERROR 2001:db8:69::c000:201
gets 10.9.0.1 a.test A NOERROR
gets 10.2.3.9 a.test AAAA NOERROR
check "it tells how many blocks there are" logged dns64d 'client blocks 7'
# A contradiction leaves all as it was
blocks 'client 10.9.0.0/16 {' '	synthesize never' '}' 'client 10.9.0.0/16 {' '}'
kill -HUP "$(pid_of dns64d)"
check "both lines of a contradiction" wait_for 60 logged dns64d \
	'dns64d.conf:32: client: .10.9.0.0/16. is there, at line 29 already'
wait_for 60 logged dns64d 'nothing was changed'
gets 10.9.0.1 a.test AAAA NOERROR 2001:db8:69::c000:201
stop dns64d
check "it ends well" test "$status" = 0

# Without allow: the links of private addresses and of those that are listened on; the client's address
# comes there after that was looked at
own_addresses 198.51.100.1/24
ip addr del 203.0.113.1/32 dev lo
config dns64d.conf 'nameserver 127.0.0.1 port 5300' 'listen 192.0.2.53' 'dns64-prefix 2001:db8:64::/96' >/dev/null
start linked "$DNS64D" -f -c "$work/dns64d.conf"
wait_for 60 resolves 192.0.2.53 53 -b 127.0.0.1 a.test A
gets 198.51.100.1 a.test AAAA NOERROR 2001:db8:64::c000:201
own_addresses 203.0.113.1/32
gets 203.0.113.1 a.test AAAA REFUSED
check "a notice tells who may ask" logged linked 'allow: no such line, so these may ask, and no others: .*198.51.100.0/24'
stop linked

finish
