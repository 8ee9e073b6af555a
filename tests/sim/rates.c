/* SPDX-License-Identifier: BSD-2-Clause */
#include "sim/rates.h"

#include <assert.h>
#include <math.h>

#include "base/clock.h"
#include "dns/header.h"
#include "sim/story.h"

#define OF_A_64 16          /* so many times as much as an address a /64 may have */
#define ALLOWANCE 1048576.0 /* bytes a second beyond max-amplification, and at once */
#define OTHER_FACTOR 4      /* CLIENT_OTHER's (sim/story) */
#define LEFT_BYTES 3000     /* other loops leave up to so many */
#define LEFT_QUESTIONS 6    /* or questions */
#define MOST_BYTES 65535    /* that can be charged at once */
/*
 * Counters are in units of 64 ns, and a part of a unit is a whole one by chance: half a byte of a
 * /64 each time. An address whose networks begin with the same counter has its first use for
 * nothing.
 */
static const double slack[RATE_KINDS] = { 1.2, 100 };

static bool
is_on(const struct sim *s, enum rate_kind kind)
{
	const struct conf_core *c = &s->conf[0];

	return c->rates != NULL &&
	    (kind == RATE_QUESTIONS ? c->rate.limit : c->rate.amplification) > 0;
}

/* The table's keys come of the seed, too. */
static bool seeding;
static uint64_t seed;

void __real_rng_init(struct rng *r);
void __wrap_rng_init(struct rng *r);

void
__wrap_rng_init(struct rng *r)
{
	if (seeding)
		rng_init_seeded(r, seed);
	else
		__real_rng_init(r);
}

/* What an address may have in a second. */
static double
per_s(const struct sim *s, enum rate_kind kind)
{
	return kind == RATE_QUESTIONS ? s->conf[0].rate.limit : ALLOWANCE;
}

/* What it may have at once. */
static double
at_once(const struct sim *s, enum rate_kind kind)
{
	const struct conf_rate *c = &s->conf[0].rate;
	uint32_t burst = c->burst;

	if (kind == RATE_AMPLIFIED)
		return ALLOWANCE;
	if (burst == 0)
		burst = 2 * c->limit > 50 ? 2 * c->limit : 50;
	return burst < 60 * c->limit ? burst : 60 * c->limit;
}

/* How many times that CLIENT may have; 0: any number. */
static unsigned
factor_of(uint8_t client)
{
	if (client == CLIENT_ALWAYS || client == CLIENT_HIDDEN) /* the latter is exempt */
		return 0;
	return client == CLIENT_OTHER ? OTHER_FACTOR : 1;
}

/*
 * By how much would an address of K's network, or all of it (WHOLE), have more than it may in some
 * span that ends now, with MUCH more? What is less than 0 may still come.
 */
static double
excess(const struct sim *s, enum rate_kind kind, const struct act *who, bool whole, double much)
{
	double worst = much, sum = much, of = whole ? OF_A_64 : 1;

	for (unsigned i = s->n_uses[kind]; i-- > 0;) {
		const struct use *u = &s->uses[kind][i];

		if (u->client != who->client || (!whole && u->host != who->host))
			continue;
		sum += u->much;
		worst = fmax(worst,
		    sum - per_s(s, kind) * of * (double)(s->w.now_ns - u->at_ns) / NS_PER_SEC);
	}
	return worst - at_once(s, kind) * of;
}

/* WHO gets MUCH more. */
static void
got(struct sim *s, enum rate_kind kind, const struct act *who, double much)
{
	assert(s->n_uses[kind] < SIM_USES);
	s->uses[kind][s->n_uses[kind]++] = (struct use){
		.at_ns = s->w.now_ns, .much = much, .client = who->client, .host = who->host
	};
	if (excess(s, kind, who, false, 0) > slack[kind] ||
	    excess(s, kind, who, true, 0) > slack[kind])
		sim_fail(
		    s, "more %s than it may have", kind == RATE_QUESTIONS ? "questions" : "bytes");
}

/* WHO is told that MUCH more would be too much: it is. */
static void
refused(struct sim *s, enum rate_kind kind, const struct act *who, double much)
{
	if (excess(s, kind, who, false, much) < -slack[kind] &&
	    excess(s, kind, who, true, much) < -slack[kind])
		sim_fail(s, "limited though it may have more %s",
		    kind == RATE_QUESTIONS ? "questions" : "bytes");
}

/* Other loops let WHO have what it may, but for some. */
static void
others(struct sim *s, const struct act *who)
{
	enum rate_kind kind = (enum rate_kind)sim_draw(s, 67, 0, RATE_KINDS);
	uint32_t left = sim_draw(s, 68, 0, kind == RATE_QUESTIONS ? LEFT_QUESTIONS : LEFT_BYTES);
	uint8_t busy = sim_draw(s, 69, 0, 2) ? CLIENT_USUAL : rates_flooder(s);
	struct rate_plan plan;
	double room;

	if (!is_on(s, kind) || who->client != busy || who->host > 0 ||
	    factor_of(who->client) == 0 || s->w.now_ns > s->calm_ns)
		return;
	rate_plan_make(&plan, (uint64_t)per_s(s, kind), (uint64_t)at_once(s, kind));
	room = -fmax(excess(s, kind, who, false, left), excess(s, kind, who, true, left));
	while (room >= 1) {
		uint64_t most = kind == RATE_QUESTIONS ? 1 : MOST_BYTES;
		uint64_t n = room < (double)most ? (uint64_t)room : most;
		struct rate_use use = { .kind = kind,
			.who = &s->asks[s->n_asks - 1].peer,
			.amount = n << 16,
			.dice = sim_draw(s, 70, s->n_uses[kind], UINT32_MAX),
			.now_ns = s->w.now_ns };

		if (rates_charge(s->rates, &plan, &use) > 0)
			return;
		got(s, kind, who, (double)n);
		room -= (double)n;
	}
}

