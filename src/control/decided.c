/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/decided.h"

#include <stdio.h>
#include <string.h>

#include "config/orders.h"
#include "config/origin.h"
#include "config/policy_lines.h"
#include "config/values.h"
#include "control/api_prefixes.h"
#include "control/api_stats.h"
#include "control/conf_location.h"
#include "dns/name.h"

/* Some reasons are brought about by one keyword, whose NAME is here; others by several. */
#define BY_ZONE "zone"
#define BY_IPV4 "IPv4"
#define BY_IPV6 "IPv6"
#define BY_ALLOW "allow"
#define BY_DENY "deny"
#define BY_PREFIXES "prefixes"
#define BY_ORDER "dns64ctl upstream"
#define BY_DENIAL "dns64ctl deny"

struct rule {
	enum reason reason;
	const char *name;
};

static const struct rule rules[] = {
	{ REASON_ANY_MINIMAL, "any" },
	{ REASON_SYNTH_ALWAYS, "synthesize" },
	{ REASON_CLIENT_NEVER, "synthesize" },
	{ REASON_CLIENT_FAMILY, "dns64-for" },
	{ REASON_NOT_ON_NODATA, "synthesize-on" },
	{ REASON_NO_PREFIX, BY_PREFIXES },
	{ REASON_HIDDEN_A, "hide-a" },
	{ REASON_REVERSE_NAME, "reverse" },
	{ REASON_LOCAL_ZONE, "local-zones" },
	{ REASON_VERSION, "version" },
	{ REASON_SERVER_ID, "server-id" },
	{ REASON_HEALTH, "health-name" },
	{ REASON_NOT_READY, "health-name" },
	{ REASON_DENIED, BY_ALLOW },
	{ REASON_DENIED_NETWORK, BY_DENY },
	{ REASON_DROP_DENIED, BY_DENY },
	{ REASON_DENIED_OPERATOR, BY_DENIAL },
	{ REASON_DROP_OPERATOR, BY_DENIAL },
	{ REASON_SILENT, BY_ORDER },
	{ REASON_STALE, BY_ORDER },
	{ REASON_STALE_NXDOMAIN, BY_ORDER },
	{ REASON_SYNTH_STALE, BY_ORDER },
	{ REASON_RATE_LIMITED, "rate-limit" },
	{ REASON_DROP_RATE, "rate-limit" },
	{ REASON_AMPLIFIED, "max-amplification" },
	{ REASON_SAME_QUESTION, "max-same-question" },
	{ REASON_A_EXCLUDED, BY_IPV4 },
	{ REASON_A_PRIVATE, BY_IPV4 },
	{ REASON_A_UNMAPPED, BY_IPV4 },
	{ REASON_NATIVE_FILTERED, BY_IPV6 },
	{ REASON_SYNTH_EXCLUDED, BY_IPV6 },
	{ REASON_ZONE_NEVER, BY_ZONE },
	{ REASON_SYNTH_IGNORED, BY_ZONE },
};

bool
decided_is_current(const struct decided *d)
{
	return d->job->explanation.policies == d->host->settings->conf.core.policies;
}

/* The first step; NULL: there was no room for the question. */
static const struct trace_step *
first(const struct decided *d)
{
	const struct trace *t = &d->job->explanation.trace;

	return t->n > 0 && t->step[0].kind == TRACE_BEGIN ? &t->step[0] : NULL;
}

static unsigned
policy_of(const struct decided *d)
{
	return first(d) != NULL ? first(d)->policy : 0;
}

static const struct policy_lines_list *
lines_of(const struct decided *d)
{
	return d->host->settings->policy_lines;
}

/* The line of the head of the client's block; 0: it is in none. */
static unsigned
block_of(const struct decided *d)
{
	return policy_lines_at(lines_of(d), policy_of(d))->line;
}

static json_t *
rule_json(const char *rule)
{
	return json_pack("{s:s}", "rule", rule);
}

