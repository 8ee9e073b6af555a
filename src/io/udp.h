/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_IO_UDP_H
#define DNS64D_IO_UDP_H

/*
 * udp: receive and send datagrams in batches, up to UDP_BATCH in one system call.
 *
 * The arrays that the kernel wants are built once; a receive resets only the entries that the last
 * one used. The engine writes datagrams to be sent into slots, in any order; they are grouped by
 * socket when they leave, questions by length, and runs of them are one message (io/udp_slot). If
 * the kernel does not take a run, its datagrams leave singly, and what becomes of one is not what
 * becomes of another. A kernel that does not know runs gets none.
 *
 * A datagram that the kernel refuses for lack of room (ENOBUFS, ENOMEM, EAGAIN) or of a way (EPERM,
 * unreachable) is sent again (RULES D27), and those behind it are not held up. An answer is copied
 * and tried every UDP_AGAIN_NS, until its client does not wait any more; a question goes back to
 * the engine.
 *
 * Runs are received as one message, too, where the kernel knows that (UDP_GRO, io/udp_pieces); each
 * datagram of a run is as if it had come by itself. Without it nothing differs but the time it
 * takes.
 *
 * Datagrams of clients wait in the socket's queue while they are more than can be served; those
 * that waited for too long there are dropped (udp_queue, RULES D32). One thread.
 */

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/attr.h"
#include "base/list.h"
#include "base/netaddr.h"
#include "base/pool.h"
#include "core/packet.h"
#include "io/udp_pieces.h"
#include "io/udp_slot.h"

#define UDP_BATCH 64  /* datagrams in one batch, and messages in one system call */
#define UDP_SLOTS 512 /* datagrams that wait for the end of an iteration */
/* For their bytes: each takes as many as it has, and a few may have more than most. */
#define UDP_TX_BYTES ((size_t)UDP_SLOTS * 1024 + PACKET_UDP_CAP)
#define UDP_KEPT UDP_SLOTS /* answers that wait to be sent again, at most */
#define UDP_STUCK 3 /* datagrams refused in a row for lack of room: the rest is not tried now */

#define UDP_AGAIN_NS 2000000ULL      /* from one attempt to send them to the next */
#define UDP_PATIENCE_NS 500000000ULL /* a client is not expected to wait longer (RULES D32) */
#define UDP_SINGLY_NS 60000000000ULL /* no runs where the kernel refused one for what it is */

/* Bytes from one slot to the next; the 192 spread DNS headers over the sets of the L1 cache. */
#define UDP_STRIDE (PACKET_UDP_CAP + 192)

/*
 * Where messages may be runs, up to 16 are received in one system call, each into a column of its
 * own; the next ones into the same columns, UDP_STRIDE bytes further on, if none before was longer
 * than that. So a batch of 64 single datagrams needs no 64 buffers of the longest run.
 */
#define UDP_COLUMNS 16
#define UDP_MESSAGE_CAP 65536 /* bytes of the longest run */
#define UDP_COLUMN (UDP_MESSAGE_CAP + UDP_BATCH / UDP_COLUMNS * (size_t)UDP_STRIDE)

#define UDP_YOUNG_NS 50000000ULL      /* a queue that was too old is emptied until this */
#define UDP_OVER_NS 20000000ULL       /* it is emptied if it goes on being too old for so long */
#define UDP_STEP_NS 100000000ULL      /* the clocks differ by more than before: one was set */
#define UDP_OLDEST_NS 600000000000ULL /* no queue is as old: the stamp is of another clock */

/* The address of a client, as the kernel writes it. */
union udp_name {
	struct sockaddr sa;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
};

/* Room for three control messages: an address of this machine, drops, the length of datagrams. */
struct udp_report {
	_Alignas(size_t) uint8_t bytes[CMSG_SPACE(sizeof(struct in6_pktinfo)) +
	    CMSG_SPACE(sizeof(uint32_t)) + CMSG_SPACE(sizeof(int))];
};

