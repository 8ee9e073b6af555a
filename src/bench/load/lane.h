/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_LANE_H
#define DNS64D_BENCH_LOAD_LANE_H

/*
 * bench_lane: one way to the server: a source port or a connection, and the questions that were
 * sent by it. A transport carries messages and does not read them.
 *
 * A thread waits for all its lanes with one epoll. Each lane registers itself there
 * (bench_lane_watch), so that a transport may replace its connection, and wait for room to write.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <time.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "bench/load/inflight.h"

#define BENCH_BATCH 64       /* questions sent at once */
#define BENCH_VIEWS 8192     /* replies received at once, at most */
#define BENCH_PATIENCE_MS 20 /* how long a patient lane waits for a reply at once */

/* A message in a transport's buffer, borrowed until the next receive. */
struct bench_view {
	const uint8_t *bytes;
	size_t len;
	uint64_t came_ns; /* of a reply: when this machine received it */
};

/* Buffers of a thread, for sending and receiving; one for all its lanes. */
struct bench_batch {
	struct bench_view out[BENCH_BATCH];
	unsigned n_out;
	struct bench_view in[BENCH_VIEWS];
	unsigned n_in;
	bool more; /* after receive: whole messages are left, of which epoll does not know */
	uint8_t question[BENCH_BATCH][BENCH_QUESTION_MAX];
	void *buffers; /* owned: the transport's own, see its new_buffers; NULL: it has none */
};

/* What went wrong on a lane, as only it can see. */
struct bench_faults {
	uint64_t unsent;  /* questions that could not be sent */
	uint64_t refused; /* told by ICMP that nobody listens, or a connection refused */
	uint64_t dropped; /* replies that our own socket had no room for */
	uint64_t closed;  /* connections that the server ended */
	/* connections that were given up: nothing came, or nothing could be sent, for long */
	uint64_t stalled;
	uint64_t elsewhere;   /* datagrams from another address or port than was asked */
	uint64_t no_port;     /* connections that this machine had no port or descriptor for */
	uint64_t connections; /* no fault: connections that were established */
};

/* How a lane is to be made. */
struct bench_way {
	const struct bench_transport *transport;
	const struct netaddr *server; /* borrowed */
	struct netaddr source;        /* where it asks from; NETADDR_NONE: the system chooses */
	uint64_t capacity;            /* questions that it remembers */
	uint64_t timeout_ns;          /* for how long a question waits */
	/* questions on a connection, then comes a new one; 0: any number */
	unsigned per_connection;
	bool singles;      /* UDP: no runs of datagrams (udp_run) */
	int epoll_fd;      /* borrowed: that waits for it */
	uint32_t index;    /* its name there: epoll_data.u32 */
	uint16_t first_id; /* IDs count up from here */
};

/*
 * bench_stamp: when the kernel received what we read (SO_TIMESTAMPNS of socket(7)). While the
 * tester is kept from running, replies wait for it; their times go on being right.
 */

/* Bytes of control that a stamp takes. */
#define BENCH_STAMP_CONTROL CMSG_SPACE(sizeof(struct timespec))

/* The same moment by the clock of stamps, CLOCK_REALTIME, and by ours, in ns. */
struct bench_stamp {
	uint64_t real_ns;
	uint64_t now_ns;
	uint64_t unsure_ns; /* the two were read so far apart at most */
	bool stepped; /* the wall clock was set since the reading before: stamps are of no use */
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
	int beside_fd;               /* UDP: gets what comes from elsewhere */
	uint32_t drops_seen;         /* UDP: of the kernel's count */
	uint32_t beside_drops_seen;  /* likewise, of the socket beside */
	struct bench_stamp stamp;    /* of the last reading */
	uint64_t came_ns;            /* stream: when what was read last came */
	struct bench_stream *stream; /* owned by the transport; NULL: not used */
};

struct bench_transport {
	const char *name;
	bool stream;     /* messages are in a stream of bytes, by connections; else datagrams */
	uint16_t port;   /* of servers, if nothing else is said */
	unsigned window; /* questions open on a lane, if nothing else is said; 0: any number */

	/* What it needs in a batch: one block for free(); NULL without memory. NULL: nothing. */
	void *(*new_buffers)(void);

	/* Open the lane for sending; 0 or -errno. A connection need not be established yet. */
	int (*open)(struct bench_lane *lane);

	/* How many questions can be sent now; NULL: always a batch. */
	uint64_t (*room)(struct bench_lane *lane);

	/*
	 * Send the b->n_out messages of b->out; returns how many of them, from the first on, were
	 * sent. The rest is not sent any more and counts as unsent.
	 */
	unsigned (*send)(struct bench_lane *lane, struct bench_batch *b);

	/*
	 * When epoll has an event of the lane: receive what has come, without waiting, to b->in;
	 * returns how many messages. If it sets b->more it is to be called again at once.
	 */
	unsigned (*receive)(struct bench_lane *lane, struct bench_batch *b);

	/*
	 * For a thread with this lane only: from now on receive waits for a message, but for
	 * BENCH_PATIENCE_MS at most, as a simple client would. 0 or -errno. NULL: it cannot.
	 */
	int (*be_patient)(struct bench_lane *lane);

	/* Called now and then in a run, for what waits for a time. NULL: nothing does. */
	void (*tick)(struct bench_lane *lane, uint64_t now_ns);

	/* After a run: bring lane->faults up to date. NULL: they always are. */
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

/* bench_lane_room: how many questions can be asked now, if WINDOW may be open; 0: any number. */
MUST_USE uint64_t bench_lane_room(struct bench_lane *lane, unsigned window);

/* bench_lane_watch: for transports: epoll waits for EVENTS of lane->fd from now on. 0 or -errno. */
MUST_USE int bench_lane_watch(struct bench_lane *lane, uint32_t events);

/* --- For transports: when a reply came -------------------------------------------------------- */

/* bench_stamp_enable: what FD receives from now on has a stamp, where the kernel can. */
void bench_stamp_enable(int fd);

/* bench_stamp_take: *s, the moment of the reading before (all 0: none), becomes this one. */
void bench_stamp_take(struct bench_stamp *s);

/*
 * bench_stamp_of: when what was received with H came, by our clock; now if it has no stamp or one
 * of the future, or if the wall clock was set.
 */
MUST_USE uint64_t bench_stamp_of(struct msghdr *h, const struct bench_stamp *now);

#endif