/* The line L; NULL: none decided. */
static json_t *
line_json(const struct decided *d, const struct origin_line *l)
{
	json_t *j;

	if (l == NULL)
		return json_null();
	j = json_pack("{s:s, s:s, s:s}", "keyword", l->keyword->name, "value", l->value, "file",
	    d->host->path);
	conf_location_put(j, d->host->settings, l->line);
	return j;
}

/* The line of the number LINE; 0: none decided. */
static json_t *
line_at(const struct decided *d, unsigned line)
{
	return line_json(d, line > 0 ? origin_at(&d->host->settings->origin, line) : NULL);
}

static json_t *
by_keyword(const struct decided *d, const char *name)
{
	const struct origin_line *l = origin_setting(&d->host->settings->origin, name, block_of(d));

	return l != NULL ? line_json(d, l)
			 : json_pack("{s:s, s:s}", "rule", "the default", "keyword", name);
}

static json_t *
by_address(const struct decided *d, const struct trace_step *s)
{
	switch ((enum explain_verdict)s->verdict) {
	case EXPLAIN_GOOD:
		return json_null();
	case EXPLAIN_HIDDEN:
		return by_keyword(d, "hide-a");
	case EXPLAIN_PRIVATE:
		return rule_json("built in: it is not a global address (RFC 6052 section 3.1)");
	case EXPLAIN_EXCLUDED:
		if (s->line > 0)
			break;
		return rule_json(s->addr.family == NETADDR_IPV4
			? "built in: it is no address of a host"
			: "built in: ::ffff:0:0/96 (RFC 6147 section 5.1.4)");
	case EXPLAIN_MAPPED:
	case EXPLAIN_UNMAPPED:
		break;
	}
	return line_at(d, s->line);
}

json_t *
decided_address(const struct decided *d, const struct trace_step *s)
{
	return decided_is_current(d) ? by_address(d, s) : json_null();
}

/* What decided about the first address of FAMILY that is not handed out, nor mapped. */
static json_t *
by_family(const struct decided *d, uint8_t family)
{
	const struct trace *t = &d->job->explanation.trace;

	for (unsigned i = 0; i < t->n; i++) {
		const struct trace_step *s = &t->step[i];

		if (s->kind == TRACE_ADDRESS && s->addr.family == family &&
		    s->verdict != EXPLAIN_MAPPED && s->verdict != EXPLAIN_GOOD)
			return by_address(d, s);
	}
	return json_null();
}

/* No line lets the client ask. */
static json_t *
by_allow(const struct decided *d)
{
	const struct policy_lines_list *l = lines_of(d);

	return rule_json(l->allow.n > 0 || l->allow_any > 0
		? "no allow line has this client"
		: "there is no allow line: this machine and its own networks may ask");
}

/* The number of the line by which the client may ask, or may not; 0: none has it. */
static unsigned
client_line(const struct decided *d)
{
	return policies_client(d->job->explanation.policies, &d->job->client)->line;
}

/* The line by which the client may ask; this machine may, whatever the lines say. */
static json_t *
allowed_by(const struct decided *d)
{
	return netaddr_is_loopback(&d->job->client)
	    ? rule_json("built in: this machine may always ask")
	    : line_at(d, client_line(d));
}

/* The prefix of the client's policy that dns64ctl changed, or that stands last; none is active. */
static const struct policy_lines_prefix *
last_prefix(const struct settings *s, unsigned policy)
{
	const struct array *all =
	    policy_lines_in_force(s->policy_lines, policy_lines_at(s->policy_lines, policy));
	const struct policy_lines_prefix *p, *found = NULL;

	p = all->items;
	for (size_t i = 0; i < all->n; i++) {
		if (found == NULL || found->from != POLICY_LINES_TOLD ||
		    p[i].from == POLICY_LINES_TOLD)
			found = &p[i];
	}
	return found;
}

static json_t *
by_prefixes(const struct decided *d)
{
	const struct settings *s = d->host->settings;
	const struct policy_lines_prefix *p;
	char prefix[PREF64_TEXT], words[POLICY_LINES_WORDS];
	char value[PREF64_TEXT + POLICY_LINES_WORDS];
	json_t *j;

	p = last_prefix(s, policy_of(d));
	if (p == NULL)
		return json_null();
	snprintf(value, sizeof(value), "%s %s", pref64_format(&p->prefix, prefix),
	    policy_lines_words(p, words));
	j = json_pack("{s:s, s:s}", "keyword", "dns64-prefix", "value", value);
	api_prefixes_add_origin(j, d->host, api_prefixes_unsaid(s), p);
	return j;
}

