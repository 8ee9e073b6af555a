/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_FAKEDNS_UDP_H
#define DNS64D_FAKEDNS_UDP_H

/* fake_udp: questions and answers in batches of one system call. */

#include "base/attr.h"
#include "base/netaddr.h"
#include "fakedns/worker.h"

/*
 * fake_udp_open: a bound socket, SHARED among threads or the only one on its address. Returns the
 * descriptor or -errno.
 */
MUST_USE int fake_udp_open(const struct netaddr *a, bool shared);

/* fake_udp_batch_new: buffers of one thread, NULL without memory; freed with free(). */
MUST_USE struct fake_batch *fake_udp_batch_new(void);

/* fake_udp_read: answer, or put aside, what waits at FD (within reason). */
void fake_udp_read(struct fake_worker *w, int fd);

/* fake_udp_late: answer D, whose time has come. fake_udp_flush: send, give back to the ring. */
void fake_udp_late(struct fake_worker *w, struct fake_delayed *d);
void fake_udp_flush(struct fake_worker *w);

#endif
