/* SPDX-License-Identifier: BSD-2-Clause */
/* Lookups: one per key (RULES D10), bounded waiters, nothing left behind. */

#include "outbound/lookup.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "scenario/parts.h"
#include "support/tests.h"

#define CAP 2000

static struct parts p;
static const struct lookup_wish any = { .prefer = UPSTREAM_NONE };

static void
setup(void)
{
	parts_init(&p, 2, CAP);
}

static void
teardown(void)
{
	parts_fini(&p);
}

static struct lookup *
find(const struct question *key, bool want_found)
{
	bool found;
	struct lookup *l = lookup_find_or_start(&p.lookups, key, &any, &found);

	PARTS_CHECK(l != NULL && found == want_found);
	return l;
}

static void
check_empty(void)
{
	ck_assert_uint_eq(p.lookups.pool.n_used, 0);
	ck_assert_uint_eq(p.lookups.long_names.n_used, 0);
	ck_assert(list_empty(&p.lookups.unsent.now));
	ck_assert_uint_eq(p.wheel.n, 0);
	for (uint32_t i = 0; i <= UINT32_MAX >> p.lookups.shift; i++)
		PARTS_CHECK(p.lookups.buckets[i] == NULL);
}

START_TEST(the_key_is_name_type_class_do_cd)
{
	uint8_t qname[DNS_NAME_MAX], other[DNS_NAME_MAX];
	const struct question key = parts_key("www.example", 15, qname);
	struct question k[6];
	struct lookup *l = find(&key, false);

	for (unsigned i = 0; i < 6; i++)
		k[i] = key;
	k[0].qtype = 16;
	k[1].qclass = 254;
	k[2].do_bit = true;
	k[3].cd = true;
	k[4].do_bit = k[4].cd = true;
	k[5] = parts_key("www.exampl3", 15, other);
	for (unsigned i = 0; i < 6; i++)
		ck_assert_ptr_ne(find(&k[i], false), l);
	for (unsigned i = 0; i < 6; i++)
		(void)find(&k[i], true);
	ck_assert_ptr_eq(find(&key, true), l);
	ck_assert_uint_eq(parts_count(&p.stats.lookups), 7);
	ck_assert_uint_eq(parts_count(&p.stats.coalesced), 7);
	ck_assert_ptr_eq(lookup_at(&p.lookups, l->number), l);
}
END_TEST

/* What one wishes joins what others wished; the way it began stays (D11). */
START_TEST(wishes_join_and_its_beginning_stays)
{
	uint8_t qname[DNS_NAME_MAX];
	const struct question key = parts_key("www.example", 28, qname);
	const struct lookup_wish late = { .whole = true, .transport = TRANSPORT_TCP, .prefer = 1 };
	struct lookup *l = find(&key, false);
	bool found;

	ck_assert(!l->waiters.whole && l->stream.plan == LOOKUP_AS_USUAL);
	ck_assert_uint_eq(l->upstream, UPSTREAM_NONE);
	ck_assert_ptr_eq(lookup_find_or_start(&p.lookups, &key, &late, &found), l);
	ck_assert(l->waiters.whole && l->stream.plan == LOOKUP_AS_USUAL);
	(void)find(&key, true);
	ck_assert(l->waiters.whole);
	lookup_free(&p.lookups, l);
	l = lookup_find_or_start(&p.lookups, &key, &late, &found);
	ck_assert(!found && l->waiters.whole && l->stream.plan == LOOKUP_STREAM_NEXT);
	ck_assert_uint_eq(l->upstream, 1);
}
END_TEST

START_TEST(without_waiters_it_ends)
{
	uint8_t qname[DNS_NAME_MAX];
	const struct question key = parts_key("www.example", 28, qname);
	struct list link[3];
	struct lookup *l = find(&key, false);

	for (unsigned i = 0; i < 3; i++)
		lookup_join(l, &link[i]);
	ck_assert_uint_eq(l->waiters.n, 3);
	lookup_leave(&p.lookups, l, &link[1]);
	lookup_leave(&p.lookups, l, &link[0]);
	ck_assert_ptr_eq(find(&key, true), l);
	lookup_leave(&p.lookups, l, &link[2]);
	check_empty();
}
END_TEST

/* Who watches is counted with those who wait: the lookup goes on for them, and is not their reply.
 */
