/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_EXPLAIN_H
#define DNS64D_CORE_EXPLAIN_H

/*
 * explain: at the level debug, why a question for AAAA is answered without synthesized ones.
 * Besides that of a refused client (core/request) it is the only message about one query.
 */

#include "base/attr.h"
#include "base/log.h"
#include "core/query.h"

/* explain_write: the line. */
void explain_write(const struct query *q, const char *why);

/* explain: Q, for AAAA where there might be DNS64, gets nothing synthesized: WHY. */
static inline void
explain(const struct query *q, const char *why)
{
	if (UNLIKELY(log_enabled(LOG_LEVEL_DEBUG)))
		explain_write(q, why);
}

#endif
