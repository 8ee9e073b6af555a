/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/remnant.h"

#include <string.h>

#include "dns/build.h"
#include "dns64/synth.h"

/* Write just what is needed. False: the chain does not fit. */
static bool
rebuild(struct remnant *r, const uint8_t *qname, const struct remnant *earlier, const struct msg *m,
    const struct answer *a)
{
	const struct build_opt no_opt = { .present = false, .ede = DNS_EDE_NONE };
	struct build b;

	build_start(&b, r->bytes, sizeof(r->bytes), 0, DNS_QR, qname, m->qtype, m->qclass);
	if (earlier != NULL) {
		struct answer ea;
		struct msg em;

		remnant_view(earlier, m->qtype, &em, &ea);
		if (!synth_chain(&b, &em, &ea))
			return false;
	}
	if (!synth_chain(&b, m, a))
		return false;
	if (a->has_soa && !synth_soa(&b, m, a, a->negative_ttl))
		b.w.full = false; /* goes without */
	r->len = (uint16_t)build_finish(&b, REMNANT_MAX, &no_opt);
	return true;
}

struct remnant *
remnant_keep(struct pool *pool, const uint8_t *qname, const struct remnant *earlier,
    const struct msg *m, const struct answer *a)
{
	struct remnant *r = pool_take(pool);

	if (r == NULL)
		return NULL;
	if (earlier == NULL && m->len <= REMNANT_MAX) {
		/* The usual case: a small negative reply is kept as it is. */
		memcpy(r->bytes, m->bytes, m->len);
		r->len = (uint16_t)m->len;
	} else if (!rebuild(r, qname, earlier, m, a)) {
		pool_give(pool, r);
		return NULL;
	}
	return r;
}

void
remnant_view(const struct remnant *r, uint16_t qtype, struct msg *m, struct answer *a)
{
	/* It was parsed or built here before: it is sound. */
	if (msg_parse(m, r->bytes, r->len) == MSG_OK)
		answer_scan(m, qtype, a);
	else
		memset(a, 0, sizeof(*a));
}
