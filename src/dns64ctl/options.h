/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS64CTL_OPTIONS_H
#define DNS64D_DNS64CTL_OPTIONS_H

/*
 * options: the command line of dns64ctl.
 */

#include <stdbool.h>
#include <stdio.h>

#include "base/attr.h"
#include "tools/cmdline.h"

struct options {
	const char *socket; /* borrowed from argv; NULL: the usual one */
	bool json;          /* print what the daemon says as it is */
	bool rates;         /* of stats: what is added in a second */
	bool ask;           /* of explain: ask upstream what is not known; the default */
	bool dry;           /* of explain: do not */
	bool persist;       /* of prefix ...: save it */
	bool commands;      /* print the table of commands */
	char *const *words; /* the command and its arguments; borrowed from argv */
	size_t n_words;
};

/* options_table: the options. */
MUST_USE const struct cmdline_table *options_table(void);

/* options_read: ARGC words of ARGV become *o; what is wrong goes to ERRORS. */
MUST_USE enum cmdline_task options_read(int argc, char **argv, struct options *o, FILE *errors);

#endif
