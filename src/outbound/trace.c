/* SPDX-License-Identifier: BSD-2-Clause */
#include "outbound/trace.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "dns/mnemonic.h"

const char *
trace_about(char text[static TRACE_ABOUT], const uint8_t *name, uint16_t qtype)
{
	char name_text[NAME_TEXT], type[TYPE_TEXT];

	snprintf(
	    text, TRACE_ABOUT, "%s %s", name_to_text(name, name_text), type_to_text(qtype, type));
	return text;
}

struct trace_step *
trace_add(struct trace *t, enum trace_kind kind, uint64_t now_ns)
{
	struct trace_step *s;

	if (t->n == TRACE_STEPS) {
		t->n_left_out++;
		return NULL;
	}
	s = &t->step[t->n++];
	memset(s, 0, sizeof(*s));
	s->kind = (uint8_t)kind;
	s->us = (uint32_t)((now_ns - t->began_ns) / 1000);
	return s;
}

/* Was a question for this name and type noted? A is asked beside AAAA that is late. */
static bool
is_noted(const struct trace *t, const uint8_t *name, uint16_t type)
{
	for (unsigned i = 0; i < t->n; i++) {
		const struct trace_step *s = &t->step[i];

		if (s->kind == TRACE_QUESTION && name_equal(s->name, name) &&
		    (s->type == type || (s->type == DNS_TYPE_AAAA && type == DNS_TYPE_A)))
			return true;
	}
	return false;
}

/* Write the line about S, of a kind that has one. */
static void
write_line(const struct trace_step *s)
{
	const char *over = transport_traits[s->transport].title;
	char about[TRACE_ABOUT], addr[NETADDR_TEXT], rcode[MNEMONIC_TEXT];

	trace_about(about, s->name, s->type);
	netaddr_format(&s->addr, addr);
	if (s->kind == TRACE_SENT)
		log_debug(LOG_UPSTREAM, "%s: asked for %s over %s, attempt %u: %s", addr, about,
		    over, s->attempt, s->words);
	else if (s->kind == TRACE_CAME)
		log_debug(LOG_UPSTREAM, "%s: replies about %s over %s in %.3f ms: %s%s, %u answers",
		    addr, about, over, trace_ms(s->took_ns), mnemonic_rcode(s->rcode, rcode),
		    s->truncated ? ", truncated" : "", s->n_answers);
	else if (s->kind == TRACE_SILENT)
		log_debug(LOG_UPSTREAM, "%s: no reply about %s over %s in %.3f ms", addr, about,
		    over, trace_ms(s->took_ns));
	else if (s->ttl_s == 0)
		log_debug(LOG_CACHE, "not kept %s: it has no time to live", about);
	else
		log_debug(LOG_CACHE, "kept %s: %s, TTL %u", about, s->words, s->ttl_s);
}

/*
 * Write the line of S, if its category is read, and append S to T (NULL: nobody's) if T's question
 * has led to that one.
 */
static void
note(struct trace *t, struct trace_step *s, uint64_t now_ns)
{
	struct trace_step *to;

	if (log_debugs(s->kind == TRACE_KEPT ? LOG_CACHE : LOG_UPSTREAM))
		write_line(s);
	if (t == NULL || !is_noted(t, s->name, s->type))
		return;
	/* The step of trace_came is this one, before it was known whose reply it is. */
	if (s->kind == TRACE_CAME && t->came) {
		t->came = false;
		if (t->n_left_out > 0)
			return;
		t->n--;
	}
	to = trace_add(t, (enum trace_kind)s->kind, now_ns);
	if (to == NULL)
		return;
	s->us = to->us;
	*to = *s;
}

/* --- upstream --------------------------------------------------------------------------------- */

/* Why L asks the upstream that it asks first. */
static const char *
why_first(const struct upstreams *us, const struct lookup *l, unsigned before)
{
	static const char *const modes[] = { [CONF_RANDOM] = "among the cheapest, by chance",
		[CONF_FASTEST] = "the fastest",
		[CONF_ROUND_ROBIN] = "the next in turn",
		[CONF_IN_ORDER] = "the first in order that is good" };

	if (us->n_order == 1)
		return "the only one";
	if (upstreams_all_down(us))
		return "all are down";
	if (l->exploring)
		return "to measure it again";
	if (before == l->upstream)
		return "it replied about this name before";
	return modes[us->selection];
}

