/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_replay: play the scenarios with a cache, and after each answer ask the same again (D22).
 *
 * Whatever a scenario is about, a hit must decide as the miss did. So after "answer C" client C's
 * question comes a second time: nothing goes upstream but what may not be kept, and the answer is
 * the same to the octet but for AA and TTLs that are not larger. A scenario that asks the same name
 * again for another outcome finds the cache flushed.
 *
 * When a scenario is at its end its last question comes twice more: two seconds later, and when
 * all that was said is over and upstream is silent (rule 33).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cache/cache.h"
#include "cache/shard.h"
#include "core/wheel.h"
#include "dns/answer.h"
#include "dns/name.h"
#include "dns/wire.h"
#include "scenario/play.h"
#include "support/tests.h"

#define MAX_TOLD 64
#define MAX_TICKS 1200    /* until the answer comes to who joins a question that is silent */
#define PATIENCE_MS 30000 /* by then nothing waits any more */
#define FAILURE_S 5
#define WEEK_S 604800

/* What upstream said last to a question. */
struct logonce {
	size_t question_len;
	uint8_t question[1024];
	size_t len;
	uint8_t reply[65535];
	uint64_t until_s; /* it may be kept, in seconds of the stage's clock; 0: never */
};

struct replay {
	unsigned n_told;
	struct logonce told[MAX_TOLD];
	uint32_t longest;          /* TTL of all that was told */
	const struct client *last; /* who was answered last, and with what */
	size_t answer_len;
	uint8_t answer[65535];
	struct msg m; /* of it */
	bool whole;   /* all that was told is kept */
};

/* Scenarios that are left out, by the beginning of their name. */
static const struct {
	const char *name;
	const char *why;
} exceptions[] = {
	{ "cache-", "they play with a cache of their own" },
	{ "coalesce-aaaa", "the third finds in the cache what it is to wait for" },
	{ "d01-tc-target", "what is truncated is not kept, nor the error over TCP behind it" },
	{ "d27-late-again-flush", "asked again after the flush it is sent again" },
	{ "d27-late-cached", "asked again meanwhile it is not the same story" },
	{ "d02-silence-nxdomain", "NXDOMAIN for A speaks for AAAA too, in the octets of upstream" },
	{ "d03-late-refused", "a failure is kept for a second only" },
	{ "d05-", "a late reply is kept, and makes the next answer a better one" },
	{ "d12-max-synthesized", "addresses take turns" },
	{ "d18-late", "what was late is still being waited for" },
	{ "d18-resolve", "additional records stand in the order of their replies" },
	{ "d20-", "what is signed is not kept" },
	{ "d21-guess-mute", "asked again over TCP there is a reply, so TCP is not mute" },
	{ "d26-ceiling", "asked again there may be room, or less of it" },
	{ "d26-give-way", "the same" },
	{ "d26-same", "the same" },
	{ "d26-upstream-ceiling", "the same" },
	{ "d28-", "what is not asked for is not kept: the next question goes further" },
	{ "d30-rate", "asked again it is over the limit" },
	{ "rate-", "the same" },
	{ "prefixes-round-robin", "prefixes take turns" },
	{ "target-nxdomain", "NXDOMAIN speaks for the other type too, which is not asked for" },
};

/* Nor those with one of these lines: what follows is about sockets, or another answer is right. */
static const char *const unfit[] = { "full", "lost", "order", "plug", "reload", "starve", "unplug",
	"unsent" };

static char *all[PLAY_MAX_FILES], *files[PLAY_MAX_FILES];
static unsigned n_all, n_files;

/* --- what upstream said ----------------------------------------------------------------------- */

/* The same question: name in any case, type, class, DO and CD. */
static bool
same_question(const struct msg *a, const struct logonce *t)
{
	struct msg b;

	ck_assert_int_eq(msg_parse(&b, t->question, t->question_len), MSG_OK);
	return a->qtype == b.qtype && a->qclass == b.qclass && a->qname_len == b.qname_len &&
	    a->edns.do_bit == b.edns.do_bit && ((a->flags ^ b.flags) & DNS_CD) == 0 &&
	    name_equal(msg_qname(a), msg_qname(&b));
}

