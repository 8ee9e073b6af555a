/* SPDX-License-Identifier: BSD-2-Clause */
/* Several testers ask as one would; what fails on one is told by its name, as the tester's fault.
 */

#include "bench/agents.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/agent.h"
#include "bench/exchange.h"
#include "bench/measure.h"
#include "support/benchrig.h"
#include "support/tests.h"

/* Questions that find out whether names are known before N of them are asked for: and four others.
 */
#define SAMPLED(n) ((n) / 100 + 1 + 4)
#define N 3

static struct benchrig rig;
static struct netaddr address[N];
static struct bench_agent *agent[N];
static pthread_t thread[N];
static atomic_bool end[N], never;
static struct bench_secret secret; /* none */
static char list[200], error[BENCH_AGENTS_ERROR];
static FILE *lines;

static void *
serve(void *arg)
{
	struct bench_agent **mine = arg;

	bench_agent_serve(*mine, &end[mine - agent]);
	return NULL;
}

static void
setup(void)
{
	lines = fopen("/dev/null", "w");
	ck_assert_ptr_nonnull(lines);
	list[0] = '\0';
	for (unsigned i = 0; i < N; i++) {
		char text[NETADDR_TEXT];

		atomic_store(&end[i], false);
		ck_assert(netaddr_parse("127.0.0.1", 0, &address[i]));
		ck_assert_int_eq(bench_agent_new(&address[i], &secret, lines, &agent[i]), 0);
		ck_assert_int_eq(pthread_create(&thread[i], NULL, serve, &agent[i]), 0);
		(void)snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s",
		    i > 0 ? "," : "", netaddr_format(&address[i], text));
	}
	benchrig_init(&rig);
}

/* End real agent I. */
static void
stop_agent(unsigned i)
{
	atomic_store(&end[i], true);
	ck_assert_int_eq(pthread_join(thread[i], NULL), 0);
	bench_agent_free(agent[i]);
	agent[i] = NULL;
}

static void
teardown(void)
{
	for (unsigned i = 0; i < N; i++) {
		if (agent[i] != NULL)
			stop_agent(i);
	}
	(void)fclose(lines);
}

static void
begin(const char *words)
{
	benchrig_start(&rig, words);
	rig.job.agents = bench_agents_open(list, NULL, &never, error);
	ck_assert_msg(rig.job.agents != NULL, "%s", error);
}

static void
finish(struct fake_counters *c)
{
	bench_agents_free(rig.job.agents);
	benchrig_stop(&rig, c);
}

/*
 * Was an agent, on a busy machine, told of the start only when it had passed? Then the trial is
 * spoilt, as it should be, and tells nothing of what a test is about.
 */
static bool
started_late(const struct bench_agents *a)
{
	for (unsigned i = 0; i < N; i++) {
		const char *why = bench_agents_fault(a, i);

		if (why != NULL && strstr(why, "the time of the start has passed") != NULL)
			return true;
	}
	return false;
}

/* Do METHOD with the options WORDS, anew where it did not begin together. */
static void
measure(void (*method)(const struct bench_job *), const char *words)
{
	begin(words);
	method(&rig.job);
	while (started_late(rig.job.agents)) {
		finish(NULL);
		benchrig_init(&rig);
		begin(words);
		method(&rig.job);
	}
}

/* Nobody else tells what has the three of them at once: this machine may be too busy for it. */
static void
nothing_but_pace_failed(void)
{
	const char *why;

	for (size_t i = 0; (why = benchrig_failed(&rig, i)) != NULL; i++)
		ck_assert_msg(strstr(why, "the pace") != NULL, "%s", why);
}

/* The text of the finding NAME. */
static const char *
finding(const char *name)
{
	const json_t *all = json_object_get(bench_run_tree(rig.job.run), "findings"), *f;
	size_t i;

	json_array_foreach(all, i, f)
	{
		if (strcmp(json_string_value(json_object_get(f, "name")), name) == 0)
			return json_string_value(json_object_get(f, "value"));
	}
	ck_abort_msg("no finding %s", name);
}

