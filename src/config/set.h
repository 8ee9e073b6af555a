/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_SET_H
#define DNS64D_CONFIG_SET_H

/*
 * set: the parsers of the keyword table (keyword_parse). Those of keywords that a client block may
 * have are in config/set_prefix and config/set_policy.
 */

#include "base/attr.h"
#include "config/keyword.h"

/* For any row with a field of the kind: */
keyword_parse set_number; /* a number within the row's bounds; the field has 1, 2, 4 or 8 bytes */
keyword_parse set_number_or; /* the same, or the first word of the row's args, "a|N": 0 */
keyword_parse set_seconds;   /* seconds with decimals; the field is in ms */
keyword_parse set_bytes;     /* a number of bytes, with k, m or g */
keyword_parse set_choice; /* one of the words in the row's args; the field gets its index, so false
			     is the first */
keyword_parse set_text;   /* a word; the field is a string */
keyword_parse set_short_text; /* words, with single blanks between them; none: an empty string */
keyword_parse set_path;       /* an absolute path, or a word of the row's args */

/* For the keyword of that name: */
keyword_parse set_nameserver;
keyword_parse set_cookie_secret;
keyword_parse set_include; /* nothing: config/conffile reads the files */
keyword_parse set_listen;
keyword_parse set_web_listen;
keyword_parse set_udp_size;
keyword_parse set_affinity;
keyword_parse set_batch_delay;
keyword_parse set_synthesized_ttl;
keyword_parse set_avoid_port;
keyword_parse set_cache_size;

/* set_place: the index of WORD in LIST, "a|b|c" or "a|b|c..."; -1 if it is not there. */
MUST_USE int set_place(const char *list, const char *word);

#endif
