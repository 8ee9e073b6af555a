/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_SETTINGS_SET_H
#define DNS64D_BENCH_SETTINGS_SET_H

/* bench_set: one option's value becomes a setting; for bench_options. */

#include <stdio.h>

#include "base/attr.h"
#include "bench/settings/optable.h"
#include "bench/settings/options.h"

#define BENCH_DEFAULT_PORT 53

/* Where reading stands. */
struct bench_parser {
	struct bench_settings *s;
	FILE *errors;
	const char *option; /* the long name of the one being read */
	unsigned long port;
	unsigned hits, missing;           /* % */
	unsigned seen[BENCH_OPTIONS_MAX]; /* how often each option was given */
	unsigned n_errors;
	enum bench_task task;
};

/* bench_set_complain: "dns64bench: --OPTION: ..." to the errors. */
void bench_set_complain(struct bench_parser *p, const char *format, ...) PRINTF_LIKE(2, 3);

/* bench_set: option ID with the value ARG (NULL if it has none); p->option is its name. */
void bench_set(struct bench_parser *p, enum bench_option id, const char *arg);

#endif
