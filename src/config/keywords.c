/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/keywords.h"

#include <string.h>
#include <strings.h>

#include "config/checks.h"
#include "config/field.h"
#include "config/loglevel.h"
#include "config/set.h"
#include "config/set_logs.h"
#include "config/set_policy.h"
#include "config/set_prefix.h"
#include "policy/policy.h"

/* --- What rows have in common ---------------------------------------------------------------- */

/* The field of a row's value, a member of struct settings. */
#define FIELD_WORDS(member, words) \
	.offset = offsetof(struct settings, member), \
	.size = sizeof(((struct settings *)NULL)->member), .max_words = (words)
#define FIELD(member) FIELD_WORDS(member, 1)

/* The same for a keyword whose changes take a restart. */
#define AT_START(member) FIELD(member), .restart = true

/* The same for a keyword that client blocks may have (RULES D13): a member of struct policy. */
#define POLICY_WORDS(member, words) \
	.in_block = true, .offset = offsetof(struct policy, member), \
	.size = sizeof(((struct policy *)NULL)->member), .max_words = (words)
#define POLICY(member) POLICY_WORDS(member, 1)

/* The same for one whose value is not one field. */
#define POLICY_LIST(words) .in_block = true, .max_words = (words), .repeatable = true

/* The values of a number and its bounds; of a time, in ms; of the size of a message over UDP. */
#define NUMBER_OF(what, least, most) \
	.args = (what), .parse = set_number, .unit = KEYWORD_NUMBER, .min = (least), .max = (most)
#define NUMBER(least, most) NUMBER_OF("N", least, most)
/* a number, or a word instead */
#define NUMBER_OR(what, least, most) \
	.args = (what), .parse = set_number_or, .unit = KEYWORD_NUMBER, .min = (least), \
	.max = (most)
#define SECONDS(least, most) \
	.args = "SECONDS", .parse = set_seconds, .unit = KEYWORD_SECONDS, .min = (least), \
	.max = (most)
#define UDP_SIZE \
	.args = "BYTES", .parse = set_udp_size, .unit = KEYWORD_NUMBER, .min = 512, .max = 4096

/* The values of a name or of a path, and its default. */
#define TEXT(what, usual) .args = (what), .parse = set_text, .fallback = (usual)
#define PATH(what, usual) .args = (what), .parse = set_path, .fallback = (usual)

/* The words of a choice; no or yes, and which of them is the default. */
#define CHOICE(words) .args = (words), .parse = set_choice
#define NO_OR_YES(usual) CHOICE("no|yes"), .fallback = (usual)

/* --- The table ------------------------------------------------------------------------------- */

