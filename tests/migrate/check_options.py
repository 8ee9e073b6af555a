#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""check_options: each option of unbound.conf and named.conf that concerns DNS64, forwarding,
access, ports, the cache, TTLs or logging is carried over or listed, with exit 1, whatever its value,
unless the value is the one that dns64d has anyway. dns64d takes what becomes of them, one by one and
in combinations drawn from a seed: SEEDS of them, from SEED on."""

import os
import random
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import converter  # noqa: E402

DNS64D = os.environ.get("DNS64D", os.path.join(converter.BUILDDIR, "dns64d"))
FIRST, COUNT = int(os.environ.get("SEED", "1")), int(os.environ.get("SEEDS", "50"))

YES_NO = ("yes", "no")
NUMBERS = ("0", "1", "59", "300", "65535", "100000", "4294967295")
SIZES = ("0", "1", "100k", "50m", "4g", "100g")
TIMES = ("0", "1", "30", "1h30m", "PT1H", "1w", "4000000000")
NETS = ("10.0.0.0/8", "192.0.2.7", "2001:db8::/32", "0.0.0.0/0", "::/0", "::1", "127.0.0.0/8")
PREFIXES = ("64:ff9b::/96", "2001:db8:64::/96", "2001:db8::/32", "2001:db8:1::/64")
MANY_PORTS = ("0-32767", "0", "1023", "5353", "40000-40010", "65535", "0-65535", "1-1023")

# Attributes of the server clause: the first value is one that dns64d does not have anyway.
UNBOUND = {
    "outgoing-port-avoid": MANY_PORTS,
    "outgoing-port-permit": ("40000-50000", "53", "0-65535", "20000"),
    "outgoing-range": ("8192", "0"),
    "outgoing-num-tcp": ("0", "100"),
    "outgoing-interface": ("192.0.2.1", "2001:db8::1"),
    "edns-buffer-size": ("512", *NUMBERS),
    "use-caps-for-id": YES_NO,
    "caps-exempt": ('"example.com"',),
    "interface": ("192.0.2.1", "eth0", "192.0.2.1@5353", "::0", "0.0.0.0", "wlan0.1@54"),
    "interface-automatic": YES_NO,
    "interface-automatic-ports": ('"53 5353"',),
    "interface-action": ("eth0 allow", "192.0.2.1 refuse"),
    "port": ("5353", "1", "65535"),
    "do-ip4": ("no",),
    "do-ip6": ("no\n    interface: ::1",),
    "do-udp": ("no",),
    "do-tcp": ("no",),
    "tcp-upstream": ("yes",),
    "udp-upstream-without-downstream": ("yes",),
    "tls-upstream": ("yes",),
    "ip-freebind": ("yes",),
    "ip-transparent": ("yes",),
    "ip-dscp": ("10",),
    "max-udp-size": ("512", *NUMBERS),
    "so-rcvbuf": ("1m", *SIZES),
    "num-queries-per-thread": ("4096", *NUMBERS),
    "jostle-timeout": ("0", "500"),
    "discard-timeout": ("0", "5000"),
    "wait-limit": ("0", "500", "4294967295"),
    "wait-limit-cookie": ("0", "500"),
    "wait-limit-netblock": ("10.0.0.0/8 0",),
    "incoming-num-tcp": ("100", *NUMBERS),
    "tcp-idle-timeout": ("0", "30000", "4294967295"),
    "tcp-connection-limit": ("10.0.0.0/8 0",),
    "access-control": tuple(
        "%s %s" % (net, action)
        for net in NETS[:4]
        for action in ("refuse", "allow_snoop", "deny", "deny_non_local", "allow_setrd")
    ),
    "access-control-view": ("10.0.0.0/8 no",),
    "access-control-tag": ('10.0.0.0/8 "no"',),
    "ip-ratelimit": ("100", *NUMBERS),
    "ip-ratelimit-factor": ("0",),
    "ip-ratelimit-backoff": ("yes",),
    "ratelimit": ("1000",),
    "ratelimit-for-domain": ("example.com 0",),
    "do-not-query-address": ("192.0.2.0/24",),
    "private-address": ("10.0.0.0/8",),
    "private-domain": ("no",),
    "local-zone": ("no static", '"a.example." refuse', "10.in-addr.arpa. nodefault"),
    "local-data": ("'a.example. A 192.0.2.1'",),
    "response-ip": ("192.0.2.0/24 no",),
    "module-config": ('"iterator"', '"validator iterator"'),
    "dns64-prefix": PREFIXES,
    "dns64-synthall": ("yes",),
    "dns64-ignore-aaaa": ('"example.com"', "no", "NO.", '"."', "*.example.com", "x" * 63),
    "unblock-lan-zones": ("yes",),
    "deny-any": ("yes",),
    "ede": YES_NO,
    "ede-serve-expired": ("no",),
    "version": ('"some text"', '""', '"   "', '"#"', '"none"', '"0"'),
    "identity": ('"no"', '"//"', '"%s"' % ("x" * 70)),
    "msg-cache-size": ("8m", *SIZES),
    "rrset-cache-size": ("8m", *SIZES),
    "neg-cache-size": (),
    "cache-max-ttl": ("60", *NUMBERS),
    "cache-min-ttl": ("30", *NUMBERS),
    "cache-max-negative-ttl": ("60", *NUMBERS),
    "cache-min-negative-ttl": ("0", "60"),
    "aggressive-nsec": ("yes",),
    "harden-below-nxdomain": ("no", "yes"),
    "prefetch": ("no", "yes"),
    "serve-expired": ("no", "yes"),
    "serve-expired-client-timeout": ("0",),
    "serve-expired-ttl-reset": ("yes",),
    "serve-expired-reply-ttl": ("0",),
    "serve-original-ttl": ("yes",),
    "val-bogus-ttl": ("0",),
    "infra-host-ttl": ("0",),
    "infra-cache-min-rtt": ("0",),
    "infra-cache-max-rtt": ("1",),
    "infra-keep-probing": ("yes",),
    "outbound-msg-retry": ("0",),
    "max-sent-count": ("0",),
    "unknown-server-time-limit": ("0",),
    "fast-server-permil": ("1000",),
    "delay-close": ("1500",),
    "udp-connect": ("no",),
    "tcp-reuse-timeout": ("0",),
    "max-reuse-tcp-queries": ("0",),
    "tcp-auth-query-timeout": ("0",),
    "rrset-roundrobin": ("yes", "no"),
    "num-threads": ("2", *NUMBERS),
    "verbosity": ("0", "1", "5"),
    "use-syslog": YES_NO,
    "logfile": ('"/var/log/unbound.log"', '""'),
    "log-identity": ('"no"',),
    "log-time-ascii": ("yes",),
    "log-queries": ("yes",),
    "log-replies": ("yes",),
    "log-servfail": ("yes",),
    "log-tag-queryreply": ("yes",),
    "log-local-actions": ("yes",),
    "statistics-interval": ("300",),
    "val-log-level": ("2",),
    "some-newer-option": ("no", "0", '""'),
}
UNBOUND_BASE = """server:
    module-config: "dns64 iterator"
    dns64-prefix: 2001:db8:77::/96
    access-control: 10.0.0.0/8 allow
    interface: 127.0.0.1