/* Each question once, of all together, and each agent its share, whatever that is. */
START_TEST(shares_add_up)
{
	static const double shares[N] = { 334, 333, 333 };
	struct fake_counters c;
	uint64_t hot = _i == 0 ? 0 : 2;

	measure(bench_rate,
	    _i == 0 ? "rate --aaaa 100 -r 2000 -n 1000 --timeout 100"
		    : "rate --aaaa 100 -r 2000 -n 1000 --timeout 100 -t 2 --hits 50 --hot 2");
	nothing_but_pace_failed();
	ck_assert(benchrig_finding(&rig, "sent") == 1000);
	ck_assert(benchrig_finding(&rig, "valid") == 1000);
	ck_assert_uint_eq(rig.job.tally->rtt.n, 1000);
	ck_assert_uint_eq(rig.job.tally->spoilt, 0);
	bench_agents_put(rig.job.agents, rig.job.run);
	ck_assert_uint_eq(benchrig_rows(&rig, 1), N);
	for (unsigned i = 0; i < N; i++) {
		double sent = benchrig_cell(&rig, 1, i, "sent");

		ck_assert(_i > 0 || sent == shares[i]);
		ck_assert(sent == benchrig_cell(&rig, 1, i, "valid"));
		ck_assert(benchrig_cell(&rig, 1, i, "clock_unsure") > 0);
		/* They have the same clock as we. */
		ck_assert_double_le(benchrig_cell(&rig, 1, i, "clock_offset") * 1,
		    benchrig_cell(&rig, 1, i, "clock_unsure") + 1);
	}
	finish(&c);
	/* Before, each asked for one name, one of them for all hot ones, and samples were taken. */
	ck_assert_uint_eq(c.questions, 1000 + N + hot + SAMPLED(1000));
}
END_TEST

/* --- Names ------------------------------------------------------------------------------------ */

#define ASKED 600

static unsigned times[ASKED]; /* that each name was asked for */
static unsigned n_came, n_wanted;
static atomic_bool all_came;
static int server;

/* Note the names 010-000-NNN-NNN, and answer nothing. */
static void *
note_names(void *arg)
{
	uint8_t bytes[512] = { 0 };

	while (recv(server, bytes, sizeof(bytes) - 1, 0) > 0) {
		unsigned high, low;

		ck_assert_int_eq(
		    sscanf((const char *)bytes + 13, "010-000-%3u-%3u", &high, &low), 2);
		unsigned n = 256 * high + low;
		ck_assert_uint_lt(n, ASKED);
		times[n]++;
		atomic_store(&all_came, ++n_came == n_wanted);
	}
	return arg;
}

static void
start_server(struct netaddr *a, pthread_t *t, void *(*note)(void *))
{
	struct sockaddr_storage ss;
	socklen_t len;
	int room = 2048 * ASKED; /* all of them may come before one is read */

	n_came = 0;
	atomic_store(&all_came, false);
	ck_assert(netaddr_parse("127.0.0.1", 0, a));
	len = netaddr_to_sockaddr(a, &ss);
	server = socket(AF_INET, SOCK_DGRAM, 0);
	ck_assert_int_eq(setsockopt(server, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room)), 0);
	ck_assert_int_eq(bind(server, (struct sockaddr *)&ss, len), 0);
	ck_assert_int_eq(getsockname(server, (struct sockaddr *)&ss, &len), 0);
	ck_assert(netaddr_from_sockaddr((struct sockaddr *)&ss, a));
	ck_assert_int_eq(pthread_create(t, NULL, note, NULL), 0);
}

static void
stop_server(pthread_t t)
{
	(void)shutdown(server, SHUT_RDWR);
	ck_assert_int_eq(pthread_join(t, NULL), 0);
	(void)close(server);
}

