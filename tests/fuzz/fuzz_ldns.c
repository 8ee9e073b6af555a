/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes are a message that dns64d and ldns, another hand's work, both read. They need not take
 * the same messages: ldns lets pass what nobody may send, and is strict where we pass on what we do
 * not know. But what both take they must understand alike: header, question, and of each record the
 * owner, type, class, TTL, and RDATA with its names expanded.
 */
/* Before ldns, which otherwise makes bool a signed char, one bit of which cannot be 1. */
#include <stdbool.h>

#include <ldns/ldns.h>
#include <string.h>

#include "dns/build.h"
#include "fuzz/fuzz.h"
#include "fuzz/mutate.h"

/* ldns may keep no name of ours apart from another: byte for byte, as it was sent. */
static void
check_name(const ldns_rdf *theirs, const uint8_t *ours, size_t len)
{
	FUZZ_CHECK(theirs != NULL && ldns_rdf_get_type(theirs) == LDNS_RDF_TYPE_DNAME);
	FUZZ_CHECK(ldns_rdf_size(theirs) == len && memcmp(ldns_rdf_data(theirs), ours, len) == 0);
}

/* A name in RDATA is at field FIELD of theirs and at offset OFF of ours. */
static void
check_rdata_name(
    const ldns_rr *theirs, size_t field, const struct msg *m, const struct rr *rr, size_t off)
{
	uint8_t name[DNS_NAME_MAX];
	size_t len = msg_rdata_name(m, rr, off, name);

	FUZZ_CHECK(len > 0);
	check_name(ldns_rr_rdf(theirs, field), name, len);
}

static void
check_rdata(const ldns_rr *theirs, const struct msg *m, const struct rr *rr)
{
	const ldns_rdf *first = ldns_rr_rdf(theirs, 0);

	switch (rr->type) {
	case DNS_TYPE_A:
	case DNS_TYPE_AAAA:
		FUZZ_CHECK(first != NULL && ldns_rdf_size(first) == rr->rdlen);
		FUZZ_CHECK(memcmp(ldns_rdf_data(first), m->bytes + rr->rdata, rr->rdlen) == 0);
		break;
	case DNS_TYPE_CNAME:
	case DNS_TYPE_DNAME:
	case DNS_TYPE_NS:
	case DNS_TYPE_PTR:
	case DNS_TYPE_SOA:
		check_rdata_name(theirs, 0, m, rr, 0);
		break;
	case DNS_TYPE_MX:
		check_rdata_name(theirs, 1, m, rr, 2);
		break;
	case DNS_TYPE_SRV:
		check_rdata_name(theirs, 3, m, rr, 6);
		break;
	default:
		break;
	}
}

static void
check_record(const ldns_rr *theirs, const struct msg *m, const struct rr *rr)
{
	uint8_t owner[DNS_NAME_MAX];
	size_t len = msg_owner(m, rr, owner);

	FUZZ_CHECK(len > 0);
	check_name(ldns_rr_owner(theirs), owner, len);
	FUZZ_CHECK((unsigned)ldns_rr_get_type(theirs) == rr->type);
	FUZZ_CHECK((unsigned)ldns_rr_get_class(theirs) == rr->class);
	FUZZ_CHECK(ldns_rr_ttl(theirs) == rr->ttl);
	if (rr->class == DNS_CLASS_IN)
		check_rdata(theirs, m, rr);
}

/*
 * What it knows ldns reads to its end, whatever RDLENGTH says, and loses its place.
 * So only types come to it whose RDATA we have checked, or that it does not know. Two TSIGs it
 * leaks.
 */
static bool
is_for_both(const struct msg *m)
{
	static const uint16_t types[] = { DNS_TYPE_A, DNS_TYPE_AAAA, DNS_TYPE_CNAME, DNS_TYPE_DNAME,
		DNS_TYPE_NS, DNS_TYPE_PTR, DNS_TYPE_SOA, DNS_TYPE_MX, DNS_TYPE_SRV, DNS_TYPE_TXT };
	struct msg_walk w = msg_walk_all(m);
	uint8_t owner[DNS_NAME_MAX];
	struct rr rr;

	while (msg_walk_next(&w, &rr)) {
		bool ours = rr.type == DNS_TYPE_OPT || rr.type >= 65280;

		for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
			ours |= rr.type == types[i] && rr.class == DNS_CLASS_IN;
		if (!ours || msg_owner(m, &rr, owner) == 0)
			return false;
	}
	return true;
}

