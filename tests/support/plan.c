/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dns/name.h"
#include "dns64/synth.h"

#define WORDS 16
#define LINE 1024

/* The policy being read. */
struct reading {
	struct policies *ps;
	struct policy *p;
	unsigned number;
	/* Its own: a list begun in a block takes the place of the one outside. */
	struct netmap *v4;
	struct netmap *excluded;
	struct zonemap *zones;
};

static void
bad(const char *what)
{
	fprintf(stderr, "plan: %s\n", what);
	abort();
}

struct net
plan_net(const char *text)
{
	char addr[64];
	struct netaddr a;
	struct net net = { .len = 0 };
	const char *slash = strchr(text, '/');

	if (slash == NULL || slash - text >= (int)sizeof(addr))
		bad(text);
	snprintf(addr, sizeof(addr), "%.*s", (int)(slash - text), text);
	if (!netaddr_parse(addr, 0, &a))
		bad(text);
	memcpy(net.addr, a.addr, sizeof(net.addr));
	net.family = a.family;
	net.len = (uint8_t)atoi(slash + 1);
	return net;
}

/* The place of W in LIST, which ends with NULL. */
static uint8_t
place(const char *w, const char *const *list)
{
	for (uint8_t i = 0; list[i] != NULL; i++) {
		if (w != NULL && strcmp(w, list[i]) == 0)
			return i;
	}
	bad(w != NULL ? w : "a word is missing");
	return 0;
}

static struct netmap *
own_v4(struct reading *r)
{
	if (r->v4 == NULL)
		r->v4 = policies_v4(r->ps);
	if (r->v4 == NULL)
		bad("memory");
	r->p->synth.v4 = r->v4;
	return r->v4;
}

static void
read_prefix(struct reading *r, const char *text, const char *state)
{
	static const char *const states[] = { "active", "drain", "down", NULL };
	struct policy *p = r->p;

	if (pref64_parse(text, &p->synth.prefixes[p->synth.n_prefixes]) != PREF64_OK)
		bad(text);
	p->states[p->synth.n_prefixes] = state != NULL ? place(state, states) : POLICY_ACTIVE;
	p->mapped_only[p->synth.n_prefixes] = false;
	p->synth.n_prefixes++;
}

static void
read_exclude(struct reading *r, const char *text)
{
	bool none = strcmp(text, "none") == 0;
	struct net net;

	if (r->excluded == NULL)
		r->excluded = policies_excluded(r->ps, !none);
	if (r->excluded == NULL)
		bad("memory");
	r->p->synth.excluded = r->excluded;
	if (none)
		return;
	net = plan_net(text);
	if (netmap_set(r->excluded, &net, 1) != 0)
		bad(text);
}

static void
read_map(struct reading *r, const char *from, const char *to)
{
	struct net net = plan_net(from);
	struct policy *p = r->p;
	uint32_t verdict = SYNTH_NEVER;
	struct pref64 prefix;

	if (strcmp(to, "none") != 0) {
		unsigned i = 0;

		if (pref64_parse(to, &prefix) != PREF64_OK)
			bad(to);
		while (i < p->synth.n_prefixes &&
		    (p->synth.prefixes[i].len != prefix.len ||
			memcmp(p->synth.prefixes[i].addr, prefix.addr, 16) != 0))
			i++;
		verdict = SYNTH_VIA + i;
		if (i == p->synth.n_prefixes) {
			read_prefix(r, to, NULL);
			p->mapped_only[i] = true;
		}
	}
	if (netmap_set(own_v4(r), &net, verdict) != 0)
		bad(from);
}

static void
read_zone(struct reading *r, const char *text, enum policy_zone verdict)
{
	uint8_t name[DNS_NAME_MAX];

	if (r->zones == NULL)
		r->zones = policies_zones(r->ps);
	if (r->zones == NULL || name_from_text(text, name) == 0 ||
	    zonemap_add(r->zones, name, verdict) != 0)
		bad(text);
	r->p->zones = r->zones;
}