static const struct keyword table[] = {
	{ .name = "include",
	    .args = "PATH",
	    .parse = set_include,
	    .max_words = 1,
	    .repeatable = true,
	    .help = "read these files here: a path, from this file's directory, may have * ? []" },

	/* Upstreams. */
	{ .name = "nameserver",
	    .args = "ADDRESS [port N] [trusted] | defaults",
	    .parse = set_nameserver,
	    .max_words = 4,
	    .repeatable = true,
	    .help =
		"an upstream resolver; trusted: believe its AD; defaults: of /etc/resolv.conf" },
	{ .name = "selection-mode",
	    CHOICE("random|round-robin|in-order|fastest"),
	    FIELD(conf.core.selection),
	    .fallback = "random",
	    .help = "any good one, the same until it fails, the first alive, or the fastest" },
	{ .name = "hedge",
	    NO_OR_YES("no"),
	    FIELD(conf.core.hedge),
	    .help = "ask another upstream too when one is slower than it usually is" },
	{ .name = "upstream-timeout",
	    .old = "timeout-time",
	    SECONDS(100, 5000),
	    FIELD(conf.core.timeout_ms),
	    .fallback = "2.0",
	    .help = "longest wait for a reply; usually that is measured" },
	{ .name = "timeout-time-sec",
	    NUMBER(0, 5),
	    FIELD(timeout_sec),
	    .help = "whole seconds of upstream-timeout, as MTD64 writes it" },
	{ .name = "timeout-time-usec",
	    NUMBER(0, 999999),
	    FIELD(timeout_usec),
	    .help = "microseconds added to timeout-time-sec" },
	{ .name = "upstream-tries",
	    NUMBER(1, CONF_MOST_TRIES),
	    FIELD(conf.core.upstream_tries),
	    .fallback = "3",
	    .help = "how often a question goes to one upstream if no reply comes (RFC 9520)" },
	{ .name = "resend-attempts",
	    NUMBER(0, 10),
	    FIELD(resend_attempts),
	    .help = "upstream-tries less one, as mtd64-ng writes it" },
	{ .name = "max-upstream-questions",
	    NUMBER(8, 255),
	    FIELD(conf.core.max_upstream_questions),
	    .fallback = "24",
	    .help = "questions sent upstream for one question of a client, retries included" },
	{ .name = "udp-size-upstream",
	    UDP_SIZE,
	    FIELD(conf.core.udp_size_upstream),
	    .fallback = "1232",
	    .help = "largest UDP reply asked of upstreams (EDNS)" },
	{ .name = "case-randomization",
	    NO_OR_YES("yes"),
	    FIELD(conf.core.case_randomization),
	    .help = "mix the case of questions over UDP, which forged replies miss (0x20)" },
	{ .name = "upstream-cookies",
	    NO_OR_YES("yes"),
	    FIELD(conf.core.cookies.upstream),
	    .help = "send DNS cookies over UDP, which forged replies miss (RFC 7873)" },
	{ .name = "outgoing-ports",
	    NUMBER_OR("each|N", 1, 64),
	    FIELD(conf.io.outgoing_ports),
	    .fallback = "8",
	    .help = "source ports in use, per upstream and loop; each: one per question" },
	{ .name = "avoid-port",
	    .args = "N[-N]",
	    .parse = set_avoid_port,
	    .unit = KEYWORD_NUMBER,
	    .min = 1,
	    .max = 65535,
	    .max_words = 1,
	    .repeatable = true,
	    .help = "never ask from this source port" },

	/* Listening and clients. */
	{ .name = "listen",
	    .args = "ADDRESS|INTERFACE [port N]",
	    .parse = set_listen,
	    .max_words = 3,
	    .repeatable = true,
	    .fallback = "::1\n127.0.0.1",
	    .help =
		"address, or all of an interface, to serve on; :: and 0.0.0.0: of the machine" },
	{ .name = "port",
	    NUMBER(1, 65535),
	    FIELD(port),
	    .fallback = "53",
	    .help = "port of listen addresses that name none" },
	{ .name = "freebind",
	    NO_OR_YES("no"),
	    FIELD(conf.io.freebind),
	    .help = "yes: listen on addresses too that the machine does not have yet" },
	{ .name = "proxy-protocol",
	    .args = "NETWORK[/LENGTH]...",
	    .parse = set_proxy_protocol,
	    .max_words = KEYWORD_ANY,
	    .repeatable = true,
	    .help = "balancers there name the client in a PROXY header (v2), and no others may" },
	{ .name = "client-cookies",
	    NO_OR_YES("yes"),
	    FIELD(conf.core.cookies.client),
	    .help = "answer a client's DNS cookie with one of ours (RFC 7873)" },
	{ .name = "cookie-secret",
	    .args = "auto | HEX [HEX]",
	    .parse = set_cookie_secret,
	    .max_words = 2,
	    .secret = true,
	    .fallback = "auto",
	    .help = "32 hex digits, and older ones that still count; auto: drawn, new each day" },
	{ .name = "udp-size-client",
	    UDP_SIZE,
	    FIELD(conf.core.udp_size_client),
	    .fallback = "1232",
	    .help = "largest UDP answer given to clients" },
	{ .name = "response-maxlength",
	    UDP_SIZE,
	    FIELD(conf.core.udp_size_client),
	    .help = "udp-size-client under mtd64-ng's name" },
	{ .name = "socket-buffer",
	    .args = "BYTES",
	    .parse = set_bytes,
	    .unit = KEYWORD_BYTES,
	    .min = 0,
	    .max = UINT64_C(1) << 30,
	    FIELD(conf.io.socket_buffer),
	    .fallback = "4m",
	    .help = "receive buffer of a UDP socket, with k or m; 0: the kernel's default" },
	{ .name = "batch-delay",
	    .args = "auto|off|MICROSECONDS",
	    .parse = set_batch_delay,
	    .unit = KEYWORD_NUMBER,
	    .min = 10,
	    .max = 1000,
	    FIELD(conf.io.batch_delay),
	    .fallback = "auto",
	    .help = "under load a loop's turns are so far apart, for fewer wake-ups" },
	{ .name = "max-queries",
	    NUMBER(256, 1048576),
	    AT_START(conf.core.max_queries),
	    .fallback = "262144",
	    .help = "questions being worked on at a time, per loop" },
	{ .name = "max-waiting-per-client",
	    NUMBER(0, 1048576),
	    FIELD(conf.core.max_waiting_per_client),
	    .fallback = "1000",
	    .help = "of these of one address, once half are taken; 0: no limit" },
	{ .name = "max-same-question",
	    NUMBER(0, 4096),
	    FIELD(conf.core.max_same_question),
	    .fallback = "16",
	    .help = "of these for one name and type, over UDP without a cookie; 0: no limit" },
	{ .name = "max-waiting-per-upstream",
	    NUMBER(0, 1048576),
	    FIELD(conf.core.max_waiting_per_upstream),
	    .fallback = "0",
	    .help = "in flight to one upstream, per loop; 0: 3/4 of max-queries if several" },
	{ .name = "max-tcp-clients",
	    NUMBER(1, 65536),
	    AT_START(conf.io.max_tcp_clients),
	    .fallback = "1024",
	    .help = "client connections at a time, per loop" },
	{ .name = "max-tcp-per-client",
	    NUMBER(1, 65536),
	    FIELD(conf.io.max_tcp_per_client),
	    .fallback = "128",
	    .help = "of these from one address" },
	{ .name = "tcp-idle-timeout",
	    SECONDS(500, 600000),
	    FIELD(conf.io.tcp_idle_ms),
	    .fallback = "10",
	    .help = "a client connection without a question is closed after this" },
	{ .name = "allow",
	    .args = "NETWORK[/LENGTH]... | any",
	    .parse = set_allow,
	    .max_words = KEYWORD_ANY,
	    .repeatable = true,
	    .help = "who may ask, instead of loopback, link-local and private networks beside us" },
	{ .name = "deny",
	    .args = "NETWORK[/LENGTH]... | any [refuse|drop]",
	    .parse = set_deny,
	    .max_words = KEYWORD_ANY,
	    .repeatable = true,
	    .help = "who may not, inside of these: REFUSED, or no answer; the longest decides" },
	{ .name = "rate-limit",
	    NUMBER(0, 1000000),
	    FIELD(conf.core.rate.limit),
	    .fallback = "0",
	    .help = "questions over UDP that an address may ask in a second; 0: any number" },
	{ .name = "rate-limit-burst",
	    NUMBER(0, 1000000),
	    FIELD(conf.core.rate.burst),
	    .fallback = "0",
	    .help = "of these at once; 0: twice rate-limit, 50 at least" },
	{ .name = "rate-limit-slip",
	    NUMBER(0, 100),
	    FIELD(conf.core.rate.slip),
	    .fallback = "2",
	    .help = "one question in N beyond it gets TC, the others nothing; 0: all get nothing" },
	{ .name = "rate-limit-exempt",
	    .args = "NETWORK[/LENGTH]...",
	    .parse = set_rate_exempt,
	    .max_words = KEYWORD_ANY,
	    .repeatable = true,
	    .help = "clients without rate-limit and max-amplification" },
	{ .name = "rate-limit-dry-run",
	    NO_OR_YES("no"),
	    FIELD(conf.core.rate.dry_run),
	    .help = "yes: only count and log what rate-limit and max-amplification would do" },
	{ .name = "max-amplification",
	    NUMBER(0, 1000),
	    FIELD(conf.core.rate.amplification),
	    .fallback = "10",
	    .help = "bytes of UDP answers for each byte of questions and 1 MiB a second; "
		    "0: any number" },

	/* Answers. */
	{ .name = "client",
	    .args = "NETWORK[/LENGTH]... {",
	    .parse = set_client,
	    .max_words = KEYWORD_ANY,
	    .repeatable = true,
	    .help = "the lines up to a } alone hold for clients there; longest match" },
	{ .name = "dns64-prefix",
	    .args = "PREFIX/LENGTH [active|drain|down] [weight N | map]",
	    .parse = set_prefix,
	    POLICY_LIST(4),
	    .fallback = "64:ff9b::/96",
	    .help = "NAT64 prefix that IPv4 addresses are embedded in (RFC 6052)" },
	{ .name = "prefix-file",
	    PATH("none|FILE", "none"),
	    AT_START(prefix_file),
	    .help = "where dns64ctl saves prefixes; those of a block replace its lines" },
	{ .name = "dns64-suffix",
	    .args = "ADDRESS",
	    .parse = set_suffix,
	    .in_block = true,
	    .max_words = 1,
	    .fallback = "::",
	    .help = "the bits behind the IPv4 address (RFC 6052 section 2.2)" },
	{ .name = "prefix-selection",
	    CHOICE("all|round-robin|client-hash"),
	    POLICY(selection),
	    .fallback = "all",
	    .help = "which of several prefixes make one answer" },
	{ .name = "no-prefix",
	    CHOICE("nodata|servfail"),
	    POLICY(servfail_without_prefix),
	    .fallback = "nodata",
	    .help = "what is said when no prefix is active" },
	{ .name = "prefix-check",
	    .args = "tcp ADDRESS port N | dns ADDRESS NAME | icmp ADDRESS | none",
	    .parse = set_prefix_check,
	    POLICY_LIST(4),
	    .fallback = "none",
	    .help = "an IPv4 host that is asked under each prefix: does its translator work?" },
	{ .name = "prefix-check-interval",
	    SECONDS(100, 3600000),
	    FIELD(check_interval_ms),
	    .fallback = "2",
	    .help = "from one round of prefix-check to the next; up to a tenth less, by chance" },
	{ .name = "prefix-check-timeout",
	    SECONDS(50, 60000),
	    FIELD(check_timeout_ms),
	    .fallback = "1",
	    .help = "how long a target of prefix-check may take to answer" },
	{ .name = "prefix-check-fall",
	    NUMBER(1, 100),
	    FIELD(check_fall),
	    .fallback = "3",
	    .help = "rounds in a row without an answer until a prefix is down" },
	{ .name = "prefix-check-rise",
	    NUMBER(1, 100),
	    FIELD(check_rise),
	    .fallback = "5",
	    .help = "rounds in a row with one until it is up again" },
	{ .name = "map",
	    .args = "NETWORK/LENGTH PREFIX/LENGTH|none",
	    .parse = set_map,
	    POLICY_LIST(2),
	    .help = "IPv4 addresses there only under this prefix, or under none" },
	{ .name = "exclude-a",
	    .args = "NETWORK/LENGTH",
	    .parse = set_exclude_a,
	    POLICY_LIST(1),
	    .help = "IPv4 addresses that no AAAA is made from" },
	{ .name = "exclude-aaaa",
	    .args = "NETWORK/LENGTH | none",
	    .parse = set_exclude_aaaa,
	    POLICY_LIST(1),
	    .fallback = "::ffff:0:0/96",
	    .help = "AAAA never handed out, besides the default; none, first: without that" },
	{ .name = "synthesize",
	    CHOICE("never|normal|always"),
	    POLICY(synthesize),
	    .fallback = "normal",
	    .help = "normal: where there is no usable AAAA; always: whatever AAAA there is" },
	{ .name = "synthesize-on",
	    .args = "nodata|error|timeout...",
	    .parse = set_triggers,
	    POLICY_WORDS(triggers, 3),
	    .fallback = "nodata error timeout",
	    .help = "what may come of the AAAA question to make us ask for A" },
	{ .name = "max-synthesized",
	    NUMBER(0, 1000),
	    POLICY(synth.max),
	    .fallback = "0",
	    .help = "AAAA made for one answer at most; 0: no limit" },
	{ .name = "synthesized-max-ttl",
	    .args = "auto|SECONDS",
	    .parse = set_synthesized_ttl,
	    .unit = KEYWORD_NUMBER,
	    .max = 604800,
	    POLICY(max_ttl),
	    .fallback = "auto",
	    .help = "TTL of AAAA that are made, and of ipv4only.arpa, at most; 0: no limit" },
	{ .name = "never-synthesize",
	    .args = "ZONE...",
	    .parse = set_never_synthesize,
	    POLICY_LIST(KEYWORD_ANY),
	    .help = "zones without DNS64" },
	{ .name = "ignore-aaaa",
	    .args = "ZONE...",
	    .parse = set_ignore_aaaa,
	    POLICY_LIST(KEYWORD_ANY),
	    .help = "zones whose AAAA do not count" },
	{ .name = "hide-a",
	    NO_OR_YES("no"),
	    POLICY(hide_a),
	    .help = "yes: questions for A get no addresses" },
	{ .name = "dns64-for",
	    CHOICE("both|ipv6|ipv4"),
	    POLICY(family),
	    .fallback = "both",
	    .help = "clients with DNS64, by the family they ask over" },
	{ .name = "reverse",
	    .args = "cname | local NAME",
	    .parse = set_reverse,
	    POLICY_WORDS(reverse, 2),
	    .fallback = "cname",
	    .help = "PTR under a prefix: those of the IPv4 address, or this name for all" },
	{ .name = "svcb-additional",
	    CHOICE("cached|resolve|off"),
	    POLICY(svcb),
	    .fallback = "cached",
	    .help = "AAAA of the targets of SVCB and HTTPS records beside them" },
	{ .name = "any",
	    CHOICE("relay|minimal"),
	    POLICY(any_minimal),
	    .fallback = "relay",
	    .help = "answers to ANY over UDP: as they are, or one RRset (RFC 8482)" },
	{ .name = "ede",
	    .args = "all|none|relay|synthesized|upstream|policy...",
	    .parse = set_ede,
	    POLICY_WORDS(ede, 4),
	    .fallback = "all",
	    .help = "extended errors that go along (RFC 8914)" },
	{ .name = "rate-limit-factor",
	    NUMBER(0, 65536),
	    POLICY(rate_factor),
	    .fallback = "1",
	    .help = "these clients get N times rate-limit and max-amplification; 0: no limit" },
	{ .name = "local-zones",
	    NO_OR_YES("no"),
	    FIELD(conf.core.local_zones),
	    .help = "yes: reverse zones of private addresses are answered here (RFC 6303)" },
	{ .name = "health-name",
	    .args = "none|NAME",
	    .parse = set_health_name,
	    FIELD(conf.core.health),
	    .fallback = "none",
	    .help = "a name that is NOERROR while the daemon is ready, SERVFAIL while it is not" },
	{ .name = "version",
	    .args = "none|TEXT...",
	    .parse = set_short_text,
	    FIELD_WORDS(conf.core.chaos.version, KEYWORD_ANY),
	    .fallback = "none",
	    .help = "what version.bind says in class CH" },
	{ .name = "server-id",
	    .args = "none|TEXT...",
	    .parse = set_short_text,
	    FIELD_WORDS(conf.core.chaos.server_id, KEYWORD_ANY),
	    .fallback = "none",
	    .help = "what id.server says in class CH" },

	/* Cache (RULES D22). */
	{ .name = "cache-size",
	    .args = "BYTES",
	    .parse = set_cache_size,
	    .unit = KEYWORD_BYTES,
	    .min = 0,
	    .max = UINT64_C(64) << 30,
	    AT_START(cache_size),
	    .fallback = "64m",
	    .help = "memory for what upstream said, with k, m or g; 1m at least, or 0: none" },
	{ .name = "cache-min-ttl",
	    NUMBER_OF("SECONDS", 0, 60),
	    FIELD(conf.core.keep.min_ttl_s),
	    .fallback = "0",
	    .help = "an answer is kept for this long at least, unless its TTL is 0" },
	{ .name = "cache-max-ttl",
	    NUMBER_OF("SECONDS", 1, 604800),
	    FIELD(conf.core.keep.max_ttl_s),
	    .fallback = "604800",
	    .help = "an answer is kept for this long at most" },
	{ .name = "cache-max-negative",
	    NUMBER_OF("SECONDS", 1, 86400),
	    FIELD(conf.core.keep.max_negative_s),
	    .fallback = "3600",
	    .help = "that there is no such name or record is kept for this long at most" },
	{ .name = "cache-failure-ttl",
	    NUMBER_OF("SECONDS", 1, 300),
	    FIELD(conf.core.keep.failure_s),
	    .fallback = "5",
	    .help = "a failure is kept so long at first, doubling to 30 s, or 300 s if none "
		    "replied (RFC 9520)" },
	{ .name = "serve-stale",
	    .old = "cache-stale",
	    NUMBER_OF("SECONDS", 0, 259200),
	    FIELD(conf.core.keep.stale_s),
	    .fallback = "86400",
	    .help = "so long after its end an answer helps out (RFC 8767); 0: never" },
	{ .name = "nxdomain-cut",
	    CHOICE("off|secure|all"),
	    FIELD(conf.core.keep.cut),
	    .fallback = "secure",
	    .help = "which NXDOMAIN hold for the names below too (RFC 8020)" },
	{ .name = "prefetch",
	    NO_OR_YES("yes"),
	    FIELD(conf.core.keep.prefetch),
	    .help = "ask again for popular answers shortly before their end" },
	{ .name = "rrset-order",
	    CHOICE("fixed|rotate"),
	    FIELD(conf.core.keep.rotate),
	    .fallback = "fixed",
	    .help = "rotate: addresses from the cache take turns in coming first" },
	{ .name = "cache-file",
	    PATH("none|FILE", "none"),
	    FIELD(cache_file),
	    .help = "where the cache is saved at the end, and read from at the start" },

	/* Process. */
	{ .name = "num-threads",
	    NUMBER_OR("auto|N", 1, SETTINGS_LOOPS),
	    AT_START(num_threads),
	    .fallback = "auto",
	    .help = "loops, each a thread with sockets of its own; auto: one per CPU" },
	{ .name = "cpu-affinity",
	    .args = "auto|LIST",
	    .parse = set_affinity,
	    AT_START(affinity),
	    .fallback = "auto",
	    .help = "CPUs that the loops are bound to, as 0-3,8; auto: the kernel moves them" },
	{ .name = "user",
	    TEXT("auto|none|NAME", "auto"),
	    AT_START(user),
	    .help = "user to run as after the start; auto: not root (_dns64d, dns64d or nobody)" },
	{ .name = "group",
	    TEXT("none|NAME", "none"),
	    AT_START(group),
	    .help = "group to run as; none: that of the user" },
	{ .name = "chroot",
	    PATH("none|DIRECTORY", "none"),
	    AT_START(chroot),
	    .help = "directory to lock the daemon into" },
	{ .name = "sandbox",
	    CHOICE("on|strict|off"),
	    AT_START(sandbox),
	    .fallback = "on",
	    .help = "system calls, files, TCP ports given up after the start; strict: more" },
	{ .name = "pidfile",
	    PATH("auto|none|FILE", "auto"),
	    AT_START(pidfile),
	    .help = "where the process ID is written; auto: only in the background" },
	{ .name = "control-socket",
	    PATH("auto|none|FILE", "auto"),
	    AT_START(control_socket),
	    .help = "where dns64ctl asks; auto: in the usual directory, if that is there" },
	{ .name = "control-group",
	    .args = "none|NAME",
	    .parse = set_text,
	    AT_START(control_group),
	    .fallback = "none",
	    .help = "group that may use the control socket; none: that of the daemon" },
	{ .name = "web-listen",
	    .args = "ADDRESS [port N]",
	    .parse = set_web_listen,
	    FIELD_WORDS(web, 3),
	    .repeatable = true,
	    .restart = true,
	    .help = "address that shows metrics and a page, port 6464 if none is named" },
	{ .name = "web-allow",
	    .args = "NETWORK[/LENGTH]... | any",
	    .parse = set_web_allow,
	    .max_words = KEYWORD_ANY,
	    .repeatable = true,
	    .help = "who may look there, beside this machine" },
	{ .name = "web-name",
	    .args = "NAME...",
	    .parse = set_web_name,
	    .max_words = KEYWORD_ANY,
	    .repeatable = true,
	    .help = "by which names, beside localhost and the host name; addresses always do" },
	{ .name = "lameduck",
	    SECONDS(0, 3600000),
	    FIELD(lameduck_ms),
	    .fallback = "0",
	    .help = "how long a stop is announced (/ready, health-name) while all is answered" },
	{ .name = "stop-timeout",
	    SECONDS(0, 60000),
	    FIELD(stop_timeout_ms),
	    .fallback = "5",
	    .help = "how long a stop waits for questions in flight" },
	{ .name = "log",
	    CHOICE("auto|syslog|stderr"),
	    AT_START(log),
	    .fallback = "auto",
	    .help = "where messages go; auto: stderr in the foreground, else syslog" },
	{ .name = "log-level",
	    .args = "[" LOGLEVEL_CATEGORIES "] " LOGLEVEL_LEVELS,
	    .parse = loglevel_set,
	    FIELD_WORDS(log_levels, 2),
	    .repeatable = true,
	    .fallback = "notice",
	    .help = "least important messages that are written, in all or about one thing" },
	{ .name = "query-log",
	    PATH("none|syslog|stderr|FILE", "none"),
	    FIELD(query_log),
	    .help = "where a line for each answer goes" },
	{ .name = "query-log-format",
	    CHOICE("text|json"),
	    FIELD(query_log_format),
	    .fallback = "text",
	    .help = "words for people, or a JSON object" },
	{ .name = "query-log-mode",
	    .args = "MODE",
	    .parse = set_query_log_mode,
	    FIELD(query_log_mode),
	    .fallback = "0640",
	    .help = "permissions of the file, octal, when it is made" },
	{ .name = "query-log-select",
	    .args = "all|synthesized|failed|denied|slow MS...",
	    .parse = set_query_log_select,
	    FIELD_WORDS(conf.core.querylog.select, 5),
	    .fallback = "all",
	    .help = "for which answers; slow: those that took so many milliseconds" },
	{ .name = "query-log-sample",
	    NUMBER(1, 1000000),
	    FIELD(conf.core.querylog.sample),
	    .fallback = "1",
	    .help = "for one in N of these" },
	{ .name = "dnstap-socket",
	    .args = "none|PATH",
	    .parse = set_dnstap_socket,
	    FIELD(dnstap_socket),
	    .fallback = "none",
	    .help = "who reads copies of messages, by dnstap" },
	{ .name = "dnstap-messages",
	    .args = "all|client-query|client-response|forwarder-query|forwarder-response...",
	    .parse = set_dnstap_messages,
	    FIELD_WORDS(conf.core.dnstap.types, 4),
	    .fallback = "all",
	    .help = "which messages: to and from clients, to and from upstreams" },
	{ .name = "dnstap-sample",
	    NUMBER(1, 1000000),
	    FIELD(conf.core.dnstap.sample),
	    .fallback = "1",
	    .help = "one in N questions, each with its response" },
	{ .name = "dnstap-identity",
	    .args = "hostname|none|TEXT...",
	    .parse = set_short_text,
	    FIELD_WORDS(dnstap_identity, KEYWORD_ANY),
	    .fallback = "hostname",
	    .help = "the server's name there" },
	{ .name = "dnstap-version",
	    .args = "auto|none|TEXT...",
	    .parse = set_short_text,
	    FIELD_WORDS(dnstap_version, KEYWORD_ANY),
	    .fallback = "auto",
	    .help = "its version there; auto: dns64d and its number" },
	{ .name = "debugging",
	    NO_OR_YES("no"),
	    FIELD(debugging),
	    .help = "yes: log-level debug, as mtd64-ng writes it" },
};