/* The operator has left no upstream to be asked, if that is so. */
static json_t *
by_order(const struct decided *d)
{
	if (!orders_all_taken(d->host->settings))
		return json_null();
	return rule_json("all upstreams are drained or down by operator (dns64ctl upstream)");
}

/* The network that dns64ctl has denied, and which has the client. */
static json_t *
by_denial(const struct decided *d)
{
	const struct orders *o = d->host->settings->orders;
	const struct orders_denial *denial = orders_denial(o, &d->job->client);
	char net[VALUE_NET_TEXT], text[VALUE_NET_TEXT + 32];

	if (denial == NULL)
		return json_null();
	snprintf(text, sizeof(text), BY_DENIAL " %s%s", value_net_format(&denial->net, net),
	    denial->access == POLICY_IGNORED ? " drop" : "");
	return rule_json(text);
}

json_t *
decided_upstreams(const struct decided *d)
{
	const struct orders *o = d->host->settings->orders;
	json_t *list = json_array();
	char text[NETADDR_TEXT];

	for (size_t i = 0; o != NULL && i < o->n_upstreams; i++)
		(void)json_array_append_new(list,
		    json_pack("{s:s, s:s}", "address", netaddr_format(&o->upstreams[i].addr, text),
			"state", orders_state_word(o->upstreams[i].state)));
	return list;
}

json_t *
decided_reason(const struct decided *d)
{
	const char *name = NULL;

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (rules[i].reason == d->job->explanation.reason)
			name = rules[i].name;
	}
	if (name == NULL || !decided_is_current(d))
		return json_null();
	if (strcmp(name, BY_ZONE) == 0)
		return line_at(d, first(d) != NULL ? first(d)->line : 0);
	if (strcmp(name, BY_IPV4) == 0)
		return by_family(d, NETADDR_IPV4);
	if (strcmp(name, BY_IPV6) == 0)
		return by_family(d, NETADDR_IPV6);
	if (strcmp(name, BY_ALLOW) == 0)
		return by_allow(d);
	if (strcmp(name, BY_DENY) == 0)
		return line_at(d, client_line(d));
	if (strcmp(name, BY_PREFIXES) == 0)
		return by_prefixes(d);
	if (strcmp(name, BY_DENIAL) == 0)
		return by_denial(d);
	if (strcmp(name, BY_ORDER) == 0)
		return by_order(d);
	return by_keyword(d, name);
}

static json_t *
zone_json(const struct decided *d, const struct trace_step *s)
{
	char text[NAME_TEXT];

	if (s->zone == POLICY_ZONE_NONE)
		return json_null();
	return json_pack("{s:s, s:o*}", "name", name_to_text(s->name, text), "decided_by",
	    decided_is_current(d) ? line_at(d, s->line) : json_null());
}

json_t *
decided_policy(const struct decided *d)
{
	const struct explanation *t = &d->job->explanation;
	const struct trace_step *s = first(d);
	bool current = decided_is_current(d);
	unsigned number;
	bool may_ask;

	if (s == NULL || t->policies == NULL)
		return json_null();
	number = policies_find(t->policies, &d->job->client, &may_ask);
	return json_pack("{s:I, s:o*, s:b, s:o*, s:o*, s:o*, s:o}", "number", (json_int_t)number,
	    "block", current ? line_at(d, block_of(d)) : json_null(), "may_ask", may_ask,
	    "allowed_by", current && may_ask ? allowed_by(d) : json_null(), "zone", zone_json(d, s),
	    "prefixes",
	    api_stats_prefixes(
		current ? d->host->settings : NULL, number, &t->policies->table[number]),
	    "beyond_rate_limit", t->limited > 0 ? json_integer(t->limited) : json_null());
}
