/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_POLICY_LINES_H
#define DNS64D_CONFIG_POLICY_LINES_H

/*
 * draft: what the lines of a configuration said of clients, as they said it.
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
#include "config/settings.h"
#include "core/policy.h"

/* In all of these LINE is where it stands in the file; 0 if it does not stand there. */

struct draft_prefix {
	struct pref64 prefix;
	unsigned line;
	enum policy_state state;
};

struct draft_net {
	struct net net;
	unsigned line;
};

/* What is said of an IPv4 network. */
enum draft_range_kind { DRAFT_EXCLUDE_A, DRAFT_MAP, DRAFT_RANGE_KINDS };

struct draft_range {
	struct net net;
	unsigned line;
	enum draft_range_kind kind;
	bool never; /* represented under no prefix; else */
	struct pref64 via;
};

#define DRAFT_ZONE_KINDS (POLICY_ZONE_IGNORE_AAAA + 1)

struct draft_zone {
	uint8_t *name; /* owned */
	unsigned line;
	enum policy_zone kind;
};

struct draft {
	unsigned line;                     /* of the block's head; 0: outside of any block */
	unsigned lines[SETTINGS_KEYWORDS]; /* of a block: where each keyword first stood */
	struct policy values;              /* those that are one field each */
	uint8_t reverse_name[DNS_NAME_MAX];
	bool has_reverse_name;
	uint8_t suffix[16];
	bool has_suffix;
	unsigned suffix_line;
	bool excluded_none; /* the default exclusion was taken away */

	/* Lists in the file's order; empty in a block that does not have the keyword. */
	struct array nets;     /* struct draft_net: whom the block is for */
	struct array prefixes; /* struct draft_prefix */
	struct array excluded; /* struct draft_net */
	struct array ranges;   /* struct draft_range */
	struct array zones;    /* struct draft_zone */
	size_t n_ranges[DRAFT_RANGE_KINDS];
	size_t n_zones[DRAFT_ZONE_KINDS];
};

struct drafts {
	struct array all;   /* struct draft: the first outside of any block */
	size_t open;        /* the block that is being read; 0: none */
	struct array allow; /* struct draft_net: who may ask (RULES D23) */
	bool allow_any;
};

/* drafts_new: one draft, which says nothing; NULL without memory. drafts_free: DS may be NULL. */
MUST_USE struct drafts *drafts_new(void);
void drafts_free(struct drafts *ds);

/* drafts_at: draft I, which moves when a block is opened. */
MUST_USE struct draft *drafts_at(const struct drafts *ds, size_t i);

/* drafts_now: the draft that lines go to: that of the open block or the first. */
MUST_USE struct draft *drafts_now(const struct drafts *ds);

/* drafts_open: begin a block with its head at LINE, until drafts_close. NULL without memory. */
MUST_USE struct draft *drafts_open(struct drafts *ds, unsigned line);
void drafts_close(struct drafts *ds);

/*
 * draft_add_range, draft_add_zone: add a copy of *R; of *Z, and of its name. False without memory.
 */
MUST_USE bool draft_add_range(struct draft *d, const struct draft_range *r);
MUST_USE bool draft_add_zone(struct draft *d, const struct draft_zone *z);

#endif
