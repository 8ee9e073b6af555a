/* SPDX-License-Identifier: BSD-2-Clause */
/* What is kept of a reply: chain and SOA, at most 512 bytes; or the addresses at its end. */

#include "engine/partial.h"

#include <string.h>

#include "dns/name.h"
#include "scenario/scene.h"
#include "support/tests.h"

static struct pool pool, data_pool;
static uint8_t qname[DNS_NAME_MAX];
static uint8_t bytes[8192];

static void
setup(void)
{
	ck_assert_int_eq(pool_init(&pool, sizeof(struct partial), 4), 0);
	ck_assert_int_eq(pool_init(&data_pool, sizeof(struct partial_data), 1), 0);
	ck_assert_uint_gt(name_from_text("www.example", qname), 0);
}

static void
teardown(void)
{
	pool_fini(&data_pool);
	pool_fini(&pool);
}

/* A reply about NAME with these records, scanned for AAAA. */
static void
reply(struct msg *m, struct answer *a, const char *name, const char *const *records, size_t n)
{
	const struct build_opt opt = { .present = true, .bufsize = 1232, .ede = DNS_EDE_NONE };
	uint8_t about[DNS_NAME_MAX];
	struct build b;

	ck_assert_uint_gt(name_from_text(name, about), 0);
	build_start(&b, bytes, sizeof(bytes),
	    &(struct build_question){ .id = 1,
		.flags = DNS_QR,
		.qname = about,
		.qtype = DNS_TYPE_AAAA,
		.qclass = DNS_CLASS_IN });
	for (size_t i = 0; i < n; i++)
		ck_assert(scene_put(&b, records[i]));
	ck_assert_int_eq(msg_parse(m, bytes, build_finish(&b, sizeof(bytes), &opt)), MSG_OK);
	answer_scan(m, DNS_TYPE_AAAA, a);
}

static void
expect(const struct partial *p, const char *const *records, size_t n)
{
	char line[SCENE_TEXT];
	struct answer a;
	struct msg m;
	size_t at = 0;

	partial_view(p, DNS_TYPE_AAAA, &m, &a);
	ck_assert(name_equal(msg_qname(&m), qname));
	for (unsigned s = 0; s < MSG_ADDITIONAL; s++) {
		struct msg_walk w = msg_walk(&m, (enum msg_section)s);
		struct rr rr;

		while (msg_walk_next(&w, &rr)) {
			scene_print(&m, (enum msg_section)s, &rr, line);
			ck_assert_uint_lt(at, n);
			ck_assert_str_eq(line, records[at++]);
		}
	}
	ck_assert_uint_eq(at, n);
}

#define L60(c) \
	c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c c \
	    c c c c c c c c c c c c c c c
#define LONG(c) L60(c) "." L60(c) "." L60(c) ".example."
#define COUNT(x) (sizeof(x) / sizeof((x)[0]))

START_TEST(a_small_reply_is_kept_whole)
{
	static const char *const records[] = { "an www.example. 300 CNAME t.example.",
		"au example. 300 SOA ns.example. host.example. 60" };
	struct answer a, kept;
	struct partial *p;
	struct msg m;

	reply(&m, &a, "www.example", records, COUNT(records));
	p = partial_keep(&pool, qname, NULL, &m, &a);
	ck_assert_ptr_nonnull(p);
	memset(bytes, 0xaa, sizeof(bytes)); /* the reply is gone */
	expect(p, records, COUNT(records));
	partial_view(p, DNS_TYPE_AAAA, &m, &kept);
	ck_assert_int_eq(kept.kind, ANSWER_NODATA);
	ck_assert_uint_eq(kept.negative_ttl, 60);
	ck_assert(name_equal(kept.target, a.target));
}
END_TEST

/* D6: the addresses at the end of a chain, as a message about that name. */
START_TEST(d6_addresses_are_kept)
{
	static const char *const records[] = { "an www.example. 300 CNAME t.example.",
		"an t.example. 300 AAAA 2001:db8::1", "an x.example. 300 AAAA 2001:db8::bad",
		"an t.example. 200 AAAA 2001:db8::2", "an t.example. 300 TXT 0161",
		"au example. 300 NS ns.example." };
	static const char *const wanted[] = { "an t.example. 300 AAAA 2001:db8::1",
		"an t.example. 200 AAAA 2001:db8::2", "au example. 300 NS ns.example." };
	struct partial_data *d;
	struct answer a, kept;
	char line[SCENE_TEXT];
	size_t at = 0;
	struct msg m;
	struct msg_walk w;
	struct rr rr;

	reply(&m, &a, "www.example", records, COUNT(records));
	d = partial_keep_data(&data_pool, &m, &a, 7);
	ck_assert_ptr_nonnull(d);
	ck_assert_uint_eq(d->at_ns, 7);
	ck_assert_ptr_null(partial_keep_data(&data_pool, &m, &a, 7)); /* no room */
	memset(bytes, 0xaa, sizeof(bytes));
	partial_view_data(d, &m);
	ck_assert(name_equal(msg_qname(&m), a.target));
	w = msg_walk_all(&m);
	while (msg_walk_next(&w, &rr)) {
		scene_print(&m, at < 2 ? MSG_ANSWER : MSG_AUTHORITY, &rr, line);
		ck_assert_str_eq(line, wanted[at++]);
	}
	ck_assert_uint_eq(at, COUNT(wanted));
	answer_scan(&m, DNS_TYPE_AAAA, &kept);
	ck_assert(kept.kind == ANSWER_DATA && kept.n_data == 2 && kept.n_steps == 0);
	pool_give(&data_pool, d);
}
END_TEST

