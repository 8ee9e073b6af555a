/* SPDX-License-Identifier: BSD-2-Clause */
#include "fakedns/options.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "dns/mnemonic.h"
#include "dns/name.h"
#include "dns/proto.h"
#include "dns/type.h"

#define TTL_MAX 0x7fffffff /* s (RFC 2181 section 8) */
#define RCODE_MAX 4095     /* 12 bits (RFC 6891 section 6.1.3) */

/* "cname-NNN-NNN-NNN-NNN-NNN" and its like must fit before the zone, as a label. */
#define LABEL_MAX 32

/* --- Parsers of values ------------------------------------------------------------------------ */

static void
parse_rcode(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	struct fake_policy *f = field;
	uint64_t v;

	f->forced = true;
	if (!number_parse(text, strlen(text), RCODE_MAX, &v)) {
		char name[MNEMONIC_TEXT];

		for (v = 0; v <= RCODE_MAX; v++) {
			if (strcasecmp(mnemonic_rcode((uint16_t)v, name), text) == 0)
				break;
		}
	}
	if (v <= RCODE_MAX)
		f->rcode = (uint16_t)v;
	else
		cmdline_complain(c, row->name,
		    "\"%s\" is neither a number up to %u nor an rcode, such as SERVFAIL", text,
		    (unsigned)RCODE_MAX);
}

static void
parse_type(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	uint16_t *type = field;
	uint64_t v;

	if (number_parse(text, strlen(text), UINT16_MAX, &v))
		*type = (uint16_t)v;
	else if (!type_from_text(text, type))
		cmdline_complain(c, row->name,
		    "\"%s\" is neither a number up to %u nor a type, such as NAPTR", text,
		    (unsigned)UINT16_MAX);
}

/* Percent, with up to three decimals, in thousandths. */
static void
parse_share(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	uint64_t whole = 0, part = 0;
	unsigned *share = field;
	size_t n = number_prefix(text, SIZE_MAX, 100, &whole), decimals = 0;

	if (n > 0 && text[n] == '.') {
		decimals = strlen(text + n + 1);
		n = number_parse(text + n + 1, decimals, 999, &part) ? n + 1 + decimals : 0;
	}
	for (size_t i = decimals; i < 3; i++)
		part *= 10;
	*share = (unsigned)(whole * 1000 + part);
	if (n == 0 || text[n] != '\0' || decimals > 3 || *share > FAKE_LOSS_ALL)
		cmdline_complain(c, row->name,
		    "\"%s\" is not a percentage from 0 to 100 with at most three decimals", text);
}

/* "UP-DOWN", in milliseconds. */
static void
parse_outage(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	struct fake_pattern *p = field;
	uint64_t up = 0, down = 0;
	size_t n = number_prefix(text, SIZE_MAX, FAKE_OUTAGE_MAX, &up);

	if (n == 0 || text[n] != '-' ||
	    !number_parse(text + n + 1, strlen(text + n + 1), FAKE_OUTAGE_MAX, &down) || down == 0)
		cmdline_complain(c, row->name,
		    "\"%s\" is not two times up to %d ms, the second not 0, with - between", text,
		    FAKE_OUTAGE_MAX);
	p->up_ms = (unsigned)up;
	p->down_ms = (unsigned)down;
}

static void
parse_listen(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	struct fake_settings *s = field;

	if (s->n_listen == FAKE_LISTEN_MAX)
		cmdline_complain(c, row->name, "more than %d addresses", FAKE_LISTEN_MAX);
	else if (!netaddr_parse(text, 0, &s->listen[s->n_listen]))
		cmdline_complain(c, row->name, "\"%s\" is not an IPv4 or IPv6 address", text);
	else
		s->n_listen++;
}

