/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * engine_tell: somebody wants to know of each answer: the debug log, the query log; or of each
 * message: dnstap; or all about one question: engine/explain.
 */
#include "engine/engine.h"

#include <string.h>

#include "base/log.h"
#include "dns/header.h"
#include "dns/name.h"
#include "engine/clientlog.h"
#include "engine/engine_parts.h"
#include "engine/explain.h"
#include "engine/querylog_tap.h"
#include "engine/request.h"
#include "engine/svcb.h"
#include "outbound/match.h"

/* The messages that are to be captured, enum conf_dnstap_type, as bits. */
static unsigned
dnstap_types(const struct engine *e)
{
	return e->dnstap_tap == NULL ? 0 : e->queries.conf->dnstap.types;
}

/* Find out who wants to know of what becomes of lookups. */
static void
watch_upstream(struct engine *e)
{
	struct explanation *t = e->queries.explanation;

	e->watched_upstream = t != NULL || (dnstap_types(e) & CONF_DNSTAP_FORWARDER) != 0;
	e->lookups.traced.trace = t != NULL ? &t->trace : NULL;
	e->lookups.traced.anybody = t != NULL ||
	    (log_debugs(LOG_ANY) && (log_debugs(LOG_UPSTREAM) || log_debugs(LOG_CACHE)));
	if (UNLIKELY(e->lookups.traced.anybody))
		upstreams_watch(&e->upstreams);
}

void
engine_watch(struct engine *e)
{
	e->watched = log_debugs(LOG_ANY) || e->top.on ||
	    (e->querylog_tap != NULL && e->queries.conf->querylog.select != 0) ||
	    (dnstap_types(e) & CONF_DNSTAP_CLIENT) != 0;
	watch_upstream(e);
}

/* Hand on a message that R tells all but the time of. */
static void
copy_message(struct engine *e, struct dnstap_tap_record *r, const uint8_t *msg)
{
	r->at_ns = e->now_ns;
	dnstap_tap_put(e->dnstap_tap, &e->queries.conf->dnstap, r, msg);
}

void
engine_set_taps(struct engine *e, struct querylog_tap *q, struct dnstap_tap *d)
{
	e->querylog_tap = q;
	e->dnstap_tap = d;
	engine_watch(e);
}

void
engine_tell_asked(struct engine *e, const struct packet_in *in)
{
	struct dnstap_tap_record r = { .peer = *packet_client(in),
		.local = in->from.local,
		.len = (uint16_t)in->len,
		.type = CONF_CLIENT_QUERY,
		.transport = in->from.transport };
	bool logs = log_debugs(LOG_CLIENT);
	/* What is no question gets no answer. */
	bool taps = (dnstap_types(e) & CONF_CLIENT_QUERY) != 0 && in->len >= DNS_HEADER_LEN &&
	    (header_flags(in->msg) & DNS_QR) == 0;

	if ((!logs && !taps) || request_is_health(e->queries.conf, in))
		return;
	if (logs)
		clientlog_question(in);
	if (taps)
		copy_message(e, &r, in->msg);
}

void
engine_top(struct engine *e, enum top_kind kind, struct top_counts **c, uint64_t now_ns)
{
	top_read(&e->top, kind, c, now_ns);
	engine_watch(e);
}

/* The answer MSG is given for what A tells. */
static void
count_top(struct engine *e, struct top_answer a, const uint8_t *msg)
{
	a.rcode = header_flags(msg) & DNS_RCODE;
	top_count(&e->top, &a);
}

/* Whose reply the answer to Q was made of; NULL: that of the cache, or of nobody. */
static const struct conf_upstream *
upstream_of(const struct engine *e, const struct query *q)
{
	unsigned u = e->result.upstream;

	if (!q->came.with_msg || e->queries.cached || q->state == QUERY_LOCAL || u >= UPSTREAM_MAX)
		return NULL;
	return engine_upstream(e, u);
}

