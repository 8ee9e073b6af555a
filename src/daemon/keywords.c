/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/keywords.h"

#include <string.h>

#include "daemon/draft.h"
#include "daemon/set.h"
#include "daemon/set_policy.h"
#include "daemon/set_prefix.h"

/* Where a row's value goes. */
#define FIELD_WORDS(member, words) \
	.offset = offsetof(struct settings, member), \
	.size = sizeof(((struct settings *)NULL)->member), .max_words = (words)
#define FIELD(member) FIELD_WORDS(member, 1)

/* The same for what a client block may say, each for itself (rules.md D13). */
#define POLICY_WORDS(member, words) \
	.in_block = true, .offset = offsetof(struct policy, member), \
	.size = sizeof(((struct policy *)NULL)->member), .max_words = (words)
#define POLICY(member) POLICY_WORDS(member, 1)

/* Or if it is no single field. */
#define POLICY_LIST(words) .in_block = true, .max_words = (words), .repeatable = true

static const struct keyword table[] = {
	/* Whom to ask. */
	{ .name = "nameserver",
	    .args = "ADDRESS [port N] [trusted] | defaults",
	    .parse = set_nameserver,
	    .max_words = 4,
	    .repeatable = true,
	    .help =
		"an upstream resolver; trusted: believe its AD; defaults: of /etc/resolv.conf" },
	{ .name = "selection-mode",
	    .args = "random|round-robin|in-order",
	    .parse = set_choice,
	    FIELD(conf.core.selection),
	    .fallback = "random",
	    .help = "which upstream is asked: any, the same until it fails, or the first alive" },
	{ .name = "timeout-time",
	    .args = "SECONDS",
	    .parse = set_seconds,
	    .unit = KEYWORD_SECONDS,
	    .min = 100,
	    .max = 5000,
	    FIELD(conf.core.timeout_ms),
	    .fallback = "1.0",
	    .help = "how long one attempt waits for an upstream's reply" },
	{ .name = "timeout-time-sec",
	    .args = "N",
	    .parse = set_number,
	    .unit = KEYWORD_NUMBER,
	    .min = 0,
	    .max = 5,
	    FIELD(timeout_sec),
	    .help = "whole seconds of timeout-time, as MTD64 writes it" },
	{ .name = "timeout-time-usec",
	    .args = "N",
	    .parse = set_number,
	    .unit = KEYWORD_NUMBER,
	    .min = 0,
	    .max = 999999,
	    FIELD(timeout_usec),
	    .help = "microseconds added to timeout-time-sec" },
	{ .name = "resend-attempts",
	    .args = "N",
	    .parse = set_number,
	    .unit = KEYWORD_NUMBER,
	    .min = 0,
	    .max = 10,
	    FIELD(conf.core.resend_attempts),
	    .fallback = "2",
	    .help = "attempts after the first that got no reply" },
	{ .name = "udp-size-upstream",
	    .args = "BYTES",
	    .parse = set_udp_size,
	    .unit = KEYWORD_NUMBER,
	    .min = 512,
	    .max = 4096,
	    FIELD(conf.core.udp_size_upstream),
	    .fallback = "1232",
	    .help = "largest UDP reply asked of upstreams (EDNS)" },
	{ .name = "case-randomization",
	    .args = "no|yes",
	    .parse = set_choice,
	    FIELD(conf.core.case_randomization),
	    .fallback = "yes",
	    .help = "mix the case of questions over UDP, which forged replies miss (0x20)" },
	{ .name = "upstream-cookies",
	    .args = "no|yes",
	    .parse = set_choice,
	    FIELD(conf.core.upstream_cookies),
	    .fallback = "yes",
	    .help = "send DNS cookies over UDP, which forged replies miss (RFC 7873)" },
	{ .name = "avoid-port",
	    .args = "N[-N]",
	    .parse = set_avoid_port,
	    .unit = KEYWORD_NUMBER,
	    .min = 1,
	    .max = 65535,
	    .max_words = 1,
	    .repeatable = true,
	    .help = "never ask from this source port" },

	/* Whom to serve. */
	{ .name = "listen",
	    .args = "ADDRESS [port N]",
	    .parse = set_listen,
	    .max_words = 3,
	    .repeatable = true,
	    .fallback = "::1\n127.0.0.1",
	    .help = "address to serve on, over UDP and TCP; :: and 0.0.0.0: all" },
	{ .name = "port",
	    .args = "N",
	    .parse = set_number,
	    .unit = KEYWORD_NUMBER,
	    .min = 1,
	    .max = 65535,
	    FIELD(port),
	    .fallback = "53",
	    .help = "port of listen addresses that name none" },
	{ .name = "udp-size-client",
	    .args = "BYTES",
	    .parse = set_udp_size,
	    .unit = KEYWORD_NUMBER,
	    .min = 512,
	    .max = 4096,
	    FIELD(conf.core.udp_size_client),
	    .fallback = "1232",
	    .help = "largest UDP answer given to clients" },
	{ .name = "response-maxlength",
	    .args = "BYTES",
	    .parse = set_udp_size,
	    .unit = KEYWORD_NUMBER,
	    .min = 512,
	    .max = 4096,
	    FIELD(conf.core.udp_size_client),
	    .help = "udp-size-client under mtd64-ng's name" },
	{ .name = "socket-buffer",
	    .args = "BYTES",
	    .parse = set_bytes,
	    .unit = KEYWORD_BYTES,
	    .min = 0,
	    .max = 1024 * 1024 * 1024,
	    FIELD(conf.io.socket_buffer),
	    .fallback = "4m",
	    .help = "receive buffer of a UDP socket, with k or m; 0: the kernel's default" },
	{ .name = "max-queries",
	    .args = "N",
	    .parse = set_number,
	    .unit = KEYWORD_NUMBER,
	    .min = 256,
	    .max = 1048576,
	    FIELD(conf.core.max_queries),
	    .restart = true,
	    .fallback = "262144",
	    .help = "questions being worked on at a time, per loop" },
	{ .name = "max-tcp-clients",
	    .args = "N",
	    .parse = set_number,
	    .unit = KEYWORD_NUMBER,
	    .min = 1,
	    .max = 65536,
	    FIELD(conf.io.max_tcp_clients),
	    .restart = true,
	    .fallback = "1024",
	    .help = "client connections at a time, per loop" },
	{ .name = "max-tcp-per-client",
	    .args = "N",
	    .parse = set_number,
	    .unit = KEYWORD_NUMBER,
	    .min = 1,
	    .max = 65536,
	    FIELD(conf.io.max_tcp_per_client),
	    .fallback = "32",
	    .help = "of these from one address" },
	{ .name = "tcp-idle-timeout",
	    .args = "SECONDS",
	    .parse = set_seconds,
	    .unit = KEYWORD_SECONDS,
	    .min = 500,
	    .max = 600000,
	    FIELD(conf.io.tcp_idle_ms),
	    .fallback = "10",
	    .help = "a client connection without a question is closed after this" },
	{ .name = "allow",
	    .args = "NETWORK[/LENGTH]... | any",
	    .parse = set_allow,
	    .max_words = KEYWORD_ANY,
	    .repeatable = true,
	    .help = "who may ask, instead of loopback, link-local and private networks beside us" },

	/* What to answer. */
	{ .name = "client",
	    .args = "NETWORK[/LENGTH]... {",
	    .parse = set_client,
	    .max_words = KEYWORD_ANY,
	    .repeatable = true,
	    .help = "the lines up to a } alone hold for clients there; longest match" },
	{ .name = "dns64-prefix",
	    .args = "PREFIX/LENGTH [active|drain|down]",
	    .parse = set_prefix,
	    POLICY_LIST(2),
	    .fallback = "64:ff9b::/96",
	    .help = "NAT64 prefix that IPv4 addresses are embedded in (RFC 6052)" },
	{ .name = "dns64-suffix",
	    .args = "ADDRESS",
	    .parse = set_suffix,
	    .in_block = true,
	    .max_words = 1,
	    .fallback = "::",
	    .help = "the bits behind the IPv4 address (RFC 6052 section 2.2)" },
	{ .name = "prefix-selection",
	    .args = "all|round-robin|client-hash",
	    .parse = set_choice,
	    POLICY(selection),
	    .fallback = "all",
	    .help = "which of several prefixes make one answer" },
	{ .name = "no-prefix",
	    .args = "nodata|servfail",
	    .parse = set_choice,
	    POLICY(servfail_without_prefix),
	    .fallback = "nodata",
	    .help = "what is said when no prefix is active" },
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
	    .help =
		"AAAA never handed out, besides the default; none, first: without the default" },
	{ .name = "synthesize",
	    .args = "never|normal|always",
	    .parse = set_choice,
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
	    .args = "N",
	    .parse = set_number,
	    .unit = KEYWORD_NUMBER,
	    .min = 0,
	    .max = 1000,
	    POLICY(max_synthesized),
	    .fallback = "0",
	    .help = "AAAA made for one answer at most; 0: no limit" },
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
	    .args = "no|yes",
	    .parse = set_choice,
	    POLICY(hide_a),
	    .fallback = "no",
	    .help = "yes: questions for A get no addresses" },
	{ .name = "dns64-for",
	    .args = "both|ipv6|ipv4",
	    .parse = set_choice,
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
	    .args = "cached|resolve|off",
	    .parse = set_choice,
	    POLICY(svcb),
	    .fallback = "cached",
	    .help = "AAAA of the targets of SVCB and HTTPS records beside them" },
	{ .name = "any",
	    .args = "relay|minimal",
	    .parse = set_choice,
	    POLICY(any_minimal),
	    .fallback = "relay",
	    .help = "answers to ANY over UDP: as they are, or one RRset (RFC 8482)" },
	{ .name = "ede",
	    .args = "all|none|relay|synthesized|upstream|policy...",
	    .parse = set_ede,
	    POLICY_WORDS(ede, 4),
	    .fallback = "all",
	    .help = "extended errors that go along (RFC 8914)" },
	{ .name = "local-zones",
	    .args = "no|yes",
	    .parse = set_choice,
	    FIELD(conf.core.local_zones),
	    .fallback = "no",
	    .help = "yes: reverse zones of private addresses are answered here (RFC 6303)" },
	{ .name = "version",
	    .args = "none|TEXT...",
	    .parse = set_short_text,
	    FIELD_WORDS(conf.core.version, KEYWORD_ANY),
	    .fallback = "none",
	    .help = "what version.bind says in class CH" },
	{ .name = "server-id",
	    .args = "none|TEXT...",
	    .parse = set_short_text,
	    FIELD_WORDS(conf.core.server_id, KEYWORD_ANY),
	    .fallback = "none",
	    .help = "what id.server says in class CH" },

	/* How to run. */
	{ .name = "num-threads",
	    .args = "auto|N",
	    .parse = set_threads,
	    .unit = KEYWORD_NUMBER,
	    .min = 1,
	    .max = SETTINGS_LOOPS,
	    FIELD(num_threads),
	    .restart = true,
	    .fallback = "auto",
	    .help = "loops, each a thread with sockets of its own; auto: one per CPU" },
	{ .name = "cpu-affinity",
	    .args = "auto|LIST",
	    .parse = set_affinity,
	    FIELD(affinity),
	    .restart = true,
	    .fallback = "auto",
	    .help = "CPUs that the loops are bound to, as 0-3,8" },
	{ .name = "user",
	    .args = "none|NAME",
	    .parse = set_text,
	    FIELD(user),
	    .restart = true,
	    .fallback = "none",
	    .help = "user to run as after the start" },
	{ .name = "group",
	    .args = "none|NAME",
	    .parse = set_text,
	    FIELD(group),
	    .restart = true,
	    .fallback = "none",
	    .help = "group to run as; none: that of the user" },
	{ .name = "chroot",
	    .args = "none|DIRECTORY",
	    .parse = set_path,
	    FIELD(chroot),
	    .restart = true,
	    .fallback = "none",
	    .help = "directory to lock the daemon into" },
	{ .name = "pidfile",
	    .args = "auto|none|FILE",
	    .parse = set_path,
	    FIELD(pidfile),
	    .restart = true,
	    .fallback = "auto",
	    .help = "where the process ID is written; auto: only in the background" },
	{ .name = "stop-timeout",
	    .args = "SECONDS",
	    .parse = set_seconds,
	    .unit = KEYWORD_SECONDS,
	    .min = 0,
	    .max = 60000,
	    FIELD(stop_timeout_ms),
	    .fallback = "5",
	    .help = "how long a stop waits for questions in flight" },
	{ .name = "log",
	    .args = "auto|syslog|stderr",
	    .parse = set_choice,
	    FIELD(log),
	    .restart = true,
	    .fallback = "auto",
	    .help = "where messages go; auto: stderr in the foreground, else syslog" },
	{ .name = "log-level",
	    .args = "error|warn|notice|info|debug",
	    .parse = set_choice,
	    FIELD(log_level),
	    .fallback = "notice",
	    .help = "least important messages that are written" },
	{ .name = "debugging",
	    .args = "no|yes",
	    .parse = set_choice,
	    FIELD(debugging),
	    .fallback = "no",
	    .help = "yes: log-level debug, as mtd64-ng writes it" },
};

