/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_POLICY_POLICY_H
#define DNS64D_POLICY_POLICY_H

/*
 * policy: the settings that shape a client's answers (RULES D13).
 *
 * A policy is a plain value; the maps it points to belong to the set of policies. config/ builds
 * that set once; all loops share it, and it never changes afterwards. A query keeps the number of
 * its policy and looks it up in the current set.
 *
 * A change of prefixes, or of what the operator has ordered, makes a new set that shares with the
 * set before what it does not change.
 * So it costs the same however many zones and networks the configuration has.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "base/netmap.h"
#include "dns/proto.h"
#include "dns64/synth.h"
#include "policy/prefix_choice.h"
#include "policy/zonemap.h"

#define POLICY_MAX_PREFIXES SYNTH_MAX_PREFIXES /* prefixes of dns64-prefix and map together */

/*
 * Where the comment of an enum begins with a keyword, the order of the enum is that of the
 * keyword's words (config/keywords, config/set_policy, config/set_prefix).
 */

/* synthesize: when there is DNS64 */
enum policy_synthesize {
	POLICY_NEVER,  /* no DNS64 and no exclusion, except in ignore-aaaa zones (RULES D7, D13) */
	POLICY_NORMAL, /* for names without a usable AAAA */
	POLICY_ALWAYS  /* for all names: like ignore-aaaa for the root (RULES D13) */
};

/* synthesize-on: which ends of the AAAA phase lead to A, as bits (RULES D3) */
enum policy_trigger { POLICY_ON_NODATA = 1, POLICY_ON_ERROR = 2, POLICY_ON_TIMEOUT = 4 };

/* prefix-selection: which of several prefixes are used for one answer */
enum policy_selection { POLICY_ALL, POLICY_ROUND_ROBIN, POLICY_CLIENT_HASH };

/* dns64-for: which clients have DNS64, by address family */
enum policy_family { POLICY_BOTH, POLICY_IPV6, POLICY_IPV4 };

/* reverse: how PTR under a prefix is answered */
enum policy_reverse { POLICY_REVERSE_CNAME, POLICY_REVERSE_LOCAL };

/* svcb-additional: where the AAAA added to SVCB and HTTPS answers come from */
enum policy_svcb { POLICY_SVCB_CACHED, POLICY_SVCB_RESOLVE, POLICY_SVCB_OFF };

/* ede: which extended errors are sent (RFC 8914), as bits */
enum policy_ede {
	POLICY_EDE_RELAY = 1,       /* those from upstream */
	POLICY_EDE_SYNTHESIZED = 2, /* info code 29 */
	POLICY_EDE_UPSTREAM = 4,    /* info codes 3, 6, 19, 22, 23: upstream trouble */
	POLICY_EDE_POLICY = 8,      /* info codes 17, 18, 20 and others that our settings cause */
	POLICY_EDE_ALL = 15
};

/* dns64-prefix: the state of a prefix (RULES D15) */
enum policy_state { POLICY_ACTIVE, POLICY_DRAIN, POLICY_DOWN };

/* What the state of a prefix comes of. */
enum policy_cause {
	POLICY_CONFIGURED, /* the configuration, the command line or a default */
	POLICY_OPERATOR,   /* dns64ctl, also what it has saved in prefix-file */
	POLICY_PROBE,      /* prefix-check */
	POLICY_DISCOVERY   /* the network announces it, or no more */
};

#define POLICY_NONE_HELD UINT8_MAX

/*
 * A value in policy.zones, synth.v4 and synth.excluded has what holds in its low bits, and above
 * them the line of the configuration that says so, for who asks why; so it costs no memory.
 */
#define POLICY_VALUE_BITS SYNTH_V4_BITS
#define POLICY_VALUE_MASK ((1U << POLICY_VALUE_BITS) - 1)

