/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/respond.h"

#include "dns/build.h"
#include "dns64/reverse.h"
#include "dns64/synth.h"

/* The most that this client takes: ours, its own, and 512 without EDNS (RFC 6891 section 6.2.3). */
static size_t
limit_of(const struct queries *qs, const struct query *q)
{
	size_t theirs = q->edns ? q->bufsize : DNS_UDP_MIN;

	if (q->tcp)
		return DNS_MSG_MAX;
	return theirs < qs->conf->udp_size_client ? theirs : qs->conf->udp_size_client;
}

/* No OPT in the question: none in the answer (RFC 6891 section 7). */
static struct build_opt
opt_of(const struct queries *qs, const struct query *q, uint16_t ede)
{
	return (struct build_opt){ .present = q->edns,
		.do_bit = q->do_bit,
		.bufsize = qs->conf->udp_size_client,
		.ede = ede };
}

static struct synth_policy
policy_of(const struct queries *qs)
{
	return (struct synth_policy){ .prefixes = qs->conf->prefixes,
		.n_prefixes = qs->conf->n_prefixes,
		.excluded = qs->conf->excluded,
		.n_excluded = qs->conf->n_excluded };
}

static void
start(struct build *b, const struct query *q, const struct query_out *out)
{
	uint16_t flags = DNS_QR | DNS_RA | (q->flags & (DNS_OPCODE | DNS_RD | DNS_CD));

	build_start(b, out->buf, out->cap, q->id, flags, q->qname_len > 0 ? q->qname : NULL,
	    q->qtype, q->qclass);
}

static size_t
finish(struct queries *qs, const struct query *q, struct build *b, uint16_t ede)
{
	const struct build_opt opt = opt_of(qs, q, ede);

	return build_finish(b, limit_of(qs, q), &opt);
}

/* The chain that was followed before the reply at hand. */
static void
put_followed(struct build *b, const struct query *q)
{
	struct answer a;
	struct msg m;

	if (q->chain == NULL)
		return;
	remnant_view(q->chain, q->qtype, &m, &a);
	(void)synth_chain(b, &m, &a); /* too long for the buffer: b remembers, and TC is set */
}

size_t
respond_relay(
    struct queries *qs, const struct query *q, const struct msg *m, const struct query_out *out)
{
	const struct build_opt opt = opt_of(qs, q, DNS_EDE_NONE);
	/* AD only for those who asked for it (RFC 6840 section 5.8, rules.md D9). */
	uint16_t clear = q->do_bit || q->flags & DNS_AD ? 0 : DNS_AD;

	stats_inc(&qs->stats->relayed);
	return build_relay(out->buf, out->cap, m, q->id, q->qname, clear, limit_of(qs, q), &opt);
}

size_t
respond_error(struct queries *qs, const struct query *q, uint16_t rcode, uint16_t ede,
    const struct query_out *out)
{
	struct build b;

	start(&b, q, out);
	/* Without an OPT there is no room for the upper bits (RFC 6891 section 6.1.3). */
	b.rcode = !q->edns && rcode > DNS_RCODE ? DNS_SERVFAIL : rcode;
	if (rcode == DNS_SERVFAIL)
		stats_inc(&qs->stats->answers_servfail);
	return finish(qs, q, &b, ede);
}

size_t
respond_synth(struct queries *qs, const struct query *q, const struct msg *m,
    const struct answer *a, uint32_t ttl_cap, const struct query_out *out)
{
	const struct synth_policy policy = policy_of(qs);
	struct build b;

	start(&b, q, out);
	put_followed(&b, q);
	(void)synth_answer(&b, &policy, m, a, ttl_cap);
	synth_rest(&b, m);
	return finish(qs, q, &b, DNS_EDE_NONE);
}

size_t
respond_native(struct queries *qs, const struct query *q, const struct msg *m,
    const struct answer *a, const struct query_out *out)
{
	const struct synth_policy policy = policy_of(qs);
	struct build b;

	start(&b, q, out);
	put_followed(&b, q);
	(void)synth_filtered(&b, &policy, m, a);
	synth_rest(&b, m);
	return finish(qs, q, &b, DNS_EDE_NONE);
}

size_t
respond_negative(struct queries *qs, const struct query *q, const struct msg *m,
    const struct answer *a, uint16_t rcode, const struct query_out *out)
{
	struct build b;

	start(&b, q, out);
	b.rcode = rcode;
	put_followed(&b, q);
	(void)synth_chain(&b, m, a);
	if (a->has_soa)
		(void)synth_soa(&b, m, a->negative_ttl);
	return finish(qs, q, &b, DNS_EDE_NONE);
}

size_t
respond_nodata(struct queries *qs, const struct query *q, const struct msg *m, uint32_t soa_ttl,
    const struct query_out *out)
{
	struct build b;
	bool soa = false;

	start(&b, q, out);
	if (q->aaaa != NULL) {
		struct answer a;
		struct msg kept;

		remnant_view(q->aaaa, q->qtype, &kept, &a);
		(void)synth_chain(&b, &kept, &a);
		soa = synth_soa(&b, &kept, soa_ttl);
	}
	if (!soa && m != NULL)
		(void)synth_soa(&b, m, soa_ttl);
	return finish(qs, q, &b, DNS_EDE_NONE);
}

size_t
respond_reverse(struct queries *qs, const struct query *q, const struct msg *m,
    const struct answer *a, const struct query_out *out)
{
	struct build b;

	start(&b, q, out);
	(void)reverse_answer(&b, q->qname, m, a);
	return finish(qs, q, &b, DNS_EDE_NONE);
}

size_t
respond_local(
    struct queries *qs, const struct query *q, uint16_t rcode, const struct query_out *out)
{
	const struct pref64 wkp = pref64_well_known();
	const struct pref64 *p =
	    q->prefix < qs->conf->n_prefixes ? &qs->conf->prefixes[q->prefix] : &wkp;
	uint8_t zone[DNS_NAME_MAX];
	struct build b;

	start(&b, q, out);
	b.rcode = rcode;
	(void)reverse_zone(p, zone);
	(void)reverse_soa(&b, zone, REVERSE_SOA_TTL);
	return finish(qs, q, &b, DNS_EDE_NONE);
}
