/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/set_policy.h"

#include <string.h>

#include "config/diag.h"
#include "config/field.h"
#include "config/policy_lines.h"
#include "config/set.h"
#include "config/settings.h"
#include "config/values.h"
#include "dns/name.h"
#include "dns64/special.h"

#define MAX_BLOCKS UINT16_MAX /* a query stores its policy's number in 16 bits */

static const struct net mapped = { { [10] = 0xff, [11] = 0xff }, 96, NETADDR_IPV6 };

/* Read the network WORD; an error if it is none. */
static bool
read_network(const struct keyword *k, const struct words *w, const char *word, struct net *net,
    struct diag *d)
{
	enum value_net_verdict verdict = value_net(word, net);
	char text[VALUE_NET_TEXT];

	if (verdict == VALUE_NET_BAD)
		diag_error(d, w->line, k->name,
		    "'%s' is not an IPv4 or IPv6 network; allowed is %s", word, k->args);
	else if (verdict == VALUE_NET_HOST_BITS)
		diag_error(d, w->line, k->name,
		    "'%s' has bits set behind its length; did you mean %s?", word,
		    value_net_format(net, text));
	else if (net->family == NETADDR_IPV6 && net->len >= mapped.len &&
	    net_holds(&mapped, net->addr))
		diag_error(d, w->line, k->name,
		    "'%s' is an IPv4 network in IPv6 clothes; write it as "
		    "%u.%u.%u.%u/%d",
		    word, net->addr[12], net->addr[13], net->addr[14], net->addr[15],
		    net->len - mapped.len);
	else
		return true;
	return false;
}

/* Append the network WORD to LIST, of struct policy_lines_net; an error if it is none. */
static void
add_network(const struct keyword *k, const struct words *w, const char *word, struct array *list,
    struct diag *d)
{
	struct policy_lines_net n = { .line = w->line }, *new;

	if (!read_network(k, w, word, &n.net, d))
		return;
	new = array_add(list, sizeof(*new));
	if (new == NULL)
		diag_no_memory(d, w->line, k->name);
	else
		*new = n;
}

/* The index of the { among the words; w->n if there is none. */
static size_t
brace(const struct words *w)
{
	size_t i = 1;

	while (i < w->n && strcmp(w->word[i], "{") != 0)
		i++;
	return i;
}

/* The block is opened even if its head is wrong: or else each line in it would be an error too. */
void
set_client(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	struct policy_lines *lines = policy_lines_open(s->policy_lines, w->line);
	size_t end = brace(w);

	if (lines == NULL) {
		diag_no_memory(d, w->line, k->name);
		return;
	}
	if (s->policy_lines->open == MAX_BLOCKS + 1)
		diag_error(d, w->line, k->name, "there can be %d blocks at most", MAX_BLOCKS);
	if (end == w->n)
		diag_error(d, w->line, k->name,
		    "the line does not end in a { with a blank before it; allowed is %s", k->args);
	else if (end + 1 < w->n)
		diag_error(d, w->line, k->name,
		    "'%s' stands behind the {; what is in the block goes on lines of its own",
		    w->word[end + 1]);
	else if (end == 1)
		diag_error(d, w->line, k->name, "names no network; allowed is %s", k->args);
	for (size_t i = 1; i < end; i++)
		add_network(k, w, w->word[i], &lines->nets, d);
	if (strcmp(w->word[w->n - 1], "}") == 0)
		policy_lines_close(s->policy_lines);
}

/* An error: "any" stands at the line OTHER of the opposite keyword too. */
static void
both_any(const struct words *w, const struct keyword *k, unsigned other, struct diag *d)
{
	char line[DIAG_LINE];

	diag_error(d, w->line, k->name,
	    "'any' is said of %s at %s; all others can only be allowed or denied",
	    strcmp(k->name, "allow") == 0 ? "deny" : "allow", diag_line(d, other, w->line, line));
}

void
set_allow(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	for (size_t i = 1; i < w->n; i++) {
		if (strcmp(w->word[i], "any") != 0)
			add_network(k, w, w->word[i], &s->policy_lines->allow, d);
		else if (s->policy_lines->deny_any > 0)
			both_any(w, k, s->policy_lines->deny_any, d);
		else
			s->policy_lines->allow_any = w->line;
	}
}

