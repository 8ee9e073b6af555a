/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_METHOD_NAMES_H
#define DNS64D_BENCH_METHOD_NAMES_H

/*
 * bench_names: are there names enough for a search? No name may be asked for twice, or a cache
 * would answer. A restart before each trial empties that: then only the names of one trial must
 * differ.
 */

#include <stdbool.h>
#include <stdio.h>

#include "base/attr.h"
#include "bench/settings.h"

/*
 * bench_names_fit: the namespace of S suffices for its whole search. Without --high the search ends
 * lower if need be: S->high goes down for that, but not below what servers do. False: there are too
 * few names, which is told to ERRORS in a line.
 */
MUST_USE bool bench_names_fit(struct bench_settings *s, FILE *errors);

#endif
