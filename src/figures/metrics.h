/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_FIGURES_METRICS_H
#define DNS64D_FIGURES_METRICS_H

/*
 * metrics: all that is counted and measured, for Prometheus and whoever understands its formats
 * (figures/metric_text). Each figure (figures/figures) is a family of its own, but a counter of
 * core/stats that another figure tells in parts.
 *
 * Labels are few and known: none is a client or a name that was asked for.
 */

#include <event2/buffer.h>
#include <stdbool.h>

#include "figures/facts.h"

/* metrics_write: append all metrics of F to OUT; in OpenMetrics if OPEN_METRICS. */
void metrics_write(struct evbuffer *out, const struct facts *f, bool open_metrics);

#endif
