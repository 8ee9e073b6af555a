/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/keywords.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "daemon/set.h"

/* Where a row's value goes. */
#define FIELD(member) \
	.offset = offsetof(struct settings, member), \
	.size = sizeof(((struct settings *)NULL)->member), .max_words = 1

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

	/* What to answer. */
	{ .name = "dns64-prefix",
	    .args = "PREFIX/LENGTH",
	    .parse = set_prefix,
	    .max_words = 1,
	    .repeatable = true,
	    .fallback = "64:ff9b::/96",
	    .help = "NAT64 prefix that IPv4 addresses are embedded in (RFC 6052)" },
	{ .name = "exclude-aaaa",
	    .args = "NETWORK/LENGTH | none",
	    .parse = set_exclude,
	    .max_words = 1,
	    .repeatable = true,
	    .fallback = "::ffff:0:0/96",
	    .help =
		"AAAA never handed out, besides the default; none, first: without the default" },

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

#define NAME_MAX_LEN 32 /* of words that are compared; every keyword is shorter */

static size_t
least(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Letters to change, add or leave out to make one word of the other, whatever their case. */
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

		if (d < least_distance || (d == least_distance && nearest == NULL)) {
			least_distance = d;
			nearest = table[i].name;
		}
	}
	return nearest;
}

void
keywords_fallback(struct settings *s, const struct keyword *k, struct diag *d)
{
	char text[64], *at = text, *line;

	if (k->fallback == NULL)
		return;
	snprintf(text, sizeof(text), "%s", k->fallback);
	while ((line = strsep(&at, "\n")) != NULL) {
		struct words w = { .line = 0, .n = 2, .word = { k->name, line } };

		k->parse(s, k, &w, d);
	}
}

/* Bytes with the largest unit that divides them. */
static void
format_bytes(uint32_t bytes, char *text, size_t cap)
{
	if (bytes > 0 && bytes % (1024 * 1024) == 0)
		snprintf(text, cap, "%um", bytes / (1024 * 1024));
	else if (bytes > 0 && bytes % 1024 == 0)
		snprintf(text, cap, "%uk", bytes / 1024);
	else
		snprintf(text, cap, "%u", bytes);
}

char *
keywords_bounds(const struct keyword *k, char text[static KEYWORDS_BOUNDS])
{
	char from[16], to[16];

	text[0] = '\0';
	switch (k->unit) {
	case KEYWORD_PLAIN:
		break;
	case KEYWORD_NUMBER:
		snprintf(text, KEYWORDS_BOUNDS, "%u to %u", k->min, k->max);
		break;
	case KEYWORD_SECONDS:
		snprintf(
		    text, KEYWORDS_BOUNDS, "%g to %g seconds", k->min / 1000.0, k->max / 1000.0);
		break;
	case KEYWORD_BYTES:
		format_bytes(k->min, from, sizeof(from));
		format_bytes(k->max, to, sizeof(to));
		snprintf(text, KEYWORDS_BOUNDS, "%s to %s", from, to);
		break;
	}
	return text;
}

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
	char bounds[KEYWORDS_BOUNDS], text[64];

	for (size_t i = 0; i < N_ROWS; i++) {
		const struct keyword *k = &table[i];

		keywords_bounds(k, bounds);
		fprintf(out, "  %s %s\n\t%s%s%s%s", k->name, k->args, k->help,
		    bounds[0] != '\0' ? " (" : "", bounds, bounds[0] != '\0' ? ")" : "");
		if (k->fallback != NULL)
			fprintf(out, "; default %s", format_fallback(k, text, sizeof(text)));
		fprintf(out, "%s%s\n", k->repeatable ? "; repeatable" : "",
		    k->restart ? "; needs a restart" : "");
	}
}

void
keywords_print(FILE *out)
{
	char bounds[KEYWORDS_BOUNDS], text[64];

	for (size_t i = 0; i < N_ROWS; i++) {
		const struct keyword *k = &table[i];

		keywords_bounds(k, bounds);
		fprintf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", k->name, k->args,
		    bounds[0] != '\0' ? bounds : "-", format_fallback(k, text, sizeof(text)),
		    k->repeatable ? "repeatable" : "single", k->restart ? "restart" : "reload",
		    k->help);
	}
}
