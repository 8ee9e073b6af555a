/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_FAKEDNS_SETTINGS_H
#define DNS64D_FAKEDNS_SETTINGS_H

/* fake_settings: what fakedns is told to do. Shared by all threads, constant while they run. */

#include <stddef.h>

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

#endif
