/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/policies.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "config/access.h"
#include "config/checks.h"
#include "config/keywords.h"
#include "config/orders.h"
#include "config/policy_lines.h"
#include "config/values.h"
#include "dns/name.h"
#include "dns64/special.h"
#include "policy/prefix_states.h"

/* A policy that is being made. */
struct making {
	const struct settings *s;
	struct diag *d;
	struct policies *ps;
	const struct policy_lines *all; /* the lines outside of any block */
	const struct policy_lines *own;
	struct policy *p;
	struct netmap ranges;                /* IPv4 network to the line it stands in */
	unsigned lines[POLICY_MAX_PREFIXES]; /* where each prefix of p stands */
	unsigned all_lines[POLICY_MAX_PREFIXES];
	bool starved; /* there was no memory */
};

static bool
is_first(const struct making *m)
{
	return m->own == m->all;
}

/* Copy the values that are one field each. */
static void
take_values(struct making *m)
{
	size_t n;
	const struct keyword *k = keywords(&n);

	for (size_t i = 0; i < n; i++) {
		bool own = is_first(m) || m->own->lines[i] > 0;
		const struct policy_lines *from = own ? m->own : m->all;

		if (k[i].in_block && k[i].size > 0)
			memcpy((unsigned char *)m->p + k[i].offset,
			    (const unsigned char *)&from->values + k[i].offset, k[i].size);
	}
	/* Hosts follow a prefix that prefix-check takes out within that time. */
	if (m->p->max_ttl == POLICY_TTL_AUTO)
		m->p->max_ttl =
		    policy_lines_group(m->s->policy_lines, m->own) != 0 ? POLICY_TTL_CHECKED : 0;
	m->p->reverse_name = m->ps->table[0].reverse_name;
	if (m->own->has_reverse_name) {
		m->p->reverse_name = policies_name(m->ps, m->own->reverse_name);
		m->starved = m->starved || m->p->reverse_name == NULL;
	}
}

/* --- prefixes --------------------------------------------------------------------------------- */

/* The index of PREFIX in p, its suffix not compared; -1 if it is not there. */
static int
place(const struct policy *p, const struct pref64 *prefix)
{
	for (int i = 0; i < p->synth.n_prefixes; i++) {
		if (pref64_same(&p->synth.prefixes[i], prefix))
			return i;
	}
	return -1;
}

/* Append a prefix. Returns its index, or -1 with an error if there are too many. */
static int
append(struct making *m, const struct pref64 *prefix, unsigned line, const char *keyword)
{
	struct policy *p = m->p;

	if (p->synth.n_prefixes == POLICY_MAX_PREFIXES) {
		diag_error(m->d, line, keyword,
		    "there can be %d prefixes at most, those of map lines included",
		    POLICY_MAX_PREFIXES);
		return -1;
	}
	p->synth.prefixes[p->synth.n_prefixes] = *prefix;
	p->mapped_only[p->synth.n_prefixes] = false;
	m->lines[p->synth.n_prefixes] = line;
	return p->synth.n_prefixes++;
}

static void
repeated_prefix(const struct making *m, const struct policy_lines_prefix *prefix)
{
	const struct policy_lines_prefix *first;
	char text[PREF64_TEXT], line[DIAG_LINE];

	/* More errors are not shown, so do not search for them. */
	if (m->d->n_errors > DIAG_MAX_ERRORS)
		return;
	first = policy_lines_find(&m->own->prefixes, &prefix->prefix);
	pref64_format(&prefix->prefix, text);
	diag_line(m->d, first->line, prefix->line, line);
	if (prefix->state == first->state)
		diag_error(m->d, prefix->line, "dns64-prefix", "'%s' is at %s already", text, line);
	else
		diag_error(m->d, prefix->line, "dns64-prefix",
		    "'%s' is %s here and %s at %s; only one of them can hold", text,
		    policy_state_word(prefix->state), policy_state_word(first->state), line);
}

