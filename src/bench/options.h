/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_OPTIONS_H
#define DNS64D_BENCH_OPTIONS_H

/*
 * bench_options: the command line of dns64bench becomes settings: the table of methods and options
 * (options_table.c), and what depends on several of them. A test compares the table with the manual
 * page.
 */

#include <stdio.h>

#include "base/attr.h"
#include "bench/settings.h"
#include "tools/cmdline.h"

/*
 * bench_options_read: what the ARGC words of ARGV (the program's name, METHOD, OPTION...) ask for,
 * to *s, which borrows texts from them; faults are reported to ERRORS, a line each. *s is complete
 * only if the task is CMDLINE_RUN.
 */
MUST_USE enum cmdline_task bench_options_read(
    int argc, char **argv, struct bench_settings *s, FILE *errors);

/* bench_options_table: the table; its fields are those of a struct bench_settings. */
MUST_USE const struct cmdline_table *bench_options_table(void);

/* bench_options_method: the name of a method; "" for a value that is none. */
MUST_USE const char *bench_options_method(enum bench_method m);

#endif
