# SPDX-License-Identifier: BSD-2-Clause
"""unbound_said: what is said of attributes of unbound.conf that have no counterpart in dns64d."""

# What has no counterpart and needs none: Unbound's own files, caches inside, signatures, resolving.
# Nothing that concerns DNS64, forwarding, access, ports, cache, TTLs or logging may be here.
QUIET = set("""
    directory chroot username pidfile use-systemd do-daemonize root-hints target-fetch-policy
    qname-minimisation qname-minimisation-strict minimal-responses msg-cache-slabs
    rrset-cache-slabs infra-cache-slabs key-cache-slabs ratelimit-slabs ip-ratelimit-slabs
    key-cache-size neg-cache-size infra-cache-numhosts infra-cache-lame-size so-sndbuf
    so-reuseport msg-buffer-size prefetch-key statistics-cumulative extended-statistics
    statistics-inhibit-zero hide-trustanchor hide-http-user-agent http-user-agent
    val-clean-additional val-override-date val-sig-skew-min val-sig-skew-max val-max-restart
    val-nsec3-keysize-iterations add-holddown del-holddown keep-missing permit-small-holddown
    trust-anchor trust-anchor-file auto-trust-anchor-file trusted-keys-file
    trust-anchor-signaling root-key-sentinel domain-insecure dlv-anchor dlv-anchor-file
    harden-short-bufsize harden-large-queries harden-glue harden-unverified-glue
    harden-dnssec-stripped harden-referral-path harden-algo-downgrade harden-unknown-additional
    disable-dnssec-lame-check insecure-lan-zones do-not-query-localhost define-tag
    edns-tcp-keepalive edns-tcp-keepalive-timeout tls-cert-bundle ssl-cert-bundle
    tls-system-cert tls-win-cert tls-use-sni tls-ciphers tls-ciphersuites
    tls-session-ticket-keys cachedb-no-store max-query-restarts iter-scrub-ns iter-scrub-cname
    iter-scrub-promiscuous max-global-quota http-endpoint http-max-streams
    http-query-buffer-size http-response-buffer-size http-nodelay http-notls-downstream
    tls-service-pem ssl-service-pem pad-responses-block-size pad-queries-block-size
    pad-responses pad-queries ip-ratelimit-size ratelimit-size ratelimit-factor
    ratelimit-backoff shm-enable shm-key
    """.split())

