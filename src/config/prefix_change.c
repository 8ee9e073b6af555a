/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/prefix_change.h"

#include <stdio.h>
#include <string.h>

#include "config/keywords.h"
#include "config/policies.h"
#include "config/prefix_file.h"
#include "config/set_prefix.h"
#include "config/values.h"

#define LIST_TEXT 256 /* bytes of what is allowed, in an error; the rest is "..." */

const char *
prefix_change_word(enum prefix_change_what what)
{
	static const char *const words[] = { [PREFIX_CHANGE_ADD] = "add",
		[PREFIX_CHANGE_DEL] = "del",
		[PREFIX_CHANGE_ACTIVE] = "active",
		[PREFIX_CHANGE_DRAIN] = "drain",
		[PREFIX_CHANGE_DOWN] = "down" };

	return words[what];
}

/* Append WORD to the list TEXT. */
static void
list(char text[static LIST_TEXT], const char *word)
{
	size_t len = strlen(text);

	if (len + strlen(word) + sizeof(", ...") < LIST_TEXT)
		snprintf(text + len, LIST_TEXT - len, "%s%s", len > 0 ? ", " : "", word);
	else if (len < 3 || strcmp(text + len - 3, "...") != 0)
		snprintf(text + len, LIST_TEXT - len, ", ...");
}

/* --- The block -------------------------------------------------------------------------------- */

static void
unknown_block(const struct settings *s, const char *client, struct diag *d)
{
	char nets[LIST_TEXT] = "", text[VALUE_NET_TEXT];

	for (size_t i = 1; i < s->policy_lines->all.n && strlen(nets) < LIST_TEXT - 60; i++) {
		const struct policy_lines_net *n = policy_lines_at(s->policy_lines, i)->nets.items;

		list(nets, value_net_format(&n[0].net, text));
	}
	diag_error(d, 0, "client", "there is no client block with '%s'%s%s", client,
	    nets[0] != '\0' ? "; there are those with " : "; there is none at all", nets);
}

/* The block that CLIENT names; NULL with an error. */
static struct policy_lines *
block_of(const struct settings *s, const char *client, struct diag *d)
{
	struct policy_lines *found;
	char text[VALUE_NET_TEXT];
	struct net net;

	if (client == NULL)
		return policy_lines_at(s->policy_lines, 0);
	switch (value_net(client, &net)) {
	case VALUE_NET_OK:
		break;
	case VALUE_NET_BAD:
		diag_error(d, 0, "client",
		    "'%s' is not an IPv4 or IPv6 network; allowed is one in the head of a client "
		    "block",
		    client);
		return NULL;
	case VALUE_NET_HOST_BITS:
		diag_error(d, 0, "client", "'%s' has bits set behind its length; did you mean %s?",
		    client, value_net_format(&net, text));
		return NULL;
	}
	found = policy_lines_of(s->policy_lines, &net);
	if (found == NULL)
		unknown_block(s, client, d);
	return found;
}

/* --- The change ------------------------------------------------------------------------------- */

/* A change that is being made. */
struct work {
	const struct settings *s;
	const struct prefix_change *c;
	time_t now;
	struct pref64 prefix;
	struct prefix_change_made *made;
	struct diag *d;
};

static const enum policy_state states[] = { [PREFIX_CHANGE_ACTIVE] = POLICY_ACTIVE,
	[PREFIX_CHANGE_DRAIN] = POLICY_DRAIN,
	[PREFIX_CHANGE_DOWN] = POLICY_DOWN };

static bool
add(struct array *prefixes, const struct pref64 *prefix, time_t now, struct diag *d)
{
	const struct policy_lines_prefix *there = policy_lines_find(prefixes, prefix);
	struct policy_lines_prefix *new;
	char text[PREF64_TEXT];

	if (there != NULL) {
		diag_error(d, 0, "dns64-prefix", "'%s' is there already, %s",
		    pref64_format(prefix, text), policy_state_word(there->state));
		return false;
	}
	new = array_add(prefixes, sizeof(*new));
	if (new == NULL)
		return diag_no_memory(d, 0, "dns64-prefix");
	*new = (struct policy_lines_prefix){ .prefix = *prefix,
		.state = POLICY_ACTIVE,
		.weight = PREFIX_CHOICE_WEIGHT,
		.from = POLICY_LINES_TOLD,
		.since = now };
	return true;
}