/* A batch of received datagrams. */
struct udp_rx {
	struct mmsghdr hdr[UDP_BATCH];
	struct iovec iov[UDP_BATCH];
	union udp_name name[UDP_BATCH];
	struct udp_report control[UDP_BATCH];
	struct udp_piece piece[UDP_BATCH]; /* the datagrams of the last udp_recv */
	struct udp_pieces pieces;          /* the messages received, and what is left of them */
	unsigned n_used;                   /* entries that the kernel wrote to last time */
	unsigned at_once;                  /* messages in the next system call, at most */
	int error;                         /* the next udp_recv returns it; 0: none */
	bool clients;                      /* from clients: the kernel reports addresses, too */
	bool runs;                         /* messages may be runs */
	bool full;                         /* the socket may have more messages */
};

/* How long datagrams wait in a socket's queue. */
struct udp_queue {
	uint64_t apart_ns; /* how far the wall clock is ahead of ours, modulo 2^64 */
	uint64_t trust_ns; /* nothing is judged before, as the wall clock was set */
	uint64_t over_ns;  /* since when they have been too old; 0: they are not */
	bool emptied;      /* until they are young */
};

/* Where datagrams go, by one socket or by several of them; their owner embeds it. */
struct udp_way {
	uint64_t singly_ns; /* until then no runs go there */
};

/* A socket that datagrams leave by; its owner embeds it. */
struct udp_out {
	int fd;                /* borrowed */
	bool upstream;         /* towards an upstream, and not towards clients */
	struct udp_way *way;   /* borrowed */
	struct udp_slot *head; /* first slot of its chain; valid when n > 0 */
	struct udp_slot *tail; /* last slot of its chain; valid when n > 0 */
	unsigned n;            /* datagrams waiting */
	unsigned n_kept;       /* answers that wait to be sent again */
	uint64_t stuck_ns;     /* when it had no room last, as far as answers are sent again */
	struct list link;      /* on udp_tx.dirty while n > 0 */
	struct list refused;   /* on udp_tx.refused after an error */
};

/* A question that the kernel refused. */
struct udp_unsent {
	struct udp_out *out; /* by which it did not leave */
	uint16_t id;         /* the message's, host byte order */
	bool away;           /* there is no way to the upstream; else there was no room */
};

/* Does the kernel know runs? */
enum udp_runs { UDP_RUNS_UNTRIED, UDP_RUNS_KNOWN, UDP_RUNS_UNKNOWN };

/* All datagrams that wait to be sent. */
struct udp_tx {
	struct udp_slot slots[UDP_SLOTS];
	struct mmsghdr hdr[UDP_BATCH];
	/* Of the socket whose datagrams leave now: their slots, in their order; bytes of runs. */
	struct udp_slot *at[UDP_SLOTS];
	struct iovec iov[UDP_SLOTS];
	enum udp_runs runs;
	uint8_t *bytes;      /* borrowed: UDP_TX_BYTES of them */
	size_t n_bytes;      /* of those the slots have */
	unsigned n;          /* slots filled */
	unsigned n_left;     /* of those, by sockets that were closed since */
	struct list dirty;   /* udp_out.link of sockets with datagrams that wait */
	struct list refused; /* udp_out.refused of sockets that ICMP refused */
	struct stats *stats; /* borrowed: send_* are counted there */
	struct udp_unsent unsent[UDP_SLOTS];
	unsigned n_unsent;   /* questions in unsent */
	unsigned n_returned; /* of those the first so many were taken off */
	struct pool kept;    /* struct udp_kept: answers that wait to be sent again */
	struct list again;   /* these, by age */
	uint64_t again_ns;   /* when they are tried next */
};

/* udp_rx_bytes: how much memory udp_rx_init takes; RUNS as there. */
MUST_USE static inline size_t
udp_rx_bytes(bool runs)
{
	return runs ? UDP_COLUMNS * UDP_COLUMN : (size_t)UDP_BATCH * UDP_STRIDE;
}

/*
 * udp_rx_init: prepare a batch that receives into BYTES, udp_rx_bytes of them, borrowed; batches
 * may share them, if each is taken to its end (udp_left) before another receives. CLIENTS: record
 * the source and destination address of each datagram. RUNS: messages may be runs
 * (udp_pieces_known).
 */
void udp_rx_init(struct udp_rx *rx, uint8_t *bytes, bool clients, bool runs);

