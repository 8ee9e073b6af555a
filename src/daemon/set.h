/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_SET_H
#define DNS64D_DAEMON_SET_H

/*
 * set: the parsers of the keyword table, each from the words of a line into struct settings.
 *
 * The first four serve any field of their kind, as the row says; the others one keyword.
 */

#include "daemon/keywords.h"

keyword_parse set_number;  /* a field of 2 or 4 bytes, within the row's bounds */
keyword_parse set_seconds; /* a field in ms */
keyword_parse set_bytes;   /* with k or m */
keyword_parse set_choice;  /* one of the words in the row's args: its place there */
keyword_parse set_text;    /* a name */
keyword_parse set_path;    /* an absolute path, or a word of the row's args */

keyword_parse set_nameserver;
keyword_parse set_listen;
keyword_parse set_prefix;
keyword_parse set_exclude;
keyword_parse set_udp_size;
keyword_parse set_threads;
keyword_parse set_affinity;
keyword_parse set_avoid_port;

#endif