void
engine_tell(struct engine *e, struct query *q, const uint8_t *msg, size_t len)
{
	const struct conf_upstream *upstream = upstream_of(e, q);
	struct querylog_tap_record r = { .at_ns = e->now_ns,
		.client = *query_client(q),
		.us = (uint32_t)((e->now_ns - query_came_ns(q)) / 1000),
		.age_s = e->queries.cached ? e->queries.fetch->entry.age_s : QUERYLOG_TAP_NO_AGE,
		.len = (uint16_t)len,
		.reason = q->reason,
		.transport = q->from.transport,
		.waited = query_waited(q) };

	if (query_is_health(q))
		return;
	if (e->top.on)
		count_top(e,
		    (struct top_answer){ .client = query_client(q),
			.qname = q->req.qname,
			.qname_len = q->req.qname_len,
			.reason = (enum reason)q->reason },
		    msg);
	if (log_debugs(LOG_DNS64))
		clientlog_dns64(q, &query_policy(&e->queries, q)->synth, msg, len);
	if (log_debugs(LOG_CLIENT))
		clientlog_answer(q, msg, len, e->now_ns);
	if ((dnstap_types(e) & CONF_CLIENT_RESPONSE) != 0)
		copy_message(e,
		    &(struct dnstap_tap_record){ .asked_ns = query_came_ns(q),
			.peer = *query_client(q),
			.local = q->from.local,
			.len = (uint16_t)len,
			.type = CONF_CLIENT_RESPONSE,
			.reason = q->reason,
			.transport = q->from.transport },
		    msg);
	if (e->querylog_tap == NULL || e->queries.conf->querylog.select == 0)
		return;
	if (upstream != NULL)
		r.upstream = upstream->addr;
	querylog_tap_put(e->querylog_tap, &e->queries.conf->querylog, &r, msg,
	    header_question_end(q->req.qname_len));
}

void
engine_tell_repeated(struct engine *e, const uint8_t *msg, size_t len)
{
	const struct packetcache_why why = packetcache_why(e->packetcache);
	const struct querylog_tap_record r = { .at_ns = e->now_ns,
		.client = *packet_client(&e->repeated),
		.age_s = why.age_s,
		.len = (uint16_t)len,
		.reason = (uint8_t)why.reason };

	if (e->top.on)
		count_top(e,
		    (struct top_answer){ .client = packet_client(&e->repeated),
			.qname = msg + HEADER_QNAME,
			.qname_len = name_len(msg + HEADER_QNAME),
			.reason = why.reason },
		    msg);
	if (log_debugs(LOG_CLIENT))
		clientlog_repeated(packet_client(&e->repeated), msg, len, why.reason);
	if ((dnstap_types(e) & CONF_CLIENT_RESPONSE) != 0)
		copy_message(e,
		    &(struct dnstap_tap_record){ .asked_ns = e->now_ns,
			.peer = *packet_client(&e->repeated),
			.local = e->repeated.from.local,
			.len = (uint16_t)len,
			.type = CONF_CLIENT_RESPONSE,
			.reason = (uint8_t)why.reason },
		    msg);
	if (e->querylog_tap != NULL && e->queries.conf->querylog.select != 0)
		querylog_tap_put(e->querylog_tap, &e->queries.conf->querylog, &r, msg, len);
}

/* --- One question, step by step --------------------------------------------------------------- */

/* Note whose client asks, and where the question begins. */
static void
note_policy(struct engine *e, struct query *q)
{
	const struct policy *p = query_policy(&e->queries, q);
	struct trace_step *s = trace_add(&e->queries.explanation->trace, TRACE_BEGIN, e->now_ns);
	struct zonemap_path path;
	uint32_t value;
	size_t at;

	s->policy = q->policy; /* the first step always has room */
	s->state = q->state;
	s->zone = POLICY_ZONE_NONE;
	if (p->zones == NULL || q->req.qname_len == 0)
		return;
	zonemap_path(&path, q->req.qname, q->req.qname_len);
	value = zonemap_find(p->zones, &path, &at);
	if (value == ZONEMAP_NONE)
		return;
	s->zone = (uint8_t)policy_zone(value);
	s->line = policy_line(value);
	memcpy(s->name, q->req.qname + at, q->req.qname_len - at);
}

bool
engine_ignores(const struct engine *e, const struct netaddr *client)
{
	return policies_ignore(e->queries.conf->policies, client);
}

/* Make the client's message IN a query that T explains, and count it nowhere. NULL: no room.
 */
