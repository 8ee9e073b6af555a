/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_NAT64_PROBE_H
#define DNS64D_NAT64_PROBE_H

/*
 * probe: one question to a target of prefix-check under one prefix, over a socket of its own that
 * nobody waits for. Main thread only.
 *
 *	tcp	the connection is accepted; it is reset then, so nobody keeps it
 *	dns	a reply with the question's ID and name, whatever its rcode
 *	icmp	an echo reply, by a ping socket, which needs no privilege but the group's
 *		(net.ipv4.ping_group_range)
 */

#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/rng.h"
#include "config/policy_lines.h"
#include "dns64/pref64.h"

struct probe;

/* What comes of it: WHY, in words, it was not answered; NULL: it was. Called once, as the last.
 * p->starved: it was not even asked, as this machine lacked descriptors or memory. */
typedef void probe_end(struct probe *p, const char *why);

struct probe {
	const struct policy_lines_check *check; /* borrowed */
	struct event *event;                    /* owned; NULL: it does not run */
	probe_end *end;
	int fd;       /* owned while it runs */
	uint16_t id;  /* of the question or the echo */
	bool garbage; /* something came that is no answer */
	bool starved; /* it was not asked, for lack of descriptors or memory */
};

/*
 * probe_start: ask C, borrowed for as long as P runs, under PREFIX, with random numbers of R. P,
 * which does not run, calls END, perhaps at once, unless probe_stop comes first.
 */
void probe_start(struct probe *p, struct event_base *base, const struct policy_lines_check *c,
    const struct pref64 *prefix, struct rng *r, probe_end *end);

/* probe_stop: P has had its time. Returns why it was not answered, in words; NULL: it did not run.
 */
const char *probe_stop(struct probe *p);

/* probe_try_icmp: can this process open a ping socket? Returns 0 or -errno. */
MUST_USE int probe_try_icmp(void);

#endif