START_TEST(watchers_keep_it)
{
	struct list wait = { 0 }, watch = { 0 }, other = { 0 };
	uint8_t qname[DNS_NAME_MAX];
	const struct question key = parts_key("www.example", 28, qname);
	struct lookup *l = find(&key, false);

	lookup_join(l, &wait);
	lookup_watch(l, &wait, &watch);
	ck_assert(list_empty(&l->waiters.list) && l->waiters.ring == &watch);
	lookup_join(l, &other);
	ck_assert_uint_eq(l->waiters.n, 2);
	lookup_leave(&p.lookups, l, &other);
	ck_assert_uint_eq(p.lookups.pool.n_used, 1);
	lookup_wait_again(l, &watch, &wait);
	ck_assert(!list_empty(&l->waiters.list) && l->waiters.ring == NULL);
	lookup_watch(l, &wait, &watch);
	lookup_leave(&p.lookups, l, &watch);
	check_empty();
}
END_TEST

/* DNSBomb (CVE-2024-33655): one reply answers a bounded number. */
START_TEST(waiters_are_bounded)
{
	static struct list links[LOOKUP_MAX_WAITERS];
	uint8_t qname[DNS_NAME_MAX];
	const struct question key = parts_key("www.example", 28, qname);
	struct lookup *l = find(&key, false);
	bool found;

	for (unsigned i = 0; i < LOOKUP_MAX_WAITERS; i++)
		lookup_join(find(&key, true), &links[i]);
	ck_assert_ptr_null(lookup_find_or_start(&p.lookups, &key, &any, &found));
	lookup_leave(&p.lookups, l, &links[17]);
	ck_assert_ptr_eq(find(&key, true), l);
}
END_TEST

/* Names of every length, kept apart; no room: NULL, and room again when one is freed. */
START_TEST(long_names_and_a_full_pool)
{
	static struct lookup *l[CAP];
	uint8_t qname[DNS_NAME_MAX];
	struct question key;
	char text[300];
	bool found;

	for (int i = 0; i < CAP; i++) {
		snprintf(
		    text, sizeof(text), "%0*d.%0*d.%d.example", 1 + i % 60, 0, 1 + i % 63, 1, i);
		key = parts_key(text, 28, qname);
		l[i] = find(&key, false);
	}
	key = parts_key("another.example", 28, qname);
	ck_assert_ptr_null(lookup_find_or_start(&p.lookups, &key, &any, &found));
	for (int i = 0; i < CAP; i++) {
		snprintf(
		    text, sizeof(text), "%0*d.%0*d.%d.example", 1 + i % 60, 0, 1 + i % 63, 1, i);
		key = parts_key(text, 28, qname);
		ck_assert_ptr_eq(find(&key, true), l[i]);
	}
	for (int i = 0; i < CAP; i++)
		lookup_free(&p.lookups, l[i * 7 % CAP]);
	check_empty();
}
END_TEST

/* --- what a stranger chooses is hashed under a secret ----------------------------------------- */

#define SHARING 48 /* questions of one bucket */

/* One name's question number N, of the billions there are. */
static struct question
nth(const struct lookups *ls, const struct question *name, uint32_t n)
{
	struct question key = *name;

	key.qtype = (uint16_t)(1 + n % 65535);
	key.qclass = (uint16_t)(1 + n / 65535);
	key.do_bit = n & 1;
	key.cd = (n & 2) != 0;
	key.hash = lookup_hash(ls, key.qname, key.qname_len);
	return key;
}

static unsigned
longest_bucket(const struct lookups *ls)
{
	unsigned longest = 0;

	for (uint32_t i = 0; i <= UINT32_MAX >> ls->shift; i++) {
		unsigned n = 0;

		for (const struct lookup *l = ls->buckets[i]; l != NULL; l = l->entry.next)
			n++;
		longest = n > longest ? n : longest;
	}
	return longest;
}

/* Questions for NAME that share one bucket with the first of them. */
static void
find_sharing(const struct question *name, uint32_t numbers[static SHARING])
{
	const struct question first = nth(&p.lookups, name, 0);
	struct lookup *l = find(&first, false);
	unsigned n = 1;

	numbers[0] = 0;
	for (uint32_t i = 1; n < SHARING; i++) {
		const struct question key = nth(&p.lookups, name, i);
		struct lookup *other = find(&key, false);

		if (other->entry.next == l)
			numbers[n++] = i;
		lookup_free(&p.lookups, other);
	}
	lookup_free(&p.lookups, l);
}

/* Type, class, DO and CD are the client's choice as the name is: what shares a bucket under one
 * secret does not under another, so nobody can know what does. */
