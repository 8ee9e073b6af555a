/* SPDX-License-Identifier: BSD-2-Clause */
/* An agent and whoever comes to its port: it serves the next one whatever the last one did. */

#include "bench/agent.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/exchange.h"
#include "bench/rogue.h"
#include "support/testclock.h"
#include "support/tests.h"

#define WAIT_S 60.0 /* this machine may be busy */
#define SILENT 24   /* more than an agent has places for */

static struct netaddr address;
static struct bench_secret secret; /* none */
static struct bench_agent *agent;
static struct bench_channel c;
static struct rogue rogue;
static struct bench_tally tally;
static atomic_bool end, never;
static pthread_t thread;
static char *said;
static size_t said_len;
static FILE *lines;

static void *
serve(void *arg)
{
	bench_agent_serve(agent, &end);
	return arg;
}

static void
setup(void)
{
	lines = open_memstream(&said, &said_len);
	ck_assert_ptr_nonnull(lines);
	ck_assert(netaddr_parse("127.0.0.1", 0, &address));
	ck_assert_int_eq(bench_agent_new(&address, &secret, lines, &agent), 0);
	ck_assert_uint_gt(address.port, 0);
	atomic_store(&end, false);
	ck_assert_int_eq(pthread_create(&thread, NULL, serve, NULL), 0);
	c.fd = -1;
}

/* End the agent: what it has said is then complete. */
static void
finish(void)
{
	bench_channel_close(&c);
	atomic_store(&end, true);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	bench_agent_free(agent);
	agent = NULL;
	(void)fclose(lines);
}

static void
teardown(void)
{
	if (agent != NULL)
		finish();
	free(said);
	testclock_reset();
}

static int
connected(void)
{
	struct sockaddr_storage ss;
	socklen_t len = netaddr_to_sockaddr(&address, &ss);
	int fd = socket(ss.ss_family, SOCK_STREAM, 0);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&ss, len), 0);
	return fd;
}

/* Be the controller. */
static void
greet(void)
{
	bench_channel_close(&c);
	bench_channel_init(&c, connected(), BENCH_CHANNEL_RESULT);
	ck_assert_msg(bench_greeting_ask(&c, &secret, &never), "%s", c.error);
}

static json_t *
heard(void)
{
	json_t *message = bench_channel_wait(&c, WAIT_S, &never);

	ck_assert_msg(message != NULL, "%s", c.error);
	return message;
}

static void
say(json_t *message)
{
	ck_assert_msg(bench_channel_send(&c, message), "%s", c.error);
}

/* The next message has KEY; those of life do not count. */
static json_t *
hears(const char *key)
{
	json_t *message;

	while (json_object_get(message = heard(), "alive") != NULL)
		json_decref(message);
	ck_assert_msg(
	    json_object_get(message, key) != NULL, "no %s: %s", key, json_dumps(message, 0));
	return message;
}

static json_t *
plan_of(uint32_t rate, uint64_t n)
{
	struct bench_plan p = { .transport = &bench_udp,
		.server = rogue.addr,
		.n_threads = 1,
		.n_lanes = 2,
		.rate = rate,
		.burst = 1,
		.n_questions = n,
		.duration_ns = UINT64_MAX,
		.timeout_ns = 20 * NS_PER_SEC };

	bench_load_init(&p.load);
	return bench_exchange_plan(&p);
}

static uint64_t
time_there(void)
{
	json_t *message;
	json_int_t now;

	say(json_pack("{s:i}", "clock", 7));
	message = hears("now");
	ck_assert_int_eq(json_integer_value(json_object_get(message, "clock")), 7);
	now = json_integer_value(json_object_get(message, "now"));
	json_decref(message);
	return (uint64_t)now;
}

/* Have N questions asked from 0.1 s later on. */
static void
begin_trial(uint32_t rate, uint64_t n)
{
	say(json_pack("{s:o}", "trial", plan_of(rate, n)));
	json_decref(hears("ready"));
	say(json_pack("{s:I}", "start", (json_int_t)(time_there() + 100 * NS_PER_MS)));
}

/* The tally that is called KEY. */
static void
take_part(const char *key)
{
	char why[BENCH_EXCHANGE_WHY];
	json_t *message = hears(key);

	ck_assert_msg(
	    bench_exchange_read_tally(json_object_get(message, key), NS_PER_SEC, &tally, why), "%s",
	    why);
	json_decref(message);
}