/* Three agents of two threads each: all names of the plan, each once, and no other. */
START_TEST(no_name_is_asked_for_twice)
{
	static struct bench_tally sum;
	struct bench_agents *a = NULL;
	struct bench_plan p = { .transport = &bench_udp,
		.n_threads = 2,
		.n_lanes = 2,
		.rate = 3000,
		.burst = 1,
		.duration_ns = UINT64_MAX,
		.pause_ns = 60 * NS_PER_SEC,
		.timeout_ns = NS_PER_SEC / 2 };
	pthread_t t;

	bench_load_init(&p.load);
	p.load.zone.aaaa_percent = 100;
	n_wanted = ASKED - 100;
	do {
		bench_agents_free(a);
		a = bench_agents_open(list, NULL, &never, error);
		ck_assert_msg(a != NULL, "%s", error);
		memset(times, 0, sizeof(times));
		start_server(&p.server, &t, note_names);
		ck_assert_msg(
		    bench_agents_trial(a, &p, 100, n_wanted, &all_came, &sum, error), "%s", error);
		stop_server(t);
	} while (started_late(a));
	bench_agents_free(a);
	ck_assert_uint_eq(sum.sent, ASKED - 100);
	ck_assert_uint_eq(bench_tally_lost(&sum), ASKED - 100);
	for (unsigned i = 0; i < ASKED; i++)
		ck_assert_msg(times[i] == (i >= 100), "name %u: %u times", i, times[i]);
}
END_TEST

/* --- Searches --------------------------------------------------------------------------------- */

/* What the rate of a search is judged by, by all of them. */
START_TEST(trials_of_a_search_are_done_by_them)
{
	enum bench_outcome outcome;
	struct bench_probe p = { .rate = 900, .first = 0, .n = 450 };
	struct fake_counters c;

	begin("search --aaaa 100 --low 900 --high 1000 -d 0.5 --timeout 100");
	json_t *figures = bench_measure_server(&rig.job, &p, &outcome);
	while (started_late(rig.job.agents)) {
		json_decref(figures);
		finish(NULL);
		benchrig_init(&rig);
		begin("search --aaaa 100 --low 900 --high 1000 -d 0.5 --timeout 100");
		figures = bench_measure_server(&rig.job, &p, &outcome);
	}
	ck_assert_ptr_nonnull(figures);
	ck_assert_int_eq(json_integer_value(json_object_get(figures, "valid")), 450);
	ck_assert_int_ne(outcome, BENCH_FAILED);
	json_decref(figures);
	finish(&c);
	ck_assert_uint_eq(c.questions, 450 + N + SAMPLED(450));
}
END_TEST

/* --- Who fails -------------------------------------------------------------------------------- */

/* An agent of ours in the place of the last one, that does what it is told to. */
enum mischief {
	GONE,     /* it ends the connection when it has begun */
	GARBAGE,  /* it sends bytes without sense then */
	NO_TALLY, /* or a result that is none */
	PAUSED,   /* or one that says that it was kept from running */
	DROPPED,  /* or that replies were dropped there */
	LAZY,     /* or one of fewer questions than were its share */
	LATE,     /* or that one left late */
	MISCHIEFS
};

static const char *const faults[MISCHIEFS] = {
	[GONE] = "the connection was closed",
	[GARBAGE] = "a message of 1195725856 bytes, more than 1048576 or none",
	[NO_TALLY] = "its results are none: sent is no number from 0 to 9007199254740992",
	[PAUSED] = "it was kept from running 1 times, for 3 s in all",
	[DROPPED] = "7 replies were dropped for want of room",
	[LAZY] = "it asked 10 of 333 questions",
	[LATE] = "the pace was not kept: a question left 7.5e+03 ms late",
};

static int listener;
static enum mischief mischief;

