/* SPDX-License-Identifier: BSD-2-Clause */
#include "fakedns/options.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dns/name.h"
#include "dns/proto.h"

#define DEFAULT_PORT 5300
#define TTL_MAX 0x7fffffff /* s (RFC 2181 section 8) */

enum option_id {
	OPT_LISTEN = 'l',
	OPT_PORT = 'p',
	OPT_THREADS = 't',
	OPT_ZONE = 'z',
	OPT_HELP = 'h',
	OPT_VERSION = 'V',
	OPT_AAAA = 256,
	OPT_DELAY,
	OPT_ENUM_PERCENT,
	OPT_ENUM_RANGE,
	OPT_JITTER,
	OPT_LOSS,
	OPT_NEGATIVE_TTL,
	OPT_NO_EDNS,
	OPT_RCODE,
	OPT_RCODE_TYPE,
	OPT_TRUNCATE,
	OPT_TTL
};

/* One table for the parser and -h; a test compares it with the manual page. */
static const struct {
	enum option_id id;
	const char *name;
	const char *arg; /* NULL: none */
	const char *help;
} table[] = {
	{ OPT_AAAA, "aaaa", "PERCENT", "names with addresses that have AAAA too (default 0)" },
	{ OPT_DELAY, "delay", "MS", "answer that much later (default 0)" },
	{ OPT_ENUM_PERCENT, "enum-percent", "PERCENT", "phone numbers that exist (default 100)" },
	{ OPT_ENUM_RANGE, "enum-range", "FIRST-LAST", "only numbers of this range exist" },
	{ OPT_HELP, "help", NULL, "show this and end" },
	{ OPT_JITTER, "jitter", "MS", "delay by up to that much more (default 0)" },
	{ OPT_LISTEN, "listen", "ADDR", "address to serve, repeatable (default 127.0.0.1, ::1)" },
	{ OPT_LOSS, "loss", "PERCENT", "questions over UDP to ignore (default 0)" },
	{ OPT_NEGATIVE_TTL, "negative-ttl", "SECONDS", "TTL and MINIMUM of SOA (default 60)" },
	{ OPT_NO_EDNS, "no-edns", NULL, "answer questions with OPT with FORMERR" },
	{ OPT_PORT, "port", "PORT", "UDP and TCP port, 0 for any free one (default 5300)" },
	{ OPT_RCODE, "rcode", "NAME", "answer with this rcode and no records" },
	{ OPT_RCODE_TYPE, "rcode-type", "TYPE", "but only questions for this type" },
	{ OPT_THREADS, "threads", "N", "threads, each with its own sockets (default 1)" },
	{ OPT_TRUNCATE, "truncate", "PERCENT", "answers over UDP with TC only (default 0)" },
	{ OPT_TTL, "ttl", "SECONDS", "TTL of records (default 300)" },
	{ OPT_VERSION, "version", NULL, "show the version and end" },
	{ OPT_ZONE, "zone", "NAME", "zone of the names (default dns64perf.test)" },
};

#define N_OPTIONS (sizeof(table) / sizeof(table[0]))

struct number_name {
	const char *name;
	unsigned number;
};

static const struct number_name rcodes[] = {
	{ "NOERROR", DNS_NOERROR },
	{ "FORMERR", DNS_FORMERR },
	{ "SERVFAIL", DNS_SERVFAIL },
	{ "NXDOMAIN", DNS_NXDOMAIN },
	{ "NOTIMP", DNS_NOTIMP },
	{ "REFUSED", DNS_REFUSED },
	{ "BADVERS", DNS_BADVERS },
	{ "BADCOOKIE", DNS_BADCOOKIE },
	{ NULL, 0 },
};

static const struct number_name types[] = {
	{ "A", DNS_TYPE_A },
	{ "NS", DNS_TYPE_NS },
	{ "CNAME", DNS_TYPE_CNAME },
	{ "SOA", DNS_TYPE_SOA },
	{ "PTR", DNS_TYPE_PTR },
	{ "MX", DNS_TYPE_MX },
	{ "TXT", DNS_TYPE_TXT },
	{ "AAAA", DNS_TYPE_AAAA },
	{ "SRV", DNS_TYPE_SRV },
	{ "DS", DNS_TYPE_DS },
	{ "NAPTR", DNS_TYPE_NAPTR },
	{ "SVCB", 64 },
	{ "HTTPS", 65 },
	{ "ANY", DNS_TYPE_ANY },
	{ NULL, 0 },
};

/* Where reading stands. */
struct parser {
	struct fake_options *o;
	FILE *errors;
	const char *option; /* the long name of the one being read */
	unsigned long port;
	unsigned n_errors;
	enum fake_task task;
};

