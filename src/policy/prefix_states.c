/* SPDX-License-Identifier: BSD-2-Clause */
#include "policy/prefix_states.h"

#include <stdlib.h>
#include <string.h>

struct prefix_states {
	struct prefix_report *of; /* owned: room for n, rounded up to a power of two, or more */
	size_t n;
	uint64_t turn;
};

struct prefix_states *
prefix_states_new(void)
{
	return calloc(1, sizeof(struct prefix_states));
}

void
prefix_states_free(struct prefix_states *t)
{
	if (t == NULL)
		return;
	free(t->of);
	free(t);
}

struct prefix_report *
prefix_states_find(const struct prefix_states *t, enum policy_cause cause, uint64_t group,
    const struct pref64 *prefix)
{
	for (size_t i = 0; t != NULL && i < t->n; i++) {
		if (t->of[i].group == group && t->of[i].cause == cause &&
		    pref64_same(&t->of[i].prefix, prefix))
			return &t->of[i];
	}
	return NULL;
}

/* A report more, whose content is not set; the room doubles each time it may be used up. */
static struct prefix_report *
append(struct prefix_states *t)
{
	if ((t->n & (t->n - 1)) == 0) {
		struct prefix_report *more =
		    reallocarray(t->of, t->n == 0 ? 1 : 2 * t->n, sizeof(*more));

		if (more == NULL)
			return NULL;
		t->of = more;
	}
	return &t->of[t->n++];
}

bool
prefix_states_put(struct prefix_states *t, const struct prefix_report *r)
{
	struct prefix_report *at = prefix_states_find(t, r->cause, r->group, &r->prefix);

	if (at == NULL)
		at = append(t);
	if (at == NULL)
		return false;
	*at = *r;
	at->turn = ++t->turn;
	return true;
}

bool
prefix_states_adopt(
    struct prefix_states *t, enum policy_cause cause, uint64_t group, const struct pref64 *prefix)
{
	struct prefix_report r, *at;

	for (size_t i = 0; i < t->n; i++) {
		r = t->of[i];
		if (r.cause != cause || r.state != POLICY_DOWN || !pref64_same(&r.prefix, prefix))
			continue;
		at = append(t);
		if (at == NULL)
			return false;
		r.group = group;
		*at = r;
		return true;
	}
	return true;
}

size_t
prefix_states_drop(struct prefix_states *t, enum policy_cause cause,
    bool (*keep)(const void *arg, const struct prefix_report *r), const void *arg)
{
	size_t n = 0, before = t->n;

	for (size_t i = 0; i < t->n; i++) {
		if (t->of[i].cause != cause || keep(arg, &t->of[i]))
			t->of[n++] = t->of[i];
	}
	t->n = n;
	return before - n;
}

/* The index of the prefix of P, not one of map lines only, that R is about; -1: none. */
static int
place(const struct policy *p, const struct prefix_report *r)
{
	for (int i = 0; i < p->synth.n_prefixes; i++) {
		if (!p->mapped_only[i] && pref64_same(&p->synth.prefixes[i], &r->prefix))
			return i;
	}
	return -1;
}

/* What reports say of each prefix of a policy; NULL: nothing lower than its lines. */
typedef const struct prefix_report *lowest[POLICY_MAX_PREFIXES];

static void
collect(const struct prefix_states *t, uint64_t group, const struct policy *p, lowest low)
{
	bool any = false;

	for (size_t i = 0; t != NULL && i < t->n && !any; i++)
		any = t->of[i].group == group;
	for (size_t i = 0; t != NULL && i < t->n; i++) {
		const struct prefix_report *r = &t->of[i];
		/* A group whose targets were not asked yet goes by what others found. */
		int at = r->group == group || !any ? place(p, r) : -1;

		if (at >= 0 && r->state > p->states[at] &&
		    (low[at] == NULL || r->state > low[at]->state))
			low[at] = r;
	}
}

/* The prefix of P that stays, if LOW would leave none active that is by the lines; -1: none does.
 */
static int
last_one(const struct policy *p, const lowest low)
{
	int last = -1;

	for (int i = 0; i < p->synth.n_prefixes; i++) {
		if (p->mapped_only[i] || p->states[i] != POLICY_ACTIVE)
			continue;
		if (low[i] == NULL)
			return -1;
		if (last < 0 || low[i]->turn > low[last]->turn)
			last = i;
	}
	return last;
}

void
prefix_states_lower(const struct prefix_states *t, uint64_t group, struct policy *p)
{
	lowest low = { NULL };
	int last;

	p->held = POLICY_NONE_HELD;
	if (group == 0)
		return;
	collect(t, group, p, low);
	last = last_one(p, low);
	if (last >= 0)
		p->held = (uint8_t)last;
	for (int i = 0; i < p->synth.n_prefixes; i++) {
		if (low[i] == NULL || i == last)
			continue;
		p->states[i] = (uint8_t)low[i]->state;
		p->causes[i] = (uint8_t)low[i]->cause;
	}
}
