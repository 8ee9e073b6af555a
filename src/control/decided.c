/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/decided.h"

#include <stdio.h>
#include <string.h>

#include "config/conf_decision.h"
#include "config/orders.h"
#include "config/policy_lines.h"
#include "config/prefix_file.h"
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

static const struct origin *
origin_of(const struct decided *d)
{
	return &d->host->settings->origin;
}

/* The first step; NULL: there was no room for the question. */
static const struct trace_step *
first(const struct decided *d)
{
	const struct trace *t = &d->job->explanation.trace;

	return t->n > 0 && t->step[0].kind == TRACE_POLICY ? &t->step[0] : NULL;
}

static unsigned
policy_of(const struct decided *d)
{
	return first(d) != NULL ? first(d)->policy : 0;
}

static json_t *
line_json(const struct decided *d, const struct origin_line *l)
{
	json_t *j = json_pack("{s:s, s:s}", "keyword", l->keyword->name, "value", l->value);

	if (l->line == 0) {
		(void)json_object_set_new(j, "from", json_string("command line"));
		return j;
	}
	(void)json_object_set_new(j, "file", json_string(d->host->path));
	conf_location_put(j, d->host->settings, l->line);
	return j;
}

static json_t *
where_json(const struct decided *d, struct conf_decision w)
{
	if (!decided_is_current(d) || (w.line == NULL && w.rule == NULL))
		return json_null();
	return w.line != NULL ? line_json(d, w.line) : json_pack("{s:s}", "rule", w.rule);
}

json_t *
decided_address(const struct decided *d, const struct trace_step *s)
{
	if (s->verdict == EXPLAIN_HIDDEN)
		return where_json(d, conf_decision_keyword(origin_of(d), policy_of(d), "hide-a"));
	if (s->addr.family == NETADDR_IPV4 && s->verdict != EXPLAIN_GOOD) {
		struct conf_decision w = conf_decision_a(origin_of(d), policy_of(d), s->addr.addr);

		/* What speaks against 64:ff9b::/96 is no reason for another prefix. */
		return s->verdict == EXPLAIN_MAPPED && w.line == NULL ? json_null()
								      : where_json(d, w);
	}
	if (s->verdict != EXPLAIN_EXCLUDED)
		return json_null();
	return where_json(d, conf_decision_aaaa(origin_of(d), policy_of(d), s->addr.addr));
}

/* What decided about the first address of FAMILY that is not handed out, nor mapped. */
static json_t *
by_address(const struct decided *d, uint8_t family)
{
	const struct trace *t = &d->job->explanation.trace;

	for (unsigned i = 0; i < t->n; i++) {
		const struct trace_step *s = &t->step[i];

		if (s->kind == TRACE_ADDRESS && s->addr.family == family &&
		    s->verdict != EXPLAIN_MAPPED && s->verdict != EXPLAIN_GOOD)
			return decided_address(d, s);
	}
	return json_null();
}

static json_t *
by_zone(const struct decided *d)
{
	static const char *const names[] = {
		[POLICY_ZONE_NEVER] = "never-synthesize", [POLICY_ZONE_IGNORE_AAAA] = "ignore-aaaa"
	};
	const struct trace_step *s = first(d);

	if (s == NULL || s->zone > POLICY_ZONE_IGNORE_AAAA)
		return json_null();
	return where_json(d, conf_decision_zone(origin_of(d), s->policy, names[s->zone], s->name));
}

static json_t *
by_keyword(const struct decided *d, const char *name)
{
	struct conf_decision w = conf_decision_keyword(origin_of(d), policy_of(d), name);
	json_t *j = where_json(d, w);

	if (w.line == NULL && json_is_object(j))
		(void)json_object_set_new(j, "keyword", json_string(name));
	return j;
}

/* No line lets the client ask. */
static json_t *
by_allow(const struct decided *d)
{
	struct conf_decision w = conf_decision_keyword(origin_of(d), 0, "allow");

	return where_json(d,
	    (struct conf_decision){ .rule = w.line != NULL
		    ? "no allow line has this client"
		    : "there is no allow line: this machine and its own networks may ask" });
}

/* The prefix of the client's policy that dns64ctl changed, or that stands last; none is active. */
static const struct policy_lines_prefix *
last_prefix(const struct settings *s, unsigned policy)
{
	const struct array *all = &policy_lines_at(s->policy_lines, policy)->prefixes;
	const struct policy_lines_prefix *p, *found = NULL;

	if (all->n == 0)
		all = &policy_lines_at(s->policy_lines, 0)->prefixes;
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
	char prefix[PREF64_TEXT], value[PREF64_TEXT + sizeof(" active")];
	json_t *j;

	p = decided_is_current(d) ? last_prefix(s, policy_of(d)) : NULL;
	if (p == NULL)
		return json_null();
	snprintf(value, sizeof(value), "%s %s", pref64_format(&p->prefix, prefix),
	    prefix_file_state(p->state));
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
	return where_json(d,
	    (struct conf_decision){
		.rule = "all upstreams are drained or down by operator (dns64ctl upstream)" });
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
	return where_json(d, (struct conf_decision){ .rule = text });
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
	if (name == NULL)
		return json_null();
	if (strcmp(name, BY_ZONE) == 0)
		return by_zone(d);
	if (strcmp(name, BY_IPV4) == 0)
		return by_address(d, NETADDR_IPV4);
	if (strcmp(name, BY_IPV6) == 0)
		return by_address(d, NETADDR_IPV6);
	if (strcmp(name, BY_ALLOW) == 0)
		return by_allow(d);
	if (strcmp(name, BY_DENY) == 0)
		return where_json(d, conf_decision_deny(origin_of(d), &d->job->client));
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

	if (s->zone == ZONEMAP_NONE)
		return json_null();
	return json_pack(
	    "{s:s, s:o*}", "name", name_to_text(s->name, text), "decided_by", by_zone(d));
}

json_t *
decided_policy(const struct decided *d)
{
	const struct explanation *t = &d->job->explanation;
	const struct trace_step *s = first(d);
	const struct conf_decision block = {
		.line = conf_decision_block(origin_of(d), policy_of(d)),
	};
	unsigned number;
	bool may_ask;

	if (s == NULL || t->policies == NULL)
		return json_null();
	number = policies_find(t->policies, &d->job->client, &may_ask);
	return json_pack("{s:I, s:o*, s:b, s:o*, s:o*, s:o*, s:o}", "number", (json_int_t)number,
	    "block", where_json(d, block), "may_ask", may_ask, "allowed_by",
	    may_ask ? where_json(d, conf_decision_allow(origin_of(d), &d->job->client))
		    : json_null(),
	    "zone", zone_json(d, s), "prefixes", api_stats_prefixes(&t->policies->table[number]),
	    "beyond_rate_limit", t->limited > 0 ? json_integer(t->limited) : json_null());
}