/* Are the prefixes of the policy those of prefix-file? */
static bool
are_saved(const struct making *m)
{
	return (m->own->prefixes.n > 0 ? m->own : m->all)->saved.n > 0;
}

static void
add_prefixes(struct making *m)
{
	const struct policy_lines_prefix *prefix = m->own->prefixes.items;
	bool active = false;

	m->p->synth.n_prefixes = 0;
	for (size_t i = 0; i < m->own->prefixes.n; i++) {
		active = active || prefix[i].state == POLICY_ACTIVE;
		if (place(m->p, &prefix[i].prefix) >= 0)
			repeated_prefix(m, &prefix[i]);
		else if (append(m, &prefix[i].prefix, prefix[i].line, "dns64-prefix") < 0)
			return;
	}
	if (!active && m->own->prefixes.n > 0)
		diag_warning(m->d, prefix[0].line, "dns64-prefix",
		    "no prefix is active: %s DNS64 only where a map line names one",
		    is_first(m) ? "there is" : "the clients of this block have");
}

static void
own_prefixes(struct making *m)
{
	const struct places *places = m->d->places;
	const char *file = m->d->file;

	if (are_saved(m)) {
		m->d->file = m->s->prefix_file;
		m->d->places = NULL;
	}
	add_prefixes(m);
	m->d->places = places;
	m->d->file = file;
}

/* Copy the prefixes of policy 0, with or without those that only map lines name. */
static void
inherit_prefixes(struct making *m, bool mapped_too)
{
	const struct policy *from = &m->ps->table[0];
	uint8_t n = 0;

	while (n < from->synth.n_prefixes && (mapped_too || !from->mapped_only[n]))
		n++;
	m->p->synth.n_prefixes = n;
	memcpy(m->p->synth.prefixes, from->synth.prefixes, n * sizeof(from->synth.prefixes[0]));
	memcpy(m->p->mapped_only, from->mapped_only, n * sizeof(from->mapped_only[0]));
	memcpy(m->lines, m->all_lines, n * sizeof(m->lines[0]));
}

/* Set the suffix of all prefixes (RFC 6052 section 2.2). */
static void
take_suffix(struct making *m)
{
	const struct policy_lines *from = m->own->has_suffix ? m->own : m->all;
	char text[PREF64_TEXT], line[DIAG_LINE], where[DIAG_LINE + 32];

	if (!from->has_suffix)
		return;
	for (size_t i = 0; i < m->p->synth.n_prefixes; i++) {
		if (pref64_set_suffix(&m->p->synth.prefixes[i], from->suffix))
			continue;
		if (are_saved(m))
			snprintf(where, sizeof(where), "line %u of prefix-file", m->lines[i]);
		else
			snprintf(where, sizeof(where), "%s",
			    diag_line(m->d, m->lines[i], from->suffix_line, line));
		diag_error(m->d, from->suffix_line, "dns64-suffix",
		    "does not fit the prefix %s (%s); allowed are bits behind the IPv4 address, "
		    "which a /96 does not have, but for bits 64 to 71",
		    pref64_format(&m->p->synth.prefixes[i], text),
		    m->lines[i] > 0 ? where : "the default");
	}
}

/* --- IPv4 networks ---------------------------------------------------------------------------- */

/* The value of R's network in the IPv4 map; its prefix is appended if it is not there. */
static bool
value_of(struct making *m, const struct policy_lines_range *r, uint32_t *value)
{
	int at;

	*value = SYNTH_NEVER;
	if (r->never)
		return true;
	at = place(m->p, &r->via);
	if (at < 0) {
		at = append(m, &r->via, r->line, "map");
		if (at < 0)
			return false;
		m->p->mapped_only[at] = true;
	}
	*value = SYNTH_VIA + (uint32_t)at;
	return true;
}

