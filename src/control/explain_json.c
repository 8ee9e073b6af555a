/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/explain_json.h"

#include <stdio.h>
#include <string.h>

#include "control/decided.h"
#include "dns/mnemonic.h"
#include "dns/print.h"
#include "dns/type.h"
#include "engine/state.h"

#define SUMMARY 160 /* bytes of the longest summary of an answer */

/* --- Steps ------------------------------------------------------------------------------------ */

static json_t *
text_of(const struct netaddr *a)
{
	char text[NETADDR_TEXT];

	return a->family == NETADDR_NONE ? json_null() : json_string(netaddr_format(a, text));
}

static void
put(json_t *j, const char *key, const char *text)
{
	(void)json_object_set_new(j, key, json_string(text));
}

static void
put_bool(json_t *j, const char *key, bool value)
{
	(void)json_object_set_new(j, key, json_boolean(value));
}

static void
put_question(json_t *j, const struct trace_step *s)
{
	char name[NAME_TEXT], type[TYPE_TEXT];

	put(j, "name", name_to_text(s->name, name));
	put(j, "type", type_to_text(s->type, type));
}

static void
put_rcode(json_t *j, uint16_t rcode)
{
	char text[MNEMONIC_TEXT];

	put(j, "rcode", mnemonic_rcode(rcode, text));
}

static void
put_event(json_t *j, const struct trace_step *s)
{
	put(j, "state", query_state_name((enum query_state)s->state));
	if (s->state == QUERY_SVCB) {
		put(j, "outcome", s->late ? "late" : "done");
		(void)json_object_set_new(j, "added", json_integer(s->n_added));
		return;
	}
	put(j, "outcome", lookup_outcome_name((enum lookup_outcome)s->outcome));
	put_bool(j, "cached", s->cached);
	if (s->cached) {
		put_bool(j, "stale", s->stale);
		(void)json_object_set_new(j, "age_s", json_integer(s->age_s));
		(void)json_object_set_new(j, "ttl_s", json_integer(s->ttl_s));
		put_bool(j, "due", s->due);
	}
	if (!s->with_reply)
		return;
	put_rcode(j, s->rcode);
	put_question(j, s);
	(void)json_object_set_new(j, "upstream", text_of(&s->addr));
}

static void
put_message(json_t *j, const struct trace_step *s)
{
	put_question(j, s);
	put(j, "transport", transport_traits[s->transport].name);
	(void)json_object_set_new(j, "upstream", text_of(&s->addr));
	if (s->kind == TRACE_SENT) {
		(void)json_object_set_new(j, "attempt", json_integer(s->attempt));
		put(j, "why", s->words);
		return;
	}
	if (s->kind == TRACE_CAME) {
		put_rcode(j, s->rcode);
		put_bool(j, "taken", s->taken);
	}
	if (s->taken) {
		(void)json_object_set_new(j, "answers", json_integer(s->n_answers));
		put_bool(j, "tc", s->truncated);
	}
	if (s->kind == TRACE_SILENT || s->taken)
		(void)json_object_set_new(
		    j, "took_us", json_integer((json_int_t)(s->took_ns / 1000)));
}

static void
put_kept(json_t *j, const struct trace_step *s)
{
	static const char *const entries[] = { [CACHE_POSITIVE] = "positive",
		[CACHE_NODATA] = "nodata",
		[CACHE_NXDOMAIN] = "nxdomain",
		[CACHE_ERROR] = "error",
		[CACHE_SILENT] = "silent",
		[CACHE_BOGUS] = "bogus" };

	put_question(j, s);
	put(j, "entry", entries[s->entry]);
	(void)json_object_set_new(j, "ttl_s", json_integer(s->ttl_s));
}

static void
put_address(json_t *j, const struct decided *d, const struct trace_step *s)
{
	(void)json_object_set_new(j, "address", text_of(&s->addr));
	put(j, "verdict", explain_verdict_name((enum explain_verdict)s->verdict));
	(void)json_object_set_new(j, "decided_by", decided_address(d, s));
}