#define N_ROWS (sizeof(table) / sizeof(table[0]))
_Static_assert(N_ROWS <= KEYWORDS_MAX, "settings have room for a line of every keyword");

const struct keyword *
keywords(size_t *n)
{
	*n = N_ROWS;
	return table;
}

/* --- Rows by their names ---------------------------------------------------------------------- */

#define NAME_MAX_LEN 32 /* bytes of the longest word compared; no keyword is longer */

const struct keyword *
keywords_find(const char *name)
{
	for (size_t i = 0; i < N_ROWS; i++) {
		if (strcmp(table[i].name, name) == 0 ||
		    (table[i].old != NULL && strcmp(table[i].old, name) == 0))
			return &table[i];
	}
	return NULL;
}

static size_t
least(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Levenshtein distance of two words, case ignored; B has at most NAME_MAX_LEN letters. */
static size_t
distance(const char *a, const char *b)
{
	size_t row[NAME_MAX_LEN + 1], len = strlen(b);

	for (size_t j = 0; j <= len; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1] != '\0'; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= len; j++) {
			size_t change = strncasecmp(&a[i - 1], &b[j - 1], 1) == 0 ? 0 : 1;
			size_t best = least(row[j] + 1, row[j - 1] + 1, diagonal + change);

			diagonal = row[j];
			row[j] = best;
		}
	}
	return row[len];
}

