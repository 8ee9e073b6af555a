/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_ENGINE_ENGINE_H
#define DNS64D_ENGINE_ENGINE_H

/*
 * engine: the DNS64 forwarder without input and output. Messages, their senders and the time go in;
 * messages and their destinations come out. The engine has no socket, clock, thread or file, so the
 * same inputs, times and seed give the same outputs.
 *
 * The shell owns all buffers and pulls:
 *
 * 	engine_prepare(e, in, n)		once per receive batch
 * 	for each message:
 * 		engine_input(e, &in[i], now)
 * 		while (engine_next(e, udp_slot, tcp_buf, &send))
 * 			send it, or keep it in its send slot
 * 	on the tick:
 * 		engine_tick(e, now), then engine_next as above
 *
 * The bytes of an input must not change until engine_next has returned false. Call engine_next
 * until it returns false also after every other call below that takes the time: such a call may
 * have made messages ready.
 *
 * The shell owns the sockets. A client's message comes with a reference of the shell's (sock, gen),
 * which the answer carries back. The engine knows an upstream UDP socket by a slot number, each in
 * one ID space. There are up to TCP_POOL_SIZE TCP connections to an upstream: CONN below is that
 * number times the upstream's number, and the index of the connection.
 *
 * One thread per engine. engine_new allocates all memory; no other call allocates.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "core/conf.h"
#include "core/latency.h"
#include "core/packet.h"
#include "core/stats.h"
#include "engine/dnstap_tap.h"
#include "engine/explain.h"
#include "engine/querylog_tap.h"
#include "engine/top.h"
#include "outbound/tcp_pool.h"
#include "outbound/upstream_status.h"

struct engine;
struct inflight;

/*
 * engine_new: an engine for the settings in CONF (borrowed until the next engine_set_conf or
 * engine_free). SEED: NULL for the kernel's randomness, otherwise the seed of a reproducible run
 * (tests). NOW_NS here and below: ns of the shell's monotonic clock. Returns NULL with errno set
 * without memory.
 */
MUST_USE struct engine *engine_new(
    const struct conf_core *conf, const uint64_t *seed, uint64_t now_ns);

/* engine_free: free E; questions in flight get no answer. E may be NULL. */
void engine_free(struct engine *e);

/*
 * engine_set_conf: continue with the settings in CONF (borrowed like that of engine_new). Questions
 * in flight end under the new settings. Upstreams that are no longer configured get no new
 * questions. max_queries does not change.
 */
void engine_set_conf(struct engine *e, const struct conf_core *conf, uint64_t now_ns);

/*
 * engine_set_taps: tell Q of the answers that the settings select (conf_querylog), and hand D the
 * messages that they do (conf_dnstap). Both are borrowed as long as E lives, and count in
 * engine_stats; NULL: none.
 */
void engine_set_taps(struct engine *e, struct querylog_tap *q, struct dnstap_tap *d);

/*
 * engine_explain: what would become of the client's message IN? It goes its way, with upstream and
 * cache, as if the client had sent it, and its answer goes to T (explain_done), which is borrowed
 * until then. What is asked upstream for it is counted, and is in the cache as for any other; that
 * a client asked, or was answered, is not counted, nor logged, nor charged to its rate-limit. With
 * t->dry upstream is not asked. False: another question is explained now. The shell calls
 * engine_next as after engine_input, and the caller explain_fini in the end.
 */
MUST_USE bool engine_explain(
    struct engine *e, const struct packet_in *in, struct explanation *t, uint64_t now_ns);

/* engine_ignores: does this client get no answer, whatever it asks (deny ... drop)? */
MUST_USE bool engine_ignores(const struct engine *e, const struct netaddr *client);

/*
 * engine_set_unready: from now on health-name gets SERVFAIL for this reason, borrowed for as long
 * as E lives; NULL: the daemon is ready.
 */
void engine_set_unready(struct engine *e, const char *why);

/* engine_stats: the counters, owned by E. The shell increments its own fields there. */
struct stats *engine_stats(struct engine *e);

/*
 * engine_latency: how long the answers took that waited for upstream, by the times at which the
 * shell called; borrowed. Others left in the turn in which their questions came.
 */