void
rates_draw(struct sim *s)
{
	uint32_t burst = sim_draw(s, 62, 0, 3), amplification = 0;

	if (sim_draw(s, 60, 0, 3) > 0) {
		story_line(s, "max-amplification 0\n");
		return;
	}
	seed = s->seed;
	seeding = true;
	s->rates = rates_new();
	seeding = false;
	assert(s->rates != NULL);
	if (sim_draw(s, 61, 0, 4) > 0)
		story_line(s, "rate-limit %u\n", 2 + sim_draw(s, 61, 1, 50));
	/* with fewer, chance may limit a /56, which is charged for one use of 16 */
	story_line(s, "rate-limit-burst %u\n",
	    burst > 0 ? 4 + sim_draw(s, 62, 1, burst == 1 ? 10 : 200) : 0);
	story_line(s, "rate-limit-slip %u\n", sim_draw(s, 63, 0, 4));
	if (sim_draw(s, 64, 0, 4) > 0)
		amplification = 1 + sim_draw(s, 64, 1, sim_draw(s, 64, 2, 2) ? 2 : 10);
	story_line(s, "max-amplification %u\n", amplification);
	story_line(s, "rate-limit-dry-run %s\n", sim_draw(s, 65, 0, 6) == 0 ? "yes" : "no");
}

void
rates_end(struct sim *s)
{
	rates_free(s->rates);
}

uint8_t
rates_flooder(const struct sim *s)
{
	if (s->rates == NULL)
		return CLIENT_FLOOD;
	return (uint8_t)sim_draw(s, 66, 0, SIM_CLIENTS);
}

/* May K's sender have any number of questions and bytes? */
static bool
is_free(const struct ask *k)
{
	return k->act->tcp || factor_of(k->act->client) == 0;
}

void
rates_asks(struct sim *s, struct ask *k)
{
	const struct stats *st = engine_stats(s->w.engine);

	k->n_limited = parts_count(&st->rate_limited);
	k->n_dropped = parts_count(&st->rate_dropped);
	k->n_slipped = parts_count(&st->rate_slipped);
	if (s->rates != NULL && !k->act->tcp)
		others(s, k->act);
}

bool
rates_asked(struct sim *s, struct ask *k)
{
	const struct conf_rate *c = &s->conf[0].rate;
	const struct stats *st = engine_stats(s->w.engine);
	bool limited = parts_count(&st->rate_limited) > k->n_limited;
	bool dropped = parts_count(&st->rate_dropped) > k->n_dropped;
	double one = 1.0 / (is_free(k) ? 1 : factor_of(k->act->client));

	k->slipped = parts_count(&st->rate_slipped) > k->n_slipped;
	if (limited) {
		sim_say(s, "  over the limit: %s",
		    dropped          ? "dropped"
			: k->slipped ? "slips"
				     : "passes");
		if (!is_on(s, RATE_QUESTIONS) || is_free(k))
			sim_fail(s, "limited though it has no limit");
		refused(s, RATE_QUESTIONS, k->act, one);
	} else if (is_on(s, RATE_QUESTIONS) && !is_free(k)) {
		got(s, RATE_QUESTIONS, k->act, one);
	}
	if (dropped + k->slipped != (limited && !c->dry_run && !k->proven))
		sim_fail(s, "limited, or not, but not as it may be");
	if ((dropped && c->slip == 1) || (k->slipped && c->slip == 0))
		sim_fail(s, "slips, or does not");
	return dropped;
}

/* Has the answer M no records? */
static bool
is_void(const struct msg *m)
{
	return m->count[MSG_ANSWER] == 0 && m->count[MSG_AUTHORITY] == 0 &&
	    m->count[MSG_ADDITIONAL] == m->edns.present;
}

/* The answer M to K, which asks too much: it says only how else to ask. */
static void
check_slip(struct sim *s, const struct ask *k, const struct msg *m)
{
	bool cookie = k->act->bufsize > 0 && k->act->cookie != COOKIE_NONE;
	bool badcookie = cookie && s->conf[0].cookies.client;

	if (k->act->client == CLIENT_DENIED && m->rcode == DNS_REFUSED)
		return;
	if (!is_void(m) || m->rcode != (badcookie ? DNS_BADCOOKIE : DNS_NOERROR) ||
	    !(m->flags & DNS_TC) != badcookie)
		sim_fail(s, "slips with another answer, rcode %u", m->rcode);
}

bool
rates_answered(struct sim *s, const struct ask *k, const struct msg *m, size_t len)
{
	const struct conf_rate *c = &s->conf[0].rate;
	uint64_t n = parts_count(&engine_stats(s->w.engine)->answers_amplified);
	bool limited = n > s->n_amplified, counts;
	double times = is_free(k) ? 1 : factor_of(k->act->client);
	double most = (double)c->amplification * (double)k->len;

	s->n_amplified = n;
	counts = is_on(s, RATE_AMPLIFIED) && !is_free(k) && !k->proven;
	if (limited && !counts)
		sim_fail(s, "a shorter answer for one who may have any");
	if (!limited && counts && (double)len > most)
		got(s, RATE_AMPLIFIED, k->act, ((double)len - most) / times);
	if (limited) {
		sim_say(s, "  the answer is too long");
		refused(s, RATE_AMPLIFIED, k->act,
		    ((double)(c->dry_run ? len : k->limit) - most) / times);
	}
	if (limited && !c->dry_run && (!is_void(m) || !(m->flags & DNS_TC)))
		sim_fail(s, "a longer answer than it may have");
	if (k->slipped && !limited)
		check_slip(s, k, m);
	return k->slipped || (limited && !c->dry_run);
}
