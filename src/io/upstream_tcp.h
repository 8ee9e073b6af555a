/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_UPSTREAM_TCP_H
#define DNS64D_IO_UPSTREAM_TCP_H

/*
 * upstream_tcp: TCP towards upstreams, one connection for each (RFC 7766 section 6.2.2), opened
 * when there is something to ask, pipelined, and closed when nobody has asked for a while.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "base/netaddr.h"
#include "core/packet.h"
#include "core/upstream.h"
#include "io/source.h"
#include "io/stream.h"

#define UPSTREAM_TCP_QUEUE 256                /* questions that wait for the connection */
#define UPSTREAM_TCP_BYTES (64 * 1024)        /* the same in bytes */
#define UPSTREAM_TCP_IDLE_NS 10000000000ULL   /* without a question */
#define UPSTREAM_TCP_CONNECT_NS 5000000000ULL /* to connect */
#define UPSTREAM_TCP_SILENCE_NS 8000000000ULL /* without a byte while questions are open */

enum upstream_tcp_state { UPSTREAM_TCP_CLOSED, UPSTREAM_TCP_CONNECTING, UPSTREAM_TCP_UP };

struct upstream_udp_conn {
	struct source rd;
	struct source wr;
	struct list dirty; /* on forward_tcp.dirty when there is something to write or to end */
	struct netaddr addr;
	enum upstream_tcp_state state;
	int fd;            /* -1 when closed */
	bool lost;         /* to be ended by the next upstream_tcp_flush */
	int err;           /* why it is: errno; 0: closed, by either side */
	bool failing;      /* it could not be had of late, which was said in the log */
	unsigned n_queued; /* questions since all was written last */
	struct stream_in in;
	struct stream_out out;
	uint64_t opened_ns;
	uint64_t asked_ns;     /* last question */
	uint64_t said_lost_ns; /* when io/say said so last; 0: never */
	uint64_t said_full_ns;
	uint64_t heard_ns; /* last byte, or the first question after all were answered */
};

struct upstream_tcp {
	struct upstream_udp_conn c[UPSTREAM_MAX];
	struct list readable;
	struct list writable;
	struct list dirty;
	unsigned n_open;
};

struct shell;

void upstream_tcp_init(struct shell *sh);
void upstream_tcp_fini(struct shell *sh);

/* upstream_tcp_turn: read replies, finish connecting. */
void upstream_tcp_turn(struct shell *sh);

/*
 * upstream_tcp_question: queue the question in the TCP buffer, connect if need be. The engine hears
 * of what there is no room for, that question and no other.
 */
void upstream_tcp_question(struct shell *sh, const struct packet_out *send);

/*
 * upstream_tcp_flush: write what waits, end what is lost. The engine may have something to send
 * afterwards: true if it was told of a loss.
 */
bool upstream_tcp_flush(struct shell *sh);

/* upstream_tcp_beat: close what is idle, give up what is silent or no longer configured. */
void upstream_tcp_beat(struct shell *sh);

#endif
