/* SPDX-License-Identifier: BSD-2-Clause */
#include "policy/policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dns/name.h"
#include "dns64/reverse.h"
#include "dns64/special.h"

/* An object that policies point to; each uses one of the last three fields. */
struct owned {
	struct owned *next;
	struct netmap map;
	struct zonemap *zones;
	uint8_t name[DNS_NAME_MAX];
};

/* Objects that sets of policies share; the last set frees them. */
struct store {
	atomic_uint refs;
	struct owned *first;
};

static struct store *
store_new(void)
{
	struct store *st = calloc(1, sizeof(*st));

	if (st != NULL)
		atomic_init(&st->refs, 1);
	return st;
}

static void
store_ref(struct store *st)
{
	atomic_fetch_add_explicit(&st->refs, 1, memory_order_relaxed);
}

/* One reference less. True: it was the last, and ST, which may be NULL, is freed. */
static bool
store_unref(struct store *st)
{
	if (st == NULL || atomic_fetch_sub_explicit(&st->refs, 1, memory_order_acq_rel) > 1)
		return false;
	for (struct owned *o = st->first, *next; o != NULL; o = next) {
		next = o->next;
		netmap_fini(&o->map);
		zonemap_free(o->zones);
		free(o);
	}
	free(st);
	return true;
}

static struct owned *
own(struct store *st)
{
	struct owned *o = calloc(1, sizeof(*o));

	if (o == NULL)
		return NULL;
	netmap_init(&o->map);
	o->next = st->first;
	st->first = o;
	return o;
}

static struct zonemap *
own_zones(struct store *st)
{
	struct owned *o = own(st);

	if (o == NULL)
		return NULL;
	o->zones = zonemap_new();
	return o->zones;
}

struct netmap *
policies_v4(struct policies *ps)
{
	struct owned *o = own(ps->site.store);
	size_t n;
	const struct synth_range *range = synth_ranges(&n);

	if (o == NULL)
		return NULL;
	for (; n > 0; n--, range++) {
		if (netmap_set(&o->map, &range->net, range->v4) != 0)
			return NULL;
	}
	return &o->map;
}

struct netmap *
policies_excluded(struct policies *ps, bool defaults)
{
	/* ::ffff:0:0/96 (RFC 6147 section 5.1.4) */
	static const struct net mapped = {
		.addr = { [10] = 0xff, [11] = 0xff }, .len = 96, .family = NETADDR_IPV6
	};
	struct owned *o = own(ps->common.store);

	if (o == NULL || (defaults && netmap_set(&o->map, &mapped, 1) != 0))
		return NULL;
	return &o->map;
}

struct zonemap *
policies_zones(struct policies *ps)
{
	return own_zones(ps->common.store);
}

const uint8_t *
policies_name(struct policies *ps, const uint8_t *name)
{
	struct owned *o = own(ps->common.store);

	return o != NULL ? memcpy(o->name, name, name_len(name)) : NULL;
}

/* The zones that are answered here, whatever the policy (RULES D15, D17), owned by ST. */
static struct zonemap *
make_special(struct store *st)
{
	struct zonemap *z = own_zones(st);
	size_t n;
	const struct special_zone *zone = special_zones(&n);

	for (; z != NULL && n > 0; n--, zone++) {
		uint8_t name[DNS_NAME_MAX];

		if (name_from_text(zone->name, name) == 0 || zonemap_add(z, name, zone->kind) != 0)
			return NULL;
	}
	return z;
}

/* A set of N policies that has nothing yet. */
static struct policies *
start(size_t n)
{
	struct policies *ps = calloc(1, sizeof(*ps));

	if (ps == NULL)
		return NULL;
	atomic_init(&ps->refs, 1);
	netmap_init(&ps->common.clients);
	netmap_init(&ps->common.exempt);
	netmap_init(&ps->denied);
	ps->n = n;
	ps->table = calloc(n, sizeof(*ps->table));
	if (ps->table != NULL)
		return ps;
	free(ps);
	return NULL;
}