/* Add to V4 the lines of FROM of the given kinds whose networks have no line yet. */
static void
add_ranges(struct making *m, struct netmap *v4, const struct policy_lines *from,
    const bool kinds[static POLICY_LINES_RANGE_KINDS])
{
	static const char *const names[] = {
		[POLICY_LINES_EXCLUDE_A] = "exclude-a", [POLICY_LINES_MAP] = "map"
	};
	const struct policy_lines_range *r = from->ranges.items;
	char text[VALUE_NET_TEXT], line[DIAG_LINE];
	uint32_t value;

	for (size_t i = 0; i < from->ranges.n; i++, r++) {
		unsigned before = netmap_get(&m->ranges, &r->net, 0);

		if (!kinds[r->kind])
			continue;
		if (before > 0) {
			if (from == m->own)
				diag_error(m->d, r->line, names[r->kind],
				    "'%s' has a line already, %s; there can be one",
				    value_net_format(&r->net, text),
				    diag_line(m->d, before, r->line, line));
			continue;
		}
		if (!value_of(m, r, &value))
			return;
		if (netmap_set(&m->ranges, &r->net, r->line) != 0 ||
		    netmap_set(v4, &r->net, policy_value(value, r->line)) != 0)
			m->starved = true;
	}
}

static bool
has_via(const struct policy_lines *lines)
{
	const struct policy_lines_range *r = lines->ranges.items;

	for (size_t i = 0; i < lines->ranges.n; i++) {
		if (!r[i].never)
			return true;
	}
	return false;
}

static void
make_ranges(struct making *m)
{
	const bool all[POLICY_LINES_RANGE_KINDS] = { true, true };
	bool others[POLICY_LINES_RANGE_KINDS];
	struct netmap *v4 = policies_v4(m->ps);

	if (v4 == NULL) {
		m->starved = true;
		return;
	}
	netmap_init(&m->ranges);
	add_ranges(m, v4, m->own, all);
	for (size_t i = 0; i < POLICY_LINES_RANGE_KINDS; i++)
		others[i] = m->own->n_ranges[i] == 0;
	if (!is_first(m))
		add_ranges(m, v4, m->all, others);
	netmap_fini(&m->ranges);
	m->p->synth.v4 = v4;
}

/* Set the states of the prefixes of P, the policy of block L, as its lines have them (RULES D15),
 * and their weights. */
static void
take_states(const struct settings *s, const struct policy_lines *l, struct policy *p)
{
	for (size_t i = 0; i < p->synth.n_prefixes; i++) {
		const struct policy_lines_prefix *says = policy_lines_state(
		    s->policy_lines, l, &p->synth.prefixes[i], p->mapped_only[i]);

		p->states[i] = (uint8_t)(says != NULL ? says->state : POLICY_ACTIVE);
		p->choice.weights[i] = says != NULL ? says->weight : PREFIX_CHOICE_WEIGHT;
		p->causes[i] =
		    (uint8_t)(says == NULL || says->from == POLICY_LINES_CONF ? POLICY_CONFIGURED
									      : POLICY_OPERATOR);
	}
}

/* Lower the states of all of PS, which are those of the lines, by what is reported of prefixes. */
static void
take_reports(const struct settings *s, struct policies *ps)
{
	for (size_t i = 0; i < ps->n; i++) {
		prefix_states_lower(s->prefix_states,
		    policy_lines_group(s->policy_lines, policy_lines_at(s->policy_lines, i)),
		    &ps->table[i]);
		policy_settle(&ps->table[i]);
	}
}

/* Make the prefixes, and the map of IPv4 networks that are not under all of them. */
static void
take_prefixes(struct making *m)
{
	bool own = m->own->prefixes.n > 0, own_ranges = m->own->ranges.n > 0;

	/* The map has indices of prefixes: with other prefixes it cannot be shared. */
	bool shared = !is_first(m) && !own_ranges && (!own || !has_via(m->all));

	if (own || is_first(m))
		own_prefixes(m);
	else
		inherit_prefixes(m, shared);
	if (shared)
		m->p->synth.v4 = m->ps->table[0].synth.v4;
	else if (m->own->ranges.n > 0 || m->all->ranges.n > 0)
		make_ranges(m);
	take_states(m->s, m->own, m->p);
	if (own || !shared || m->own->has_suffix)
		take_suffix(m);
	if (is_first(m))
		memcpy(m->all_lines, m->lines, sizeof(m->lines));
}

