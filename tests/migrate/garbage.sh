#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# garbage: what is no configuration of its server is refused by contrib/migrate with the line, exit 1 and
# nothing on the standard output, within seconds, whatever its size; so are broken ones.
set -u
TOP_SRCDIR=$(cd "${TOP_SRCDIR:-.}" && pwd) || exit 99
TOP_BUILDDIR=$(cd "${TOP_BUILDDIR:-.}" && pwd) || exit 99
command -v python3 >/dev/null || {
	echo "no python3"
	exit 77
}
work=$(mktemp -d /tmp/dns64d-migrate.XXXXXX) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
n_failed=0

fail()
{
	echo "FAILED: $*"
	n_failed=$((n_failed + 1))
}

# refused PROGRAM FILE [WORDS]: with a line, and these words
refused()
{
	timeout 60 "$TOP_SRCDIR/contrib/migrate/$1" "$2" >out 2>err
	code=$?
	[ $code -eq 1 ] || fail "$1 $2: exit $code"
	[ ! -s out ] || fail "$1 $2: a half result"
	[ "$(wc -l <err)" -eq 1 ] || fail "$1 $2: $(wc -l <err) lines on the standard error"
	grep -qE "^$1: [^ ]*:[0-9]+: ." err || fail "$1 $2: no line is named: $(cat err)"
	grep -qF -- "${3:-}" err || fail "$1 $2: not said: $3, but: $(cat err)"
	[ "$(wc -c <err)" -lt 600 ] || fail "$1 $2: $(wc -c <err) bytes of error"
}

# --- other programs' files ---

cat >nginx.conf <<-'END'
	user www-data;
	http {
		server { listen 80; server_name "example.com"; }
	}
END
cat >dnsmasq.conf <<-'END'
	# dnsmasq
	server=192.0.2.1
	no-resolv
END
cat >some.yaml <<-'END'
	---
	version: "3"
	services:
	  dns: { image: unbound }
END
cat >some.json <<-'END'
	{ "dns64": { "prefix": "64:ff9b::/96" } }
END
cat >some.ini <<-'END'
	[Unit]
	Description=Unbound
END
cat >some.xml <<-'END'
	<?xml version="1.0"?>
	<options><dns64 prefix="64:ff9b::/96"/></options>
END
cat >Corefile <<-'END'
	. {
	    dns64 64:ff9b::/96
	    forward . 192.0.2.1
	}
END
cat >resolv.conf <<-'END'
	nameserver 192.0.2.1
	search example.com
END
cat "$TOP_SRCDIR/etc/dns64d.conf" >sample.conf
echo 'nameserver 192.0.2.1' >>sample.conf
echo 'int main(void) { return 0; }' >main.c
for program in totd bind unbound; do
	for file in nginx.conf dnsmasq.conf some.yaml some.json some.ini some.xml Corefile resolv.conf sample.conf main.c \
		"$TOP_SRCDIR/contrib/migrate/bind" "$TOP_SRCDIR/README" "$TOP_SRCDIR/tests/lint/shell.sh"; do
		refused $program "$file"
	done
	for other in totd bind unbound; do
		[ $other = $program ] || refused $program "$TOP_SRCDIR/tests/migrate/$other/01-"*.conf
	done
done

# --- binaries ---

head -c 3000 "$TOP_BUILDDIR/dns64d" >binary
printf 'server:\n  port: 53\n\001\n' >control
printf 'options {\n  version "a\0b";\n};\n' >zero
head -c 10000 /dev/urandom >random
for program in totd bind unbound; do
	refused $program binary 'not a text file'
	refused $program control
	refused $program zero
	refused $program random
	refused $program "$TOP_BUILDDIR/dns64d" 'not a text file'
done
refused unbound control ':3: the character \x01'
refused bind zero ':2: the character \x00'

# --- 10 MB and more ---

half=$(printf '%01024d' 0)
yes "$half" | head -c 10000000 >digits
tr -d '\n' <digits >one-line
yes '{' | head -c 10000000 >braces
yes '"' | head -c 10000001 | tr -d '\n' >quotes
yes '/* ' | head -c 10000000 | tr -d '\n' >comments
yes '# nothing' | head -c 20000000 >long
yes 'server:' | head -n 500000 >clauses
echo 'port' >>clauses
{ yes 'acl a { 10.0.0.0/8; };' | head -n 150000; echo '}'; } >acls
{ yes 'forwarder 192.0.2.1' | head -n 500000; echo 'forwarder'; } >forwarders
for program in totd bind unbound; do
	for file in digits one-line braces quotes comments long; do
		refused $program $file
	done
done
refused bind acls ':150001: '
refused unbound clauses ':500001: '
refused totd forwarders ':500001: '

# Lists of lists of lists: not looked at more than once each
awk 'BEGIN {
	print "acl a0 { 10.0.0.0/8; !192.0.2.1; key x; };"
	for (i = 1; i < 15; i++) {
		printf "acl a%d {", i
		for (j = 0; j < 10; j++)
			printf " %sa%d;", j % 2 ? "!" : "", i - 1
		print " };"
	}
	print "options { allow-recursion { a14; }; listen-on { a14; };"
	print "dns64 64:ff9b::/96 { clients { a14; }; mapped { a14; }; }; };"
	print "end;"
}' >lists
refused bind lists ":18: 'end' is no statement"
sed '$d' lists >lists.conf
timeout 20 "$TOP_SRCDIR/contrib/migrate/bind" lists.conf >out 2>err
code=$?
[ $code -eq 2 ] || fail "lists: exit $code"

# --- broken ---

