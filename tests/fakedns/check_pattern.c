/* SPDX-License-Identifier: BSD-2-Clause */
/* What befalls questions: losses and their bursts, delays, outages, chances from a seed. */

#include "fakedns/pattern.h"

#include <string.h>

#include "base/clock.h"
#include "dns/name.h"
#include "dns/proto.h"
#include "dns/wire.h"
#include "support/tests.h"

#define N 20000
#define START (1000 * NS_PER_SEC)

static struct fake_pattern pattern;
static struct fake_past past;

static void
begin(uint64_t seed)
{
	ck_assert(fake_past_init(&past, &pattern, seed));
	past.start_ns = START;
}

/* What befalls a question for NAME and TYPE that comes MS after the start. */
static struct fake_fate
ask(const char *text, uint16_t type, bool tcp, uint64_t ms)
{
	uint8_t bytes[300], name[DNS_NAME_MAX];
	struct wire_writer w = { bytes, sizeof(bytes), 0, false };
	size_t len = name_from_text(text, name);

	ck_assert_uint_gt(len, 0);
	wire_put_bytes(&w, "\0\1\1\0\0\1\0\0\0\0\0", 12);
	wire_put_bytes(&w, name, len);
	wire_put_u16(&w, type);
	wire_put_u16(&w, DNS_CLASS_IN);
	return fake_pattern_fate(&pattern, &past, bytes, w.len, tcp, START + ms * NS_PER_MS);
}

static struct fake_fate
ask_a(void)
{
	return ask("a.test", DNS_TYPE_A, false, 0);
}

/* How late the answer is, in ms. */
static uint64_t
late(const char *text, uint16_t type, uint64_t ms)
{
	struct fake_fate f = ask(text, type, false, ms);

	ck_assert_int_eq(f.lot, FAKE_LOT_ANSWER);
	return f.due_ns == 0 ? 0 : (f.due_ns - START) / NS_PER_MS - ms;
}

static void
set_up(void)
{
	memset(&pattern, 0, sizeof(pattern));
}

static void
tear_down(void)
{
	fake_past_drop(&past);
}

START_TEST(nothing_befalls_without_a_pattern)
{
	begin(0);
	ck_assert(fake_pattern_is_plain(&pattern));
	ck_assert(!fake_pattern_delays(&pattern));
	struct fake_fate f = ask_a();
	ck_assert_int_eq(f.lot, FAKE_LOT_ANSWER);
	ck_assert(!f.truncate && !f.twice && !f.unforced && !f.held);
	ck_assert_uint_eq(f.due_ns, 0);
}
END_TEST

START_TEST(each_field_makes_a_pattern)
{
	static const struct fake_pattern some[] = { { .delay_ms = 1 }, { .jitter_ms = 1 },
		{ .slow_first_ms = 1 }, { .reorder_percent = 1 }, { .loss = 1 }, { .down_ms = 1 },
		{ .truncate_percent = 1 }, { .duplicate_percent = 1 }, { .damage_percent = 1 },
		{ .forge_percent = 1 }, { .unforced_percent = 1 } };

	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
		ck_assert(!fake_pattern_is_plain(&some[i]));
		ck_assert_int_eq(fake_pattern_delays(&some[i]), i < 4);
	}
}
END_TEST

/* The mean is the same with and without bursts: of N, LOSS +- 5 standard deviations. */
START_TEST(losses_have_their_rate_and_bursts)
{
	static const struct {
		unsigned loss, burst;
		int deviation;
	} of[] = { { 500, 1, 50 }, { 20000, 1, 290 }, { 20000, 4, 650 }, { 30000, 10, 1300 },
		{ 100000, 3, 0 } };
	unsigned lost = 0, row = 0;

	pattern.loss = of[_i].loss;
	pattern.loss_burst = of[_i].burst;
	begin(7);
	for (unsigned i = 0; i < N; i++) {
		if (ask_a().lot == FAKE_LOT_LOST) {
			lost++;
			row++;
			continue;
		}
		ck_assert_uint_eq(row % of[_i].burst, 0);
		row = 0;
	}
	int wanted = (int)((uint64_t)N * of[_i].loss / FAKE_LOSS_ALL);
	ck_assert_int_ge((int)lost, wanted - of[_i].deviation);
	ck_assert_int_le((int)lost, wanted + of[_i].deviation);
}
END_TEST

START_TEST(losses_are_for_udp_and_their_type)
{
	pattern.loss = FAKE_LOSS_ALL;
	pattern.loss_type = DNS_TYPE_AAAA;
	begin(0);
	ck_assert_int_eq(ask("a.test", DNS_TYPE_AAAA, false, 0).lot, FAKE_LOT_LOST);
	ck_assert_int_eq(ask("a.test", DNS_TYPE_AAAA, true, 0).lot, FAKE_LOT_ANSWER);
	ck_assert_int_eq(ask("a.test", DNS_TYPE_A, false, 0).lot, FAKE_LOT_ANSWER);
}
END_TEST

