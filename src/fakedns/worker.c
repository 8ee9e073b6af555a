/* SPDX-License-Identifier: BSD-2-Clause */
#include "fakedns/worker.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"

int
fake_worker_watch(
    struct fake_worker *w, int fd, uint32_t events, enum fake_event kind, uint32_t index)
{
	struct epoll_event e = { .events = events, .data.u64 = (uint64_t)kind << 32 | index };

	return epoll_ctl(w->epoll_fd, EPOLL_CTL_ADD, fd, &e) == 0 ? 0 : -errno;
}

bool
fake_worker_chance(struct fake_worker *w, unsigned percent)
{
	return percent > 0 && rng_below(&w->rng, 100) < percent;
}

struct fake_delayed *
fake_worker_delay(struct fake_worker *w, const uint8_t *bytes, size_t len)
{
	uint64_t now_ns = clock_now_ns();
	uint64_t due_ns = now_ns + w->s->delay_ms * NS_PER_MS;

	if (w->s->jitter_ms > 0)
		due_ns += rng_below(&w->rng, w->s->jitter_ms * 1000 + 1) * (NS_PER_MS / 1000);
	/* Rounded up, so that no answer is early. */
	struct fake_delayed *d =
	    fake_ring_add(w->ring, now_ns / NS_PER_MS, (due_ns + NS_PER_MS - 1) / NS_PER_MS);
	if (d == NULL) {
		w->counters.unsent++;
		return NULL;
	}
	d->len = len;
	memcpy(d->bytes, bytes, len);
	return d;
}

size_t
fake_worker_answer(struct fake_worker *w, const struct fake_question *q, uint8_t *out, size_t cap)
{
	enum fake_verdict verdict;
	size_t len = fake_answer(&w->s->policy, q, out, cap, &verdict);

	w->counters.malformed += verdict == FAKE_GARBAGE;
	w->counters.mute += verdict == FAKE_MUTE;
	return len;
}
