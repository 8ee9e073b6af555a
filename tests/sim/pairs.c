/* SPDX-License-Identifier: BSD-2-Clause */
#include "sim/pairs.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "sim/story.h"

#define NAMES 24
/*
 * So many of them may have bad luck where something is lost or has to be learned; where one says TC
 * and has no TCP; and where one is away half of the time, for one second each.
 */
#define UNLUCKY 2
#define UNLUCKY_CUT 4
#define UNLUCKY_FLAPS 6
#define APART_MS 300
#define FLAPS_MS 1000    /* an upstream that flaps is there so long, and then away */
#define LEARNING_MS 3000 /* until it is known what gets through */
#define ALL_MS (NAMES * APART_MS + 5000) /* until all is answered */

/* What an upstream does from beginning to end. */
enum habit {
	ANSWERS,
	SLOW_200,
	SLOW_1000,
	SLOW_3000,
	LOSES_20,
	LOSES_50,
	SILENT,
	REFUSES,
	SERVFAIL,
	LAME,
	FORMERR,
	TC_SLOW,  /* TC, and TCP that takes 1.2 s */
	TC_ALONE, /* TC, and no TCP */
	TCP_ONLY,
	NO_AAAA,
	DROPS_EDNS,
	DROPS_OPTIONS,
	DROPS_LARGE,
	BOGUS,
	UNREACHABLE, /* ICMP, and RST for TCP */
	FLAPS,
	HABITS
};

/* How sure it is that it answers a question within 2 s; LEARNED: that it does after LEARNING_MS. */
enum sure { NEVER, MOSTLY, LEARNED, ALWAYS };

static const struct {
	const char *name;
	struct {
		enum fault what;
		uint32_t much;
	} fault[2];     /* much 0: none */
	enum sure sure; /* of what it answers at all */
} habits[HABITS] = {
	[ANSWERS] = { "answers", { { 0 } }, ALWAYS },
	[SLOW_200] = { "slow 200 ms", { { FAULT_SLOW, 200 } }, ALWAYS },
	[SLOW_1000] = { "slow 1000 ms", { { FAULT_SLOW, 1000 } }, ALWAYS },
	[SLOW_3000] = { "slow 3000 ms", { { FAULT_SLOW, 3000 } }, NEVER },
	[LOSES_20] = { "loses 20 %", { { FAULT_LOSSY, 20 } }, MOSTLY },
	[LOSES_50] = { "loses 50 %", { { FAULT_LOSSY, 50 } }, MOSTLY },
	[SILENT] = { "silent", { { FAULT_SILENT, 100 } }, NEVER },
	[REFUSES] = { "REFUSED", { { FAULT_REFUSES, 100 } }, NEVER },
	[SERVFAIL] = { "SERVFAIL", { { FAULT_SERVFAIL, 100 } }, NEVER },
	[LAME] = { "lame", { { FAULT_LAME, 100 } }, NEVER },
	[FORMERR] = { "FORMERR", { { FAULT_FORMERR, 100 } }, NEVER },
	[TC_SLOW] = { "TC, slow TCP", { { FAULT_CUT, 100 }, { FAULT_TCP_SLOW, 1200 } }, ALWAYS },
	[TC_ALONE] = { "TC, no TCP", { { FAULT_CUT, 100 }, { FAULT_TCP_SILENT, 100 } }, NEVER },
	[TCP_ONLY] = { "TCP only", { { FAULT_UDP_SILENT, 100 } }, LEARNED },
	[NO_AAAA] = { "silent to AAAA", { { FAULT_NO_AAAA, 100 } }, ALWAYS },
	[DROPS_EDNS] = { "drops EDNS, no TCP",
	    { { FAULT_DROPS_EDNS, 100 }, { FAULT_TCP_REFUSED, 100 } }, LEARNED },
	[DROPS_OPTIONS] = { "drops EDNS options, no TCP",
	    { { FAULT_DROPS_OPTIONS, 100 }, { FAULT_TCP_REFUSED, 100 } }, LEARNED },
	[DROPS_LARGE] = { "drops large replies", { { FAULT_DROPS_LARGE, 100 } }, LEARNED },
	[BOGUS] = { "bogus AAAA", { { FAULT_BOGUS, 100 } }, ALWAYS },
	[UNREACHABLE] = { "unreachable", { { FAULT_REFUSED, 100 } }, NEVER },
	[FLAPS] = { "flaps", { { 0 } }, MOSTLY },
};

