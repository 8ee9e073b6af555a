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

enum fake_when
fake_worker_fate(
    struct fake_worker *w, const uint8_t *bytes, size_t len, bool tcp, struct fake_fate *fate)
{
	*fate = (struct fake_fate){ .lot = FAKE_LOT_ANSWER };
	if (w->plain)
		return FAKE_NOW;
	*fate = fake_pattern_fate(&w->s->pattern, &w->past, bytes, len, tcp, clock_now_ns());
	w->counters.lost += fate->lot == FAKE_LOT_LOST;
	w->counters.outage += fate->lot == FAKE_LOT_OUTAGE;
	w->counters.held += fate->held;
	if (fate->lot != FAKE_LOT_ANSWER)
		return FAKE_NEVER;
	return fate->due_ns == 0 ? FAKE_NOW : FAKE_LATER;
}

struct fake_delayed *
fake_worker_delay(
    struct fake_worker *w, const uint8_t *bytes, size_t len, const struct fake_fate *fate)
{
	/* Rounded up, so that no answer is early. */
	struct fake_delayed *d = fake_ring_add(
	    w->ring, clock_now_ns() / NS_PER_MS, (fate->due_ns + NS_PER_MS - 1) / NS_PER_MS);
	if (d == NULL) {
		w->counters.unsent++;
		return NULL;
	}
	d->fate = *fate;
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
