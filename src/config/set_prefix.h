/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_SET_PREFIX_H
#define DNS64D_CONFIG_SET_PREFIX_H

/*
 * set_prefix: parsers of the keywords about NAT64 prefixes and networks, into policy_lines_now.
 */

#include "base/attr.h"
#include "config/keyword.h"

struct pref64;

/*
 * set_prefix_read: read WORD to *p. False, with an error for K at LINE that says what is probably
 * meant, if it is no prefix.
 */
MUST_USE bool set_prefix_read(
    const struct keyword *k, unsigned line, const char *word, struct pref64 *p, struct diag *d);

keyword_parse set_prefix;
keyword_parse set_suffix;
keyword_parse set_map;
keyword_parse set_exclude_a;
keyword_parse set_exclude_aaaa;

#endif
