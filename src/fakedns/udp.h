/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_FAKEDNS_UDP_H
#define DNS64D_FAKEDNS_UDP_H

/* fake_udp: questions and answers over UDP, in batches of one system call. */

#include "base/attr.h"
#include "base/netaddr.h"
#include "fakedns/worker.h"

/*
 * fake_udp_open: open a socket bound to A as S says. SHARED: each thread may have one there
 * (SO_REUSEPORT); else it must be the only one. Returns the descriptor or -errno.
 */
MUST_USE int fake_udp_open(const struct netaddr *a, const struct fake_settings *s, bool shared);

/* fake_udp_batch_new: the buffers of one thread, for free(); NULL without memory. */
MUST_USE struct fake_batch *fake_udp_batch_new(void);

/*
 * fake_udp_read: answer or delay the questions that wait at the socket of address INDEX, some
 * batches at most.
 */
void fake_udp_read(struct fake_worker *w, uint32_t index);

/*
 * fake_udp_late: answer D, which is due; the answer is sent with fake_udp_flush or before. If its
 * address is closed it is unsent.
 */
void fake_udp_late(struct fake_worker *w, struct fake_delayed *d);

/* fake_udp_flush: send the answers of fake_udp_late and give their questions back to the ring. */
void fake_udp_flush(struct fake_worker *w);

#endif