/* Is WORD a network of this machine alone, which may always ask? Then to deny it is an error. */
static bool
is_own(const struct keyword *k, const struct words *w, const char *word, struct diag *d)
{
	static const struct net own[] = { { { 127 }, 8, NETADDR_IPV4 },
		{ { [15] = 1 }, 128, NETADDR_IPV6 } };
	struct net net;

	if (value_net(word, &net) != VALUE_NET_OK)
		return false; /* add_network tells */
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		if (own[i].family == net.family && own[i].len <= net.len &&
		    net_holds(&own[i], net.addr)) {
			diag_error(d, w->line, k->name,
			    "'%s' is this machine itself, which may always ask", word);
			return true;
		}
	}
	return false;
}

void
set_deny(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	struct policy_lines_list *l = s->policy_lines;
	bool drop = strcmp(w->word[w->n - 1], "drop") == 0;
	size_t end = w->n - (drop || strcmp(w->word[w->n - 1], "refuse") == 0 ? 1 : 0);

	if (end == 1)
		diag_error(d, w->line, k->name, "names no network; allowed is %s", k->args);
	for (size_t i = 1; i < end; i++) {
		if (strcmp(w->word[i], "any") != 0) {
			if (!is_own(k, w, w->word[i], d))
				add_network(k, w, w->word[i], drop ? &l->ignore : &l->deny, d);
		} else if (l->allow_any > 0) {
			both_any(w, k, l->allow_any, d);
		} else {
			l->deny_any = w->line;
			l->ignore_any = drop;
		}
	}
}

void
set_web_allow(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	for (size_t i = 1; i < w->n; i++) {
		struct net net;

		if (strcmp(w->word[i], "any") == 0)
			s->web_allow_any = true;
		else if (!read_network(k, w, w->word[i], &net, d))
			continue;
		else if (s->n_web_allow == SETTINGS_WEB_NETS)
			diag_error(
			    d, w->line, k->name, "there can be %d at most", SETTINGS_WEB_NETS);
		else
			s->web_allow[s->n_web_allow++] = net;
	}
}

void
set_proxy_protocol(
    struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	struct conf_io *c = &s->conf.io;

	for (size_t i = 1; i < w->n; i++) {
		struct net net;

		if (!read_network(k, w, w->word[i], &net, d))
			continue;
		if (c->n_proxies == CONF_MAX_PROXIES) {
			diag_error(
			    d, w->line, k->name, "there can be %d at most", CONF_MAX_PROXIES);
			return;
		}
		c->proxies[c->n_proxies++] = net;
		if (net.len == 0)
			diag_warning(d, w->line, k->name,
			    "with %s whoever reaches this daemon can pass for any client; name "
			    "the addresses of the balancers only",
			    w->word[i]);
	}
}

void
set_rate_exempt(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	for (size_t i = 1; i < w->n; i++)
		add_network(k, w, w->word[i], &s->policy_lines->exempt, d);
}

/* The values of the line as bits: bit i for the i-th word of LIST. -1 with an error. */
static int
bits(const struct keyword *k, const char *list, const struct words *w, struct diag *d)
{
	int found = 0;

	for (size_t i = 1; i < w->n; i++) {
		int place = set_place(list, w->word[i]);

		if (place < 0) {
			diag_error(d, w->line, k->name, "'%s' is not one of %s", w->word[i], list);
			return -1;
		}
		found |= 1 << place;
	}
	return found;
}

static void
store_bits(struct settings *s, const struct keyword *k, int found)
{
	uint8_t *field = field_of(s, k);

	if (found >= 0)
		*field = (uint8_t)found;
}

void
set_triggers(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	/* in the order of enum policy_trigger */
	store_bits(s, k, bits(k, "nodata|error|timeout", w, d));
}

void
set_ede(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	bool alone = w->n == 2;

	if (alone && strcmp(w->word[1], "all") == 0)
		store_bits(s, k, POLICY_EDE_ALL);
	else if (alone && strcmp(w->word[1], "none") == 0)
		store_bits(s, k, 0);
	else if (alone && set_place(k->args, w->word[1]) < 0)
		diag_error(d, w->line, k->name, "'%s' is not one of %s", w->word[1], k->args);
	else
		/* in the order of enum policy_ede */
		store_bits(s, k, bits(k, "relay|synthesized|upstream|policy", w, d));
}

