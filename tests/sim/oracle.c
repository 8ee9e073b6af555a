/* SPDX-License-Identifier: BSD-2-Clause */
#include "sim/oracle.h"

#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "dns/name.h"
#include "sim/history.h"
#include "sim/pairs.h"

#define TICKS_NS (3 * WHEEL_TICK_NS)
#define LIFE_NS (4500 * NS_PER_MS + TICKS_NS)
#define DOWN_NS (1100 * NS_PER_MS + TICKS_NS)
#define SOON_NS (300 * NS_PER_MS)        /* when nothing is wrong */
#define SLEPT_NS (6000 * NS_PER_MS)      /* a failure is remembered after the process was stopped */
#define SLOW_NS (3800 * NS_PER_MS)       /* a reply that takes longer may come too late */
#define SLOW_TWICE_NS (2300 * NS_PER_MS) /* the same for A, after AAAA was late */
#define STALE_TTL 30
#define FAILED_TTL 60

/* What an answer is. */
enum kind { NATIVE, SYNTHESIZED, OLD, DATA, NODATA, GONE, ERROR, OTHER };
static const char *const words[] = { "native AAAA", "synthesized AAAA", "A", "data", "NODATA",
	"NXDOMAIN", "an error", "something else" };

/* --- what an answer must be ------------------------------------------------------------------- */

static bool
hands_off(const struct ask *k) /* RULES D8 */
{
	return k->act->do_bit && k->act->cd;
}

/* Is nothing synthesized or excluded for K? */
static bool
is_raw(const struct ask *k)
{
	return hands_off(k) || k->act->client == CLIENT_NEVER;
}

/* The last octet of the first 48 bits of the prefix that is active for K's client; 0: none is. */
static uint8_t
prefix_of(const struct ask *k, const struct era *e)
{
	if (k->act->client == CLIENT_OTHER)
		return SIM_OTHER_ADDRESS;
	return e->prefix ? e->address : 0;
}

/* Are AAAA records of T passed on to K's client? */
static bool
has_native(const struct ask *k, const struct truth *t)
{
	return truth_has(t->kind, DNS_TYPE_AAAA) || (t->kind == TRUTH_BOGUS && k->act->cd) ||
	    (t->kind == TRUTH_EXCLUDED && is_raw(k));
}

/* The right answer, when settings E hold. */
static enum kind
right_answer(const struct ask *k, const struct era *e)
{
	const struct act *a = k->act;
	enum truth_kind kind = k->truth.kind;
	bool aaaa = a->type == DNS_TYPE_AAAA, always = a->client == CLIENT_ALWAYS;
	bool bogus = aaaa && kind == TRUTH_BOGUS && !a->cd;
	bool failed = bogus || (aaaa && (kind == TRUTH_BROKEN_AAAA || kind == TRUTH_MUTE_AAAA));
	bool mapped = aaaa && !is_raw(k) && prefix_of(k, e) != 0 && kind != TRUTH_LOOPBACK &&
	    truth_has(kind, DNS_TYPE_A);

	if (a->client == CLIENT_DENIED)
		return ERROR;
	if (a->type == DNS_TYPE_PTR &&
	    (hands_off(k) || (a->prefix != SIM_OTHER_ADDRESS && a->prefix != e->address)))
		return NODATA; /* no name of ours: upstream has nothing there */
	if (k->truth.open && (always ? !mapped : !aaaa || is_raw(k)))
		return NODATA; /* relayed as it is: no more than a CNAME */
	if (aaaa && k->truth.split && (is_raw(k) || prefix_of(k, e) == 0 || kind == TRUTH_NATIVE))
		return NODATA; /* AAAA of the other end are not looked for (RULES D6) */
	if (always && mapped)
		return SYNTHESIZED;
	if (kind == TRUTH_GONE)
		return GONE;
	if (kind == TRUTH_BROKEN || kind == TRUTH_MUTE)
		return ERROR;
	if (a->type == DNS_TYPE_A && a->client == CLIENT_HIDDEN && !hands_off(k))
		return NODATA;
	if (aaaa ? has_native(k, &k->truth) : truth_has(kind, a->type))
		return aaaa ? NATIVE : a->type == DNS_TYPE_A ? OLD : DATA;
	if (mapped && !bogus && (!failed || e->on_failure))
		return SYNTHESIZED;
	return failed ? ERROR : NODATA;
}

