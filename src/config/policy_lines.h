/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_POLICY_LINES_H
#define DNS64D_CONFIG_POLICY_LINES_H

/*
 * policy_lines: what the lines of a configuration said of clients, as they said it.
 *
 * One draft holds the lines outside of any client block, and one those of each block. Whether
 * they fit together is for config/policies to tell, when all of them are known (RULES D13).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netmap.h"
#include "config/array.h"
#include "config/keyword.h"
#include "core/policy.h"

/* In all of these LINE is where it stands in the file; 0 if it does not stand there. */

struct policy_lines_prefix {
	struct pref64 prefix;
	unsigned line;
	enum policy_state state;
};

struct policy_lines_net {
	struct net net;
	unsigned line;
};

/* What is said of an IPv4 network. */
enum policy_lines_range_kind { POLICY_LINES_EXCLUDE_A, POLICY_LINES_MAP, POLICY_LINES_RANGE_KINDS };

struct policy_lines_range {
	struct net net;
	unsigned line;
	enum policy_lines_range_kind kind;
	bool never; /* represented under no prefix; else */
	struct pref64 via;
};

#define POLICY_LINES_ZONE_KINDS (POLICY_ZONE_IGNORE_AAAA + 1)

struct policy_lines_zone {
	uint8_t *name; /* owned */
	unsigned line;
	enum policy_zone kind;
};

struct policy_lines {
	unsigned line;                /* of the block's head; 0: outside of any block */
	unsigned lines[KEYWORDS_MAX]; /* of a block: where each keyword first stood */
	struct policy values;         /* those that are one field each */
	uint8_t reverse_name[DNS_NAME_MAX];
	bool has_reverse_name;
	uint8_t suffix[16];
	bool has_suffix;
	unsigned suffix_line;
	bool excluded_none; /* the default exclusion was taken away */

	/* Lists in the file's order; empty in a block that does not have the keyword. */
	struct array nets;     /* struct policy_lines_net: whom the block is for */
	struct array prefixes; /* struct policy_lines_prefix */
	struct array excluded; /* struct policy_lines_net */
	struct array ranges;   /* struct policy_lines_range */
	struct array zones;    /* struct policy_lines_zone */
	size_t n_ranges[POLICY_LINES_RANGE_KINDS];
	size_t n_zones[POLICY_LINES_ZONE_KINDS];
};

struct policy_lines_list {
	struct array all;   /* struct policy_lines: the first outside of any block */
	size_t open;        /* the block that is being read; 0: none */
	struct array allow; /* struct policy_lines_net: who may ask (RULES D23) */
	bool allow_any;
};

/*
 * policy_lines_new: one draft, which says nothing; NULL without memory. policy_lines_free: DS may
 * be NULL.
 */
MUST_USE struct policy_lines_list *policy_lines_new(void);
void policy_lines_free(struct policy_lines_list *ds);

/* policy_lines_at: draft I, which moves when a block is opened. */
MUST_USE struct policy_lines *policy_lines_at(const struct policy_lines_list *ds, size_t i);

/* policy_lines_now: the draft that lines go to: that of the open block or the first. */
MUST_USE struct policy_lines *policy_lines_now(const struct policy_lines_list *ds);

/*
 * policy_lines_open: begin a block with its head at LINE, until policy_lines_close. NULL without
 * memory.
 */
MUST_USE struct policy_lines *policy_lines_open(struct policy_lines_list *ds, unsigned line);
void policy_lines_close(struct policy_lines_list *ds);

/*
 * policy_lines_add_range, policy_lines_add_zone: add a copy of *R; of *Z, and of its name. False
 * without memory.
 */
MUST_USE bool policy_lines_add_range(struct policy_lines *d, const struct policy_lines_range *r);
MUST_USE bool policy_lines_add_zone(struct policy_lines *d, const struct policy_lines_zone *z);

#endif
