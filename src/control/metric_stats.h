/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_METRIC_STATS_H
#define DNS64D_CONTROL_METRIC_STATS_H

/*
 * metric_stats: the counters of core/stats as metrics: some are samples of one family, told apart
 * by a label; all others have a family of their own.
 */

#include "control/metric_text.h"
#include "core/stats.h"

/* metric_stats_write: write the counters in ROWS to T. */
void metric_stats_write(struct metric_text *t, const struct stats_row rows[static STATS_N]);

/* metric_stats_one: write ROW as a family of its own. */
void metric_stats_one(struct metric_text *t, const struct stats_row *row);

#endif
