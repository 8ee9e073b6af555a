/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_SUPPORT_KNOWN_H
#define DNS64D_SUPPORT_KNOWN_H

/*
 * known: facts that are made up: of two loops and two upstreams, one of them down.
 */

#include "config/settings.h"
#include "figures/facts.h"

struct known {
	struct settings settings;
	struct listens_waits waits; /* one */
	struct host_upstreams upstreams;
	struct facts facts; /* may be changed */
};

extern struct known known;

/* known_open: begin anew with settings of TEXT, a configuration; the rest is always the same. */
void known_open(const char *text);

/* known_setup: known_open with one nameserver and the prefix 64:ff9b::/96. */
void known_setup(void);

/* known_close: free what is known. */
void known_close(void);

#endif