/* What is too long is not kept, and leaves room for another. */
START_TEST(too_many_addresses_are_not_kept)
{
	static const char *const one = "an www.example. 300 AAAA 2001:db8::1";
	const char *records[200];
	struct answer a;
	struct msg m;

	for (unsigned i = 0; i < COUNT(records); i++)
		records[i] = one;
	reply(&m, &a, "www.example", records, COUNT(records));
	ck_assert_ptr_null(partial_keep_data(&data_pool, &m, &a, 7));
	ck_assert_uint_eq(pool_room(&data_pool), 1);
}
END_TEST

/* Of a large reply only the chain and the SOA, this with its negative TTL (RFC 2308 section 5). */
START_TEST(a_large_reply_is_rebuilt)
{
	static const char *const records[] = { "an www.example. 300 CNAME t.example.",
		"an t.example. 300 TXT " L60("ffff"),
		"au example. 300 SOA ns.example. host.example. 60",
		"au example. 300 TXT " L60("ffff") L60("ffff") L60("ffff") L60("ff") };
	static const char *const wanted[] = { "an www.example. 300 CNAME t.example.",
		"au example. 60 SOA ns.example. host.example. 60" };
	struct partial *p;
	struct answer a;
	struct msg m;

	reply(&m, &a, "www.example", records, COUNT(records));
	ck_assert_uint_gt(m.len, PARTIAL_MAX);
	p = partial_keep(&pool, qname, NULL, &m, &a);
	ck_assert_ptr_nonnull(p);
	expect(p, wanted, COUNT(wanted));
	ck_assert(p->cut);
}
END_TEST

/* RULES D6: a chain that was followed over several replies is one. */
START_TEST(behind_an_earlier_chain)
{
	static const char *const first[] = { "an www.example. 300 CNAME s.example." };
	static const char *const second[] = { "an s.example. 200 CNAME t.example.",
		"au example. 300 SOA ns.example. host.example. 60" };
	static const char *const wanted[] = { "an www.example. 300 CNAME s.example.",
		"an s.example. 200 CNAME t.example.",
		"au example. 60 SOA ns.example. host.example. 60" };
	struct partial *earlier, *p;
	struct answer a;
	struct msg m;

	reply(&m, &a, "www.example", first, COUNT(first));
	earlier = partial_keep(&pool, qname, NULL, &m, &a);
	reply(&m, &a, "s.example", second, COUNT(second));
	p = partial_keep(&pool, qname, earlier, &m, &a);
	ck_assert_ptr_nonnull(p);
	expect(p, wanted, COUNT(wanted));
	ck_assert(!p->cut && !earlier->cut);
	expect(earlier, first, COUNT(first));
	ck_assert_uint_eq(pool.n_used, 2);
}
END_TEST

/* What does not fit is left out: first the SOA. */
START_TEST(soa_is_left_out_first)
{
	static const char *const records[] = { "an www.example. 300 CNAME " LONG("a"),
		"au example. 300 SOA " LONG("b") " " LONG("c") " 60" };
	struct partial *p;
	struct answer a;
	struct msg m;

	reply(&m, &a, "www.example", records, COUNT(records));
	p = partial_keep(&pool, qname, NULL, &m, &a);
	ck_assert_ptr_nonnull(p);
	ck_assert_uint_le(p->len, PARTIAL_MAX);
	expect(p, records, 1);
}
END_TEST

START_TEST(too_long_a_chain)
{
	static const char *const records[] = { "an www.example. 300 CNAME " LONG("a"),
		"an " LONG("a") " 300 CNAME " LONG("b"), "an " LONG("b") " 300 CNAME " LONG("c") };
	struct answer a;
	struct msg m;

	reply(&m, &a, "www.example", records, COUNT(records));
	ck_assert_ptr_null(partial_keep(&pool, qname, NULL, &m, &a));
	ck_assert_uint_eq(pool.n_used, 0);
}
END_TEST

START_TEST(empty_pool_keeps_nothing)
{
	struct answer a;
	struct msg m;

	reply(&m, &a, "www.example", NULL, 0);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_ptr_nonnull(partial_keep(&pool, qname, NULL, &m, &a));
	ck_assert_ptr_null(partial_keep(&pool, qname, NULL, &m, &a));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_small_reply_is_kept_whole);
	tcase_add_test(tc, d6_addresses_are_kept);
	tcase_add_test(tc, too_many_addresses_are_not_kept);
	tcase_add_test(tc, a_large_reply_is_rebuilt);
	tcase_add_test(tc, behind_an_earlier_chain);
	tcase_add_test(tc, soa_is_left_out_first);
	tcase_add_test(tc, too_long_a_chain);
	tcase_add_test(tc, empty_pool_keeps_nothing);
}