static struct query *
accept_uncounted(struct engine *e, const struct packet_in *in, struct explanation *t)
{
	bool udp = !transport_is_stream(in->from.transport);
	struct query *q;

	if (udp && !request_is_health(e->queries.conf, in))
		t->limited =
		    (uint8_t)limit_would_question(&e->limits, packet_client(in), e->now_ns);
	e->queries.explanation = t;
	e->queries.stats = &t->uncounted;
	q = request_accept(&e->queries, in, t->limited > 0 && !e->queries.conf->rate.dry_run);
	e->queries.stats = &e->stats;
	if (q == NULL)
		return NULL;
	q->explained = true;
	q->dry = t->dry;
	if (t->dry)
		q->req.flags &= (uint16_t)~DNS_RD;
	return q;
}

bool
engine_explain(struct engine *e, const struct packet_in *in, struct explanation *t, uint64_t now_ns)
{
	struct query *q;

	if (e->queries.explanation != NULL)
		return false;
	e->now_ns = now_ns;
	explain_init(t, now_ns);
	t->policies = policies_ref(e->queries.conf->policies);
	q = accept_uncounted(e, in, t);
	if (q == NULL) { /* a sound message is dropped for want of room, or by a deny line */
		e->queries.explanation = NULL;
		explain_end(t,
		    engine_ignores(e, packet_client(in))
			? request_ignored(t->policies, packet_client(in))
			: REASON_DROP_FULL,
		    false, NULL, 0);
		return true;
	}
	watch_upstream(e);
	note_policy(e, q);
	query_start_soon(&e->queries, q);
	return true;
}

/* The answer of LEN bytes to the query that is explained: note what its client would get. */
static void
end_trace(struct engine *e, const struct query *q, const uint8_t *msg, size_t len)
{
	const struct conf_rate *rate = &e->queries.conf->rate;
	struct explanation *t = e->queries.explanation;
	enum reason reason = (enum reason)q->reason;

	if (reason == REASON_RATE_LIMITED && rate->slip == 0) {
		reason = REASON_DROP_RATE;
		len = 0;
	} else if (!rate->dry_run && limit_would_answer(&e->limits, q, len, e->now_ns) > 0) {
		reason = REASON_AMPLIFIED;
		len = 0;
	}
	e->queries.explanation = NULL;
	watch_upstream(e);
	explain_end(t, reason, query_waited(q), msg, len);
}

void
engine_take_aside(struct engine *e, struct query *q, const uint8_t *msg, size_t len)
{
	if (q->child)
		svcb_take(&e->queries, q, msg, len);
	else
		end_trace(e, q, msg, len);
	query_free(&e->queries, q);
}

/* The upstream with the number U; it may be gone. */
static struct netaddr
address_of(const struct engine *e, unsigned u)
{
	const struct conf_upstream *c = u < UPSTREAM_MAX ? engine_upstream(e, u) : NULL;

	return c != NULL ? c->addr : (struct netaddr){ .family = NETADDR_NONE };
}

/* The number of the upstream that ROUTE leads to. */
static unsigned
upstream_at(const struct engine *e, const struct packet_route *route)
{
	return transport_is_stream(route->transport) ? route->sock / TCP_POOL_SIZE
						     : e->upstreams.sockets[route->sock].upstream;
}

/* --- To and from upstreams -------------------------------------------------------------------- */

void
engine_tell_sent(
    struct engine *e, const struct packet_out *send, const uint8_t *udp, const uint8_t *tcp)
{
	const uint8_t *msg = transport_is_stream(send->to.transport) ? tcp : udp;
	struct dnstap_tap_record r = { .len = (uint16_t)send->len,
		.type = CONF_FORWARDER_QUERY,
		.transport = send->to.transport };

	if ((dnstap_types(e) & CONF_FORWARDER_QUERY) == 0)
		return;
	r.peer = address_of(e, upstream_at(e, &send->to));
	copy_message(e, &r, msg);
}

/* Only what a question waits for is captured: a forger's guesses would leave no room for it. */
void
engine_tell_came(struct engine *e, const struct packet_in *in)
{
	struct dnstap_tap_record r = { .len = (uint16_t)in->len,
		.type = CONF_FORWARDER_RESPONSE,
		.transport = in->from.transport };

	r.peer = address_of(e, upstream_at(e, &in->from));
	if (e->queries.explanation != NULL)
		trace_came(&e->queries.explanation->trace, &r.peer,
		    (enum transport)in->from.transport, in->msg, in->len, e->now_ns);
	if ((dnstap_types(e) & CONF_FORWARDER_RESPONSE) == 0 ||
	    !match_sent_ns(&e->lookups, in, &r.asked_ns))
		return;
	copy_message(e, &r, in->msg);
}
