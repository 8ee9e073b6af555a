/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/making.h"

#include "dns64/reverse.h"

#define ID 7

static const struct build_opt opt = {
	.present = true, .do_bit = true, .bufsize = 1232, .ede = DNS_EDE_SYNTHESIZED
};

size_t
making_build(
    enum making what, const struct synth_policy *p, const struct msg *m, uint8_t *buf, size_t limit)
{
	static const struct synth_choice choice = { .ttl_cap = SYNTH_NO_SOA_TTL };
	static const uint16_t type[] = { DNS_TYPE_A, DNS_TYPE_AAAA, DNS_TYPE_PTR, DNS_TYPE_A };
	struct build b;
	struct answer a;

	if (what == MAKING_RELAY)
		return build_relay(buf, limit, m,
		    &(struct build_question){
			.id = ID, .flags = m->flags & (uint16_t)~DNS_AD, .qname = msg_qname(m) },
		    &opt);
	answer_scan(m, type[what], &a);
	build_start(&b, buf, DNS_MSG_MAX,
	    &(struct build_question){ .id = ID,
		.flags = DNS_QR,
		.qname = msg_qname(m),
		.qtype = DNS_TYPE_AAAA,
		.qclass = DNS_CLASS_IN });
	/* What does not fit is the subject here, so the results do not matter. */
	if (a.kind != ANSWER_DATA)
		(void)!(a.kind == ANSWER_BROKEN || synth_chain(&b, m, &a));
	else if (what == MAKING_SYNTH)
		(void)!synth_answer(&b, p, &choice, m, &a);
	else if (what == MAKING_FILTERED)
		(void)!synth_filtered(&b, p, m, &a);
	else
		(void)!reverse_answer(&b, msg_qname(m), m, &a);
	synth_rest(&b, m);
	return build_finish(&b, limit, &opt);
}
