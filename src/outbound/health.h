/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_OUTBOUND_HEALTH_H
#define DNS64D_OUTBOUND_HEALTH_H

/*
 * health: which upstreams reply (RULES D27).
 *
 * It is "good" while it replies. It is "in doubt" when three attempts in a row were silent, or the
 * kernel said that it refuses: it is asked if no good one is left, and probed at once and then
 * every half second. It is "down" when it was silent to all of these probes too, for three seconds,
 * or refused them all, for 1.6: it is asked if no other is left. Probes go on, less and less often.
 *
 * With the first probe, and again now and then, another way to ask it is searched for
 * (outbound/ways): it may answer only questions without EDNS, say.
 *
 * A right reply to anything makes it good; that to a probe by another way only if this is learned.
 * Names alone never take it down, as nobody replies for some. A connection over TCP that was not to
 * be had says nothing of UDP. The state is that of one loop; but of all loops together one sends
 * the probes, and each hears of the reply (outbound/shared_health).
 *
 * It also keeps what the operator is told of an upstream whose replies are all errors.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/rng.h"
#include "dns/proto.h"
#include "outbound/choice.h"
#include "outbound/upstream.h"

#define HEALTH_SILENCES 3    /* in a row put it in doubt */
#define HEALTH_LOOK_MS 250   /* between looks at what other loops know */
#define HEALTH_DOUBT_MS 500  /* between probes while it is in doubt */
#define HEALTH_LOST_MS 3000  /* of silence to probes take it down, or two of its waits if longer */
#define HEALTH_LOST_PROBES 3 /* over UDP, at least */
#define HEALTH_REFUSED_MS 1600 /* likewise, if all of them were refused */
#define HEALTH_REFUSED_PROBES 2
/* between probes while it is down: an eighth of the time since the first, and in these bounds, */
#define HEALTH_LEAST_MS 400
#define HEALTH_MOST_MS 5000    /* and up to a fifth more or less */
#define HEALTH_TCP_EACH 4      /* of so many probes one goes over TCP */
#define HEALTH_ERRORS 20       /* replies in a row that are errors, and */
#define HEALTH_ERRORS_MS 10000 /* ms that they last, before this is logged */

/*
 * health_recover: the part of health_on_reply for an upstream that was silent. Returns true when U
 * was down.
 */
bool health_recover(struct upstreams *us, unsigned u, uint64_t now_ns);

/* health_on_reply: U gave a right reply. True: it was down; failing_ns says since when. */
static inline bool
health_on_reply(struct upstreams *us, unsigned u, uint64_t now_ns)
{
	return UNLIKELY(us->table[u].failures.n > 0) && health_recover(us, u, now_ns);
}

/*
 * health_on_silence: an attempt to U over OVER, no probe, got no reply in its time: it costs U of
 * its share. Over UPSTREAM_PRIMARY it counts against U; over UPSTREAM_FALLBACK it does not.
 */
void health_on_silence(struct upstreams *us, unsigned u, enum upstream_over over, uint64_t now_ns);

/*
 * health_on_overtaken: the first attempt to U, which was exploring, had no reply after
 * choice_early_ns. It counts as silence, but costs no more than that time says.
 */
void health_on_overtaken(struct upstreams *us, unsigned u, uint64_t now_ns);

/* health_on_refused: the kernel reported U unreachable: it is in doubt. */
void health_on_refused(struct upstreams *us, unsigned u, uint64_t now_ns);

/* health_on_probe_sent: a probe of U, by the way that questions go, has left over UDP. */
void health_on_probe_sent(struct upstreams *us, unsigned u);

/* health_on_probe_unsent: the kernel had no room for that probe after all: it does not count. */
void health_on_probe_unsent(struct upstreams *us, unsigned u);

/*
 * health_on_no_tcp: no connection to U was to be had. If that is its primary transport it is as if
 * refused; else this costs U of its share only.
 */
void health_on_no_tcp(struct upstreams *us, unsigned u, uint64_t now_ns);

/*
 * health_on_way: a probe of U by WAY, which may be another way than questions go, got a reply. If
 * WAYS_LEARNED the caller calls health_on_reply too.
 */
MUST_USE enum ways_found health_on_way(
    struct upstreams *us, unsigned u, enum way way, uint64_t now_ns);

/* What the timer of an upstream leads to. */
enum health_due {
	HEALTH_NOTHING,
	HEALTH_PROBE,    /* the caller starts a probe, by the way probe_way */
	HEALTH_WENT_DOWN /* it is down from now on */
};

/* health_on_timer: the timer of U (struct upstream.probe) fired. It is set again if need be. */
MUST_USE enum health_due health_on_timer(
    struct upstreams *us, unsigned u, struct rng *rng, uint64_t now_ns);

/*
 * health_lost_ns: the silence to probes that takes U down, and how long to wait for the reply to
 * one.
 */
MUST_USE uint64_t health_lost_ns(const struct upstreams *us, unsigned u);

/*
 * health_on_error: U replied with the error RCODE over OVER. It costs U of its share, and an
 * upstream whose replies are all errors is reported to the operator.
 */
void health_on_error(
    struct upstreams *us, unsigned u, enum upstream_over over, uint16_t rcode, uint64_t now_ns);

/* health_on_good: U replied without error, while its n_errors is not 0. */
void health_on_good(struct upstreams *us, unsigned u);

/*
 * health_on_rcode: U replied with RCODE over OVER: calls health_on_error or health_on_good. Call it
 * before upstreams_learn: what a question costs is charged by the first of them.
 */
static inline void
health_on_rcode(
    struct upstreams *us, unsigned u, enum upstream_over over, uint16_t rcode, uint64_t now_ns)
{
	if (UNLIKELY(rcode != DNS_NOERROR && rcode != DNS_NXDOMAIN))
		health_on_error(us, u, over, rcode, now_ns);
	else if (UNLIKELY(us->table[u].errors.n > 0))
		health_on_good(us, u);
}

#endif