const struct latency *engine_latency(const struct engine *e);

/*
 * engine_prepare: prefetch the memory that N messages, all of the same way, will need, before they
 * are handed in. Keeps no reference to IN.
 */
void engine_prepare(const struct engine *e, const struct packet_in *in, size_t n);

/* What became of a message. */
enum engine_taken {
	ENGINE_TAKEN,   /* a client's is answered once, at its deadline at the latest */
	ENGINE_DROPPED, /* a client's, which gets no answer */
	/*
	 * an upstream UDP socket is of no use any more, as somebody guesses the IDs of its
	 * questions: the shell replaces it before it calls engine_next
	 */
	ENGINE_SPOILT
};

/*
 * engine_input: take one message, borrowed until engine_next returns false; errors in it are
 * counted. When room is low a question that waits may give way to a new one (query_admit).
 */
enum engine_taken engine_input(struct engine *e, const struct packet_in *in, uint64_t now_ns);

/*
 * engine_work: a new turn of the shell begins: so much work as a turn may take is done again. True:
 * work is left from before, and engine_next has it done; the shell calls it until it returns false,
 * and does not wait for anything before the next turn.
 */
bool engine_work(struct engine *e, uint64_t now_ns);

/* engine_has_work: is work left for the next turn? */
MUST_USE bool engine_has_work(const struct engine *e);

/* engine_spent: has this turn had its work? What may wait for the next turn should. */
MUST_USE bool engine_spent(const struct engine *e);

/*
 * engine_next: write the next message to be sent, and its destination and length to *send.
 * UDP_SLOT: PACKET_UDP_CAP bytes, used for *_UDP. TCP_BUF: PACKET_TCP_CAP bytes, used for *_TCP,
 * without the length prefix. The contents of the other buffer are unspecified. False: nothing more
 * now.
 */
MUST_USE bool engine_next(struct engine *e, uint8_t udp_slot[static PACKET_UDP_CAP],
    uint8_t tcp_buf[static PACKET_TCP_CAP], struct packet_out *send);

/*
 * engine_tick: handle the deadlines up to NOW_NS, at most 256 in one call. True: more may be due.
 */
bool engine_tick(struct engine *e, uint64_t now_ns);

/* engine_busy: is any deadline set, so that the shell must call engine_tick every WHEEL_TICK_NS? */
MUST_USE bool engine_busy(const struct engine *e);

/* engine_capacity: how many client questions can be in flight. */
MUST_USE uint32_t engine_capacity(const struct engine *e);

/* engine_in_flight: how many client questions are in flight. */
MUST_USE uint32_t engine_in_flight(const struct engine *e);

/* engine_inflight: inflight_slice (engine/inflight) of the questions of E. */
MUST_USE bool engine_inflight(const struct engine *e, struct inflight *f);

/* engine_top: top_read (engine/top) of what E counts of its answers. */
void engine_top(struct engine *e, enum top_kind kind, struct top_counts **c, uint64_t now_ns);

/*
 * engine_upstream: an upstream as it is configured, or was last, owned by E; NULL if the number is
 * free. Numbers are 0 to UPSTREAM_MAX - 1; an upstream keeps its number while it is configured or
 * has questions in flight.
 */
MUST_USE const struct conf_upstream *engine_upstream(const struct engine *e, unsigned upstream);

/*
 * engine_upstream_active: may this upstream get new questions? If so, the shell keeps sockets open
 * for it.
 */
MUST_USE bool engine_upstream_active(const struct engine *e, unsigned upstream);

/* engine_upstream_good: is the upstream with this number neither in doubt nor down? */
MUST_USE bool engine_upstream_good(const struct engine *e, unsigned upstream);

/*
 * engine_fastest_ns: the smoothed round trip time over UDP of the fastest of the upstreams that may
 * get new questions, in nanoseconds; 0 before one was measured.
 */
MUST_USE uint64_t engine_fastest_ns(const struct engine *e);

/*
 * engine_upstreams: copy what is known of the upstreams that are configured to OUT, in that order.
 * Returns how many.
 */
