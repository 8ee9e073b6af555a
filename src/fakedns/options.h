/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_FAKEDNS_OPTIONS_H
#define DNS64D_FAKEDNS_OPTIONS_H

/* fake_options: the command line of fakedns, and the table of its options. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/attr.h"
#include "fakedns/settings.h"
#include "tools/cmdline.h"

struct fake_options {
	struct fake_settings settings;
	uint16_t port;          /* of all addresses of the settings, which have it already */
	unsigned rcode_percent; /* of the questions, which the settings have as its complement */
	bool default_listen;    /* no address was given: loopback */
};

/* fake_options_table: the options, for cmdline_print_help. A test compares it with the manual page.
 */
MUST_USE const struct cmdline_table *fake_options_table(void);

/*
 * fake_options_read: what the ARGC words of ARGV ask for, the program's name first, to *o; faults
 * are told to ERRORS, a line each. *o is complete only if the task is CMDLINE_RUN.
 */
MUST_USE enum cmdline_task fake_options_read(
    int argc, char **argv, struct fake_options *o, FILE *errors);

#endif