/* What holds in a zone: never-synthesize, ignore-aaaa; the last is that of ZONEMAP_NONE. */
enum policy_zone {
	POLICY_ZONE_NEVER,
	POLICY_ZONE_IGNORE_AAAA,
	POLICY_ZONE_NONE = POLICY_VALUE_MASK
};

/* allow and deny: what becomes of a client's questions (RULES D23) */
enum policy_access {
	POLICY_STRANGER, /* it may not ask, as no allow line has it: REFUSED */
	POLICY_SERVED,   /* it may ask */
	POLICY_DENIED,   /* a deny line has it: REFUSED */
	POLICY_IGNORED   /* likewise, with drop: no answer */
};

/* What the clients of a network get (RULES D13, D23). */
struct policies_client {
	uint32_t line; /* of the configuration, which decides access; 0: built in, or none has it */
	uint16_t policy; /* its number */
	uint8_t access;  /* enum policy_access */
};

/* Of max_ttl, in the configuration only: the usual limit where prefixes are checked, else none. */
#define POLICY_TTL_AUTO UINT32_MAX
#define POLICY_TTL_CHECKED 300

struct policy {
	const struct zonemap *zones; /* zone to enum policy_zone, with its line; NULL: no zones */
	const uint8_t *reverse_name; /* for POLICY_REVERSE_LOCAL: a name */
	uint32_t rate_factor;        /* so many times rate-limit; 0: no limit */
	uint32_t max_ttl;  /* s: of AAAA that are made and of ipv4only.arpa; 0: no limit */
	uint64_t networks; /* a hash of its clients' networks, in any order; 0: those of no block */
	uint16_t counter;  /* of stats.clients (policy/policy_counters) */
	uint8_t synthesize; /* enum policy_synthesize */
	uint8_t triggers;   /* enum policy_trigger, as bits */
	uint8_t selection;  /* enum policy_selection */
	uint8_t family;     /* enum policy_family */
	uint8_t reverse;    /* enum policy_reverse */
	uint8_t svcb;       /* enum policy_svcb */
	uint8_t ede;        /* enum policy_ede, as bits */
	bool hide_a;
	bool any_minimal;             /* minimal answers to ANY (RFC 8482, RULES D19) */
	bool servfail_without_prefix; /* answer when no prefix is active; else NODATA */
	struct prefix_choice choice;  /* weights; the rest by policies_finish */

	/*
	 * v4 has the networks of RULES D14, exclude-a and map. Prefixes are in configured order;
	 * those that only a map line names come last. policies_finish derives active_bits, one,
	 * general and n_general.
	 */
	struct synth_policy synth;

	/* Per prefix, with the indices of synth.prefixes. */
	uint8_t states[POLICY_MAX_PREFIXES]; /* enum policy_state (RULES D15) */
	uint8_t causes[POLICY_MAX_PREFIXES]; /* enum policy_cause: what it comes of */
	bool mapped_only[POLICY_MAX_PREFIXES];
	uint32_t places[POLICY_MAX_PREFIXES]; /* in policies.site.prefixes; by policies_finish */
	uint8_t numbers[POLICY_MAX_PREFIXES]; /* those of that table: counting needs no search */
	/* the index of the one that is active only as all others failed too; POLICY_NONE_HELD */
	uint8_t held;
};

struct store;

/*
 * What changes neither with prefixes nor with orders. Sets that share it count their references in
 * store.
 */
struct policies_common {
	struct netmap clients;         /* network to an index of kinds, by policies_add_client */
	struct policies_client *kinds; /* owned; 0: for clients in none of those networks */
	uint32_t n_kinds;              /* >= 1 */
	bool ignores;                  /* some of kinds are POLICY_IGNORED */
	struct netmap exempt;          /* network to 1: without rate-limit and max-amplification */
	struct zonemap *special;       /* zone to enum special (RULES D15, D17) */
	struct store *store;           /* owned: special, and what policies point to, but for v4 */
};