/* Read a domain name; an error if it is none. */
static bool
name(const struct keyword *k, const struct words *w, const char *word,
    uint8_t out[static DNS_NAME_MAX], struct diag *d)
{
	for (const char *c = word; *c != '\0'; c++) {
		if ((unsigned char)*c < 0x80)
			continue;
		diag_error(d, w->line, k->name,
		    "'%s' has letters beyond ASCII; write the form that is asked for, in xn-- "
		    "labels",
		    word);
		return false;
	}
	if (name_from_text(word, out) != 0)
		return true;
	diag_error(d, w->line, k->name,
	    "'%s' is not a domain name; allowed are labels of 1 to 63 characters with a dot "
	    "between them, 253 in all",
	    word);
	return false;
}

static void
add_zones(struct settings *s, const struct keyword *k, const struct words *w, enum policy_zone kind,
    struct diag *d)
{
	uint8_t wire[DNS_NAME_MAX];
	struct policy_lines_zone z = { .name = wire, .line = w->line, .kind = kind };

	for (size_t i = 1; i < w->n; i++) {
		const char *word = w->word[i];

		if (!name(k, w, word, wire, d))
			continue;
		if (strncmp(word, "*.", 2) == 0)
			diag_error(d, w->line, k->name,
			    "'%s': a zone is itself and all below it; write %s", word, word + 2);
		else if (!policy_lines_add_zone(policy_lines_now(s->policy_lines), &z))
			diag_no_memory(d, w->line, k->name);
	}
}

void
set_web_name(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	for (size_t i = 1; i < w->n; i++) {
		if (s->n_web_names == SETTINGS_WEB_NAMES)
			diag_error(
			    d, w->line, k->name, "there can be %d at most", SETTINGS_WEB_NAMES);
		else if (name(k, w, w->word[i], s->web_names[s->n_web_names], d))
			s->n_web_names++;
	}
}

void
set_never_synthesize(
    struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	add_zones(s, k, w, POLICY_ZONE_NEVER, d);
}

void
set_ignore_aaaa(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	add_zones(s, k, w, POLICY_ZONE_IGNORE_AAAA, d);
}

void
set_reverse(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	struct policy_lines *lines = policy_lines_now(s->policy_lines);
	bool local = strcmp(w->word[1], "local") == 0;

	if (local ? w->n != 3 : w->n != 2 || strcmp(w->word[1], "cname") != 0) {
		diag_error(d, w->line, k->name, "'%s' is not understood; allowed is %s",
		    w->word[w->n - 1], k->args);
		return;
	}
	lines->values.reverse = local ? POLICY_REVERSE_LOCAL : POLICY_REVERSE_CNAME;
	if (local)
		lines->has_reverse_name = name(k, w, w->word[2], lines->reverse_name, d);
}

/* The zone that NAME is in, or is, and whose names hosts ask for to be answered as RFCs say. NULL.
 */
static const char *
claimed_by(const uint8_t *health)
{
	uint8_t zone[DNS_NAME_MAX];
	size_t n;
	const struct special_zone *z = special_zones(&n);

	for (size_t i = 0; i < n; i++) {
		if (z[i].kind == SPECIAL_INVALID || z[i].kind == SPECIAL_LOCAL_ZONE)
			continue;
		if (name_from_text(z[i].name, zone) != 0 &&
		    (name_equal(health, zone) || name_is_below(health, zone)))
			return z[i].name;
	}
	return NULL;
}

void
set_health_name(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	struct conf_health h = { .len = 0 };
	const char *zone;

	if (strcmp(w->word[1], "none") != 0) {
		if (!name(k, w, w->word[1], h.name, d))
			return;
		h.len = (uint8_t)name_len(h.name);
		zone = claimed_by(h.name);
		if (h.len == 1)
			diag_error(d, w->line, k->name, "hosts and resolvers ask for the root");
		else if (zone != NULL)
			diag_error(d, w->line, k->name,
			    "'%s' is in %s, for which hosts ask; a name below invalid is nobody's",
			    w->word[1], zone);
	}
	s->conf.core.health = h;
}