static const char *const modes[] = { "random", "round-robin", "in-order", "fastest" };
static const uint16_t types[] = { DNS_TYPE_AAAA, DNS_TYPE_A, DNS_TYPE_MX, DNS_TYPE_TXT,
	DNS_TYPE_HTTPS };
static const char *const type_names[] = { "AAAA", "A", "MX", "TXT", "HTTPS" };

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define SETTINGS (N(modes) * N(types))
/*
 * alone, in pairs, and in pairs beside one that answers; and, in one mode each, pairs of different
 * ones beside one of those whose way has to be learned
 */
#define GROUPS (HABITS + 2 * HABITS * HABITS)
static const enum habit thirds[] = { TCP_ONLY, NO_AAAA, DROPS_EDNS, DROPS_OPTIONS, DROPS_LARGE };
#define TRIPLES ((uint64_t)HABITS * (HABITS - 1) / 2 * N(thirds) * N(types))

struct pair {
	unsigned n; /* upstreams */
	enum habit does[3];
	unsigned mode, type;
};

/* Number I of the triples. */
static struct pair
triple_of(uint64_t i)
{
	uint64_t two = i / (N(thirds) * N(types)), b = 1;

	while (two >= b) /* the pairs below the diagonal, line by line */
		two -= b++;
	return (struct pair){ .n = 3,
		.does = { (enum habit)two, (enum habit)b, thirds[i % N(thirds)] },
		.mode = (unsigned)((two + b + i) % N(modes)),
		.type = (unsigned)(i / N(thirds) % N(types)) };
}

static struct pair
pair_of(uint64_t seed)
{
	uint64_t group = seed / SETTINGS;
	if (group >= GROUPS)
		return triple_of(seed - (uint64_t)GROUPS * SETTINGS);

	struct pair p = { .mode = (unsigned)(seed % N(modes)),
		.type = (unsigned)(seed / N(modes) % N(types)) };

	if (group < HABITS) {
		p.n = 1;
		p.does[0] = (enum habit)group;
		return p;
	}
	group -= HABITS;
	p.n = group < HABITS * HABITS ? 2 : 3;
	p.does[0] = (enum habit)(group / HABITS % HABITS);
	p.does[1] = (enum habit)(group % HABITS);
	p.does[2] = ANSWERS;
	return p;
}

uint64_t
pairs_count(void)
{
	return (uint64_t)GROUPS * SETTINGS + TRIPLES;
}

void
pairs_say(uint64_t seed, char *text, size_t cap)
{
	struct pair p = pair_of(seed);
	int len = snprintf(text, cap, "%s, %s:", type_names[p.type], modes[p.mode]);

	for (unsigned u = 0; u < p.n && (size_t)len < cap; u++)
		len += snprintf(text + len, cap - (size_t)len, "%s %s", u > 0 ? " |" : "",
		    habits[p.does[u]].name);
}

static void
add_fault(struct sim *s, unsigned u, enum fault what, uint32_t much, uint32_t at_ms, uint32_t ms)
{
	struct act *a = story_add(s, ACT_FAULT, s->w.now_ns + at_ms * NS_PER_MS);

	a->what = (uint8_t)what;
	a->upstream = (uint8_t)u;
	a->much = much;
	a->for_ns = ms * NS_PER_MS;
}

