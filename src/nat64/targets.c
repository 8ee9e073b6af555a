/* SPDX-License-Identifier: BSD-2-Clause */
#include "nat64/targets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/checks.h"
#include "policy/policy.h"

/* --- What is asked ---------------------------------------------------------------------------- */

struct targets_group *
targets_find(const struct targets *t, uint64_t key)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->groups[i].key == key)
			return &t->groups[i];
	}
	return NULL;
}

int
targets_find_prefix(const struct targets_group *g, const struct pref64 *prefix)
{
	for (size_t k = 0; k < g->n_prefixes; k++) {
		if (pref64_same(&g->prefixes[k].prefix, prefix))
			return (int)k;
	}
	return -1;
}

/* A new group of T, of KEY, with the targets CHECKS. NULL without memory. */
static struct targets_group *
add_group(struct targets *t, uint64_t key, const struct array *checks)
{
	const struct policy_lines_check *c = checks->items;
	struct targets_group *more = reallocarray(t->groups, t->n + 1, sizeof(*more)), *g;

	if (more == NULL)
		return NULL;
	t->groups = more;
	g = memset(&more[t->n++], 0, sizeof(*g));
	g->key = key;
	g->n_targets = checks->n;
	for (size_t i = 0; i < checks->n; i++)
		g->targets[i].check = c[i];
	return g;
}

/* Let G have the prefix P[I] of a policy, if there is room. */
static void
add_prefix(struct targets *t, struct targets_group *g, const struct policy *p, size_t i)
{
	if (p->mapped_only[i] || targets_find_prefix(g, &p->synth.prefixes[i]) >= 0)
		return;
	if (g->n_prefixes == POLICY_MAX_PREFIXES || t->n_pairs + g->n_targets > TARGETS_MOST) {
		t->cut = true;
		return;
	}
	g->prefixes[g->n_prefixes++].prefix = p->synth.prefixes[i];
	t->n_pairs += g->n_targets;
}

static bool
add_policy(struct targets *t, const struct settings *s, size_t i)
{
	const struct policy_lines *l = policy_lines_at(s->policy_lines, i);
	const struct policy *p = &s->conf.core.policies->table[i];
	uint64_t key = policy_lines_group(s->policy_lines, l);
	struct targets_group *g;

	if (key == 0)
		return true;
	g = targets_find(t, key);
	if (g == NULL)
		g = add_group(t, key, policy_lines_checks(s->policy_lines, l));
	if (g == NULL)
		return false;
	for (size_t k = 0; k < p->synth.n_prefixes; k++)
		add_prefix(t, g, p, k);
	return true;
}

/* Let G have the health that the same had in BEFORE. */
static void
keep_health(struct targets_group *g, const struct targets_group *before)
{
	for (size_t i = 0; i < g->n_targets; i++) {
		/* In whichever order the lines stood: the key is the same. */
		for (size_t k = 0; k < before->n_targets; k++) {
			const struct policy_lines_check *a = &g->targets[i].check;
			const struct policy_lines_check *b = &before->targets[k].check;
			char one[CHECKS_TEXT], other[CHECKS_TEXT];

			if (strcmp(checks_format(a, one), checks_format(b, other)) == 0)
				g->targets[i].health = before->targets[k].health;
		}
	}
	for (size_t k = 0; k < g->n_prefixes; k++) {
		int at = targets_find_prefix(before, &g->prefixes[k].prefix);

		if (at < 0)
			continue;
		g->prefixes[k].health = before->prefixes[at].health;
		memcpy(g->prefixes[k].why, before->prefixes[at].why, sizeof(g->prefixes[k].why));
	}
}

/* Let the prefixes of G, a new group, have the health that those had in T which failed. */
static void
take_health(struct targets_group *g, const struct targets *t)
{
	for (size_t k = 0; k < g->n_prefixes; k++) {
		struct targets_prefix *p = &g->prefixes[k];

		for (size_t i = 0; i < t->n && health_passes(&p->health); i++) {
			int at = targets_find_prefix(&t->groups[i], &p->prefix);

			if (at >= 0)
				*p = t->groups[i].prefixes[at];
		}
	}
}

bool
targets_make(struct targets *t, const struct settings *s)
{
	struct targets next = { .n = 0 };

	for (size_t i = 0; i < s->policy_lines->all.n; i++) {
		if (add_policy(&next, s, i))
			continue;
		targets_fini(&next);
		return false;
	}
	for (size_t i = 0; i < next.n; i++) {
		const struct targets_group *before = targets_find(t, next.groups[i].key);

		if (before != NULL)
			keep_health(&next.groups[i], before);
		else
			take_health(&next.groups[i], t);
	}
	targets_fini(t);
	*t = next;
	return true;
}

void
targets_fini(struct targets *t)
{
	free(t->groups);
	*t = (struct targets){ .n = 0 };
}

/* --- A round ---------------------------------------------------------------------------------- */

void
targets_answer(struct targets_group *g, size_t i, size_t k)
{
	g->seen[i] = true;
	g->prefixes[k].answered = true;
}

void
targets_skip(struct targets_group *g, size_t k)
{
	g->prefixes[k].unasked = true;
}

void
targets_fail(struct targets_group *g, size_t i, size_t k, const char *error)
{
	char text[CHECKS_TEXT];

	snprintf(g->prefixes[k].why, sizeof(g->prefixes[k].why), "%.60s: %s",
	    checks_format(&g->targets[i].check, text), error);
}

/* Judge the targets of G. Returns whether one of them has answered. */
static bool
judge_targets(struct targets_group *g, const struct health_rules *r, uint64_t now_ns,
    const struct targets_tell *tell)
{
	bool any = false;

	for (size_t i = 0; i < g->n_targets; i++) {
		any = any || g->seen[i];
		if (health_take(&g->targets[i].health, r, g->seen[i], now_ns))
			tell->target(tell->arg, g, i);
		g->seen[i] = false;
	}
	return any;
}

void
targets_end_round(struct targets_group *g, const struct health_rules *r, uint64_t now_ns,
    const struct targets_tell *tell)
{
	bool any = judge_targets(g, r, now_ns, tell);

	for (size_t k = 0; k < g->n_prefixes; k++) {
		struct targets_prefix *p = &g->prefixes[k];

		if (any && (p->answered || !p->unasked) &&
		    health_take(&p->health, r, p->answered, now_ns))
			tell->prefix(tell->arg, g, k);
		p->answered = p->unasked = false;
	}
}