static const char *
why(const struct upstreams *us, const struct lookup *l, unsigned before)
{
	if (l->probe.is)
		return "a probe";
	if (l->n_sends == 1)
		return why_first(us, l, before);
	if (l->check != LOOKUP_CHECK_NONE)
		return "to find out whether SERVFAIL means that the data is bogus";
	if (l->here.suspect != LOOKUP_NO_SUSPECT)
		return "to confirm a reply that may be forged";
	if (before == l->upstream)
		return "the same once more";
	if (l->tried.best_rcode != DNS_NOERROR)
		return "after an error";
	return l->earlier != NULL ? "beside one that is slow or silent" : "another one";
}

/* A step of KIND about A, an attempt of L, for which was waited until NOW_NS. */
static struct trace_step
of_attempt(enum trace_kind kind, const struct lookups *ls, const struct lookup *l,
    const struct attempt *a, uint64_t now_ns)
{
	struct trace_step s = { .kind = (uint8_t)kind,
		.addr = ls->upstreams->table[a->upstream].conf.addr,
		.transport = a->transport,
		.type = l->key.qtype,
		.took_ns = now_ns - a->sent_ns };

	memcpy(s.name, l->key.qname, l->key.qname_len);
	return s;
}

void
trace_asks(const struct lookups *ls, const struct lookup *l, unsigned before)
{
	struct trace_step s = of_attempt(TRACE_SENT, ls, l, &l->now, l->now.sent_ns);

	s.attempt = l->n_sends;
	s.words = why(ls->upstreams, l, before);
	note(ls->traced.trace, &s, l->now.sent_ns);
}

void
trace_came(struct trace *t, const struct netaddr *from, enum transport transport,
    const uint8_t *msg, size_t len, uint64_t now_ns)
{
	struct trace_step *s;
	struct msg m;

	t->came = msg_parse(&m, msg, len) == MSG_OK && m.qname_len > 0 &&
	    is_noted(t, msg_qname(&m), m.qtype);
	if (!t->came)
		return;
	s = trace_add(t, TRACE_CAME, now_ns);
	if (s == NULL)
		return;
	s->addr = *from;
	s->transport = (uint8_t)transport;
	s->type = m.qtype;
	s->rcode = m.rcode;
	name_lower(s->name, msg_qname(&m), m.qname_len);
}

void
trace_reply(const struct lookups *ls, const struct lookup *l, const struct msg *m, uint64_t now_ns)
{
	struct trace_step s = of_attempt(TRACE_CAME, ls, l, &l->now, now_ns);

	s.taken = true;
	s.rcode = m->rcode;
	s.truncated = (m->flags & DNS_TC) != 0;
	s.n_answers = m->count[MSG_ANSWER];
	note(ls->traced.trace, &s, now_ns);
}

void
trace_silent(
    const struct lookups *ls, const struct lookup *l, const struct attempt *a, uint64_t now_ns)
{
	struct trace_step s = of_attempt(TRACE_SILENT, ls, l, a, now_ns);

	note(ls->traced.trace, &s, now_ns);
}

/* --- cache ------------------------------------------------------------------------------------ */

static const char *
kind_text(enum cache_kind kind)
{
	static const char *const names[] = { [CACHE_POSITIVE] = "data",
		[CACHE_NODATA] = "no data",
		[CACHE_NXDOMAIN] = "it does not exist",
		[CACHE_ERROR] = "upstream's error",
		[CACHE_SILENT] = "upstream's silence",
		[CACHE_BOGUS] = "it is bogus" };

	return names[kind];
}

void
trace_found(const struct question *key, const struct cache_entry *e)
{
	char about[TRACE_ABOUT];

	log_debug(LOG_CACHE, "%s %s: %s, %u s old, TTL %u%s", cache_fresh(e) ? "hit" : "stale",
	    trace_about(about, key->qname, key->qtype), kind_text(e->kind), e->age_s, e->ttl_s,
	    e->due ? ", to be refreshed" : "");
}

void
trace_kept(const struct lookups *ls, const struct question *key, const struct cache_entry *e,
    uint64_t now_ns)
{
	struct trace_step s = { .kind = TRACE_KEPT,
		.type = key->qtype,
		.entry = (uint8_t)e->kind,
		.words = kind_text(e->kind),
		.ttl_s = e->ttl_s };

	memcpy(s.name, key->qname, key->qname_len);
	note(ls->traced.trace, &s, now_ns);
}