/* A trial of 10 questions without a fault, but for the mischief. */
static json_t *
false_tally(void)
{
	static struct bench_tally t;

	bench_tally_clear(&t);
	t.sent = t.replies[BENCH_VALID] = mischief == LAZY ? 10 : 333;
	bench_histogram_add_many(&t.rtt, 1000, t.sent);
	t.first_ns = t.last_ns = t.end_ns = NS_PER_SEC;
	t.pauses = mischief == PAUSED;
	t.pause_ns = mischief == PAUSED ? 3 * NS_PER_SEC : 0;
	t.faults.dropped = mischief == DROPPED ? 7 : 0;
	bench_histogram_add(&t.lag, mischief == LATE ? 7500 * NS_PER_MS : 1000);
	json_t *o = bench_exchange_tally(&t, 0);
	if (mischief == NO_TALLY)
		(void)json_object_set_new(o, "sent", json_string("all"));
	return o;
}

static void
do_mischief(struct bench_channel *c)
{
	static const char bytes[] = "GET / HTTP/1.1\r\n\r\n";

	if (mischief == GONE)
		bench_channel_close(c);
	else if (mischief == GARBAGE)
		ck_assert_int_gt(send(c->fd, bytes, sizeof(bytes), 0), 0);
	else
		(void)bench_channel_send(c,
		    json_pack("{s:o,s:f,s:f}", "tally", false_tally(), "cpu", 1.0, "stolen", 0.0));
}

/* One that asks nothing. In a closed loop, which only shows that there is a server, it is right. */
static void *
misbehave(void *arg)
{
	int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
	struct bench_guest g;
	struct bench_channel c;
	json_t *message;
	bool closed = false;

	bench_guest_greet(&g, fd, &secret);
	while (!bench_guest_known(&g, &secret)) {
		ck_assert_msg(g.c.fd >= 0, "%s", g.c.error);
		(void)usleep(1000);
	}
	c = g.c;
	c.most = BENCH_CHANNEL_PLAN;
	while ((message = bench_channel_wait(&c, 100, &never)) != NULL) {
		const json_t *clock = json_object_get(message, "clock");
		const json_t *trial = json_object_get(message, "trial");

		if (clock != NULL)
			(void)bench_channel_send(&c,
			    json_pack("{s:I,s:I}", "clock", json_integer_value(clock), "now",
				(json_int_t)clock_now_ns()));
		if (trial != NULL) {
			closed = json_integer_value(json_object_get(trial, "rate")) == 0;
			(void)bench_channel_send(&c, json_pack("{s:b}", "ready", 1));
		}
		if (json_object_get(message, "start") != NULL && closed) {
			struct bench_tally *t = calloc(1, sizeof(*t));

			bench_tally_clear(t);
			t->sent = t->replies[BENCH_VALID] = 1;
			bench_histogram_add(&t->rtt, 1000);
			t->first_ns = t->last_ns = t->end_ns = NS_PER_SEC;
			(void)bench_channel_send(
			    &c, json_pack("{s:o}", "tally", bench_exchange_tally(t, 0)));
			free(t);
		} else if (json_object_get(message, "start") != NULL) {
			do_mischief(&c);
		}
		json_decref(message);
	}
	bench_channel_close(&c);
	return arg;
}

/* The last agent of the list is that one. */
static void
replace_last(pthread_t *t)
{
	struct netaddr own = address[N - 1];
	char *comma = strrchr(list, ',');
	char text[NETADDR_TEXT];
	struct sockaddr_storage ss;
	socklen_t len;

	own.port = 0;
	len = netaddr_to_sockaddr(&own, &ss);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_eq(bind(listener, (struct sockaddr *)&ss, len), 0);
	ck_assert_int_eq(listen(listener, 1), 0);
	ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&ss, &len), 0);
	ck_assert(netaddr_from_sockaddr((struct sockaddr *)&ss, &own));
	(void)snprintf(comma + 1, 40, "%s", netaddr_format(&own, text));
	ck_assert_int_eq(pthread_create(t, NULL, misbehave, NULL), 0);
}