/* What is no question can be lost like others, but has neither type nor name. */
START_TEST(garbage_has_a_fate)
{
	static const uint8_t garbage[14] = { 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 63, 1 };

	pattern.loss = FAKE_LOSS_ALL;
	pattern.loss_type = DNS_TYPE_AAAA;
	pattern.slow_first_ms = 10;
	begin(0);
	for (size_t len = 0; len <= sizeof(garbage); len++)
		ck_assert_int_eq(fake_pattern_fate(&pattern, &past, garbage, len, false, START).lot,
		    FAKE_LOT_ANSWER);
	pattern.loss_type = 0;
	ck_assert_int_eq(
	    fake_pattern_fate(&pattern, &past, garbage, 3, false, START).lot, FAKE_LOT_LOST);
}
END_TEST

START_TEST(outages_come_and_go)
{
	static const struct {
		uint64_t ms;
		bool down;
		uint64_t left_ms;
	} at[] = { { 0, false, 1500 }, { 1499, false, 1 }, { 1500, true, 500 }, { 1999, true, 1 },
		{ 2000, false, 1500 }, { 3600, true, 400 }, { 2000 * 1000 + 1700, true, 300 } };
	uint64_t left_ns = 0;

	pattern.up_ms = 1500;
	pattern.down_ms = 500;
	begin(0);
	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		enum fake_lot lot = at[i].down ? FAKE_LOT_OUTAGE : FAKE_LOT_ANSWER;

		ck_assert_int_eq(ask("a.test", DNS_TYPE_A, false, at[i].ms).lot, lot);
		ck_assert_int_eq(ask("a.test", DNS_TYPE_A, true, at[i].ms).lot, lot);
		ck_assert_int_eq(
		    fake_pattern_is_down(&pattern, &past, START + at[i].ms * NS_PER_MS, &left_ns),
		    at[i].down);
		ck_assert_uint_eq(left_ns, at[i].left_ms * NS_PER_MS);
	}
	pattern.up_ms = 0; /* for ever */
	ck_assert_int_eq(ask("a.test", DNS_TYPE_A, false, 0).lot, FAKE_LOT_OUTAGE);
	ck_assert_int_eq(ask("a.test", DNS_TYPE_A, false, 500).lot, FAKE_LOT_OUTAGE);
}
END_TEST

START_TEST(delays_are_for_their_type_and_turn)
{
	pattern.delay_ms = 300;
	pattern.delay_type = DNS_TYPE_AAAA;
	pattern.delay_every = 3;
	begin(0);
	for (unsigned i = 1; i <= 9; i++) {
		ck_assert_uint_eq(late("a.test", DNS_TYPE_A, i), 0);
		ck_assert_uint_eq(late("a.test", DNS_TYPE_AAAA, i), i % 3 == 0 ? 300 : 0);
	}
	pattern.delay_type = 0;
	pattern.delay_every = 0;
	ck_assert_uint_eq(late("a.test", DNS_TYPE_A, 0), 300);
	ck_assert_uint_eq(late("a.test", DNS_TYPE_A, 0), 300);
	ck_assert_uint_ne(ask("a.test", DNS_TYPE_A, true, 0).due_ns, 0); /* TCP likewise */
	pattern.delay_tcp = true;
	ck_assert_uint_eq(late("a.test", DNS_TYPE_A, 0), 0);
	ck_assert_uint_ne(ask("a.test", DNS_TYPE_A, true, 0).due_ns, 0);
}
END_TEST

START_TEST(jitter_stays_in_its_range)
{
	uint64_t least = UINT64_MAX, most = 0;

	pattern.delay_ms = 5;
	pattern.jitter_ms = 20;
	begin(1);
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t due_ns = ask_a().due_ns - START;

		least = due_ns < least ? due_ns : least;
		most = due_ns > most ? due_ns : most;
	}
	ck_assert_uint_ge(least, 5 * NS_PER_MS);
	ck_assert_uint_le(most, 25 * NS_PER_MS);
	ck_assert_uint_lt(least, 6 * NS_PER_MS);
	ck_assert_uint_gt(most, 24 * NS_PER_MS);
}
END_TEST

