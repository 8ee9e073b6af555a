/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_FIGURES_METRIC_TEXT_H
#define DNS64D_FIGURES_METRIC_TEXT_H

/*
 * metric_text: metrics as text, in Prometheus' exposition format 0.0.4 and in OpenMetrics 1.0.
 *
 * The samples of a family come one after the other, behind its head. In OpenMetrics the name of a
 * counter's family has no "_total", that of its samples has it; here names are given without.
 */

#include <event2/buffer.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/latency.h"

#define METRIC_LABELS 4 /* of a sample, at most */

enum metric_kind { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM, METRIC_INFO };

/* A family. */
struct metric {
	const char *name; /* without _total and the like */
	enum metric_kind kind;
	const char *unit; /* "seconds"; in the text only if it is the end of the name */
	const char *help; /* one line, not empty; its first letter becomes a capital */
};

/* A label and its value, which may be any bytes of UTF-8. */
struct metric_label {
	const char *name;
	const char *value;
};

struct metric_text {
	struct evbuffer *out;     /* borrowed */
	bool open_metrics;        /* OpenMetrics */
	const struct metric *now; /* borrowed: the family that was begun last */
};

/* metric_text_type: the content type. */
const char *metric_text_type(bool open_metrics);

/* metric_text_family: begin the family M, which is borrowed until the next one begins. */
void metric_text_family(struct metric_text *t, const struct metric *m);

/*
 * metric_text_count: a sample of the family with a whole number; with its labels, which end with
 * the first whose name is NULL, or after METRIC_LABELS.
 */
void metric_text_count(struct metric_text *t, const struct metric_label *labels, uint64_t value);

/* metric_text_value: the same with any number. */
void metric_text_value(struct metric_text *t, const struct metric_label *labels, double value);

/*
 * metric_text_latency: the samples of the histogram L, in seconds, whose labels are fewer than
 * METRIC_LABELS.
 */
void metric_text_latency(
    struct metric_text *t, const struct metric_label *labels, const struct latency *l);

/* metric_text_end: end the text. */
void metric_text_end(struct metric_text *t);

#endif
