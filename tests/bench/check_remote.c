/* SPDX-License-Identifier: BSD-2-Clause */
/* What agents are called, by whose clock they begin, and those that never come to an end; all else
 * of them is for check_agents.
 */

#include "bench/remote.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/exchange.h"
#include "support/testclock.h"
#include "support/tests.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

/* One after another, to the end of the list. */
START_TEST(agents_are_read)
{
	const char *list = "a,bench.example.org#53,2001:db8::7,192.0.2.1#65535";
	static const struct {
		const char *host;
		uint16_t port;
	} peers[] = { { "a", BENCH_REMOTE_PORT }, { "bench.example.org", 53 },
		{ "2001:db8::7", BENCH_REMOTE_PORT }, { "192.0.2.1", 65535 } };
	static const char *const bad[] = { "", ",", ",a", "a,", "#5", "a#", "a#0", "a#65536",
		"a#-1", "a#5x" };
	char longest[300];
	struct bench_remote_place p;

	for (size_t i = 0; i < N_OF(peers); i++) {
		ck_assert(*list != '\0' && bench_remote_parse(&list, &p));
		ck_assert_str_eq(p.host, peers[i].host);
		ck_assert_uint_eq(p.port, peers[i].port);
	}
	ck_assert_str_eq(list, "");
	for (size_t i = 0; i < N_OF(bad); i++) {
		list = bad[i];
		ck_assert_msg(!bench_remote_parse(&list, &p), "\"%s\"", bad[i]);
	}
	memset(longest, 'a', sizeof(longest));
	longest[255] = '\0';
	list = longest;
	ck_assert(bench_remote_parse(&list, &p));
	longest[255] = 'a';
	longest[256] = '\0';
	list = longest;
	ck_assert(!bench_remote_parse(&list, &p));
}
END_TEST

/* --- Hostile ones ----------------------------------------------------------------------------- */

static struct bench_remote g;
static struct bench_channel other; /* the agent's end */
static atomic_bool never;

static void
setup(void)
{
	static const struct bench_remote_place place = { .name = "here" };
	int fd[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fd), 0);
	bench_remote_init(&g, &place);
	bench_channel_init(&g.c, fd[0], BENCH_CHANNEL_RESULT);
	bench_channel_init(&other, fd[1], BENCH_CHANNEL_PLAN);
	bench_remote_forget(&g);
	testclock_hold();
}

static void
teardown(void)
{
	testclock_reset();
	bench_channel_close(&g.c);
	bench_channel_close(&other);
}

static void
tell(json_t *message)
{
	ck_assert_msg(bench_channel_send(&other, message), "%s", other.error);
}

/* A part in which N questions were asked, and nothing came. */
static json_t *
part_of(uint64_t n)
{
	struct bench_tally *t = malloc(sizeof(*t));

	bench_tally_clear(t);
	t->sent = n;
	t->first_ns = t->last_ns = t->end_ns = NS_PER_SEC;
	json_t *o = bench_exchange_tally(t, NS_PER_SEC);
	free(t);
	return o;
}

#define AHEAD_NS (5 * NS_PER_SEC)

/* An agent whose clock is ahead of ours tells the time as often as it is asked; then when to begin.
 */
static void *
tell_clock(void *arg)
{
	uint64_t *start_ns = arg;

	while (*start_ns == 0) {
		json_t *asked = bench_channel_wait(&other, 20, &never);

		if (asked == NULL)
			break;
		json_t *number = json_object_get(asked, "clock");
		*start_ns = (uint64_t)json_integer_value(json_object_get(asked, "start"));
		if (number != NULL)
			bench_channel_send(&other,
			    json_pack("{s:O,s:I}", "clock", number, "now",
				(json_int_t)(clock_now_ns() + AHEAD_NS)));
		json_decref(asked);
	}
	return NULL;
}