static uint8_t
read_bits(char **w, unsigned n, const char *const *list)
{
	uint8_t bits = 0;

	for (unsigned i = 1; i < n; i++)
		bits |= (uint8_t)(1 << place(w[i], list));
	return bits;
}

/* Keywords with one word. False: another one. */
static bool
read_word(struct reading *r, const char *keyword, const char *w)
{
	static const char *const how[] = { "never", "normal", "always", NULL };
	static const char *const families[] = { "both", "ipv6", "ipv4", NULL };
	static const char *const choices[] = { "all", "round-robin", "client-hash", NULL };
	static const char *const svcb[] = { "cached", "resolve", "off", NULL };
	uint8_t name[DNS_NAME_MAX];
	struct policy *p = r->p;

	if (strcmp(keyword, "synthesize") == 0) {
		p->synthesize = place(w, how);
	} else if (strcmp(keyword, "dns64-for") == 0) {
		p->family = place(w, families);
	} else if (strcmp(keyword, "prefix-selection") == 0) {
		p->selection = place(w, choices);
	} else if (strcmp(keyword, "svcb") == 0) {
		p->svcb = place(w, svcb);
	} else if (strcmp(keyword, "max-synthesized") == 0) {
		p->synth.max = (uint16_t)atoi(w);
	} else if (strcmp(keyword, "reverse-local") == 0) {
		p->reverse = POLICY_REVERSE_LOCAL;
		if (name_from_text(w, name) == 0)
			bad(w);
		p->reverse_name = policies_name(r->ps, name);
	} else if (strcmp(keyword, "suffix") == 0) {
		struct netaddr a;

		if (!netaddr_parse(w, 0, &a))
			bad(w);
		for (unsigned i = 0; i < p->synth.n_prefixes; i++) {
			if (!pref64_set_suffix(&p->synth.prefixes[i], a.addr))
				bad(w);
		}
	} else {
		return false;
	}
	return true;
}

/* Keywords with a list of values. False: another one. */
static bool
read_list(struct reading *r, char **w, unsigned n)
{
	static const char *const triggers[] = { "nodata", "error", "timeout", NULL };
	static const char *const edes[] = { "relay", "synthesized", "upstream", "policy", NULL };
	bool exclude = strcmp(w[0], "exclude") == 0;
	bool exclude_a = strcmp(w[0], "exclude-a") == 0;
	bool ignore = strcmp(w[0], "ignore-aaaa") == 0;
	bool never = strcmp(w[0], "never-synthesize") == 0;

	if (strcmp(w[0], "synthesize-on") == 0)
		r->p->triggers = read_bits(w, n, triggers);
	else if (strcmp(w[0], "ede") == 0)
		r->p->ede = read_bits(w, n, edes);
	else if (!exclude && !exclude_a && !ignore && !never)
		return false;
	for (unsigned i = 1; i < n; i++) {
		if (exclude)
			read_exclude(r, w[i]);
		else if (exclude_a)
			read_map(r, w[i], "none");
		else if (ignore || never)
			read_zone(r, w[i], ignore ? POLICY_ZONE_IGNORE_AAAA : POLICY_ZONE_NEVER);
	}
	return true;
}

static void
read_line(struct reading *r, char **w, unsigned n)
{
	if (strcmp(w[0], "hide-a") == 0)
		r->p->hide_a = true;
	else if (strcmp(w[0], "any-minimal") == 0)
		r->p->any_minimal = true;
	else if (strcmp(w[0], "no-prefix-servfail") == 0)
		r->p->servfail_without_prefix = true;
	else if (strcmp(w[0], "prefix") == 0 && n > 1)
		read_prefix(r, w[1], n > 2 ? w[2] : NULL);
	else if (strcmp(w[0], "rate-limit-factor") == 0 && n == 2)
		r->p->rate_factor = (uint32_t)atoi(w[1]);
	else if (strcmp(w[0], "map") == 0 && n == 3)
		read_map(r, w[1], w[2]);
	else if (!(n == 2 && read_word(r, w[0], w[1])) && !read_list(r, w, n))
		bad(w[0]);
}

