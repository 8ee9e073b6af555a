/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/set_prefix.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "config/diag.h"
#include "config/policy_lines.h"
#include "config/set.h"
#include "config/settings.h"
#include "config/values.h"
#include "dns64/pref64.h"
#include "policy/prefix_choice.h"

/* The words of a prefix's state, in the order of enum policy_state. */
static const char states[] = "active|drain|down";

/* Was a slash forgotten: 2001:db8:1::96 for 2001:db8:1::/96? LIKELY becomes the likely prefix. */
static bool
forgotten_slash(const char *text, char *likely, size_t cap)
{
	const char *colons = strstr(text, "::");
	struct pref64 p;

	if (colons == NULL || strchr(text, '/') != NULL)
		return false;
	snprintf(likely, cap, "%.*s/%s", (int)(colons - text) + 2, text, colons + 2);
	return pref64_parse(likely, &p) != PREF64_NOT_A_PREFIX &&
	    pref64_parse(likely, &p) != PREF64_BAD_LEN;
}

static void
not_a_prefix(const struct keyword *k, unsigned line, const char *word, struct diag *d)
{
	char text[PREF64_TEXT];

	if (forgotten_slash(word, text, sizeof(text)))
		diag_error(d, line, k->name,
		    "'%s' has no length; did you mean %s? (lengths are 32, 40, 48, 56, 64 and 96)",
		    word, text);
	else
		diag_error(d, line, k->name,
		    "'%s' is not an IPv6 prefix; allowed is an IPv6 address, a slash and a length "
		    "of 32, 40, 48, 56, 64 or 96",
		    word);
}

bool
set_prefix_read(
    const struct keyword *k, unsigned line, const char *word, struct pref64 *p, struct diag *d)
{
	char text[PREF64_TEXT];

	switch (pref64_parse(word, p)) {
	case PREF64_OK:
		return true;
	case PREF64_NOT_A_PREFIX:
		not_a_prefix(k, line, word, d);
		break;
	case PREF64_BAD_LEN:
		diag_error(d, line, k->name,
		    "'%s' has a length that RFC 6052 does not have; allowed are 32, 40, 48, 56, 64 "
		    "and 96",
		    word);
		break;
	case PREF64_BAD_U:
		diag_error(d, line, k->name,
		    "'%s' has bits 64 to 71 set, which RFC 6052 section 2.2 wants zero; a correct "
		    "prefix is %s (the translator must use the same)",
		    word, pref64_format(p, text));
		break;
	case PREF64_HOST_BITS:
		diag_error(d, line, k->name,
		    "'%s' has bits set behind its length; the prefix of that length is %s", word,
		    pref64_format(p, text));
		break;
	}
	return false;
}

/* Read a network of FAMILY; an error, with what is probably meant, if it is none. */
static bool
network(
    const struct keyword *k, const struct words *w, uint8_t family, struct net *net, struct diag *d)
{
	enum value_net_verdict verdict = value_net(w->word[1], net);
	char text[VALUE_NET_TEXT];

	if (verdict == VALUE_NET_BAD || net->family != family) {
		diag_error(d, w->line, k->name, "'%s' is not an IPv%d network; allowed is %s",
		    w->word[1], family, k->args);
		return false;
	}
	if (verdict == VALUE_NET_OK)
		return true;
	/* RFC 6147 section 5.1.4 writes ::ffff:0:0/96 like this. */
	if (strcasecmp(w->word[1], "::ffff/96") == 0)
		snprintf(text, sizeof(text), "::ffff:0:0/96");
	else
		value_net_format(net, text);
	diag_error(d, w->line, k->name, "'%s' has bits set behind its length; did you mean %s?",
	    w->word[1], text);
	return false;
}

/* Is P, whose line says nothing but a state, on a line of VIAS already? An error, then. */
static bool
has_state(const struct array *vias, const struct policy_lines_prefix *p, struct diag *d)
{
	const struct policy_lines_prefix *there = policy_lines_find(vias, &p->prefix);
	char text[PREF64_TEXT], line[DIAG_LINE];

	if (there == NULL)
		return false;
	diag_error(d, p->line, "dns64-prefix", "the state of '%s' in map lines is at %s already",
	    pref64_format(&p->prefix, text), diag_line(d, there->line, p->line, line));
	return true;
}

