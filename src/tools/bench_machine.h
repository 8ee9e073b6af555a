/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TOOLS_BENCH_MACHINE_H
#define DNS64D_TOOLS_BENCH_MACHINE_H

/* bench_machine: what the tester runs on, for whoever reads its figures later. */

#include <jansson.h>

#include "base/attr.h"

/* bench_machine: { cpu, cpus, kernel, os }, the caller's; NULL without memory. */
MUST_USE json_t *bench_machine(void);

/*
 * bench_machine_line: the value of the first line of the file at PATH that begins with KEY, without
 * the quotes, blanks and the sign (= or :) about it. FALLBACK without file or line. The caller's.
 */
MUST_USE json_t *bench_machine_line(const char *path, const char *key, const char *fallback);

#endif
