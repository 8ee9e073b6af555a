/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_FAKEDNS_SETTINGS_H
#define DNS64D_FAKEDNS_SETTINGS_H

/* fake_settings: what fakedns is told to do. Shared by all threads, constant while they run. */

#include <stddef.h>

#include "base/netaddr.h"
#include "fakedns/answer.h"
#include "fakedns/pattern.h"

#define FAKE_LISTEN_MAX 16
#define FAKE_THREADS_MAX 256

struct fake_settings {
	struct fake_policy policy;
	struct fake_pattern pattern;
	unsigned seed;        /* of all chances; 0: others each time */
	bool singles;         /* UDP: no runs of datagrams */
	bool tcp_ends;        /* connections end */
	unsigned tcp_answers; /* after so many answers; 0: when they are accepted */
	bool tcp_reset;       /* with RST */
	unsigned n_threads;
	size_t n_listen;
	struct netaddr listen[FAKE_LISTEN_MAX];
};

#endif
