/* SPDX-License-Identifier: BSD-2-Clause */
#include "sim/oracle.h"

#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "core/attempt.h"
#include "dns/header.h"
#include "dns/name.h"
#include "sim/history.h"

#define TICKS_NS (3 * WHEEL_TICK_NS)
#define LIFE_NS (4500 * NS_PER_MS + TICKS_NS)
#define DOWN_NS (1100 * NS_PER_MS + TICKS_NS)
#define SOON_NS (300 * NS_PER_MS) /* when nothing is wrong */
#define STALE_TTL 30
#define FAILED_TTL 60

/* What an answer is. */
enum kind { NATIVE, SYNTHESIZED, OLD, NODATA, GONE, ERROR, OTHER };
static const char *const words[] = { "native AAAA", "synthesized AAAA", "A", "NODATA", "NXDOMAIN",
	"an error", "something else" };

/* --- what an answer must be ------------------------------------------------------------------- */

/* The right answer, when settings E hold. */
static enum kind
right_answer(const struct ask *k, const struct era *e)
{
	const struct truth *t = &k->truth;
	bool dns64 = e->prefix && !(k->act->do_bit && k->act->cd);

	if (t->open && (k->act->type != DNS_TYPE_AAAA || (k->act->do_bit && k->act->cd)))
		return NODATA; /* relayed as it is: no more than a CNAME */
	if (t->kind == TRUTH_GONE)
		return GONE;
	if (k->act->type == DNS_TYPE_AAAA) {
		bool failed = t->kind == TRUTH_BROKEN_AAAA || t->kind == TRUTH_MUTE_AAAA;

		if (truth_has(t->kind, DNS_TYPE_AAAA))
			return NATIVE;
		if (truth_has(t->kind, DNS_TYPE_A) && dns64 && (!failed || e->on_failure))
			return SYNTHESIZED;
		if (failed)
			return ERROR;
	}
	if (t->kind == TRUTH_BROKEN || t->kind == TRUTH_MUTE)
		return ERROR;
	return k->act->type == DNS_TYPE_A && truth_has(t->kind, DNS_TYPE_A) ? OLD : NODATA;
}

/* An era that holds in a part of the time since K was asked and after E; NULL: there is none. */
static const struct era *
next_era(const struct sim *s, const struct ask *k, const struct era *e)
{
	e = e == NULL ? s->eras : e + 1;
	while (e + 1 < s->eras + s->n_eras && e[1].at_ns < k->at_ns)
		e++;
	return e < s->eras + s->n_eras ? e : NULL;
}

/* The address of an AAAA record, as it must be. Returns what it makes of the answer. */
static enum kind
judge_aaaa(struct sim *s, const struct ask *k, const struct truth *t, const uint8_t *address)
{
	if (truth_has(t->kind, DNS_TYPE_AAAA) && memcmp(address, t->aaaa, 16) == 0)
		return NATIVE;
	if (!truth_has(t->kind, DNS_TYPE_A) || memcmp(address + 12, t->a, 4) != 0)
		sim_fail(s, "an AAAA that nobody has");
	for (const struct era *e = next_era(s, k, NULL); e != NULL; e = next_era(s, k, e)) {
		const uint8_t prefix[12] = { 0x20, 0x01, 0x0d, 0xb8, 0, e->address };

		if (e->prefix && memcmp(address, prefix, 12) == 0)
			return SYNTHESIZED;
	}
	sim_fail(s, "an AAAA under a prefix that is not active");
}

/* An address record of answer M. */
static enum kind
judge_record(struct sim *s, const struct ask *k, const struct msg *m, const struct rr *rr)
{
	const uint8_t *address = m->bytes + rr->rdata;
	uint8_t owner[DNS_NAME_MAX];
	struct truth t;
	enum kind kind = OLD;
	uint32_t most;

	assert(msg_owner(m, rr, owner) > 0);
	truth_of(owner, &t);
	if (truth_is_forged(address, rr->rdlen))
		sim_fail(s, "a forged address");
	if (!t.ours || t.alias || rr->type != k->act->type)
		sim_fail(s, "an address that is out of place");
	if (rr->type == DNS_TYPE_AAAA)
		kind = judge_aaaa(s, k, &t, address);
	else if (memcmp(address, t.a, 4) != 0)
		sim_fail(s, "an A that nobody has");
	most = t.ttl > STALE_TTL ? t.ttl : STALE_TTL;
	if (kind == SYNTHESIZED && most > FAILED_TTL)
		most = FAILED_TTL;
	if (rr->ttl > most)
		sim_fail(s, "a TTL of %u, more than %u", rr->ttl, most);
	return kind;
}

