/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_KEYWORD_ROW_H
#define DNS64D_CONFIG_KEYWORD_ROW_H

/*
 * keyword_row: what rows of the table of keywords have in common, as initializers.
 */

#include <stddef.h>

#include "config/keyword.h"
#include "config/settings.h"
#include "core/policy.h"

/* The field of a row's value, a member of struct settings. */
#define FIELD_WORDS(member, words) \
	.offset = offsetof(struct settings, member), \
	.size = sizeof(((struct settings *)NULL)->member), .max_words = (words)
#define FIELD(member) FIELD_WORDS(member, 1)

/* The same for a keyword whose changes take a restart. */
#define AT_START(member) FIELD(member), .restart = true

/* The same for a keyword that client blocks may have (RULES D13): a member of struct policy. */
#define POLICY_WORDS(member, words) \
	.in_block = true, .offset = offsetof(struct policy, member), \
	.size = sizeof(((struct policy *)NULL)->member), .max_words = (words)
#define POLICY(member) POLICY_WORDS(member, 1)

/* The same for one whose value is not one field. */
#define POLICY_LIST(words) .in_block = true, .max_words = (words), .repeatable = true

/* The values of a number and its bounds; of a time, in ms; of the size of a message over UDP. */
#define NUMBER_OF(what, least, most) \
	.args = (what), .parse = set_number, .unit = KEYWORD_NUMBER, .min = (least), .max = (most)
#define NUMBER(least, most) NUMBER_OF("N", least, most)
/* a number, or a word instead */
#define NUMBER_OR(what, least, most) \
	.args = (what), .parse = set_number_or, .unit = KEYWORD_NUMBER, .min = (least), \
	.max = (most)
#define SECONDS(least, most) \
	.args = "SECONDS", .parse = set_seconds, .unit = KEYWORD_SECONDS, .min = (least), \
	.max = (most)
#define UDP_SIZE \
	.args = "BYTES", .parse = set_udp_size, .unit = KEYWORD_NUMBER, .min = 512, .max = 4096

/* The values of a name or of a path, and its default. */
#define TEXT(what, usual) .args = (what), .parse = set_text, .fallback = (usual)
#define PATH(what, usual) .args = (what), .parse = set_path, .fallback = (usual)

/* The words of a choice; no or yes, and which of them is the default. */
#define CHOICE(words) .args = (words), .parse = set_choice
#define NO_OR_YES(usual) CHOICE("no|yes"), .fallback = (usual)

#endif
