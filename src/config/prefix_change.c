/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/prefix_change.h"

#include <stdio.h>
#include <string.h>

#include "config/keywords.h"
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

static bool
add(struct array *prefixes, const struct pref64 *prefix, time_t now, struct diag *d)
{
	const struct policy_lines_prefix *there = policy_lines_find(prefixes, prefix);
	struct policy_lines_prefix *new;
	char text[PREF64_TEXT];

	if (there != NULL) {
		diag_error(d, 0, "dns64-prefix", "'%s' is there already, %s",
		    pref64_format(prefix, text), prefix_file_state(there->state));
		return false;
	}
	new = array_add(prefixes, sizeof(*new));
	if (new == NULL) {
		diag_error(d, 0, "dns64-prefix", "there is no memory for it");
		return false;
	}
	*new = (struct policy_lines_prefix){
		.prefix = *prefix, .state = POLICY_ACTIVE, .from = POLICY_LINES_TOLD, .since = now
	};
	return true;
}

static void
not_there(const struct array *prefixes, const struct pref64 *prefix, struct diag *d)
{
	const struct policy_lines_prefix *p = prefixes->items;
	char there[LIST_TEXT] = "", text[PREF64_TEXT];

	for (size_t i = 0; i < prefixes->n; i++)
		list(there, pref64_format(&p[i].prefix, text));
	diag_error(d, 0, "dns64-prefix",
	    "'%s' is not there; there are %s (one that only map lines name is changed in the "
	    "configuration)",
	    pref64_format(prefix, text), there);
}

/* Without any, others would take their place, which nobody has asked for. */
static bool
del(struct array *prefixes, struct policy_lines_prefix *at, bool in_block, struct diag *d)
{
	struct policy_lines_prefix *all = prefixes->items;
	size_t place = (size_t)(at - all);

	if (prefixes->n == 1) {
		diag_error(d, 0, "dns64-prefix",
		    "it is the last one, without which %s would hold; allowed is to add another "
		    "one first, or the state down",
		    in_block ? "those from outside of blocks" : "64:ff9b::/96");
		return false;
	}
	memmove(at, at + 1, (prefixes->n - place - 1) * sizeof(*at));
	prefixes->n--;
	return true;
}

static void
set_state(struct policy_lines_prefix *p, enum policy_state state, time_t now)
{
	if (p->state == state)
		return;
	p->state = state;
	p->from = POLICY_LINES_TOLD;
	p->since = now;
}

/* Change PREFIXES, of block L, for PREFIX as C says. */
static bool
change(struct array *prefixes, const struct policy_lines *l, const struct prefix_change *c,
    const struct pref64 *prefix, time_t now, struct diag *d)
{
	static const enum policy_state states[] = { [PREFIX_CHANGE_ACTIVE] = POLICY_ACTIVE,
		[PREFIX_CHANGE_DRAIN] = POLICY_DRAIN,
		[PREFIX_CHANGE_DOWN] = POLICY_DOWN };
	struct policy_lines_prefix *at = policy_lines_find(prefixes, prefix);

	if (c->what == PREFIX_CHANGE_ADD)
		return add(prefixes, prefix, now, d);
	if (at == NULL) {
		not_there(prefixes, prefix, d);
		return false;
	}
	if (c->what == PREFIX_CHANGE_DEL)
		return del(prefixes, at, l->line > 0, d);
	set_state(at, states[c->what], now);
	return true;
}

static bool
save(struct policy_lines *l, struct diag *d)
{
	struct policy_lines_prefix *p = l->prefixes.items;
	struct array copy;

	if (!policy_lines_copy(&copy, &l->prefixes)) {
		diag_error(d, 0, "prefix-file", "there is no memory for it");
		return false;
	}
	for (size_t i = 0; i < l->prefixes.n; i++)
		p[i].from = POLICY_LINES_SAVED;
	l->saved = copy;
	l->told = 0;
	return true;
}

bool
prefix_change_make(const struct settings *s, const struct prefix_change *c, time_t now,
    struct prefix_change_made *m, struct diag *d)
{
	struct policy_lines *l = block_of(s, c->client, d), *from = l;
	struct pref64 prefix;
	struct array new;

	if (l == NULL || !set_prefix_read(keywords_find("dns64-prefix"), 0, c->prefix, &prefix, d))
		return false;
	if (l->prefixes.n == 0)
		from = policy_lines_at(s->policy_lines, 0);
	if (!policy_lines_copy(&new, &from->prefixes)) {
		diag_error(d, 0, "dns64-prefix", "there is no memory for it");
		return false;
	}
	if (!change(&new, l, c, &prefix, now, d)) {
		array_fini(&new);
		return false;
	}
	*m = (struct prefix_change_made){
		.lines = l, .prefixes = l->prefixes, .saved = l->saved, .told = l->told
	};
	l->prefixes = new;
	l->told = now;
	if (!c->save || save(l, d))
		return true;
	prefix_change_undo(m);
	return false;
}

void
prefix_change_keep(const struct settings *s, struct prefix_change_made *m)
{
	array_fini(&m->prefixes);
	if (m->lines->saved.items == m->saved.items)
		return;
	array_fini(&m->saved);
	prefix_file_number(s->policy_lines);
}

void
prefix_change_undo(struct prefix_change_made *m)
{
	if (m->lines->saved.items != m->saved.items)
		array_fini(&m->lines->saved);
	array_fini(&m->lines->prefixes);
	m->lines->prefixes = m->prefixes;
	m->lines->saved = m->saved;
	m->lines->told = m->told;
}