#define N_ROWS (sizeof(table) / sizeof(table[0]))
_Static_assert(N_ROWS <= SETTINGS_KEYWORDS, "settings have room for a line of every keyword");

const struct keyword *
keywords(size_t *n)
{
	*n = N_ROWS;
	return table;
}

const struct keyword *
keywords_find(const char *name)
{
	for (size_t i = 0; i < N_ROWS; i++) {
		if (strcmp(table[i].name, name) == 0)
			return &table[i];
	}
	return NULL;
}

unsigned
keywords_line(const struct settings *s, const char *name)
{
	const struct keyword *k = keywords_find(name);

	return k == NULL ? 0 : s->lines[k - table];
}

void *
keywords_field(struct settings *s, const struct keyword *k)
{
	unsigned char *base = (unsigned char *)s;

	if (k->in_block)
		base = (unsigned char *)&drafts_now(s->drafts)->values;
	return base + k->offset;
}

void
keywords_fallback(struct settings *s, const struct keyword *k, struct diag *d)
{
	char text[64], *at = text, *line;

	if (k->fallback == NULL)
		return;
	snprintf(text, sizeof(text), "%s", k->fallback);
	while ((line = strsep(&at, "\n")) != NULL) {
		struct words w = { .line = 0 };

		words_split(line, &w);
		memmove(&w.word[1], w.word, w.n * sizeof(w.word[0]));
		w.word[0] = k->name;
		w.n++;
		k->parse(s, k, &w, d);
	}
}
