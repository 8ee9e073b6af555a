/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_STREAM_H
#define DNS64D_BENCH_LOAD_STREAM_H

/*
 * bench_stream: DNS over connections (RFC 7766), for bench_tcp and whatever else carries a stream
 * of bytes. A lane has one connection at a time; its questions are pipelined and may be answered in
 * any order.
 *
 * What is measured: at a rate, the time of a question runs from when it is due, so that it includes
 * the wait of a question that the server lets wait: it does not read, all places of the window are
 * taken, the connection is being made or was lost. Else it runs from when the question is handed to
 * the lane. Connections are begun before the run: unless --per-connection asks for new ones or the
 * server closes them, the time is that of question and answer alone.
 *
 * When a connection ends, its open questions are lost. They are not asked again, as RFC 7766
 * section 6.2.4 would have a client do, since that would hide the server's losses. The lane
 * connects again: at once if the connection had an answer, else after a pause. A connection by
 * which questions were sent and nothing was received for two timeouts is given up.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attr.h"
#include "bench/load/lane.h"

#define BENCH_STREAM_WINDOW 64 /* questions open on a connection if nothing is said */

/* What carries a stream of bytes. The functions work on lane->fd and never wait. */
struct bench_carrier {
	/* Begin a connection to the lane's server: its descriptor or -errno. */
	int (*begin)(struct bench_lane *lane);

	/* Is it established? 0: yes; > 0: events of epoll to wait for; -errno: it has failed. */
	int (*shake)(struct bench_lane *lane);

	/*
	 * Read up to LEN bytes, and say in lane->came_ns when the last of them came. How many; 0:
	 * the stream has ended; -EAGAIN: none now; -errno.
	 */
	ssize_t (*read)(struct bench_lane *lane, uint8_t *bytes, size_t len);

	/* Write up to LEN bytes. How many; -EAGAIN: none now; -errno. */
	ssize_t (*write)(struct bench_lane *lane, const uint8_t *bytes, size_t len);

	/* Close in good order. */
	void (*end)(struct bench_lane *lane);
};

/* The functions of a transport whose carrier is set; struct bench_transport says what each does. */

/* bench_stream_open: begin a connection and give the lane its buffers. 0 or -errno. */
int bench_stream_open(struct bench_lane *lane);

/*
 * bench_stream_room: how many questions can be sent now: as many as the buffer and the plan's
 * per_connection allow. If that is used up and no question is open, a new connection is begun. That
 * open questions have different IDs (RFC 7766 section 6.2.1) is seen to by bench_inflight.
 */
uint64_t bench_stream_room(struct bench_lane *lane);

/* bench_stream_send: write the questions of B, or queue them. Returns how many. */
unsigned bench_stream_send(struct bench_lane *lane, struct bench_batch *b);

/*
 * bench_stream_receive: replies to b->in, and all else that epoll has of the lane. Returns how
 * many.
 */
unsigned bench_stream_receive(struct bench_lane *lane, struct bench_batch *b);

/* bench_stream_tick: connect again after a pause; give up a connection that is stalled at NOW_NS.
 */
void bench_stream_tick(struct bench_lane *lane, uint64_t now_ns);

/* bench_stream_close: close the connection and free the buffers. */
void bench_stream_close(struct bench_lane *lane);

#endif