BEHIND = "stays in Unbound, behind dns64d"
MEASURED = "dns64d measures how long an upstream takes; upstream-timeout is the longest wait"
# What is said of others, unless OFF has their value; those marked need Unbound behind dns64d.
SAY = {
    "local-zone": "dns64d has no zones of its own: it %s" % BEHIND,
    "local-data": "dns64d has no data of its own: it %s" % BEHIND,
    "local-data-ptr": "dns64d has no data of its own: it %s" % BEHIND,
    "local-zone-override": "it %s, which sees only dns64d as a client" % BEHIND,
    "local-zone-tag": "it %s, which sees only dns64d as a client" % BEHIND,
    "private-address": (
        "dns64d takes no addresses out of answers but those of exclude-aaaa; have the resolver do"
        " it, or keep Unbound behind dns64d"
    ),
    "private-domain": "as private-address",
    "access-control-tag": "dns64d has no tags; client blocks have settings for some clients",
    "access-control-tag-action": "dns64d has no tags; client blocks have settings for some clients",
    "access-control-tag-data": "dns64d has no tags; client blocks have settings for some clients",
    "access-control-view": "dns64d has no views; client blocks have settings for some clients",
    "interface-action": "dns64d permits clients by their address: write allow NETWORK",
    "interface-view": "dns64d has no views; client blocks have settings for some clients",
    "interface-tag": "dns64d has no tags; client blocks have settings for some clients",
    "interface-tag-action": "dns64d has no tags; client blocks have settings for some clients",
    "interface-tag-data": "dns64d has no tags; client blocks have settings for some clients",
    "interface-automatic-ports": "write listen :: port N and listen 0.0.0.0 port N for each",
    "response-ip": "dns64d changes no answers: keep Unbound behind it",
    "response-ip-data": "dns64d changes no answers: keep Unbound behind it",
    "response-ip-tag": "dns64d changes no answers: keep Unbound behind it",
    "outgoing-interface": (
        "the kernel chooses the address that questions to upstreams come from: set the route (ip"
        " route ... src)"
    ),
    "do-not-query-address": "dns64d asks the upstreams that nameserver lines name and nobody else",
    "do-udp": "dns64d serves UDP and TCP",
    "do-tcp": "dns64d serves UDP and TCP",
    "tcp-upstream": "dns64d asks over UDP, and over TCP if need be",
    "udp-upstream-without-downstream": "dns64d asks over UDP, and over TCP if need be",
    "tls-upstream": "dns64d speaks no TLS: keep Unbound behind it for that",
    "ssl-upstream": "dns64d speaks no TLS: keep Unbound behind it for that",
    "tls-service-key": (
        "dns64d serves no TLS or HTTPS: keep a server for that in front of it, such as Unbound or"
        " dnsdist"
    ),
    "ssl-service-key": (
        "dns64d serves no TLS or HTTPS: keep a server for that in front of it, such as Unbound or"
        " dnsdist"
    ),
    "tls-additional-port": "dns64d serves no TLS",
    "https-port": "dns64d serves no HTTPS",
    "quic-port": "dns64d serves no QUIC",
    "proxy-protocol-port": "dns64d does not take the PROXY protocol",
    "ratelimit": (
        "dns64d does not limit questions by zone; max-upstream-questions and max-waiting-per-client"
        " keep room for others"
    ),
    "ratelimit-for-domain": "dns64d does not limit questions by zone",
    "ratelimit-below-domain": "dns64d does not limit questions by zone",
    "ip-ratelimit-cookie": "clients with a cookie have no limit in dns64d",
    "ip-ratelimit-factor": (
        "of questions beyond the limit, rate-limit-slip is how many are answered with TC"
    ),
    "wait-limit-netblock": "max-waiting-per-client holds for all clients",
    "wait-limit-cookie-netblock": "max-waiting-per-client holds for all clients",
    "tcp-connection-limit": "max-tcp-per-client is the limit for each client address",
    "log-local-actions": "query-log-select says which answers get a line",
    "log-tag-queryreply": "query-log-format says how lines look",
    "serve-original-ttl": "TTLs count down in dns64d",
    "serve-expired-client-timeout": "dns64d gives a stale answer after 1.8 seconds",
    "val-permissive-mode": "dns64d does not validate; its upstream does",
    "ignore-cd-flag": "dns64d passes CD on",
    "zonemd-permissive-mode": "dns64d has no zones of its own",
    "edns-client-string": "dns64d adds no option to questions but a cookie",
    "edns-client-string-opcode": "dns64d adds no option to questions but a cookie",
    "send-client-subnet": "dns64d adds no client subnet to questions",
    "client-subnet-zone": "dns64d adds no client subnet to questions",
    "client-subnet-always-forward": "dns64d adds no client subnet to questions",
    "ip-dscp": "dns64d sets no DSCP",
    "tcp-mss": "dns64d leaves that to the kernel",
    "outgoing-tcp-mss": "dns64d leaves that to the kernel",
    "nsid": "dns64d sends no NSID; server-id answers id.server",
    "unwanted-reply-threshold": (
        "dns64d has limits of its own against forged replies (dns64d.conf, Forged replies)"
    ),
    "jostle-timeout": (
        "when there is no more room, the client network with most questions gives way"
    ),
    "stream-wait-size": "max-tcp-clients and max-tcp-per-client limit what TCP takes",
    "aggressive-nsec": "dns64d answers from no NSEC records; its upstream may",
    "outgoing-range": (
        "questions share outgoing-ports in dns64d, and max-queries is how many there may be"
    ),
    "outgoing-num-tcp": "dns64d has few connections for many questions to an upstream",
    "infra-host-ttl": MEASURED,
    "infra-cache-min-rtt": MEASURED,
    "infra-cache-max-rtt": MEASURED,
    "infra-keep-probing": (
        "dns64d probes an upstream that is down, and asks it as soon as it replies"
    ),
    "infra-lame-ttl": MEASURED,
    "outbound-msg-retry": "upstream-tries says how often one upstream is asked",
    "max-sent-count": "max-upstream-questions limits what one question may cause",
    "unknown-server-time-limit": MEASURED,
    "fast-server-permil": "selection-mode says which upstream is asked",
    "fast-server-num": "selection-mode says which upstream is asked",
    "discard-timeout": "dns64d answers within 4.5 seconds, or not at all",
    "delay-close": "dns64d keeps sockets for replies that come late by itself",
    "udp-connect": "dns64d connects its sockets to the upstream always",
    "tcp-reuse-timeout": "dns64d keeps connections to upstreams by times of its own",
    "max-reuse-tcp-queries": "dns64d keeps connections to upstreams by times of its own",
    "tcp-auth-query-timeout": MEASURED,
    "caps-exempt": "dns64d finds out which upstreams do not preserve the case",
    "caps-whitelist": "dns64d finds out which upstreams do not preserve the case",
    "serve-expired-ttl-reset": "serve-stale counts from the end of the TTL always",
    "serve-expired-reply-ttl": "stale answers have a TTL of 30 seconds",
    "ede-serve-expired": "ede says which errors are told, those of stale answers among them",
    "val-bogus-ttl": "cache-failure-ttl says how long a failure is kept",
    "wait-limit-cookie": "max-waiting-per-client is ten times as much for clients with a cookie",
    "ip-ratelimit-backoff": (
        "of questions beyond the limit, rate-limit-slip is how many are answered with TC"
    ),
    "log-identity": "dns64d logs as dns64d",
    "log-time-ascii": "syslog and the journal write the time",
    "log-time-iso": "syslog and the journal write the time",
    "statistics-interval": (
        "dns64d logs statistics on SIGUSR1 only; web-listen and dns64ctl show them at any time"
    ),
    "val-log-level": "dns64d does not validate; its upstream does",
    "prefer-ip4": "all upstreams are asked as selection-mode says",
    "prefer-ip6": "all upstreams are asked as selection-mode says",
}
# Values with which nothing is lost, most of them Unbound's defaults. What is not here is always
# told.
OFF = {
    "do-udp": ("yes",),
    "do-tcp": ("yes",),
    "aggressive-nsec": ("no",),
    "outgoing-range": ("4096",),
    "outgoing-num-tcp": ("10",),
    "infra-host-ttl": ("900",),
    "infra-cache-min-rtt": ("50",),
    "infra-cache-max-rtt": ("120000",),
    "infra-keep-probing": ("no",),
    "outbound-msg-retry": ("5",),
    "max-sent-count": ("32",),
    "unknown-server-time-limit": ("376",),
    "fast-server-permil": ("0",),
    "fast-server-num": ("3",),
    "discard-timeout": ("1900",),
    "delay-close": ("0",),
    "udp-connect": ("yes",),
    "tcp-reuse-timeout": ("60000",),
    "max-reuse-tcp-queries": ("200",),
    "tcp-auth-query-timeout": ("3000",),
    "serve-expired-ttl-reset": ("no",),
    "serve-expired-reply-ttl": ("30",),
    "serve-expired-client-timeout": ("1800",),
    "ede-serve-expired": ("yes",),
    "val-bogus-ttl": ("60",),
    "wait-limit-cookie": ("10000",),
    "ip-ratelimit-backoff": ("no",),
    "ip-ratelimit-cookie": ("0",),
    "log-identity": ("",),
    "log-time-ascii": ("no",),
    "log-time-iso": ("no",),
    "log-tag-queryreply": ("no",),
    "log-local-actions": ("no",),
    "statistics-interval": ("", "0"),
    "val-log-level": ("0",),
    "val-permissive-mode": ("no",),
    "ignore-cd-flag": ("no",),
    "zonemd-permissive-mode": ("no",),
    "client-subnet-always-forward": ("no",),
    "tcp-upstream": ("no",),
    "udp-upstream-without-downstream": ("no",),
    "tls-upstream": ("no",),
    "ssl-upstream": ("no",),
    "tls-service-key": ("",),
    "ssl-service-key": ("",),
    "https-port": ("443",),
    "quic-port": ("853",),
    "ratelimit": ("0",),
    "ip-ratelimit-factor": ("10",),
    "serve-original-ttl": ("no",),
    "ip-dscp": ("0",),
    "tcp-mss": ("0",),
    "outgoing-tcp-mss": ("0",),
    "nsid": ("",),
    "unwanted-reply-threshold": ("0",),
    "jostle-timeout": ("200",),
    "stream-wait-size": ("4m", "4194304"),
    "prefer-ip4": ("no",),
    "prefer-ip6": ("no",),
}
NEED_UNBOUND = ("local-zone", "local-data", "local-data-ptr", "tls-upstream", "ssl-upstream")
CLAUSES_SAY = {
    "stub-zone": "dns64d asks one set of upstreams for all names: it %s" % BEHIND,
    "auth-zone": "dns64d has no zones of its own: it %s" % BEHIND,
    "rpz": "dns64d changes no answers: it %s" % BEHIND,
    "view": "dns64d has no views; client blocks have settings for some clients",
    "python": "dns64d runs no scripts",
    "dynlib": "dns64d loads no modules",
    "dnscrypt": "dns64d does not speak DNSCrypt",
    "cachedb": "dns64d has its cache in memory; cache-file keeps it over a restart",
    "dnstap": "dnstap-socket PATH is where a reader listens (a build --with-dnstap)",
    "ipset": "dns64d fills no sets of the packet filter",
    "remote-control": "unbound-control does not speak to dns64d; dns64ctl does (control-socket)",
}
