/* SPDX-License-Identifier: BSD-2-Clause */
/* Names answered here: rules 19 to 21 and 24, RULES D15, D17; RFC 6303, 6761, 7050, 8880, 9462. */
#include "dns64/special.h"

#include <stdio.h>
#include <string.h>

#include "dns/msg.h"
#include "dns/name.h"
#include "dns/wire.h"
#include "support/message.h"
#include "support/tests.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

static uint8_t out[1024];
static struct msg made;

static const struct {
	enum special kind;
	bool apex;
	uint16_t qtype;
	enum special_answer answer;
} decisions[] = {
	/* rule 19, RFC 8880 section 7.1 */
	{ SPECIAL_IPV4ONLY, true, DNS_TYPE_A, SPECIAL_ADDRESSES },
	{ SPECIAL_IPV4ONLY, true, DNS_TYPE_AAAA, SPECIAL_ADDRESSES },
	{ SPECIAL_IPV4ONLY, true, DNS_TYPE_TXT, SPECIAL_NODATA },
	{ SPECIAL_IPV4ONLY, true, DNS_TYPE_SOA, SPECIAL_NODATA },
	{ SPECIAL_IPV4ONLY, true, DNS_TYPE_DS, SPECIAL_ASK },
	{ SPECIAL_IPV4ONLY, false, DNS_TYPE_AAAA, SPECIAL_NXDOMAIN },
	{ SPECIAL_IPV4ONLY, false, DNS_TYPE_DS, SPECIAL_NXDOMAIN },
	/* rule 20, section 7.2 */
	{ SPECIAL_WKA, true, DNS_TYPE_PTR, SPECIAL_NAME },
	{ SPECIAL_WKA, true, DNS_TYPE_A, SPECIAL_NODATA },
	{ SPECIAL_WKA, true, DNS_TYPE_DS, SPECIAL_ASK },
	{ SPECIAL_WKA, false, DNS_TYPE_PTR, SPECIAL_NXDOMAIN },
	/* rule 24: resolver.arpa and all below */
	{ SPECIAL_RESOLVER, true, DNS_TYPE_A, SPECIAL_NODATA },
	{ SPECIAL_RESOLVER, false, 64, SPECIAL_NODATA },
	/* RFC 6761 section 6.3 and 6.4 */
	{ SPECIAL_LOCALHOST, true, DNS_TYPE_A, SPECIAL_LOOPBACK },
	{ SPECIAL_LOCALHOST, false, DNS_TYPE_AAAA, SPECIAL_LOOPBACK },
	{ SPECIAL_LOCALHOST, true, DNS_TYPE_MX, SPECIAL_NODATA },
	{ SPECIAL_INVALID, true, DNS_TYPE_A, SPECIAL_NXDOMAIN },
	{ SPECIAL_INVALID, false, DNS_TYPE_AAAA, SPECIAL_NXDOMAIN },
	/* RFC 6303 section 3: an empty zone */
	{ SPECIAL_LOCAL_ZONE, true, DNS_TYPE_SOA, SPECIAL_SOA },
	{ SPECIAL_LOCAL_ZONE, true, DNS_TYPE_PTR, SPECIAL_NODATA },
	{ SPECIAL_LOCAL_ZONE, false, DNS_TYPE_PTR, SPECIAL_NXDOMAIN },
};

START_TEST(d17_name_and_type_decide)
{
	ck_assert_int_eq(
	    special_decide(decisions[_i].kind, decisions[_i].apex, decisions[_i].qtype),
	    decisions[_i].answer);
}
END_TEST

static void
make(enum special_answer answer, const char *name, uint16_t qtype, const struct special_prefixes *p,
    unsigned n)
{
	const struct build_opt none = { .ede = DNS_EDE_NONE };
	uint8_t qname[DNS_NAME_MAX];
	struct build b;

	ck_assert_uint_gt(name_from_text(name, qname), 0);
	build_start(&b, out, sizeof(out),
	    &(struct build_question){
		.id = 1, .flags = DNS_QR, .qname = qname, .qtype = qtype, .qclass = DNS_CLASS_IN });
	ck_assert_uint_eq(special_records(&b, answer, qname, qtype, p), n);
	ck_assert_int_eq(msg_parse(&made, out, build_finish(&b, sizeof(out), &none)), MSG_OK);
	ck_assert_uint_eq(made.count[MSG_ANSWER], n);
}

/* Record I of the answer. */
static struct rr
record(unsigned i)
{
	return message_record(&made, MSG_ANSWER, i);
}