static void
add_habit(struct sim *s, unsigned u, enum habit does)
{
	for (unsigned i = 0; i < 2; i++)
		if (habits[does].fault[i].much > 0)
			add_fault(s, u, habits[does].fault[i].what, habits[does].fault[i].much, 0,
			    ALL_MS);
	for (uint32_t ms = u * 300; does == FLAPS && ms + FLAPS_MS < ALL_MS; ms += 2 * FLAPS_MS)
		add_fault(s, u, FAULT_SILENT, 100, ms, FLAPS_MS);
}

void
pairs_draw(struct sim *s)
{
	struct pair p = pair_of(s->seed);

	s->max_queries = 256;
	s->n_upstreams = p.n;
	story_line(
	    s, "allow 2001:db8::/32\nmax-queries 256\ncache-size 1m\nupstream-cookies yes\n");
	story_line(s, "selection-mode %s\n", modes[p.mode]);
	story_era(s, 0);
	for (unsigned u = 0; u < p.n; u++) {
		s->rtt_ms[u] = 5;
		add_habit(s, u, p.does[u]);
	}
	for (unsigned i = 0; i < NAMES; i++) {
		struct act *a =
		    story_add(s, ACT_ASK, s->w.now_ns + (uint64_t)i * APART_MS * NS_PER_MS);

		a->name_kind = i % 3 == 2 ? TRUTH_OLD : TRUTH_BOTH;
		a->number = i;
		a->type = types[p.type];
		a->bufsize = 1232;
		a->tcp = i % 2 == 1;
	}
	(void)story_add(s, ACT_NOTHING, s->w.now_ns + ALL_MS * NS_PER_MS);
	story_sort(s);
	s->calm_ns = UINT64_MAX;
}

/* How sure it is that a question for TYPE is answered, MS after the begin. */
static enum sure
how_sure(const struct pair *p, uint16_t type, uint64_t ms)
{
	enum sure best = NEVER;

	for (unsigned u = 0; u < p->n; u++) {
		enum sure sure = habits[p->does[u]].sure;

		if (type == DNS_TYPE_AAAA && (p->does[u] == NO_AAAA || p->does[u] == BOGUS))
			sure = NEVER;
		if (sure == LEARNED)
			sure = ms < LEARNING_MS ? MOSTLY : ALWAYS;
		best = sure > best ? sure : best;
	}
	/* With three in trouble the order in which they are tried decides. */
	if (p->n == 3 && p->does[2] != ANSWERS && best > MOSTLY)
		best = MOSTLY;
	return best;
}

static bool
has(const struct pair *p, enum habit habit)
{
	for (unsigned u = 0; u < p->n; u++)
		if (p->does[u] == habit)
			return true;
	return false;
}

bool
pairs_may(struct sim *s, const struct ask *k, enum pairs_answer answer)
{
	struct pair p = pair_of(s->seed);
	bool aaaa = k->act->type == DNS_TYPE_AAAA;
	uint64_t ms = (k->at_ns - PARTS_START_NS) / NS_PER_MS;
	enum sure sure = how_sure(&p, k->act->type, ms);
	unsigned most = UNLUCKY;

	if (aaaa && has(&p, BOGUS)) /* the data is bogus, or is the answer of another one */
		return answer == PAIRS_ERROR;
	if (aaaa && sure == NEVER && answer == PAIRS_ERROR)
		sure = how_sure(&p, DNS_TYPE_A, ms); /* it is synthesized from A */
	/* What is left of 2 s when TCP is known to be mute may not be enough for another one. */
	if (answer == PAIRS_TRUNCATED && sure > MOSTLY && has(&p, TC_ALONE))
		sure = MOSTLY;
	if (has(&p, FLAPS))
		most = UNLUCKY_FLAPS;
	else if (has(&p, TC_ALONE))
		most = UNLUCKY_CUT;
	s->n_unlucky += sure == MOSTLY;
	return sure == NEVER || (sure == MOSTLY && s->n_unlucky <= most);
}
