/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/options.h"

#include <getopt.h>
#include <string.h>

#include "config/keywords.h"
#include "config/loglevel.h"
#include "config/policy_lines.h"
#include "config/values.h"

#define USUAL_PATH SYSCONFDIR "/dns64d/dns64d.conf"
#define PRINT_KEYWORDS 256 /* an option without a letter */

static const char letters[] = "c:ftd:vqVhu:g:r:n:p:46";

static const struct option names[] = {
	{ "config", required_argument, NULL, 'c' },
	{ "foreground", no_argument, NULL, 'f' },
	{ "test", no_argument, NULL, 't' },
	{ "debug", required_argument, NULL, 'd' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	{ "user", required_argument, NULL, 'u' },
	{ "group", required_argument, NULL, 'g' },
	{ "chroot", required_argument, NULL, 'r' },
	{ "loops", required_argument, NULL, 'n' },
	{ "prefix", required_argument, NULL, 'p' },
	{ "ipv4", no_argument, NULL, '4' },
	{ "ipv6", no_argument, NULL, '6' },
	{ "print-keywords", no_argument, NULL, PRINT_KEYWORDS },
	{ NULL, 0, NULL, 0 },
};

void
options_help(FILE *out)
{
	fputs(
	    "usage: dns64d [-46fhqtVv] [-c file] [-d level] [-g group] [-n loops] [-p prefix]\n"
	    "              [-r directory] [-u user]\n"
	    "\n"
	    "  -c, --config FILE      configuration (" USUAL_PATH ")\n"
	    "  -f, --foreground       stay in the foreground, write messages to standard error\n"
	    "  -t, --test             check the configuration and what a start needs, and exit\n"
	    "  -d, --debug LEVEL      0 errors, 1 warnings, 2 notices, 3 information, 4 debugging\n"
	    "  -v, --verbose          one level more; repeatable\n"
	    "  -q, --quiet            one level less; repeatable\n"
	    "  -u, --user USER        run as this user\n"
	    "  -g, --group GROUP      run as this group\n"
	    "  -r, --chroot DIRECTORY lock the daemon into this directory\n"
	    "  -n, --loops N          number of loops, or auto\n"
	    "  -p, --prefix PREFIX    NAT64 prefix instead of the configured ones; repeatable\n"
	    "  -4, --ipv4             serve on IPv4 addresses only\n"
	    "  -6, --ipv6             serve on IPv6 addresses only\n"
	    "  -V, --version          print version and build options\n"
	    "  -h, --help             print this\n"
	    "      --print-keywords   print the table of keywords for programs\n"
	    "\n"
	    "Keywords of the configuration:\n",
	    out);
	keywords_help(out);
}

/* The keyword that an option sets; NULL for other options. */
static const char *
overridden(int option)
{
	switch (option) {
	case 'u':
		return "user";
	case 'g':
		return "group";
	case 'r':
		return "chroot";
	case 'n':
		return "num-threads";
	case 'p':
		return "dns64-prefix";
	default:
		return NULL;
	}
}

static bool
take_override(struct options *o, const char *keyword, const char *value)
{
	if (o->n_overrides == OPTIONS_OVERRIDES) {
		fprintf(stderr, "dns64d: too many options for keywords\n");
		return false;
	}
	o->overrides[o->n_overrides++] = (struct options_override){ keyword, value };
	return true;
}

static bool
take_level(struct options *o, const char *text)
{
	uint32_t level;

	if (!value_number(text, LOG_LEVEL_ERROR, LOG_LEVEL_DEBUG, &level)) {
		fprintf(stderr, "dns64d: -d %s: not a number from 0 to 4\n", text);
		return false;
	}
	o->level = (int)level;
	return true;
}

/* Read one option; false if there is no such option or its value is wrong. */
static bool
take(struct options *o, int option, const char *value, enum options_task *task)
{
	switch (option) {
	case 'c':
		o->path = value;
		return true;
	case 'f':
		o->foreground = true;
		return true;
	case 'd':
		return take_level(o, value);
	case 'v':
		o->verbosity++;
		return true;
	case 'q':
		o->verbosity--;
		return true;
	case '4':
		o->family = NETADDR_IPV4;
		return true;
	case '6':
		o->family = NETADDR_IPV6;
		return true;
	case 't':
		*task = OPTIONS_CHECK;
		return true;
	case 'V':
		*task = OPTIONS_VERSION;
		return true;
	case 'h':
		*task = OPTIONS_HELP;
		return true;
	case PRINT_KEYWORDS:
		*task = OPTIONS_KEYWORDS;
		return true;
	default:
		return overridden(option) != NULL && take_override(o, overridden(option), value);
	}
}

enum options_task
options_parse(int argc, char *const *argv, struct options *o)
{
	enum options_task task = OPTIONS_RUN;
	int option;

	*o = (struct options){ .path = USUAL_PATH, .level = -1 };
	optind = 0; /* start afresh (glibc, musl), for tests that come here twice */
	while ((option = getopt_long(argc, argv, letters, names, NULL)) != -1) {
		if (!take(o, option, optarg, &task)) {
			fprintf(stderr, "dns64d: \"dns64d -h\" tells the options\n");
			return OPTIONS_USAGE;
		}
	}
	if (optind < argc) {
		fprintf(
		    stderr, "dns64d: %s: not an option; \"dns64d -h\" tells them\n", argv[optind]);
		return OPTIONS_USAGE;
	}
	return task;
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