struct policies *
policies_new(size_t n)
{
	struct policy defaults = {
		.synthesize = POLICY_NORMAL,
		.triggers = POLICY_ON_NODATA | POLICY_ON_ERROR | POLICY_ON_TIMEOUT,
		.selection = POLICY_ALL,
		.family = POLICY_BOTH,
		.reverse = POLICY_REVERSE_CNAME,
		.svcb = POLICY_SVCB_CACHED,
		.ede = POLICY_EDE_ALL,
		.rate_factor = 1,
		.held = POLICY_NONE_HELD,
	};
	struct policies *ps = start(n);

	if (ps == NULL)
		return NULL;
	ps->common.store = store_new();
	ps->site.store = store_new();
	if (ps->common.store != NULL && ps->site.store != NULL)
		ps->common.kinds = malloc(sizeof(*ps->common.kinds));
	if (ps->common.kinds != NULL) {
		ps->common.kinds[ps->common.n_kinds++] =
		    (struct policies_client){ .access = POLICY_SERVED };
		ps->common.special = make_special(ps->common.store);
		defaults.synth.v4 = policies_v4(ps);
		defaults.synth.excluded = policies_excluded(ps, true);
	}
	if (ps->common.special == NULL || defaults.synth.v4 == NULL ||
	    defaults.synth.excluded == NULL) {
		policies_unref(ps);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		ps->table[i] = defaults;
	return ps;
}

/* Add KIND to those of COMMON, whose room doubles each time it is used up. Returns 0 or -ENOMEM. */
static int
add_kind(struct policies_common *common, const struct policies_client *kind)
{
	uint32_t n = common->n_kinds;

	if ((n & (n - 1)) == 0) {
		struct policies_client *more =
		    reallocarray(common->kinds, 2 * (size_t)n, sizeof(*more));

		if (more == NULL)
			return -ENOMEM;
		common->kinds = more;
	}
	common->kinds[common->n_kinds++] = *kind;
	return 0;
}

int
policies_add_client(
    struct policies *ps, const struct net *net, const struct policies_client *client)
{
	struct policies_common *common = &ps->common;
	const struct policies_client *last = &common->kinds[common->n_kinds - 1];

	/* Networks that stand in one line mostly follow each other. */
	if ((last->line != client->line || last->policy != client->policy ||
		last->access != client->access) &&
	    add_kind(common, client) != 0)
		return -ENOMEM;
	return netmap_set(&common->clients, net, common->n_kinds - 1);
}

/* A set with the policies of BEFORE, that shares common with it. */
static struct policies *
start_like(const struct policies *before)
{
	struct policies *ps = start(before->n);

	if (ps == NULL)
		return NULL;
	ps->common = before->common;
	store_ref(ps->common.store);
	memcpy(ps->table, before->table, ps->n * sizeof(*ps->table));
	return ps;
}

struct policies *
policies_copy(const struct policies *before)
{
	struct policies *ps = start_like(before);

	if (ps == NULL)
		return NULL;
	ps->site = before->site;
	store_ref(ps->site.store);
	return ps;
}

struct policies *
policies_without_prefixes(const struct policies *before)
{
	struct policies *ps = start_like(before);
	struct netmap *v4;

	if (ps == NULL)
		return NULL;
	ps->site.store = store_new();
	v4 = ps->site.store != NULL ? policies_v4(ps) : NULL;
	if (v4 == NULL) {
		policies_unref(ps);
		return NULL;
	}
	for (size_t i = 0; i < ps->n; i++) {
		ps->table[i].synth.n_prefixes = 0;
		ps->table[i].synth.v4 = v4;
	}
	return ps;
}

struct policies *
policies_ref(struct policies *ps)
{
	atomic_fetch_add_explicit(&ps->refs, 1, memory_order_relaxed);
	return ps;
}

void
policies_unref(struct policies *ps)
{
	if (ps == NULL || atomic_fetch_sub_explicit(&ps->refs, 1, memory_order_acq_rel) > 1)
		return;
	/* Sets that share a store have equal copies of what goes with it. The last frees that. */
	if (store_unref(ps->common.store)) {
		netmap_fini(&ps->common.clients);
		netmap_fini(&ps->common.exempt);
		free(ps->common.kinds);
	}
	if (store_unref(ps->site.store))
		free(ps->site.prefixes);
	netmap_fini(&ps->denied);
	free(ps->table);
	free(ps);
}

const char *
policy_state_word(enum policy_state state)
{
	static const char *const words[] = {
		[POLICY_ACTIVE] = "active", [POLICY_DRAIN] = "drain", [POLICY_DOWN] = "down"
	};

	return words[state];
}

const char *
policy_cause_word(enum policy_cause cause)
{
	static const char *const words[] = { [POLICY_CONFIGURED] = "configured",
		[POLICY_OPERATOR] = "operator",
		[POLICY_PROBE] = "probe",
		[POLICY_DISCOVERY] = "discovery" };

	return words[cause];
}

int
policy_state_of(const struct policy *p, const struct pref64 *prefix)
{
	for (uint8_t i = 0; i < p->synth.n_prefixes; i++) {
		if (pref64_same(&p->synth.prefixes[i], prefix))
			return p->states[i];
	}
	return -1;
}

static bool
has_general_prefix(const struct policy *p)
{
	for (uint8_t i = 0; i < p->synth.n_prefixes; i++) {
		if (!p->mapped_only[i])
			return true;
	}
	return false;
}

static void
finish_policy(struct policy *p)
{
	/*
	 * Default prefix, if none is configured; not if all configured ones are down (RULES D14).
	 */
	if (!has_general_prefix(p) && p->synth.n_prefixes < POLICY_MAX_PREFIXES) {
		p->synth.prefixes[p->synth.n_prefixes] = pref64_well_known();
		p->states[p->synth.n_prefixes] = POLICY_ACTIVE;
		p->causes[p->synth.n_prefixes] = POLICY_CONFIGURED;
		p->mapped_only[p->synth.n_prefixes] = false;
		p->choice.weights[p->synth.n_prefixes] = PREFIX_CHOICE_WEIGHT;
		p->synth.n_prefixes++;
	}
	p->synth.one = p->selection != POLICY_ALL;
	policy_settle(p);
}

void
policy_settle(struct policy *p)
{
	static const enum prefix_choice_way ways[] = { [POLICY_ALL] = PREFIX_CHOICE_FIRST,
		[POLICY_ROUND_ROBIN] = PREFIX_CHOICE_TURNS,
		[POLICY_CLIENT_HASH] = PREFIX_CHOICE_CLIENT };

	p->synth.active_bits = 0;
	p->synth.n_general = 0;
	for (uint8_t i = 0; i < p->synth.n_prefixes; i++) {
		if (p->states[i] != POLICY_ACTIVE)
			continue;
		p->synth.active_bits |= UINT32_C(1) << i;
		if (!p->mapped_only[i])
			p->synth.general[p->synth.n_general++] = i;
	}
	prefix_choice_settle(&p->choice, &p->synth, ways[p->selection]);
}

/* Write to *PLACE where PREFIX is in SITE's table, to which it is added if need be. */
static int
add_site(struct policies_site *site, const struct pref64 *prefix, uint32_t *place)
{
	uint8_t zone[DNS_NAME_MAX];
	struct zonemap_path path;
	size_t len = reverse_zone(prefix, zone), at;
	int err;

	*place = (uint32_t)site->n;
	err = zonemap_add(site->reverse, zone, *place);
	if (err == 0)
		site->prefixes[site->n++].prefix = *prefix;
	if (err != -EEXIST)
		return err;
	zonemap_path(&path, zone, len);
	*place = zonemap_find(site->reverse, &path, &at);
	return 0;
}

int
policies_finish(struct policies *ps)
{
	const struct pref64 well_known = pref64_well_known();
	struct policies_site *site = &ps->site;
	uint32_t place;
	size_t n = 1;
	int err = 0;

	for (size_t i = 0; i < ps->n; i++) {
		finish_policy(&ps->table[i]);
		n += ps->table[i].synth.n_prefixes;
	}
	site->prefixes = calloc(n, sizeof(*site->prefixes));
	site->reverse = own_zones(site->store);
	if (site->prefixes == NULL || site->reverse == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < ps->n; i++) {
		struct policy *p = &ps->table[i];

		for (size_t k = 0; k < p->synth.n_prefixes && err == 0; k++)
			err = add_site(site, &p->synth.prefixes[k], &p->places[k]);
	}
	site->n_used = site->n;
	return err == 0 ? add_site(site, &well_known, &place) : err;
}