/* Append the prefixes of LIST that are not in THERE yet. */
static void
list_prefixes(char there[static LIST_TEXT], const struct array *prefixes)
{
	const struct policy_lines_prefix *p = prefixes->items;
	char text[PREF64_TEXT];

	for (size_t i = 0; i < prefixes->n; i++) {
		const char *at = strstr(there, pref64_format(&p[i].prefix, text));

		if (at == NULL || (at != there && at[-1] != ' '))
			list(there, text);
	}
}

static void
not_there(const struct work *w, const struct policy_lines *block)
{
	char there[LIST_TEXT] = "", text[PREF64_TEXT];

	for (size_t i = 0; i < w->s->policy_lines->all.n && strlen(there) < LIST_TEXT - 60; i++) {
		const struct policy_lines *l = policy_lines_at(w->s->policy_lines, i);

		if (block == NULL || l == block)
			list_prefixes(there, policy_lines_in_force(w->s->policy_lines, l));
	}
	diag_error(w->d, 0, "dns64-prefix", "'%s' is not there%s; there are %s",
	    pref64_format(&w->prefix, text),
	    w->c->what == PREFIX_CHANGE_DEL ? "" : ", nor on a map line", there);
}

/* Without any, others would take their place, which nobody has asked for. */
static bool
del(const struct work *w, struct policy_lines *l)
{
	struct policy_lines_prefix *at = policy_lines_find(&l->prefixes, &w->prefix);
	struct policy_lines_prefix *all = l->prefixes.items;
	size_t place = (size_t)(at - all);
	const struct policy_lines_net *n = l->nets.items;
	char net[VALUE_NET_TEXT];

	if (l->prefixes.n == 1) {
		diag_error(w->d, 0, "dns64-prefix",
		    "it is the last one%s%s, without which %s would hold; allowed is to add "
		    "another one first, or the state down",
		    l->line > 0 ? " of client " : "",
		    l->line > 0 ? value_net_format(&n[0].net, net) : "",
		    l->line > 0 ? "those from outside of blocks" : "64:ff9b::/96");
		return false;
	}
	memmove(at, at + 1, (l->prefixes.n - place - 1) * sizeof(*at));
	l->prefixes.n--;
	return true;
}

static void
set_state(const struct work *w, struct policy_lines_prefix *p)
{
	enum policy_state state = states[w->c->what];

	if (p == NULL || p->state == state)
		return;
	p->state = state;
	p->from = POLICY_LINES_TOLD;
	p->since = w->now;
}

/* Is the prefix on a map line that holds in block L? */
static bool
is_mapped(const struct work *w, const struct policy_lines *l)
{
	const struct policy_lines *from = l;
	const struct policy_lines_range *r;

	if (l->n_ranges[POLICY_LINES_MAP] == 0)
		from = policy_lines_at(w->s->policy_lines, 0);
	r = from->ranges.items;
	for (size_t i = 0; i < from->ranges.n; i++) {
		if (r[i].kind == POLICY_LINES_MAP && !r[i].never &&
		    pref64_same(&r[i].via, &w->prefix))
			return true;
	}
	return false;
}

/* Does block L have the prefix by map lines only? */
static bool
is_via(const struct work *w, const struct policy_lines *l)
{
	const struct array *now = policy_lines_in_force(w->s->policy_lines, l);

	return policy_lines_find(now, &w->prefix) == NULL && is_mapped(w, l);
}

/* Set the state of the prefix in map lines to STATE, in block L. */
static bool
set_via(const struct work *w, struct policy_lines *l, enum policy_state state)
{
	struct policy_lines_prefix *p = policy_lines_find(&l->vias, &w->prefix);

	if (p != NULL && p->state == state)
		return true;
	if (p == NULL)
		p = array_add(&l->vias, sizeof(*p));
	if (p == NULL)
		return diag_no_memory(w->d, 0, "dns64-prefix");
	*p = (struct policy_lines_prefix){ .prefix = w->prefix,
		.state = state,
		.weight = PREFIX_CHOICE_WEIGHT,
		.from = POLICY_LINES_TOLD,
		.since = w->now };
	return true;
}

