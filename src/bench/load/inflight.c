/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/load/inflight.h"

#include <errno.h>
#include <stdlib.h>

#define IDS 65536
#define LOOK 64 /* IDs that are looked at in one go: a batch */

int
bench_inflight_init(struct bench_inflight *f, uint64_t capacity, uint16_t first_id)
{
	uint64_t n = 16;

	while (n < capacity && n < SIZE_MAX / 2 / sizeof(*f->ring))
		n *= 2;
	*f = (struct bench_inflight){ .mask = n - 1, .first_id = first_id };
	f->ring = calloc(n, sizeof(*f->ring));
	return f->ring != NULL ? 0 : -ENOMEM;
}

void
bench_inflight_fini(struct bench_inflight *f)
{
	free(f->ring);
	f->ring = NULL;
}

/* Advance past questions that are not open any more. */
static void
advance(struct bench_inflight *f)
{
	while (f->oldest < f->next && f->ring[f->oldest & f->mask].state != BENCH_OPEN)
		f->oldest++;
}

/* Has an open question the ID of number N, which is not given out yet? */
static bool
is_open(const struct bench_inflight *f, uint64_t n)
{
	while (n >= f->oldest + IDS) {
		n -= IDS;
		if (f->ring[n & f->mask].state == BENCH_OPEN)
			return true;
	}
	return false;
}

/* Skip the IDs of open questions that come next. Not if all are open. */
static void
skip_open(struct bench_inflight *f)
{
	while (f->next - f->oldest <= f->mask && is_open(f, f->next))
		f->ring[f->next++ & f->mask] = (struct bench_asked){ .state = BENCH_UNASKED };
}

uint64_t
bench_inflight_room(struct bench_inflight *f)
{
	advance(f);
	uint64_t span = f->next - f->oldest, room = f->mask + 1 - span, n = 0;

	if (span + LOOK <= IDS)
		return room < IDS - span ? room : IDS - span;
	if (f->n_open >= IDS)
		return 0;
	skip_open(f);
	while (n < LOOK && f->next + n - f->oldest <= f->mask && !is_open(f, f->next + n))
		n++;
	return n;
}

uint16_t
bench_inflight_next_id(const struct bench_inflight *f)
{
	return (uint16_t)(f->first_id + f->next);
}

void
bench_inflight_add(struct bench_inflight *f, struct bench_question q, uint64_t since_ns)
{
	advance(f);
	f->ring[f->next & f->mask] =
	    (struct bench_asked){ .sent_ns = since_ns, .question = q, .state = BENCH_OPEN };
	f->next++;
	f->n_open++;
}

void
bench_inflight_behind(struct bench_inflight *f, uint64_t n)
{
	for (uint64_t i = f->next - n; i < f->next; i++)
		f->ring[i & f->mask].behind = true;
}

void
bench_inflight_take_out(struct bench_inflight *f, uint64_t n)
{
	for (uint64_t i = f->next - n; i < f->next; i++)
		f->ring[i & f->mask].state = BENCH_TAKEN_OUT;
	f->n_open -= n;
}

struct bench_asked *
bench_inflight_find(const struct bench_inflight *f, uint16_t id, uint64_t *cursor)
{
	uint64_t end = *cursor < f->next ? *cursor : f->next;
	uint64_t begin = f->next > f->mask ? f->next - f->mask - 1 : 0;
	/* Counted backwards from END, the first question with this ID. */
	uint16_t back = (uint16_t)(f->first_id + end - 1 - id);

	if (end <= begin || end - begin <= back)
		return NULL;
	*cursor = end - 1 - back;
	return &f->ring[*cursor & f->mask];
}

void
bench_inflight_answered(struct bench_inflight *f, struct bench_asked *a)
{
	f->n_open -= a->state == BENCH_OPEN;
	a->state = BENCH_ANSWERED;
}

struct bench_asked *
bench_inflight_expire(struct bench_inflight *f, uint64_t sent_ns)
{
	advance(f);
	struct bench_asked *a = &f->ring[f->oldest & f->mask];

	if (f->oldest == f->next || a->sent_ns > sent_ns)
		return NULL;
	a->state = BENCH_GIVEN_UP;
	f->n_open--;
	f->oldest++;
	return a;
}

uint64_t
bench_inflight_oldest_ns(struct bench_inflight *f)
{
	advance(f);
	return f->oldest < f->next ? f->ring[f->oldest & f->mask].sent_ns : UINT64_MAX;
}
