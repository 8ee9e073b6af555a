# SPDX-License-Identifier: BSD-2-Clause
"""bind_said: what is said of statements of named.conf that have no counterpart in dns64d."""

BEHIND = "stays in BIND, behind dns64d"
MEASURED = "dns64d measures how long an upstream takes; upstream-timeout is the longest wait"
KINDS = ("master", "primary", "slave", "secondary")  # of zones, which have check-names too
SAME_QUESTION = "max-same-question is the like, for the clients of one network"

# Zones that servers answer themselves (RFC 6303, RFC 6761), as named.conf.default-zones has them.
LOCAL_ZONES = {
    "localhost",
    "localdomain",
    "127.in-addr.arpa",
    "0.0.127.in-addr.arpa",
    "0.in-addr.arpa",
    "255.in-addr.arpa",
}
LOCAL_ZONES |= {
    "10.in-addr.arpa",
    "168.192.in-addr.arpa",
    "254.169.in-addr.arpa",
    "2.0.192.in-addr.arpa",
}
LOCAL_ZONES |= {"%d.172.in-addr.arpa" % i for i in range(16, 32)}
LOCAL_ZONES |= {
    "0." * 31 + "0.ip6.arpa",
    "1." + "0." * 31 + "ip6.arpa",
    "d.f.ip6.arpa",
    "c.f.ip6.arpa",
}
LOCAL_ZONES |= {"%s.e.f.ip6.arpa" % digit for digit in "89ab"}

# What has no counterpart and needs none: BIND's own files, zones and their transfer, signatures,
# resolving, ports of TLS and HTTP (listen-on says whether there are any). Nothing that concerns
# DNS64, forwarding, access, ports, cache, TTLs or logging may be here.
QUIET = set("""
    directory pid-file lock-file session-keyfile session-keyname session-keyalg dump-file
    statistics-file memstatistics-file memstatistics recursing-file secroots-file key-directory
    managed-keys-directory bindkeys-file geoip-directory working-directory files datasize
    stacksize coresize reserved-sockets tkey-domain tkey-gssapi-keytab tkey-gssapi-credential
    tkey-dhkey interface-interval automatic-interface-scan reuseport notify also-notify
    allow-notify notify-source notify-source-v6 notify-delay notify-rate notify-to-soa
    startup-notify-rate serial-query-rate allow-transfer allow-update allow-update-forwarding
    allow-new-zones transfer-format transfer-source transfer-source-v6 transfers-in
    transfers-out transfers-per-ns transfer-message-size max-transfer-idle-in
    max-transfer-idle-out max-transfer-time-in max-transfer-time-out provide-ixfr request-ixfr
    request-expire ixfr-from-differences max-ixfr-ratio max-journal-size max-records
    max-zone-ttl masterfile-format masterfile-style check-mx check-mx-cname check-srv-cname
    check-sibling check-integrity check-spf check-wildcard check-dup-records check-svcb
    zone-statistics update-check-ksk update-quota sig-signing-nodes sig-signing-signatures
    sig-signing-type sig-validity-interval dnssec-policy dnssec-update-mode
    dnssec-loadkeys-interval dnssec-dnskey-kskonly dnssec-secure-to-insecure auto-dnssec
    inline-signing parental-source parental-source-v6 dialup heartbeat-interval
    flush-zones-on-shutdown host-statistics max-refresh-time min-refresh-time max-retry-time
    min-retry-time multi-master try-tcp-refresh zero-no-soa-ttl auth-nxdomain minimal-responses
    message-compression glue-cache max-recursion-depth max-recursion-queries max-query-restarts
    qname-minimization root-key-sentinel trust-anchor-telemetry dnssec-accept-expired
    dnssec-must-be-secure dnssec-enable dnssec-lookaside disable-algorithms disable-ds-digests
    validate-except nta-lifetime nta-recheck max-rsa-exponent-size request-nsid lmdb-mapsize
    tcp-listen-queue tcp-receive-buffer tcp-send-buffer udp-send-buffer servfail-until-ready
    hostname empty-server empty-contact preferred-glue tls-port https-port http-port
    http-listener-clients http-streams-per-connection
    """.split())

