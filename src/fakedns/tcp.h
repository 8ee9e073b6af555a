/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_FAKEDNS_TCP_H
#define DNS64D_FAKEDNS_TCP_H

/* fake_tcp: TCP connections with pipelined questions (RFC 7766 section 6.2.1). */

#include <stdbool.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "fakedns/worker.h"

/*
 * fake_tcp_open: open a listening socket on A, which each thread may do (SO_REUSEPORT). Returns the
 * descriptor or -errno.
 */
MUST_USE int fake_tcp_open(const struct netaddr *a);

/* fake_tcp_accept: accept the connections that wait at the listening socket FD. */
void fake_tcp_accept(struct fake_worker *w, int fd);

/* fake_tcp_run: read, answer and write on connection INDEX as far as that does not block. */
void fake_tcp_run(struct fake_worker *w, uint32_t index);

/* fake_tcp_late: answer D, which is due, and give it back to the ring. */
void fake_tcp_late(struct fake_worker *w, struct fake_delayed *d, uint64_t now_ms);

/* fake_tcp_close_all: close all connections of the thread, if WITH_RESET with RST. */
void fake_tcp_close_all(struct fake_worker *w, bool with_reset);

#endif