const char *
keywords_nearest(const char *name)
{
	const char *nearest = NULL;
	size_t len = strlen(name), least_distance = len / 3 + 1;

	if (len > NAME_MAX_LEN)
		return NULL;
	for (size_t i = 0; i < N_ROWS; i++) {
		size_t d = distance(name, table[i].name);
		size_t before = table[i].old != NULL ? distance(name, table[i].old) : d;

		d = before < d ? before : d;
		if (d < least_distance || (d == least_distance && nearest == NULL)) {
			least_distance = d;
			nearest = table[i].name;
		}
	}
	return nearest;
}

unsigned
keywords_line(const struct settings *s, const char *name)
{
	const struct keyword *k = keywords_find(name);

	return k == NULL ? 0 : s->lines[k - table];
}

/* --- The table as text ------------------------------------------------------------------------ */

/* The default on one line, "-" without. */
static const char *
format_fallback(const struct keyword *k, char *text, size_t cap)
{
	size_t n = 0;

	if (k->fallback == NULL)
		return "-";
	for (const char *c = k->fallback; *c != '\0' && n + 3 < cap; c++) {
		text[n++] = *c == '\n' ? ';' : *c;
		if (*c == '\n')
			text[n++] = ' ';
	}
	text[n] = '\0';
	return text;
}

