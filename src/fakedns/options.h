/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_FAKEDNS_OPTIONS_H
#define DNS64D_FAKEDNS_OPTIONS_H

/* fake_options: the command line of fakedns. */

#include <stdbool.h>
#include <stdio.h>

#include "base/attr.h"
#include "fakedns/server.h"

enum fake_task {
	FAKE_TASK_SERVE,
	FAKE_TASK_HELP,
	FAKE_TASK_VERSION,
	FAKE_TASK_NONE /* the command line is wrong, and every fault was told */
};

struct fake_options {
	struct fake_settings settings;
	bool default_listen; /* no address was given: loopback */
};

/* fake_options_read: what ARGV asks for, to *o; faults are told to ERRORS, a line each. */
MUST_USE enum fake_task fake_options_read(
    int argc, char **argv, struct fake_options *o, FILE *errors);

/* fake_options_help: the options, a line each, to OUT. */
void fake_options_help(FILE *out);

#endif
