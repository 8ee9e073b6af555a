/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/load/outcome.h"

static void
note(const struct bench_plan *plan, const struct bench_asked *a, uint64_t now_ns,
    const char *outcome)
{
	if (plan->raw != NULL)
		bench_raw_add(plan->raw, &plan->load, a, now_ns, outcome);
}

/* The question that M answers, among those with its ID. *same_id: one of these is open. */
static struct bench_asked *
find_asked(const struct bench_load *load, const struct bench_lane *lane, const struct msg *m,
    bool *same_id)
{
	uint64_t cursor = UINT64_MAX;
	struct bench_asked *a;

	*same_id = false;
	while ((a = bench_inflight_find(&lane->asked, m->id, &cursor)) != NULL) {
		if (bench_check_is_for(load, a->question, m))
			return a;
		*same_id |= a->state == BENCH_OPEN;
	}
	return NULL;
}

/* The first reply to A. */
static void
count(const struct bench_plan *plan, const struct bench_asked *a, const struct msg *m,
    uint64_t now_ns, struct bench_tally *t)
{
	/* One that came while its question was still being sent took no time. */
	uint64_t rtt_ns = now_ns > a->sent_ns ? now_ns - a->sent_ns : 0;
	enum bench_verdict v = bench_check(&plan->load, a->question, m);

	t->end_ns = now_ns;
	if (rtt_ns > plan->timeout_ns || a->state == BENCH_GIVEN_UP) {
		t->overdue +=
		    a->state == BENCH_OPEN; /* the others were counted when they expired */
		t->late++;
		note(plan, a, now_ns, "late");
		return;
	}
	t->replies[v]++;
	if (v == BENCH_VALID)
		bench_histogram_add(&t->rtt, rtt_ns);
	note(plan, a, now_ns, bench_check_name(v));
}

bool
bench_outcome_reply(const struct bench_plan *plan, uint64_t start_ns, struct bench_lane *lane,
    const struct bench_view *reply, struct bench_tally *t)
{
	struct bench_asked *a;
	struct msg m;
	bool same_id;

	if (!bench_check_parse(&m, reply->bytes, reply->len)) {
		t->malformed++;
		return false;
	}
	a = find_asked(&plan->load, lane, &m, &same_id);
	if (a == NULL) {
		t->other += same_id;
		t->stray += !same_id;
		return false;
	}
	if (a->sent_ns < start_ns)
		return false; /* asked in an earlier run, which has counted it */
	if (a->state == BENCH_TAKEN_OUT)
		return false;
	if (a->state == BENCH_ANSWERED) {
		t->duplicate++;
		return false;
	}
	bool was_open = a->state == BENCH_OPEN;
	count(plan, a, &m, reply->came_ns, t);
	bench_inflight_answered(&lane->asked, a);
	return was_open;
}

uint64_t
bench_outcome_expire(const struct bench_plan *plan, struct bench_lane *lane, uint64_t sent_ns,
    uint64_t now_ns, struct bench_tally *t)
{
	struct bench_asked *a;
	uint64_t n = 0;

	for (; (a = bench_inflight_expire(&lane->asked, sent_ns)) != NULL; n++) {
		t->end_ns = now_ns;
		note(plan, a, now_ns, sent_ns == UINT64_MAX ? "unfinished" : "lost");
	}
	return n;
}