/* The other fields of the zone have options of their own, and stay. */
static void
parse_zone(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	struct fake_zone *z = field;
	uint8_t name[DNS_NAME_MAX];
	size_t len = name_from_text(text, name);

	if (len == 0 || len > DNS_NAME_MAX - LABEL_MAX) {
		cmdline_complain(c, row->name, "\"%s\" is not a domain name, or too long", text);
		return;
	}
	z->len = len;
	name_lower(z->name, name, len);
}

/* "FIRST-LAST", both with the same number of digits. */
static void
parse_enum_range(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	struct fake_zone *z = field;
	size_t n = number_prefix(text, SIZE_MAX, UINT64_MAX, &z->enum_first);

	if (n == 0 || n > FAKE_DIGITS_MAX || text[n] != '-' || strlen(text + n + 1) != n ||
	    !number_parse(text + n + 1, n, UINT64_MAX, &z->enum_last)) {
		cmdline_complain(c, row->name,
		    "\"%s\" is not two numbers of as many digits, up to %d, with - between", text,
		    FAKE_DIGITS_MAX);
		return;
	}
	z->enum_digits = (unsigned)n;
	if (z->enum_first > z->enum_last)
		cmdline_complain(c, row->name, "\"%s\" ends before it begins", text);
}

/* --- The table -------------------------------------------------------------------------------- */

/* Where a row's value goes. */
#define FIELD(member) \
	.offset = offsetof(struct fake_options, member), \
	.size = sizeof(((struct fake_options *)NULL)->member)

/* What a number may be. */
#define NUMBER(least, most) .parse = cmdline_number, .min = (least), .max = (most)
#define PERCENT NUMBER(0, 100)

