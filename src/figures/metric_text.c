/* SPDX-License-Identifier: BSD-2-Clause */
#include "figures/metric_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *
metric_text_type(bool open_metrics)
{
	return open_metrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
			    : "text/plain; version=0.0.4; charset=utf-8";
}

static void
put(struct metric_text *t, const char *text)
{
	(void)evbuffer_add(t->out, text, strlen(text));
}

/* Write TEXT with what would end it, or the line, escaped; quotes in values of labels only. */
static void
put_escaped(struct metric_text *t, const char *text, bool quotes)
{
	for (const char *c = text; *c != '\0'; c++) {
		if (*c == '\\')
			put(t, "\\\\");
		else if (*c == '\n')
			put(t, "\\n");
		else if (*c == '"' && quotes)
			put(t, "\\\"");
		else
			(void)evbuffer_add(t->out, c, 1);
	}
}

/* Write TEXT, which is not empty, with a capital. */
static void
put_sentence(struct metric_text *t, const char *text)
{
	const char first[2] = { (char)toupper((unsigned char)text[0]), '\0' };

	put(t, first);
	put_escaped(t, text + 1, t->open_metrics);
}

/* What follows the family's name in its samples; in format 0.0.4 in its head too. */
static const char *
suffix(const struct metric *m)
{
	return m->kind == METRIC_COUNTER ? "_total" : m->kind == METRIC_INFO ? "_info" : "";
}

/* Is the unit of M the end of its name? Others have no place in OpenMetrics. */
static bool
ends_with_unit(const struct metric *m)
{
	size_t name = strlen(m->name), unit = strlen(m->unit);

	return name > unit && m->name[name - unit - 1] == '_' &&
	    strcmp(m->name + name - unit, m->unit) == 0;
}

void
metric_text_family(struct metric_text *t, const struct metric *m)
{
	static const char *const kinds[] = { [METRIC_COUNTER] = "counter",
		[METRIC_GAUGE] = "gauge",
		[METRIC_HISTOGRAM] = "histogram",
		[METRIC_INFO] = "info" };
	const char *kind = kinds[m->kind], *end = t->open_metrics ? "" : suffix(m);

	if (m->kind == METRIC_INFO && !t->open_metrics)
		kind = "gauge";
	t->now = m;
	(void)evbuffer_add_printf(t->out, "# HELP %s%s ", m->name, end);
	put_sentence(t, m->help);
	(void)evbuffer_add_printf(t->out, "\n# TYPE %s%s %s\n", m->name, end, kind);
	if (t->open_metrics && ends_with_unit(m))
		(void)evbuffer_add_printf(t->out, "# UNIT %s %s\n", m->name, m->unit);
}

static void
put_name(struct metric_text *t, const char *end, const struct metric_label *labels)
{
	(void)evbuffer_add_printf(t->out, "%s%s", t->now->name, end);
	for (size_t i = 0; labels != NULL && i < METRIC_LABELS && labels[i].name != NULL; i++) {
		(void)evbuffer_add_printf(t->out, "%s%s=\"", i == 0 ? "{" : ",", labels[i].name);
		put_escaped(t, labels[i].value, true);
		put(t, "\"");
		if (i + 1 == METRIC_LABELS || labels[i + 1].name == NULL)
			put(t, "}");
	}
}

void
metric_text_count(struct metric_text *t, const struct metric_label *labels, uint64_t value)
{
	put_name(t, suffix(t->now), labels);
	(void)evbuffer_add_printf(t->out, " %" PRIu64 "\n", value);
}

void
metric_text_value(struct metric_text *t, const struct metric_label *labels, double value)
{
	put_name(t, suffix(t->now), labels);
	(void)evbuffer_add_printf(t->out, " %.9g\n", value);
}

void
metric_text_latency(
    struct metric_text *t, const struct metric_label *labels, const struct latency *l)
{
	struct metric_label all[METRIC_LABELS] = { { NULL, NULL } };
	char bound[24];
	size_t n = 0;
	uint64_t sum = 0;

	while (labels != NULL && n + 1 < METRIC_LABELS && labels[n].name != NULL) {
		all[n] = labels[n];
		n++;
	}
	for (size_t i = 0; i < LATENCY_BUCKETS; i++) {
		(void)snprintf(bound, sizeof(bound), "%g", (double)latency_bounds_ns[i] / 1e9);
		all[n] = (struct metric_label){ "le", i + 1 < LATENCY_BUCKETS ? bound : "+Inf" };
		sum += l->n[i];
		put_name(t, "_bucket", all);
		(void)evbuffer_add_printf(t->out, " %" PRIu64 "\n", sum);
	}
	all[n].name = NULL;
	put_name(t, "_sum", all);
	(void)evbuffer_add_printf(t->out, " %.9g\n", (double)l->sum_ns / 1e9);
	put_name(t, "_count", all);
	(void)evbuffer_add_printf(t->out, " %" PRIu64 "\n", sum);
}

void
metric_text_end(struct metric_text *t)
{
	if (t->open_metrics)
		put(t, "# EOF\n");
}