static void
take_tally(void)
{
	take_part("tally");
}

static void
start_rogue(void)
{
	memset(&rogue, 0, sizeof(rogue));
	rogue.type = SOCK_DGRAM;
	rogue_start(&rogue);
}

/* Does it serve who comes now? */
static void
still_serves(void)
{
	start_rogue();
	greet();
	begin_trial(2000, 50);
	take_tally();
	ck_assert_uint_eq(tally.sent, 50);
	ck_assert_uint_eq(tally.replies[BENCH_VALID], 50);
	rogue_stop(&rogue);
}

START_TEST(trial_begins_in_time_and_is_told)
{
	uint64_t before_ns = clock_now_ns(), there_ns;

	start_rogue();
	greet();
	there_ns = time_there(); /* of the same clock */
	ck_assert_uint_ge(there_ns, before_ns);
	ck_assert_uint_le(there_ns, clock_now_ns());
	begin_trial(2000, 400);
	take_tally();
	ck_assert_uint_eq(tally.sent, 400);
	ck_assert_uint_eq(tally.replies[BENCH_VALID], 400);
	ck_assert_uint_eq(tally.rtt.n, 400);
	ck_assert_uint_ge(tally.first_ns, NS_PER_SEC); /* not before the start */
	begin_trial(1000, 10);                         /* and once more */
	take_tally();
	ck_assert_uint_eq(tally.sent, 10);
	rogue_stop(&rogue);
}
END_TEST

/* What comes to the port, from who is no controller. */
static const struct {
	const char *bytes;
	size_t len;
	const char *told;
} garbage[] = {
	{ "GET / HTTP/1.1\r\n\r\n", 18, "a message of 1195725856 bytes" },
	{ "\377\377\377\377", 4, "a message of 4294967295 bytes" },
	{ "\0\0\4\1", 4, "a message of 1025 bytes" },
	{ "\0\0\0\0", 4, "a message of 0 bytes" },
	{ "\0\0\0\004abcd", 8, "a message that is no object of JSON" },
	{ "\0\0\0\002{}", 6, "who is there is no dns64bench" },
	{ "\0\0", 2, "the connection was closed" },
	{ "", 0, "the connection was closed" },
};

START_TEST(garbage_is_told_and_the_next_one_served)
{
	char rest[512];
	int fd = connected();

	ck_assert_int_eq(send(fd, garbage[_i].bytes, garbage[_i].len, 0), (ssize_t)garbage[_i].len);
	(void)shutdown(fd, SHUT_WR);
	while (read(fd, rest, sizeof(rest)) > 0)
		continue;
	(void)close(fd);
	still_serves();
	finish();
	ck_assert_msg(strstr(said, garbage[_i].told) != NULL, "%s", said);
}
END_TEST

/* Who connects and says nothing, or not all of it, keeps nobody out, and is not waited for. */
START_TEST(silent_ones_keep_nobody_out)
{
	int fd[SILENT];

	testclock_hold();
	for (int i = 0; i < SILENT; i++) {
		fd[i] = connected();
		ck_assert_int_eq(send(fd[i], "\0\0\1", (size_t)i % 4, 0), i % 4);
	}
	greet(); /* though no time has passed */
	bench_channel_close(&c);
	testclock_release();
	still_serves();
	for (int i = 0; i < SILENT; i++)
		(void)close(fd[i]);
	bench_channel_close(&c);
	fd[0] = connected();
	(void)usleep(200000); /* it is seen */
	testclock_pass(6 * NS_PER_SEC);
	greet();
	(void)time_there();
	(void)close(fd[0]);
	finish();
	ck_assert_msg(
	    strstr(said, "others came, and it had not said who it is") != NULL, "%s", said);
	ck_assert_msg(strstr(said, "no answer for 5 s") != NULL, "%s", said);
}
END_TEST

/* Who came first gives way, not who may be about to say who he is. */
START_TEST(oldest_guest_gives_way)
{
	int fd[SILENT + 8], n = 0;

	while (n < SILENT)
		fd[n++] = connected();
	bench_channel_init(&c, connected(), BENCH_CHANNEL_RESULT);
	while (n < SILENT + 8)
		fd[n++] = connected();
	(void)usleep(500000);
	ck_assert_msg(bench_greeting_ask(&c, &secret, &never), "%s", c.error);
	while (n > 0)
		(void)close(fd[--n]);
}
END_TEST

