/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_HOST_SHELL_H
#define DNS64D_BENCH_HOST_SHELL_H

/*
 * bench_shell: a command of the user's between trials, as one that restarts the server: what it
 * leaves in the background goes on, and Ctrl-C on the terminal does not end that.
 */

#include <stdatomic.h>
#include <stdbool.h>

#include "base/attr.h"

#define BENCH_SHELL_ERROR 256

/*
 * bench_shell_run: run COMMAND by /bin/sh -c and wait for its end: LIMIT seconds at most, then it
 * is killed with all that it started; so too when *stop becomes true. What it prints goes to
 * standard error. False, and why to ERROR, unless it ended with 0.
 */
MUST_USE bool bench_shell_run(const char *command, double limit, const atomic_bool *stop,
    char error[static BENCH_SHELL_ERROR]);

#endif