static void
end_mischief(pthread_t t)
{
	ck_assert_int_eq(pthread_join(t, NULL), 0);
	(void)close(listener);
}

/* As measure, with that one; *t is its thread. */
static void
measure_with_mischief(void (*method)(const struct bench_job *), const char *words, pthread_t *t)
{
	replace_last(t);
	begin(words);
	method(&rig.job);
	while (started_late(rig.job.agents)) {
		finish(NULL);
		end_mischief(*t);
		benchrig_init(&rig);
		replace_last(t);
		begin(words);
		method(&rig.job);
	}
}

START_TEST(fault_of_an_agent_is_the_testers)
{
	enum bench_outcome outcome;
	char want[300];
	pthread_t t;

	mischief = (enum mischief)_i;
	measure_with_mischief(bench_rate, "rate --aaaa 100 -r 4000 -n 1000 --timeout 100", &t);
	(void)snprintf(want, sizeof(want), "the tester failed, not the server: agent %s: %s",
	    strrchr(list, ',') + 1, faults[_i]);
	ck_assert_ptr_nonnull(benchrig_failed(&rig, 0));
	ck_assert_str_eq(benchrig_failed(&rig, 0), want);
	ck_assert_uint_eq(rig.job.tally->spoilt, 1);
	for (size_t i = 1; benchrig_failed(&rig, i) != NULL; i++)
		ck_assert_ptr_nonnull(strstr(benchrig_failed(&rig, i), "agent"));
	outcome = bench_measure_outcome(rig.job.tally, 4000, 100 * NS_PER_SEC);
	ck_assert_int_eq(outcome, BENCH_NO_VERDICT);
	bench_agents_put(rig.job.agents, rig.job.run);
	/* If nothing was answered there is no table of RTTs before. */
	ck_assert(benchrig_cell(&rig, benchrig_rows(&rig, 1) > 0, N - 1, "spoilt") == 1);
	finish(NULL);
	ck_assert_int_eq(pthread_join(t, NULL), 0);
	(void)close(listener);
}
END_TEST

/* --- Long loads ------------------------------------------------------------------------------- */

/*
 * The answers of row I: a row's rate is over its time, from the row before it on. *SPAN is that
 * time.
 */
static double
answers_of_row(size_t i, double *span)
{
	double before = i > 0 ? benchrig_cell(&rig, 0, i - 1, "elapsed") : 0;

	*span = benchrig_cell(&rig, 0, i, "elapsed") - before;
	return benchrig_cell(&rig, 0, i, "rate") * *span;
}

/*
 * The rows are of all together, and nothing is between two of them: so a row's rate in its time are
 * whole answers. The time of the first row with answers begins when something was asked first, if
 * that was in this row, which the table does not tell: it has what the others lack, in no more time
 * than passed.
 */
START_TEST(soak_is_told_in_rows)
{
	size_t first = 0;
	double others = 0, span;

	measure(bench_soak, "soak --aaaa 100 -r 600 -d 2 --interval 0.5 --timeout 100");
	nothing_but_pace_failed();
	ck_assert(benchrig_finding(&rig, "sent") == 1200);
	ck_assert(benchrig_finding(&rig, "valid") == 1200);
	ck_assert_uint_ge(benchrig_rows(&rig, 0), 4);
	while (!(benchrig_cell(&rig, 0, first, "rtt_max") > 0))
		first++;
	for (size_t i = first + 1; i < benchrig_rows(&rig, 0); i++) {
		double answers = answers_of_row(i, &span);

		ck_assert_msg(fabs(answers - round(answers)) < 1e-3, "row %zu: %g", i, answers);
		others += answers;
	}
	ck_assert_msg(others < 1200, "%g", others);
	if (benchrig_cell(&rig, 0, first, "rate") > 0) /* 0: as it was asked, the row ended */
		ck_assert_msg(answers_of_row(first, &span) > 1200 - others - 1e-3, "%g", others);
	bench_agents_put(rig.job.agents, rig.job.run);
	for (unsigned i = 0; i < N; i++)
		ck_assert(benchrig_cell(&rig, 2, i, "valid") == 400);
	finish(NULL);
}
END_TEST

