/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_POLICY_LINES_H
#define DNS64D_CONFIG_POLICY_LINES_H

/*
 * policy_lines: what the lines of a configuration say of clients, unchanged: one struct
 * policy_lines for the lines outside of any client block, and one for each block. config/policies
 * checks whether they fit together, when all of them are read (RULES D13). They are kept for as
 * long as the settings hold, so that dns64ctl can change prefixes (config/prefix_change).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/attr.h"
#include "base/netmap.h"
#include "config/array.h"
#include "config/keyword.h"
#include "policy/policy.h"

/* In all of these line is the number of the line in the file; 0: it is not from the file. */

/* Who says that a prefix is there, or is in its state. */
enum policy_lines_from {
	POLICY_LINES_CONF,  /* the configuration, the command line or a default */
	POLICY_LINES_SAVED, /* prefix-file */
	POLICY_LINES_TOLD   /* dns64ctl, while the daemon runs */
};

struct policy_lines_prefix {
	struct pref64 prefix;
	unsigned line; /* in the file that it is from */
	enum policy_state state;
	uint16_t weight; /* 1 to PREFIX_CHOICE_WEIGHT_MAX */
	enum policy_lines_from from;
	time_t since; /* POLICY_LINES_TOLD: seconds since 1970 */
};

/* Bytes of the longest text of policy_lines_words, with the final zero. */
#define POLICY_LINES_WORDS 24

struct policy_lines_net {
	struct net net;
	unsigned line;
};

/* The keyword of an IPv4 network. */
enum policy_lines_range_kind { POLICY_LINES_EXCLUDE_A, POLICY_LINES_MAP, POLICY_LINES_RANGE_KINDS };

struct policy_lines_range {
	struct net net;
	unsigned line;
	enum policy_lines_range_kind kind;
	bool never;        /* under no prefix */
	struct pref64 via; /* else under this one */
};

#define POLICY_LINES_ZONE_KINDS (POLICY_ZONE_IGNORE_AAAA + 1)

struct policy_lines_zone {
	uint8_t *name; /* owned: not compressed */
	unsigned line;
	enum policy_zone kind;
};

#define POLICY_LINES_CHECKS 4 /* lines of prefix-check, in a block or outside */

/* What is asked of a target, by the word of prefix-check. */
enum policy_lines_check_kind { POLICY_LINES_TCP, POLICY_LINES_DNS, POLICY_LINES_ICMP };

/* A target that is asked under each prefix. */
struct policy_lines_check {
	uint8_t v4[4]; /* network order */
	uint16_t port; /* host order; POLICY_LINES_ICMP: 0 */
	enum policy_lines_check_kind kind;
	unsigned line;
	uint8_t name[DNS_NAME_MAX]; /* POLICY_LINES_DNS: the name that is asked for */
};

struct policy_lines {
	unsigned line;                /* of the block's head; 0: the lines outside of any block */
	unsigned lines[KEYWORDS_MAX]; /* where each keyword first stood; in blocks only */
	struct policy values;         /* of the keywords whose value is one field */
	uint8_t reverse_name[DNS_NAME_MAX];
	bool has_reverse_name;
	uint8_t suffix[16];
	bool has_suffix;
	unsigned suffix_line;
	bool excluded_none; /* exclude-aaaa none: without the default */

	/* In the file's order; empty in a block without the keyword. */
	struct array nets;     /* struct policy_lines_net: the clients of the block */
	struct array prefixes; /* struct policy_lines_prefix: those in force */
	struct array saved;    /* likewise: those that prefix-file has; empty: it has none */
	/* struct policy_lines_prefix: states of prefixes that only map lines name (dns64-prefix ...
	   map); those that prefix-file has */
	struct array vias;
	struct array saved_vias;
	struct array checks;   /* struct policy_lines_check */
	bool checks_none;      /* prefix-check none */
	uint64_t group;        /* of reports about prefixes: a hash of checks; 0: there are none */
	time_t told;           /* when dns64ctl last changed prefixes and did not save that; 0 */
	struct array excluded; /* struct policy_lines_net */
	struct array ranges;   /* struct policy_lines_range */
	struct array zones;    /* struct policy_lines_zone */
	/* how many of each kind */
	size_t n_ranges[POLICY_LINES_RANGE_KINDS];
	size_t n_zones[POLICY_LINES_ZONE_KINDS];
};

