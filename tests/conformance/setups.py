# SPDX-License-Identifier: BSD-2-Clause
"""setups: for each setup that cases name, the lines of configuration that each server gets for it.
A server that is not named there has no such feature: its cases count as "-"."""

OWN = "2001:db8:64::/96"
KNOT_OWN = "modules.load('dns64'); dns64.config({ prefix = '2001:db8:64::'%s })"


def prefix(text):
    """One prefix: all that a server needs for it."""
    lines = {
        "dns64d": ["dns64-prefix " + text],
        "unbound": ["dns64-prefix: " + text],
        "bind": ["dns64 %s { clients { any; }; };" % text],
    }
    if text.endswith("/96"):
        lines["pdns"] = ["dns64-prefix=" + text]
        lines["knot"] = ["modules.load('dns64'); dns64.config({ prefix = '%s' })" % text[:-3]]
    return lines


def own(**more):
    """The prefix 2001:db8:64::/96 and more lines; only for the servers named."""
    lines = prefix(OWN)
    return {server: lines[server] + extra for server, extra in more.items()}


def bind_dns64(prefix_text, *options):
    return "dns64 %s { %s };" % (prefix_text, " ".join(options))


SETUPS = {
    "main": prefix(OWN),
    # Without a prefix where the server then takes the Well-Known one.
    "wkp": {
        "dns64d": [],
        "unbound": [],
        "bind": [bind_dns64("64:ff9b::/96", "clients { any; };")],
        "pdns": ["dns64-prefix=64:ff9b::/96"],
        "knot": ["modules.load('dns64')", "dns64.config()"],
    },
    "p32": prefix("2001:db8::/32"),
    "p40": prefix("2001:db8:100::/40"),
    "p48": prefix("2001:db8:122::/48"),
    "p56": prefix("2001:db8:122:300::/56"),
    "p64": prefix("2001:db8:122:344::/64"),
    "p96": prefix("2001:db8:122:344::/96"),
    "two": {
        "dns64d": ["dns64-prefix 2001:db8:64::/96", "dns64-prefix 2001:db8:65::/96"],
        "bind": [bind_dns64("2001:db8:64::/96"), bind_dns64("2001:db8:65::/96")],
    },
    "map": {
        "dns64d": ["dns64-prefix 2001:db8:64::/96", "map 203.0.113.0/24 2001:db8:65::/96"],
        "bind": [
            bind_dns64("2001:db8:64::/96", "mapped { !203.0.113.0/24; any; };"),
            bind_dns64("2001:db8:65::/96", "mapped { 203.0.113.0/24; };"),
        ],
    },
    "exclude-aaaa": {
        "dns64d": ["dns64-prefix 2001:db8:64::/96", "exclude-aaaa 2001:db8:bad::/48"],
        "bind": [bind_dns64(OWN, "exclude { ::ffff:0:0/96; 2001:db8:bad::/48; };")],
        "knot": [KNOT_OWN % ", exclude_subnets = { '::ffff:0:0/96', '2001:db8:bad::/48' }"],
    },
    "exclude-a": {
        "dns64d": ["dns64-prefix 2001:db8:64::/96", "exclude-a 203.0.113.0/24"],
        "bind": [bind_dns64(OWN, "mapped { !203.0.113.0/24; any; };")],
    },
    "map-none": {
        "dns64d": ["dns64-prefix 2001:db8:64::/96", "map 203.0.113.0/24 none"],
        "bind": [bind_dns64(OWN, "mapped { !203.0.113.0/24; any; };")],
    },
    "client-prefix": {
        "dns64d": [
            "dns64-prefix 2001:db8:64::/96",
            "client 127.0.0.2/32 {",
            "dns64-prefix 2001:db8:65::/96",
            "}",
        ],
        "bind": [
            bind_dns64("2001:db8:64::/96", "clients { !127.0.0.2; any; };"),
            bind_dns64("2001:db8:65::/96", "clients { 127.0.0.2; };"),
        ],
    },
    "client-never": {
        "dns64d": [
            "dns64-prefix 2001:db8:64::/96",
            "client 127.0.0.3/32 {",
            "synthesize never",
            "}",
        ],
        "bind": [bind_dns64(OWN, "clients { !127.0.0.3; any; };")],
        "knot": [
            KNOT_OWN % "",
            "modules.load('view')",
            "view:addr('127.0.0.3/32', policy.all(policy.FLAGS('DNS64_DISABLE')))",
        ],
    },
    "dns64-for-ipv6": {
        "dns64d": ["dns64-prefix 2001:db8:64::/96", "dns64-for ipv6"],
        "bind": [bind_dns64(OWN, "clients { ::/0; };")],
        "knot": [
            KNOT_OWN % "",
            "modules.load('view')",
            "view:addr('0.0.0.0/0', policy.all(policy.FLAGS('DNS64_DISABLE')))",
        ],
    },
    "ignore-aaaa": own(
        dns64d=["ignore-aaaa d13-ignore-aaaa.example"],
        unbound=["dns64-ignore-aaaa: d13-ignore-aaaa.example."],
    ),
    "never-synthesize": own(
        dns64d=["never-synthesize d13-never-zone.example"],
        knot=[
            "policy.add(policy.suffix(policy.FLAGS('DNS64_DISABLE'), "
            "{ todname('d13-never-zone.example.') }))"
        ],
    ),
    "always": {
        "dns64d": ["dns64-prefix 2001:db8:64::/96", "synthesize always"],
        "unbound": ["dns64-prefix: 2001:db8:64::/96", "dns64-synthall: yes"],
        "bind": [bind_dns64(OWN, "exclude { any; };")],
        "knot": [KNOT_OWN % ", exclude_subnets = { '::/0' }"],
    },
    "on-nodata": own(dns64d=["synthesize-on nodata"]),
    "hide-a": own(dns64d=["hide-a yes"]),
    "max-synthesized": own(dns64d=["max-synthesized 4"]),
    "svcb-additional": own(dns64d=["svcb-additional resolve"]),
    "any-minimal": own(dns64d=["any minimal"]),
    "reverse-local": own(
        dns64d=["reverse local nat64.example"],
        unbound=[
            'local-zone: "0.0.0.0.0.0.0.0.0.0.0.0.4.6.0.0.8.b.d.0.1.0.0.2.ip6.arpa." redirect',
            'local-data: "0.0.0.0.0.0.0.0.0.0.0.0.4.6.0.0.8.b.d.0.1.0.0.2.ip6.arpa. '
            'PTR nat64.example."',
        ],
    ),
    "states": {
        "dns64d": [
            "dns64-prefix 2001:db8:64::/96 active",
            "dns64-prefix 2001:db8:65::/96 drain",
            "dns64-prefix 2001:db8:66::/96 down",
        ]
    },
    "all-down": {"dns64d": ["dns64-prefix 2001:db8:64::/96 down"]},
    "pair": own(
        dns64d=["nameserver 127.0.0.2 port @UPSTREAM@"],
        unbound=["forward-addr: 127.0.0.2@@UPSTREAM@"],
        bind=["forwarder 127.0.0.2 port @UPSTREAM@"],
        pdns=["forwarder 127.0.0.2:@UPSTREAM@"],
        knot=["forwarder 127.0.0.2@@UPSTREAM@"],
    ),
}
