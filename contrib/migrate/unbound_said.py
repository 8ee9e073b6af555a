# SPDX-License-Identifier: BSD-2-Clause
"""unbound_said: what is said of attributes of unbound.conf that have no counterpart in dns64d."""

# What has no counterpart and needs none: Unbound's own files, caches inside, signatures, resolving.
QUIET = set("""
    directory chroot username pidfile logfile use-syslog log-identity log-time-ascii
    log-time-iso use-systemd do-daemonize root-hints target-fetch-policy qname-minimisation
    qname-minimisation-strict aggressive-nsec minimal-responses msg-cache-slabs
    rrset-cache-slabs infra-cache-slabs key-cache-slabs ratelimit-slabs ip-ratelimit-slabs
    key-cache-size neg-cache-size infra-host-ttl infra-cache-numhosts infra-cache-min-rtt
    infra-cache-max-rtt infra-keep-probing infra-lame-ttl infra-cache-lame-size so-sndbuf
    so-reuseport msg-buffer-size outgoing-range outgoing-num-tcp prefetch-key
    statistics-interval statistics-cumulative extended-statistics statistics-inhibit-zero
    hide-trustanchor hide-http-user-agent http-user-agent val-log-level val-clean-additional
    val-override-date val-sig-skew-min val-sig-skew-max val-max-restart val-bogus-ttl
    val-nsec3-keysize-iterations add-holddown del-holddown keep-missing permit-small-holddown
    trust-anchor trust-anchor-file auto-trust-anchor-file trusted-keys-file
    trust-anchor-signaling root-key-sentinel domain-insecure dlv-anchor dlv-anchor-file
    harden-short-bufsize harden-large-queries harden-glue harden-unverified-glue
    harden-dnssec-stripped harden-below-nxdomain harden-referral-path harden-algo-downgrade
    harden-unknown-additional unknown-server-time-limit disable-dnssec-lame-check
    insecure-lan-zones do-not-query-localhost caps-exempt caps-whitelist define-tag
    edns-tcp-keepalive edns-tcp-keepalive-timeout serve-expired-ttl-reset
    serve-expired-reply-ttl fast-server-permil fast-server-num outgoing-port-permit
    tls-cert-bundle ssl-cert-bundle tls-system-cert tls-win-cert tls-use-sni tls-ciphers
    tls-ciphersuites tls-session-ticket-keys ede ede-serve-expired cachedb-no-store delay-close
    udp-connect max-sent-count max-query-restarts outbound-msg-retry iter-scrub-ns
    iter-scrub-cname iter-scrub-promiscuous max-global-quota http-endpoint http-max-streams
    http-query-buffer-size http-response-buffer-size http-nodelay http-notls-downstream
    tls-service-pem ssl-service-pem pad-responses-block-size pad-queries-block-size
    pad-responses pad-queries discard-timeout wait-limit-cookie tcp-reuse-timeout
    max-reuse-tcp-queries tcp-auth-query-timeout ip-ratelimit-size ip-ratelimit-backoff
    ratelimit-size ratelimit-factor ratelimit-backoff shm-enable shm-key
    """.split())

BEHIND = "stays in Unbound, behind dns64d"
# What is said of others, if they are not "no" or 0; those marked need Unbound behind dns64d.
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
    "wait-limit": "max-waiting-per-client is the like, from when half of max-queries is taken",
    "wait-limit-netblock": "max-waiting-per-client holds for all clients",
    "wait-limit-cookie-netblock": "max-waiting-per-client holds for all clients",
    "tcp-connection-limit": "max-tcp-per-client is the limit for each client network",
    "log-replies": "query-log FILE has a line for each answer",
    "log-local-actions": "query-log-select says which answers get a line",
    "log-servfail": "query-log FILE with query-log-select failed has a line for each failure",
    "log-tag-queryreply": "query-log-format says how lines look",
    "dns64-prefix": "",
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
    "prefer-ip4": "all upstreams are asked as selection-mode says",
    "prefer-ip6": "all upstreams are asked as selection-mode says",
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