static struct logonce *
find_told(struct replay *p, const struct msg *question)
{
	for (unsigned i = p->n_told; i-- > 0;) {
		if (same_question(question, &p->told[i]))
			return &p->told[i];
	}
	return NULL;
}

/* The smallest TTL of a message's records; *longest becomes the largest seen. */
static uint32_t
least_ttl(const struct msg *m, uint32_t *longest)
{
	uint32_t least = UINT32_MAX;

	for (unsigned s = 0; s < MSG_SECTIONS; s++) {
		struct msg_walk w = msg_walk(m, (enum msg_section)s);
		struct rr rr;

		while (msg_walk_next(&w, &rr)) {
			if (rr.type == DNS_TYPE_OPT)
				continue;
			least = rr.ttl < least ? rr.ttl : least;
			*longest = rr.ttl > *longest ? rr.ttl : *longest;
		}
	}
	return least;
}

/* How long this may be kept (rule 31, rule 34, D1, D22); 0: not at all. */
static uint32_t
time_of(const struct msg *m, uint32_t *longest)
{
	uint32_t least = least_ttl(m, longest);
	struct answer a;

	if (m->flags & DNS_TC || m->len > SHARD_MSG_MAX)
		return 0;
	if (m->rcode != DNS_NOERROR && m->rcode != DNS_NXDOMAIN)
		return FAILURE_S;
	if (least > WEEK_S)
		least = WEEK_S;
	answer_scan(m, m->qtype, &a);
	if (m->rcode == DNS_NOERROR && a.kind == ANSWER_DATA)
		return least;
	if (a.has_soa)
		return a.negative_ttl < least ? a.negative_ttl : least;
	return m->rcode == DNS_NOERROR && a.kind == ANSWER_OPEN && a.n_steps > 0 ? least : 0;
}

static uint64_t
now_s(const struct run *r)
{
	return r->now_ns / NS_PER_SEC;
}

static void
note_reply(struct replay *p, const struct run *r, const struct stage_asked *q)
{
	struct msg question, reply;
	struct logonce *t;

	ck_assert_int_eq(msg_parse(&question, q->bytes, q->send.len), MSG_OK);
	if (msg_parse(&reply, r->reply, r->reply_len) != MSG_OK)
		return;
	t = find_told(p, &question);
	if (t == NULL)
		t = &p->told[p->n_told++];
	ck_assert_uint_le(p->n_told, MAX_TOLD);
	t->question_len = q->send.len;
	memcpy(t->question, q->bytes, q->send.len);
	t->len = r->reply_len;
	memcpy(t->reply, r->reply, r->reply_len);
	t->until_s = now_s(r) + time_of(&reply, &p->longest);
	p->whole = p->whole && t->until_s > now_s(r);
}

/* --- asking again ----------------------------------------------------------------------------- */

/* C's question comes once more; what is sent for it stands behind FROM in r->pending. */
static unsigned
ask_again(struct run *r, const struct client *c)
{
	struct packet_in in = { .msg = c->bytes,
		.len = c->len,
		.from.peer = c->peer,
		.from.gen = 7,
		.from.side = PACKET_CLIENT,
		.from.transport = c->tcp ? TRANSPORT_TCP : TRANSPORT_UDP };
	unsigned from = r->n_pending;

	in.from.sock = (uint32_t)(c - r->clients);
	stage_input(r, &in);
	return from;
}

static void
forget_sent(struct run *r, unsigned from)
{
	while (r->n_pending > from)
		free(r->pending[--r->n_pending].bytes);
}

static bool
to_client(const struct sent *s)
{
	return s->send.to.side == PACKET_CLIENT;
}