# What is said of others in options; what none of these tables has is said to be unknown to dns64d.
SAY = {
    "recursion": "dns64d is there for recursion; it passes all questions to its upstreams",
    "match-destinations": "dns64d knows clients by their own address only",
    "match-recursive-only": "dns64d knows clients by their own address only",
    "allow-query-on": (
        "dns64d permits clients by their own address only; listen says where it may be asked"
    ),
    "allow-recursion-on": (
        "dns64d permits clients by their own address only; listen says where it may be asked"
    ),
    "allow-query-cache-on": (
        "dns64d permits clients by their own address only; listen says where it may be asked"
    ),
    "query-source": (
        "the kernel chooses the address that questions to upstreams come from: set the route (ip"
        " route ... src)"
    ),
    "query-source-v6": (
        "the kernel chooses the address that questions to upstreams come from: set the route (ip"
        " route ... src)"
    ),
    "dns64-server": "the reverse zones of prefixes have localhost as their server in dns64d",
    "dns64-contact": "the reverse zones of prefixes have no contact of your own in dns64d",
    "resolver-query-timeout": "dns64d answers within 4.5 seconds, stale or SERVFAIL in the end",
    "resolver-retry-interval": MEASURED,
    "resolver-nonbackoff-tries": MEASURED,
    "lame-ttl": MEASURED,
    "fetches-per-zone": "max-upstream-questions and max-waiting-per-client keep room for others",
    "fetch-quota-params": "max-waiting-per-upstream is a number that stays",
    "clients-per-query": SAME_QUESTION,
    "max-clients-per-query": SAME_QUESTION,
    "max-query-count": "max-upstream-questions limits what one question may cause",
    "nocookie-udp-size": "max-amplification limits answers to clients that show no cookie",
    "require-server-cookie": "rate-limit holds for clients without a cookie",
    "match-mapped-addresses": "dns64d sees clients over IPv4 by their IPv4 address",
    "keep-response-order": "dns64d answers out of order (RFC 7766)",
    "attach-cache": "dns64d has one cache for all clients",
    "stale-refresh-time": "a stale answer is refreshed after 30 seconds again",
    "synth-from-dnssec": "dns64d answers from no NSEC records; its upstream may",
    "zero-no-soa-ttl-cache": "a negative answer keeps the TTL of its SOA record",
    "max-rrs-per-record": "an answer is kept as upstream gave it, or not at all",
    "max-records-per-type": "an answer is kept as upstream gave it, or not at all",
    "max-types-per-name": "an answer is kept as upstream gave it, or not at all",
    "tcp-initial-timeout": "tcp-idle-timeout holds from the first octet on",
    "tcp-keepalive-timeout": "tcp-idle-timeout holds for all clients",
    "tcp-advertised-timeout": "tcp-idle-timeout holds for all clients",
    "check-names": "dns64d takes names as they are",
    "statistics-interval": (
        "dns64d logs statistics on SIGUSR1 only; web-listen and dns64ctl show them at any time"
    ),
    "root-delegation-only": "dns64d changes no answers but for DNS64",
    "rate-limit": (
        "BIND limits equal answers, dns64d questions: rate-limit N, rate-limit-slip,"
        " rate-limit-exempt, and max-amplification, which is on by default"
    ),
    "response-policy": (
        "dns64d changes no answers but for DNS64: have its upstream do that, such as BIND behind it"
    ),
    "deny-answer-addresses": (
        "dns64d takes no addresses out but those of exclude-aaaa: have its upstream do that"
    ),
    "deny-answer-aliases": "dns64d takes nothing out of answers: have its upstream do that",
    "sortlist": "dns64d does not sort by client; rrset-order is fixed or rotate",
    "disable-empty-zone": "dns64d answers all zones of RFC 6303 itself or none: local-zones no",
    "stale-answer-ttl": "stale answers have a TTL of 30 seconds",
    "stale-answer-client-timeout": "dns64d gives a stale answer after 1.8 seconds",
    "min-ncache-ttl": "cache-min-ttl holds for all answers",
    "no-case-compress": "clients get the name as they spelled it",
    "response-padding": "dns64d serves no TLS, so it pads nothing",
    "dnstap": "dnstap-messages says which messages the reader of dnstap-socket gets",
    "dnstap-output": "dnstap-socket PATH is where a reader listens (a build --with-dnstap)",
    "dnstap-identity": "dnstap-identity, with dnstap-socket (a build --with-dnstap)",
    "dnstap-version": "dnstap-version, with dnstap-socket (a build --with-dnstap)",
    "catalog-zones": "dns64d has no zones",
    "nxdomain-redirect": "dns64d changes no NXDOMAIN",
    "dual-stack-servers": "nameserver takes addresses of both families",
    "prefer-server-keys": "dns64d has no keys",
    "filter-aaaa-on-v4": (
        "dns64d takes no AAAA out for clients over IPv4; dns64-for ipv6 gives these no synthesized"
        " ones"
    ),
    "filter-a-on-v6": "hide-a yes does so, and in a client block for some clients",
    "v6-bias": "all upstreams are asked as selection-mode says",
}

