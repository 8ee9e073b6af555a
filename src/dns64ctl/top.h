/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS64CTL_TOP_H
#define DNS64D_DNS64CTL_TOP_H

/*
 * top: what the daemon does, a line a second; or who asks most, for what, and what fails.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/attr.h"

#define TOP_PAGE 20 /* lines between two headings */

/* top_heading: the names of the columns. */
void top_heading(FILE *out);

/*
 * top_line: what was done between BEFORE and NOW, two answers of /stats, in a second of that time.
 */
void top_line(const json_t *before, const json_t *now, FILE *out);

/*
 * top_show: J, an answer of /top/clients, /top/names or /top/failures: a line each, the most
 * frequent first.
 */
void top_show(const json_t *j, FILE *out);

/*
 * top_wait: wait a second. True: somebody typed q, or standard input, a terminal, was closed,
 * before it was over.
 */
MUST_USE bool top_wait(void);

#endif
