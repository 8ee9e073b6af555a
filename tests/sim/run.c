/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cache/cache.h"
#include "dns/name.h"
#include "sim/client.h"
#include "sim/net.h"
#include "sim/oracle.h"
#include "sim/pairs.h"
#include "sim/rare.h"
#include "sim/rates.h"
#include "sim/remains.h"
#include "sim/shell.h"
#include "sim/sim.h"
#include "sim/story.h"
#include "sim/work.h"

#define FLOOD_OF_NAMES 512          /* questions in a flood of as many names at most */
#define REST_NS (12000 * NS_PER_MS) /* after the last question */

void
sim_say(const struct sim *s, const char *format, ...)
{
	va_list args;

	if (!s->verbose)
		return;
	printf("%9.3f ", (double)(s->w.now_ns - PARTS_START_NS) / 1e6);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

uint32_t
sim_draw(const struct sim *s, uint32_t what, uint64_t key, uint32_t below)
{
	uint64_t x = s->seed * 0x9e3779b97f4a7c15ULL + what * 0xd1b54a32d192ed03ULL + key;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return (uint32_t)((x ^ x >> 31) % below);
}

const struct act *
sim_fault(const struct sim *s, enum fault f, unsigned up)
{
	for (unsigned i = 0; i < s->n_begun; i++) {
		const struct act *a = &s->acts[i];

		if (a->kind == ACT_FAULT && a->what == f && a->upstream == up && !s->dropped[i] &&
		    a->at_ns <= s->w.now_ns && s->w.now_ns < a->at_ns + a->for_ns)
			return a;
	}
	return NULL;
}

/* Replies that somebody else got, and that nobody asks for here. */
static void
fill(struct sim *s, uint32_t n)
{
	static const uint8_t big[1200];
	struct cache_entry e = { .kind = CACHE_POSITIVE, .ttl_s = 300 };
	uint8_t name[DNS_NAME_MAX];
	char text[64];

	for (uint32_t i = 0; i < n && s->cache != NULL; i++) {
		struct question key = {
			.qname = name, .qtype = DNS_TYPE_TXT, .qclass = DNS_CLASS_IN
		};

		snprintf(text, sizeof(text), "%u.fill.example", s->n_filled++);
		key.qname_len = name_from_text(text, name);
		key.hash = lookup_hash(&s->w.engine->lookups, name, key.qname_len);
		cache_put(s->cache, &key, &e, big, sizeof(big), clock_s(s->w.now_ns));
	}
}

/* One client asks what act A says, all at once: the first question again and again, or others. */
static void
flood(struct sim *s, const struct act *a)
{
	bool large = s->max_queries > SIM_FEW, one = large && sim_draw(s, 15, 0, 2);
	bool proves = sim_draw(s, 7, 0, 4) == 0, texts = sim_draw(s, 9, 0, large ? 2 : 8) == 0;
	bool names = sim_draw(s, 4, 0, 2) && a->much <= FLOOD_OF_NAMES;
	uint32_t n_hosts = sim_draw(s, 8, 0, 2) ? 1 : 1 + sim_draw(s, 8, 1, 32);

	s->flooder = rates_flooder(s);
	for (uint32_t i = 0; i < a->much; i++) {
		struct act *q = &s->floods[s->n_floods++];

		assert(s->n_floods <= SIM_ASKS);
		*q = *a;
		q->type = texts ? DNS_TYPE_TXT : sim_draw(s, 3, i, 4) ? DNS_TYPE_AAAA : DNS_TYPE_A;
		if (!one)
			q->number += names ? i : i / 64;
		q->bufsize = 1232;
		q->client = s->flooder;
		q->tcp = sim_draw(s, 5, i, 8) == 0;
		q->cookie = proves ? COOKIE_GIVEN : COOKIE_NONE;
		q->host = proves ? 0 : (uint8_t)(i % n_hosts);
		client_ask(s, q);
	}
}

static void
reload(struct sim *s, uint8_t what)
{
	struct policies *gone = s->conf[s->turn % 2].policies;

	s->turn++;
	story_era(s, what);
	engine_set_conf(s->w.engine, &s->conf[s->turn % 2], s->w.now_ns);
	world_drain(&s->w);
	policies_unref(gone);
}

static void
act(struct sim *s, unsigned i)
{
	const struct act *a = &s->acts[i];

	story_say(s, i);
	switch ((enum act_kind)a->kind) {
	case ACT_ASK:
		client_ask(s, a);
		break;
	case ACT_FLUSH:
		if (s->cache != NULL)
			cache_flush_all(s->cache);
		s->flushed_ns = s->w.now_ns;
		break;
	case ACT_RELOAD:
		reload(s, a->what);
		break;
	case ACT_ROTATE:
		shell_rotate(s, a->upstream);
		break;
	case ACT_SLEEP:
		s->w.now_ns += a->much * NS_PER_MS;
		s->slept_ns += a->much * NS_PER_MS;
		s->woke_ns = s->w.now_ns;
		break;
	case ACT_FLOOD:
		flood(s, a);
		break;
	case ACT_FILL:
		fill(s, a->much);
		break;
	case ACT_FAULT:
	case ACT_NOTHING:
		break;
	}
}

/* When the engine's next deadline is noticed. Ticks before that do nothing. */
static uint64_t
next_tick_ns(const struct sim *s)
{
	const struct wheel *w = &s->w.engine->wheel;
	uint64_t tick = w->tick;

	for (; tick < w->tick + WHEEL_SLOTS; tick++) {
		const struct list *slot = &w->slots[tick % WHEEL_SLOTS];

		for (struct list *at = slot->next; at != slot; at = at->next) {
			if (LIST_OBJECT(at, struct wheel_timer, link)->due <= tick)
				return tick * WHEEL_TICK_NS + s->phase_ns;
		}
	}
	return tick * WHEEL_TICK_NS + s->phase_ns;
}

/* Time passes until NS, or until something is sent. */
static void
pass_to(struct sim *s, uint64_t ns)
{
	while (s->w.now_ns < ns && s->n_sent == s->n_known) {
		uint64_t tick_ns = engine_busy(s->w.engine) ? next_tick_ns(s) : UINT64_MAX;

		if (tick_ns > ns) {
			s->w.now_ns = ns;
			break;
		}
		if (tick_ns > s->w.now_ns) /* else it is due already */
			s->w.now_ns = tick_ns - 1;
		world_pass(&s->w, 1);
	}
}

static void
begin(struct sim *s)
{
	for (unsigned u = 0; u < UPSTREAM_MAX; u++)
		s->slot[u] = -1;
	s->flooder = CLIENT_FLOOD;
	s->w.now_ns = PARTS_START_NS;
	s->phase_ns = sim_draw(s, 1, 0, WHEEL_TICK_NS);
	if (s->pairs)
		pairs_draw(s);
	else
		story_draw(s);
	s->w.upstream = net_question;
	s->w.client = client_answer;
	s->w.arg = s;
	s->w.engine = engine_new(&s->conf[0], &s->seed, s->w.now_ns);
	assert(s->w.engine != NULL);
	s->w.n_spaces = TXID_MAX_SPACES; /* sockets are the shell's */
	shell_sync(s);
	work_begin(s);
	rare_begin(!s->pairs && sim_draw(s, 6, 0, 2) ? s : NULL, s->calm_ns);
}

void
sim_run(struct sim *s)
{
	uint64_t end_ns;

	begin(s);
	end_ns = s->acts[s->n_acts - 1].at_ns + REST_NS;
	while (s->w.now_ns < end_ns) {
		uint64_t next_ns = net_next_ns(s);

		s->n_known = s->n_sent;
		if (s->n_begun < s->n_acts && s->acts[s->n_begun].at_ns < next_ns)
			next_ns = s->acts[s->n_begun].at_ns;
		pass_to(s, next_ns < end_ns ? next_ns : end_ns);
		net_deliver(s);
		while (s->n_begun < s->n_acts && s->acts[s->n_begun].at_ns <= s->w.now_ns) {
			unsigned i = s->n_begun++;

			if (!s->dropped[i])
				act(s, i);
			shell_sync(s);
		}
		shell_sync(s);
		oracle_watch(s);
	}
	rare_begin(NULL, 0);
	work_begin(NULL);
	remains_check(s);
	engine_free(s->w.engine);
	policies_unref(s->conf[s->turn % 2].policies);
	cache_free(s->cache);
	rates_end(s);
}
