/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/load/tally.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "dns/name.h"

void
bench_tally_clear(struct bench_tally *t)
{
	memset(t, 0, sizeof(*t));
	t->first_ns = UINT64_MAX;
	bench_histogram_clear(&t->rtt);
	bench_histogram_clear(&t->lag);
	bench_histogram_clear(&t->gaps);
}

#define COUNTERS (13 + BENCH_VERDICTS + BENCH_RCODES) /* of a tally, before its faults */
#define FAULTS 8

_Static_assert(offsetof(struct bench_tally, faults) == COUNTERS * sizeof(uint64_t) &&
	sizeof(struct bench_faults) == FAULTS * sizeof(uint64_t),
    "one more counter is one more uint64_t");

/* Add the counters in the SIZE bytes at FROM, all uint64_t, to those at TO. */
static void
add_counters(void *to, const void *from, size_t size)
{
	uint64_t *sum = to;
	const uint64_t *more = from;

	for (size_t i = 0; i < size / sizeof(*sum); i++)
		sum[i] += more[i];
}

void
bench_tally_faults(struct bench_tally *t, const struct bench_faults *f)
{
	add_counters(&t->faults, f, sizeof(*f));
}

static uint64_t
max_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void
bench_tally_merge(struct bench_tally *to, const struct bench_tally *from)
{
	add_counters(to, from, offsetof(struct bench_tally, overdue_at_once));
	to->overdue_at_once = max_of(to->overdue_at_once, from->overdue_at_once);
	to->crowd = max_of(to->crowd, from->crowd);
	to->first_ns = from->first_ns < to->first_ns ? from->first_ns : to->first_ns;
	to->last_ns = max_of(to->last_ns, from->last_ns);
	to->heard_ns = max_of(to->heard_ns, from->heard_ns);
	to->end_ns = max_of(to->end_ns, from->end_ns);
	to->n_numbers = max_of(to->n_numbers, from->n_numbers);
	to->burst = from->burst > to->burst ? from->burst : to->burst;
	to->timing = from->timing != NULL ? from->timing : to->timing;
	to->arrivals = from->arrivals != NULL ? from->arrivals : to->arrivals;
	bench_histogram_merge(&to->rtt, &from->rtt);
	bench_histogram_merge(&to->lag, &from->lag);
	bench_histogram_merge(&to->gaps, &from->gaps);
}

uint64_t
bench_tally_wrong(const struct bench_tally *t)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < BENCH_VERDICTS; i++)
		n += i != BENCH_VALID ? t->replies[i] : 0;
	return n;
}

uint64_t
bench_tally_received(const struct bench_tally *t)
{
	return t->replies[BENCH_VALID] + bench_tally_wrong(t) + t->late + t->duplicate + t->other +
	    t->stray + t->malformed + t->no_reply;
}

uint64_t
bench_tally_lost(const struct bench_tally *t)
{
	return t->sent - t->replies[BENCH_VALID] - bench_tally_wrong(t) - t->late;
}

uint64_t
bench_tally_missing(const struct bench_tally *t)
{
	return bench_tally_lost(t) + t->late;
}

bool
bench_tally_good(const struct bench_tally *t)
{
	return t->sent > 0 && t->replies[BENCH_VALID] == t->sent && t->duplicate == 0 &&
	    t->faults.unsent == 0;
}

uint64_t
bench_tally_foreign(const struct bench_tally *t)
{
	return t->other + t->stray + t->malformed + t->no_reply + t->faults.elsewhere;
}

uint64_t
bench_tally_send_ns(const struct bench_tally *t)
{
	return t->sent > 1 ? t->last_ns - t->first_ns : 0;
}

double
bench_tally_rate(const struct bench_tally *t)
{
	uint64_t end_ns = t->overdue > 0 ? t->last_ns : t->end_ns;

	if (t->sent == 0 || end_ns <= t->first_ns)
		return 0;
	double asked = (double)t->sent / (double)(t->sent + t->paused);
	return (double)t->replies[BENCH_VALID] * (double)NS_PER_SEC /
	    ((double)(end_ns - t->first_ns) * asked);
}

double
bench_tally_rtt_us(const struct bench_tally *t, double percent)
{
	return (double)bench_histogram_percentile(&t->rtt, percent) / 1000;
}

/* --- The raw file ----------------------------------------------------------------------------- */

struct bench_raw {
	FILE *file; /* locks itself */
};

int
bench_raw_open(const char *path, struct bench_raw **out)
{
	struct bench_raw *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return -ENOMEM;
	r->file = fopen(path, "we");
	if (r->file == NULL) {
		int err = -errno;

		free(r);
		return err;
	}
	(void)setvbuf(r->file, NULL, _IOFBF, 1 << 20);
	(void)fputs("sent_ns,name,type,outcome,rtt_ns\n", r->file);
	*out = r;
	return 0;
}

void
bench_raw_add(struct bench_raw *r, const struct bench_load *l, const struct bench_asked *a,
    uint64_t now_ns, const char *outcome)
{
	uint8_t name[DNS_NAME_MAX];
	char text[NAME_TEXT];

	bench_load_name(l, a->question, name);
	(void)fprintf(r->file, "%" PRIu64 ",%s,%u,%s,%" PRIu64 "\n", a->sent_ns,
	    name_to_text(name, text), bench_load_type(l, a->question), outcome,
	    now_ns > a->sent_ns ? now_ns - a->sent_ns : 0);
}

int
bench_raw_close(struct bench_raw *r)
{
	bool failed = ferror(r->file) != 0;
	int err = fclose(r->file) != 0 ? -errno : 0;

	free(r);
	return failed && err == 0 ? -EIO : err;
}

/* --- Each question ---------------------------------------------------------------------------- */

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
		if (a->state != BENCH_UNASKED && bench_load_is_for(load, a->question, m))
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
	enum bench_verdict v = bench_load_judge(&plan->load, a->question, m);

	t->heard_ns = t->end_ns = now_ns;
	if (rtt_ns > plan->timeout_ns || a->state == BENCH_GIVEN_UP) {
		if (a->state == BENCH_OPEN) { /* the others were counted when they expired */
			t->overdue++;
			t->missing_behind += a->behind;
		}
		t->late++;
		note(plan, a, now_ns, "late");
		return;
	}
	t->replies[v]++;
	if (v == BENCH_RCODE && m->rcode < BENCH_RCODES)
		t->rcodes[m->rcode]++;
	if (v == BENCH_VALID)
		bench_histogram_add(&t->rtt, rtt_ns);
	note(plan, a, now_ns, bench_verdict_name(v));
}

bool
bench_tally_reply(const struct bench_plan *plan, uint64_t start_ns, struct bench_lane *lane,
    const struct bench_view *reply, struct bench_tally *t)
{
	struct bench_asked *a;
	struct msg m;
	bool same_id;

	if (!bench_load_parse(&m, reply->bytes, reply->len)) {
		bool is_message = msg_parse(&m, reply->bytes, reply->len) == MSG_OK;

		t->no_reply += is_message;
		t->malformed += !is_message;
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
bench_tally_expire(const struct bench_plan *plan, struct bench_lane *lane, uint64_t sent_ns,
    uint64_t now_ns, struct bench_tally *t)
{
	struct bench_asked *a;
	uint64_t n = 0;

	for (; (a = bench_inflight_expire(&lane->asked, sent_ns)) != NULL; n++) {
		t->end_ns = now_ns;
		t->missing_behind += a->behind;
		note(plan, a, now_ns, sent_ns == UINT64_MAX ? "unfinished" : "lost");
	}
	return n;
}
