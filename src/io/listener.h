/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_LISTENER_H
#define DNS64D_IO_LISTENER_H

/*
 * listener: the listening sockets of one loop. UDP questions are read here, one batch per socket
 * and iteration; TCP connections are accepted here and handed to session.
 *
 * The engine knows a UDP socket by its index in the table and a generation. A proxy (io/proxy) asks
 * for others: the engine knows their addresses, and a route (io/routes) in place of both. One
 * thread.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/list.h"
#include "core/conf.h"
#include "core/packet.h"
#include "io/bind.h"
#include "io/fd_event.h"
#include "io/routes.h"
#include "io/udp.h"

#define LISTENER_MAX (2 * CONF_MAX_LISTENS) /* configured ones and those that are leaving */
#define LISTENER_ACCEPTS 16                 /* connections accepted per listener and iteration */
#define LISTENER_PAUSE_NS 100000000ULL      /* pause after something failed for lack of resources */
#define LISTENER_CALM_NS 10000000000ULL     /* time without a failure that ends the trouble */
#define LISTENER_LINGER_NS 6000000000ULL    /* longer than a question can be in flight */

enum listener_state {
	LISTENER_FREE,     /* this entry of the table is */
	LISTENER_UNSERVED, /* no memory to watch its sockets: tried again every LISTENER_PAUSE_NS */
	LISTENER_SERVED,
	/*
	 * its address is no longer configured, or the loop stops: served until its receive buffer
	 * is empty, and then
	 */
	LISTENER_LEAVING,
	/* until every question that came by it is answered; for LISTENER_LINGER_NS in all at most
	 */
	LISTENER_EMPTY
};

/* The sockets of one address. */
struct listener {
	struct fd_event udp;
	struct fd_event tcp;
	struct bind_sockets fds; /* owned; tcp is -1 when it leaves */
	struct udp_out out;      /* answers that wait to be sent */
	struct udp_way way;      /* to all clients */
	struct udp_queue queue;  /* questions that wait to be read */
	uint32_t gen;            /* grows when the entry is freed */
	uint32_t drops;          /* the kernel's count of dropped datagrams, as last reported */
	uint32_t in_flight;      /* questions that came by UDP and are not yet answered */
	enum listener_state state;
	uint64_t leaving_ns; /* when it became LISTENER_LEAVING */
};

/* All listeners of one loop. */
struct listeners {
	struct listener l[LISTENER_MAX];
	struct list udp_ready;  /* listener.udp of those with datagrams */
	struct list tcp_ready;  /* listener.tcp of those with connections to accept */
	uint64_t accept_ns;     /* no accept(2) before this time; 0: accepting */
	uint64_t failed_ns;     /* when accept(2) failed last */
	bool accept_failing;    /* accept(2) failed lately, and the log says so */
	bool stopping;          /* only datagrams that are already queued are read */
	uint64_t serve_ns;      /* when those that are unserved are tried again */
	struct routes routes;   /* to proxies whose questions are not yet answered */
	atomic_uint n_unserved; /* other threads may read it, and the next */
	atomic_uint n_leaving;  /* those that are LISTENER_LEAVING or LISTENER_EMPTY */
};

struct shell;

/* listener_init: prepare an empty table of listeners in the zeroed SH. Returns 0 or -errno. */
MUST_USE int listener_init(struct shell *sh);

/* listener_fini: close every listener of SH. Also after a failed listener_init. */
void listener_fini(struct shell *sh);

/*
 * listener_add: serve the sockets FDS, which are passed on, from now on. False: the kernel or
 * libevent has no memory for them; the log says so, and it is tried again. If the table is full the
 * listener that has been leaving for longest makes room.
 */
bool listener_add(struct shell *sh, const struct bind_sockets *fds);

/* listener_unserved: how many listeners are unserved. Any thread. */
MUST_USE unsigned listener_unserved(const struct shell *sh);

/* listener_leaving: how many listeners are leaving. Any thread. */
MUST_USE unsigned listener_leaving(const struct shell *sh);

/* listener_keep: let every listener leave whose address is not in sh->conf any more. */
void listener_keep(struct shell *sh);

/*
 * listener_stop: let every listener leave. TCP sockets are closed after their backlog was accepted;
 * datagrams that are queued now are read, later ones are not.
 */
void listener_stop(struct shell *sh);

/* listener_stopped: after listener_stop, has every UDP socket been read until it was empty? */
MUST_USE bool listener_stopped(const struct shell *sh);

/*
 * listener_turn: read one batch of questions (UDP_BATCH at most) from each readable UDP socket and
 * hand it to the engine; one whose clients have given up is dropped (udp_queue_is_late). Without
 * room in the engine the socket is left alone until there is room.
 */
void listener_turn(struct shell *sh);

/* listener_admit: accept up to LISTENER_ACCEPTS connections of each TCP socket that has some. */
void listener_admit(struct shell *sh);

/*
 * listener_answer: queue the answer SEND, whose bytes are in udp_tx_slot(&sh->tx), to whoever sent
 * the question, which may be a proxy: then SEND is made to lead to it. Does nothing if the socket
 * that SEND names by index and generation has been closed.
 */
void listener_answer(struct shell *sh, struct packet_out *send);

/* listener_forget: the question that came by *ROUTE over UDP gets no answer. */
void listener_forget(struct shell *sh, struct packet_route *route);

/*
 * listener_beat: do what depends on time: accept again after a pause, and close listeners that have
 * finished leaving. Call it now and then while listener_needs_beat.
 */
void listener_beat(struct shell *sh);

/* listener_needs_beat: is anything waiting for listener_beat? */
MUST_USE bool listener_needs_beat(const struct shell *sh);

#endif
