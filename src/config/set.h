/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_SET_H
#define DNS64D_CONFIG_SET_H

/*
 * set: parsers of the keyword table, each from the words of a line into struct settings. Those of
 * what a client block may say are in set_prefix and set_policy.
 *
 * The first ones serve any field of their kind, as the row says; the others one keyword.
 */

#include "base/attr.h"
#include "config/keyword.h"

keyword_parse set_number;     /* a field of 1, 2, 4 or 8 bytes, within the row's bounds */
keyword_parse set_seconds;    /* a field in ms */
keyword_parse set_bytes;      /* with k, m or g */
keyword_parse set_choice;     /* one of the words in the row's args: its place there */
keyword_parse set_text;       /* a name */
keyword_parse set_short_text; /* words with single blanks between them; none: empty */
keyword_parse set_path;       /* an absolute path, or a word of the row's args */

keyword_parse set_nameserver;
keyword_parse set_cookie_secret;
keyword_parse set_listen;
keyword_parse set_udp_size;
keyword_parse set_threads;
keyword_parse set_affinity;
keyword_parse set_avoid_port;
keyword_parse set_cache_size;

/* set_place: the place of WORD in LIST, "a|b|c" or "a|b|c..."; -1 if it is not there. */
MUST_USE int set_place(const char *list, const char *word);

#endif
