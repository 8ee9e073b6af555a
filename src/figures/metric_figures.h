/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_FIGURES_METRIC_FIGURES_H
#define DNS64D_FIGURES_METRIC_FIGURES_H

/* metric_figures: the figures (figures/figures) as metrics. */

#include "figures/facts.h"
#include "figures/metric_text.h"

/* metric_figures_write: write to T all figures of F. */
void metric_figures_write(struct metric_text *t, const struct facts *f);

#endif
