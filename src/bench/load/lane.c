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

struct bench_stamp
bench_stamp_now(void)
{
	struct timespec real;
	struct bench_stamp s = { .now_ns = clock_now_ns() };

	(void)clock_gettime(CLOCK_REALTIME, &real);
	s.real_ns = ns_of(&real);
	return s;
}

uint64_t
bench_stamp_of(struct msghdr *h, const struct bench_stamp *now)
{
	struct timespec ts;
	uint64_t since_ns;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c != NULL; c = CMSG_NXTHDR(h, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS)
			continue;
		memcpy(&ts, CMSG_DATA(c), sizeof(ts));
		since_ns = now->real_ns - ns_of(&ts);
		return since_ns < now->now_ns ? now->now_ns - since_ns : now->now_ns;
	}
	return now->now_ns;
}