/* Read the weight, which follows word AT of W, to *WEIGHT. False: an error. */
static bool
read_weight(
    const struct keyword *k, const struct words *w, size_t at, uint16_t *weight, struct diag *d)
{
	uint32_t n;

	if (at + 1 == w->n) {
		diag_error(d, w->line, k->name,
		    "there is no number behind weight; allowed is 1 to %d",
		    PREFIX_CHOICE_WEIGHT_MAX);
		return false;
	}
	if (!value_number(w->word[at + 1], 1, PREFIX_CHOICE_WEIGHT_MAX, &n)) {
		diag_error(d, w->line, k->name, "the weight '%s' is not a number from 1 to %d",
		    w->word[at + 1], PREFIX_CHOICE_WEIGHT_MAX);
		return false;
	}
	*weight = (uint16_t)n;
	return true;
}

/* Read what stands behind the prefix to *P; *VIA: map is there. False: an error. */
static bool
read_words(const struct keyword *k, const struct words *w, struct policy_lines_prefix *p, bool *via,
    struct diag *d)
{
	size_t at = 2;
	int state;

	*via = false;
	if (at < w->n && strcmp(w->word[at], "weight") != 0 && strcmp(w->word[at], "map") != 0) {
		state = set_place(states, w->word[at]);
		if (state < 0) {
			diag_error(
			    d, w->line, k->name, "'%s' is not one of %s", w->word[at], states);
			return false;
		}
		p->state = (enum policy_state)state;
		at++;
	}
	if (at < w->n && strcmp(w->word[at], "map") == 0) {
		*via = true;
		at++;
	} else if (at < w->n && strcmp(w->word[at], "weight") == 0) {
		if (!read_weight(k, w, at, &p->weight, d))
			return false;
		at += 2;
	}
	if (at >= w->n)
		return true;
	if (at == 3 && !*via)
		diag_error(d, w->line, k->name,
		    "'%s' is neither weight nor map, one of which may stand behind the state",
		    w->word[at]);
	else
		diag_error(
		    d, w->line, k->name, "'%s' is too much; allowed is %s", w->word[at], k->args);
	return false;
}

void
set_prefix(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	struct policy_lines_prefix p = {
		.line = w->line, .state = POLICY_ACTIVE, .weight = PREFIX_CHOICE_WEIGHT
	};
	struct policy_lines *lines = policy_lines_now(s->policy_lines);
	struct policy_lines_prefix *new;
	bool via;

	if (!set_prefix_read(k, w->line, w->word[1], &p.prefix, d) ||
	    !read_words(k, w, &p, &via, d))
		return;
	if (via && has_state(&lines->vias, &p, d))
		return;
	new = array_add(via ? &lines->vias : &lines->prefixes, sizeof(*new));
	if (new == NULL)
		diag_no_memory(d, w->line, k->name);
	else
		*new = p;
}

void
set_suffix(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	struct policy_lines *lines = policy_lines_now(s->policy_lines);

	if (inet_pton(AF_INET6, w->word[1], lines->suffix) != 1) {
		diag_error(d, w->line, k->name,
		    "'%s' is not an IPv6 address; allowed is one with the bits behind the IPv4 "
		    "address, as ::1",
		    w->word[1]);
		return;
	}
	lines->has_suffix = true;
	lines->suffix_line = w->line;
}

static void
add_range(struct settings *s, const struct keyword *k, const struct words *w,
    const struct policy_lines_range *r, struct diag *d)
{
	if (!policy_lines_add_range(policy_lines_now(s->policy_lines), r))
		diag_no_memory(d, w->line, k->name);
}

void
set_map(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	struct policy_lines_range r = { .line = w->line, .kind = POLICY_LINES_MAP };

	if (!network(k, w, NETADDR_IPV4, &r.net, d))
		return;
	if (w->n < 3) {
		diag_error(d, w->line, k->name, "there is no prefix for '%s'; allowed is %s",
		    w->word[1], k->args);
		return;
	}
	r.never = strcmp(w->word[2], "none") == 0;
	if (r.never || set_prefix_read(k, w->line, w->word[2], &r.via, d))
		add_range(s, k, w, &r, d);
}

void
set_exclude_a(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	struct policy_lines_range r = {
		.line = w->line, .kind = POLICY_LINES_EXCLUDE_A, .never = true
	};

	if (network(k, w, NETADDR_IPV4, &r.net, d))
		add_range(s, k, w, &r, d);
}

void
set_exclude_aaaa(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	struct policy_lines *lines = policy_lines_now(s->policy_lines);
	struct policy_lines_net n = { .line = w->line }, *new;

	if (strcmp(w->word[1], "none") == 0) {
		if (lines->excluded.n > 0 || lines->excluded_none)
			diag_error(d, w->line, k->name,
			    "none takes the default away and must come first, once");
		lines->excluded_none = true;
		return;
	}
	if (!network(k, w, NETADDR_IPV6, &n.net, d))
		return;
	new = array_add(&lines->excluded, sizeof(*new));
	if (new == NULL)
		diag_no_memory(d, w->line, k->name);
	else
		*new = n;
}
