/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shares of the questions that upstreams get which are slow, lossy, failing or dead (RULES D27): a
 * play of choice, times and health together, with questions at an even rate and a clock of its own.
 * It asks as outbound/loss does: until the measured wait is over, then elsewhere.
 */

#include <string.h>

#include "base/clock.h"
#include "outbound/choice.h"
#include "outbound/health.h"
#include "scenario/parts.h"
#include "support/tests.h"

#define UPSTREAMS 2
#define OPEN 8192  /* attempts in flight */
#define ATTEMPTS 6 /* of one question */
#define STEP_NS (NS_PER_MS / 2)

/* How an upstream behaves. */
struct manner {
	unsigned ms;   /* it replies after so long */
	unsigned loss; /* per cent of the questions that get no reply */
	bool failing;  /* its replies are SERVFAIL */
	bool dead;
};

struct shot {
	bool open;
	bool probe;
	bool silent;    /* its wait is over */
	bool exploring; /* early_ns is when another is asked too */
	bool servfail;
	uint16_t u;
	uint32_t question;
	uint64_t sent_ns;
	uint64_t reply_ns; /* UINT64_MAX: none comes */
	uint64_t early_ns;
	uint64_t due_ns;
};

struct explain_job {
	bool done;
	uint64_t born_ns;
	unsigned n_attempts;
};

static struct {
	struct upstreams us;
	struct conf_core conf;
	struct wheel wheel;
	struct rng rng;
	uint64_t now_ns;
	uint64_t next_ns; /* when the next question comes */
	uint64_t apart_ns;
	struct manner manners[UPSTREAMS];
	struct shot attempts[OPEN];
	unsigned n_attempts; /* places in use, open or not, from the first */
	struct explain_job questions[65536];
	uint32_t n_questions;
	/* since the test looked last */
	unsigned first[UPSTREAMS]; /* first attempts */
	unsigned n_answered;
	unsigned n_slow; /* answered after more than 20 ms */
} play;

static void
start(enum conf_selection selection, unsigned rate)
{
	memset(&play, 0, sizeof(play));
	play.now_ns = PARTS_START_NS;
	play.next_ns = play.now_ns;
	play.apart_ns = NS_PER_SEC / rate;
	rng_init_seeded(&play.rng, 7);
	wheel_init(&play.wheel, play.now_ns);
	upstreams_init(&play.us);
	parts_conf(&play.conf, UPSTREAMS, 100);
	play.conf.selection = selection;
	play.conf.timeout_ms = 2000;
	(void)upstreams_configure(&play.us, &play.conf, &play.wheel);
	for (unsigned u = 0; u < UPSTREAMS; u++)
		play.manners[u] = (struct manner){ .ms = 1 };
}

static struct shot *
place(void)
{
	for (unsigned i = 0; i < play.n_attempts; i++) {
		if (!play.attempts[i].open)
			return &play.attempts[i];
	}
	ck_assert_uint_lt(play.n_attempts, OPEN);
	return &play.attempts[play.n_attempts++];
}

static void
shoot(uint16_t u, uint32_t question, bool probe, bool exploring)
{
	const struct manner *m = &play.manners[u];
	struct shot *a = place();
	uint64_t early = UINT64_MAX;

	*a = (struct shot){ .open = true,
		.probe = probe,
		.u = u,
		.question = question,
		.servfail = m->failing,
		.exploring = exploring,
		.sent_ns = play.now_ns,
		.due_ns = play.now_ns + upstreams_wait_ns(&play.us, u, UPSTREAM_PRIMARY, 0),
		.reply_ns = play.now_ns + m->ms * NS_PER_MS };
	if (m->dead || rng_below(&play.rng, 100) < m->loss)
		a->reply_ns = UINT64_MAX;
	if (!probe && play.questions[question].n_attempts++ == 0) {
		play.first[u]++;
		early = choice_early_ns(&play.us, u, exploring);
	}
	a->early_ns = early < UINT64_MAX ? play.now_ns + early : UINT64_MAX;
	if (probe)
		a->due_ns = play.now_ns + health_lost_ns(&play.us, u);
}

