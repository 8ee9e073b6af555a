/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_POLICY_POLICY_COUNTERS_H
#define DNS64D_POLICY_POLICY_COUNTERS_H

/*
 * policy_counters: which of the counters in stats.clients a policy has. A policy keeps its counter
 * over changes of the settings for as long as it is for the same networks, and finds it again if it
 * comes back; so totals never begin anew. Main thread only.
 */

#include <stddef.h>
#include <stdint.h>

#include "core/stats.h"
#include "policy/policy.h"

/* Which counters are taken. All zero: none. */
struct policy_counters {
	size_t n;                         /* of the counters from 1 on */
	uint64_t networks[STATS_CLIENTS]; /* policy.networks, by counter */
};

/*
 * policy_counters_give: give each policy of PS its counter, policy 0 the counter 0. When all are
 * taken the others share the last one, POLICY_COUNTERS_SHARED. What has the right one already is
 * not written to, so loops may work with PS.
 */
#define POLICY_COUNTERS_SHARED (STATS_CLIENTS - 1)
void policy_counters_give(struct policy_counters *u, struct policies *ps);

#endif
