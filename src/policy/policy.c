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

static struct owned *
own(struct policies *ps)
{
	struct owned *o = calloc(1, sizeof(*o));

	if (o == NULL)
		return NULL;
	netmap_init(&o->map);
	o->next = ps->owned;
	ps->owned = o;
	return o;
}

struct netmap *
policies_v4(struct policies *ps)
{
	struct owned *o = own(ps);
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
	struct owned *o = own(ps);

	if (o == NULL || (defaults && netmap_set(&o->map, &mapped, 1) != 0))
		return NULL;
	return &o->map;
}

struct zonemap *
policies_zones(struct policies *ps)
{
	struct owned *o = own(ps);

	if (o == NULL)
		return NULL;
	o->zones = zonemap_new();
	return o->zones;
}

const uint8_t *
policies_name(struct policies *ps, const uint8_t *name)
{
	struct owned *o = own(ps);

	return o != NULL ? memcpy(o->name, name, name_len(name)) : NULL;
}

/* The zones that are answered here, whatever the policy (RULES D15, D17). */
static struct zonemap *
make_special(void)
{
	struct zonemap *z = zonemap_new();
	size_t n;
	const struct special_zone *zone = special_zones(&n);

	for (; z != NULL && n > 0; n--, zone++) {
		uint8_t name[DNS_NAME_MAX];

		if (name_from_text(zone->name, name) > 0 && zonemap_add(z, name, zone->kind) == 0)
			continue;
		zonemap_free(z);
		z = NULL;
	}
	return z;
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
	};
	struct policies *ps = calloc(1, sizeof(*ps));

	if (ps == NULL)
		return NULL;
	atomic_init(&ps->refs, 1);
	netmap_init(&ps->clients);
	netmap_init(&ps->exempt);
	netmap_init(&ps->denied);
	ps->others = policies_value(0, POLICY_SERVED);
	ps->n = n;
	ps->table = calloc(n, sizeof(*ps->table));
	ps->special = make_special();
	defaults.synth.v4 = policies_v4(ps);
	defaults.synth.excluded = policies_excluded(ps, true);
	if (ps->table == NULL || ps->special == NULL || defaults.synth.v4 == NULL ||
	    defaults.synth.excluded == NULL) {
		policies_unref(ps);
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		ps->table[i] = defaults;
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
	for (struct owned *o = ps->owned, *next; o != NULL; o = next) {
		next = o->next;
		netmap_fini(&o->map);
		zonemap_free(o->zones);
		free(o);
	}
	netmap_fini(&ps->clients);
	netmap_fini(&ps->exempt);
	netmap_fini(&ps->denied);
	zonemap_free(ps->special);
	zonemap_free(ps->reverse);
	free(ps->site);
	free(ps->table);
	free(ps);
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
		p->mapped_only[p->synth.n_prefixes] = false;
		p->synth.n_prefixes++;
	}
	p->synth.one = p->selection != POLICY_ALL;
	p->synth.active_bits = 0;
	p->synth.n_general = 0;
	for (uint8_t i = 0; i < p->synth.n_prefixes; i++) {
		if (p->states[i] != POLICY_ACTIVE)
			continue;
		p->synth.active_bits |= UINT32_C(1) << i;
		if (!p->mapped_only[i])
			p->synth.general[p->synth.n_general++] = i;
	}
}

/* Add a prefix to the site's, unless it is there already. Its state does not matter (RULES D15). */
static int
add_site(struct policies *ps, const struct pref64 *prefix)
{
	uint8_t zone[DNS_NAME_MAX];
	int err;

	(void)reverse_zone(prefix, zone);
	err = zonemap_add(ps->reverse, zone, (uint32_t)ps->n_site);
	if (err == -EEXIST)
		return 0;
	if (err == 0)
		ps->site[ps->n_site++] = *prefix;
	return err;
}

int
policies_finish(struct policies *ps)
{
	const struct pref64 well_known = pref64_well_known();
	size_t n = 1;
	int err;

	for (size_t i = 0; i < ps->n; i++) {
		finish_policy(&ps->table[i]);
		n += ps->table[i].synth.n_prefixes;
	}
	ps->site = calloc(n, sizeof(*ps->site));
	ps->reverse = zonemap_new();
	if (ps->site == NULL || ps->reverse == NULL)
		return -ENOMEM;
	err = add_site(ps, &well_known);
	for (size_t i = 0; i < ps->n; i++) {
		const struct policy *p = &ps->table[i];

		for (size_t k = 0; k < p->synth.n_prefixes && err == 0; k++)
			err = add_site(ps, &p->synth.prefixes[k]);
	}
	return err;
}
