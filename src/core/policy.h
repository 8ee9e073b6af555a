/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_POLICY_H
#define DNS64D_CORE_POLICY_H

/*
 * policy: what shapes the answers that a client gets (RULES D13).
 *
 * A policy is a plain value; the maps it points to belong to the set of policies, which daemon/
 * builds once, is shared by all loops and never changes afterwards. A query keeps its policy's
 * number and finds it again in the set of the moment.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "base/netmap.h"
#include "core/zonemap.h"
#include "dns/proto.h"
#include "dns64/synth.h"

#define POLICY_MAX_PREFIXES SYNTH_MAX_PREFIXES /* of dns64-prefix and map together */

/*
 * The order of these enums is that of the words that the keyword named with each of them takes
 * (config/keywords, config/set_policy, config/set_prefix).
 */

/* synthesize: when there is DNS64 */
enum policy_synthesize {
	POLICY_NEVER,  /* no DNS64 but in ignore-aaaa zones: nothing is excluded either (D7, D13) */
	POLICY_NORMAL, /* where there is no usable AAAA */
	POLICY_ALWAYS  /* whatever AAAA there is: ignore-aaaa for the root (D13) */
};

/* synthesize-on: what makes us ask for A, as bits (D3) */
enum policy_trigger { POLICY_ON_NODATA = 1, POLICY_ON_ERROR = 2, POLICY_ON_TIMEOUT = 4 };

/* prefix-selection: which of several prefixes make one answer */
enum policy_selection { POLICY_ALL, POLICY_ROUND_ROBIN, POLICY_CLIENT_HASH };

/* dns64-for: clients with DNS64, by the family of their address */
enum policy_family { POLICY_BOTH, POLICY_IPV6, POLICY_IPV4 };

/* reverse: the answer to PTR under a prefix */
enum policy_reverse { POLICY_REVERSE_CNAME, POLICY_REVERSE_LOCAL };

/* svcb-additional: where the AAAA beside SVCB and HTTPS records come from */
enum policy_svcb { POLICY_SVCB_CACHED, POLICY_SVCB_RESOLVE, POLICY_SVCB_OFF };

/* ede: which extended errors go along (RFC 8914), as bits */
enum policy_ede {
	POLICY_EDE_RELAY = 1,       /* those that upstream gave */
	POLICY_EDE_SYNTHESIZED = 2, /* 29 */
	POLICY_EDE_UPSTREAM = 4,    /* 3, 6, 19, 22, 23: upstream trouble */
	POLICY_EDE_POLICY = 8,      /* 17, 18, 20 and what else our settings decided */
	POLICY_EDE_ALL = 15
};

/* dns64-prefix: the state of a prefix (D15) */
enum policy_state { POLICY_ACTIVE, POLICY_DRAIN, POLICY_DOWN };

/* What a zone is configured as: never-synthesize, ignore-aaaa. */
enum policy_zone { POLICY_ZONE_NEVER, POLICY_ZONE_IGNORE_AAAA };

struct policy {
	const struct zonemap *zones; /* zone to enum policy_zone; NULL: none */
	const uint8_t *reverse_name; /* for POLICY_REVERSE_LOCAL: a name */
	uint8_t synthesize;          /* enum policy_synthesize */
	uint8_t triggers;            /* enum policy_trigger, as bits */
	uint8_t selection;           /* enum policy_selection */
	uint8_t family;              /* enum policy_family */
	uint8_t reverse;             /* enum policy_reverse */
	uint8_t svcb;                /* enum policy_svcb */
	uint8_t ede;                 /* enum policy_ede, as bits */
	bool hide_a;
	bool any_minimal;             /* RFC 8482 (D19) */
	bool servfail_without_prefix; /* when no prefix is active; else NODATA */

	/*
	 * v4 has the networks of D14, exclude-a and map. Prefixes are in configured order, those
	 * that only a map line names behind the others. policies_finish derives active_bits, one,
	 * general and n_general.
	 */
	struct synth_policy synth;

	/* Of the prefix at the same place in synth.prefixes. */
	uint8_t states[POLICY_MAX_PREFIXES]; /* enum policy_state (D15) */
	bool mapped_only[POLICY_MAX_PREFIXES];
};

struct owned;

struct policies {
	atomic_uint refs;
	size_t n;                /* >= 1 */
	struct policy *table;    /* owned; table[0]: for clients in no block */
	struct netmap clients;   /* network to number * 2 + (may ask) (D13, D23) */
	uint32_t others;         /* the same for clients in none of those networks */
	struct zonemap *special; /* owned: zone to enum special (D15, D17) */

	/* Derived by policies_finish: the prefixes of all policies and the Well-Known one (D16). */
	struct zonemap *reverse; /* owned: their zones in ip6.arpa to places in site */
	struct pref64 *site;     /* owned */
	size_t n_site;
	struct owned *owned; /* what the policies point to */
};

/*
 * policies_new: N policies with the defaults of the keywords (no prefix), which no client network
 * names; all clients may ask. One reference. NULL without memory.
 */
MUST_USE struct policies *policies_new(size_t n);
struct policies *policies_ref(struct policies *ps);
void policies_unref(struct policies *ps); /* PS may be NULL */

/*
 * Maps and names that live as long as PS; NULL without memory. policies_v4 is a map with the
 * networks of RULES D14 in it; policies_excluded one with ::ffff:0:0/96 if DEFAULTS; a name is
 * copied.
 */
MUST_USE struct netmap *policies_v4(struct policies *ps);
MUST_USE struct netmap *policies_excluded(struct policies *ps, bool defaults);
MUST_USE struct zonemap *policies_zones(struct policies *ps);
MUST_USE const uint8_t *policies_name(struct policies *ps, const uint8_t *name);

/* policies_finish: derive what is derived; a policy without any prefix but those of
 * map lines gets 64:ff9b::/96. To be
 * called once when all is filled in, before PS is used. Returns 0 or -ENOMEM. */
MUST_USE int policies_finish(struct policies *ps);

/* policy_fits_family: may there be DNS64 for a client at this address (D13)? */
MUST_USE static inline bool
policy_fits_family(const struct policy *p, const struct netaddr *client)
{
	bool v6 = client->family == NETADDR_IPV6;

	return !(p->family == POLICY_IPV6 && !v6) && !(p->family == POLICY_IPV4 && v6);
}

/* policy_serves: is there DNS64 for it, where no zone says otherwise? */
MUST_USE static inline bool
policy_serves(const struct policy *p, const struct netaddr *client)
{
	return p->synthesize != POLICY_NEVER && policy_fits_family(p, client);
}

/* policies_find: the number of the policy of a client, and in *may_ask whether it is served. */
MUST_USE static inline unsigned
policies_find(const struct policies *ps, const struct netaddr *client, bool *may_ask)
{
	uint32_t v = netmap_find(&ps->clients, client, ps->others);

	*may_ask = v & 1;
	return v >> 1;
}

#endif