MUST_USE size_t engine_upstreams(
    const struct engine *e, struct upstream_status out[static CONF_MAX_UPSTREAMS]);

/*
 * engine_spaces: how many ID spaces are in use, 1 to TXID_MAX_SPACES. The shell keeps a set of
 * sockets per active upstream and space. The number grows when the last space fills and never
 * shrinks.
 */
MUST_USE unsigned engine_spaces(const struct engine *e);

/*
 * engine_socket_add: make a newly connected upstream UDP socket known. Returns its slot, or -1 when
 * all slots are taken.
 */
MUST_USE int engine_socket_add(struct engine *e, unsigned upstream, unsigned space);

/* engine_socket_use: from now on send new questions for its upstream and space by this socket. */
void engine_socket_use(struct engine *e, unsigned slot);

/* engine_socket_retire: send no new questions by this socket. */
void engine_socket_retire(struct engine *e, unsigned slot);

/*
 * engine_socket_busy: is a question in flight on this socket? A retired socket without any may be
 * closed.
 */
MUST_USE bool engine_socket_busy(const struct engine *e, unsigned slot);

/*
 * engine_socket_del: forget this socket; its slot is free. Questions in flight on it wait on, but
 * get no reply to what left by it.
 */
void engine_socket_del(struct engine *e, unsigned slot);

/*
 * engine_socket_each: is each question to this upstream to leave by a socket of its own, as
 * somebody guesses IDs and TCP does not work (RULES D21)?
 */
MUST_USE bool engine_socket_each(const struct engine *e, unsigned upstream, uint64_t now_ns);

/*
 * engine_socket_none: the shell cannot open a socket to this upstream, for lack of descriptors,
 * ports or memory. Until engine_socket_use, questions for it end at once and the upstream is not
 * blamed (RULES D26).
 */
void engine_socket_none(struct engine *e, unsigned upstream);

/*
 * engine_refused: the kernel reported ICMP unreachable on the UDP socket in SLOT to this upstream;
 * SLOT -1: it let no socket to it be opened. A socket that questions went by has been replaced
 * before (engine_socket_use), as far as there is one. The questions in flight on SLOT are asked
 * again at once, at another upstream if there is one. As ICMP can be forged, a reply to them is
 * taken still, and the upstream is only in doubt by it.
 */
void engine_refused(struct engine *e, unsigned upstream, int slot, uint64_t now_ns);

/*
 * engine_unsent: the kernel did not take the question with this ID (host byte order) from the UDP
 * socket in SLOT. It is asked elsewhere at once, or again within some ms, and that is no silence of
 * its upstream (RULES D27). AWAY: it has no way to the upstream, of which engine_refused tells;
 * else it had no room.
 */
void engine_unsent(struct engine *e, unsigned slot, uint16_t id, bool away, uint64_t now_ns);

/*
 * engine_tcp_lost: the connection CONN ended or could not be opened. Questions in flight on it are
 * asked again at once. ESTABLISHED: the connection had been up, so they may be asked over a new one
 * (RFC 7766 section 6.2.4). The upstream is not blamed: it may well answer over UDP.
 */
void engine_tcp_lost(struct engine *e, unsigned conn, bool established, uint64_t now_ns);

/*
 * engine_tcp_full: the shell could not take the question with this ID (host byte order) over the
 * connection CONN: it has no room in its queue, or no descriptor for a connection. The question
 * goes over UDP if it may; else it is sent once more within 10 ms (RULES D27), and ends if there is
 * no room again. The upstream is not blamed (RULES D26). Other questions on the connection wait on.
 */
void engine_tcp_full(struct engine *e, unsigned conn, uint16_t id, uint64_t now_ns);

/* engine_tcp_open: how many questions are in flight over the connection CONN. */
MUST_USE unsigned engine_tcp_open(const struct engine *e, unsigned conn);

/*
 * engine_tcp_stuck: was the connection CONN silent for longer than a reply takes? It gets no new
 * questions. The shell closes it if the other end does not even acknowledge what was sent.
 */
MUST_USE bool engine_tcp_stuck(const struct engine *e, unsigned conn);

#endif
