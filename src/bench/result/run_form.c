/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_run_check: the form of a run, and whether some JSON has it. */

#include "bench/result/run.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DECIMALS_MAX 9

static bool wrong(char why[static BENCH_RUN_WHY], const char *format, ...) PRINTF_LIKE(2, 3);

static bool
wrong(char why[static BENCH_RUN_WHY], const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(why, BENCH_RUN_WHY, format, ap);
	va_end(ap);
	return false;
}

/* Neither a list nor an object. */
static bool
is_plain(const json_t *value)
{
	return !json_is_array(value) && !json_is_object(value);
}

static bool
is_column(json_t *column)
{
	const char *text;
	int decimals = 0;

	return json_unpack(column, "{s:s,s:s,s:s,s?i}", "name", &text, "title", &text, "unit",
		   &text, "decimals", &decimals) == 0 &&
	    decimals >= 0 && decimals <= DECIMALS_MAX;
}

static bool
is_row(const json_t *row, size_t n_columns)
{
	if (!json_is_array(row) || json_array_size(row) != n_columns)
		return false;
	for (size_t i = 0; i < n_columns; i++) {
		if (!is_plain(json_array_get(row, i)))
			return false;
	}
	return true;
}

static bool
is_table(json_t *table, char why[static BENCH_RUN_WHY])
{
	const char *name, *title, *axis, *mark;
	json_t *columns, *rows;
	double at;
	size_t n;

	if (json_unpack(table, "{s:s,s:s,s?s,s?{s:F,s:s},s:o,s:o}", "name", &name, "title", &title,
		"axis", &axis, "mark", "at", &at, "name", &mark, "columns", &columns, "rows",
		&rows) != 0 ||
	    !json_is_array(columns) || !json_is_array(rows))
		return wrong(why, "a table without name, title, columns or rows");
	n = json_array_size(columns);
	if (n == 0 || n > BENCH_RUN_COLUMNS)
		return wrong(why, "table \"%.40s\" has %zu columns, not 1 to %d", name, n,
		    BENCH_RUN_COLUMNS);
	for (size_t i = 0; i < n; i++) {
		if (!is_column(json_array_get(columns, i)))
			return wrong(why,
			    "column %zu of table \"%.40s\" has no name, title or unit", i + 1,
			    name);
	}
	for (size_t i = 0; i < json_array_size(rows); i++) {
		if (!is_row(json_array_get(rows, i), n))
			return wrong(why,
			    "row %zu of table \"%.40s\" has not a value for each column", i + 1,
			    name);
	}
	return true;
}

static bool
is_finding(json_t *finding)
{
	const char *text;
	json_t *value;

	return json_unpack(
		   finding, "{s:s,s:o,s:s}", "name", &text, "value", &value, "unit", &text) == 0 &&
	    is_plain(value);
}

static bool
is_machine(json_t *machine)
{
	const char *text;
	json_int_t cpus;

	return json_unpack(machine, "{s:s,s:I,s:s,s:s}", "cpu", &text, "cpus", &cpus, "kernel",
		   &text, "os", &text) == 0;
}

/* Check the lists of a run. */
static bool
lists(json_t *findings, json_t *tables, json_t *failed, char why[static BENCH_RUN_WHY])
{
	if (!json_is_array(findings) || !json_is_array(tables) || !json_is_array(failed))
		return wrong(why, "findings, tables or failed is no list");
	for (size_t i = 0; i < json_array_size(findings); i++) {
		if (!is_finding(json_array_get(findings, i)))
			return wrong(why, "finding %zu has no name, value or unit", i + 1);
	}
	for (size_t i = 0; i < json_array_size(failed); i++) {
		if (!json_is_string(json_array_get(failed, i)))
			return wrong(why, "reason %zu of failed is no text", i + 1);
	}
	for (size_t i = 0; i < json_array_size(tables); i++) {
		if (!is_table(json_array_get(tables, i), why))
			return false;
	}
	return true;
}

bool
bench_run_check(json_t *tree, char why[static BENCH_RUN_WHY])
{
	json_t *machine, *settings, *findings, *tables, *failed;
	const char *program, *text;
	json_error_t e;
	int complete, schema = BENCH_RUN_SCHEMA;

	if (json_unpack(tree, "{s:s}", "program", &program) != 0 ||
	    strcmp(program, "dns64bench") != 0)
		return wrong(why, "not a run of dns64bench");
	/* Files of before had no number. */
	if (json_unpack(tree, "{s?i}", "schema", &schema) != 0)
		schema = 0;
	if (schema != BENCH_RUN_SCHEMA)
		return wrong(why, "schema %d, not %d", schema, BENCH_RUN_SCHEMA);
	if (json_unpack_ex(tree, &e, 0, "{s:s,s:s,s:s,s:s,s:o,s:o,s:o,s:o,s:b,s:o}", "version",
		&text, "method", &text, "date", &text, "command", &text, "machine", &machine,
		"settings", &settings, "findings", &findings, "tables", &tables, "complete",
		&complete, "failed", &failed) != 0)
		return wrong(why, "%s", e.text);
	if (!is_machine(machine))
		return wrong(why, "machine has no cpu, cpus, kernel or os");
	if (!json_is_object(settings))
		return wrong(why, "settings is no object");
	return lists(findings, tables, failed, why);
}