/* A question that went upstream again: it must be one whose reply is not kept, or no more. */
static void
tell_again(struct replay *p, struct run *r, const struct sent *s)
{
	struct packet_in in = { .from = s->send.to };
	struct msg m;
	struct logonce *t;

	ck_assert_int_eq(msg_parse(&m, s->bytes, s->send.len), MSG_OK);
	t = find_told(p, &m);
	if (t == NULL || t->until_s > now_s(r))
		stage_fail(r, "asked upstream again: type %u", m.qtype);
	wire_set_u16(t->reply, m.id);
	in.msg = t->reply;
	in.len = t->len;
	stage_input(r, &in);
}

static void __attribute__((noreturn))
not_the_same(const struct replay *p, const struct run *r, const struct msg *got, const char *what)
{
	char was[3500], is[3500];

	scene_describe(&p->m, was, sizeof(was));
	scene_describe(got, is, sizeof(is));
	stage_fail(r, "asked again: %s: %s instead of %s", what, is, was);
}

/* The octets of TTLs in P's answer that are not below those of COPY go over to it. */
static void
check_ttls(const struct replay *p, const struct run *r, const struct msg *got, uint8_t *copy)
{
	for (unsigned s = 0; s < MSG_SECTIONS; s++) {
		struct rr a, b;
		struct msg_walk wb = msg_walk(got, (enum msg_section)s);
		struct msg_walk wa = msg_walk(&p->m, (enum msg_section)s);

		while (msg_walk_next(&wb, &b) && msg_walk_next(&wa, &a)) {
			if (b.type == DNS_TYPE_OPT)
				continue;
			if (p->whole && b.ttl > a.ttl)
				not_the_same(p, r, got, "a TTL grew");
			wire_set_u32(copy + b.fixed + 4, a.ttl);
			/* D16: our SOA's MINIMUM is a negative TTL too. */
			if (b.type == DNS_TYPE_SOA && wire_u32(copy + b.end - 4) >= b.ttl)
				memcpy(copy + b.end - 4, p->answer + a.end - 4, 4);
		}
	}
}

static void
check_same(const struct replay *p, const struct run *r, const struct sent *s)
{
	static uint8_t copy[65535];
	struct msg got;

	ck_assert_int_eq(msg_parse(&got, s->bytes, s->send.len), MSG_OK);
	if (s->send.len != p->answer_len || memcmp(got.count, p->m.count, sizeof(got.count)) != 0)
		not_the_same(p, r, &got, "length or counts");
	memcpy(copy, s->bytes, s->send.len);
	check_ttls(p, r, &got, copy);
	copy[2] |= p->answer[2] & DNS_AA >> 8; /* hits have AA=0 (D22) */
	if (memcmp(copy, p->answer, s->send.len) != 0)
		not_the_same(p, r, &got, "octets");
}

/* What was sent from *AT on is told again or is the answer; the number of answers. */
static unsigned
take_again(struct replay *p, struct run *r, unsigned *at)
{
	unsigned n_answers = 0;

	for (; *at < r->n_pending; (*at)++) {
		if (!to_client(&r->pending[*at])) {
			tell_again(p, r, &r->pending[*at]);
			continue;
		}
		check_same(p, r, &r->pending[*at]);
		n_answers++;
	}
	return n_answers;
}

/* A hit decides as the miss did. */
static void
replay_answer(struct replay *p, struct run *r)
{
	unsigned from = ask_again(r, p->last), at = from, n_answers;

	n_answers = take_again(p, r, &at);
	/* Who joins a question that is silent goes on, or is answered, when that is late. */
	for (unsigned i = 0; n_answers == 0 && i < MAX_TICKS; i++) {
		r->now_ns += WHEEL_TICK_NS;
		(void)engine_tick(r->e, r->now_ns);
		stage_collect(r);
		n_answers = take_again(p, r, &at);
	}
	if (n_answers != 1)
		stage_fail(r, "asked again: %u answers", n_answers);
	forget_sent(r, from);
}

