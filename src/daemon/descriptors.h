/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_DESCRIPTORS_H
#define DNS64D_DAEMON_DESCRIPTORS_H

/*
 * descriptors: the limit of open descriptors (RLIMIT_NOFILE), which a busy daemon must not meet.
 */

#include <sys/resource.h>

#include "base/attr.h"
#include "config/settings.h"

/*
 * descriptors_needed: how many descriptors the process can have open at a time with N_LOOPS loops
 * under S: listening sockets, connections of clients, and sockets towards upstreams, all at their
 * limits.
 */
MUST_USE rlim_t descriptors_needed(const struct settings *s, unsigned n_loops);

/*
 * descriptors_raise: raise the limit to NEED, or as far as that is permitted, and then warn in the
 * log. A limit that is higher already stays.
 */
void descriptors_raise(rlim_t need);

#endif