static void complain(struct parser *p, const char *format, ...) PRINTF_LIKE(2, 3);

static void
complain(struct parser *p, const char *format, ...)
{
	va_list ap;

	(void)fprintf(p->errors, "fakedns: --%s: ", p->option);
	va_start(ap, format);
	(void)vfprintf(p->errors, format, ap);
	va_end(ap);
	(void)fputc('\n', p->errors);
	p->n_errors++;
}

/* Decimal digits and nothing else. */
static bool
is_number(const char *text, unsigned long max, unsigned long *v)
{
	size_t n = strspn(text, "0123456789");

	if (n == 0 || n > 15 || text[n] != '\0')
		return false;
	*v = strtoul(text, NULL, 10);
	return *v <= max;
}

static unsigned long
number(struct parser *p, const char *text, unsigned long min, unsigned long max)
{
	unsigned long v = 0;

	if (!is_number(text, max, &v) || v < min)
		complain(p, "\"%s\" is not a number from %lu to %lu", text, min, max);
	return v;
}

static unsigned
percent(struct parser *p, const char *text)
{
	return (unsigned)number(p, text, 0, 100);
}

/* A name of TABLE in any case, or a number up to MAX. */
static unsigned
name_or_number(
    struct parser *p, const char *text, const struct number_name *names, unsigned long max)
{
	unsigned long v;

	if (is_number(text, max, &v))
		return (unsigned)v;
	for (const struct number_name *n = names; n->name != NULL; n++) {
		if (strcasecmp(n->name, text) == 0)
			return n->number;
	}
	(void)fprintf(p->errors, "fakedns: --%s: \"%s\" is neither a number up to %lu nor one of",
	    p->option, text, max);
	for (const struct number_name *n = names; n->name != NULL; n++)
		(void)fprintf(p->errors, " %s", n->name);
	(void)fputc('\n', p->errors);
	p->n_errors++;
	return 0;
}

static void
add_listen(struct parser *p, const char *text)
{
	struct fake_settings *s = &p->o->settings;

	if (s->n_listen == FAKE_LISTEN_MAX)
		complain(p, "more than %d addresses", FAKE_LISTEN_MAX);
	else if (!netaddr_parse(text, 0, &s->listen[s->n_listen]))
		complain(p, "\"%s\" is not an IPv4 or IPv6 address", text);
	else
		s->n_listen++;
}

static void
set_zone(struct parser *p, const char *text)
{
	struct fake_zone *z = &p->o->settings.policy.zone;
	uint8_t name[DNS_NAME_MAX];
	size_t len = name_from_text(text, name);

	/* The longest label that we put before it must fit: NNN-NNN-NNN-NNN. */
	if (len == 0 || len > DNS_NAME_MAX - 32) {
		complain(p, "\"%s\" is not a domain name, or too long", text);
		return;
	}
	z->len = len;
	name_lower(z->name, name, len);
}

/* "FIRST-LAST", both with the same number of digits. */
static void
set_enum_range(struct parser *p, const char *text)
{
	struct fake_zone *z = &p->o->settings.policy.zone;
	size_t first = strspn(text, "0123456789");
	size_t last = text[first] == '-' ? strspn(text + first + 1, "0123456789") : 0;

	if (first == 0 || first > FAKE_DIGITS_MAX || first != last || text[2 * first + 1] != '\0') {
		complain(p, "\"%s\" is not two numbers of as many digits, up to %d, with - between",
		    text, FAKE_DIGITS_MAX);
		return;
	}
	z->enum_first = strtoull(text, NULL, 10);
	z->enum_last = strtoull(text + first + 1, NULL, 10);
	z->enum_digits = (unsigned)first;
	if (z->enum_first > z->enum_last)
		complain(p, "\"%s\" ends before it begins", text);
}

static void
set_answers(struct parser *p, enum option_id id, const char *arg)
{
	struct fake_policy *f = &p->o->settings.policy;

	switch ((unsigned)id) {
	case OPT_AAAA:
		f->zone.aaaa_percent = percent(p, arg);
		break;
	case OPT_ENUM_PERCENT:
		f->zone.enum_percent = percent(p, arg);
		break;
	case OPT_ENUM_RANGE:
		set_enum_range(p, arg);
		break;
	case OPT_NEGATIVE_TTL:
		f->negative_ttl = (uint32_t)number(p, arg, 0, TTL_MAX);
		break;
	case OPT_NO_EDNS:
		f->no_edns = true;
		break;
	case OPT_RCODE:
		f->forced = true;
		f->rcode = (uint16_t)name_or_number(p, arg, rcodes, 4095);
		break;
	case OPT_RCODE_TYPE:
		f->rcode_type = (uint16_t)name_or_number(p, arg, types, UINT16_MAX);
		break;
	case OPT_TTL:
		f->ttl = (uint32_t)number(p, arg, 0, TTL_MAX);
		break;
	case OPT_ZONE:
		set_zone(p, arg);
		break;
	}
}