/* All begin at one moment, each by its own clock. */
START_TEST(start_is_told_by_its_clock)
{
	uint64_t start_ns = clock_now_ns() + NS_PER_SEC, its_ns = 0;
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, tell_clock, &its_ns), 0);
	ck_assert_msg(bench_remote_clock(&g, &never), "%s", g.c.error);
	bench_remote_start(&g, start_ns, UINT64_MAX);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_uint_eq(g.unsure_ns, 0); /* the trips took no time */
	ck_assert_uint_eq(its_ns, start_ns + AHEAD_NS);
}
END_TEST

/* Signs of life are no end. */
START_TEST(trial_without_end_is_given_up)
{
	bench_remote_start(&g, clock_now_ns(), 300 * NS_PER_MS);
	for (int i = 0; i < 6; i++) {
		testclock_pass(50 * NS_PER_MS);
		tell(json_pack("{s:b}", "alive", 1));
		bench_remote_hear(&g);
		ck_assert(g.asked);
	}
	testclock_pass(1);
	bench_remote_hear(&g);
	ck_assert(!g.asked);
	ck_assert_str_eq(g.fault, "it does not come to an end");
	ck_assert_int_eq(g.c.fd, -1);
}
END_TEST

/* Neither is who was told to stop waited for until then, nor who owes a part. */
START_TEST(orders_that_are_not_obeyed_are_told)
{
	uint64_t now_ns = clock_now_ns();

	bench_remote_start(&g, now_ns, UINT64_MAX);
	ck_assert_uint_eq(g.until_ns, UINT64_MAX);
	if (_i == 0)
		bench_remote_stop(&g);
	else
		bench_remote_take(&g);
	uint64_t until_ns = _i == 0 ? g.until_ns : g.owed_ns;
	ck_assert_uint_ge(until_ns, now_ns + NS_PER_SEC);
	ck_assert_uint_le(until_ns, clock_now_ns() + 10 * NS_PER_SEC);
	tell(json_pack("{s:b}", "alive", 1));
	bench_remote_hear(&g);
	ck_assert(g.asked);
	g.until_ns = _i == 0 ? 1 : g.until_ns;
	g.owed_ns = _i == 0 ? 0 : 1;
	bench_remote_hear(&g);
	ck_assert(!g.asked);
	ck_assert_str_eq(g.fault,
	    _i == 0 ? "it does not come to an end"
		    : "it does not tell what became of its questions");
}
END_TEST

/* Who talks without end does not keep us from the others. */
START_TEST(flood_of_messages_is_heard_in_pieces)
{
	static const char alive[] = "\0\0\0\016{\"alive\":true}";
	static char all[1500 * (sizeof(alive) - 1)];
	json_t *more;

	for (size_t i = 0; i < sizeof(all); i += sizeof(alive) - 1)
		memcpy(all + i, alive, sizeof(alive) - 1);
	bench_remote_start(&g, clock_now_ns(), UINT64_MAX);
	ck_assert_int_eq(write(other.fd, all, sizeof(all)), (ssize_t)sizeof(all));
	bench_remote_hear(&g);
	ck_assert(g.asked);
	more = bench_channel_take(&g.c);
	ck_assert_ptr_nonnull(more);
	json_decref(more);
}
END_TEST

START_TEST(parts_are_taken_when_asked_for)
{
	bench_remote_start(&g, NS_PER_SEC, UINT64_MAX);
	tell(json_pack("{s:o}", "part", part_of(100))); /* nobody has asked */
	bench_remote_hear(&g);
	ck_assert(g.asked && !g.has_part);
	bench_remote_take(&g);
	tell(json_pack("{s:o}", "part", part_of(5)));
	tell(json_pack("{s:o}", "tally", part_of(7)));
	bench_remote_hear(&g);
	ck_assert(g.asked && g.has_part);
	ck_assert_uint_eq(g.part.sent, 5);
	g.has_part = false;
	bench_remote_hear(&g);
	ck_assert(!g.asked && g.has_part);
	ck_assert_uint_eq(g.part.sent, 7);
	ck_assert_uint_eq(g.tally.sent, 12);
	ck_assert_str_eq(g.fault, "");
	bench_remote_take(&g); /* of nothing: it is not even sent */
	ck_assert_uint_eq(g.owed_ns, 0);
}
END_TEST

