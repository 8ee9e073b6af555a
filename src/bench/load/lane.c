/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/load/lane.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"

struct bench_batch *
bench_batch_new(const struct bench_transport *transport)
{
	struct bench_batch *b = calloc(1, sizeof(*b));

	if (b == NULL)
		return NULL;
	for (unsigned i = 0; i < BENCH_BATCH; i++)
		b->out[i].bytes = b->question[i];
	if (transport->new_buffers == NULL)
		return b;
	b->buffers = transport->new_buffers();
	if (b->buffers != NULL)
		return b;
	free(b);
	return NULL;
}

void
bench_batch_free(struct bench_batch *b)
{
	if (b != NULL)
		free(b->buffers);
	free(b);
}

int
bench_lane_open(struct bench_lane *lane, const struct bench_way *way)
{
	*lane = (struct bench_lane){ .way = *way, .fd = -1, .beside_fd = -1 };
	int err = bench_inflight_init(&lane->asked, way->capacity, way->first_id);

	if (err != 0)
		return err;
	err = way->transport->open(lane);
	if (err != 0)
		bench_inflight_fini(&lane->asked);
	return err;
}

int
bench_lane_watch(struct bench_lane *lane, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.u32 = lane->way.index };
	int op = lane->events == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;

	if (events == lane->events)
		return 0;
	if (epoll_ctl(lane->way.epoll_fd, op, lane->fd, &e) != 0)
		return -errno;
	lane->events = events;
	return 0;
}

uint64_t
bench_lane_room(struct bench_lane *lane, unsigned window)
{
	const struct bench_transport *t = lane->way.transport;
	uint64_t most = window > 0 ? window : UINT64_MAX;
	uint64_t room = bench_inflight_room(&lane->asked), left = lane->limit - lane->asked.next;

	if (room == 0 || lane->asked.n_open >= most)
		return 0;
	room = room < left ? room : left;
	left = t->room != NULL ? t->room(lane) : UINT64_MAX;
	room = room < left ? room : left;
	return room < most - lane->asked.n_open ? room : most - lane->asked.n_open;
}

void
bench_lane_close(struct bench_lane *lane)
{
	lane->way.transport->close(lane);
	bench_inflight_fini(&lane->asked);
}

/* --- When a reply came ------------------------------------------------------------------------ */

#define READ_NS 10000 /* two readings in a row take less, unless the thread lost its CPU */
#define READS_MAX 3
#define STEP_NS NS_PER_MS /* clocks that go apart by more were set, */
#define SLEW 1000         /* or by more than this part of the time */

static uint64_t
ns_of(const struct timespec *ts)
{
	return (uint64_t)ts->tv_sec * NS_PER_SEC + (uint64_t)ts->tv_nsec;
}

void
bench_stamp_enable(int fd)
{
	int on = 1;

	(void)setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
}

/* Read both clocks, one right behind the other: again if this thread lost its CPU in between. */
static void
read_clocks(struct bench_stamp *s)
{
	s->unsure_ns = UINT64_MAX;
	for (unsigned i = 0; i < READS_MAX && s->unsure_ns > READ_NS; i++) {
		struct timespec real;
		uint64_t now_ns = clock_now_ns(), took_ns;

		(void)clock_gettime(CLOCK_REALTIME, &real);
		took_ns = clock_now_ns() - now_ns;
		if (took_ns < s->unsure_ns)
			*s = (struct bench_stamp){
				.real_ns = ns_of(&real), .now_ns = now_ns, .unsure_ns = took_ns
			};
	}
}

void
bench_stamp_take(struct bench_stamp *s)
{
	struct bench_stamp before = *s;

	read_clocks(s);
	/* How much further one clock went than the other; it may be slewed by 0.05 %. */
	uint64_t went_ns = s->now_ns - before.now_ns,
		 ahead_ns = s->real_ns - before.real_ns - went_ns,
		 apart_ns = ahead_ns < UINT64_MAX - ahead_ns ? ahead_ns : UINT64_MAX - ahead_ns;
	s->stepped = before.now_ns > 0 &&
	    apart_ns > STEP_NS + went_ns / SLEW + before.unsure_ns + s->unsure_ns;
}

uint64_t
bench_stamp_of(struct msghdr *h, const struct bench_stamp *now)
{
	struct timespec ts;
	uint64_t since_ns;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c != NULL; c = CMSG_NXTHDR(h, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS)
			continue;
		if (now->stepped)
			break;
		memcpy(&ts, CMSG_DATA(c), sizeof(ts));
		since_ns = now->real_ns - ns_of(&ts);
		return since_ns < now->now_ns ? now->now_ns - since_ns : now->now_ns;
	}
	return now->now_ns;
}