/* As recursion: all that ask meanwhile wait for the same, whatever the type and the case. */
START_TEST(a_new_name_is_slow)
{
	pattern.slow_first_ms = 1200;
	pattern.delay_ms = 10;
	begin(0);
	ck_assert_uint_eq(late("new.test", DNS_TYPE_AAAA, 0), 1200);
	ck_assert_uint_eq(late("NEW.test", DNS_TYPE_A, 1000), 200);
	ck_assert_uint_eq(late("other.test", DNS_TYPE_AAAA, 1100), 1200);
	ck_assert_uint_eq(late("new.test", DNS_TYPE_AAAA, 1195), 10);
	ck_assert_uint_eq(late("new.test", DNS_TYPE_AAAA, 5000), 10);
}
END_TEST

/* A question that was lost never began the search. */
START_TEST(a_lost_question_starts_no_clock)
{
	pattern.slow_first_ms = 1200;
	pattern.up_ms = pattern.down_ms = 1000;
	begin(0);
	ck_assert_int_eq(ask("new.test", DNS_TYPE_A, false, 1500).lot, FAKE_LOT_OUTAGE);
	ck_assert_uint_eq(late("new.test", DNS_TYPE_A, 2000), 1200);
}
END_TEST

START_TEST(some_are_held_back)
{
	unsigned held = 0;

	pattern.delay_ms = 10;
	pattern.reorder_percent = 25;
	pattern.reorder_ms = 40;
	begin(1);
	for (unsigned i = 0; i < N; i++) {
		struct fake_fate f = ask_a();

		ck_assert_uint_eq(f.due_ns, START + (f.held ? 50 : 10) * NS_PER_MS);
		held += f.held;
	}
	ck_assert_uint_ge(held, N / 4 - 310); /* 5 standard deviations */
	ck_assert_uint_le(held, N / 4 + 310);
}
END_TEST

START_TEST(chances_have_their_percentage)
{
	unsigned truncated = 0, twice = 0, unforced = 0, damaged = 0, forged = 0;

	pattern.truncate_percent = 50;
	pattern.duplicate_percent = 10;
	pattern.unforced_percent = 90;
	pattern.damage_percent = 20;
	pattern.forge_percent = 40;
	begin(1);
	for (unsigned i = 0; i < N; i++) {
		struct fake_fate f = ask("a.test", DNS_TYPE_A, i % 2 == 0, 0);

		ck_assert(i % 2 != 0 ||
		    (!f.truncate && !f.twice && !f.damaged && !f.forged)); /* for UDP only */
		truncated += f.truncate;
		twice += f.twice;
		damaged += f.damaged;
		forged += f.forged;
		unforced += f.unforced;
	}
	ck_assert_uint_ge(truncated, N / 4 - 250);
	ck_assert_uint_le(truncated, N / 4 + 250);
	ck_assert_uint_ge(twice, N / 20 - 150);
	ck_assert_uint_le(twice, N / 20 + 150);
	ck_assert_uint_ge(damaged, N / 10 - 200);
	ck_assert_uint_le(damaged, N / 10 + 200);
	ck_assert_uint_ge(forged, N / 5 - 250);
	ck_assert_uint_le(forged, N / 5 + 250);
	ck_assert_uint_ge(unforced, N * 9 / 10 - 212);
	ck_assert_uint_le(unforced, N * 9 / 10 + 212);
}
END_TEST

/* Bit I: question I is lost. */
static uint64_t
lost_of_64(uint64_t seed)
{
	uint64_t bits = 0;

	begin(seed);
	for (unsigned i = 0; i < 64; i++)
		bits |= (uint64_t)(ask_a().lot == FAKE_LOT_LOST) << i;
	return bits;
}

START_TEST(a_seed_repeats_all_chances)
{
	pattern.loss = FAKE_LOSS_ALL / 2;
	uint64_t one = lost_of_64(1);
	ck_assert_uint_eq(lost_of_64(1), one);
	ck_assert_uint_ne(lost_of_64(2), one);
	ck_assert_uint_ne(lost_of_64(0), lost_of_64(0)); /* none: others each time */
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, nothing_befalls_without_a_pattern);
	tcase_add_test(tc, each_field_makes_a_pattern);
	tcase_add_loop_test(tc, losses_have_their_rate_and_bursts, 0, 5);
	tcase_add_test(tc, losses_are_for_udp_and_their_type);
	tcase_add_test(tc, garbage_has_a_fate);
	tcase_add_test(tc, outages_come_and_go);
	tcase_add_test(tc, delays_are_for_their_type_and_turn);
	tcase_add_test(tc, jitter_stays_in_its_range);
	tcase_add_test(tc, a_new_name_is_slow);
	tcase_add_test(tc, a_lost_question_starts_no_clock);
	tcase_add_test(tc, some_are_held_back);
	tcase_add_test(tc, chances_have_their_percentage);
	tcase_add_test(tc, a_seed_repeats_all_chances);
}