static void
ask(void)
{
	const struct choice_wish wish = { .last = UPSTREAM_NONE, .prefer = UPSTREAM_NONE };
	struct choice c = choice_pick(&play.us, &wish, &play.rng);

	ck_assert_uint_lt(play.n_questions, 65536);
	play.questions[play.n_questions] = (struct explain_job){ .born_ns = play.now_ns };
	shoot(c.upstream, play.n_questions++, false, c.exploring);
}

/* Ask another one than U, if there is one. */
static void
ask_again(uint16_t u, uint32_t question)
{
	const struct choice_wish wish = { .last = u, .prefer = UPSTREAM_NONE };

	if (play.questions[question].n_attempts < ATTEMPTS)
		shoot(choice_pick(&play.us, &wish, &play.rng).upstream, question, false, false);
}

static void
on_reply(struct shot *a)
{
	struct explain_job *q = &play.questions[a->question];

	a->open = false;
	health_on_rcode(&play.us, a->u, UPSTREAM_PRIMARY, a->servfail ? DNS_SERVFAIL : DNS_NOERROR,
	    play.now_ns);
	upstreams_learn(&play.us, a->u, UPSTREAM_PRIMARY, play.now_ns - a->sent_ns, play.now_ns);
	(void)health_on_reply(&play.us, a->u, play.now_ns);
	if (a->probe)
		return;
	if (a->servfail) {
		ask_again(a->u, a->question);
		return;
	}
	q->done = true;
	play.n_answered++;
	play.n_slow += play.now_ns - q->born_ns > 20 * NS_PER_MS;
}

static void
on_silence(struct shot *a)
{
	a->silent = true;
	if (a->probe) {
		a->open = false;
		return;
	}
	health_on_silence(&play.us, a->u, UPSTREAM_PRIMARY, play.now_ns);
	ask_again(a->u, a->question);
}

static void
on_early(struct shot *a)
{
	uint16_t n;

	a->early_ns = UINT64_MAX;
	if (a->exploring) {
		a->silent = true;
		health_on_overtaken(&play.us, a->u, play.now_ns);
	}
	n = choice_beside(&play.us, a->u, a->exploring, 0, &play.rng);
	if (n != UPSTREAM_NONE)
		shoot(n, a->question, false, false);
}

static void
look_after(struct shot *a)
{
	/* With its question all its attempts end. */
	if (!a->probe && play.questions[a->question].done)
		a->open = false;
	else if (a->reply_ns <= play.now_ns)
		on_reply(a);
	else if (!a->silent && a->due_ns <= play.now_ns)
		on_silence(a);
	else if (a->early_ns <= play.now_ns)
		on_early(a);
}

/* MS pass; the share of first attempts that the first upstream got, in per cent. */
static unsigned
pass(unsigned ms)
{
	unsigned all;

	memset(play.first, 0, sizeof(play.first));
	play.n_slow = play.n_answered = 0;
	for (uint64_t end_ns = play.now_ns + ms * NS_PER_MS; play.now_ns < end_ns;) {
		struct wheel_timer *t;

		for (unsigned i = 0; i < play.n_attempts; i++) {
			if (play.attempts[i].open)
				look_after(&play.attempts[i]);
		}
		while ((t = wheel_take(&play.wheel, play.now_ns)) != NULL) {
			struct upstream *up = LIST_OBJECT(t, struct upstream, probe);
			uint16_t u = (uint16_t)(up - play.us.table);

			if (health_on_timer(&play.us, u, &play.rng, play.now_ns) != HEALTH_PROBE)
				continue;
			health_on_probe_sent(&play.us, u);
			shoot(u, 0, true, false);
		}
		for (; play.next_ns <= play.now_ns; play.next_ns += play.apart_ns)
			ask();
		play.now_ns += STEP_NS;
	}
	all = play.first[0] + play.first[1];
	return all > 0 ? 100 * play.first[0] / all : 0;
}

/* Modes that go by the cost, and rates. */
static const struct {
	enum conf_selection mode;
	unsigned rate;
} ways[] = {
	{ CONF_RANDOM, 100 },
	{ CONF_FASTEST, 100 },
	{ CONF_RANDOM, 1000 },
	{ CONF_FASTEST, 1000 },
};

