/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/api_orders.h"

#include <string.h>

#include "base/clock.h"
#include "base/number.h"
#include "config/orders.h"
#include "config/values.h"
#include "control/control_ctx.h"
#include "control/params.h"
#include "control/reply.h"

/* The place of the text KEY of P among WORDS, ended by NULL; that of the end if it is none. */
static unsigned
find(const json_t *p, const char *key, const char *const *words)
{
	const char *text = params_text(p, key);
	unsigned i = 0;

	while (words[i] != NULL && (text == NULL || strcmp(words[i], text) != 0))
		i++;
	return i;
}

/* R is wrong, of which P was read: say why. */
static void
refuse(struct evhttp_request *r, json_t *p, const char *text, const char *const *allowed)
{
	json_decref(p);
	reply_error(r, HTTP_BADREQUEST, text, allowed);
}

void
api_upstream(struct evhttp_request *r, void *arg)
{
	/* In the order of enum conf_order. */
	static const char *const states[] = { "up", "drain", "down", NULL };
	struct control_ctx *d = arg;
	json_t *p = params_read(r);
	struct order w = { .what = ORDER_UPSTREAM };

	if (p == NULL)
		return;
	w.of = params_text(p, "address");
	w.state = find(p, "state", states);
	if (w.of == NULL)
		params_missing(r, p, "address");
	else if (states[w.state] == NULL)
		refuse(r, p, "state is not up, drain or down", states);
	else
		changes_order(&d->changes, r, &w, p);
}

/* Read "for" of P, seconds; 0 if it is missing. False: it is none. */
static bool
read_seconds(const json_t *p, uint32_t *seconds)
{
	const char *text = params_text(p, "for");
	uint64_t n = 0;

	*seconds = 0;
	if (text == NULL)
		return true;
	if (!number_parse(text, strlen(text), ORDERS_MOST_S, &n) || n == 0)
		return false;
	*seconds = (uint32_t)n;
	return true;
}

#define WRONG_SECONDS "for is not a number of seconds from 1 to 31536000"

/* How long an order lasts yet that ends at UNTIL_NS; null: without end. */
static json_t *
left_json(uint64_t until_ns)
{
	uint64_t now_ns = clock_now_ns();

	if (until_ns == 0)
		return json_null();
	return json_integer(
	    until_ns > now_ns ? (json_int_t)((until_ns - now_ns) / NS_PER_SEC) + 1 : 0);
}

/* --- networks --------------------------------------------------------------------------------- */

json_t *
api_orders_denials(const struct settings *s)
{
	const struct orders *o = s->orders;
	json_t *list = json_array();
	char text[VALUE_NET_TEXT];

	for (size_t i = 0; o != NULL && i < o->n_denials; i++) {
		const struct orders_denial *d = &o->denials[i];

		(void)json_array_append_new(list,
		    json_pack("{s:s, s:b, s:I, s:o}", "network", value_net_format(&d->net, text),
			"drop", d->access == POLICY_IGNORED, "since", (json_int_t)d->since,
			"left_s", left_json(d->until_ns)));
	}
	return list;
}

void
api_deny(struct evhttp_request *r, void *arg)
{
	static const char *const yes_or_no[] = { "yes", "no", NULL };
	struct order w = { .what = ORDER_DENY, .state = POLICY_DENIED };
	struct control_ctx *d = arg;
	json_t *p = params_read(r);
	unsigned drop;

	if (p == NULL)
		return;
	if (!params_posted(r)) {
		json_decref(p);
		reply_json(r, HTTP_OK,
		    json_pack("{s:o*, s:i}", "denied", api_orders_denials(d->host.settings), "most",
			ORDERS_DENIALS));
		return;
	}
	w.of = params_text(p, "network");
	drop = params_text(p, "drop") == NULL ? 1 : find(p, "drop", yes_or_no);
	if (drop == 0)
		w.state = POLICY_IGNORED;
	if (w.of == NULL)
		params_missing(r, p, "network");
	else if (yes_or_no[drop] == NULL)
		refuse(r, p, "drop is neither yes nor no", yes_or_no);
	else if (!read_seconds(p, &w.seconds))
		refuse(r, p, WRONG_SECONDS, NULL);
	else
		changes_order(&d->changes, r, &w, p);
}

void
api_undeny(struct evhttp_request *r, void *arg)
{
	struct order w = { .what = ORDER_UNDENY };
	struct control_ctx *d = arg;
	json_t *p = params_read(r);

	if (p == NULL)
		return;
	w.of = params_text(p, "network");
	if (w.of == NULL)
		params_missing(r, p, "network");
	else
		changes_order(&d->changes, r, &w, p);
}

/* --- the query log ---------------------------------------------------------------------------- */

static json_t *
querylog_json(const struct settings *s)
{
	const struct orders *o = s->orders;
	bool ordered = o != NULL && o->log != ORDERS_LOG_CONFIG;

	return json_pack("{s:s, s:o, s:o, s:o}", "state",
	    orders_log_word(ordered ? o->log : ORDERS_LOG_CONFIG), "since",
	    ordered ? json_integer((json_int_t)o->log_since) : json_null(), "left_s",
	    ordered ? left_json(o->log_until_ns) : json_null(), "to", reply_text(s->query_log));
}

void
api_querylog(struct evhttp_request *r, void *arg)
{
	/* In the order of enum orders_log. */
	static const char *const states[] = { "config", "on", "off", "failures", NULL };
	struct order w = { .what = ORDER_QUERYLOG };
	struct control_ctx *d = arg;
	json_t *p = params_read(r);

	if (p == NULL)
		return;
	if (!params_posted(r)) {
		json_decref(p);
		reply_json(r, HTTP_OK, querylog_json(d->host.settings));
		return;
	}
	w.state = find(p, "state", states);
	if (states[w.state] == NULL)
		refuse(r, p, "state is not config, on, off or failures", states);
	else if (!read_seconds(p, &w.seconds))
		refuse(r, p, WRONG_SECONDS, NULL);
	else if (w.state == ORDERS_LOG_CONFIG && w.seconds != 0)
		refuse(r, p, "for does not go with config, which is no order that ends", NULL);
	else
		changes_order(&d->changes, r, &w, p);
}