/* udp_rx_socket: prepare the socket FD, before the first udp_recv: it gets runs if RX takes them.
 */
void udp_rx_socket(const struct udp_rx *rx, int fd);

/*
 * udp_recv: receive up to MAX (at most UDP_BATCH) datagrams from the non-blocking socket FD.
 * Returns their number, 0 when there are none, or -errno when the socket reports an error.
 *
 * A message is received whole, so a run may have datagrams beyond MAX. While udp_left, the next
 * calls return these and receive nothing; FD must be the same. So a turn of a socket is bounded in
 * messages: no more than 16 are received at once after fewer than MAX datagrams. If they had more
 * than MAX, half as many are received the next time, down to one.
 */
MUST_USE int udp_recv(struct udp_rx *rx, int fd, unsigned max);

/* udp_left: is there more of the messages that were received last? Then call udp_recv again. */
MUST_USE static inline bool
udp_left(const struct udp_rx *rx)
{
	return udp_pieces_left(&rx->pieces) || rx->error < 0;
}

/* udp_full: may FD of the last udp_recv have more messages? If not, all that waited was read. */
MUST_USE static inline bool
udp_full(const struct udp_rx *rx)
{
	return rx->full;
}

/* udp_msg: the bytes of datagram I of the last udp_recv; valid until the next one. */
static inline const uint8_t *
udp_msg(const struct udp_rx *rx, unsigned i)
{
	return rx->piece[i].bytes;
}

/* udp_len: the length in bytes of datagram I, as received: PACKET_UDP_CAP at most. */
static inline size_t
udp_len(const struct udp_rx *rx, unsigned i)
{
	return rx->piece[i].len;
}

/* udp_cut: was datagram I longer than PACKET_UDP_CAP, so that its end is lost? */
static inline bool
udp_cut(const struct udp_rx *rx, unsigned i)
{
	return rx->piece[i].cut;
}

/* udp_peer: write who sent datagram I of a batch from clients to *PEER. False: no IP address. */
MUST_USE static inline bool
udp_peer(const struct udp_rx *rx, unsigned i, struct netaddr *peer)
{
	return netaddr_from_sockaddr(&rx->name[rx->piece[i].message].sa, peer);
}

/*
 * udp_meta: read the control messages of datagram I of a batch from clients. *LOCAL becomes the
 * address that it was sent to, with port 0; its family is NETADDR_NONE when the socket does not
 * report it. *DROPS becomes the number of datagrams that the socket has dropped since it was
 * opened; it is untouched when the kernel reports none.
 */
void udp_meta(struct udp_rx *rx, unsigned i, struct netaddr *local, uint32_t *drops);

/*
 * udp_stamp: the time on the wall clock at which the kernel received the datagram that was read
 * last from the socket FD, of bind_open; 0 if it is not known.
 */
MUST_USE uint64_t udp_stamp(int fd);

/* udp_stamp_next: the same of the datagram that will be read next; 0 too if there is none. */
MUST_USE uint64_t udp_stamp_next(int fd);

/*
 * udp_discard: drop up to UDP_BATCH messages from the socket FD, unread, for a fraction of what
 * udp_recv takes. Returns how many datagrams they were.
 */
unsigned udp_discard(int fd);

/* udp_queue_init: nothing waits in Q, at the time NOW_NS, when it is WALL_NS on the wall clock. */
void udp_queue_init(struct udp_queue *q, uint64_t wall_ns, uint64_t now_ns);

/*
 * udp_queue_is_late: a whole batch was read, so more may wait. The newest of it, or the next one,
 * was received at STAMP_NS (0: not known) on the wall clock; WALL_NS and NOW_NS are both clocks
 * now. Has it waited for UDP_PATIENCE_NS, so that it is to be dropped?
 *
 * If that lasts UDP_OVER_NS there are more than can be served, and whoever is served next would be
 * almost as late. Then the queue is emptied: True until what is read has waited for less than
 * UDP_YOUNG_NS.
 */
MUST_USE bool udp_queue_is_late(
    struct udp_queue *q, uint64_t stamp_ns, uint64_t wall_ns, uint64_t now_ns);

