/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_OPTIONS_H
#define DNS64D_CONFIG_OPTIONS_H

/*
 * options: the command line of dns64d.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/attr.h"
#include "config/diag.h"
#include "config/settings.h"
#include "core/conf.h"

/* What the command line asks for. */
enum options_task {
	OPTIONS_RUN,
	OPTIONS_CHECK,    /* -t */
	OPTIONS_HELP,     /* -h */
	OPTIONS_VERSION,  /* -V */
	OPTIONS_KEYWORDS, /* --print-keywords */
	OPTIONS_USAGE     /* it is wrong, as standard error says already */
};

/* A keyword that the command line sets; its lines in the file do not count. */
struct options_override {
	const char *keyword;
	const char *value; /* borrowed from argv */
};

#define OPTIONS_OVERRIDES (POLICY_MAX_PREFIXES + 5)

struct options {
	const char *path; /* the configuration file; borrowed from argv, or the usual one */
	bool foreground;
	bool check;    /* -t */
	bool keywords; /* --print-keywords */
	int level;     /* -d: enum log_level; -1: not given */
	int verbosity; /* number of -v less that of -q */
	unsigned char
	    family; /* -4, -6: enum netaddr_family, the only one served; else NETADDR_NONE */
	size_t n_overrides;
	struct options_override overrides[OPTIONS_OVERRIDES];
};

/*
 * options_parse: read the command line into *o. All its errors are written to standard error.
 * Changes the order of ARGV, as cmdline_read does.
 */
MUST_USE enum options_task options_parse(int argc, char **argv, struct options *o);

/* options_apply: change S, read from the file, to what the command line says; errors go to D. */
void options_apply(const struct options *o, struct settings *s, struct diag *d);

/* options_give: does the command line set KEYWORD? */
MUST_USE bool options_give(const struct options *o, const char *keyword);

/* options_help: write what -h prints to OUT. */
void options_help(FILE *out);

#endif
