/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/result/run.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/host/machine.h"
#include "bench/result/text.h"

#define COMMAND_MAX 4096
#define REAL_DIGITS 10
#define LOST "not everything could be kept: out of memory, or a value that JSON cannot hold"

struct bench_table {
	struct bench_run *run;
	json_t *json; /* of the tree */
	bool detail;  /* it is not printed */
	FILE *live;   /* rows are printed there as they come; NULL: they are not */
};

struct bench_run {
	json_t *tree;
	bool lost;  /* something could not be kept */
	FILE *told; /* where the head was printed already; NULL: nowhere */
	size_t n_tables;
	struct bench_table tables[BENCH_RUN_TABLES];
};

/* RESULT is that of a jansson call: if it failed, the run lacks something and has failed. */
static void
keep(struct bench_run *r, int result)
{
	if (result == 0 || r->lost)
		return;
	r->lost = true;
	(void)json_array_append_new(json_object_get(r->tree, "failed"), json_string(LOST));
}

/* Append VALUE to the list KEY of the tree. */
static void
append(struct bench_run *r, const char *key, json_t *value)
{
	keep(r, json_array_append_new(json_object_get(r->tree, key), value));
}

/* TEXT as a JSON string; if it is not UTF-8, question marks replace what is not ASCII. */
static json_t *
text_json(char *text)
{
	json_t *j = json_string(text);

	if (j != NULL)
		return j;
	for (char *p = text; *p != '\0'; p++) {
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	}
	return json_string(text);
}

/* Append WORD to TEXT, quoted for a shell. */
static void
quote(FILE *text, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789@%+=:,./_#-";

	if (*word != '\0' && *word != '#' && word[strspn(word, plain)] == '\0') {
		(void)fputs(word, text);
		return;
	}
	(void)fputc('\'', text);
	for (; *word != '\0'; word++) {
		if (*word == '\'')
			(void)fputs("'\\''", text);
		else
			(void)fputc(*word, text);
	}
	(void)fputc('\'', text);
}

static json_t *
command(int argc, char *const *argv)
{
	char line[COMMAND_MAX] = "";
	FILE *text = fmemopen(line, sizeof(line) - 1, "w");

	if (text == NULL)
		return NULL;
	for (int i = 0; i < argc; i++) {
		if (i > 0)
			(void)fputc(' ', text);
		quote(text, argv[i]);
	}
	(void)fclose(text);
	return text_json(line);
}

/* The present time, in UTC (ISO 8601). */
static json_t *
date(void)
{
	char text[sizeof("2025-12-31T23:59:59Z") + 8];
	time_t now = time(NULL);
	struct tm tm;

	if (gmtime_r(&now, &tm) == NULL || strftime(text, sizeof(text), "%FT%TZ", &tm) == 0)
		return NULL;
	return json_string(text);
}

static json_t *
machine(void)
{
	struct bench_machine m;

	bench_machine_read("", &m);
	return json_pack("{ss,sI,ss,ss,ss}", "cpu", m.cpu, "cpus", (json_int_t)m.cpus, "memory",
	    m.memory, "kernel", m.kernel, "os", m.os);
}

struct bench_run *
bench_run_new(const char *method, int argc, char *const *argv)
{
	struct bench_run *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	r->tree = json_pack("{si,ss,ss,ss,so,so,so,s{},s[],s[],s[],sb,s[]}", "schema",
	    BENCH_RUN_SCHEMA, "program", "dns64bench", "version", PACKAGE_VERSION, "method", method,
	    "date", date(), "command", command(argc, argv), "machine", machine(), "settings",
	    "findings", "tables", "histograms", "complete", 1, "failed");
	if (r->tree != NULL)
		return r;
	free(r);
	return NULL;
}

void
bench_run_free(struct bench_run *r)
{
	if (r == NULL)
		return;
	json_decref(r->tree);
	free(r);
}

void
bench_run_set(struct bench_run *r, const char *key, json_t *value)
{
	keep(r, json_object_set_new(json_object_get(r->tree, "settings"), key, value));
}

struct bench_table *
bench_run_table(struct bench_run *r, const char *name, const char *title,
    const struct bench_column *columns, size_t n_columns)
{
	assert(r->n_tables < BENCH_RUN_TABLES);
	struct bench_table *t = &r->tables[r->n_tables++];

	t->run = r;
	t->json = json_pack("{ss,ss,s[],s[]}", "name", name, "title", title, "columns", "rows");
	append(r, "tables", t->json);
	bench_table_columns(t, columns, n_columns);
	return t;
}

