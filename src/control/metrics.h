/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_METRICS_H
#define DNS64D_CONTROL_METRICS_H

/*
 * metrics: all that is counted and measured, for Prometheus and whoever understands its formats
 * (control/metric_text). One table has a row for each family of metrics. A counter of core/stats
 * that no row names has a family of its own: dns64d_<counter>_total.
 *
 * Labels are few and known: none is a client or a name that was asked for.
 */

#include <event2/buffer.h>
#include <stdbool.h>

#include "control/facts.h"

/* metrics_write: append all metrics of F to OUT; in OpenMetrics if OPEN_METRICS. */
void metrics_write(struct evbuffer *out, const struct facts *f, bool open_metrics);

#endif
