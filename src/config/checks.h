/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_CHECKS_H
#define DNS64D_CONFIG_CHECKS_H

/*
 * checks: the targets that are asked under each prefix (keyword prefix-check), as the lines name
 * them.
 */

#include "base/attr.h"
#include "config/diag.h"
#include "config/keyword.h"
#include "config/policy_lines.h"

/* Bytes of the longest text of checks_format, with its zero; a longer one is cut. */
#define CHECKS_TEXT 80

/* checks_format: write C as its line has it, "tcp 192.0.2.1 port 80", to TEXT; returns TEXT. */
char *checks_format(const struct policy_lines_check *c, char text[static CHECKS_TEXT]);

keyword_parse set_prefix_check;

/*
 * checks_fit: an error to D for each target of block L of LIST that a prefix of P, its policy, may
 * not represent.
 */
void checks_fit(const struct policy_lines_list *list, const struct policy_lines *l,
    const struct policy *p, struct diag *d);

#endif