START_TEST(buckets_are_secret)
{
	uint8_t qname[DNS_NAME_MAX];
	const struct question name = parts_key("www.example", 1, qname);
	uint32_t numbers[SHARING];
	struct rng other;

	find_sharing(&name, numbers);
	check_empty();
	teardown();
	setup();
	rng_init_seeded(&other, 77);
	lookups_fini(&p.lookups);
	ck_assert_int_eq(lookups_init(&p.lookups,
			     &(struct lookups){ .conf = &p.conf,
				 .stats = &p.stats,
				 .rng = &other,
				 .wheel = &p.wheel,
				 .upstreams = &p.upstreams },
			     CAP),
	    0);
	for (unsigned i = 0; i < SHARING; i++) {
		const struct question key = nth(&p.lookups, &name, numbers[i]);

		(void)find(&key, false);
	}
	ck_assert_uint_le(longest_bucket(&p.lookups), 4);
}
END_TEST

/* All types of a name spread over the buckets as different names do. */
START_TEST(types_of_a_name_spread_over_buckets)
{
	uint8_t qname[DNS_NAME_MAX];
	const struct question name = parts_key("www.example", 1, qname);

	for (uint32_t i = 0; i < CAP; i++) {
		const struct question key = nth(&p.lookups, &name, i * 64);

		(void)find(&key, false);
	}
	ck_assert_uint_le(longest_bucket(&p.lookups), 12);
}
END_TEST

START_TEST(a_probe_is_not_found)
{
	uint8_t qname[DNS_NAME_MAX];
	const struct question key = parts_key(".", DNS_TYPE_NS, qname);
	struct lookup *probe;

	lookup_start_probe(&p.lookups, 1, WAY_AS_LEARNED, DNS_TYPE_NS);
	probe = LIST_OBJECT(p.lookups.unsent.now.next, struct lookup, link);
	ck_assert(probe->probe.is && probe->pinned);
	ck_assert_uint_eq(probe->upstream, 1);
	ck_assert_ptr_ne(find(&key, false), probe);
	lookup_free(&p.lookups, probe);
	(void)find(&key, true);
	ck_assert_uint_eq(parts_count(&p.stats.upstream_probes), 1);
}
END_TEST

/* What was needed once is needed until another upstream is asked, a wish lasts for one attempt. */
START_TEST(the_plan_of_transports)
{
	static const struct {
		enum lookup_plan_event event;
		uint8_t udp, tcp, only;
	} rows[] = { { LOOKUP_WISHES_STREAM, LOOKUP_STREAM_NEXT, LOOKUP_STREAM_NEXT,
			 LOOKUP_STREAM_HERE },
		{ LOOKUP_NEEDS_STREAM, LOOKUP_STREAM_HERE, LOOKUP_STREAM_HERE, LOOKUP_STREAM_HERE },
		{ LOOKUP_NO_REPLY, LOOKUP_AS_USUAL, LOOKUP_AS_USUAL, LOOKUP_STREAM_HERE },
		{ LOOKUP_NO_STREAM, LOOKUP_AS_USUAL, LOOKUP_AS_USUAL, LOOKUP_AS_USUAL },
		{ LOOKUP_ELSEWHERE, LOOKUP_AS_USUAL, LOOKUP_STREAM_NEXT, LOOKUP_AS_USUAL } };

	ck_assert_uint_eq(sizeof(rows) / sizeof(rows[0]), LOOKUP_PLAN_EVENTS);
	for (unsigned i = 0; i < LOOKUP_PLAN_EVENTS; i++) {
		const uint8_t next[LOOKUP_PLANS] = { rows[i].udp, rows[i].tcp, rows[i].only,
			LOOKUP_STREAM_KEPT };

		for (unsigned plan = 0; plan < LOOKUP_PLANS; plan++) {
			struct lookup l = { .stream.plan = (uint8_t)plan };

			lookup_plan(&l, rows[i].event);
			ck_assert_uint_eq(l.stream.plan, next[plan]);
			ck_assert(lookup_needs_stream(&l) ==
			    (l.stream.plan == LOOKUP_STREAM_HERE ||
				l.stream.plan == LOOKUP_STREAM_KEPT));
		}
	}
}
END_TEST

/* One whose reply came before another upstream was to be asked beside, and has many waiters. */
START_TEST(what_is_put_off_awaits_nothing)
{
	const struct lookup_result result = { .outcome = LOOKUP_SILENT };
	uint8_t qname[DNS_NAME_MAX];
	const struct question key = parts_key("www.example", 28, qname);
	struct lookup *l = find(&key, false), *found;
	struct lookup_result kept;

	lookup_set_wait(&p.lookups, l, LOOKUP_EARLY, NS_PER_SEC);
	lookup_stop_attempt(&p.lookups, l);
	lookup_put_off(&p.lookups, l, &result);
	ck_assert_uint_eq(l->wait, LOOKUP_AWAITS);
	ck_assert_uint_eq(p.wheel.n, 0);
	found = lookup_next_put_off(&p.lookups, &kept);
	ck_assert_ptr_eq(found, l);
	ck_assert_uint_eq(kept.outcome, LOOKUP_SILENT);
	lookup_free(&p.lookups, l);
	check_empty();
}
END_TEST