void
bench_table_columns(struct bench_table *t, const struct bench_column *columns, size_t n)
{
	json_t *list = json_object_get(t->json, "columns");

	for (size_t i = 0; i < n; i++) {
		const struct bench_column *c = &columns[i];

		keep(t->run,
		    json_array_append_new(list,
			json_pack("{ss,ss,ss,si}", "name", c->name, "title", c->title, "unit",
			    c->unit, "decimals", (int)c->decimals)));
	}
}

void
bench_table_detail(struct bench_table *t)
{
	t->detail = true;
}

void
bench_table_live(struct bench_table *t, FILE *out)
{
	t->live = out;
}

/* Print the newest row, and before the first one the head of the run and of the table. */
static void
tell(struct bench_table *t, const json_t *rows)
{
	struct bench_run *r = t->run;

	if (r->told == NULL) {
		r->told = t->live;
		bench_text_head(t->live, r->tree);
	}
	if (json_array_size(rows) == 1)
		bench_text_columns(t->live, t->json);
	bench_text_row(t->live, t->json, json_array_size(rows) - 1);
	(void)fflush(t->live);
}

json_t *
bench_run_real(bool known, double v)
{
	return known ? json_real(v) : json_null();
}

void
bench_table_add(struct bench_table *t, json_t *row)
{
	json_t *rows = json_object_get(t->json, "rows");

	assert(row == NULL || t->json == NULL ||
	    json_array_size(row) == json_array_size(json_object_get(t->json, "columns")));
	int result = json_array_append_new(rows, row);
	keep(t->run, result);
	if (result == 0 && t->live != NULL)
		tell(t, rows);
}

void
bench_run_find(struct bench_run *r, const char *name, json_t *value, const char *unit)
{
	append(r, "findings", json_pack("{ss,so,ss}", "name", name, "value", value, "unit", unit));
}

void
bench_run_histogram(struct bench_run *r, const char *name, const char *unit, json_t *buckets)
{
	append(r, "histograms",
	    json_pack("{ss,ss,so}", "name", name, "unit", unit, "buckets", buckets));
}

void
bench_run_fail(struct bench_run *r, const char *format, ...)
{
	char text[BENCH_RUN_ERROR];
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	append(r, "failed", text_json(text));
}

void
bench_run_interrupted(struct bench_run *r)
{
	keep(r, json_object_set_new(r->tree, "complete", json_false()));
}

int
bench_run_status(const struct bench_run *r)
{
	if (!json_is_true(json_object_get(r->tree, "complete")))
		return 3;
	return r->lost || json_array_size(json_object_get(r->tree, "failed")) > 0 ? 1 : 0;
}

const json_t *
bench_run_tree(const struct bench_run *r)
{
	return r->tree;
}

/* Is table I not to be printed to OUT: is it one of details, or was it printed row by row? */
static bool
is_left_out(const struct bench_run *r, size_t i, const FILE *out)
{
	return i < r->n_tables && (r->tables[i].detail || r->tables[i].live == out);
}

void
bench_run_print(const struct bench_run *r, FILE *out)
{
	const json_t *tables = json_object_get(r->tree, "tables");

	if (r->told != out)
		bench_text_head(out, r->tree);
	bench_text_findings(out, r->tree);
	for (size_t i = 0; i < json_array_size(tables); i++) {
		const json_t *t = json_array_get(tables, i);
		size_t n = json_array_size(json_object_get(t, "rows"));

		if (is_left_out(r, i, out) || n == 0)
			continue;
		bench_text_columns(out, t);
		for (size_t k = 0; k < n; k++)
			bench_text_row(out, t, k);
	}
	bench_text_verdict(out, r->tree);
	(void)fflush(out);
}

/* Write TREE as JSON. False if that failed. */
static bool
put_json(const json_t *tree, FILE *f)
{
	return json_dumpf(tree, f, JSON_INDENT(2) | JSON_REAL_PRECISION(REAL_DIGITS)) == 0 &&
	    fputc('\n', f) != EOF;
}

/* Have PUT write the tree to the file PATH. 0 or -errno. */
static int
write_file(const struct bench_run *r, const char *path, bool (*put)(const json_t *tree, FILE *f))
{
	bool to_stdout = strcmp(path, "-") == 0;
	FILE *f = to_stdout ? stdout : fopen(path, "we");

	if (f == NULL)
		return -errno;
	errno = 0;
	bool good = put(r->tree, f) && fflush(f) == 0 && ferror(f) == 0;
	int result = good ? 0 : errno != 0 ? -errno : -EIO;
	if (!to_stdout && fclose(f) != 0 && result == 0)
		result = -errno;
	return result;
}

int
bench_run_write_json(const struct bench_run *r, const char *path)
{
	return write_file(r, path, put_json);
}

int
bench_run_write_csv(const struct bench_run *r, const char *path)
{
	return write_file(r, path, bench_text_csv);
}
