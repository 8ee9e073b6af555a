/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_DUT_UNIT_H
#define DNS64D_BENCH_DUT_UNIT_H

/*
 * bench_unit: the processes of a systemd unit, by its control group: that has all processes that
 * the unit started, and keeps its name when the unit is restarted.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"

#define BENCH_UNIT_PATH 1024 /* bytes of a control group's path, with the zero */
#define BENCH_UNIT_ERROR 256 /* bytes of a message, with the zero */

/*
 * bench_unit_find: ask systemctl(1) for the control group of unit NAME ("unbound" means
 * "unbound.service"); the group, as "/system.slice/unbound.service", goes to PATH. False, and the
 * reason to ERROR, if systemctl cannot be asked, or the unit has none since it does not run.
 */
MUST_USE bool bench_unit_find(
    const char *name, char path[static BENCH_UNIT_PATH], char error[static BENCH_UNIT_ERROR]);

/*
 * bench_unit_processes: the processes in control group PATH below ROOT/sys/fs/cgroup (version 2, 1
 * or both) and in the groups inside it, to CAP numbers at PIDS. Returns how many there are, which
 * may be more than CAP; 0 if there is no such group. With version 1 a process may be listed twice.
 */
size_t bench_unit_processes(const char *root, const char *path, int *pids, size_t cap);

#endif
