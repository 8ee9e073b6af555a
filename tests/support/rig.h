/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SUPPORT_RIG_H
#define DNS64D_TESTS_SUPPORT_RIG_H

/*
 * rig: a loop in a thread of its own between sockets of the test: clients on one side, an
 * upstream on the other, all on loopback. Nothing waits longer than RIG_WAIT_MS, which only a test
 * that fails does; what cannot be, fails the Check test.
 *
 * A test must hold on a busy machine: it waits for what happens (rig_until, rig_ready), not for so
 * many ms. Where lateness would make a difference it holds the clock (testclock). Where it does not
 * the upstream may be late and be asked again, so it takes each question once: a test asks for
 * another name each time.
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

/* rig_init: create the upstream's sockets, and the settings for it. */
void rig_init(struct rig *r);

/* rig_start: start the loop in its thread. */
void rig_start(struct rig *r);

/* rig_stop: end the loop, within GRACE_MS. */
void rig_stop(struct rig *r, uint32_t grace_ms);

/* rig_join: wait for the loop to end by itself after loop_stop. */
void rig_join(struct rig *r);

/* rig_end: stop if running, close everything. */
void rig_end(struct rig *r);

/* rig_bound: a non-blocking socket of TYPE on ADDR, whose port may be 0; listening if it is a
 * stream. */
int rig_bound(int type, const struct netaddr *addr);

/* rig_local: the local address of a socket. */
struct netaddr rig_local(int fd);

/* rig_addr: read an address; fails the test if it is none. */
struct netaddr rig_addr(const char *text, uint16_t port);

/* rig_connect: a non-blocking socket of TYPE connected to ADDR. */
int rig_connect(int type, const struct netaddr *addr);

/* rig_question: a question for NAME ("a.test") with ID to *m. */
void rig_question(struct rig_msg *m, uint16_t id, const char *name, uint16_t qtype);

/*
 * rig_reply: write a reply to the question Q to *m: N_A A records (192.0.2.1 and on), or none but
 * an SOA if N_A is 0.
 */
void rig_reply(struct rig_msg *m, const struct rig_msg *q, unsigned n_a);

/* rig_reply_tc: write an empty reply with TC to the question Q to *m. */
void rig_reply_tc(struct rig_msg *m, const struct rig_msg *q);

/*
 * rig_stamped: wait until the kernel stamps what comes to FD, a UDP socket of bind_open at ADDR
 * that nobody reads: it begins with that some time after it was asked to.
 */
void rig_stamped(int fd, const struct netaddr *addr);

/* rig_id: the ID of a message, in host byte order. */
uint16_t rig_id(const struct rig_msg *m);

/* rig_qtype: the type of a message's question. */
uint16_t rig_qtype(const struct rig_msg *m);

/* rig_rcode: the rcode in a message's header. */
unsigned rig_rcode(const struct rig_msg *m);

/* rig_answers: the number of records in a message's answer section. */
unsigned rig_answers(const struct rig_msg *m);

/* rig_ready: is FD readable within MS? */
bool rig_ready(int fd, int ms);

/* rig_send: send one datagram by a connected socket. */
void rig_send(int fd, const struct rig_msg *m);

/* rig_recv: receive one datagram on a connected socket. False: none comes. */
bool rig_recv(int fd, struct rig_msg *m);

/*
 * rig_take: receive, as the upstream, a datagram with a question that was not taken before.
 * Repeated questions are dropped, as the reply to the first is on its way or held by the test.
 */
bool rig_take(const struct rig *r, struct rig_msg *m);

/* rig_quiet: does no new question come to the upstream for MS ms? One that is sent again is let go.
 */
bool rig_quiet(const struct rig *r, int ms);

/* rig_give: send the datagram M, as the upstream, to M->from. */
void rig_give(const struct rig *r, const struct rig_msg *m);

/* rig_put: write one message to a stream. */
void rig_put(int fd, const struct rig_msg *m);

/* rig_get: read one message from a stream. False: the stream ended, or none comes. */
bool rig_get(int fd, struct rig_msg *m);

/* rig_closed: does the other side close FD in time, whatever else it sends before? */
bool rig_closed(int fd, int ms);

/* rig_accept: a connection at the upstream's TCP socket. */
int rig_accept(const struct rig *r);

/* rig_serve: as the upstream, answer N UDP questions: AAAA with nothing, A with one address. */
void rig_serve(const struct rig *r, unsigned n);

/* rig_serve_now: the same with all questions that are there, were they taken before or not. */
void rig_serve_now(const struct rig *r);

/* rig_stat: the loop's counter NAME. */
uint64_t rig_stat(const struct rig *r, const char *name);

/* rig_until: wait until the loop's counter NAME is at least N. False: it never is. */
bool rig_until(const struct rig *r, const char *name, uint64_t n);

/* rig_pause: sleep for MS. */
void rig_pause(long ms);

/* rig_now_ms: real time, in ms, while a test holds its clock (testclock), too. */
uint64_t rig_now_ms(void);

/* rig_descriptors: how many this process has open, one for looking included. */
unsigned rig_descriptors(void);

/* rig_until_descriptors: wait until there are N at most. False: there always are more. */
bool rig_until_descriptors(unsigned n);

/*
 * rig_idle: does the loop do nothing? While the caller works for MS of CPU time it may use a
 * quarter of that. It would have as much if it wanted it, on a busy machine too.
 */
bool rig_idle(unsigned ms);

#endif