static json_t *
step_json(const struct decided *d, const struct trace_step *s)
{
	static const char *const names[] = { [TRACE_BEGIN] = "begin",
		[TRACE_EVENT] = "event",
		[TRACE_QUESTION] = "question",
		[TRACE_SENT] = "sent",
		[TRACE_CAME] = "came",
		[TRACE_SILENT] = "silent",
		[TRACE_KEPT] = "kept",
		[TRACE_ADDRESS] = "address",
		[TRACE_WOULD] = "would-ask",
		[TRACE_WHOM] = "whom" };
	json_t *j = json_pack("{s:s, s:I}", "step", names[s->kind], "us", (json_int_t)s->us);

	switch ((enum trace_kind)s->kind) {
	case TRACE_BEGIN:
		put(j, "state", query_state_name((enum query_state)s->state));
		break;
	case TRACE_EVENT:
		put_event(j, s);
		break;
	case TRACE_QUESTION:
		put_question(j, s);
		put_bool(j, "joined", s->joined);
		break;
	case TRACE_WOULD:
		put_question(j, s);
		put_bool(j, "stale", s->stale);
		break;
	case TRACE_SENT:
	case TRACE_CAME:
	case TRACE_SILENT:
		put_message(j, s);
		break;
	case TRACE_KEPT:
		put_kept(j, s);
		break;
	case TRACE_WHOM:
		(void)json_object_set_new(j, "upstream", text_of(&s->addr));
		break;
	case TRACE_ADDRESS:
		put_address(j, d, s);
		break;
	}
	return j;
}

static json_t *
steps_json(const struct decided *d, const struct trace *t)
{
	json_t *list = json_array();

	bool ended = false; /* by what a dry run would ask */

	for (unsigned i = 0; i < t->n; i++) {
		ended = ended || t->step[i].kind == TRACE_WOULD;
		if (!ended || t->step[i].kind != TRACE_EVENT)
			(void)json_array_append_new(list, step_json(d, &t->step[i]));
	}
	return list;
}

/* --- The answer ------------------------------------------------------------------------------- */

static json_t *
records_json(const struct msg *m, enum msg_section section)
{
	struct msg_walk w = msg_walk(m, section);
	json_t *list = json_array();
	char text[PRINT_TEXT];
	struct rr rr;

	while (msg_walk_next(&w, &rr)) {
		if (rr.type != DNS_TYPE_OPT)
			(void)json_array_append_new(list, json_string(print_record(m, &rr, text)));
	}
	return list;
}

static json_t *
answer_json(const struct msg *m)
{
	uint16_t ede = msg_ede(m);
	char rcode[MNEMONIC_TEXT];

	return json_pack("{s:s, s:b, s:b, s:o*, s:o, s:o*, s:o*}", "rcode",
	    mnemonic_rcode(m->rcode, rcode), "tc", (m->flags & DNS_TC) != 0, "ad",
	    (m->flags & DNS_AD) != 0, "answer", records_json(m, MSG_ANSWER), "ede",
	    ede == DNS_EDE_NONE ? json_null() : json_integer(ede), "authority",
	    records_json(m, MSG_AUTHORITY), "additional", records_json(m, MSG_ADDITIONAL));
}

/* "NOERROR, 2 AAAA" */
static void
summarize(const struct msg *m, uint16_t qtype, char out[static SUMMARY])
{
	struct msg_walk w = msg_walk(m, MSG_ANSWER);
	char type[TYPE_TEXT], rcode[MNEMONIC_TEXT], count[16];
	unsigned n = 0;
	struct rr rr;

	while (msg_walk_next(&w, &rr))
		n += rr.type == qtype ? 1 : 0;
	snprintf(count, sizeof(count), "%u", n);
	snprintf(out, SUMMARY, "%s%s, %s %s", mnemonic_rcode(m->rcode, rcode),
	    m->flags & DNS_TC ? " and TC" : "", n > 0 ? count : "no", type_to_text(qtype, type));
}

