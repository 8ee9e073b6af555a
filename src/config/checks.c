/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/checks.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "config/set.h"
#include "config/settings.h"
#include "config/values.h"
#include "dns/name.h"
#include "dns64/synth.h"

#define PORT_DNS 53

/* In the order of enum policy_lines_check_kind. */
static const char *const words[] = {
	[POLICY_LINES_TCP] = "tcp", [POLICY_LINES_DNS] = "dns", [POLICY_LINES_ICMP] = "icmp"
};

char *
checks_format(const struct policy_lines_check *c, char text[static CHECKS_TEXT])
{
	char addr[INET_ADDRSTRLEN], more[NAME_TEXT] = "";

	(void)inet_ntop(AF_INET, c->v4, addr, sizeof(addr));
	if (c->kind == POLICY_LINES_TCP)
		snprintf(more, sizeof(more), "port %u", c->port);
	else if (c->kind == POLICY_LINES_DNS)
		name_to_text(c->name, more);
	snprintf(text, CHECKS_TEXT, "%s %s%s%.50s", words[c->kind], addr,
	    more[0] != '\0' ? " " : "", more);
	return text;
}

/* --- A line ----------------------------------------------------------------------------------- */

/* What RULES D14 has of the IPv4 address V4. */
static enum synth_v4
range_of(const uint8_t v4[static 4])
{
	size_t n, longest = 0;
	const struct synth_range *r = synth_ranges(&n);
	enum synth_v4 found = SYNTH_ANY;

	for (; n > 0; n--, r++) {
		if (net_holds(&r->net, v4) && r->net.len >= longest) {
			longest = r->net.len;
			found = r->v4;
		}
	}
	return found;
}

static bool
read_address(
    const struct keyword *k, const struct words *w, struct policy_lines_check *c, struct diag *d)
{
	if (w->n < 3) {
		diag_error(d, w->line, k->name, "there is no address; allowed is %s", k->args);
		return false;
	}
	if (inet_pton(AF_INET, w->word[2], c->v4) != 1) {
		diag_error(d, w->line, k->name,
		    "'%s' is not an IPv4 address, which is put under each prefix; allowed is %s",
		    w->word[2], k->args);
		return false;
	}
	if (range_of(c->v4) == SYNTH_NEVER) {
		diag_error(d, w->line, k->name,
		    "'%s' is of this network, one host, link or group, so that no translator "
		    "reaches it; allowed is the address of another host",
		    w->word[2]);
		return false;
	}
	return true;
}

/* What stands behind the address. */
static bool
read_rest(
    const struct keyword *k, const struct words *w, struct policy_lines_check *c, struct diag *d)
{
	uint32_t port = 0;

	switch (c->kind) {
	case POLICY_LINES_TCP:
		if (w->n == 5 && strcmp(w->word[3], "port") == 0 &&
		    value_number(w->word[4], 1, UINT16_MAX, &port))
			break;
		diag_error(d, w->line, k->name,
		    "tcp takes an address, port, and a number from 1 to 65535; allowed is %s",
		    k->args);
		return false;
	case POLICY_LINES_DNS:
		port = PORT_DNS;
		if (w->n == 4 && name_from_text(w->word[3], c->name) > 0)
			break;
		diag_error(d, w->line, k->name,
		    "dns takes an address and the domain name that is asked for; allowed is %s",
		    k->args);
		return false;
	case POLICY_LINES_ICMP:
		if (w->n == 3)
			break;
		diag_error(
		    d, w->line, k->name, "icmp takes an address alone; allowed is %s", k->args);
		return false;
	}
	c->port = (uint16_t)port;
	return true;
}

static bool
is_same(const struct policy_lines_check *a, const struct policy_lines_check *b)
{
	return a->kind == b->kind && a->port == b->port &&
	    memcmp(a->v4, b->v4, sizeof(a->v4)) == 0 &&
	    (a->kind != POLICY_LINES_DNS || name_equal(a->name, b->name));
}

/* Is C at a line of L already? An error, then. */
static bool
is_repeated(const struct policy_lines *l, const struct policy_lines_check *c, struct diag *d)
{
	const struct policy_lines_check *of = l->checks.items;
	char text[CHECKS_TEXT], line[DIAG_LINE];

	for (size_t i = 0; i < l->checks.n; i++) {
		if (!is_same(&of[i], c))
			continue;
		diag_error(d, c->line, "prefix-check", "'%s' is at %s already",
		    checks_format(c, text), diag_line(d, of[i].line, c->line, line));
		return true;
	}
	return false;
}

/* A hash of what C asks. */
static uint64_t
hash_of(const struct policy_lines_check *c)
{
	char text[CHECKS_TEXT];
	uint64_t name = c->kind == POLICY_LINES_DNS ? hash_bytes(c->name, name_len(c->name), 1) : 0;

	(void)checks_format(c, text);
	return hash_bytes(text, strlen(text), name);
}

static void
add(struct policy_lines *l, const struct policy_lines_check *c, struct diag *d)
{
	struct policy_lines_check *new;

	if (l->checks_none || l->checks.n == POLICY_LINES_CHECKS) {
		if (l->checks_none)
			diag_error(d, c->line, "prefix-check",
			    "none is there already, which stands alone");
		else
			diag_error(d, c->line, "prefix-check",
			    "there can be %d lines outside of client blocks, and in each block",
			    POLICY_LINES_CHECKS);
		return;
	}
	if (is_repeated(l, c, d))
		return;
	new = array_add(&l->checks, sizeof(*new));
	if (new == NULL) {
		diag_no_memory(d, c->line, "prefix-check");
		return;
	}
	*new = *c;
	l->group += hash_of(c) | 1; /* in whichever order they stand */
}

void
set_prefix_check(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	struct policy_lines *l = policy_lines_now(s->policy_lines);
	struct policy_lines_check c = { .line = w->line };
	int kind = set_place("tcp|dns|icmp|none", w->word[1]);

	if (kind < 0) {
		diag_error(d, w->line, k->name,
		    "'%s' is not one of tcp|dns|icmp|none; allowed is %s", w->word[1], k->args);
		return;
	}
	if (kind > POLICY_LINES_ICMP) {
		if (l->checks.n > 0 || l->checks_none || w->n > 2)
			diag_error(d, w->line, k->name, "none stands alone, once");
		l->checks_none = true;
		return;
	}
	c.kind = (enum policy_lines_check_kind)kind;
	if (read_address(k, w, &c, d) && read_rest(k, w, &c, d))
		add(l, &c, d);
}

/* --- Together with prefixes ------------------------------------------------------------------- */

/* Is the Well-Known Prefix one of P, for all addresses? */
static bool
has_well_known(const struct policy *p)
{
	for (size_t i = 0; i < p->synth.n_prefixes; i++) {
		if (p->synth.prefixes[i].well_known && !p->mapped_only[i])
			return true;
	}
	return false;
}

void
checks_fit(const struct policy_lines_list *list, const struct policy_lines *l,
    const struct policy *p, struct diag *d)
{
	const struct array *checks = policy_lines_checks(list, l);
	const struct policy_lines_check *c = checks->items;
	char text[CHECKS_TEXT];

	if (checks->n == 0 || !has_well_known(p))
		return;
	for (size_t i = 0; i < checks->n; i++) {
		if (range_of(c[i].v4) == SYNTH_OWN)
			diag_error(d, c[i].line, "prefix-check",
			    "'%s': the address is not global, and 64:ff9b::/96 must not represent "
			    "it (RFC 6052 section 3.1); allowed is a global address, or no "
			    "64:ff9b::/96 among these prefixes",
			    checks_format(&c[i], text));
	}
}
