/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_LISTENER_H
#define DNS64D_IO_LISTENER_H

/*
 * listener: the sockets that clients of one loop reach. UDP questions are read here, a batch
 * per socket and iteration; TCP connections are accepted and handed to session.
 *
 * The engine knows a UDP socket by its place in the table and a generation. A listener that
 * is leaving is served until it is read empty and what was asked through it is answered.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/list.h"
#include "core/conf.h"
#include "core/packet.h"
#include "io/bind.h"
#include "io/source.h"
#include "io/udp.h"

#define LISTENER_MAX (2 * CONF_MAX_LISTENS) /* configured ones and those that are leaving */
#define LISTENER_ACCEPTS 16                 /* connections taken per listener and iteration */
#define LISTENER_PAUSE_NS 100000000ULL   /* without accepting, after running out of descriptors */
#define LISTENER_CALM_NS 10000000000ULL  /* without failing, and accepting works again */
#define LISTENER_LINGER_NS 6000000000ULL /* more than a question can be in flight */

struct listener {
	struct source udp;
	struct source tcp;
	struct list link;        /* on listeners.paused, or free */
	struct bind_sockets fds; /* udp is -1 when the place is free */
	struct udp_out out;
	uint32_t gen;
	uint32_t drops;     /* the kernel's count when last heard of */
	uint32_t in_flight; /* questions not yet answered */
	bool leaving;
	bool empty;          /* leaving: it has been read empty */
	uint64_t leaving_ns; /* since when */
};

struct listeners {
	struct listener l[LISTENER_MAX];
	struct list udp_ready;
	struct list tcp_ready;
	struct list paused;  /* readable, but the engine has no room */
	uint64_t accept_ns;  /* no accepting before; 0: accepting */
	uint64_t failed_ns;  /* when accepting failed last */
	bool accept_failing; /* it did of late, which was said in the log */
	bool stopping;       /* no question is read any more but those already queued */
	unsigned n_leaving;
};

struct shell;

void listener_init(struct shell *sh);
void listener_fini(struct shell *sh);

/* listener_add: serve FDS, which are passed on (closed if they cannot be served). */
void listener_add(struct shell *sh, const struct bind_sockets *fds);

/* listener_keep: those that are not configured in sh->conf any more begin to leave. */
void listener_keep(struct shell *sh);

/* listener_stop: all of them begin to leave, and nothing that arrives from now on is served. */
void listener_stop(struct shell *sh);

/* listener_stopped: after listener_stop, is everything read that had arrived before? */
MUST_USE bool listener_stopped(const struct shell *sh);

/* listener_turn: read questions. */
void listener_turn(struct shell *sh);

/* listener_admit: accept connections, as far as the ceilings have room. */
void listener_admit(struct shell *sh);

/* listener_answer: queue the answer in the send slot; nothing if its socket has gone. */
void listener_answer(struct shell *sh, const struct packet_out *send);

/* listener_beat: what time brings. listener_needs_beat: is there any such thing? */
void listener_beat(struct shell *sh);
MUST_USE bool listener_needs_beat(const struct shell *sh);

#endif
