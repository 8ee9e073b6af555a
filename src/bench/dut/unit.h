/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_DUT_UNIT_H
#define DNS64D_BENCH_DUT_UNIT_H

/*
 * bench_unit: the processes of a systemd unit, by its control group: all that it started are in
 * there, and when it is restarted the new ones are in one of the same name.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

#define BENCH_UNIT_PATH 1024
#define BENCH_UNIT_ERROR 256

/*
 * bench_unit_find: ask systemctl for the control group of unit NAME ("unbound" is
 * "unbound.service"): "/system.slice/unbound.service" to PATH. False, and why to ERROR, when it
 * cannot be asked or has none: then the unit does not run.
 */
MUST_USE bool bench_unit_find(
    const char *name, char path[static BENCH_UNIT_PATH], char error[static BENCH_UNIT_ERROR]);

/*
 * bench_unit_processes: the processes in control group PATH below ROOT/sys/fs/cgroup (version 2, 1
 * or both) and in the groups inside it, to pids[cap]. Returns how many there are, which may be more
 * than cap; 0 for a group that is not there. With version 1 one may be named twice.
 */
size_t bench_unit_processes(const char *root, const char *path, int *pids, size_t cap);

#endif