static void
set_option(struct parser *p, enum option_id id, const char *arg)
{
	struct fake_settings *s = &p->o->settings;

	switch ((unsigned)id) {
	case OPT_DELAY:
		s->delay_ms = (unsigned)number(p, arg, 0, FAKE_DELAY_MAX);
		break;
	case OPT_JITTER:
		s->jitter_ms = (unsigned)number(p, arg, 0, FAKE_DELAY_MAX);
		break;
	case OPT_LISTEN:
		add_listen(p, arg);
		break;
	case OPT_LOSS:
		s->loss_percent = percent(p, arg);
		break;
	case OPT_PORT:
		p->port = number(p, arg, 0, UINT16_MAX);
		break;
	case OPT_THREADS:
		s->n_threads = (unsigned)number(p, arg, 1, FAKE_THREADS_MAX);
		break;
	case OPT_TRUNCATE:
		s->truncate_percent = percent(p, arg);
		break;
	case OPT_HELP:
		p->task = FAKE_TASK_HELP;
		break;
	case OPT_VERSION:
		p->task = FAKE_TASK_VERSION;
		break;
	default:
		set_answers(p, id, arg);
	}
}

static void
set_defaults(struct fake_options *o)
{
	static const uint8_t zone[] = "\011dns64perf\004test";

	memset(o, 0, sizeof(*o));
	fake_zone_init(&o->settings.policy.zone, zone);
	o->settings.policy.ttl = 300;
	o->settings.policy.negative_ttl = 60;
	o->settings.n_threads = 1;
}

/* What can only be told when all was read. */
static void
complete(struct parser *p)
{
	struct fake_settings *s = &p->o->settings;

	if (s->policy.rcode_type != 0 && !s->policy.forced) {
		p->option = "rcode-type";
		complain(p, "says nothing without --rcode");
	}
	p->o->default_listen = s->n_listen == 0;
	if (s->n_listen == 0) {
		p->option = "listen";
		add_listen(p, "127.0.0.1");
		add_listen(p, "::1");
	}
	for (size_t i = 0; i < s->n_listen; i++)
		s->listen[i].port = (uint16_t)p->port;
}

enum fake_task
fake_options_read(int argc, char **argv, struct fake_options *o, FILE *errors)
{
	struct parser p = { .o = o, .errors = errors, .port = DEFAULT_PORT };
	struct option longs[N_OPTIONS + 1] = { { .name = NULL } };
	int index, id;

	for (size_t i = 0; i < N_OPTIONS; i++) {
		longs[i].name = table[i].name;
		longs[i].has_arg = table[i].arg != NULL ? required_argument : no_argument;
		longs[i].val = (int)table[i].id;
	}
	set_defaults(o);
	optind = 0; /* from the beginning, also when called again */
	while ((id = getopt_long(argc, argv, "hVl:p:t:z:", longs, &index)) != -1) {
		for (size_t i = 0; i < N_OPTIONS; i++) {
			if ((int)table[i].id != id)
				continue;
			p.option = table[i].name;
			set_option(&p, table[i].id, optarg);
		}
		p.n_errors += id == '?'; /* getopt_long has told */
	}
	if (optind < argc) {
		(void)fprintf(errors, "fakedns: \"%s\": there are options only\n", argv[optind]);
		p.n_errors++;
	}
	complete(&p);
	return p.n_errors > 0 ? FAKE_TASK_NONE : p.task;
}

void
fake_options_help(FILE *out)
{
	(void)fprintf(out,
	    "Usage: fakedns [option ...]\n"
	    "Answers DNS questions from the name asked for; see fakedns(8).\n\n");
	for (size_t i = 0; i < N_OPTIONS; i++) {
		char left[40];

		(void)snprintf(left, sizeof(left), "--%s%s%s", table[i].name,
		    table[i].arg != NULL ? " " : "", table[i].arg != NULL ? table[i].arg : "");
		if (table[i].id < 256)
			(void)fprintf(out, "  -%c, ", (char)table[i].id);
		else
			(void)fprintf(out, "      ");
		(void)fprintf(out, "%-24s %s\n", left, table[i].help);
	}
}