/* The prefix is one for all addresses now: what holds for map lines alone goes. */
static void
drop_via(const struct work *w, struct policy_lines *l)
{
	struct policy_lines_prefix *at = policy_lines_find(&l->vias, &w->prefix);
	struct policy_lines_prefix *all = l->vias.items;

	if (at == NULL)
		return;
	memmove(at, at + 1, (l->vias.n - (size_t)(at - all) - 1) * sizeof(*at));
	l->vias.n--;
}

/* --- One block, or all ------------------------------------------------------------------------ */

/* Change block L by w->what, with FROM as the prefixes that it has until then. */
static bool
begin_block(struct work *w, struct policy_lines *l, const struct array *from)
{
	struct prefix_change_block *b = w->made->blocks.items;
	struct array prefixes, vias;

	/* The one that may come twice is the first. */
	if (w->made->blocks.n > 0 && b->lines == l)
		return true;
	if (!policy_lines_copy(&prefixes, from) || !policy_lines_copy(&vias, &l->vias)) {
		array_fini(&prefixes);
		return diag_no_memory(w->d, 0, "dns64-prefix");
	}
	b = array_add(&w->made->blocks, sizeof(*b));
	if (b == NULL) {
		array_fini(&prefixes);
		array_fini(&vias);
		return diag_no_memory(w->d, 0, "dns64-prefix");
	}
	*b = (struct prefix_change_block){ .lines = l,
		.prefixes = l->prefixes,
		.saved = l->saved,
		.vias = l->vias,
		.saved_vias = l->saved_vias,
		.told = l->told };
	l->prefixes = prefixes;
	l->vias = vias;
	l->told = w->now;
	return true;
}

/* Take the prefix from block L; on map lines it stays, in the state that it has. */
static bool
del_of(const struct work *w, struct policy_lines *l)
{
	enum policy_state state = policy_lines_find(&l->prefixes, &w->prefix)->state;

	if (!del(w, l))
		return false;
	return state == POLICY_ACTIVE || !is_mapped(w, l) || set_via(w, l, state);
}

static bool
change_block(struct work *w, struct policy_lines *l)
{
	const struct array *now = policy_lines_in_force(w->s->policy_lines, l);
	bool adds = w->c->what == PREFIX_CHANGE_ADD, there;

	there = policy_lines_find(now, &w->prefix) != NULL;
	if (!there && !adds && (w->c->what == PREFIX_CHANGE_DEL || !is_mapped(w, l))) {
		not_there(w, l);
		return false;
	}
	if (!begin_block(w, l, there || adds ? now : &l->prefixes))
		return false;
	switch (w->c->what) {
	case PREFIX_CHANGE_ADD:
		drop_via(w, l);
		return add(&l->prefixes, &w->prefix, w->now, w->d);
	case PREFIX_CHANGE_DEL:
		return del_of(w, l);
	case PREFIX_CHANGE_ACTIVE:
	case PREFIX_CHANGE_DRAIN:
	case PREFIX_CHANGE_DOWN:
		break;
	}
	if (!there)
		return set_via(w, l, states[w->c->what]);
	set_state(w, policy_lines_find(&l->prefixes, &w->prefix));
	return true;
}

/* Is the prefix in a block whose map lines name it, and no line that sets its state? */
static bool
needs_via(const struct work *w)
{
	const struct policy_lines_list *list = w->s->policy_lines;

	for (size_t i = 0; i < list->all.n; i++) {
		const struct policy_lines *l = policy_lines_at(list, i);

		if (is_via(w, l) && policy_lines_via(list, l, &w->prefix) == NULL)
			return true;
	}
	return false;
}