/* A prefix of one policy or more, where each has a state for it. Suffixes do not count. */
struct policies_prefix {
	struct pref64 prefix;
	uint8_t number; /* of its counter; by prefix_index_give, else 0 */
};

/*
 * What no change of states changes, shared likewise: the table of the prefixes of all policies.
 * Derived by policies_finish.
 */
struct policies_site {
	struct policies_prefix *prefixes; /* owned, with store */
	size_t n_used;                    /* those of policies; they come first */
	size_t n;                /* with the Well-Known Prefix, if no policy has it (RULES D16) */
	struct zonemap *reverse; /* the zones of all n in ip6.arpa to indices of prefixes */
	struct store *store;     /* owned: reverse, and what v4 of policies points to */
};

struct policies {
	atomic_uint refs;
	size_t n;             /* >= 1 */
	struct policy *table; /* owned; table[0] is for clients in no client block */
	bool ignores;         /* some clients are POLICY_IGNORED, by common or denied */
	bool denies;          /* denied is not empty */
	struct netmap denied; /* what the operator has ordered: network to enum policy_access */
	struct policies_common common;
	struct policies_site site;
};

/*
 * policies_new: a set of N (>= 1) policies with the defaults of the keywords and no prefix. All
 * clients may ask and get policy 0. The caller has the one reference. NULL without memory.
 */
MUST_USE struct policies *policies_new(size_t n);

/*
 * policies_copy: a copy of BEFORE, which is finished, that shares common and site, and in which the
 * operator has ordered nothing. The caller may change states, and calls policy_settle then. NULL
 * without memory.
 */
MUST_USE struct policies *policies_copy(const struct policies *before);

/*
 * policies_without_prefixes: likewise, but it shares common only. Its policies have no prefix, and
 * v4 as in policies_new. The caller fills in prefixes, and calls policies_finish. NULL without
 * memory.
 */
MUST_USE struct policies *policies_without_prefixes(const struct policies *before);

/* policies_ref: one reference more to PS; returns PS. Any thread. */
struct policies *policies_ref(struct policies *ps);

/*
 * policies_unref: one reference less; the last frees PS, and what no other set shares with it. PS
 * may be NULL. Any thread.
 */
void policies_unref(struct policies *ps);

/*
 * policies_v4: a map for synth_policy.v4 with the networks of RULES D14, owned by PS. NULL without
 * memory.
 */
MUST_USE struct netmap *policies_v4(struct policies *ps);

/*
 * policies_excluded: a map for synth_policy.excluded, owned by PS, with ::ffff:0:0/96 if DEFAULTS
 * (RFC 6147 section 5.1.4). NULL without memory.
 */
MUST_USE struct netmap *policies_excluded(struct policies *ps, bool defaults);

/* policies_zones: an empty map for policy.zones, owned by PS. NULL without memory. */
MUST_USE struct zonemap *policies_zones(struct policies *ps);

/* policies_name: a copy of NAME, owned by PS. NULL without memory. */
MUST_USE const uint8_t *policies_name(struct policies *ps, const uint8_t *name);

/*
 * policies_finish: fill in the derived fields. A policy whose only prefixes are those of map lines
 * gets 64:ff9b::/96. Call it once, when all other fields are filled in and before PS is used.
 * Returns 0 or -ENOMEM.
 */
MUST_USE int policies_finish(struct policies *ps);

/* policy_settle: derive active_bits, general, n_general and choice of P, which no loop has yet. */
void policy_settle(struct policy *p);

/*
 * policy_value: WHAT and the number of the LINE that says it (0: it is built in), as one value. A
 * line of 2^26 or more is not kept: it reads as 0.
 */
MUST_USE static inline uint32_t
policy_value(uint32_t what, unsigned line)
{
	return line <= UINT32_MAX >> POLICY_VALUE_BITS ? line << POLICY_VALUE_BITS | what : what;
}

/* policy_line: the line that VALUE, which was found, is from; 0: it is built in. */
MUST_USE static inline unsigned
policy_line(uint32_t value)
{
	return value >> POLICY_VALUE_BITS;
}