static unsigned
split(char *line, char **w)
{
	char *at = line;
	unsigned n = 0;

	for (char *word; (word = strsep(&at, " \t")) != NULL && n < WORDS;) {
		if (*word != '\0')
			w[n++] = word;
	}
	return n;
}

static void
add_nets(struct netmap *m, char **w, unsigned n, uint32_t value)
{
	for (unsigned i = 1; i < n; i++) {
		struct net net = plan_net(w[i]);

		if (netmap_add(m, &net, value) != 0)
			bad(w[i]);
	}
}

/* A block begins: what is not said in it is as outside. */
static void
begin_block(struct reading *r, char **w, unsigned n)
{
	r->number++;
	r->p = &r->ps->table[r->number];
	*r->p = r->ps->table[0];
	r->v4 = NULL;
	r->excluded = NULL;
	r->zones = NULL;
	add_nets(&r->ps->clients, w, n, policies_value(r->number, POLICY_SERVED));
}

/* A list of prefixes in a block takes the place of the one outside. */
static bool
is_first_prefix(const struct reading *r, const char *keyword)
{
	return strcmp(keyword, "prefix") == 0 && r->number > 0 && r->p->synth.n_prefixes > 0 &&
	    memcmp(r->p->synth.prefixes, r->ps->table[0].synth.prefixes,
		sizeof(r->p->synth.prefixes)) == 0;
}

/* The lines outside of blocks, or those inside. */
static void
read_lines(struct reading *r, const char *const *lines, size_t n_lines, bool inside)
{
	bool in_block = false;

	for (size_t i = 0; i < n_lines; i++) {
		char line[LINE], *w[WORDS];
		unsigned n;

		snprintf(line, sizeof(line), "%s", lines[i]);
		n = split(line, w);
		if (n == 0)
			continue;
		if (strcmp(w[0], "client") == 0 || strcmp(w[0], "end") == 0) {
			in_block = w[0][0] == 'c';
			if (in_block && inside)
				begin_block(r, w, n);
		} else if (in_block != inside) {
			continue;
		} else if (strcmp(w[0], "allow") == 0) {
			r->ps->others = policies_value(0, POLICY_STRANGER);
			add_nets(&r->ps->clients, w, n, policies_value(0, POLICY_SERVED));
		} else if (strcmp(w[0], "deny") == 0) {
			add_nets(&r->ps->clients, w, n, policies_value(0, POLICY_DENIED));
		} else if (strcmp(w[0], "deny-drop") == 0) {
			r->ps->ignores = true;
			add_nets(&r->ps->clients, w, n, policies_value(0, POLICY_IGNORED));
		} else if (strcmp(w[0], "rate-limit-exempt") == 0) {
			add_nets(&r->ps->exempt, w, n, 1);
		} else {
			if (is_first_prefix(r, w[0]))
				r->p->synth.n_prefixes = 0;
			read_line(r, w, n);
		}
	}
}

struct policies *
plan_policies(const char *const *lines, size_t n)
{
	struct reading r = { .number = 0 };
	size_t n_policies = 1;

	for (size_t i = 0; i < n; i++)
		n_policies += strncmp(lines[i], "client ", 7) == 0;
	r.ps = policies_new(n_policies);
	if (r.ps == NULL)
		bad("memory");
	r.p = &r.ps->table[0];
	read_lines(&r, lines, n, false);
	read_lines(&r, lines, n, true);
	if (policies_finish(r.ps) != 0)
		bad("memory");
	return r.ps;
}

struct policies *
plan_one(const char *line)
{
	return plan_policies(&line, 1);
}