/* One that is kept from running takes its questions out, one that goes ends it all. */
START_TEST(soak_of_an_agent_that_fails)
{
	char want[400], name[300];
	pthread_t t;

	mischief = _i == 0 ? PAUSED : GONE;
	measure_with_mischief(bench_soak,
	    _i == 0 ? "soak --aaaa 100 -r 1000 -d 1 --interval 0.2 --timeout 100"
		    : "soak --aaaa 100 -r 1000 -d 100 --interval 0.2 --timeout 100",
	    &t);
	bench_agents_put(rig.job.agents, rig.job.run);
	(void)snprintf(name, sizeof(name), "agent %s", strrchr(list, ',') + 1);
	(void)snprintf(want, sizeof(want),
	    "the tester failed, not the server: %s: the connection was closed", name);
	if (_i == 0) {
		nothing_but_pace_failed();
		ck_assert(benchrig_finding(&rig, "sent") == 1000);
	} else {
		ck_assert_str_eq(benchrig_failed(&rig, 0), want);
		ck_assert_ptr_null(benchrig_failed(&rig, 1));
		ck_assert(benchrig_finding(&rig, "sent") < 20000); /* of 66,667 in all that time */
	}
	ck_assert_ptr_nonnull(strstr(finding(name),
	    _i == 0 ? "kept from running 1 times, for 3 s in all: 0 questions taken out"
		    : "spoilt 1 of 1 trials, the last since: the connection was closed"));
	finish(NULL);
	ck_assert_int_eq(pthread_join(t, NULL), 0);
	(void)close(listener);
}
END_TEST

/* --- Where is asked from ---------------------------------------------------------------------- */

static struct netaddr sources[ASKED];

static void *
note_sources(void *arg)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	uint8_t bytes[512];

	while (recvfrom(server, bytes, sizeof(bytes), 0, (struct sockaddr *)&ss, &len) > 0) {
		ck_assert_uint_lt(n_came, ASKED);
		ck_assert(netaddr_from_sockaddr((struct sockaddr *)&ss, &sources[n_came]));
		atomic_store(&all_came, ++n_came == n_wanted);
	}
	return arg;
}

/* Six networks, two for each of three agents; two lanes each: an address in each network. */
START_TEST(agents_have_networks_of_their_own)
{
	static struct bench_tally sum;
	struct bench_agents *a = NULL;
	struct bench_plan p = { .transport = &bench_udp,
		.n_threads = 1,
		.n_lanes = 2,
		.rate = 600,
		.burst = 1,
		.duration_ns = UINT64_MAX,
		.pause_ns = 60 * NS_PER_SEC,
		.timeout_ns = NS_PER_SEC / 2 };
	unsigned times_from[6] = { 0 };
	pthread_t t;

	for (p.clients.n = 0; p.clients.n < 6; p.clients.n++) {
		char text[40];

		(void)snprintf(text, sizeof(text), "127.%u.0.0/16", 10 + p.clients.n);
		ck_assert(bench_clients_parse(text, &p.clients.network[p.clients.n]));
	}
	bench_load_init(&p.load);
	n_wanted = 300;
	do {
		bench_agents_free(a);
		a = bench_agents_open(list, NULL, &never, error);
		ck_assert_msg(a != NULL, "%s", error);
		start_server(&p.server, &t, note_sources);
		ck_assert_msg(
		    bench_agents_trial(a, &p, 0, n_wanted, &all_came, &sum, error), "%s", error);
		stop_server(t);
	} while (started_late(a));
	bench_agents_free(a);
	ck_assert_uint_eq(sum.sent, 300);
	ck_assert_uint_eq(n_came, 300);
	for (unsigned i = 0; i < n_came; i++) {
		ck_assert_uint_ge(sources[i].addr[1], 10);
		ck_assert_uint_lt(sources[i].addr[1], 16);
		times_from[sources[i].addr[1] - 10]++;
	}
	for (unsigned i = 0; i < 6; i++)
		ck_assert_uint_eq(times_from[i], 50);
}
END_TEST