/* --- the lines of a scenario ------------------------------------------------------------------ */

/* What was said before belongs to another story. */
static void
forget_told(struct replay *p, struct run *r)
{
	if (r->e != NULL)
		cache_flush_all(r->settings->conf.core.cache);
	p->n_told = 0;
	p->longest = 0;
	p->last = NULL;
	p->whole = true;
}

/* Nobody answers what goes upstream. */
static void
forget_questions(struct run *r, unsigned from)
{
	unsigned left = from;

	for (unsigned at = from; at < r->n_pending; at++) {
		if (to_client(&r->pending[at]))
			r->pending[left++] = r->pending[at];
		else
			free(r->pending[at].bytes);
	}
	r->n_pending = left;
}

/* Time passes; of what is sent meanwhile only answers stay, behind FROM. */
static void
let_pass(struct run *r, uint64_t ms, unsigned from)
{
	uint64_t end = r->now_ns + ms * NS_PER_MS;

	while (r->now_ns < end) {
		uint64_t next = r->now_ns + WHEEL_TICK_NS;

		r->now_ns = engine_busy(r->e) && next < end ? next : end;
		while (engine_tick(r->e, r->now_ns))
			stage_collect(r);
		stage_collect(r);
		forget_questions(r, from);
	}
}

static bool
before_line(void *arg, struct run *r, char **w, unsigned n)
{
	struct replay *p = arg;

	(void)n;
	if (strcmp(w[0], "counter") == 0)
		return false; /* they count our questions too */
	if (strcmp(w[0], "ask") == 0 && (r->e == NULL || engine_in_flight(r->e) == 0))
		forget_told(p, r);
	/* With a cache an answer by A leaves a tick later if AAAA was late (RULES D5). */
	if (strcmp(w[0], "answer") == 0 && r->taken == r->n_pending && r->e != NULL)
		let_pass(r, WHEEL_TICK_NS / NS_PER_MS, r->n_pending);
	return true;
}

static void
after_line(void *arg, struct run *r, char **w, unsigned n)
{
	struct replay *p = arg;
	const struct sent *s;

	(void)n;
	if (strcmp(w[0], "reply") == 0)
		note_reply(p, r, stage_asked(r, w[1]));
	if (strcmp(w[0], "answer") != 0)
		return;
	s = &r->pending[r->taken - 1];
	p->last = &r->clients[s->send.to.sock];
	p->answer_len = s->send.len;
	memcpy(p->answer, s->bytes, s->send.len);
	ck_assert_int_eq(msg_parse(&p->m, p->answer, p->answer_len), MSG_OK);
	for (unsigned i = 0; i < 3; i++) /* what is asked often is answered by engine/packetcache */
		replay_answer(p, r);
}

/* --- later ------------------------------------------------------------------------------------ */

static bool
is_useful(const struct replay *p)
{
	return p->last != NULL && p->whole &&
	    (p->m.rcode == DNS_NOERROR || p->m.rcode == DNS_NXDOMAIN);
}

/* Two seconds later: TTLs are smaller. */
static void
replay_later(struct replay *p, struct run *r)
{
	let_pass(r, 2000, r->n_pending);
	replay_answer(p, r);
}

/* D16: a SOA of ours whose MINIMUM is a negative TTL too. */
static bool
is_own_soa(const struct msg *m, const struct rr *rr)
{
	return rr->type == DNS_TYPE_SOA && wire_u32(m->bytes + rr->end - 4) == rr->ttl;
}