static const struct cmdline_row rows[] = {
	{ .name = "aaaa",
	    .value = "PERCENT",
	    PERCENT,
	    FIELD(settings.policy.zone.aaaa_percent),
	    .fallback = "0",
	    .help = "names with addresses that have AAAA too" },
	{ .name = "broken",
	    .value = "PERCENT",
	    PERCENT,
	    FIELD(settings.policy.zone.broken_percent),
	    .fallback = "0",
	    .help = "names that never get an answer" },
	{ .name = "broken-type",
	    .value = "TYPE",
	    .parse = parse_type,
	    FIELD(settings.policy.broken_type),
	    .help = "but only questions for this type" },
	{ .name = "damage",
	    .value = "PERCENT",
	    PERCENT,
	    FIELD(settings.pattern.damage_percent),
	    .fallback = "0",
	    .help = "answers over UDP to damage" },
	{ .name = "delay",
	    .value = "MS",
	    NUMBER(0, FAKE_DELAY_MAX),
	    FIELD(settings.pattern.delay_ms),
	    .fallback = "0",
	    .help = "answer that much later" },
	{ .name = "delay-every",
	    .value = "N",
	    NUMBER(1, FAKE_EVERY_MAX),
	    FIELD(settings.pattern.delay_every),
	    .fallback = "1",
	    .help = "but only one question in so many" },
	{ .name = "delay-tcp",
	    .parse = cmdline_flag,
	    FIELD(settings.pattern.delay_tcp),
	    .help = "but only questions over TCP" },
	{ .name = "delay-type",
	    .value = "TYPE",
	    .parse = parse_type,
	    FIELD(settings.pattern.delay_type),
	    .help = "but only questions for this type" },
	{ .name = "duplicate",
	    .value = "PERCENT",
	    PERCENT,
	    FIELD(settings.pattern.duplicate_percent),
	    .fallback = "0",
	    .help = "answers over UDP to send twice" },
	{ .name = "enum-percent",
	    .value = "PERCENT",
	    PERCENT,
	    FIELD(settings.policy.zone.enum_percent),
	    .fallback = "100",
	    .help = "phone numbers that exist" },
	{ .name = "enum-range",
	    .value = "FIRST-LAST",
	    .parse = parse_enum_range,
	    FIELD(settings.policy.zone),
	    .help = "only numbers of this range exist" },
	{ .name = "forge",
	    .value = "PERCENT",
	    PERCENT,
	    FIELD(settings.pattern.forge_percent),
	    .fallback = "0",
	    .help = "answers over UDP to send a forged one before" },
	{ .name = "help", .letter = 'h', .parse = cmdline_help, .help = "show this and end" },
	{ .name = "jitter",
	    .value = "MS",
	    NUMBER(0, FAKE_DELAY_MAX),
	    FIELD(settings.pattern.jitter_ms),
	    .fallback = "0",
	    .help = "delay by up to that much more" },
	{ .name = "listen",
	    .letter = 'l',
	    .value = "ADDR",
	    .parse = parse_listen,
	    FIELD(settings),
	    .fallback = "127.0.0.1\n::1",
	    .help = "address to serve, repeatable" },
	{ .name = "loss",
	    .value = "PERCENT",
	    .parse = parse_share,
	    FIELD(settings.pattern.loss),
	    .fallback = "0",
	    .help = "questions over UDP to ignore" },
	{ .name = "loss-burst",
	    .value = "N",
	    NUMBER(1, FAKE_BURST_MAX),
	    FIELD(settings.pattern.loss_burst),
	    .fallback = "1",
	    .help = "so many of them in a row" },
	{ .name = "loss-type",
	    .value = "TYPE",
	    .parse = parse_type,
	    FIELD(settings.pattern.loss_type),
	    .help = "but only questions for this type" },
	{ .name = "negative-ttl",
	    .value = "SECONDS",
	    NUMBER(0, TTL_MAX),
	    FIELD(settings.policy.negative_ttl),
	    .fallback = "60",
	    .help = "TTL and MINIMUM of SOA" },
	{ .name = "no-edns",
	    .parse = cmdline_flag,
	    FIELD(settings.policy.no_edns),
	    .help = "answer questions with OPT with FORMERR" },
	{ .name = "outage",
	    .value = "UP-DOWN",
	    .parse = parse_outage,
	    FIELD(settings.pattern),
	    .help = "answer for UP ms, not for DOWN ms, ..." },
	{ .name = "outage-refuse",
	    .parse = cmdline_flag,
	    FIELD(settings.pattern.refuse),
	    .help = "close the sockets meanwhile" },
	{ .name = "port",
	    .letter = 'p',
	    .value = "PORT",
	    NUMBER(0, UINT16_MAX),
	    FIELD(port),
	    .fallback = "5300",
	    .help = "UDP and TCP port, 0 for any free one" },
	{ .name = "rcode",
	    .value = "NAME",
	    .parse = parse_rcode,
	    FIELD(settings.policy),
	    .help = "answer with this rcode and no records" },
	{ .name = "rcode-percent",
	    .value = "PERCENT",
	    PERCENT,
	    FIELD(rcode_percent),
	    .fallback = "100",
	    .help = "but only so many questions" },
	{ .name = "rcode-type",
	    .value = "TYPE",
	    .parse = parse_type,
	    FIELD(settings.policy.rcode_type),
	    .help = "but only questions for this type" },
	{ .name = "reorder",
	    .value = "PERCENT",
	    PERCENT,
	    FIELD(settings.pattern.reorder_percent),
	    .fallback = "0",
	    .help = "answers to hold back" },
	{ .name = "reorder-delay",
	    .value = "MS",
	    NUMBER(1, FAKE_REORDER_MAX),
	    FIELD(settings.pattern.reorder_ms),
	    .fallback = "10",
	    .help = "for that time" },
	{ .name = "seed",
	    .value = "N",
	    NUMBER(1, UINT32_MAX),
	    FIELD(settings.seed),
	    .help = "draw the same chances in every run" },
	{ .name = "singles",
	    .parse = cmdline_flag,
	    FIELD(settings.singles),
	    .help = "send and receive datagrams one by one" },
	{ .name = "slow-first",
	    .value = "MS",
	    NUMBER(0, FAKE_DELAY_MAX),
	    FIELD(settings.pattern.slow_first_ms),
	    .fallback = "0",
	    .help = "first answer for a name takes so long" },
	{ .name = "tcp-close",
	    .value = "N",
	    NUMBER(0, FAKE_EVERY_MAX),
	    FIELD(settings.tcp_answers),
	    .help = "close connections after N answers" },
	{ .name = "tcp-reset",
	    .value = "N",
	    NUMBER(0, FAKE_EVERY_MAX),
	    FIELD(settings.tcp_answers),
	    .help = "reset connections after N answers" },
	{ .name = "threads",
	    .letter = 't',
	    .value = "N",
	    NUMBER(1, FAKE_THREADS_MAX),
	    FIELD(settings.n_threads),
	    .fallback = "1",
	    .help = "threads, each with its own sockets" },
	{ .name = "truncate",
	    .value = "PERCENT",
	    PERCENT,
	    FIELD(settings.pattern.truncate_percent),
	    .fallback = "0",
	    .help = "answers over UDP with TC only" },
	{ .name = "ttl",
	    .value = "SECONDS",
	    NUMBER(0, TTL_MAX),
	    FIELD(settings.policy.ttl),
	    .fallback = "300",
	    .help = "TTL of records" },
	{ .name = "version",
	    .letter = 'V',
	    .parse = cmdline_version,
	    .help = "show the version and end" },
	{ .name = "zone",
	    .letter = 'z',
	    .value = "NAME",
	    .parse = parse_zone,
	    FIELD(settings.policy.zone),
	    .fallback = "dns64perf.test",
	    .help = "zone of the names" },
};