/* One that is not there is told before anything is asked. */
START_TEST(absent_agent_is_told)
{
	char want[100], text[NETADDR_TEXT];

	stop_agent(1);
	ck_assert_ptr_null(bench_agents_open(list, NULL, &never, error));
	(void)snprintf(
	    want, sizeof(want), "agent %s: Connection refused", netaddr_format(&address[1], text));
	ck_assert_str_eq(error, want);
}
END_TEST

/* An agent does not serve two places of a list. */
START_TEST(agent_listed_twice_is_told)
{
	char twice[200], text[NETADDR_TEXT];

	(void)netaddr_format(&address[0], text);
	(void)snprintf(twice, sizeof(twice), "%s,%s", text, text);
	ck_assert_ptr_null(bench_agents_open(twice, NULL, &never, error));
	(void)snprintf(twice, sizeof(twice), "agent %s: it serves another controller", text);
	ck_assert_str_eq(error, twice);
}
END_TEST

/* Nobody answers: with the name of the agent that found out. */
START_TEST(server_that_an_agent_cannot_reach_is_told)
{
	char want[200];

	begin("rate --aaaa 100 -r 2000 -n 1000 --timeout 0.05");
	rig.settings.plan.server.port = 9;
	bench_rate(&rig.job);
	(void)snprintf(want, sizeof(want),
	    "agent %s: nobody listens at the server's address and port",
	    bench_agents_name(rig.job.agents, 1));
	ck_assert_str_eq(benchrig_failed(&rig, 0), want);
	finish(NULL);
}
END_TEST

static useconds_t soon = 500000;

static void *
stop_soon(void *arg)
{
	(void)usleep(soon);
	atomic_store(&rig.stop, true);
	return arg;
}

/* What there is so far is told. */
START_TEST(all_stop_when_told_to)
{
	pthread_t t;
	bool late;

	/* Until something was asked: when that is, is the machine's business. */
	do {
		soon *= 2;
		benchrig_init(&rig);
		begin("rate --aaaa 100 -r 1000 -d 100 --timeout 100");
		ck_assert_int_eq(pthread_create(&t, NULL, stop_soon, NULL), 0);
		bench_rate(&rig.job);
		ck_assert_int_eq(pthread_join(t, NULL), 0);
		late = started_late(rig.job.agents) || rig.job.tally->sent == 0;
		if (late)
			finish(NULL);
	} while (late);
	ck_assert_uint_lt(rig.job.tally->sent, 50000); /* of 100,000 in all that time */
	ck_assert_uint_eq(rig.job.tally->spoilt, 0);
	finish(NULL);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, shares_add_up, 0, 2);
	tcase_add_test(tc, no_name_is_asked_for_twice);
	tcase_add_test(tc, trials_of_a_search_are_done_by_them);
	tcase_add_loop_test(tc, fault_of_an_agent_is_the_testers, 0, MISCHIEFS);
	tcase_add_test(tc, soak_is_told_in_rows);
	tcase_add_loop_test(tc, soak_of_an_agent_that_fails, 0, 2);
	tcase_add_test(tc, agents_have_networks_of_their_own);
	tcase_add_test(tc, absent_agent_is_told);
	tcase_add_test(tc, agent_listed_twice_is_told);
	tcase_add_test(tc, server_that_an_agent_cannot_reach_is_told);
	tcase_add_test(tc, all_stop_when_told_to);
}
