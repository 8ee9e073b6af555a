/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cache/cache.h"
#include "dns/build.h"
#include "dns/name.h"
#include "sim/net.h"
#include "sim/oracle.h"
#include "sim/shell.h"
#include "sim/sim.h"
#include "sim/story.h"

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

static void
ask(struct sim *s, const struct act *a)
{
	struct build_opt opt = {
		.present = true, .do_bit = a->do_bit, .bufsize = 1232, .ede = DNS_EDE_NONE
	};
	const struct stats *st = engine_stats(s->w.engine);
	uint64_t dropped = parts_count(&st->client_dropped);
	struct ask *k = &s->asks[s->n_asks];
	struct packet_in in = {
		.way = a->tcp ? PACKET_CLIENT_TCP : PACKET_CLIENT_UDP, .sock = s->n_asks, .gen = 1
	};
	uint8_t name[DNS_NAME_MAX], msg[512];

	assert(s->n_asks++ < SIM_ASKS);
	assert(netaddr_parse("2001:db8::1", 53, &in.peer));
	truth_name(name, (enum truth_kind)a->name_kind,
	    a->alias == 0         ? ""
		: a->alias == 'c' ? "c"
				  : "o",
	    a->number);
	truth_of(name, &k->truth);
	k->act = a;
	k->at_ns = s->w.now_ns;
	k->id = (uint16_t)(s->n_asks * 7);
	k->n_no_room = parts_count(&st->no_room);
	k->open = true;
	s->n_open++;
	in.len = build_query(msg, sizeof(msg),
	    &(struct build_question){ .id = k->id,
		.flags = a->cd ? DNS_CD : 0,
		.qname = name,
		.qtype = a->type,
		.qclass = DNS_CLASS_IN },
	    &opt);
	in.msg = msg;
	k->question_len = name_len(name) + 4;
	memcpy(k->question, msg + DNS_HEADER_LEN, k->question_len);
	oracle_begins(s, k);
	world_input(&s->w, &in);
	if (parts_count(&st->client_dropped) == dropped)
		return;
	if (!k->open || a->strict)
		sim_fail(s, "a question dropped");
	k->open = false;
	s->n_open--;
}

static void
reload(struct sim *s, uint8_t what)
{
	struct policies *gone = s->conf[s->turn % 2].policies;

	s->conf[(s->turn + 1) % 2] = s->conf[s->turn % 2];
	s->turn++;
	/* those that had gone are back */
	s->conf[s->turn % 2].n_upstreams = s->n_upstreams;
	memcpy(s->conf[s->turn % 2].upstreams, s->upstreams, sizeof(s->upstreams));
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
		ask(s, a);
		break;
	case ACT_FLUSH:
		if (s->conf[0].cache != NULL)
			cache_flush_all(s->conf[0].cache);
		s->flushed_ns = s->w.now_ns;
		break;
	case ACT_RELOAD:
		reload(s, a->what);
		break;
	case ACT_ROTATE:
		shell_rotate(s, a->upstream);
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
	s->w.now_ns = PARTS_START_NS;
	s->phase_ns = sim_draw(s, 1, 0, WHEEL_TICK_NS);
	story_draw(s);
	story_era(s, 0);
	s->n_upstreams = s->conf[0].n_upstreams;
	memcpy(s->upstreams, s->conf[0].upstreams, sizeof(s->upstreams));
	s->w.upstream = net_question;
	s->w.client = oracle_answer;
	s->w.arg = s;
	s->w.engine = engine_new(&s->conf[0], &s->seed, s->w.now_ns);
	assert(s->w.engine != NULL);
	s->w.n_spaces = TXID_MAX_SPACES; /* sockets are the shell's */
	shell_sync(s);
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
	oracle_end(s);
	engine_free(s->w.engine);
	policies_unref(s->conf[s->turn % 2].policies);
	cache_free(s->conf[0].cache);
}
