/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/conf_decision.h"

#include <string.h>

#include "base/netmap.h"
#include "config/values.h"
#include "dns/name.h"
#include "dns64/synth.h"

static bool
is_called(const struct origin_line *l, const char *name)
{
	return strcmp(l->keyword->name, name) == 0;
}

const struct origin_line *
conf_decision_block(const struct origin *o, unsigned policy)
{
	size_t n;
	const struct origin_line *l = origin_lines(o, &n);

	for (size_t i = 0; policy > 0 && i < n; i++) {
		if (is_called(&l[i], "client") && --policy == 0)
			return &l[i];
	}
	return NULL;
}

/* --- Lines of one policy ---------------------------------------------------------------------- */

/* The line of the head of POLICY's block; 0: policy 0. */
static unsigned
head_of(const struct origin *o, unsigned policy)
{
	const struct origin_line *head = conf_decision_block(o, policy);

	return head != NULL ? head->line : 0;
}

/* The lines of a keyword, one after the other. */
struct walk {
	const struct origin_line *next;
	size_t left;
	const char *name;
	unsigned block; /* line of the head; 0: outside of any */
};

static struct walk
walk(const struct origin *o, const char *name, unsigned block)
{
	struct walk w = { .name = name, .block = block };

	w.next = origin_lines(o, &w.left);
	return w;
}

static const struct origin_line *
walk_next(struct walk *w)
{
	for (; w->left > 0; w->left--) {
		const struct origin_line *l = w->next++;

		if (l->block == w->block && is_called(l, w->name)) {
			w->left--;
			return l;
		}
	}
	return NULL;
}

/* The block whose lines of NAME hold for the block BLOCK: its own, or those outside of any. */
static unsigned
holds(const struct origin *o, const char *name, unsigned block)
{
	struct walk w = walk(o, name, block);

	return walk_next(&w) != NULL ? block : 0;
}

struct conf_decision
conf_decision_keyword(const struct origin *o, unsigned policy, const char *name)
{
	struct walk w = walk(o, name, holds(o, name, head_of(o, policy)));
	struct conf_decision found = { .rule = "the default" };
	const struct origin_line *l;

	while ((l = walk_next(&w)) != NULL)
		found.line = l;
	return found;
}

/* --- Words of a line -------------------------------------------------------------------------- */

/* Copy the next word of *text, which moves behind it, to WORD. False: there is none, or no room. */
static bool
next_word(const char **text, char *word, size_t cap)
{
	size_t len;

	*text += strspn(*text, " ");
	len = strcspn(*text, " ");
	if (len == 0 || len >= cap)
		return false;
	memcpy(word, *text, len);
	word[len] = '\0';
	*text += len;
	return true;
}

/* A search for the longest network that has an address. */
struct search {
	const uint8_t *addr;
	uint8_t family;
	int len; /* of the best so far; -1: there is none */
	struct conf_decision found;
};

/* L, or the rule RULE, says something of NET. What comes first wins. */
static void
consider(struct search *s, const struct net *net, const struct origin_line *l, const char *rule)
{
	if (net->family != s->family || net->len <= s->len || !net_holds(net, s->addr))
		return;
	s->len = net->len;
	s->found = (struct conf_decision){ .line = l, .rule = rule };
}

/* Consider the first MOST words of L that are networks. */
static void
consider_line(struct search *s, const struct origin_line *l, unsigned most)
{
	const char *text = l->value;
	char word[VALUE_NET_TEXT];
	struct net net;

	while (most-- > 0 && next_word(&text, word, sizeof(word))) {
		if (value_net(word, &net) == VALUE_NET_OK)
			consider(s, &net, l, NULL);
	}
}

static void
consider_lines(struct search *s, const struct origin *o, const char *name, unsigned block)
{
	struct walk w = walk(o, name, block);
	const struct origin_line *l;

	while ((l = walk_next(&w)) != NULL)
		consider_line(s, l, 1);
}

/* --- Who decides ------------------------------------------------------------------------------ */

struct conf_decision
conf_decision_zone(const struct origin *o, unsigned policy, const char *name, const uint8_t *zone)
{
	struct walk w = walk(o, name, holds(o, name, head_of(o, policy)));
	struct conf_decision nothing = { .line = NULL };
	const struct origin_line *l;

	while ((l = walk_next(&w)) != NULL) {
		const char *text = l->value;
		uint8_t wire[DNS_NAME_MAX];
		char word[NAME_TEXT];

		while (next_word(&text, word, sizeof(word))) {
			if (name_from_text(word, wire) > 0 && name_equal(wire, zone))
				return (struct conf_decision){ .line = l };
		}
	}
	return nothing;
}

/*
 * A block's own lines go before those outside about the same network; a keyword that the block has
 * is not looked for outside (RULES D13). Either goes before RULES D14.
 */
struct conf_decision
conf_decision_a(const struct origin *o, unsigned policy, const uint8_t v4[static 4])
{
	static const char *const names[] = { "exclude-a", "map" };
	struct search s = { .addr = v4, .family = NETADDR_IPV4, .len = -1 };
	unsigned block = head_of(o, policy);
	const struct synth_range *range;
	size_t n;

	for (size_t i = 0; i < 2; i++)
		consider_lines(&s, o, names[i], block);
	for (size_t i = 0; i < 2 && block > 0; i++) {
		if (holds(o, names[i], block) == 0)
			consider_lines(&s, o, names[i], 0);
	}
	range = synth_ranges(&n);
	for (; n > 0; n--, range++)
		consider(&s, &range->net, NULL,
		    range->v4 == SYNTH_OWN
			? "built in: it is not a global address (RFC 6052 section 3.1)"
			: range->v4 == SYNTH_NEVER ? "built in: it is no address of a host"
						   : NULL);
	return s.found;
}

struct conf_decision
conf_decision_aaaa(const struct origin *o, unsigned policy, const uint8_t v6[static 16])
{
	static const struct net mapped = { { [10] = 0xff, [11] = 0xff }, 96, NETADDR_IPV6 };
	struct search s = { .addr = v6, .family = NETADDR_IPV6, .len = -1 };

	consider_lines(&s, o, "exclude-aaaa", holds(o, "exclude-aaaa", head_of(o, policy)));
	consider(&s, &mapped, NULL, "built in: ::ffff:0:0/96 (RFC 6147 section 5.1.4)");
	return s.found;
}

/* The line of NAME, allow or deny, with the longest network that has CLIENT; else that with any. */
static struct conf_decision
by_network(const struct origin *o, const char *name, const struct netaddr *client)
{
	struct search s = { .addr = client->addr, .family = client->family, .len = -1 };
	struct walk w = walk(o, name, 0);
	const struct origin_line *l, *any = NULL;

	while ((l = walk_next(&w)) != NULL) {
		const char *text = l->value;
		char word[VALUE_NET_TEXT];

		consider_line(&s, l, KEYWORD_ANY);
		while (next_word(&text, word, sizeof(word)))
			any = strcmp(word, "any") == 0 ? l : any;
	}
	if (s.found.line == NULL && any != NULL)
		s.found.line = any;
	return s.found;
}

struct conf_decision
conf_decision_allow(const struct origin *o, const struct netaddr *client)
{
	/* Whatever the lines say. */
	if (netaddr_is_loopback(client))
		return (struct conf_decision){ .rule = "built in: this machine may always ask" };
	return by_network(o, "allow", client);
}

struct conf_decision
conf_decision_deny(const struct origin *o, const struct netaddr *client)
{
	return by_network(o, "deny", client);
}