static enum kind
kind_of(struct sim *s, const struct ask *k, const struct msg *m)
{
	enum kind kind = OTHER;

	for (enum msg_section section = MSG_ANSWER; section < MSG_SECTIONS; section++) {
		struct msg_walk w = msg_walk(m, section);
		struct rr rr;

		while (msg_walk_next(&w, &rr)) {
			if (rr.type == DNS_TYPE_A || rr.type == DNS_TYPE_AAAA)
				kind = judge_record(s, k, m, &rr);
		}
	}
	if (m->rcode == DNS_NXDOMAIN)
		return kind == OTHER ? GONE : OTHER;
	if (m->rcode != DNS_NOERROR)
		return kind == OTHER ? ERROR : OTHER;
	return kind == OTHER ? NODATA : kind;
}

/* --- what excuses another one ----------------------------------------------------------------- */

/* What is known of the question for TYPE of K's name, or of the end of its chain. */
static struct fact *
about(struct sim *s, const struct ask *k, uint16_t type, bool target)
{
	const uint8_t *name = target ? k->truth.target : k->question;

	return history_fact(s, history_key(name, type, k->act->do_bit, k->act->cd));
}

void
oracle_begins(struct sim *s, struct ask *k)
{
	k->was_down = upstreams_all_down(&s->w.engine->upstreams);
	k->down_ns = k->was_down ? k->at_ns : 0;
	for (unsigned i = 0; i < 4; i++) {
		uint16_t type = i & 1 ? DNS_TYPE_A : k->act->type;

		/* It may join a question that began before they were down. */
		if (about(s, k, type, i & 2)->asked_ns + LIFE_NS > k->at_ns)
			k->down_ns = 0;
	}
}

/* Was something wrong with the questions for TYPE that K's answer rests on? */
static bool
was_touched(struct sim *s, const struct ask *k, uint16_t type)
{
	return about(s, k, type, false)->touched_ns != 0 ||
	    about(s, k, type, true)->touched_ns != 0;
}

/*
 * Did the true reply for TYPE come while K waited, so that it must be known? A chain that upstream
 * left open is followed again for A, and what was found for AAAA meanwhile is not looked at; nor is
 * what comes to a question that began after the one that K waited for had failed.
 */
static bool
was_right(struct sim *s, const struct ask *k, uint16_t type)
{
	const struct fact *f = about(s, k, type, false);

	if (k->truth.open || f->right_ns < k->at_ns)
		return false;
	if (type == k->act->type)
		return f->born_ns <= k->at_ns;
	return f->wrong_ns < k->at_ns && s->flushed_ns < k->at_ns && s->conf[0].cache != NULL &&
	    k->truth.ttl > 5;
}

/* Was the question for TYPE of K's name, or of the end of its chain, given up with reason? */
static bool
was_hopeless(struct sim *s, const struct ask *k, uint16_t type)
{
	unsigned most = attempt_most(&s->w.engine->lookups);

	for (unsigned i = 0; i < 2; i++) {
		const struct fact *f = about(s, k, type, i);

		if (f->n_wrong > 0 || f->n_lost >= most)
			return true;
	}
	return false;
}

/* May K be answered with an error, as things are? */
static bool
may_fail(struct sim *s, const struct ask *k)
{
	bool aaaa = k->act->type == DNS_TYPE_AAAA;

	/* With all upstreams down, A is not asked where AAAA failed. */
	if (s->w.engine->stats.no_room > k->n_no_room || k->was_down)
		return true;
	/*
	 * Replies in disorder look as if the data were bogus (RULES D3). The end of an open chain
	 * is not waited for as long as a name.
	 */
	if ((k->truth.kind == TRUTH_BROKEN_AAAA || k->truth.open) &&
	    was_touched(s, k, DNS_TYPE_AAAA))
		return true;
	if (!was_hopeless(s, k, k->act->type) && (!aaaa || !was_hopeless(s, k, DNS_TYPE_A)))
		return false;
	if (was_right(s, k, k->act->type) && (!aaaa || truth_has(k->truth.kind, DNS_TYPE_AAAA)))
		return false;
	return !aaaa || !was_right(s, k, k->act->type) || !was_right(s, k, DNS_TYPE_A);
}