/* --- AAAA ------------------------------------------------------------------------------------- */

static void
repeated_exclusion(struct making *m, size_t at)
{
	const struct policy_lines_net *n = m->own->excluded.items;
	char text[VALUE_NET_TEXT], line[DIAG_LINE];

	/* More errors are not shown, so do not search for them. */
	if (m->d->n_errors > DIAG_MAX_ERRORS)
		return;
	for (size_t i = 0; i < at; i++) {
		if (memcmp(&n[i].net, &n[at].net, sizeof(n[i].net)) != 0)
			continue;
		diag_error(m->d, n[at].line, "exclude-aaaa", "'%s' is at %s already",
		    value_net_format(&n[at].net, text),
		    diag_line(m->d, n[i].line, n[at].line, line));
		return;
	}
}

static void
take_excluded(struct making *m)
{
	const struct policy_lines_net *n = m->own->excluded.items;
	struct netmap *excluded;

	m->p->synth.excluded = m->ps->table[0].synth.excluded;
	if (m->own->excluded.n == 0 && !m->own->excluded_none)
		return;
	excluded = policies_excluded(m->ps, !m->own->excluded_none);
	m->p->synth.excluded = excluded;
	m->starved = m->starved || excluded == NULL;
	for (size_t i = 0; i < m->own->excluded.n && !m->starved; i++) {
		if (netmap_get(excluded, &n[i].net, 0) != 0)
			repeated_exclusion(m, i); /* finds nothing if it is the default */
		m->starved = netmap_set(excluded, &n[i].net, policy_value(1, n[i].line)) != 0;
	}
}

/* --- zones ------------------------------------------------------------------------------------ */

static const char *const zone_keywords[] = {
	[POLICY_ZONE_NEVER] = "never-synthesize", [POLICY_ZONE_IGNORE_AAAA] = "ignore-aaaa"
};

static void
repeated_zone(struct making *m, size_t at)
{
	const struct policy_lines_zone *z = m->own->zones.items;
	char text[NAME_TEXT], line[DIAG_LINE];

	if (m->d->n_errors > DIAG_MAX_ERRORS)
		return;
	for (size_t i = 0; i < at; i++) {
		if (!name_equal(z[i].name, z[at].name))
			continue;
		diag_error(m->d, z[at].line, zone_keywords[z[at].kind],
		    "'%s' has %s at %s already; there can be one of them",
		    name_to_text(z[at].name, text), zone_keywords[z[i].kind],
		    diag_line(m->d, z[i].line, z[at].line, line));
		return;
	}
}

/* A notice if the zone is in a special one, which is answered before zones count (RULES D13). */
static void
tell_special(struct making *m, const struct policy_lines_zone *z)
{
	char text[NAME_TEXT], special[NAME_TEXT];
	struct zonemap_path path;
	uint32_t kind;
	size_t at;

	zonemap_path(&path, z->name, name_len(z->name));
	kind = zonemap_find(m->ps->common.special, &path, &at);
	if (kind == ZONEMAP_NONE || (kind == SPECIAL_LOCAL_ZONE && !m->s->conf.core.local_zones))
		return;
	diag_notice(m->d, z->line, zone_keywords[z->kind],
	    "'%s' has no effect: the special names at and below %s are answered here",
	    name_to_text(z->name, text), name_to_text(z->name + at, special));
}

static void
add_zones(struct making *m, struct zonemap *zones, const struct policy_lines *from,
    const bool kinds[static POLICY_LINES_ZONE_KINDS])
{
	const struct policy_lines_zone *z = from->zones.items;

	for (size_t i = 0; i < from->zones.n; i++) {
		int rc = kinds[z[i].kind]
		    ? zonemap_add(zones, z[i].name, policy_value(z[i].kind, z[i].line))
		    : 0;

		if (rc == -ENOMEM)
			m->starved = true;
		if (from != m->own)
			continue;
		if (rc == -EEXIST)
			repeated_zone(m, i);
		else
			tell_special(m, &z[i]);
	}
}