/* The first question that a dry run would ask; NULL: there is none. */
static const struct trace_step *
would_ask(const struct trace *t)
{
	for (unsigned i = 0; i < t->n; i++) {
		if (t->step[i].kind == TRACE_WOULD)
			return &t->step[i];
	}
	return NULL;
}

/* One line: what the client gets, and why. M: the answer; NULL: there is none. */
static json_t *
conclusion(const struct explanation *t, const struct msg *m, uint16_t qtype)
{
	const struct reason_row *why = reason_row(t->reason);
	const struct trace_step *would = would_ask(&t->trace);
	char text[SUMMARY], name[NAME_TEXT], type[TYPE_TEXT];

	if (would != NULL)
		return json_sprintf("not known without asking: would ask %s %s%s",
		    name_to_text(would->name, name), type_to_text(would->type, type),
		    would->stale ? " (the cache has it, expired)" : "");
	if (m != NULL)
		summarize(m, qtype, text);
	else
		snprintf(text, sizeof(text), "%s",
		    why->kind == REASON_DROPPING       ? "no answer"
			: why->kind == REASON_LIMITING ? "TC and no records"
						       : "an answer too long to be kept here");
	return json_sprintf(
	    "%s; %s: %s", text, reason_kind_name((enum reason_kind)why->kind), why->text);
}

static json_t *
reason_json(const struct explanation *t)
{
	const struct reason_row *why = reason_row(t->reason);

	if (would_ask(&t->trace) != NULL)
		return json_null();
	return json_pack("{s:s, s:s, s:s, s:o}", "name", why->name, "kind",
	    reason_kind_name((enum reason_kind)why->kind), "text", why->text, "ede",
	    why->ede == DNS_EDE_NONE ? json_null() : json_integer(why->ede));
}

/* --- All of it -------------------------------------------------------------------------------- */

/* What was asked. */
static json_t *
question_json(const struct explain_job *a, const struct msg *q)
{
	char name[NAME_TEXT], type[TYPE_TEXT];

	return json_pack("{s:s, s:s, s:o, s:s, s:b, s:b, s:b}", "name",
	    name_to_text(msg_qname(q), name), "type", type_to_text(q->qtype, type), "client",
	    text_of(&a->client), "transport", transport_traits[a->transport].name, "do",
	    q->edns.do_bit, "cd", (q->flags & DNS_CD) != 0, "ask", !a->explanation.dry);
}

json_t *
explain_json(const struct host *host, const struct explain_job *a)
{
	const struct explanation *t = &a->explanation;
	const struct decided d = { .host = host, .job = a };
	struct msg q, m;
	bool answered = t->len > 0 && would_ask(&t->trace) == NULL &&
	    msg_parse(&m, t->answer, t->len) == MSG_OK;

	if (msg_parse(&q, a->msg, a->len) != MSG_OK)
		return NULL;
	return json_pack("{s:o*, s:o*, s:o*, s:o*, s:o*, s:o*, s:o*, s:b, s:b, s:o*, s:I, s:I}",
	    "question", question_json(a, &q), "conclusion",
	    conclusion(t, answered ? &m : NULL, q.qtype), "reason", reason_json(t), "decided_by",
	    would_ask(&t->trace) == NULL ? decided_reason(&d) : json_null(), "answer",
	    answered ? answer_json(&m) : json_null(), "policy", decided_policy(&d),
	    "upstreams_by_operator", decided_upstreams(&d), "reloaded", !decided_is_current(&d),
	    "waited", t->waited, "steps", steps_json(&d, &t->trace), "steps_left_out",
	    (json_int_t)t->trace.n_left_out, "loops", (json_int_t)host->n_loops);
}
