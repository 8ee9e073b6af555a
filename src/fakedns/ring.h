/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_FAKEDNS_RING_H
#define DNS64D_FAKEDNS_RING_H

/*
 * fake_ring: questions whose answers are delayed, in buckets of one millisecond.
 *
 * All memory is allocated at the start; the kernel supplies pages when they are used.
 * A ring belongs to one thread.
 */

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/attr.h"
#include "fakedns/pattern.h"

#define FAKE_RING_MS 32768     /* buckets; more than the longest delay, a power of two */
#define FAKE_QUESTION_MAX 1232 /* bytes of a question that fakedns takes */
#define FAKE_CONTROL 64        /* bytes of the control message with the address it was sent to */

struct fake_delayed {
	uint32_t next;       /* index + 1 of the next one in the list; 0: none */
	uint32_t connection; /* index + 1 of the TCP connection; 0: UDP */
	uint32_t generation; /* of that connection */
	uint32_t address;    /* UDP: index of the one that it came to */
	bool in_run;         /* UDP: it came in a run */
	struct fake_fate fate;
	socklen_t from_len;
	size_t control_len;
	struct sockaddr_storage from;
	_Alignas(size_t) uint8_t control[FAKE_CONTROL];
	size_t len;
	uint8_t bytes[FAKE_QUESTION_MAX];
};

struct fake_ring {
	struct fake_delayed *all;
	uint32_t cap;
	uint32_t fresh; /* those from here on were never used */
	uint32_t free;  /* list of the used ones that are free */
	uint32_t n;     /* waiting */
	uint64_t now_ms;
	uint32_t first[FAKE_RING_MS]; /* lists of index + 1 */
	uint32_t last[FAKE_RING_MS];
};

/* fake_ring_new: an empty ring for CAP questions; NULL without memory. */
MUST_USE struct fake_ring *fake_ring_new(uint32_t cap);

/* fake_ring_free: free the ring and its questions; NULL is fine. */
void fake_ring_free(struct fake_ring *r);

/*
 * fake_ring_add: add a question, due at DUE_MS, which is less than FAKE_RING_MS after NOW_MS; the
 * caller fills it in. NULL if the ring is full.
 */
MUST_USE struct fake_delayed *fake_ring_add(struct fake_ring *r, uint64_t now_ms, uint64_t due_ms);

/*
 * fake_ring_due: take out the next question due at NOW_MS or before; NULL without one. It is the
 * caller's until fake_ring_give or fake_ring_again.
 */
MUST_USE struct fake_delayed *fake_ring_due(struct fake_ring *r, uint64_t now_ms);

/* fake_ring_give: D, from fake_ring_due, is done with: its memory may be used again. */
void fake_ring_give(struct fake_ring *r, struct fake_delayed *d);

/* fake_ring_again: put D, from fake_ring_due, back into the ring, due at DUE_MS. */
void fake_ring_again(struct fake_ring *r, struct fake_delayed *d, uint64_t due_ms);

#endif