%s
forward-zone:
    name: "."
    forward-addr: 198.51.100.53
%s
"""
FORWARD_ZONE = (
    "forward-addr: 2001:db8::53@5353",
    "forward-addr: 192.0.2.53#no",
    "forward-addr: 192.0.2.54@853#dns.example",
    "forward-host: no",
    "forward-first: yes",
    "forward-tcp-upstream: yes",
    "forward-tls-upstream: yes",
    "forward-no-cache: yes",
    "forward-newer: no",
)

LOCALNETS = "{ localnets; localhost; }"
LIST = ("{ none; }", "{ 10/8; !192.0.2.0/24; any; }", "{ any; }", LOCALNETS, "{ 10/8; key k; }")
# Statements of options, likewise.
BIND = {
    "avoid-v4-udp-ports": (
        "{ 5353; range 40000 40010; }",
        "{ range 0 32767; }",
        "{ range 0 65535; }",
        "{ 0; 53; }",
    ),
    "avoid-v6-udp-ports": ("{ 5353; }", "{ range 1024 65535; }"),
    "use-v4-udp-ports": ("{ range 32768 60999; }", "{ range 1024 65535; }", "{ 4000; }"),
    "use-v6-udp-ports": ("{ range 1025 65535; }",),
    "query-source": ("port 0", "address 192.0.2.1 port 0", "address * port 53", "::1", "none"),
    "query-source-v6": ("address * port 0", "none"),
    "forward": ("first",),
    "dual-stack-servers": ('{ "no"; }',),
    "edns-udp-size": ("512", *NUMBERS),
    "send-cookie": ("no", "yes"),
    "answer-cookie": ("no", "yes"),
    "require-server-cookie": ("yes",),
    "cookie-algorithm": ("aes",),
    "cookie-secret": ('"0123456789abcdef0123456789ABCDEF"', '"00"'),
    "nocookie-udp-size": ("512",),
    "resolver-query-timeout": ("30", "301"),
    "resolver-retry-interval": ("100",),
    "resolver-nonbackoff-tries": ("1",),
    "fetches-per-server": ("100", "200 drop", "0", "4294967295"),
    "fetches-per-zone": ("100", "200 drop"),
    "fetch-quota-params": ("10 0 0 0",),
    "clients-per-query": ("0",),
    "max-clients-per-query": ("0",),
    "recursive-clients": ("2000", *NUMBERS),
    "tcp-clients": ("100", *NUMBERS),
    "tcp-idle-timeout": ("0", "10", "1200", "65535"),
    "tcp-initial-timeout": ("25",),
    "tcp-keepalive-timeout": ("0",),
    "udp-receive-buffer": ("1000000", "0", "4294967295"),
    "port": ("5353", "1", "65535"),
    "listen-on": (
        "port 5300 { any; }",
        "{ 192.0.2.1; }",
        "{ none; }",
        "{ !192.0.2.1; any; }",
        "{ 192.0.2.0/24; }",
        "{ localhost; localnets; }",
    ),
    "listen-on-v6": ("{ none; }", "{ 2001:db8::1; }", "port 853 tls no { any; }"),
    "max-udp-size": ("512", *NUMBERS),
    "recursion": ("no",),
    "allow-query": ("",) + LIST,
    "allow-query-on": ("{ 192.0.2.1; }", "{ none; }"),
    "allow-query-cache": LIST,
    "allow-query-cache-on": ("{ none; }",),
    "allow-recursion": LIST,
    "allow-recursion-on": ("{ none; }",),
    "blackhole": ("{ 192.0.2.0/24; }", "{ !any; }", "{ any; }", LOCALNETS),
    "match-mapped-addresses": ("yes",),
    "rate-limit": ("{ responses-per-second 5; }",),
    "response-policy": ('{ zone "rpz"; } qname-wait-recurse no', '{ zone "rpz"; }'),
    "deny-answer-addresses": ('{ any; } except-from { "no"; }',),
    "deny-answer-aliases": ('{ "no"; }',),
    "dns64": tuple("%s { };" % p for p in PREFIXES)
    + (
        "64:ff9b::/96 { clients { any; }; mapped { !10.0.0.0/8; any; }; }",
        "64:ff9b::/96 { mapped { 192.168.1.0/24; }; }",
        "2001:db8:5::/96 { break-dnssec no; }",
        "2001:db8:6::/96 { break-dnssec yes; recursive-only yes; }",
        "2001:db8:7::/64 { suffix ::1; exclude { any; }; clients { 10.0.0.0/8; }; }",
        "2001:db8:8::/96 { mapped { none; }; exclude { none; }; }",
    ),
    "dns64-server": ('"no"',),
    "dns64-contact": ('"none"',),
    "minimal-any": ("yes",),
    "empty-zones-enable": (),
    "disable-empty-zone": ('"no"',),
    "version": ('"some text"', "none", '"0"', '" "', '"a // b"'),
    "server-id": ("hostname", '"no"', "none"),
    "max-cache-size": ("100M", "90%", "unlimited", "0", "10", "100G"),
    "max-cache-ttl": ("60", *TIMES),
    "min-cache-ttl": ("60", *TIMES),
    "max-ncache-ttl": ("60", *TIMES),
    "min-ncache-ttl": ("60",),
    "servfail-ttl": ("0", "1", "30"),
    "stale-answer-enable": ("no", "yes"),
    "stale-answer-client-timeout": ("off", "0", "disabled"),
    "stale-answer-ttl": ("1", "0"),
    "stale-refresh-time": ("0",),
    "attach-cache": ("no",),
    "zero-no-soa-ttl-cache": ("yes",),
    "synth-from-dnssec": ("yes",),
    "prefetch": ("0", "2 9", "2", "5 10", "2 0"),
    "rrset-order": ("{ order fixed; }", "{ order cyclic; }", '{ name "no" order none; }'),
    "sortlist": ("{ any; }",),
    "check-names": ("response fail",),
    "querylog": ("yes",),
    "statistics-interval": ("60",),
    "dnstap": ("{ all; }",),
    "dnstap-identity": ('"no-host"',),
    "filter-aaaa-on-v4": ("yes", "break-dnssec"),
    "v6-bias": ("0",),
    "some-newer-option": ("no", "0", "none", "false", "off"),
}
BIND_BASE = """options {
    forwarders { 198.51.100.53; };
    forward only;
    dnssec-validation no;
    allow-recursion { 10.0.0.0/8; };
    dns64 2001:db8:77::/96 { };
%s
};
%s
"""
# What is at the top, or in a view, and must not be lost.
BIND_TOP = (
    "logging { category default { null; }; };",
    "server 192.0.2.53 { edns no; };",
    "controls { };",
    'view "a" { match-clients { 10.0.0.0/8; }; allow-query-on { none; }; };',
    'view "a" { match-clients { any; }; query-source port 0; };',
)
# With these nothing is lost.
UNBOUND_NOTHING = (
    "do-udp: yes",
    "tls-upstream: no",
    "ip-ratelimit: 0",
    "serve-expired-client-timeout: 1800",
    "statistics-interval: 0",
    "outgoing-port-permit: 1-65535",
    "outgoing-port-avoid: 0-1023",
)
BIND_NOTHING = (
    "recursion yes;",
    "query-source address * port *;",
    "allow-query-on { any; };",
    "stale-answer-ttl 30;",
    "avoid-v4-udp-ports { range 0 1023; };",
    "use-v4-udp-ports { range 1024 65535; };",
)

TOTD = (
    "prefix 64:ff9b::",
    "prefix 2001:db8:64::",
    "prefix 2001:db8::1:0:0",
    "forwarder 192.0.2.53",
    "forwarder 2001:db8::53 port 5353",
    "port 5353",
    "retry 300",
    "interfaces eth0 lo *",
    "interfaces a.b-c",
    "allow 192.0.2.1",
    "pidfile /run/totd.pid",
    "stf",
    "scoped 2001:db8:: fec0:: 48",
)


def made(program, text):
    """What the converter makes of this text."""
    return converter.run(program, "-", stdin=text.encode())


def settings(outcome):
    """The lines that are not comments."""
    return [line for line in outcome.out.splitlines() if line and not line.startswith("#")]


def unbound_text(server=(), zone=()):
    return UNBOUND_BASE % ("\n".join(server), "\n".join(zone))


def bind_text(options=(), top=()):
    return BIND_BASE % ("\n".join(options), "\n".join(top))


def statement(name, value):
    return "%s %s%s" % (name, value, "" if value.endswith(";") else ";")


class Options(unittest.TestCase):
    def taken(self, outcome):
        """Printed, and dns64d takes it; exit 1 if and only if something is listed. Refused is only
        what would ask itself."""
        if outcome.code == 2:
            self.assertIn("it would ask itself", outcome.err)
            return []
        self.assertIn(outcome.code, (0, 1), outcome.err)
        remarks = [text for text in outcome.err.splitlines() if not text.startswith("note: ")]
        self.assertEqual(outcome.code, 1 if remarks else 0, outcome.err)
        with tempfile.NamedTemporaryFile("w", prefix="dns64d-migrate.") as file:
            file.write(outcome.out)
            file.flush()
            said = converter.process(DNS64D, "-t", "-c", file.name)
        self.assertEqual(said.code, 0, "%s%s\n%s" % (said.out, said.err, outcome.out))
        return remarks

    def kept(self, base, outcome, name):
        """Carried over, or in the list."""
        remarks = self.taken(outcome)
        is_listed = any(": " + name in text or " " + name in text for text in remarks)
        self.assertTrue(
            is_listed or settings(outcome) != settings(base), "%s is lost\n%s" % (name, outcome.err)
        )

    def test_each_of_unbound(self):
        base = made("unbound", unbound_text())
        self.assertEqual(base.code, 0, base.err)
        for name, values in UNBOUND.items():
            for i, value in enumerate(values):
                with self.subTest("%s: %s" % (name, value)):
                    outcome = made("unbound", unbound_text(["    %s: %s" % (name, value)]))
                    if i == 0 or name == "some-newer-option":
                        self.kept(base, outcome, name)
                    else:
                        self.taken(outcome)
        for line in FORWARD_ZONE:
            with self.subTest(line):
                outcome = made("unbound", unbound_text((), ["    " + line]))
                self.kept(base, outcome, line.split(":")[0])
        for line in UNBOUND_NOTHING:
            with self.subTest(line):
                outcome = made("unbound", unbound_text(["    " + line]))
                self.taken(outcome)
                self.assertEqual(outcome.code, 0, outcome.err)

    def test_each_of_bind(self):
        base = made("bind", bind_text())
        self.assertEqual(base.code, 0, base.err)
        for name, values in BIND.items():
            for i, value in enumerate(values):
                if not value:
                    continue  # BIND asks allow-query for zones only, if there is allow-recursion
                with self.subTest("%s %s" % (name, value)):
                    outcome = made("bind", bind_text([statement(name, value)]))
                    if i == 0 or name in ("some-newer-option", "query-source", "response-policy"):
                        self.kept(base, outcome, name)
                    else:
                        self.taken(outcome)
        for line in BIND_TOP:
            with self.subTest(line):
                self.assertTrue(self.taken(made("bind", bind_text((), [line]))))
        for line in BIND_NOTHING:
            with self.subTest(line):
                outcome = made("bind", bind_text([line]))
                self.taken(outcome)
                self.assertEqual(outcome.code, 0, outcome.err)

    def test_ports_hold_in_their_order(self):
        """What is avoided and then permitted again is not avoided."""
        lines = ["outgoing-port-avoid: 0-65535", "outgoing-port-permit: 1024-65000"]
        self.assertEqual(made("unbound", unbound_text(lines)).err.count("outgoing-port-"), 2)
        lines = ["outgoing-port-avoid: 0-65535", "outgoing-port-permit: 1024-65472"]
        lines += ["outgoing-port-permit: 65474-65535"]
        outcome = made("unbound", unbound_text(lines))
        self.assertEqual(outcome.code, 0, outcome.err)
        self.assertIn("avoid-port 65473", settings(outcome))
        options = ["use-v4-udp-ports { range 1024 65500; };", "avoid-v6-udp-ports { 5353; };"]
        outcome = made("bind", bind_text(options))
        self.assertEqual(outcome.code, 0, outcome.err)
        self.assertEqual(
            [line for line in settings(outcome) if line.startswith("avoid-port")],
            ["avoid-port 5353", "avoid-port 65501-65535"],
        )

    def test_private_addresses_are_listed(self):
        """Clients had AAAA of these before, below the Well-Known Prefix."""
        lines = ["server:", "dns64-prefix: 64:ff9b::/96"]
        self.assertIn(":11: private IPv4", made("unbound", unbound_text((), lines)).err)
        for value in ("{ };", "{ mapped { !10.0.0.0/8; any; }; };"):
            outcome = made("bind", bind_text(["dns64 64:ff9b::/96 " + value]))
            self.assertEqual(outcome.code, 1)
            self.assertIn("private IPv4", outcome.err)
            self.assertEqual("map 10.0.0.0/8" in outcome.err, value == "{ };")
            self.assertIn("map 192.168.0.0/16 64:ff9b::/96", outcome.err)
        outcome = made("bind", bind_text(["dns64 64:ff9b::/96 { mapped { 192.0.2.0/24; }; };"]))
        self.assertNotIn("private", outcome.err)
        self.assertIn("private IPv4", made("totd", "forwarder 192.0.2.1\nprefix 64:ff9b::\n").err)

    def test_drawn_at_random(self):
        for seed in range(FIRST, FIRST + COUNT):
            drawn = random.Random(seed)
            names = [
                (name, drawn.choice(values))
                for name, values in drawn.choices(list(UNBOUND.items()), k=drawn.randint(2, 40))
                if values
            ]
            zone = drawn.sample(FORWARD_ZONE, drawn.randint(0, 3))
            with self.subTest("unbound, SEED=%d SEEDS=1" % seed):
                self.taken(made("unbound", unbound_text(["%s: %s" % n for n in names], zone)))
            names = drawn.choices(list(BIND.items()), k=drawn.randint(2, 40))
            lines = [
                statement(name, drawn.choice(values))
                for name, values in ((name, list(filter(None, values))) for name, values in names)
                if values
            ]
            top = drawn.sample(BIND_TOP, drawn.randint(0, 3))
            with self.subTest("bind, SEED=%d SEEDS=1" % seed):
                self.taken(made("bind", bind_text(lines, top)))
            lines = drawn.choices(TOTD, k=drawn.randint(1, 20))
            with self.subTest("totd, SEED=%d SEEDS=1" % seed):
                self.taken(made("totd", "\n".join(lines)))


if __name__ == "__main__":
    unittest.main()
