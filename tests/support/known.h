/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_SUPPORT_KNOWN_H
#define DNS64D_SUPPORT_KNOWN_H

/*
 * known: facts that are made up: of two loops and two upstreams, one of them down.
 */

#include "config/settings.h"
#include "control/facts.h"

struct known {
	struct settings settings;
	struct listens_waits waits; /* one */
	struct ask_views views;
	struct facts facts; /* may be changed */
};

/* known_open: settings of TEXT, a configuration; the rest is always the same. */
void known_open(struct known *k, const char *text);

/* known_close: free what K owns. */
void known_close(struct known *k);

#endif