/* D15: both addresses under each prefix, TTL 600. */
START_TEST(d15_addresses_under_each_prefix)
{
	static const uint8_t places[] = { 1, 0 };
	static const uint8_t under[4][4] = { { 192, 0, 0, 170 }, { 192, 0, 0, 171 },
		{ 192, 0, 0, 170 }, { 192, 0, 0, 171 } };
	struct pref64 list[2] = { pref64_well_known(), pref64_well_known() };
	const struct special_prefixes p = { list, places, 2, SPECIAL_TTL };
	const struct special_prefixes none = { list, places, 0, 60 };

	ck_assert_int_eq(pref64_parse("2001:db8::/32", &list[1]), PREF64_OK);
	make(SPECIAL_ADDRESSES, "ipv4only.arpa", DNS_TYPE_AAAA, &p, 4);
	for (unsigned i = 0; i < 4; i++) {
		struct rr rr = record(i);
		uint8_t v4[4];

		ck_assert_uint_eq(rr.ttl, 600);
		ck_assert_uint_eq(rr.type, DNS_TYPE_AAAA);
		ck_assert(pref64_extract(&list[places[i / 2]], out + rr.rdata, v4));
		ck_assert_mem_eq(v4, under[i], 4);
		ck_assert(special_is_wka(v4));
	}
	make(SPECIAL_ADDRESSES, "ipv4only.arpa", DNS_TYPE_AAAA, &none, 0);
	make(SPECIAL_ADDRESSES, "IPv4only.ARPA", DNS_TYPE_A, &none, 2);
	for (unsigned i = 0; i < 2; i++) {
		struct rr rr = record(i);

		ck_assert_uint_eq(rr.type, DNS_TYPE_A);
		ck_assert_uint_eq(rr.ttl, 60);
		ck_assert_mem_eq(out + rr.rdata, under[i], 4);
	}
	ck_assert(!special_is_wka((const uint8_t[]){ 192, 0, 0, 172 }));
}
END_TEST

START_TEST(loopback_records_are_made)
{
	const struct special_prefixes none = { .n = 0 };
	uint8_t got[DNS_NAME_MAX];
	struct rr rr;

	make(SPECIAL_LOOPBACK, "a.localhost", DNS_TYPE_A, &none, 1);
	rr = record(0);
	ck_assert_uint_eq(wire_u32(out + rr.rdata), 0x7f000001);
	make(SPECIAL_LOOPBACK, "localhost", DNS_TYPE_AAAA, &none, 1);
	rr = record(0);
	ck_assert_uint_eq(rr.rdlen, 16);
	ck_assert_uint_eq(out[rr.rdata + 15], 1);
	make(SPECIAL_NAME, "170.0.0.192.in-addr.arpa", DNS_TYPE_PTR, &none, 1);
	rr = record(0);
	ck_assert_uint_gt(msg_rdata_name(&made, &rr, 0, got), 0);
	ck_assert(name_equal(got, special_ipv4only()));
	make(SPECIAL_SOA, "10.in-addr.arpa", DNS_TYPE_SOA, &none, 1);
	rr = record(0);
	ck_assert_uint_eq(rr.type, DNS_TYPE_SOA);
	make(SPECIAL_NODATA, "resolver.arpa", DNS_TYPE_A, &none, 0);
	make(SPECIAL_NXDOMAIN, "invalid", DNS_TYPE_A, &none, 0);
}
END_TEST

START_TEST(d17_soa_has_its_numbers)
{
	static const uint32_t numbers[] = { 1, 3600, 1200, 604800, 600 };
	const struct build_opt none = { .ede = DNS_EDE_NONE };
	uint8_t zone[DNS_NAME_MAX], got[DNS_NAME_MAX], want[DNS_NAME_MAX];
	struct build b;
	struct rr rr;

	ck_assert_uint_gt(name_from_text("resolver.arpa", zone), 0);
	build_start(&b, out, sizeof(out),
	    &(struct build_question){ .id = 2,
		.flags = DNS_QR,
		.qname = zone,
		.qtype = DNS_TYPE_A,
		.qclass = DNS_CLASS_IN });
	ck_assert(special_soa(&b, MSG_AUTHORITY, zone, 3600, SPECIAL_MINIMUM));
	ck_assert_int_eq(msg_parse(&made, out, build_finish(&b, sizeof(out), &none)), MSG_OK);
	ck_assert_uint_eq(made.count[MSG_ANSWER], 0);
	ck_assert_uint_eq(made.count[MSG_AUTHORITY], 1);
	rr = message_record(&made, MSG_AUTHORITY, 0);
	ck_assert_uint_gt(msg_owner(&made, &rr, got), 0);
	ck_assert(name_equal(got, zone));
	ck_assert_uint_eq(rr.ttl, 3600);
	ck_assert_uint_gt(name_from_text("localhost", want), 0);
	ck_assert_uint_gt(msg_rdata_name(&made, &rr, 0, got), 0);
	ck_assert(name_equal(got, want));
	ck_assert_uint_gt(name_from_text("nobody.invalid", want), 0);
	ck_assert_uint_gt(msg_rdata_name(&made, &rr, 11, got), 0);
	ck_assert(name_equal(got, want));
	for (size_t i = 0; i < N_OF(numbers); i++)
		ck_assert_uint_eq(wire_u32(out + rr.end - 20 + 4 * i), numbers[i]);
	ck_assert_uint_eq(rr.rdlen, 11 + 16 + 20);
}
END_TEST

/* Every name of the table can be read, and none stands there twice. */
START_TEST(special_names_stand_once)
{
	size_t n;
	const struct special_zone *zone = special_zones(&n);

	for (size_t i = 0; i < n; i++) {
		uint8_t name[DNS_NAME_MAX];

		ck_assert_uint_gt(name_from_text(zone[i].name, name), 0);
		for (size_t k = 0; k < i; k++)
			ck_assert_str_ne(zone[i].name, zone[k].name);
	}
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_loop_test(tc, d17_name_and_type_decide, 0, (int)N_OF(decisions));
	tcase_add_test(tc, d15_addresses_under_each_prefix);
	tcase_add_test(tc, loopback_records_are_made);
	tcase_add_test(tc, d17_soa_has_its_numbers);
	tcase_add_test(tc, special_names_stand_once);
}
