/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_FAKEDNS_WORKER_H
#define DNS64D_FAKEDNS_WORKER_H

/*
 * fake_worker: what one thread of fakedns has, and what fake_udp and fake_tcp need of it.
 * fake_server makes it and runs the thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fakedns/counters.h"
#include "fakedns/ring.h"
#include "fakedns/settings.h"

#define FAKE_CONNECTIONS 512    /* open at once, per thread; more are closed at once */
#define FAKE_DELAYED_MAX 131072 /* questions that wait for their time, per thread */

/* What an epoll event is about: a kind and an index into the thread's sockets. */
enum fake_event { FAKE_EVENT_WAKE, FAKE_EVENT_UDP, FAKE_EVENT_LISTENER, FAKE_EVENT_CONNECTION };

struct fake_batch;
struct fake_connection;

struct fake_worker {
	const struct fake_settings *s;
	int epoll_fd;
	int wake_fd; /* eventfd: readable when the thread is to end */
	int udp_fd[FAKE_LISTEN_MAX];
	int tcp_fd[FAKE_LISTEN_MAX];
	struct fake_batch *batch;
	struct fake_ring *ring;               /* NULL without delays */
	struct fake_connection **connections; /* FAKE_CONNECTIONS of them, NULL where free */
	uint32_t generation;                  /* of the connection accepted last */
	bool closed;                          /* the addresses are, in an outage that refuses */
	bool plain; /* nothing befalls questions: the pattern need not be asked */
	struct fake_past past;
	struct fake_counters counters;
};

/*
 * fake_worker_watch: wait for EVENTS of epoll(7) on FD; the thread is told them with KIND and
 * INDEX. Returns 0 or -errno.
 */
MUST_USE int fake_worker_watch(
    struct fake_worker *w, int fd, uint32_t events, enum fake_event kind, uint32_t index);

/*
 * fake_worker_fate: what befalls the LEN bytes at BYTES, which come now; counted. The question is
 * to be answered at once (FAKE_NOW), to be put aside (FAKE_LATER) or to be ignored.
 */
enum fake_when { FAKE_NEVER, FAKE_NOW, FAKE_LATER };
MUST_USE enum fake_when fake_worker_fate(
    struct fake_worker *w, const uint8_t *bytes, size_t len, bool tcp, struct fake_fate *fate);

/*
 * fake_worker_delay: put a question of LEN bytes (at most FAKE_QUESTION_MAX) aside until its answer
 * is due by its fate; the caller fills in where it came from. NULL, counted as unsent, without
 * room.
 */
MUST_USE struct fake_delayed *fake_worker_delay(
    struct fake_worker *w, const uint8_t *bytes, size_t len, const struct fake_fate *fate);

/*
 * fake_worker_answer: fake_answer with this thread's settings: writes to CAP bytes (>= 512) at OUT,
 * returns the length, 0 for no answer. Counts what is malformed and mute.
 */
MUST_USE size_t fake_worker_answer(
    struct fake_worker *w, const struct fake_question *q, uint8_t *out, size_t cap);

#endif