struct policy_lines_list {
	struct array all;    /* struct policy_lines; 0: outside of any block; then the blocks */
	size_t open;         /* index of the block that is being read; 0: none */
	bool only_prefixes;  /* it is prefix-file that is read: nothing else may stand there */
	struct array allow;  /* struct policy_lines_net: who may ask (RULES D23) */
	struct array deny;   /* likewise: who may not, and is told so */
	struct array ignore; /* likewise: who gets no answer */
	unsigned allow_any;  /* the line of allow any, all others may ask; 0: there is none */
	unsigned deny_any;   /* likewise deny any */
	bool ignore_any;     /* that has drop */
	struct array usual;  /* likewise, without a line: by the interfaces when it was read */
	struct array exempt; /* struct policy_lines_net: rate-limit-exempt */
};

/* policy_lines_new: a list without lines, with item 0 only; NULL without memory. */
MUST_USE struct policy_lines_list *policy_lines_new(void);

/* policy_lines_free: free LIST, which may be NULL, and all it owns. */
void policy_lines_free(struct policy_lines_list *list);

/* policy_lines_at: item I, borrowed until the next policy_lines_open. */
MUST_USE struct policy_lines *policy_lines_at(const struct policy_lines_list *list, size_t i);

/* policy_lines_now: the item for the line that is being read: of the open block, or item 0. */
MUST_USE struct policy_lines *policy_lines_now(const struct policy_lines_list *list);

/*
 * policy_lines_of: the block that has NET in its head; NULL: none has.
 */
MUST_USE struct policy_lines *policy_lines_of(
    const struct policy_lines_list *list, const struct net *net);

/*
 * policy_lines_copy: make OUT, which is overwritten, a copy of the prefixes IN. False without
 * memory; OUT is empty then.
 */
MUST_USE bool policy_lines_copy(struct array *out, const struct array *in);

/* policy_lines_find: the item of PREFIX, its suffix not compared, in PREFIXES; NULL: none. */
MUST_USE struct policy_lines_prefix *policy_lines_find(
    const struct array *prefixes, const struct pref64 *prefix);

/*
 * policy_lines_words: write the words that stand behind the prefix on the line of P, but for map,
 * to TEXT: "drain", or, with another weight than the default, "drain weight 300". Returns TEXT.
 */
char *policy_lines_words(const struct policy_lines_prefix *p, char text[static POLICY_LINES_WORDS]);

/*
 * policy_lines_via: what sets the state of PREFIX in block L of LIST, where only a map line names
 * it: a line of the block; else one outside of blocks, also that of a prefix for all that is not
 * mapped. NULL: nothing, it is active.
 */
MUST_USE const struct policy_lines_prefix *policy_lines_via(const struct policy_lines_list *list,
    const struct policy_lines *l, const struct pref64 *prefix);

/* policy_lines_in_force: the prefixes that block L of LIST has: its own, else item 0's. */
MUST_USE const struct array *policy_lines_in_force(
    const struct policy_lines_list *list, const struct policy_lines *l);

/*
 * policy_lines_state: what sets the state of PREFIX in the policy of block L of LIST. MAPPED_ONLY:
 * only map lines name it there. NULL: nothing, it is active.
 */
MUST_USE const struct policy_lines_prefix *policy_lines_state(const struct policy_lines_list *list,
    const struct policy_lines *l, const struct pref64 *prefix, bool mapped_only);

/* policy_lines_checks: the targets (struct policy_lines_check) for block L of LIST. */
MUST_USE const struct array *policy_lines_checks(
    const struct policy_lines_list *list, const struct policy_lines *l);

/* policy_lines_group: the group of reports about prefixes that counts for block L of LIST; 0: none
 * does. */
MUST_USE uint64_t policy_lines_group(
    const struct policy_lines_list *list, const struct policy_lines *l);

/* policy_lines_open: begin a block whose head is at LINE. Its item; NULL without memory. */
MUST_USE struct policy_lines *policy_lines_open(struct policy_lines_list *list, unsigned line);

/* policy_lines_close: end the block, if one is open. */
void policy_lines_close(struct policy_lines_list *list);

/* policy_lines_add_range: append a copy of *r to L. False without memory. */
MUST_USE bool policy_lines_add_range(struct policy_lines *l, const struct policy_lines_range *r);

/* policy_lines_add_zone: append a copy of *z, and of its name, to L. False without memory. */
MUST_USE bool policy_lines_add_zone(struct policy_lines *l, const struct policy_lines_zone *z);

#endif
