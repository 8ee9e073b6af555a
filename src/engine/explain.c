/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/explain.h"

#include <string.h>

#include "dns/name.h"
#include "dns/proto.h"
#include "outbound/choice.h"

void
explain_init(struct explanation *t, uint64_t now_ns)
{
	explain_fini(t);
	t->trace.began_ns = now_ns;
	t->trace.n = 0;
	t->trace.n_left_out = 0;
	t->len = 0;
	t->limited = 0;
	memset(&t->uncounted, 0, sizeof(t->uncounted));
	atomic_store(&t->done, false);
}

void
explain_fini(struct explanation *t)
{
	policies_unref(t->policies);
	t->policies = NULL;
}

void
explain_question(
    struct explanation *t, const uint8_t *name, uint16_t type, bool joined, uint64_t now_ns)
{
	struct trace_step *s = trace_add(&t->trace, TRACE_QUESTION, now_ns);

	if (s == NULL)
		return;
	memcpy(s->name, name, name_len(name));
	s->type = type;
	s->joined = joined;
}

void
explain_would_ask(struct explanation *t, const struct question *key, bool stale,
    const struct upstreams *us, uint64_t now_ns)
{
	struct trace_step *s = trace_add(&t->trace, TRACE_WOULD, now_ns);
	uint16_t at[CONF_MAX_UPSTREAMS];
	unsigned n = choice_likely(us, at);

	if (s != NULL) {
		memcpy(s->name, key->qname, key->qname_len);
		s->type = key->qtype;
		s->stale = stale;
	}
	for (unsigned i = 0; i < n; i++) {
		s = trace_add(&t->trace, TRACE_WHOM, now_ns);
		if (s != NULL)
			s->addr = us->table[at[i]].conf.addr;
	}
}

static enum explain_verdict
verdict_v4(enum explain_use use, const struct synth_policy *p, const uint8_t v4[static 4])
{
	if (use != EXPLAIN_MADE)
		return use == EXPLAIN_TAKEN ? EXPLAIN_HIDDEN : EXPLAIN_GOOD;
	if (synth_maps(p, v4))
		return EXPLAIN_MAPPED;
	switch (synth_verdict(p, v4)) {
	case SYNTH_NEVER:
		return EXPLAIN_EXCLUDED;
	case SYNTH_OWN:
		return EXPLAIN_PRIVATE;
	default:
		return EXPLAIN_UNMAPPED;
	}
}

/* Note which line decided about the address of S, by P. */
static void
note_line(struct trace_step *s, const struct synth_policy *p)
{
	const struct netmap *m = s->addr.family == NETADDR_IPV4 ? p->v4 : p->excluded;

	s->line = m != NULL ? policy_line(netmap_find(m, &s->addr, 0)) : 0;
}

void
explain_addresses(struct explanation *t, const struct msg *m, enum explain_use use,
    const struct synth_policy *p, uint64_t now_ns)
{
	struct msg_walk w = msg_walk(m, MSG_ANSWER);
	struct rr rr;

	while (msg_walk_next(&w, &rr)) {
		bool v4 = rr.type == DNS_TYPE_A && rr.rdlen == DNS_A_LEN;
		bool v6 = rr.type == DNS_TYPE_AAAA && rr.rdlen == DNS_AAAA_LEN;
		const uint8_t *addr = m->bytes + rr.rdata;
		struct trace_step *s;

		if (!v4 && !v6)
			continue;
		s = trace_add(&t->trace, TRACE_ADDRESS, now_ns);
		if (s == NULL)
			return;
		s->addr.family = v4 ? NETADDR_IPV4 : NETADDR_IPV6;
		memcpy(s->addr.addr, addr, rr.rdlen);
		if (v4)
			s->verdict = (uint8_t)verdict_v4(use, p, addr);
		else
			s->verdict = use != EXPLAIN_PASSED && synth_excluded(p, addr)
			    ? EXPLAIN_EXCLUDED
			    : EXPLAIN_GOOD;
		note_line(s, p);
	}
}

const char *
explain_verdict_name(enum explain_verdict v)
{
	static const char *const names[] = { [EXPLAIN_MAPPED] = "mapped",
		[EXPLAIN_EXCLUDED] = "excluded",
		[EXPLAIN_PRIVATE] = "private",
		[EXPLAIN_UNMAPPED] = "unmapped",
		[EXPLAIN_HIDDEN] = "hidden",
		[EXPLAIN_GOOD] = "good" };

	return names[v];
}

void
explain_end(struct explanation *t, enum reason reason, bool waited, const uint8_t *msg, size_t len)
{
	t->reason = reason;
	t->waited = waited;
	t->len = len <= EXPLAIN_ANSWER ? len : 0;
	if (t->len > 0)
		memcpy(t->answer, msg, t->len);
	atomic_store_explicit(&t->done, true, memory_order_release);
}

bool
explain_done(struct explanation *t)
{
	return atomic_load_explicit(&t->done, memory_order_acquire);
}