/* The same but for TTLs, which are 30 s at most, and the OPT. */
static void
check_stale(const struct replay *p, const struct run *r, const struct sent *s)
{
	struct msg got;

	ck_assert_int_eq(msg_parse(&got, s->bytes, s->send.len), MSG_OK);
	if (got.rcode != p->m.rcode || memcmp(got.count, p->m.count, sizeof(got.count)) != 0)
		not_the_same(p, r, &got, "stale: rcode or counts");
	if ((got.flags & DNS_AD) != 0)
		not_the_same(p, r, &got, "stale: AD");
	for (unsigned sec = 0; sec < MSG_SECTIONS; sec++) {
		struct rr a, b;
		struct msg_walk wb = msg_walk(&got, (enum msg_section)sec);
		struct msg_walk wa = msg_walk(&p->m, (enum msg_section)sec);

		while (msg_walk_next(&wb, &b) && msg_walk_next(&wa, &a)) {
			char line[2][SCENE_TEXT];

			if (b.type == DNS_TYPE_OPT)
				continue;
			if (b.ttl > 30)
				not_the_same(p, r, &got, "stale: TTL");
			a.ttl = b.ttl;
			if (is_own_soa(&got, &b))
				continue;
			scene_print(&p->m, (enum msg_section)sec, &a, line[0]);
			scene_print(&got, (enum msg_section)sec, &b, line[1]);
			if (strcmp(line[0], line[1]) != 0)
				not_the_same(p, r, &got, "stale: a record");
		}
	}
}

/* All that was said is over, and upstream is silent: the same is said for a while (rule 33). */
static void
replay_stale(struct replay *p, struct run *r)
{
	unsigned from;

	if (p->longest > 43200 || p->n_told == 0)
		return;
	let_pass(r, (p->longest + 1) * UINT64_C(1000), r->n_pending);
	from = ask_again(r, p->last);
	let_pass(r, PATIENCE_MS, from);
	if (r->n_pending != from + 1)
		stage_fail(r, "asked again when stale: %u answers", r->n_pending - from);
	check_stale(p, r, &r->pending[from]);
	forget_sent(r, from);
}

/* --- which ------------------------------------------------------------------------------------ */

static bool
has_line(FILE *f, const char *word)
{
	char line[SCENE_TEXT];
	size_t len = strlen(word);

	rewind(f);
	while (fgets(line, sizeof(line), f) != NULL) {
		if (strncmp(line, word, len) == 0 && strchr(" \n", line[len]) != NULL)
			return true;
	}
	return false;
}

static bool
is_fit(const char *file)
{
	char path[4096];
	bool fit = true;
	FILE *f;

	for (size_t i = 0; i < sizeof(exceptions) / sizeof(exceptions[0]); i++) {
		if (strncmp(file, exceptions[i].name, strlen(exceptions[i].name)) == 0)
			return false;
	}
	play_path(file, path);
	f = fopen(path, "r");
	if (f == NULL)
		abort();
	for (size_t i = 0; fit && i < sizeof(unfit) / sizeof(unfit[0]); i++)
		fit = !has_line(f, unfit[i]);
	fclose(f);
	return fit;
}

/* D22: a hit decides exactly as a miss; every cell of D2 both ways. Rule 33: and stale. */
START_TEST(hit_decides_as_a_miss_does)
{
	struct replay *p = calloc(1, sizeof(*p));
	const struct play_hooks hooks = { before_line, after_line, p };
	struct run *r = stage_open(files[_i]);

	ck_assert_ptr_nonnull(p);
	r->cache_size = CACHE_MIN;
	play(r, &hooks);
	if (is_useful(p) && engine_in_flight(r->e) == 0) {
		replay_later(p, r);
		replay_stale(p, r);
	}
	stage_close(r);
	free(p);
}
END_TEST

static void
forget(void)
{
	play_forget(all, n_all);
}

void
tests_add(TCase *tc)
{
	n_all = play_list(all);
	for (unsigned i = 0; i < n_all; i++) {
		if (is_fit(all[i]))
			files[n_files++] = all[i];
	}
	tcase_add_unchecked_fixture(tc, NULL, forget);
	tcase_add_loop_test(tc, hit_decides_as_a_miss_does, 0, (int)n_files);
}
