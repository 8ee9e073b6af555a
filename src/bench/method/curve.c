/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/method/curve.h"

#include <stdlib.h>
#include <string.h>

#include "bench/method/series.h"
#include "bench/method/watch.h"
#include "bench/result/text.h"

/* The trials at one rate. */
struct same {
	const json_t **trial;
	size_t n;
};

static json_int_t
rate_of(const json_t *record)
{
	return json_integer_value(json_object_get(record, "rate"));
}

static int
by_rate(const void *a, const void *b)
{
	json_int_t x = rate_of(*(const json_t *const *)a), y = rate_of(*(const json_t *const *)b);

	return (x > y) - (x < y);
}

/* The mean of the numbers that are not null; null if there is none. */
static json_t *
mean(double sum, unsigned n)
{
	return n > 0 ? json_real(sum / n) : json_null();
}

static json_t *
mean_of(const struct same *s, const char *key)
{
	double sum = 0;
	unsigned n = 0;

	for (size_t i = 0; i < s->n; i++) {
		const json_t *v = json_object_get(s->trial[i], key);

		sum += json_number_value(v);
		n += json_is_number(v);
	}
	return mean(sum, n);
}

/* The share of right answers in time, in percent. */
static json_t *
valid_share(const struct same *s)
{
	double valid = 0, sent = 0;

	for (size_t i = 0; i < s->n; i++) {
		valid += json_number_value(json_object_get(s->trial[i], "valid"));
		sent += json_number_value(json_object_get(s->trial[i], "sent"));
	}
	return sent > 0 ? json_real(100 * valid / sent) : json_null();
}

/* Column K of the server's usage. */
static json_t *
server_mean(const struct same *s, size_t k)
{
	double sum = 0;
	unsigned n = 0;

	for (size_t i = 0; i < s->n; i++) {
		const json_t *v = json_array_get(json_object_get(s->trial[i], "server"), k);

		sum += json_number_value(v);
		n += json_is_number(v);
	}
	return mean(sum, n);
}

static void
add_row(const struct bench_job *job, struct bench_table *t, const struct same *s)
{
	json_t *row = json_pack("[I,o,o,o]", rate_of(s->trial[0]), valid_share(s),
	    mean_of(s, "rtt_p50"), mean_of(s, "rtt_p99"));

	for (size_t k = 0; job->dut != NULL && k < BENCH_WATCH_COLUMNS; k++)
		(void)json_array_append_new(row, server_mean(s, k));
	bench_table_add(t, row);
}

/* List the trials of the server, in the order of their rates, in LIST; returns how many. */
static size_t
sort(const json_t *records, const json_t **list)
{
	size_t n = 0;

	for (size_t i = 0; i < json_array_size(records); i++) {
		const json_t *record = json_array_get(records, i);

		if (json_integer_value(json_object_get(record, "repetition")) > 0 &&
		    strcmp(bench_text_get(record, "verdict"),
			bench_series_verdict(BENCH_NO_VERDICT)) != 0)
			list[n++] = record;
	}
	qsort(list, n, sizeof(const json_t *), by_rate);
	return n;
}

void
bench_curve(const struct bench_job *job, const json_t *records)
{
	static const struct bench_column columns[] = {
		{ "rate", "rate", "1/s", 0 },
		{ "valid", "valid answers", "%", 2 },
		{ "rtt_p50", "RTT median", "us", 0 },
		{ "rtt_p99", "RTT p99", "us", 0 },
	};
	const json_t **list = calloc(json_array_size(records) + 1, sizeof(*list));

	if (list == NULL) {
		bench_run_fail(job->run, "out of memory");
		return;
	}
	size_t n = sort(records, list);
	struct bench_table *t =
	    n == 0 ? NULL : bench_watch_table(job, "rates", "The server at each rate", columns, 4);
	for (size_t i = 0; i < n;) {
		struct same s = { .trial = list + i };

		while (i < n && rate_of(list[i]) == rate_of(s.trial[0]))
			i++;
		s.n = (size_t)(list + i - s.trial);
		add_row(job, t, &s);
	}
	free((void *)list);
}
