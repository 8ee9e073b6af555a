/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_HOST_PROCESS_H
#define DNS64D_BENCH_HOST_PROCESS_H

/*
 * bench_process: start programs, above all a command of the user between trials.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/attr.h"

/*
 * bench_process_start: start the program ARGV[0], found by PATH, with the words of ARGV, which NULL
 * ends. Its standard input, output and error are FD[0], FD[1] and FD[2]; -1 means /dev/null. No
 * signal is blocked or ignored there, whatever is here. With OWN_GROUP it leads a process group: it
 * can be killed with all its children, and Ctrl-C on the terminal does not reach it. The caller
 * waits for *pid. Returns 0 or an errno, positive as of posix_spawn(3); where that does not say
 * that there is no such program, the process ends with exit code 127.
 */
MUST_USE int bench_process_start(
    char *const argv[], const int fd[static 3], bool own_group, pid_t *pid);

/* --- A command of the user -------------------------------------------------------------------- */

/*
 * As one that restarts the server. Processes that the command leaves in the background go on, and
 * Ctrl-C on the terminal does not reach them.
 */

#define BENCH_PROCESS_ERROR 256 /* bytes of a message, with the zero */

/*
 * bench_process_shell: run COMMAND by /bin/sh -c and wait for its end. After LIMIT seconds, and
 * when *stop becomes true, it is killed with all that it started. What it prints goes to standard
 * error. False, and the reason to ERROR, unless its exit code is 0.
 */
MUST_USE bool bench_process_shell(const char *command, double limit, const atomic_bool *stop,
    char error[static BENCH_PROCESS_ERROR]);

#endif