/* udp_queue_is_empty: all that waited was read. */
static inline void
udp_queue_is_empty(struct udp_queue *q)
{
	q->over_ns = 0;
	q->emptied = false;
}

/*
 * udp_tx_init: prepare an empty set of slots in BYTES, UDP_TX_BYTES of them. BYTES and
 * STATS are borrowed. Returns 0 or -errno; on failure udp_tx_fini is not needed.
 */
MUST_USE int udp_tx_init(struct udp_tx *tx, uint8_t *bytes, struct stats *stats);

/* udp_tx_fini: free the memory of TX, which may be zeroed still; what waits is not sent. */
void udp_tx_fini(struct udp_tx *tx);

/*
 * udp_out_init: prepare OUT to send by the socket FD, to an upstream (UPSTREAM) or to clients. FD
 * and WAY, zeroed at first, are borrowed.
 */
void udp_out_init(struct udp_out *out, int fd, bool upstream, struct udp_way *way);

/*
 * udp_out_fini: the socket of OUT, towards clients, will be closed: send what waits for the flush,
 * and drop, and count, the answers that TX has kept.
 */
void udp_out_fini(struct udp_tx *tx, struct udp_out *out, uint64_t now_ns);

/* udp_out_fd: the socket of OUT. */
MUST_USE static inline int
udp_out_fd(const struct udp_out *out)
{
	return out->fd;
}

/* udp_out_close: close the socket of OUT, towards an upstream, by which nothing waits to leave. */
void udp_out_close(struct udp_out *out);

/* udp_out_waits: do datagrams of OUT wait for the flush? */
MUST_USE static inline bool
udp_out_waits(const struct udp_out *out)
{
	return out->n > 0;
}

/* udp_out_keeps: do answers of OUT wait to be sent again? */
MUST_USE static inline bool
udp_out_keeps(const struct udp_out *out)
{
	return out->n_kept > 0;
}

/* udp_tx_slot: PACKET_UDP_CAP free bytes for the next datagram. There is always a free slot. */
static inline uint8_t *
udp_tx_slot(struct udp_tx *tx)
{
	return tx->bytes + tx->n_bytes;
}

/*
 * udp_tx_answer: queue the first SEND->len bytes of udp_tx_slot to be sent by OUT to SEND->peer,
 * from SEND->local unless its family is NETADDR_NONE. True: no slot is left, so the caller flushes.
 */
MUST_USE bool udp_tx_answer(struct udp_tx *tx, struct udp_out *out, const struct packet_out *send);

/*
 * udp_tx_question: queue the first LEN bytes of udp_tx_slot, a message, to be sent by OUT, a
 * connected socket. True: no slot is left, so the caller flushes.
 */
MUST_USE bool udp_tx_question(struct udp_tx *tx, struct udp_out *out, size_t len);

/*
 * udp_tx_flush: send all datagrams that wait. What the kernel refuses is tried once more at once,
 * of a run each by itself; then answers are kept for udp_tx_again, questions are for
 * udp_tx_take_unsent, and what can never be sent is dropped and counted (send_failed). The caller
 * takes off the unsent before the next flush, and those that ICMP refused at some time.
 */
void udp_tx_flush(struct udp_tx *tx, uint64_t now_ns);

/* udp_tx_take_unsent: write one of the questions that did not leave to *UN. False: there is none.
 */
MUST_USE bool udp_tx_take_unsent(struct udp_tx *tx, struct udp_unsent *un);

/* udp_tx_take_refused: one of the upstreams' sockets that met an ECONNREFUSED; NULL: none did. */
MUST_USE struct udp_out *udp_tx_take_refused(struct udp_tx *tx);

/*
 * udp_tx_again: send the answers that were kept, if it is time. One whose client does not wait any
 * more (UDP_PATIENCE_NS), or that was refused again though not for lack of room, is dropped and
 * counted (send_failed).
 */
void udp_tx_again(struct udp_tx *tx, uint64_t now_ns);

/* udp_tx_waits: are answers kept, so that udp_tx_again must be called every few ms? */
MUST_USE static inline bool
udp_tx_waits(const struct udp_tx *tx)
{
	return tx->kept.n_used > 0;
}

#endif