/* The address of an AAAA record, as it must be. Returns what it makes of the answer. */
static enum kind
judge_aaaa(struct sim *s, const struct ask *k, const struct truth *t, const uint8_t *address)
{
	bool mapped = truth_has(t->kind, DNS_TYPE_A) && memcmp(address + 12, t->a, 4) == 0;

	if (memcmp(address, t->aaaa, 16) == 0 && has_native(k, t))
		return NATIVE;
	for (unsigned i = k->era; i < s->n_eras; i++) {
		const uint8_t prefix[12] = { 0x20, 0x01, 0x0d, 0xb8, 0, prefix_of(k, &s->eras[i]) };

		if (mapped && !is_raw(k) && prefix[5] != 0 && memcmp(address, prefix, 12) == 0)
			return SYNTHESIZED;
	}
	sim_fail(s, "an AAAA that is not for this client");
}

/* Record RR in SECTION of answer M. Returns what it makes of the answer. */
static enum kind
judge_record(struct sim *s, const struct ask *k, const struct msg *m, enum msg_section section,
    const struct rr *rr)
{
	bool asked = section == MSG_ANSWER && rr->type == k->act->type;
	bool hint = section == MSG_ADDITIONAL && rr->type == DNS_TYPE_AAAA &&
	    k->act->type == DNS_TYPE_HTTPS && !k->act->do_bit;
	const uint8_t *address = m->bytes + rr->rdata;
	uint8_t owner[DNS_NAME_MAX];
	struct truth t;
	enum kind kind = OLD;
	uint32_t most;

	if (rr->type != DNS_TYPE_A && rr->type != DNS_TYPE_AAAA)
		return asked ? DATA : OTHER;
	assert(msg_owner(m, rr, owner) > 0);
	truth_of(owner, &t);
	if (truth_is_part(address, rr->rdlen) && m->flags & DNS_TC)
		return OTHER; /* passed on as it came (RULES D11) */
	if (truth_is_forged(address, rr->rdlen))
		sim_fail(s, "a forged address");
	if (!(asked || hint) || !t.ours || t.alias)
		sim_fail(s, "an address that is out of place");
	if (rr->type == DNS_TYPE_AAAA)
		kind = judge_aaaa(s, k, &t, address);
	else if (memcmp(address, t.a, 4) != 0)
		sim_fail(s, "an A that nobody has");
	most = t.ttl > STALE_TTL ? t.ttl : STALE_TTL;
	if (kind == SYNTHESIZED && most > FAILED_TTL && k->act->client != CLIENT_ALWAYS &&
	    t.kind != TRUTH_EXCLUDED)
		most = FAILED_TTL;
	if (rr->ttl > most)
		sim_fail(s, "a TTL of %u, more than %u", rr->ttl, most);
	return asked ? kind : OTHER;
}

