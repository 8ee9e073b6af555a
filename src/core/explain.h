/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_EXPLAIN_H
#define DNS64D_CORE_EXPLAIN_H

/*
 * explain: log, at level debug, why a question for AAAA gets no synthesized records. Only this and
 * the message about a refused client (core/request) are about a single query.
 */

#include "base/attr.h"
#include "base/log.h"
#include "core/query.h"

/* explain_write: log WHY for Q, whatever the level. */
void explain_write(const struct query *q, const char *why);

/*
 * explain: log that Q, a question for AAAA from a client with DNS64, gets no synthesized records,
 * and WHY.
 */
static inline void
explain(const struct query *q, const char *why)
{
	if (UNLIKELY(log_enabled(LOG_LEVEL_DEBUG)))
		explain_write(q, why);
}

#endif
