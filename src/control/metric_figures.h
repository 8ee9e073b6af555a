/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_METRIC_FIGURES_H
#define DNS64D_CONTROL_METRIC_FIGURES_H

/* metric_figures: the figures (control/figures) as metrics. */

#include "control/facts.h"
#include "control/metric_text.h"

/* metric_figures_write: write to T all figures of F. */
void metric_figures_write(struct metric_text *t, const struct facts *f);

#endif
