/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/policy_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dns/name.h"

struct policy_lines_list *
policy_lines_new(void)
{
	struct policy_lines_list *list = calloc(1, sizeof(*list));

	if (list == NULL || array_add(&list->all, sizeof(struct policy_lines)) != NULL)
		return list;
	free(list);
	return NULL;
}

static void
fini(struct policy_lines *l)
{
	struct policy_lines_zone *zones = l->zones.items;

	for (size_t i = 0; i < l->zones.n; i++)
		free(zones[i].name);
	array_fini(&l->nets);
	array_fini(&l->prefixes);
	array_fini(&l->saved);
	array_fini(&l->vias);
	array_fini(&l->saved_vias);
	array_fini(&l->checks);
	array_fini(&l->excluded);
	array_fini(&l->ranges);
	array_fini(&l->zones);
}

void
policy_lines_free(struct policy_lines_list *list)
{
	if (list == NULL)
		return;
	for (size_t i = 0; i < list->all.n; i++)
		fini(policy_lines_at(list, i));
	array_fini(&list->all);
	array_fini(&list->allow);
	array_fini(&list->deny);
	array_fini(&list->ignore);
	array_fini(&list->usual);
	array_fini(&list->exempt);
	free(list);
}

struct policy_lines *
policy_lines_at(const struct policy_lines_list *list, size_t i)
{
	struct policy_lines *all = list->all.items;

	return &all[i];
}

struct policy_lines *
policy_lines_of(const struct policy_lines_list *list, const struct net *net)
{
	for (size_t i = 1; i < list->all.n; i++) {
		struct policy_lines *l = policy_lines_at(list, i);
		const struct policy_lines_net *n = l->nets.items;

		for (size_t k = 0; k < l->nets.n; k++) {
			if (memcmp(&n[k].net, net, sizeof(*net)) == 0)
				return l;
		}
	}
	return NULL;
}

bool
policy_lines_copy(struct array *out, const struct array *in)
{
	const struct policy_lines_prefix *from = in->items;

	*out = (struct array){ .n = 0 };
	for (size_t i = 0; i < in->n; i++) {
		struct policy_lines_prefix *new = array_add(out, sizeof(*new));

		if (new == NULL) {
			array_fini(out);
			return false;
		}
		*new = from[i];
	}
	return true;
}

struct policy_lines_prefix *
policy_lines_find(const struct array *prefixes, const struct pref64 *prefix)
{
	struct policy_lines_prefix *all = prefixes->items;

	for (size_t i = 0; i < prefixes->n; i++) {
		if (pref64_same(&all[i].prefix, prefix))
			return &all[i];
	}
	return NULL;
}

char *
policy_lines_words(const struct policy_lines_prefix *p, char text[static POLICY_LINES_WORDS])
{
	const char *state = policy_state_word(p->state);

	if (p->weight == PREFIX_CHOICE_WEIGHT)
		(void)snprintf(text, POLICY_LINES_WORDS, "%s", state);
	else
		(void)snprintf(
		    text, POLICY_LINES_WORDS, "%s weight %u", state, (unsigned)p->weight);
	return text;
}

const struct policy_lines_prefix *
policy_lines_via(
    const struct policy_lines_list *list, const struct policy_lines *l, const struct pref64 *prefix)
{
	const struct policy_lines *first = policy_lines_at(list, 0);
	const struct policy_lines_prefix *found = policy_lines_find(&l->vias, prefix);

	if (found == NULL)
		found = policy_lines_find(&first->vias, prefix);
	return found != NULL ? found : policy_lines_find(&first->prefixes, prefix);
}

const struct array *
policy_lines_in_force(const struct policy_lines_list *list, const struct policy_lines *l)
{
	return l->prefixes.n > 0 ? &l->prefixes : &policy_lines_at(list, 0)->prefixes;
}

const struct policy_lines_prefix *
policy_lines_state(const struct policy_lines_list *list, const struct policy_lines *l,
    const struct pref64 *prefix, bool mapped_only)
{
	return mapped_only ? policy_lines_via(list, l, prefix)
			   : policy_lines_find(policy_lines_in_force(list, l), prefix);
}

/* The block whose prefix-check lines count for block L. */
static const struct policy_lines *
checks_of(const struct policy_lines_list *list, const struct policy_lines *l)
{
	return l->checks.n > 0 || l->checks_none ? l : policy_lines_at(list, 0);
}

const struct array *
policy_lines_checks(const struct policy_lines_list *list, const struct policy_lines *l)
{
	return &checks_of(list, l)->checks;
}

uint64_t
policy_lines_group(const struct policy_lines_list *list, const struct policy_lines *l)
{
	return checks_of(list, l)->group;
}

struct policy_lines *
policy_lines_now(const struct policy_lines_list *list)
{
	return policy_lines_at(list, list->open);
}

struct policy_lines *
policy_lines_open(struct policy_lines_list *list, unsigned line)
{
	struct policy_lines *l = array_add(&list->all, sizeof(*l));

	if (l == NULL)
		return NULL;
	l->line = line;
	list->open = list->all.n - 1;
	return l;
}

void
policy_lines_close(struct policy_lines_list *list)
{
	list->open = 0;
}

bool
policy_lines_add_range(struct policy_lines *l, const struct policy_lines_range *r)
{
	struct policy_lines_range *new = array_add(&l->ranges, sizeof(*new));

	if (new == NULL)
		return false;
	*new = *r;
	l->n_ranges[r->kind]++;
	return true;
}

bool
policy_lines_add_zone(struct policy_lines *l, const struct policy_lines_zone *z)
{
	size_t len = name_len(z->name);
	struct policy_lines_zone *new = array_add(&l->zones, sizeof(*new));

	if (new == NULL)
		return false;
	*new = *z;
	new->name = malloc(len);
	if (new->name == NULL) {
		l->zones.n--;
		return false;
	}
	memcpy(new->name, z->name, len);
	l->n_zones[z->kind]++;
	return true;
}
