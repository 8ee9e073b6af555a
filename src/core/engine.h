/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_ENGINE_H
#define DNS64D_CORE_ENGINE_H

/*
 * engine: the daemon's mind. Bytes, who sent them and the time go in; what is to be sent
 * where comes out. It has no socket, clock, thread or file, so the same inputs, times and
 * seed give the same outputs.
 *
 * The shell owns all buffers and pulls:
 *
 *	engine_prepare(e, in, n)		once per receive batch
 *	for each message:
 *		engine_input(e, &in[i], now)
 *		while (engine_next(e, udp_slot, tcp_buf, &send))
 *			send it, or keep it in its send slot
 *	on the tick:
 *		engine_tick(e, now), then engine_next as above
 *
 * The bytes of an input must stay as they are until engine_next has returned false.
 * Likewise after every other call below that takes the time: it may have made messages ready.
 *
 * Sockets are the shell's. Towards clients it hands in a reference of its own (sock, gen),
 * which the answer carries back. Upstream UDP sockets are known here by a slot number, under
 * an ID space each; TCP towards upstream is one connection per upstream, known by the
 * upstream's number.
 *
 * One thread per engine. Memory is reserved by engine_new; afterwards nothing allocates.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "core/conf.h"
#include "core/packet.h"
#include "core/stats.h"

struct engine;

/*
 * engine_new: an engine for the settings in CONF (borrowed until the next engine_set_conf or
 * engine_free). SEED: NULL for the kernel's randomness; otherwise a reproducible run (tests).
 * Returns NULL with errno set when memory cannot be reserved.
 */
MUST_USE struct engine *engine_new(
    const struct conf_core *conf, const uint64_t *seed, uint64_t now_ns);

/* engine_free: give all memory back; questions in flight are forgotten. E may be NULL. */
void engine_free(struct engine *e);

/*
 * engine_set_conf: go on under new settings. Questions in flight end under the new ones; upstreams
 * no longer configured get no new questions. max_queries stays what it was.
 */
void engine_set_conf(struct engine *e, const struct conf_core *conf, uint64_t now_ns);

/* engine_stats: the counters; the shell bumps its own fields there. */
struct stats *engine_stats(struct engine *e);

/* engine_prepare: touch what N messages will need before they are handed in. Keeps nothing. */
void engine_prepare(const struct engine *e, const struct packet_in *in, size_t n);

/*
 * engine_input: take one message. What is wrong with it is counted. False: it was a client's and
 * gets no answer; every other message of a client is answered once, soon or at its deadline.
 */
bool engine_input(struct engine *e, const struct packet_in *in, uint64_t now_ns);

/*
 * engine_next: write the next message to be sent. UDP_SLOT: PACKET_UDP_CAP bytes, used for *_UDP;
 * TCP_BUF: PACKET_TCP_CAP bytes, used for *_TCP (the contents of the other are unspecified). False:
 * nothing more now.
 */
MUST_USE bool engine_next(struct engine *e, uint8_t udp_slot[static PACKET_UDP_CAP],
    uint8_t tcp_buf[static PACKET_TCP_CAP], struct packet_out *send);

/*
 * engine_tick: let time pass up to NOW. At most 256 deadlines are handled in one call; true: there
 * may be more that are due.
 */
bool engine_tick(struct engine *e, uint64_t now_ns);

/*
 * engine_busy: is anything waiting for a deadline, so that ticks are needed every WHEEL_TICK_NS?
 */
MUST_USE bool engine_busy(const struct engine *e);

/* engine_room: client questions that can be taken now. Under a batch the shell stops reading
 * clients. */
MUST_USE uint32_t engine_room(const struct engine *e);

/* engine_in_flight: client questions being worked on. */
MUST_USE uint32_t engine_in_flight(const struct engine *e);

/*
 * Upstreams. Numbers 0 to UPSTREAM_MAX - 1 stay with an address while it is configured or
 * has questions in flight. engine_upstream: its address, NULL if the number is free.
 * engine_upstream_active: may it get new questions, that is, should the shell keep sockets open for
 * it?
 */
MUST_USE const struct netaddr *engine_upstream(const struct engine *e, unsigned upstream);
MUST_USE bool engine_upstream_active(const struct engine *e, unsigned upstream);

/*
 * engine_spaces: how many ID spaces are in use, 1 to TXID_MAX_SPACES. The shell keeps a set of
 * sockets per active upstream and space. The number grows as the last space fills and does not
 * shrink.
 */
MUST_USE unsigned engine_spaces(const struct engine *e);

/*
 * engine_socket_add: make a newly connected upstream UDP socket known; returns its slot, -1 when
 * all slots are taken. engine_socket_use: new questions to its upstream under its space go out by
 * this one from now on. engine_socket_retire: no new questions. engine_socket_open: questions in
 * flight on it; a retired one with 0 may be closed. engine_socket_del: forget it (only with 0
 * open).
 */
MUST_USE int engine_socket_add(struct engine *e, unsigned upstream, unsigned space);
void engine_socket_use(struct engine *e, unsigned slot);
void engine_socket_retire(struct engine *e, unsigned slot);
MUST_USE unsigned engine_socket_open(const struct engine *e, unsigned slot);
void engine_socket_del(struct engine *e, unsigned slot);

/*
 * engine_socket_none: the shell cannot have a socket to this upstream, for lack of descriptors,
 * ports or memory. Until engine_socket_use questions for it end at once, and it is not to blame
 * (RULES D26).
 */
void engine_socket_none(struct engine *e, unsigned upstream);

/* engine_refused: the kernel reported ICMP unreachable on a UDP socket to this upstream. Lowers its
 * health, no more. */
void engine_refused(struct engine *e, unsigned upstream, uint64_t now_ns);

/*
 * engine_tcp_lost: the connection to this upstream ended or could not be had; questions open on it
 * are asked again elsewhere. ESTABLISHED: it had been up, so its questions may be asked once more
 * over a new one.
 */
void engine_tcp_lost(struct engine *e, unsigned upstream, bool established, uint64_t now_ns);

/*
 * engine_tcp_full: the question over TCP to this upstream that begins with ID was not taken: the
 * shell has no room for it, or no descriptor for a connection. It goes by UDP if it may, or ends;
 * the upstream is not to blame (RULES D26), and what else is open on the connection waits on.
 */
void engine_tcp_full(struct engine *e, unsigned upstream, uint16_t id, uint64_t now_ns);

/* engine_tcp_open: questions in flight over TCP to this upstream. */
MUST_USE unsigned engine_tcp_open(const struct engine *e, unsigned upstream);

#endif