/* Signed questions (RULES D20): bounded in number and size, and found by nobody. */
START_TEST(d20_signed_is_bounded)
{
	static uint8_t bytes[LOOKUP_SIGNED_MAX + 1];
	struct lookup *l[LOOKUP_SIGNED_LEAST];
	uint8_t qname[DNS_NAME_MAX];
	const struct question key = parts_key("www.example", 15, qname);
	size_t len = parts_question(bytes, 7, "www.example", 15);
	struct msg m;

	ck_assert_int_eq(msg_parse(&m, bytes, len), MSG_OK);
	for (unsigned i = 0; i < LOOKUP_SIGNED_LEAST; i++) {
		l[i] = lookup_start_signed(&p.lookups, &m, i % 2 == 1);
		ck_assert_ptr_nonnull(l[i]);
		ck_assert((l[i]->stream.plan == LOOKUP_STREAM_KEPT) == (i % 2 == 1));
	}
	ck_assert_ptr_null(lookup_start_signed(&p.lookups, &m, false));
	ck_assert_uint_eq(parts_count(&p.stats.lookups_signed), LOOKUP_SIGNED_LEAST);
	lookup_free(&p.lookups, find(&key, false));
	for (unsigned i = 0; i < LOOKUP_SIGNED_LEAST; i++)
		lookup_free(&p.lookups, l[i]);
	m.len = LOOKUP_SIGNED_MAX + 1;
	ck_assert_ptr_null(lookup_start_signed(&p.lookups, &m, true));
	m.len = LOOKUP_SIGNED_MAX;
	l[0] = lookup_start_signed(&p.lookups, &m, true);
	ck_assert_ptr_nonnull(l[0]);
	lookup_free(&p.lookups, l[0]);
	ck_assert_uint_eq(p.lookups.messages.n_used, 0);
	check_empty();
}
END_TEST

/* D21: of a socket it is known which of its IDs were given up; those of a connection are no
 * socket's. */
START_TEST(d21_given_up_over_tcp_is_no_sockets)
{
	const struct attempt a = { .id = 7 };
	struct txid_owner *o = &p.lookups.spaces[0].owner[7];

	*o = (struct txid_owner){ .socket = 1, .transport = TRANSPORT_TCP };
	lookup_expect(&p.lookups, &a);
	ck_assert_uint_eq(p.lookups.stale_ids[1].n, 0);
	o->transport = TRANSPORT_UDP;
	lookup_expect(&p.lookups, &a);
	ck_assert(stale_id_has(&p.lookups.stale_ids[1], 7));
	o->socket = UPSTREAM_MAX_SOCKETS; /* its socket is closed */
	lookup_expect(&p.lookups, &a);
}
END_TEST

START_TEST(outcomes_have_words)
{
	ck_assert_str_eq(lookup_outcome_name(LOOKUP_REPLY), "reply");
	for (int i = 0; i <= LOOKUP_NO_ROOM; i++) {
		ck_assert_ptr_nonnull(lookup_outcome_name((enum lookup_outcome)i));
		for (int k = 0; k < i; k++)
			ck_assert_str_ne(lookup_outcome_name((enum lookup_outcome)i),
			    lookup_outcome_name((enum lookup_outcome)k));
	}
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, the_key_is_name_type_class_do_cd);
	tcase_add_test(tc, wishes_join_and_its_beginning_stays);
	tcase_add_test(tc, without_waiters_it_ends);
	tcase_add_test(tc, watchers_keep_it);
	tcase_add_test(tc, waiters_are_bounded);
	tcase_add_test(tc, long_names_and_a_full_pool);
	tcase_add_test(tc, buckets_are_secret);
	tcase_add_test(tc, types_of_a_name_spread_over_buckets);
	tcase_add_test(tc, a_probe_is_not_found);
	tcase_add_test(tc, the_plan_of_transports);
	tcase_add_test(tc, what_is_put_off_awaits_nothing);
	tcase_add_test(tc, d20_signed_is_bounded);
	tcase_add_test(tc, d21_given_up_over_tcp_is_no_sockets);
	tcase_add_test(tc, outcomes_have_words);
}