/*
 * The first upstream behaves badly in the manner BAD: it loses its share within a second and,
 * mended, has it again within ten.
 */
static void
goes_and_comes_back(unsigned way, struct manner bad)
{
	unsigned before, lost, back;

	start(ways[way].mode, ways[way].rate);
	before = pass(3000);
	if (ways[way].mode == CONF_RANDOM) {
		ck_assert_uint_ge(before, 35);
		ck_assert_uint_le(before, 65);
	}
	play.manners[0] = bad;
	pass(1000);
	lost = pass(4000);
	play.manners[0] = (struct manner){ .ms = 1 };
	pass(9000);
	back = pass(2000);
	ck_assert_uint_le(lost, 8);
	if (ways[way].mode == CONF_RANDOM)
		ck_assert_uint_ge(back, 25);
}

START_TEST(d27_slow)
{
	goes_and_comes_back((unsigned)_i, (struct manner){ .ms = 800 });
}
END_TEST

START_TEST(d27_lossy)
{
	goes_and_comes_back((unsigned)_i, (struct manner){ .ms = 1, .loss = 30 });
}
END_TEST

START_TEST(d27_failing)
{
	goes_and_comes_back((unsigned)_i, (struct manner){ .ms = 1, .failing = true });
}
END_TEST

/* Slow from the beginning, when nothing is known. */
START_TEST(d27_slow_from_the_start)
{
	start(ways[_i].mode, ways[_i].rate);
	play.manners[0].ms = 800;
	pass(1000);
	ck_assert_uint_le(pass(3000), 8);
	ck_assert_uint_le(100 * play.n_slow, 8 * play.n_answered);
}
END_TEST

/* Equal ones share, at 1 ms and at 40 ms. */
START_TEST(equal_ones_share)
{
	for (unsigned ms = 1; ms <= 41; ms += 40) {
		unsigned share;

		start(CONF_RANDOM, 100);
		play.manners[0].ms = play.manners[1].ms = ms;
		share = pass(30000);
		ck_assert_uint_ge(share, 35);
		ck_assert_uint_le(share, 65);
	}
}
END_TEST

static const enum conf_selection modes[] = { CONF_RANDOM, CONF_ROUND_ROBIN, CONF_IN_ORDER,
	CONF_FASTEST };

/* One of two dies: from three silences on nobody asks it first, and it is back at once. */
START_TEST(d27_dead_is_asked_by_probes_only)
{
	start(modes[_i], 100);
	pass(2000);
	play.manners[0].dead = true;
	while (!play.us.table[0].in_doubt && play.now_ns < PARTS_START_NS + 6 * NS_PER_SEC)
		pass(1);
	if (modes[_i] == CONF_FASTEST && !play.us.table[0].in_doubt)
		return; /* it was hardly asked anyway */
	ck_assert_uint_lt(play.now_ns, PARTS_START_NS + 3 * NS_PER_SEC);
	pass(200);
	ck_assert_uint_eq(pass(5000), 0);
	ck_assert_uint_eq(play.n_slow, 0);
	ck_assert(play.us.table[0].down);
	play.manners[0].dead = false;
	pass(1000);
	ck_assert(!play.us.table[0].in_doubt);
	if (modes[_i] == CONF_RANDOM)
		ck_assert_uint_ge(pass(1000), 30);
	if (modes[_i] == CONF_IN_ORDER)
		ck_assert_uint_eq(pass(1000), 100);
}
END_TEST

void
tests_add(TCase *tc)
{
	const int n = sizeof(ways) / sizeof(ways[0]);

	tcase_add_loop_test(tc, d27_slow, 0, n);
	tcase_add_loop_test(tc, d27_lossy, 0, n);
	tcase_add_loop_test(tc, d27_failing, 0, n);
	tcase_add_loop_test(tc, d27_slow_from_the_start, 0, n);
	tcase_add_test(tc, equal_ones_share);
	tcase_add_loop_test(
	    tc, d27_dead_is_asked_by_probes_only, 0, sizeof(modes) / sizeof(modes[0]));
}