/* policy_zone: what VALUE, which zonemap_find has returned, says of a name. */
MUST_USE static inline enum policy_zone
policy_zone(uint32_t value)
{
	return (enum policy_zone)(value & POLICY_VALUE_MASK);
}

/* policy_fits_family: does dns64-for allow DNS64 for a client at this address (RULES D13)? */
MUST_USE static inline bool
policy_fits_family(const struct policy *p, const struct netaddr *client)
{
	bool v6 = client->family == NETADDR_IPV6;

	return !(p->family == POLICY_IPV6 && !v6) && !(p->family == POLICY_IPV4 && v6);
}

/* policy_state_word: STATE as the configuration and dns64ctl have it: "active", "drain", "down". */
MUST_USE const char *policy_state_word(enum policy_state state);

/* policy_cause_word: CAUSE as a word: "configured", "operator", "probe", "discovery". */
MUST_USE const char *policy_cause_word(enum policy_cause cause);

/* policy_state_of: the state of PREFIX, its suffix not compared, in P; -1: P has it not. */
MUST_USE int policy_state_of(const struct policy *p, const struct pref64 *prefix);

/* policy_limit_ttl: TTL, in seconds, of what P's prefixes are in, or less: synthesized-max-ttl. */
MUST_USE static inline uint32_t
policy_limit_ttl(const struct policy *p, uint32_t ttl)
{
	return p->max_ttl > 0 && ttl > p->max_ttl ? p->max_ttl : ttl;
}

/* policy_serves: does a client at this address have DNS64, for names in no zone of p->zones? */
MUST_USE static inline bool
policy_serves(const struct policy *p, const struct netaddr *client)
{
	return p->synthesize != POLICY_NEVER && policy_fits_family(p, client);
}

/*
 * policies_add_client: what clients in NET get, in place of what they got. PS is not shared yet,
 * and what clients in no network get is set. Returns 0 or -ENOMEM.
 */
MUST_USE int policies_add_client(
    struct policies *ps, const struct net *net, const struct policies_client *client);

/* policies_client: what the configuration gives CLIENT; the operator may order otherwise. */
MUST_USE static inline const struct policies_client *
policies_client(const struct policies *ps, const struct netaddr *client)
{
	return &ps->common.kinds[netmap_find(&ps->common.clients, client, 0)];
}

/* policies_ordered: what the operator orders about CLIENT (dns64ctl deny); else POLICY_SERVED. */
MUST_USE static inline enum policy_access
policies_ordered(const struct policies *ps, const struct netaddr *client)
{
	return UNLIKELY(ps->denies)
	    ? (enum policy_access)netmap_find(&ps->denied, client, POLICY_SERVED)
	    : POLICY_SERVED;
}

/* policies_access: what becomes of the questions of CLIENT. */
MUST_USE static inline enum policy_access
policies_access(const struct policies *ps, const struct netaddr *client)
{
	enum policy_access ordered = policies_ordered(ps, client);

	if (UNLIKELY(ordered != POLICY_SERVED))
		return ordered;
	return (enum policy_access)policies_client(ps, client)->access;
}

/* policies_ignore: does CLIENT get no answer, whatever it asks? */
MUST_USE static inline bool
policies_ignore(const struct policies *ps, const struct netaddr *client)
{
	return UNLIKELY(ps->ignores) && policies_access(ps, client) == POLICY_IGNORED;
}

/*
 * policies_find: the number of a client's policy; *may_ask says whether the client is served (RULES
 * D23).
 */
MUST_USE static inline unsigned
policies_find(const struct policies *ps, const struct netaddr *client, bool *may_ask)
{
	const struct policies_client *c = policies_client(ps, client);

	*may_ask = c->access == POLICY_SERVED && policies_ordered(ps, client) == POLICY_SERVED;
	return c->policy;
}

#endif