# broken PROGRAM WORDS: the standard input is refused so
broken()
{
	cat >broken.conf
	refused "$1" broken.conf "$2"
}

broken bind ':1: the block that begins here is not closed' <<'END'
options { forwarders { 192.0.2.1; };
END
broken bind ':2: a } without a {' <<'END'
options { };
};
END
broken bind ':2: no ; ends this' <<'END'
options { };
acl a { any; }
END
broken bind ':1: a ; is missing before the }' <<'END'
options { recursion yes };
END
broken bind ':3: the quote that begins here' <<'END'
options {
	directory "/";
	version "x;
};
END
broken bind ':2: the comment that begins here' <<'END'
options { };
/* no end
END
broken bind "'dns65' is no statement" <<'END'
dns65 { };
END
broken bind ':2: dns64 2001:db8::/95: the length must be' <<'END'
options {
	dns64 2001:db8::/95 { };
};
END
broken bind 'bits 64 to 71 must be zero' <<'END'
options { dns64 2001:db8:0:0:ff00::/96 { }; };
END
broken bind ':1: dns64: a prefix such as' <<'END'
options { dns64 64:ff9b::1/96 { }; };
END
broken bind ':2: suffix ::1: the first 128 bits must be zero' <<'END'
options { dns64 2001:db8:64::/96 {
	suffix ::1; }; };
END
broken bind "'friends' is no network, and no acl has this name" <<'END'
options { allow-recursion { friends; }; };
END
broken bind 'access lists name each other' <<'END'
acl a { b; }; acl b { a; };
options { allow-recursion { a; }; };
END
broken bind 'access lists name each other' <<'END'
acl a { b; }; acl b { 192.0.2.1; a; };
options { listen-on { a; }; };
END
broken bind ':2: a { where a name must be' <<'END'
options {
	{ any; };
};
END
broken bind ':1: access list: a network must be there' <<'END'
options { allow-recursion { 10.0.0.0/33; }; };
END
broken bind ':2: options: there is one block of options already' <<'END'
options { };
options { };
END
broken bind ':1: max-cache-ttl: a time such as' <<'END'
options { max-cache-ttl soon; };
END
broken bind ':1: forwarders: an IP address must be there' <<'END'
options { forwarders { one.example; }; };
END
broken bind ':1: port: a number from 1 to 65535' <<'END'
options { forwarders { 192.0.2.1 port 70000; }; };
END
broken bind ':2: none.inc: No such file' <<'END'
options { };
include "none.inc";
END
broken bind 'files include each other' <<'END'
include "broken.conf";
END
broken bind ':1: minimal-any: yes or no' <<'END'
options { minimal-any perhaps; };
END
broken unbound ':2: port: a value must be in the same line' <<'END'
server:
  port:
END
broken unbound ":2: 'port': a keyword that ends with :" <<'END'
server:
  port 53
END
broken unbound ':1: port: a clause such as server:' <<'END'
port: 53
END
broken unbound ':2: access-control: 2 values' <<'END'
server:
  access-control: 10.0.0.0/8
END
broken unbound ":2: access-control: 'permit' is no action" <<'END'
server:
  access-control: 10.0.0.0/8 permit
END
broken unbound ':2: a quote is not closed' <<'END'
server:
  version: "x
END
broken unbound ':3: dns64-prefix 2001:db8::/95: the length' <<'END'
server:
  module-config: "dns64 iterator"
  dns64-prefix: 2001:db8::/95
END
broken unbound ":3: dns64-ignore-aaaa: a name must be there, not 'a # b'" <<'END'
server:
  module-config: "dns64 iterator"
  dns64-ignore-aaaa: "a # b"
END
broken unbound ':2: prefetch: yes or no' <<'END'
server:
  prefetch: maybe
END
broken unbound ':2: num-threads: a number' <<'END'
server:
  num-threads: four
END
broken unbound ':1: none.conf: No such file' <<'END'
include: "none.conf"
END
broken unbound ':3: forward-addr: an IP address' <<'END'
forward-zone:
  name: "."
  forward-addr: resolver.example
END
broken totd ':2: forwarder ADDRESS [port N]' <<'END'
port 53
forwarder 192.0.2.1 prot 53
END
broken totd ':1: prefix: an IPv6 address' <<'END'
prefix 2001:db8::/96
END
broken totd "'trick' is no keyword of totd; these are: forwarder" <<'END'
trick on
END
broken totd ':1: forwarder: the link-local address fe80::1 needs its interface' <<'END'
forwarder fe80::1
END
broken totd ':1: port: a number from 1 to 65535' <<'END'
port 0
END
broken totd 'must be a multiple of 8' <<'END'
scoped 2001:db8:: fec0:: 47
END

# --- no file at all, and wrong arguments: exit 1 as well ---

for program in totd bind unbound; do
	for arguments in none.conf . '' 'one two' '--nonsense one' '--nameserver x one' '--nameserver 192.0.2.1#x one'; do
		# shellcheck disable=SC2086 # words
		"$TOP_SRCDIR/contrib/migrate/$program" $arguments </dev/null >out 2>err
		code=$?
		if [ $code -ne 1 ] || [ -s out ] || [ ! -s err ]; then
			fail "$program $arguments: exit $code"
		fi
		! grep -q Traceback err || fail "$program $arguments: $(cat err)"
	done
	"$TOP_SRCDIR/contrib/migrate/$program" "$TOP_SRCDIR/tests/migrate/$program"/01-*.conf >/dev/full 2>err
	code=$?
	[ $code -eq 1 ] || fail "$program: exit $code with a full disk"
done
[ $n_failed -eq 0 ]
