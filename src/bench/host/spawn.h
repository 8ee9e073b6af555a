/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_HOST_SPAWN_H
#define DNS64D_BENCH_HOST_SPAWN_H

/* bench_spawn: start a program without a shell. */

#include <stdbool.h>
#include <sys/types.h>

#include "base/attr.h"

/*
 * bench_spawn: start the program ARGV[0], found by PATH, with the words of ARGV, which NULL ends.
 * Its standard input, output and error are FD[0], FD[1] and FD[2]; -1 means /dev/null. No signal is
 * blocked or ignored there, whatever is here. With OWN_GROUP it leads a process group: it can be
 * killed with all its children, and Ctrl-C on the terminal does not reach it. The caller waits for
 * *pid. Returns 0 or an errno, positive as of posix_spawn(3); where that does not say that there is
 * no such program, the process ends with exit code 127.
 */
MUST_USE int bench_spawn(char *const argv[], const int fd[static 3], bool own_group, pid_t *pid);

#endif
