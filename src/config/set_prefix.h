/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_SET_PREFIX_H
#define DNS64D_CONFIG_SET_PREFIX_H

/*
 * set_prefix: parsers of the keywords about NAT64 prefixes and networks, into policy_lines_now.
 */

#include "config/keyword.h"

keyword_parse set_prefix;
keyword_parse set_suffix;
keyword_parse set_map;
keyword_parse set_exclude_a;
keyword_parse set_exclude_aaaa;

#endif