void
keywords_help(FILE *out)
{
	char bounds[FIELD_BOUNDS], text[64];

	for (size_t i = 0; i < N_ROWS; i++) {
		const struct keyword *k = &table[i];

		field_bounds(k, bounds);
		fprintf(out, "  %s %s\n\t%s%s%s%s", k->name, k->args, k->help,
		    bounds[0] != '\0' ? " (" : "", bounds, bounds[0] != '\0' ? ")" : "");
		if (k->fallback != NULL)
			fprintf(out, "; default %s", format_fallback(k, text, sizeof(text)));
		fprintf(out, "%s%s%s\n", k->repeatable ? "; repeatable" : "",
		    k->restart ? "; needs a restart" : "",
		    k->in_block ? "; also in client blocks" : "");
	}
}

void
keywords_print(FILE *out)
{
	char bounds[FIELD_BOUNDS], text[64];

	for (size_t i = 0; i < N_ROWS; i++) {
		const struct keyword *k = &table[i];

		field_bounds(k, bounds);
		fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", k->name, k->args,
		    bounds[0] != '\0' ? bounds : "-", format_fallback(k, text, sizeof(text)),
		    k->repeatable ? "repeatable" : "single", k->restart ? "restart" : "reload",
		    k->in_block ? "block" : "global", k->help);
	}
}
