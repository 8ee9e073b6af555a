/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_LANE_H
#define DNS64D_BENCH_LOAD_LANE_H

/*
 * bench_lane: one way to the server: a source port or a connection, and the questions that went out
 * by it. A transport carries messages; what they mean is not its business.
 *
 * A thread waits for all its lanes with one epoll; a lane keeps itself there (bench_lane_watch), so
 * that a transport may close a connection and open another, and wait for room to write.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "bench/load/inflight.h"

#define BENCH_BATCH 64   /* questions sent at once */
#define BENCH_VIEWS 8192 /* replies received at once, at most */
#define BENCH_PATIENCE_MS 20

/* A message in a transport's buffer, borrowed until the next receive. */
struct bench_view {
	const uint8_t *bytes;
	size_t len;
};

/* What a thread sends from and receives into; one for all its lanes. */
struct bench_batch {
	struct bench_view out[BENCH_BATCH];
	unsigned n_out;
	struct bench_view in[BENCH_VIEWS];
	unsigned n_in;
	bool more; /* after receive: whole messages are left, of which epoll does not know */
	uint8_t question[BENCH_BATCH][BENCH_QUESTION_MAX];
	void *buffers; /* owned: the transport's own, see its new_buffers; NULL: it has none */
};

/* What only a lane itself sees. */
struct bench_faults {
	uint64_t unsent;  /* questions that could not be sent */
	uint64_t refused; /* told by ICMP that nobody listens, or a connection refused */
	uint64_t dropped; /* replies that our own socket had no room for */
	uint64_t closed;  /* connections that the server ended */
	/* connections that were given up: for long nothing came, or nothing went */
	uint64_t stalled;
	uint64_t no_port;     /* connections that this machine had no port or descriptor for */
	uint64_t connections; /* no fault: those that came to stand */
};

/* What a lane is to be. */
struct bench_way {
	const struct bench_transport *transport;
	const struct netaddr *server; /* borrowed */
	uint64_t capacity;            /* questions that it remembers */
	uint64_t timeout_ns;          /* for how long a question waits */
	/* questions on a connection, then comes a new one; 0: any number */
	unsigned per_connection;
	int epoll_fd;      /* borrowed: that waits for it */
	uint32_t index;    /* its name there: epoll_data.u32 */
	uint16_t first_id; /* IDs count up from here */
};

struct bench_lane {
	struct bench_way way;
	int fd;          /* readable when there are replies; -1: not open, or not now */
	uint32_t events; /* that epoll watches fd for; 0: it does not know fd */
	struct bench_inflight asked;
	uint64_t limit; /* of asked.next: what the lane may ask in this run ends there */
	struct bench_faults faults;
	bool patient;                /* receive waits */
	bool segments;               /* UDP: the kernel cuts a batch into datagrams */
	uint32_t drops_seen;         /* UDP: of the kernel's count */
	struct bench_stream *stream; /* owned by the transport; NULL: not used */
};

struct bench_transport {
	const char *name;
	const struct bench_carrier *carrier; /* of streams (bench_stream); NULL: datagrams */
	unsigned window; /* questions open on a lane, if nothing else is said; 0: any number */

	/* What it needs in a batch: one block for free(); NULL without memory. NULL: nothing. */
	void *(*new_buffers)(void);

	/* Ready to send; 0 or -errno. A connection may still be on its way. */
	int (*open)(struct bench_lane *lane);

	/* How many questions it takes now; NULL: always a batch. */
	uint64_t (*room)(struct bench_lane *lane);

	/*
	 * Send b->out, b->n_out of them; returns how many of the first ones are under way. The rest
	 * will not be sent and counts as unsent.
	 */
	unsigned (*send)(struct bench_lane *lane, struct bench_batch *b);

	/*
	 * When epoll has something of the lane: what has come, without waiting, to b->in; returns
	 * how many. With b->more it is to be called again at once.
	 */
	unsigned (*receive)(struct bench_lane *lane, struct bench_batch *b);

	/*
	 * For a thread with this lane only: from now on receive waits until there is something, but
	 * BENCH_PATIENCE_MS at most, as the plainest client would. 0 or -errno. NULL: it cannot.
	 */
	int (*be_patient)(struct bench_lane *lane);

	/* Now and then: what only time brings about. NULL: nothing. */
	void (*tick)(struct bench_lane *lane, uint64_t now_ns);

	/* After a run: bring lane->faults up to date. NULL: they are. */
	void (*settle)(struct bench_lane *lane);

	void (*close)(struct bench_lane *lane);
};

/* bench_batch_new: an empty batch for lanes over TRANSPORT; NULL without memory. */
MUST_USE struct bench_batch *bench_batch_new(const struct bench_transport *transport);

/* bench_batch_free: end *b, which may be NULL. */
void bench_batch_free(struct bench_batch *b);

/*
 * bench_lane_open: make *lane as WAY says, its socket or first connection included, of which the
 * answer may be still to come. Returns 0, or -errno; then *lane needs no bench_lane_close.
 */
MUST_USE int bench_lane_open(struct bench_lane *lane, const struct bench_way *way);

/* bench_lane_close: close the socket or connection; what was asked by it is forgotten. */
void bench_lane_close(struct bench_lane *lane);

/* bench_lane_watch: for transports: epoll waits for EVENTS of lane->fd from now on. 0 or -errno. */
MUST_USE int bench_lane_watch(struct bench_lane *lane, uint32_t events);

#endif
