/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/survey.h"

#include <stdlib.h>

#include "core/engine.h"

struct survey *
survey_new(void)
{
	struct survey *s = calloc(1, sizeof(*s));

	if (s != NULL)
		atomic_init(&s->refs, 1);
	return s;
}

void
survey_unref(struct survey *s)
{
	if (s == NULL || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) > 1)
		return;
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

bool
survey_work(struct survey_box *b, const struct engine *e)
{
	if (b->working == NULL)
		b->working = atomic_exchange(&b->posted, NULL);
	if (b->working == NULL)
		return false;
	if (engine_inflight(e, &b->working->inflight))
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
