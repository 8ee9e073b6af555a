/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SUPPORT_RIG_H
#define DNS64D_TESTS_SUPPORT_RIG_H

/*
 * rig: a loop in a thread of its own between sockets of the test: clients on one side, an
 * upstream on the other, all on loopback. Nothing waits longer than RIG_WAIT_MS, which only a test
 * that fails does; what cannot be, fails the Check test.
 *
 * A test must hold on a busy machine: it waits for what happens (rig_until, rig_ready), not for so
 * many ms. The upstream may be late then and be asked again, so it takes each question once: a test
 * asks for another name each time.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/conf.h"
#include "io/bind.h"
#include "io/loop.h"

#define RIG_WAIT_MS 60000
#define RIG_QUIET_MS 60 /* long enough to believe that nothing comes */
#define RIG_MSG 65535
#define RIG_TAKEN 65536

#define RIG_A 1
#define RIG_AAAA 28

struct rig {
	struct conf conf; /* set by rig_init; to be changed before rig_start */
	struct loop *loop;
	pthread_t thread;
	bool running;
	int up_udp; /* the upstream: a UDP and a TCP socket of one port */
	int up_tcp;
	struct netaddr up;     /* where they are */
	uint64_t *taken;       /* RIG_TAKEN hashes of what it was asked by UDP; owned */
	const char *listen[2]; /* where it shall listen: set by rig_init, may be changed */
	struct netaddr at[2];  /* where it does: both, or the first twice if there is no IPv6 */
};

/* A datagram that the upstream got, or a message from a stream. */
struct rig_msg {
	uint8_t bytes[RIG_MSG];
	size_t len;
	struct netaddr from;
};

/* rig_init: an upstream and settings for it. rig_start: the loop. rig_stop: end it, within
 * GRACE_MS. */
void rig_init(struct rig *r);
void rig_start(struct rig *r);
void rig_stop(struct rig *r, uint32_t grace_ms);

/* rig_join: wait for the loop to end by itself after loop_stop. */
void rig_join(struct rig *r);

/* rig_end: stop if running, close everything. */
void rig_end(struct rig *r);

/* rig_bound: a non-blocking socket of TYPE on ADDR, whose port may be 0; listening if it is a
 * stream. */
int rig_bound(int type, const struct netaddr *addr);

/* rig_local: the address of a socket's own end. rig_addr: read one; fails the test. */
struct netaddr rig_local(int fd);
struct netaddr rig_addr(const char *text, uint16_t port);

/* rig_connect: a non-blocking socket of TYPE connected to ADDR. */
int rig_connect(int type, const struct netaddr *addr);

/* rig_question: a question for NAME ("a.test") with ID to *m. */
void rig_question(struct rig_msg *m, uint16_t id, const char *name, uint16_t qtype);

/*
 * rig_reply: make of the question Q a reply in *m: N_A A records (192.0.2.1 and on), or an empty
 * one with a SOA when there are none. TC: with TC set and nothing in it.
 */
void rig_reply(struct rig_msg *m, const struct rig_msg *q, unsigned n_a);
void rig_reply_tc(struct rig_msg *m, const struct rig_msg *q);

/* rig_id, rig_qtype, rig_rcode, rig_answers: of a message. */
uint16_t rig_id(const struct rig_msg *m);
uint16_t rig_qtype(const struct rig_msg *m);
unsigned rig_rcode(const struct rig_msg *m);
unsigned rig_answers(const struct rig_msg *m);

/* rig_ready: is FD readable within MS? */
bool rig_ready(int fd, int ms);

/* rig_send, rig_recv: one datagram of a connected socket; rig_recv is false if none comes. */
void rig_send(int fd, const struct rig_msg *m);
bool rig_recv(int fd, struct rig_msg *m);

/*
 * rig_take: a datagram at the upstream, with a question that was not taken before; those that were
 * are dropped, for the reply to the first one is under way or held by the test. rig_give: a
 * datagram from there to M->from.
 */
bool rig_take(const struct rig *r, struct rig_msg *m);
void rig_give(const struct rig *r, const struct rig_msg *m);

/* rig_put, rig_get: one message on a stream; rig_get is false at the end or if none comes. */
void rig_put(int fd, const struct rig_msg *m);
bool rig_get(int fd, struct rig_msg *m);

/* rig_closed: does the other side close FD in time, whatever else it sends before? */
bool rig_closed(int fd, int ms);

/* rig_accept: a connection at the upstream's TCP socket. */
int rig_accept(const struct rig *r);

/* rig_serve: as the upstream, answer N UDP questions: AAAA with nothing, A with one address. */
void rig_serve(const struct rig *r, unsigned n);

/* rig_serve_now: the same with all questions that are there, were they taken before or not. */
void rig_serve_now(const struct rig *r);

/* rig_stat: a counter of the loop by its name. rig_until: wait until it is N at least. */
uint64_t rig_stat(const struct rig *r, const char *name);
bool rig_until(const struct rig *r, const char *name, uint64_t n);

/* rig_pause: let MS pass. rig_now_ms: of the monotonic clock. */
void rig_pause(long ms);
uint64_t rig_now_ms(void);

/*
 * rig_idle: does the loop do nothing? While the caller works for MS of CPU time it may use a
 * quarter of that. It would have as much if it wanted it, on a busy machine too.
 */
bool rig_idle(unsigned ms);

#endif
