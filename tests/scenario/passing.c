/* SPDX-License-Identifier: BSD-2-Clause */
#include "scenario/passing.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "core/wheel.h"
#include "dns/msg.h"

/* What is let go without a reply. */
struct mute {
	int type;                 /* of these questions; -1: of all */
	struct stage_asked *last; /* the last of them; NULL: it is of no interest */
	unsigned n[UPSTREAM_MAX];
};

static bool
is_let_go(const struct sent *s, const struct mute *mute)
{
	struct msg m;

	if (s->send.to.side != PACKET_UPSTREAM)
		return false;
	ck_assert_int_eq(msg_parse(&m, s->bytes, s->send.len), MSG_OK);
	return mute->type < 0 || m.qtype == mute->type;
}

/* Take the questions that are let go out of what was sent. */
static void
let_go(struct run *r, struct mute *mute)
{
	unsigned kept = r->taken;

	for (unsigned i = r->taken; i < r->n_pending; i++) {
		struct sent *s = &r->pending[i];

		if (!is_let_go(s, mute)) {
			r->pending[kept++] = *s;
			continue;
		}
		mute->n[packet_is(&s->send.to, PACKET_UPSTREAM, TRANSPORT_TCP)
			? s->send.to.sock / TCP_POOL_SIZE
			: r->upstream_of[s->send.to.sock]]++;
		if (mute->last != NULL) {
			ck_assert_uint_le(s->send.len, sizeof(mute->last->bytes));
			mute->last->send = s->send;
			memcpy(mute->last->bytes, s->bytes, s->send.len);
		}
		free(s->bytes);
	}
	r->n_pending = kept;
}

/* Let MS ms pass; MUTE: meanwhile these questions are let go; NULL: none. */
static void
pass(struct run *r, const char *ms, struct mute *mute)
{
	uint64_t end = r->now_ns + (unsigned)atoi(ms) * NS_PER_MS;
	bool more;

	stage_engine(r);
	while (r->now_ns < end) {
		uint64_t next = r->now_ns + WHEEL_TICK_NS;

		/* Without a deadline there is no tick. */
		r->now_ns = engine_busy(r->e) && next < end ? next : end;
		do {
			more = engine_tick(r->e, r->now_ns);
			stage_collect(r);
			if (mute != NULL)
				let_go(r, mute);
		} while (more);
	}
}

void
passing_pass(struct run *r, char **w, unsigned n)
{
	(void)n;
	pass(r, w[1], NULL);
}

/* Is N the number TEXT, or in the range "LEAST..MOST"? */
static bool
is_count(const char *text, unsigned n)
{
	char *end;
	unsigned long least = strtoul(text, &end, 10);
	unsigned long most = end[0] == '.' && end[1] == '.' ? strtoul(end + 2, NULL, 10) : least;

	return least <= n && n <= most;
}

void
passing_mute(struct run *r, char **w, unsigned n)
{
	const char *type = stage_value(w, n, "type");
	const char *as = stage_value(w, n, "as");
	struct mute mute = { .type = type != NULL ? stage_type(r, type) : -1 };

	if (as != NULL) {
		ck_assert_uint_lt(r->n_questions, STAGE_MAX_NAMED);
		mute.last = &r->questions[r->n_questions++];
		snprintf(mute.last->label, sizeof(mute.last->label), "%s", as);
	}
	let_go(r, &mute);
	pass(r, w[1], &mute);
	for (unsigned u = 0; u < UPSTREAM_MAX; u++) {
		char name[16];
		const char *count;

		snprintf(name, sizeof(name), "u%u", u + 1);
		count = stage_value(w, n, name);
		if (count != NULL && !is_count(count, mute.n[u]))
			stage_fail(r, "%s was asked %u times, not %s", name, mute.n[u], count);
	}
	if (mute.last != NULL && mute.last->send.len == 0)
		stage_fail(r, "nothing was let go");
}