/* Parts may be what no trial is; their sum may not. */
START_TEST(parts_that_do_not_add_up_are_told)
{
	json_t *bad = part_of(10);

	bench_remote_start(&g, NS_PER_SEC, UINT64_MAX);
	(void)json_object_set_new(bad, "overdue", json_integer(12));
	for (int i = 0; i < 2; i++) {
		bench_remote_take(&g);
		tell(json_pack("{s:o}", "part", i == 0 ? part_of(2) : json_incref(bad)));
		bench_remote_hear(&g);
		ck_assert(g.asked && g.has_part);
		g.has_part = false;
	}
	bench_remote_take(&g);
	tell(json_pack("{s:o}", "part", bad));
	bench_remote_hear(&g);
	ck_assert(!g.asked && !g.has_part);
	ck_assert_ptr_nonnull(strstr(g.fault, "its results are none: more questions had an end"));
	ck_assert_uint_eq(g.tally.sent, 0);
}
END_TEST

static json_int_t told_time; /* 0: the right one */
static uint64_t delay_ns;
static unsigned n_told;

static void *
tell_time(void *arg)
{
	json_t *message;

	while ((message = bench_channel_wait(&other, 20, &never)) != NULL) {
		testclock_pass(delay_ns);
		n_told++;
		(void)bench_channel_send(&other,
		    json_pack("{s:I,s:I}", "clock",
			json_integer_value(json_object_get(message, "clock")), "now",
			told_time != 0 ? told_time : (json_int_t)clock_now_ns()));
		json_decref(message);
	}
	return arg;
}

/* A clock that nothing could be added to is none; one of last week is. */
START_TEST(impossible_clock_is_told)
{
	static const json_int_t times[] = { INT64_MAX, INT64_MIN, -5, 1 };
	pthread_t t;

	told_time = times[_i];
	ck_assert_int_eq(pthread_create(&t, NULL, tell_time, NULL), 0);
	ck_assert_int_eq(bench_remote_clock(&g, &never), _i == 3);
	if (_i < 3)
		ck_assert_str_eq(g.c.error, "it does not tell the time");
	else
		ck_assert_int_lt(g.offset_ns, 0);
	bench_channel_close(&g.c);
	ck_assert_int_eq(pthread_join(t, NULL), 0);
}
END_TEST

/* All the trips of a slow one would take a minute: the third is the last, after 2.1 s. */
START_TEST(slow_clock_takes_little_time)
{
	pthread_t t;

	delay_ns = 700 * NS_PER_MS;
	n_told = 0;
	ck_assert_int_eq(pthread_create(&t, NULL, tell_time, NULL), 0);
	ck_assert(bench_remote_clock(&g, &never));
	ck_assert_uint_eq(g.unsure_ns, 350 * NS_PER_MS);
	bench_channel_close(&g.c);
	ck_assert_int_eq(pthread_join(t, NULL), 0);
	ck_assert_uint_eq(n_told, 3);
}
END_TEST

void
tests_add(TCase *tc)
{
	TCase *hostile = tests_case("agents");

	tcase_add_test(tc, agents_are_read);
	tcase_set_timeout(hostile, 60);
	tcase_add_checked_fixture(hostile, setup, teardown);
	tcase_add_test(hostile, start_is_told_by_its_clock);
	tcase_add_test(hostile, trial_without_end_is_given_up);
	tcase_add_loop_test(hostile, orders_that_are_not_obeyed_are_told, 0, 2);
	tcase_add_test(hostile, flood_of_messages_is_heard_in_pieces);
	tcase_add_test(hostile, parts_are_taken_when_asked_for);
	tcase_add_test(hostile, parts_that_do_not_add_up_are_told);
	tcase_add_loop_test(hostile, impossible_clock_is_told, 0, 4);
	tcase_add_test(hostile, slow_clock_takes_little_time);
}
