/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/method/progress.h"

#include <inttypes.h>

#define LINE 79 /* columns of the line that is overwritten */

static const char *const words[BENCH_OUTCOMES] = {
	[BENCH_PASSED] = "passed",
	[BENCH_FAILED] = "failed",
	[BENCH_NO_VERDICT] = "no verdict: the tester was too slow or lost replies",
};

double
bench_progress_left(
    const struct bench_progress *p, unsigned repetition, const struct bench_bisect *b)
{
	double each = p->trials > 0 ? p->seconds / p->trials : p->usual_s;
	uint64_t sum;
	unsigned n = bench_bisect_most(b, &sum) + (p->repetitions - repetition) * p->in_search;

	return n * each;
}

void
bench_progress_count(struct bench_progress *p, unsigned repetition, double seconds)
{
	if (repetition == 0)
		return;
	p->seconds += seconds;
	p->trials++;
}

/* "repetition 3/20: 31622/s WORD, between 31622 and 177828, 1:02:03 left" */
static int
describe(const struct bench_progress *p, unsigned repetition, const struct bench_bisect *b,
    uint32_t rate, const char *word)
{
	unsigned long left = (unsigned long)(bench_progress_left(p, repetition, b) + 0.5);
	int n = repetition == 0 ? fprintf(p->out, "self-test")
				: fprintf(p->out, "repetition %u/%u", repetition, p->repetitions);

	return n +
	    fprintf(p->out,
		": %" PRIu32 "/s %s, between %" PRIu32 " and %" PRIu32 ", %lu:%02lu:%02lu left",
		rate, word, b->low, b->high, left / 3600, left / 60 % 60, left % 60);
}

void
bench_progress_begin(const struct bench_progress *p, unsigned repetition,
    const struct bench_bisect *b, uint32_t rate)
{
	if (!p->terminal)
		return;
	int n = describe(p, repetition, b, rate, "...");
	(void)fprintf(p->out, "%*s\r", n < LINE ? LINE - n : 0, "");
	(void)fflush(p->out);
}

void
bench_progress_end(const struct bench_progress *p, unsigned repetition,
    const struct bench_bisect *b, uint32_t rate, enum bench_outcome outcome)
{
	int n = describe(p, repetition, b, rate, words[outcome]);

	(void)fprintf(p->out, "%*s\n", p->terminal && n < LINE ? LINE - n : 0, "");
	(void)fflush(p->out);
}
