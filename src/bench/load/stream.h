/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_STREAM_H
#define DNS64D_BENCH_LOAD_STREAM_H

/*
 * bench_stream: DNS over connections (RFC 7766), for bench_tcp and whatever else carries a stream
 * of bytes. A lane has one connection at a time; its questions are pipelined and may be answered in
 * any order.
 *
 * What is measured: a question's time runs from when it is handed over. On a connection that stands
 * that is when it is written, or put behind others if the server does not read. While there is no
 * connection, because it is on its way or was lost, questions wait for it as a client's would, and
 * their time includes the wait. Connections are begun before the run, so unless --per-connection
 * wants new ones or the server closes them the time is that of question and answer alone.
 *
 * A connection that ends takes its open questions with it: they are lost, not asked again as RFC
 * 7766 section 6.2.4 would have a client do, since then the server's losses would not be seen. The
 * lane connects again: at once if the connection was of use, else after a pause. A connection by
 * which questions went and nothing came for two timeouts is given up.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attr.h"
#include "bench/load/lane.h"

#define BENCH_STREAM_WINDOW 64 /* questions open on a connection if nothing is said */

/* What a stream goes over. All work on lane->fd and never wait. */
struct bench_carrier {
	/* Begin a connection to the lane's server: its descriptor or -errno. */
	int (*begin)(struct bench_lane *lane);

	/* Does it stand? 0: yes; events of epoll that it waits for; -errno: it never will. */
	int (*shake)(struct bench_lane *lane);

	/* Up to LEN bytes, all that there are; 0 at the end, -EAGAIN, -errno. */
	ssize_t (*read)(struct bench_lane *lane, uint8_t *bytes, size_t len);

	/* How many of LEN bytes were taken; -EAGAIN: none now, -errno. */
	ssize_t (*write)(struct bench_lane *lane, const uint8_t *bytes, size_t len);

	/* Close in good order. */
	void (*end)(struct bench_lane *lane);
};

/* The functions of a transport whose carrier is set. */
int bench_stream_open(struct bench_lane *lane);
uint64_t bench_stream_room(struct bench_lane *lane);
unsigned bench_stream_send(struct bench_lane *lane, struct bench_batch *b);
unsigned bench_stream_receive(struct bench_lane *lane, struct bench_batch *b);
void bench_stream_tick(struct bench_lane *lane, uint64_t now_ns);
void bench_stream_close(struct bench_lane *lane);

#endif