/* Is GOT, which is not right, the best that could be had? */
static bool
is_excused(struct sim *s, const struct ask *k, enum kind got, const struct msg *m)
{
	if (k->act->strict)
		return false;
	if (got == ERROR)
		return may_fail(s, k);
	if (m->flags & DNS_TC)
		return was_touched(s, k, k->act->type);
	if (got == SYNTHESIZED)
		return was_touched(s, k, DNS_TYPE_AAAA) && !was_right(s, k, DNS_TYPE_AAAA);
	return false;
}

static void
judge(struct sim *s, const struct ask *k, const struct msg *m)
{
	enum kind got = kind_of(s, k, m), want = OTHER;

	sim_say(s, "  answer %zu after %llu ms: %s, EDE %u", (size_t)(k - s->asks),
	    (unsigned long long)((s->w.now_ns - k->at_ns) / NS_PER_MS), words[got], msg_ede(m));
	s->n_kinds[got]++;
	for (const struct era *e = next_era(s, k, NULL); e != NULL; e = next_era(s, k, e)) {
		want = right_answer(k, e);
		if (want == got)
			return;
	}
	if (!is_excused(s, k, got, m))
		sim_fail(s, "%s (rcode %u) instead of %s", words[got], m->rcode, words[want]);
}

static void
judge_time(struct sim *s, const struct ask *k)
{
	uint64_t gone = s->w.now_ns - k->at_ns;
	enum truth_kind kind = k->truth.kind;

	if (gone > LIFE_NS)
		sim_fail(s, "answered late");
	if (k->down_ns != 0 && gone > DOWN_NS)
		sim_fail(s, "answered late, with all upstreams down");
	if (k->act->strict && gone > SOON_NS && kind < TRUTH_BROKEN)
		sim_fail(s, "answered late, with nothing wrong");
}

/* Are all upstreams known to be down while K waits? */
static void
look(struct sim *s, struct ask *k)
{
	if (upstreams_all_down(&s->w.engine->upstreams))
		k->was_down = true;
	else
		k->down_ns = 0;
}

void
oracle_answer(struct world *w, const struct packet_out *send, const uint8_t *bytes)
{
	struct sim *s = w->arg;
	struct ask *k = &s->asks[send->sock];
	struct msg m;

	if (send->sock >= s->n_asks || !k->open)
		sim_fail(s, "an answer to nobody");
	k->open = false;
	s->n_open--;
	look(s, k);
	if (msg_parse(&m, bytes, send->len) != MSG_OK || !(m.flags & DNS_QR))
		sim_fail(s, "no answer at all");
	if (m.id != k->id || memcmp(bytes + DNS_HEADER_LEN, k->question, k->question_len) != 0)
		sim_fail(s, "an answer to another question");
	judge(s, k, &m);
	judge_time(s, k);
}

/* --- what holds always ------------------------------------------------------------------------ */

void
oracle_watch(struct sim *s)
{
	for (unsigned i = s->n_first; i < s->n_asks; i++) {
		struct ask *k = &s->asks[i];

		if (!k->open) {
			s->n_first += i == s->n_first;
			continue;
		}
		look(s, k);
		judge_time(s, k);
	}
}

void
oracle_end(struct sim *s)
{
	const struct engine *e = s->w.engine;

	if (s->n_open > 0)
		sim_fail(s, "%u questions without answer", s->n_open);
	if (e->queries.pool.n_used + e->queries.partials.n_used + e->queries.data.n_used +
		e->queries.svcbs.n_used + e->queries.long_names.n_used >
	    0)
		sim_fail(s, "something is left of queries");
	if (e->lookups.pool.n_used + e->lookups.long_names.n_used + e->lookups.messages.n_used +
		e->lookups.replies.n_used + e->lookups.attempts.n_used >
	    0)
		sim_fail(s, "something is left of lookups");
	for (unsigned i = 0; i < e->lookups.n_spaces; i++)
		if (e->lookups.spaces[i].n_used > 0)
			sim_fail(s, "an ID is left");
	for (unsigned u = 0; u < UPSTREAM_MAX; u++)
		if (!channels_unused(e->upstreams.table[u].tcp))
			sim_fail(s, "something is left on a connection");
	for (unsigned i = 0; i < UPSTREAM_MAX_SOCKETS; i++)
		if (e->upstreams.sockets[i].upstream != UPSTREAM_NONE && engine_socket_busy(e, i))
			sim_fail(s, "something is left on a socket");
}