# Values with which nothing is lost, most of them BIND's defaults; {any}: a list of nothing but any.
# What is not here is always told.
OFF = {
    "recursion": ("yes", "true", "1"),
    "match-destinations": ("{any}",),
    "match-recursive-only": ("no", "false", "0"),
    "allow-query-on": ("{any}",),
    "allow-recursion-on": ("{any}",),
    "allow-query-cache-on": ("{any}",),
    "query-source": ("*", "address *", "address * port *", "port *", "* port *"),
    "query-source-v6": ("*", "address *", "address * port *", "port *", "* port *"),
    "resolver-query-timeout": ("0", "10"),
    "resolver-retry-interval": ("800",),
    "resolver-nonbackoff-tries": ("3",),
    "lame-ttl": ("0",),
    "fetches-per-zone": ("0",),
    "fetch-quota-params": ("100 0.1 0.3 0.7",),
    "clients-per-query": ("10",),
    "max-clients-per-query": ("100",),
    "max-query-count": ("200",),
    "nocookie-udp-size": ("4096",),
    "require-server-cookie": ("no", "false", "0"),
    "match-mapped-addresses": ("no", "false", "0"),
    "stale-answer-ttl": ("30",),
    "stale-answer-client-timeout": ("1800",),
    "stale-refresh-time": ("30",),
    "min-ncache-ttl": ("0",),
    "synth-from-dnssec": ("no", "false", "0"),
    "zero-no-soa-ttl-cache": ("no", "false", "0"),
    "max-rrs-per-record": ("100",),
    "max-records-per-type": ("100",),
    "max-types-per-name": ("100",),
    "tcp-initial-timeout": ("300",),
    "tcp-keepalive-timeout": ("300",),
    "tcp-advertised-timeout": ("300",),
    "check-names": (
        "response ignore",
        *("%s %s" % (kind, what) for kind in KINDS for what in ("fail", "warn", "ignore")),
    ),
    "statistics-interval": ("0",),
    "filter-aaaa-on-v4": ("no", "false", "0"),
    "filter-a-on-v6": ("no", "false", "0"),
    "v6-bias": ("50",),
    "dnstap-version": ("none",),
    "dnstap-identity": ("none", "hostname"),
}

# Statements at the top.
SAY_TOP = {
    "controls": "rndc does not speak to dns64d; dns64ctl does (control-socket)",
    "logging": (
        "dns64d logs to syslog or to standard error: log, log-level; query-log FILE has a line for"
        " each answer"
    ),
    "statistics-channels": "web-listen shows pages and metrics",
    "server": "dns64d has no settings for one upstream but its port and trusted",
    "trust-anchors": "dns64d does not validate; its upstream does",
    "managed-keys": "dns64d does not validate; its upstream does",
    "trusted-keys": "dns64d does not validate; its upstream does",
    "plugin": "dns64d loads no plugins; what filter-a does, hide-a yes does",
    "dlz": "dns64d has no zones",
    "dyndb": "dns64d has no zones",
    "tls": "dns64d speaks no TLS",
    "http": "dns64d serves no HTTPS",
}