static void
check_section(const ldns_rr_list *theirs, const struct msg *m, enum msg_section s)
{
	struct msg_walk w = msg_walk(m, s);
	struct rr rr;
	size_t n = 0;

	while (msg_walk_next(&w, &rr)) {
		if (rr.type == DNS_TYPE_OPT) /* taken out by ldns */
			continue;
		FUZZ_CHECK(n < ldns_rr_list_rr_count(theirs));
		check_record(ldns_rr_list_rr(theirs, n++), m, &rr);
	}
	FUZZ_CHECK(n == ldns_rr_list_rr_count(theirs));
}

static void
check_opt(const ldns_pkt *p, const struct msg *m)
{
	if (!m->edns.present)
		return;
	FUZZ_CHECK(ldns_pkt_edns_udp_size(p) == m->edns.bufsize);
	FUZZ_CHECK(ldns_pkt_edns_version(p) == m->edns.version);
	FUZZ_CHECK(ldns_pkt_edns_do(p) == m->edns.do_bit);
	FUZZ_CHECK(
	    ((unsigned)ldns_pkt_edns_extended_rcode(p) << 4 | ldns_pkt_get_rcode(p)) == m->rcode);
}

static void
check(const ldns_pkt *p, const struct msg *m)
{
	FUZZ_CHECK(ldns_pkt_id(p) == m->id);
	FUZZ_CHECK(ldns_pkt_qr(p) == ((m->flags & DNS_QR) != 0));
	FUZZ_CHECK(ldns_pkt_tc(p) == ((m->flags & DNS_TC) != 0));
	FUZZ_CHECK(ldns_pkt_aa(p) == ((m->flags & DNS_AA) != 0));
	FUZZ_CHECK(ldns_pkt_ad(p) == ((m->flags & DNS_AD) != 0));
	FUZZ_CHECK(ldns_pkt_cd(p) == ((m->flags & DNS_CD) != 0));
	FUZZ_CHECK(ldns_pkt_qdcount(p) == m->qdcount);
	if (m->qdcount > 0) {
		const ldns_rr *q = ldns_rr_list_rr(ldns_pkt_question(p), 0);

		check_name(ldns_rr_owner(q), msg_qname(m), m->qname_len);
		FUZZ_CHECK((unsigned)ldns_rr_get_type(q) == m->qtype);
		FUZZ_CHECK((unsigned)ldns_rr_get_class(q) == m->qclass);
	}
	check_section(ldns_pkt_answer(p), m, MSG_ANSWER);
	check_section(ldns_pkt_authority(p), m, MSG_AUTHORITY);
	check_section(ldns_pkt_additional(p), m, MSG_ADDITIONAL);
	check_opt(p, m);
}

/*
 * What we pass on of it means the same to both too. An owner that is read out of the middle of an
 * OPT may be malformed when that has gone; all others ldns takes again.
 */
static void
check_relayed(const struct msg *m)
{
	static uint8_t buf[DNS_MSG_MAX];
	const struct build_opt opt = {
		.present = true, .bufsize = 1232, .ede = DNS_EDE_SYNTHESIZED
	};
	const struct build_question q = {
		.id = 7, .flags = DNS_QR, .qname = m->qdcount > 0 ? msg_qname(m) : NULL
	};
	size_t len = build_relay(buf, DNS_MSG_MAX, m, &q, &opt);
	ldns_pkt *p = NULL;
	struct msg made;

	FUZZ_CHECK(msg_parse_reply(&made, buf, len) == MSG_OK);
	bool taken = ldns_wire2pkt(&p, buf, len) == LDNS_STATUS_OK;
	FUZZ_CHECK(taken || !is_for_both(&made));
	if (taken && is_for_both(&made))
		check(p, &made);
	if (taken)
		ldns_pkt_free(p);
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t cap, unsigned seed)
{
	return mutate_behind(0, data, len, cap, seed);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	ldns_pkt *p = NULL;
	struct msg m;

	if (msg_parse_reply(&m, data, len) != MSG_OK || !is_for_both(&m))
		return 0;
	if (ldns_wire2pkt(&p, data, len) == LDNS_STATUS_OK) {
		check(p, &m);
		check_relayed(&m);
		ldns_pkt_free(p);
	}
	return 0;
}