static void
take_zones(struct making *m)
{
	const bool all[POLICY_LINES_ZONE_KINDS] = { true, true };
	bool others[POLICY_LINES_ZONE_KINDS];
	struct zonemap *zones;

	m->p->zones = m->ps->table[0].zones;
	if (m->own->zones.n == 0)
		return;
	zones = policies_zones(m->ps);
	m->p->zones = zones;
	if (zones == NULL) {
		m->starved = true;
		return;
	}
	add_zones(m, zones, m->own, all);
	for (size_t i = 0; i < POLICY_LINES_ZONE_KINDS; i++)
		others[i] = m->own->n_zones[i] == 0;
	if (!is_first(m))
		add_zones(m, zones, m->all, others);
}

/* --- all of it -------------------------------------------------------------------------------- */

/* A hash of the networks of block L, in whichever order it names them; 0: of no block. */
static uint64_t
networks_of(const struct policy_lines *l)
{
	const struct policy_lines_net *n = l->nets.items;
	uint64_t sum = 0;

	for (size_t i = 0; i < l->nets.n; i++)
		sum += hash_bytes(&n[i].net, sizeof(n[i].net), 1);
	return sum;
}

/* Make all policies of m->ps, or, if they are a copy of BEFORE, not NULL, their prefixes. */
static void
make(struct making *m, const struct policies *before)
{
	m->all = policy_lines_at(m->s->policy_lines, 0);
	for (size_t i = 0; i < m->s->policy_lines->all.n && !m->starved; i++) {
		m->own = policy_lines_at(m->s->policy_lines, i);
		m->p = &m->ps->table[i];
		if (before == NULL) {
			take_values(m);
			m->p->networks = networks_of(m->own);
		}
		take_prefixes(m);
		if (before == NULL) {
			take_excluded(m);
			take_zones(m);
		}
	}
	if (before == NULL)
		m->starved = m->starved || !access_fill(m->ps, m->s, m->d);
	m->starved = m->starved || !orders_fill(m->s->orders, m->ps) || policies_finish(m->ps) != 0;
	if (m->starved)
		return;
	take_reports(m->s, m->ps);
	for (size_t i = 0; i < m->ps->n; i++)
		checks_fit(m->s->policy_lines, policy_lines_at(m->s->policy_lines, i),
		    &m->ps->table[i], m->d);
}

/* The policies of S. BEFORE, if not NULL, differs in prefixes only. */
static struct policies *
make_like(const struct settings *s, const struct policies *before, struct diag *d)
{
	struct making m = { .s = s, .d = d };
	unsigned n_errors = d->n_errors;

	m.ps = before != NULL ? policies_without_prefixes(before)
			      : policies_new(s->policy_lines->all.n);
	m.starved = m.ps == NULL;
	if (!m.starved)
		make(&m, before);
	if (m.starved)
		diag_no_memory(d, 0, NULL);
	if (d->n_errors == n_errors)
		return m.ps;
	policies_unref(m.ps);
	return NULL;
}

struct policies *
policies_make(const struct settings *s, struct diag *d)
{
	return make_like(s, NULL, d);
}

struct policies *
policies_change_prefixes(const struct settings *s, const struct policies *before, struct diag *d)
{
	return make_like(s, before, d);
}

struct policies *
policies_change_states(const struct settings *s, const struct policies *before)
{
	struct policies *ps = policies_copy(before);

	if (ps != NULL && !orders_fill(s->orders, ps)) {
		policies_unref(ps);
		return NULL;
	}
	for (size_t i = 0; ps != NULL && i < ps->n; i++)
		take_states(s, policy_lines_at(s->policy_lines, i), &ps->table[i]);
	if (ps != NULL)
		take_reports(s, ps);
	return ps;
}
