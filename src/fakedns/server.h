/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_FAKEDNS_SERVER_H
#define DNS64D_FAKEDNS_SERVER_H

/*
 * fake_server: the threads of fakedns. Each has its own sockets on every address (SO_REUSEPORT);
 * they share the settings only. The counters of a thread are read when it has ended.
 */

#include "base/attr.h"
#include "base/netaddr.h"
#include "fakedns/counters.h"
#include "fakedns/settings.h"

struct fake_server;

/*
 * fake_server_new: a server with sockets on all addresses of S, which is copied, and no thread yet,
 * to *out. Where ports are 0 they become the one that the kernel chose for the first. Returns 0 or
 * -errno, -EADDRINUSE also if another fakedns has an address; then *failed is the address meant, of
 * family NETADDR_NONE when no address is to blame.
 */
MUST_USE int fake_server_new(
    const struct fake_settings *s, struct fake_server **out, struct netaddr *failed);

/* fake_server_settings: as given, the ports filled in; lives as long as F. */
MUST_USE const struct fake_settings *fake_server_settings(const struct fake_server *f);

/* fake_server_start: start the threads. Returns 0, or -errno; then none runs. */
MUST_USE int fake_server_start(struct fake_server *f);

/* fake_server_stop: end the threads, wait for them, and add up in *sum what they counted. */
void fake_server_stop(struct fake_server *f, struct fake_counters *sum);

/* fake_server_free: close all sockets; not while threads run. */
void fake_server_free(struct fake_server *f);

#endif
