/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_ORDERED_H
#define DNS64D_DAEMON_ORDERED_H

/*
 * ordered: an order of the operator (config/orders) is handed to all loops, as by a reload whose
 * configuration differs only there. Main thread only.
 */

#include "base/attr.h"
#include "config/orders.h"
#include "config/settings.h"
#include "control/host_ops.h"
#include "daemon/threads.h"

/*
 * ordered_change: do what W says: change *s->orders, and what the loops of T work by. On an error
 * nothing is changed, and ERROR has the reason. Not while threads_pending.
 */
MUST_USE enum host_verdict ordered_change(
    struct settings *s, struct threads *t, const struct order *w, char error[static HOST_ERROR]);

/*
 * ordered_is_due: is an order of O over at NOW_NS, and to be ended? PENDING (threads_pending): a
 * loop has not taken the change before, which is waited for THREADS_TAKE_MS at most, so that one
 * that stands still does not hold the others.
 */
MUST_USE bool ordered_is_due(const struct orders *o, bool pending, uint64_t now_ns);

/*
 * ordered_expire: end the orders of S whose time is over at NOW_NS. Without memory the loops still
 * work by them, which the log says, and it is tried again each second, or with the next order. When
 * ordered_is_due.
 */
void ordered_expire(struct settings *s, struct threads *t, uint64_t now_ns);

#endif
