/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_HOST_SHELL_H
#define DNS64D_BENCH_HOST_SHELL_H

/*
 * bench_shell: a command of the user between trials, as one that restarts the server. Processes
 * that the command leaves in the background go on, and Ctrl-C on the terminal does not reach them.
 */

#include <stdatomic.h>
#include <stdbool.h>

#include "base/attr.h"

#define BENCH_SHELL_ERROR 256 /* bytes of a message, with the zero */

/*
 * bench_shell_run: run COMMAND by /bin/sh -c and wait for its end. After LIMIT seconds, and when
 * *stop becomes true, it is killed with all that it started. What it prints goes to standard error.
 * False, and the reason to ERROR, unless its exit code is 0.
 */
MUST_USE bool bench_shell_run(const char *command, double limit, const atomic_bool *stop,
    char error[static BENCH_SHELL_ERROR]);

#endif
