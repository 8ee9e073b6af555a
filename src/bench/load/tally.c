/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/load/tally.h"

#include <string.h>

#include "base/clock.h"

void
bench_tally_clear(struct bench_tally *t)
{
	memset(t, 0, sizeof(*t));
	t->first_ns = UINT64_MAX;
	bench_histogram_clear(&t->rtt);
	bench_histogram_clear(&t->lag);
}

void
bench_tally_faults(struct bench_tally *t, const struct bench_faults *f)
{
	t->faults.unsent += f->unsent;
	t->faults.refused += f->refused;
	t->faults.dropped += f->dropped;
	t->faults.closed += f->closed;
	t->faults.stalled += f->stalled;
	t->faults.elsewhere += f->elsewhere;
	t->faults.no_port += f->no_port;
	t->faults.connections += f->connections;
}

void
bench_tally_merge(struct bench_tally *to, const struct bench_tally *from)
{
	to->sent += from->sent;
	to->burst = from->burst > to->burst ? from->burst : to->burst;
	to->timing = from->timing != NULL ? from->timing : to->timing;
	for (unsigned i = 0; i < BENCH_VERDICTS; i++)
		to->replies[i] += from->replies[i];
	to->overdue += from->overdue;
	to->late += from->late;
	to->duplicate += from->duplicate;
	to->other += from->other;
	to->stray += from->stray;
	to->malformed += from->malformed;
	to->paused += from->paused;
	to->pauses += from->pauses;
	to->pause_ns += from->pause_ns;
	to->spoilt += from->spoilt;
	to->no_room += from->no_room;
	bench_tally_faults(to, &from->faults);
	to->first_ns = from->first_ns < to->first_ns ? from->first_ns : to->first_ns;
	to->last_ns = from->last_ns > to->last_ns ? from->last_ns : to->last_ns;
	to->end_ns = from->end_ns > to->end_ns ? from->end_ns : to->end_ns;
	to->n_numbers = from->n_numbers > to->n_numbers ? from->n_numbers : to->n_numbers;
	bench_histogram_merge(&to->rtt, &from->rtt);
	bench_histogram_merge(&to->lag, &from->lag);
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
	    t->stray + t->malformed;
}

uint64_t
bench_tally_lost(const struct bench_tally *t)
{
	return t->sent - t->replies[BENCH_VALID] - bench_tally_wrong(t) - t->late;
}

bool
bench_tally_good(const struct bench_tally *t)
{
	return t->sent > 0 && t->replies[BENCH_VALID] == t->sent && t->duplicate == 0 &&
	    t->other == 0 && t->stray == 0 && t->malformed == 0 && t->faults.unsent == 0 &&
	    t->faults.elsewhere == 0;
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
	return (double)t->replies[BENCH_VALID] * (double)NS_PER_SEC /
	    (double)(end_ns - t->first_ns);
}

double
bench_tally_rtt_us(const struct bench_tally *t, double percent)
{
	return (double)bench_histogram_percentile(&t->rtt, percent) / 1000;
}
