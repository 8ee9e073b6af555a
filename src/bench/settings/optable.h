/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_SETTINGS_OPTABLE_H
#define DNS64D_BENCH_SETTINGS_OPTABLE_H

/*
 * bench_optable: the table of the methods and options of dns64bench, and how their values are
 * parsed. A test compares it with the manual page.
 */

#include "base/attr.h"
#include "bench/settings/settings.h"
#include "tools/cmdline.h"

/* bench_optable: the table; its fields are those of a struct bench_settings. */
MUST_USE const struct cmdline_table *bench_optable(void);

/* bench_optable_method: the name of a method; "" for a value that is none. */
MUST_USE const char *bench_optable_method(enum bench_method m);

#endif
