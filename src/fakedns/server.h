/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_FAKEDNS_SERVER_H
#define DNS64D_FAKEDNS_SERVER_H

/*
 * fake_server: the threads of fakedns. Each has sockets of its own on every address
 * (SO_REUSEPORT) and shares nothing but the settings; its counters are read when it has ended.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "fakedns/answer.h"

#define FAKE_LISTEN_MAX 16
#define FAKE_THREADS_MAX 256
#define FAKE_DELAY_MAX 15000 /* ms, of delay and of jitter each */

struct fake_settings {
	struct fake_policy policy;
	unsigned n_threads;
	unsigned delay_ms;         /* of every answer */
	unsigned jitter_ms;        /* at most this more, drawn for each */
	unsigned loss_percent;     /* of the questions over UDP: ignored */
	unsigned truncate_percent; /* of the answers over UDP: TC instead of records */
	size_t n_listen;
	struct netaddr listen[FAKE_LISTEN_MAX];
};

struct fake_counters {
	uint64_t questions; /* all that came in */
	uint64_t answers;
	uint64_t lost; /* ignored by loss_percent */
	uint64_t mute; /* names that never get a reply */
	uint64_t malformed;
	uint64_t unsent; /* answers that did not get out, or no room to wait */
};

struct fake_server;

/*
 * fake_server_new: sockets on all addresses, no thread yet. Where ports are 0 they become the
 * one that the kernel chose for the first. 0 or -errno, with *failed the address meant, of
 * family NETADDR_NONE when no address is to blame.
 */
MUST_USE int fake_server_new(
    const struct fake_settings *s, struct fake_server **out, struct netaddr *failed);

/* fake_server_settings: as given, the ports filled in. */
const struct fake_settings *fake_server_settings(const struct fake_server *f);

/* fake_server_start: 0 or -errno; then nothing runs. */
MUST_USE int fake_server_start(struct fake_server *f);

/* fake_server_stop: end the threads and add up what they counted. */
void fake_server_stop(struct fake_server *f, struct fake_counters *sum);

/* fake_server_free: close all; not while it runs. */
void fake_server_free(struct fake_server *f);

#endif