/* How much is logged of strangers is not theirs to say. */
START_TEST(strangers_do_not_fill_the_log)
{
	char rest[1024];

	for (int i = 0; i < 200; i++) {
		int fd = connected();

		ck_assert_int_eq(send(fd, "GET / HTTP/1.1\r\n\r\n", 18, 0), 18);
		while (read(fd, rest, sizeof(rest)) > 0)
			continue;
		(void)close(fd);
	}
	(void)sleep(1);
	(void)close(connected());
	still_serves();
	finish();
	ck_assert_uint_lt(said_len, 5000);
	ck_assert_msg(strstr(said, " more, and") != NULL, "%s", said);
}
END_TEST

/* How often another thread than this one has slept. */
static long
sleeps_of_others(void)
{
	struct rusage all, own;

	ck_assert_int_eq(getrusage(RUSAGE_SELF, &all), 0);
	ck_assert_int_eq(getrusage(RUSAGE_THREAD, &own), 0);
	return all.ru_nvcsw - own.ru_nvcsw;
}

/* The processor is the trial's, even if there is no descriptor for who has come: it goes on looking
 * now and then, and sleeps in between. */
START_TEST(newcomer_without_a_descriptor_costs_nothing)
{
	struct sockaddr_storage ss;
	socklen_t len = netaddr_to_sockaddr(&address, &ss);
	struct rlimit limit;
	int fd = socket(ss.ss_family, SOCK_STREAM, 0), copies[100], n = 0;
	long before;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = 100;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	while ((copies[n] = dup(fd)) > 0)
		n++;
	ck_assert_int_gt(n, 0);
	ck_assert_int_eq(connect(fd, (const struct sockaddr *)&ss, len), 0);
	(void)usleep(100000); /* it has met it */
	before = sleeps_of_others();
	for (int i = 0; i < 200 && sleeps_of_others() < before + 10; i++)
		(void)usleep(100000);
	ck_assert_int_ge(sleeps_of_others(), before + 10);
	(void)close(fd);
	while (n > 0)
		(void)close(copies[--n]);
	still_serves();
}
END_TEST

START_TEST(second_controller_is_turned_away)
{
	struct bench_channel d;

	greet();
	bench_channel_init(&d, connected(), BENCH_CHANNEL_FIRST);
	ck_assert(!bench_greeting_ask(&d, &secret, &never));
	ck_assert_str_eq(d.error, "it serves another controller");
	bench_channel_close(&d);
	(void)time_there(); /* the first one is served on */
	still_serves();
}
END_TEST

/* It does not ask on for a controller that has gone. */
START_TEST(controller_goes_in_the_middle_of_a_trial)
{
	uint64_t asked;

	start_rogue();
	greet();
	begin_trial(1000, 100000);
	while (rogue.n_questions < 100)
		(void)usleep(1000);
	testclock_hold();
	bench_channel_close(&c);
	greet(); /* it serves the next one only when the trial has ended: without more ado */
	testclock_release();
	(void)usleep(200000); /* what is on its way */
	asked = rogue.n_questions;
	(void)usleep(200000);
	ck_assert_uint_eq(rogue.n_questions, asked);
	rogue_stop(&rogue);
	still_serves();
	finish();
	ck_assert_msg(strstr(said, "gone in the middle of a trial") != NULL, "%s", said);
}
END_TEST

START_TEST(trial_is_stopped)
{
	start_rogue();
	greet();
	begin_trial(1000, 100000);
	while (rogue.n_questions < 100)
		(void)usleep(1000);
	testclock_hold();
	say(json_pack("{s:b}", "stop", 1));
	take_tally(); /* at once: no answer is waited for */
	ck_assert_uint_ge(tally.sent, 100);
	ck_assert_uint_lt(tally.sent, 100000);
	rogue_stop(&rogue);
}
END_TEST

