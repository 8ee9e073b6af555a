/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/options.h"

#include <string.h>

#include "config/keywords.h"
#include "config/loglevel.h"
#include "config/policy_lines.h"
#include "tools/cmdline.h"

#define USUAL_PATH SYSCONFDIR "/dns64d/dns64d.conf"

/* An option that is called otherwise than the keyword that it sets. */
static const struct {
	const char *option, *keyword;
} called[] = {
	{ "loops", "num-threads" },
	{ "prefix", "dns64-prefix" },
};

/* An option that sets the keyword of its name, or of that in called[]. */
static void
override(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	struct options *o = c->settings;
	const char *keyword = row->name;

	(void)field;
	if (o->n_overrides == OPTIONS_OVERRIDES) {
		cmdline_complain(
		    c, row->name, "too many options for keywords, at most %d", OPTIONS_OVERRIDES);
		return;
	}
	for (size_t i = 0; i < sizeof(called) / sizeof(called[0]); i++) {
		if (strcmp(called[i].option, keyword) == 0)
			keyword = called[i].keyword;
	}
	o->overrides[o->n_overrides++] = (struct options_override){ keyword, text };
}

static void
more(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	(void)c;
	(void)row;
	(void)text;
	++*(int *)field;
}

static void
less(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	(void)c;
	(void)row;
	(void)text;
	--*(int *)field;
}

static void
family(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	(void)c;
	(void)text;
	*(unsigned char *)field = row->letter == '4' ? NETADDR_IPV4 : NETADDR_IPV6;
}

#define AT(field) offsetof(struct options, field), sizeof(((struct options *)0)->field)

static const struct cmdline_row rows[] = {
	{ "config", 'c', 0, "FILE", cmdline_text, AT(path),
	    .help = "configuration (" USUAL_PATH ")" },
	{ "foreground", 'f', 0, NULL, cmdline_flag, AT(foreground),
	    .help = "stay in the foreground, write messages to standard error" },
	{ "test", 't', 0, NULL, cmdline_flag, AT(check),
	    .help = "check the configuration and what a start needs, and exit" },
	{ "debug", 'd', 0, "LEVEL", cmdline_number, AT(level), .max = LOG_LEVEL_DEBUG,
	    .help = "0 errors, 1 warnings, 2 notices, 3 information, 4 debugging" },
	{ "verbose", 'v', 0, NULL, more, AT(verbosity), .help = "one level more; repeatable" },
	{ "quiet", 'q', 0, NULL, less, AT(verbosity), .help = "one level less; repeatable" },
	{ "user", 'u', 0, "USER", override, .help = "run as this user" },
	{ "group", 'g', 0, "GROUP", override, .help = "run as this group" },
	{ "chroot", 'r', 0, "DIRECTORY", override, .help = "lock the daemon into this directory" },
	{ "loops", 'n', 0, "N", override, .help = "number of loops, or auto" },
	{ "prefix", 'p', 0, "PREFIX", override,
	    .help = "NAT64 prefix instead of the configured ones; repeatable" },
	{ "ipv4", '4', 0, NULL, family, AT(family), .help = "serve on IPv4 addresses only" },
	{ "ipv6", '6', 0, NULL, family, AT(family), .help = "serve on IPv6 addresses only" },
	{ "version", 'V', 0, NULL, cmdline_version, .help = "print version and build options" },
	{ "help", 'h', 0, NULL, cmdline_help, .help = "print this" },
	{ "print-keywords", 0, 0, NULL, cmdline_flag, AT(keywords),
	    .help = "print the table of keywords for programs" },
};

static const struct cmdline_table table = {
	.program = "dns64d",
	.about = "Answers the DNS questions of IPv6-only hosts; see dns64d(8).",
	.rows = rows,
	.n_rows = sizeof(rows) / sizeof(rows[0]),
};

void
options_help(FILE *out)
{
	cmdline_print_help(&table, 0, out);
	fputs("\nKeywords of the configuration:\n", out);
	keywords_help(out);
}

enum options_task
options_parse(int argc, char **argv, struct options *o)
{
	struct cmdline c = { .table = &table, .settings = o, .errors = stderr };

	*o = (struct options){ .path = USUAL_PATH, .level = -1 };
	cmdline_read(&c, argc, argv);
	switch (cmdline_end(&c)) {
	case CMDLINE_HELP:
		return OPTIONS_HELP;
	case CMDLINE_VERSION:
		return OPTIONS_VERSION;
	case CMDLINE_WRONG:
		fprintf(stderr, "dns64d: \"dns64d -h\" lists the options\n");
		return OPTIONS_USAGE;
	case CMDLINE_RUN:
		break;
	}
	if (o->keywords)
		return OPTIONS_KEYWORDS;
	return o->check ? OPTIONS_CHECK : OPTIONS_RUN;
}

bool
options_give(const struct options *o, const char *keyword)
{
	for (size_t i = 0; i < o->n_overrides; i++) {
		if (strcmp(o->overrides[i].keyword, keyword) == 0)
			return true;
	}
	return false;
}

/* Drop the listen addresses of the other family (-4, -6). */
static void
apply_family(const struct options *o, struct settings *s)
{
	struct conf_io *c = &s->conf.io;
	size_t n = 0;

	for (size_t i = 0; i < c->n_listens && o->family != NETADDR_NONE; i++) {
		if (c->listens[i].family != o->family)
			continue;
		s->listen_lines[n] = s->listen_lines[i];
		c->listens[n++] = c->listens[i];
	}
	if (o->family == NETADDR_NONE)
		return;
	c->n_listens = n;
	n = 0;
	for (size_t i = 0; i < s->listens.n_of; i++) {
		struct settings_interface *of = &s->listens.of[i];

		of->family = o->family;
		if (of->addr.family == NETADDR_NONE || of->addr.family == o->family)
			s->listens.of[n++] = *of;
	}
	s->listens.n_of = n;
}

void
options_apply(const struct options *o, struct settings *s, struct diag *d)
{
	const char *file = d->file;
	bool prefixes = false;

	d->file = "command line";
	for (size_t i = 0; i < o->n_overrides; i++) {
		const struct keyword *k = keywords_find(o->overrides[i].keyword);
		struct words w = { .n = 2, .word = { k->name, o->overrides[i].value } };

		/* The first prefix replaces all configured ones but those in client blocks. */
		if (strcmp(k->name, "dns64-prefix") == 0 && !prefixes) {
			prefixes = true;
			policy_lines_at(s->policy_lines, 0)->prefixes.n = 0;
		}
		origin_override(&s->origin, k, o->overrides[i].value);
		k->parse(s, k, &w, d);
	}
	d->file = file;
	loglevel_override(s, keywords_find("log-level"), o->level, o->verbosity);
	apply_family(o, s);
}