/* Change the prefix wherever it is. */
static bool
change_all(struct work *w)
{
	struct policy_lines *first = policy_lines_at(w->s->policy_lines, 0);
	bool dels = w->c->what == PREFIX_CHANGE_DEL;

	for (size_t i = 0; i < w->s->policy_lines->all.n; i++) {
		struct policy_lines *l = policy_lines_at(w->s->policy_lines, i);
		bool own = policy_lines_find(&l->prefixes, &w->prefix) != NULL;

		if (!own && (dels || policy_lines_find(&l->vias, &w->prefix) == NULL))
			continue;
		if (!begin_block(w, l, &l->prefixes) || (dels && !del_of(w, l)))
			return false;
		if (dels)
			continue;
		set_state(w, policy_lines_find(&l->prefixes, &w->prefix));
		set_state(w, policy_lines_find(&l->vias, &w->prefix));
	}
	if (!dels && needs_via(w))
		return begin_block(w, first, &first->prefixes) &&
		    set_via(w, first, states[w->c->what]);
	if (w->made->blocks.n > 0)
		return true;
	not_there(w, NULL);
	return false;
}

static bool
save(struct policy_lines *l, struct diag *d)
{
	struct policy_lines_prefix *p = l->prefixes.items, *via = l->vias.items;
	struct array copy, vias;

	if (!policy_lines_copy(&copy, &l->prefixes) || !policy_lines_copy(&vias, &l->vias)) {
		array_fini(&copy);
		return diag_no_memory(d, 0, "dns64-prefix");
	}
	for (size_t i = 0; i < l->prefixes.n; i++)
		p[i].from = POLICY_LINES_SAVED;
	for (size_t i = 0; i < l->vias.n; i++)
		via[i].from = POLICY_LINES_SAVED;
	l->saved = copy;
	l->saved_vias = vias;
	l->told = 0;
	return true;
}

static bool
save_all(const struct work *w)
{
	const struct prefix_change_block *b = w->made->blocks.items;

	for (size_t i = 0; w->c->save && i < w->made->blocks.n; i++) {
		if (!save(b[i].lines, w->d))
			return false;
	}
	return true;
}

bool
prefix_change_make(const struct settings *s, const struct prefix_change *c, time_t now,
    struct prefix_change_made *m, struct diag *d)
{
	struct work w = { .s = s, .c = c, .now = now, .made = m, .d = d };
	struct policy_lines *l = block_of(s, c->client, d);
	bool ok;

	*m = (struct prefix_change_made){ .blocks = { .n = 0 } };
	if (l == NULL ||
	    !set_prefix_read(keywords_find("dns64-prefix"), 0, c->prefix, &w.prefix, d))
		return false;
	ok = c->client != NULL || c->what == PREFIX_CHANGE_ADD ? change_block(&w, l)
							       : change_all(&w);
	if (ok && save_all(&w))
		return true;
	prefix_change_undo(m);
	return false;
}

struct policies *
prefix_change_policies(const struct settings *s, const struct prefix_change *c, struct diag *d)
{
	const struct policies *before = s->conf.core.policies;
	struct policies *ps;

	if (c->what == PREFIX_CHANGE_ADD || c->what == PREFIX_CHANGE_DEL)
		return policies_change_prefixes(s, before, d);
	ps = policies_change_states(s, before);
	if (ps == NULL)
		diag_no_memory(d, 0, "dns64-prefix");
	return ps;
}

void
prefix_change_keep(const struct settings *s, struct prefix_change_made *m)
{
	struct prefix_change_block *b = m->blocks.items;

	for (size_t i = 0; i < m->blocks.n; i++) {
		array_fini(&b[i].prefixes);
		array_fini(&b[i].vias);
		if (b[i].lines->saved.items != b[i].saved.items)
			array_fini(&b[i].saved);
		if (b[i].lines->saved_vias.items != b[i].saved_vias.items)
			array_fini(&b[i].saved_vias);
	}
	array_fini(&m->blocks);
	prefix_file_number(s->policy_lines);
}

void
prefix_change_undo(struct prefix_change_made *m)
{
	struct prefix_change_block *b = m->blocks.items;

	for (size_t i = 0; i < m->blocks.n; i++) {
		struct policy_lines *l = b[i].lines;

		if (l->saved.items != b[i].saved.items)
			array_fini(&l->saved);
		if (l->saved_vias.items != b[i].saved_vias.items)
			array_fini(&l->saved_vias);
		array_fini(&l->prefixes);
		array_fini(&l->vias);
		l->prefixes = b[i].prefixes;
		l->vias = b[i].vias;
		l->saved = b[i].saved;
		l->saved_vias = b[i].saved_vias;
		l->told = b[i].told;
	}
	array_fini(&m->blocks);
}