/* What is told while it lasts is not told at the end. */
START_TEST(parts_add_up)
{
	static struct bench_tally sum;
	unsigned n_parts = 0;

	start_rogue();
	greet();
	say(json_pack("{s:b}", "take", 1)); /* of nothing: nothing is told */
	begin_trial(1000, 100000);
	bench_tally_clear(&sum);
	for (; n_parts < 4; n_parts++) {
		while (rogue.n_questions < 100 * (n_parts + 1))
			(void)usleep(1000);
		say(json_pack("{s:b}", "take", 1));
		take_part("part");
		ck_assert_uint_lt(tally.sent, 100000);
		bench_tally_merge(&sum, &tally);
	}
	ck_assert_uint_gt(sum.sent, 0);
	say(json_pack("{s:b}", "stop", 1));
	take_part("tally");
	bench_tally_merge(&sum, &tally);
	ck_assert_uint_ge(sum.sent, 400);
	ck_assert_uint_eq(sum.rtt.n, sum.replies[BENCH_VALID]);
	ck_assert_uint_le(sum.replies[BENCH_VALID], sum.sent);
	for (unsigned i = 0; i < 1000 && rogue.n_questions < sum.sent; i++)
		(void)usleep(1000);
	ck_assert_uint_eq(rogue.n_questions, sum.sent);
	say(json_pack("{s:b}", "take", 1)); /* too late */
	(void)time_there();
	rogue_stop(&rogue);
}
END_TEST

START_TEST(networks_that_are_not_here_are_told)
{
	json_t *plan, *message;

	start_rogue();
	greet();
	plan = plan_of(1000, 10);
	(void)json_object_set_new(plan, "clients", json_pack("[s]", "203.0.113.0/24"));
	say(json_pack("{s:o}", "trial", plan));
	message = hears("error");
	ck_assert_str_eq(json_string_value(json_object_get(message, "error")),
	    "answers to 203.0.113.0/24 would not come to this machine; root makes it so by: ip "
	    "route add local 203.0.113.0/24 dev lo");
	json_decref(message);
	plan = plan_of(1000, 10);
	(void)json_object_set_new(plan, "clients", json_pack("[s]", "127.5.0.0/16"));
	say(json_pack("{s:o}", "trial", plan));
	json_decref(hears("ready"));
	rogue_stop(&rogue);
}
END_TEST

/* What it cannot do it says, and goes on. */
START_TEST(impossible_orders_are_refused)
{
	json_t *plan, *message;

	start_rogue();
	greet();
	say(json_pack("{s:I}", "start", (json_int_t)clock_now_ns()));
	message = hears("error");
	ck_assert_str_eq(
	    json_string_value(json_object_get(message, "error")), "there is no trial to start");
	json_decref(message);
	plan = plan_of(1000, 10);
	(void)json_object_set_new(plan, "threads", json_integer(1000));
	say(json_pack("{s:o}", "trial", plan));
	message = hears("error");
	ck_assert_str_eq(json_string_value(json_object_get(message, "error")),
	    "threads is no number from 1 to 256");
	json_decref(message);
	for (int i = 0; i < 2; i++) {
		uint64_t when = i == 0 ? clock_now_ns() - 1 : clock_now_ns() + 10 * NS_PER_SEC;

		say(json_pack("{s:o}", "trial", plan_of(1000, 10)));
		json_decref(hears("ready"));
		say(json_pack("{s:I}", "start", (json_int_t)when));
		message = hears("error");
		ck_assert_str_eq(json_string_value(json_object_get(message, "error")),
		    "the time of the start has passed, or is too far off");
		json_decref(message);
	}
	begin_trial(1000, 10);
	take_tally();
	ck_assert_uint_eq(tally.sent, 10);
	rogue_stop(&rogue);
	say(json_pack("{s:b}", "sing", 1));
	ck_assert_ptr_null(bench_channel_wait(&c, WAIT_S, &never));
	ck_assert_str_eq(c.error, "the connection was closed");
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, trial_begins_in_time_and_is_told);
	tcase_add_loop_test(
	    tc, garbage_is_told_and_the_next_one_served, 0, sizeof(garbage) / sizeof(*garbage));
	tcase_add_test(tc, silent_ones_keep_nobody_out);
	tcase_add_test(tc, oldest_guest_gives_way);
	tcase_add_test(tc, strangers_do_not_fill_the_log);
	tcase_add_test(tc, newcomer_without_a_descriptor_costs_nothing);
	tcase_add_test(tc, parts_add_up);
	tcase_add_test(tc, networks_that_are_not_here_are_told);
	tcase_add_test(tc, second_controller_is_turned_away);
	tcase_add_test(tc, controller_goes_in_the_middle_of_a_trial);
	tcase_add_test(tc, trial_is_stopped);
	tcase_add_test(tc, impossible_orders_are_refused);
}
