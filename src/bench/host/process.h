/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_HOST_PROCESS_H
#define DNS64D_BENCH_HOST_PROCESS_H

/*
 * bench_process: a command of the user between trials, as one that restarts the server. Processes
 * that it leaves in the background go on, and Ctrl-C on the terminal does not reach them.
 */

#include <stdatomic.h>
#include <stdbool.h>

#include "base/attr.h"

#define BENCH_PROCESS_ERROR 256 /* bytes of a message, with the zero */

/*
 * bench_process_shell: run COMMAND by /bin/sh -c and wait for its end. After LIMIT seconds, and
 * when *stop becomes true, it is killed with all that it started. What it prints goes to standard
 * error. False, and the reason to ERROR, unless its exit code is 0.
 */
MUST_USE bool bench_process_shell(const char *command, double limit, const atomic_bool *stop,
    char error[static BENCH_PROCESS_ERROR]);

#endif
