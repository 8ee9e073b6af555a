/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/partial.h"

#include <string.h>

#include "dns/build.h"
#include "dns64/synth.h"

/* Write chain and SOA only. False: the chain does not fit. */
static bool
rebuild(struct partial *p, const uint8_t *qname, const struct partial *earlier, const struct msg *m,
    const struct answer *a)
{
	const struct build_opt no_opt = { .present = false, .ede = DNS_EDE_NONE };
	const struct build_question question = {
		.flags = DNS_QR, .qname = qname, .qtype = m->qtype, .qclass = m->qclass
	};
	struct build b;

	build_start(&b, p->bytes, sizeof(p->bytes), &question);
	if (earlier != NULL) {
		struct answer ea;
		struct msg em;

		partial_view(earlier, m->qtype, &em, &ea);
		if (!synth_chain(&b, &em, &ea))
			return false;
	}
	if (!synth_chain(&b, m, a))
		return false;
	if (a->has_soa && !synth_soa(&b, m, a, a->negative_ttl))
		b.w.full = false; /* leave the SOA out */
	p->len = (uint16_t)build_finish(&b, PARTIAL_MAX, &no_opt);
	return true;
}

struct partial *
partial_keep(struct pool *pool, const uint8_t *qname, const struct partial *earlier,
    const struct msg *m, const struct answer *a)
{
	struct partial *p = pool_take(pool);

	if (p == NULL)
		return NULL;
	p->cut = earlier == NULL && m->len > PARTIAL_MAX && a->kind == ANSWER_NODATA;
	if (earlier == NULL && m->len <= PARTIAL_MAX) {
		/* The usual case: a small negative reply is copied whole. */
		memcpy(p->bytes, m->bytes, m->len);
		p->len = (uint16_t)m->len;
	} else if (!rebuild(p, qname, earlier, m, a)) {
		pool_give(pool, p);
		return NULL;
	}
	return p;
}

void
partial_view(const struct partial *p, uint16_t qtype, struct msg *m, struct answer *a)
{
	/* It was parsed or built before, so it is sound. */
	if (msg_parse(m, p->bytes, p->len) == MSG_OK)
		answer_scan(m, qtype, a);
	else
		memset(a, 0, sizeof(*a));
}

/* Copy the records of M's type at the end of chain A. False: they do not fit. */
static bool
copy_data(struct build *b, const struct msg *m, const struct answer *a)
{
	struct msg_walk w = msg_walk(m, MSG_ANSWER);
	struct rr rr;

	while (msg_walk_next(&w, &rr)) {
		if (rr.type != m->qtype || rr.class != m->qclass || !answer_owns(m, a, &rr))
			continue;
		if (!build_copy(b, MSG_ANSWER, m, &rr, rr.ttl))
			return false;
	}
	return true;
}

struct partial_data *
partial_keep_data(struct pool *pool, const struct msg *m, const struct answer *a, uint64_t now_ns)
{
	const struct build_opt no_opt = { .present = false, .ede = DNS_EDE_NONE };
	const struct build_question question = {
		.flags = m->flags, .qname = a->target, .qtype = m->qtype, .qclass = m->qclass
	};
	struct partial_data *d = pool_take(pool);
	struct build b;

	if (d == NULL)
		return NULL;
	build_start(&b, d->bytes, sizeof(d->bytes), &question);
	if (!copy_data(&b, m, a)) {
		pool_give(pool, d);
		return NULL;
	}
	synth_rest(&b, m);
	d->len = build_finish(&b, PARTIAL_DATA_MAX, &no_opt);
	d->chain = NULL;
	d->at_ns = now_ns;
	return d;
}

void
partial_view_data(const struct partial_data *d, struct msg *m)
{
	/* partial_keep_data built it, so it is sound. */
	if (msg_parse(m, d->bytes, d->len) != MSG_OK)
		m->count[MSG_ANSWER] = 0;
}