_Static_assert(sizeof(rows) / sizeof(rows[0]) <= CMDLINE_ROWS_MAX, "CMDLINE_ROWS_MAX");

static const struct cmdline_table table = {
	.program = "fakedns",
	.about = "Answers DNS questions from the name asked for; see fakedns(8).",
	.rows = rows,
	.n_rows = sizeof(rows) / sizeof(rows[0]),
};

const struct cmdline_table *
fake_options_table(void)
{
	return &table;
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* Options that only limit another one. */
static const char *const limits[][2] = {
	{ "broken-type", "broken" },
	{ "delay-every", "delay" },
	{ "delay-tcp", "delay" },
	{ "delay-type", "delay" },
	{ "loss-burst", "loss" },
	{ "loss-type", "loss" },
	{ "outage-refuse", "outage" },
	{ "rcode-percent", "rcode" },
	{ "rcode-type", "rcode" },
	{ "reorder-delay", "reorder" },
};

/* What depends on several options. */
static void
complete(struct cmdline *c, struct fake_options *o)
{
	struct fake_settings *s = &o->settings;

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		if (cmdline_seen(c, limits[i][0]) && !cmdline_seen(c, limits[i][1]))
			cmdline_complain(
			    c, limits[i][0], "says nothing without --%s", limits[i][1]);
	}
	s->tcp_reset = cmdline_seen(c, "tcp-reset");
	s->tcp_ends = s->tcp_reset || cmdline_seen(c, "tcp-close");
	if (s->tcp_reset && cmdline_seen(c, "tcp-close"))
		cmdline_complain(c, "tcp-reset", "not with --tcp-close");
	s->pattern.unforced_percent = s->policy.forced ? 100 - o->rcode_percent : 0;
	o->default_listen = !cmdline_seen(c, "listen");
	for (size_t i = 0; i < s->n_listen; i++)
		s->listen[i].port = o->port;
}

enum cmdline_task
fake_options_read(int argc, char **argv, struct fake_options *o, FILE *errors)
{
	struct cmdline c = { .table = &table, .settings = o, .errors = errors };

	memset(o, 0, sizeof(*o));
	cmdline_read(&c, argc, argv);
	complete(&c, o);
	return cmdline_end(&c);
}
