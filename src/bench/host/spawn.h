/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_HOST_SPAWN_H
#define DNS64D_BENCH_HOST_SPAWN_H

/* bench_spawn: another program begins, without a shell between. */

#include <stdbool.h>
#include <sys/types.h>

#include "base/attr.h"

/*
 * bench_spawn: start the program ARGV[0], found by PATH, with ARGV. Its standard input, output and
 * error are FD[0], FD[1] and FD[2]; -1 is /dev/null. Signals are as a program expects them,
 * whatever is blocked or ignored here. With OWN_GROUP it leads a process group: it can be killed
 * with all its children, and Ctrl-C on the terminal does not reach it. *pid is the caller's to wait
 * for. Returns 0 or an errno, positive as posix_spawn has it; where that cannot tell that there is
 * no such program, the process ends with 127.
 */
MUST_USE int bench_spawn(char *const argv[], const int fd[static 3], bool own_group, pid_t *pid);

#endif
