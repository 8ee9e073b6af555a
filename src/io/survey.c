/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/survey.h"

#include <stdlib.h>

#include "base/rng.h"
#include "engine/engine.h"

struct survey *
survey_new(unsigned tops)
{
	struct survey *s = calloc(1, sizeof(*s));
	bool ok = s != NULL;
	struct rng rng;

	if (s == NULL)
		return NULL;
	atomic_init(&s->refs, 1);
	s->tops = tops;
	rng_init(&rng);
	for (unsigned i = 0; i < TOP_KINDS; i++) {
		if ((tops >> i & 1) == 0)
			continue;
		s->top[i] = top_counts_new(rng_u64(&rng));
		ok &= s->top[i] != NULL;
	}
	if (ok)
		return s;
	survey_unref(s);
	return NULL;
}

void
survey_unref(struct survey *s)
{
	if (s == NULL || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) > 1)
		return;
	for (unsigned i = 0; i < TOP_KINDS; i++)
		free(s->top[i]);
	free(s);
}

void
survey_post(struct survey_box *b, struct survey *s)
{
	atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
	survey_unref(atomic_exchange(&b->posted, s));
}

bool
survey_done(const struct survey *s)
{
	return atomic_load_explicit(&s->done, memory_order_acquire);
}

/* A part of S. False: it was the last one. */
static bool
slice(struct survey *s, struct engine *e, uint64_t now_ns)
{
	if (s->tops == 0)
		return engine_inflight(e, &s->inflight);
	for (unsigned i = 0; i < TOP_KINDS; i++) {
		if (s->tops >> i & 1)
			engine_top(e, (enum top_kind)i, &s->top[i], now_ns);
	}
	return false;
}

bool
survey_work(struct survey_box *b, struct engine *e, uint64_t now_ns)
{
	if (b->working == NULL)
		b->working = atomic_exchange(&b->posted, NULL);
	if (b->working == NULL)
		return false;
	if (slice(b->working, e, now_ns))
		return true;
	atomic_store_explicit(&b->working->done, true, memory_order_release);
	survey_unref(b->working);
	b->working = NULL;
	return atomic_load(&b->posted) != NULL;
}

void
survey_fini(struct survey_box *b)
{
	survey_unref(atomic_exchange(&b->posted, NULL));
	survey_unref(b->working);
	b->working = NULL;
}
