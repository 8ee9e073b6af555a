/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/played.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "bench/options.h"
#include "support/text.h"

void
played_settings(const char *line, struct bench_settings *s)
{
	static char copy[2000]; /* settings borrow from it */
	char *argv[PLAYED_WORDS];
	int argc;

	(void)snprintf(copy, sizeof(copy), "dns64bench %s", line);
	argc = text_words(copy, argv, PLAYED_WORDS);
	ck_assert_msg(bench_options_read(argc, argv, s, stderr) == CMDLINE_RUN,
	    "not a command line: %s", line);
	bench_search_resume(s);
}

void
played_job(
    struct bench_job *job, struct bench_settings *s, struct bench_tally *tally, atomic_bool *stop)
{
	char name[] = "dns64bench", *argv[] = { name, NULL };

	memset(s, 0, sizeof(*s));
	bench_load_init(&s->plan.load);
	s->method = BENCH_RATE;
	s->plan.transport = &bench_udp;
	s->plan.n_threads = s->plan.n_lanes = 1;
	s->plan.timeout_ns = NS_PER_SEC;
	bench_tally_clear(tally);
	atomic_store(stop, false);
	*job = (struct bench_job){
		.settings = s, .run = bench_run_new("rate", 1, argv), .stop = stop, .tally = tally
	};
	ck_assert_ptr_nonnull(job->run);
}

const json_t *
played_table(const struct bench_run *r, const char *name)
{
	const json_t *tables = json_object_get(bench_run_tree(r), "tables");

	for (size_t i = 0; i < json_array_size(tables); i++) {
		const json_t *t = json_array_get(tables, i);

		if (strcmp(json_string_value(json_object_get(t, "name")), name) == 0)
			return t;
	}
	return NULL;
}

size_t
played_rows(const struct bench_run *r, const char *name)
{
	return json_array_size(json_object_get(played_table(r, name), "rows"));
}

const json_t *
played_at(const json_t *table, size_t row, const char *column)
{
	const json_t *columns = json_object_get(table, "columns"), *c;

	for (size_t i = 0; (c = json_array_get(columns, i)) != NULL; i++) {
		if (strcmp(json_string_value(json_object_get(c, "name")), column) != 0)
			continue;
		const json_t *rows = json_object_get(table, "rows"),
			     *v = json_array_get(json_array_get(rows, row), i);

		ck_assert_msg(v != NULL, "no row %zu", row);
		return v;
	}
	ck_abort_msg("no column %s", column);
}

const json_t *
played_cell(const struct bench_run *r, const char *name, size_t row, const char *column)
{
	return played_at(played_table(r, name), row, column);
}

double
played_number(const struct bench_run *r, const char *name, size_t row, const char *column)
{
	const json_t *v = played_cell(r, name, row, column);

	ck_assert_msg(json_is_number(v), "%s, row %zu: %s is no number", name, row, column);
	return json_number_value(v);
}

const json_t *
played_found(const struct bench_run *r, const char *name)
{
	const json_t *list = json_object_get(bench_run_tree(r), "findings");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *f = json_array_get(list, i);

		if (strcmp(json_string_value(json_object_get(f, "name")), name) == 0)
			return json_object_get(f, "value");
	}
	return NULL;
}

double
played_value(const struct bench_run *r, const char *name)
{
	const json_t *v = played_found(r, name);

	return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

const char *
played_text(const struct bench_run *r, const char *name)
{
	const char *text = json_string_value(played_found(r, name));

	return text != NULL ? text : "";
}

const char *
played_failure(const struct bench_run *r)
{
	const char *text =
	    json_string_value(json_array_get(json_object_get(bench_run_tree(r), "failed"), 0));

	return text != NULL ? text : "";
}

const char *
played_failures(const struct bench_run *r)
{
	static char text[2000];
	const json_t *failed = json_object_get(bench_run_tree(r), "failed");
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < json_array_size(failed); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s\n",
		    json_string_value(json_array_get(failed, i)));
	return text;
}
