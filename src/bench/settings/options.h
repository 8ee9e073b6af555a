/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_SETTINGS_OPTIONS_H
#define DNS64D_BENCH_SETTINGS_OPTIONS_H

/* bench_options: the command line of dns64bench becomes settings. */

#include <stdio.h>

#include "base/attr.h"
#include "bench/settings/settings.h"
#include "tools/cmdline.h"

/*
 * bench_options_read: what the ARGC words of ARGV (the program's name, METHOD, OPTION...) ask for,
 * to *s, which borrows texts from them; faults are told to ERRORS, a line each. *s is complete only
 * if the task is CMDLINE_RUN.
 */
MUST_USE enum cmdline_task bench_options_read(
    int argc, char **argv, struct bench_settings *s, FILE *errors);

#endif
