/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_EXPLAIN_H
#define DNS64D_CORE_EXPLAIN_H

/*
 * explain: log, at level debug, why a question for AAAA gets no synthesized records. Only this and
 * the message about a refused client (core/request) are about a single query.
 */

#include "core/query.h"

/* explain: Q has its answer: log its reason if it is for AAAA and nothing is synthesized. */
void explain(const struct query *q);

#endif