/* What answer M to K is, of whose records the last that says anything counts. */
static enum kind
kind_of(struct sim *s, const struct ask *k, const struct msg *m)
{
	enum kind kind = OTHER, next;

	for (enum msg_section section = MSG_ANSWER; section < MSG_SECTIONS; section++) {
		struct msg_walk w = msg_walk(m, section);
		struct rr rr;

		while (msg_walk_next(&w, &rr)) {
			next = judge_record(s, k, m, section, &rr);
			kind = next != OTHER ? next : kind;
		}
	}
	if (kind != OTHER)
		return m->rcode == DNS_NOERROR ? kind : OTHER;
	return m->rcode == DNS_NOERROR ? NODATA : m->rcode == DNS_NXDOMAIN ? GONE : ERROR;
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
	k->era = s->n_eras - 1;
	history_target(s, k->question)->n_clients++;
	if (k->act->type == DNS_TYPE_PTR)
		history_target(s, k->truth.target)->n_clients++;
	k->n_sends = history_target(s, k->truth.target)->n_sends;
	k->was_down = upstreams_all_down(&s->w.engine->upstreams);
	k->down_ns = k->was_down ? k->at_ns : 0;
	for (unsigned i = 0; i < 4; i++) {
		uint16_t type = i & 1 ? DNS_TYPE_A : k->act->type;

		/* It may join a question that began before they were down. */
		if (about(s, k, type, i & 2)->asked_ns + LIFE_NS + s->slept_ns > k->at_ns)
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
 * Did the true reply for TYPE come while K waited, so that it must be known? RULES D5 says what is
 * not waited for: what a chain that upstream left open leads to, and what comes to a question that
 * began after the one that K waited for had failed.
 */
static bool
was_right(struct sim *s, const struct ask *k, uint16_t type)
{
	const struct fact *f = about(s, k, type, type == DNS_TYPE_PTR);
	bool a_first = k->act->client == CLIENT_ALWAYS && k->act->type == DNS_TYPE_AAAA;

	if (k->truth.open || k->truth.split || f->right_ns < k->at_ns)
		return false;
	if (type == DNS_TYPE_PTR && about(s, k, type, false)->touched_ns != 0)
		return false; /* it was relayed, by other settings */
	if (type == (a_first ? DNS_TYPE_A : k->act->type))
		return f->born_ns <= k->at_ns;
	return f->wrong_ns < k->at_ns && s->flushed_ns < k->at_ns && s->cache != NULL &&
	    k->truth.ttl > 5;
}

/* Was the question for TYPE of K's name, or of the end of its chain, given up with reason? */
static bool
was_hopeless(struct sim *s, const struct ask *k, uint16_t type)
{
	unsigned most = history_most(s);
	uint64_t slow_ns = k->act->type == DNS_TYPE_AAAA ? SLOW_TWICE_NS : SLOW_NS;

	for (unsigned i = 0; i < 2; i++) {
		const struct fact *f = about(s, k, type, i);

		if (f->n_wrong > 0 || f->n_lost >= most || f->slow_ns > slow_ns)
			return true;
		/* Where so many names are mute it may be learned that AAAA do not get through. */
		if (type == DNS_TYPE_AAAA && k->no_aaaa && f->n_lost > 0)
			return true;
	}
	return false;
}

/* How many questions of client C are open, with the end of K's chain if K is not NULL. */
static unsigned
n_waiting(const struct sim *s, unsigned c, const struct ask *k)
{
	unsigned n = 0;

	for (unsigned i = s->n_first; i < s->n_asks; i++) {
		const struct ask *o = &s->asks[i];

		n += o->open && o->act->client == c &&
		    (k == NULL || name_equal(o->truth.target, k->truth.target));
	}
	return n;
}

/*
 * Had there been no room for K? When many wait the network that has most gives way, to within an
 * eighth, unless it is no room in tables that lacks; and whose reply is overdue to anybody
 * (engine/query_room), which it is not in less than the shortest wait that is measured (RULES D27),
 * unless its question was refused, so that none is on its way.
 * One address weighs as much as its network does with 16 times as many (RULES D30). Some of those
 * that have no answer yet wait for nothing, and do not count.
 */
static bool
had_no_room(struct sim *s, const struct ask *k)
{
	const struct conf_core *c = &s->conf[s->turn % 2];
	const struct stats *st = &s->w.engine->stats;
	unsigned mine = n_waiting(s, k->act->client, NULL) + 1;

	if (st->no_room == k->n_no_room)
		return false;
	return s->n_rare > 0 || st->queries_evicted == 0 ||
	    st->sockets_exhausted + st->tcp_upstream_full > 0 || c->max_queries < 64 ||
	    c->max_waiting_per_client > 0 || s->w.now_ns - k->at_ns >= TIMES_LEAST_NS ||
	    was_touched(s, k, k->act->type) || was_touched(s, k, DNS_TYPE_A) ||
	    18 * mine + 32 >= n_waiting(s, s->flooder, NULL);
}

/* Has all been sent that K may cause (RULES D28)? */
static bool
used_up(struct sim *s, const struct ask *k)
{
	unsigned most = k->n_sends + s->conf[0].max_upstream_questions;

	return history_target(s, k->truth.target)->n_sends >= most;
}

/* May K be answered with an error, as things are? */
static bool
may_fail(struct sim *s, const struct ask *k)
{
	bool aaaa = k->act->type == DNS_TYPE_AAAA, known;

	/*
	 * With all upstreams down, A is not asked where AAAA failed. Where A comes first it is not
	 * watched while AAAA is asked (RULES D5). Who finds out one port after the other leaves no
	 * time for a reply.
	 */
	if (s->n_given_up - k->n_given_up >= history_most(s) || s->n_rare > k->n_rare ||
	    had_no_room(s, k) || k->was_down || used_up(s, k) ||
	    (k->act->client == CLIENT_ALWAYS && was_touched(s, k, DNS_TYPE_A)))
		return true;
	/*
	 * Replies in disorder look as if the data were bogus (RULES D3). The end of an open chain
	 * is not waited for as long as a name.
	 */
	if ((k->truth.kind == TRUTH_BROKEN_AAAA || k->truth.open) &&
	    was_touched(s, k, DNS_TYPE_AAAA))
		return true;
	known = was_right(s, k, k->act->type) &&
	    (!aaaa || truth_has(k->truth.kind, DNS_TYPE_AAAA) || was_right(s, k, DNS_TYPE_A));
	return !known &&
	    (was_hopeless(s, k, k->act->type) || (aaaa && was_hopeless(s, k, DNS_TYPE_A)));
}

/* Is GOT, which is not right, the best that could be had? */
static bool
is_excused(struct sim *s, const struct ask *k, enum kind got, const struct msg *m)
{
	uint32_t most = s->conf[s->turn % 2].max_same_question;
	/* Where so many may wait, or do, others may be counted with them (policy/fair): a question
	 * has counters for its address and for the networks around it. */
	bool few = s->max_queries <= SIM_FEW && s->n_open < s->max_queries / 4;
	unsigned n = few ? n_waiting(s, k->act->client, k) : s->n_open;
	bool always;

	if (m->flags & DNS_TC && k->act->type == DNS_TYPE_TXT && k->limit == 512)
		return true;
	if (k->act->no_rd && m->rcode == DNS_REFUSED) /* RULES D10 */
		return true;
	/* Nothing is wrong any more, but for names that nobody answers, which may be many. */
	if (k->act->strict)
		return got == ERROR && (had_no_room(s, k) || used_up(s, k));
	if (m->flags & DNS_TC)
		return (!k->act->tcp && most > 0 && n >= most) || was_touched(s, k, k->act->type);
	always = k->act->client == CLIENT_ALWAYS && k->act->type == DNS_TYPE_AAAA &&
	    (got == NATIVE || got == NODATA);
	if (k->at_ns < s->woke_ns + SLEPT_NS) /* nobody's replies were heard in time */
		return got == ERROR || got == SYNTHESIZED || always;
	if (got == ERROR)
		return may_fail(s, k);
	if (got == SYNTHESIZED)
		return was_touched(s, k, DNS_TYPE_AAAA) &&
		    (k->truth.kind == TRUTH_BOGUS || !was_right(s, k, DNS_TYPE_AAAA));
	/* A failed, and the real AAAA are the answer, if there are any (RULES D13). */
	return always && was_touched(s, k, DNS_TYPE_A);
}

/* The same in a story of sim/pairs. */
static bool
is_of_pair(struct sim *s, const struct ask *k, enum kind got, const struct msg *m)
{
	bool cut = m->flags & DNS_TC;

	if (cut && !k->act->tcp && k->act->type != DNS_TYPE_AAAA)
		return true; /* passed on as it came (RULES D11) */
	if (cut || got == ERROR)
		return pairs_may(s, k, cut ? PAIRS_TRUNCATED : PAIRS_ERROR);
	return got == SYNTHESIZED && pairs_may(s, k, PAIRS_SYNTHESIZED);
}

static void
judge(struct sim *s, const struct ask *k, const struct msg *m)
{
	enum kind got = kind_of(s, k, m), want = OTHER;

	sim_say(s, "  answer %zu after %llu ms: %s%s, EDE %u", (size_t)(k - s->asks),
	    (unsigned long long)((s->w.now_ns - k->at_ns) / NS_PER_MS), words[got],
	    m->flags & DNS_TC ? " TC" : "", msg_ede(m));
	s->n_kinds[got]++;
	for (unsigned i = k->era; i < s->n_eras; i++) {
		want = right_answer(k, &s->eras[i]);
		if (want == got)
			return;
	}
	if (s->pairs ? !is_of_pair(s, k, got, m) : !is_excused(s, k, got, m))
		sim_fail(s, "%s (rcode %u) instead of %s", words[got], m->rcode, words[want]);
}

static void
judge_time(struct sim *s, const struct ask *k)
{
	uint64_t gone = s->w.now_ns - k->at_ns - (s->slept_ns - k->slept_ns), most = LIFE_NS;

	if (k->down_ns != 0)
		most = DOWN_NS;
	/* Names that nobody answers may hold the connections: UDP is next, after a wait. */
	if (k->act->strict && k->truth.kind < TRUTH_BROKEN)
		most = SOON_NS + (k->act->tcp ? TIMES_UNKNOWN_NS : 0);
	if (gone > most)
		sim_fail(s, "answered late");
}

/* Are all upstreams known to be down, or one to be silent to AAAA, while K waits? */
static void
look(struct sim *s, struct ask *k)
{
	k->no_aaaa = k->no_aaaa || s->w.engine->upstreams.some_no_aaaa;
	if (upstreams_all_down(&s->w.engine->upstreams))
		k->was_down = true;
	else
		k->down_ns = 0;
}

void
oracle_answer(struct sim *s, struct ask *k, const struct msg *m)
{
	look(s, k);
	judge(s, k, m);
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
