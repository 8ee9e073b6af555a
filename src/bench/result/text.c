/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/result/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIGITS 6

/* A number of about six digits, without an exponent and without trailing zeros. */
static void
round_real(double v, char cell[static BENCH_TEXT_CELL])
{
	unsigned decimals = DIGITS - 1;
	double rest = v < 0 ? -v : v;

	while (rest >= 10 && decimals > 0) {
		rest /= 10;
		decimals--;
	}
	(void)snprintf(cell, BENCH_TEXT_CELL, "%.*f", (int)decimals, v);
	if (strchr(cell, '.') == NULL)
		return;
	size_t n = strlen(cell);
	while (cell[n - 1] == '0')
		n--;
	cell[cell[n - 1] == '.' ? n - 1 : n] = '\0';
}

static const char *
number(const json_t *value, unsigned decimals, char cell[static BENCH_TEXT_CELL])
{
	if (json_is_integer(value) && (decimals == 0 || decimals == BENCH_TEXT_ROUND))
		(void)snprintf(
		    cell, BENCH_TEXT_CELL, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (decimals == BENCH_TEXT_ROUND)
		round_real(json_real_value(value), cell);
	else
		(void)snprintf(
		    cell, BENCH_TEXT_CELL, "%.*f", (int)decimals, json_number_value(value));
	return cell;
}

const char *
bench_text_cell(const json_t *value, unsigned decimals, char cell[static BENCH_TEXT_CELL])
{
	if (value == NULL || json_is_null(value))
		return "-";
	if (json_is_string(value))
		return json_string_value(value);
	if (json_is_boolean(value))
		return json_is_true(value) ? "yes" : "no";
	return json_is_number(value) ? number(value, decimals, cell) : "...";
}

const char *
bench_text_get(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text != NULL ? text : "";
}

static unsigned
decimals_of(const json_t *column)
{
	return (unsigned)json_integer_value(json_object_get(column, "decimals"));
}

/* --- For people ------------------------------------------------------------------------------- */

#define WIDTH_LEAST 8 /* of a column; values of tables are seldom longer */
#define WIDTH_KEY 20
#define WIDTH_NAME 32
#define WIDTH_VALUE 12

/*
 * TEXT in WIDTH columns, at their left end if that is below 0. Control characters, which a terminal
 * would obey, are not printed.
 */
static void
put(FILE *out, const char *text, int width)
{
	int blanks = (width < 0 ? -width : width) - (int)strlen(text);

	(void)fprintf(out, "%*s", width > 0 && blanks > 0 ? blanks : 0, "");
	for (; *text != '\0'; text++)
		(void)fputc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, out);
	(void)fprintf(out, "%*s", width < 0 && blanks > 0 ? blanks : 0, "");
}

static void
put_line(FILE *out, const char *key, const char *text)
{
	put(out, key, -WIDTH_KEY);
	(void)fputc(' ', out);
	put(out, text, 0);
	(void)fputc('\n', out);
}

void
bench_text_head(FILE *out, const json_t *run)
{
	const json_t *m = json_object_get(run, "machine");
	char cell[BENCH_TEXT_CELL];
	const char *key;
	json_t *value;

	(void)fprintf(out, "%s %s %s, %s\n", bench_text_get(run, "program"),
	    bench_text_get(run, "version"), bench_text_get(run, "method"),
	    bench_text_get(run, "date"));
	put_line(out, "command", bench_text_get(run, "command"));
	(void)snprintf(cell, sizeof(cell), "%s, %" JSON_INTEGER_FORMAT " CPUs, %s, %s",
	    bench_text_get(m, "cpu"), json_integer_value(json_object_get(m, "cpus")),
	    bench_text_get(m, "os"), bench_text_get(m, "kernel"));
	put_line(out, "machine", cell);
	json_object_foreach(json_object_get(run, "settings"), key, value)
	    put_line(out, key, bench_text_cell(value, BENCH_TEXT_ROUND, cell));
}

void
bench_text_findings(FILE *out, const json_t *run)
{
	const json_t *findings = json_object_get(run, "findings");
	char cell[BENCH_TEXT_CELL];

	if (json_array_size(findings) > 0)
		(void)fputc('\n', out);
	for (size_t i = 0; i < json_array_size(findings); i++) {
		const json_t *f = json_array_get(findings, i), *v = json_object_get(f, "value");
		const char *unit = bench_text_get(f, "unit");

		put(out, bench_text_get(f, "name"), -WIDTH_NAME);
		(void)fputc(' ', out);
		put(out, bench_text_cell(v, BENCH_TEXT_ROUND, cell),
		    json_is_string(v) ? 0 : WIDTH_VALUE);
		(void)fputs(*unit != '\0' ? " " : "", out);
		put(out, unit, 0);
		(void)fputc('\n', out);
	}
}

/* "p50 (us)" to HEAD; returns the width of the column. */
static int
head_of(const json_t *column, char head[static BENCH_TEXT_CELL])
{
	const char *title = bench_text_get(column, "title"), *unit = bench_text_get(column, "unit");
	int len = *unit != '\0' ? snprintf(head, BENCH_TEXT_CELL, "%.190s (%.190s)", title, unit)
				: snprintf(head, BENCH_TEXT_CELL, "%.390s", title);

	return len > WIDTH_LEAST ? len : WIDTH_LEAST;
}

void
bench_text_columns(FILE *out, const json_t *table)
{
	const json_t *columns = json_object_get(table, "columns");
	char head[BENCH_TEXT_CELL];

	(void)fputc('\n', out);
	put(out, bench_text_get(table, "title"), 0);
	for (size_t i = 0; i < json_array_size(columns); i++) {
		int width = head_of(json_array_get(columns, i), head);

		(void)fputs(i == 0 ? "\n" : "  ", out);
		put(out, head, width);
	}
	(void)fputc('\n', out);
}

void
bench_text_row(FILE *out, const json_t *table, size_t i)
{
	const json_t *columns = json_object_get(table, "columns"),
		     *row = json_array_get(json_object_get(table, "rows"), i);
	char cell[BENCH_TEXT_CELL], head[BENCH_TEXT_CELL];

	for (size_t k = 0; k < json_array_size(row); k++) {
		const json_t *column = json_array_get(columns, k);
		int width = head_of(column, head);

		(void)fputs(k == 0 ? "" : "  ", out);
		put(out, bench_text_cell(json_array_get(row, k), decimals_of(column), cell), width);
	}
	(void)fputc('\n', out);
}

void
bench_text_verdict(FILE *out, const json_t *run)
{
	const json_t *failed = json_object_get(run, "failed");
	bool complete = json_is_true(json_object_get(run, "complete"));

	if (json_array_size(failed) > 0 || !complete)
		(void)fputc('\n', out);
	if (!complete)
		(void)fputs("INTERRUPTED: this is what there was\n", out);
	for (size_t i = 0; i < json_array_size(failed); i++) {
		(void)fputs("FAILED: ", out);
		put(out, json_string_value(json_array_get(failed, i)), 0);
		(void)fputc('\n', out);
	}
}

/* --- CSV -------------------------------------------------------------------------------------- */

/* RFC 4180 section 2, rules 5 to 7. */
static void
put_text(FILE *f, const char *text)
{
	if (strpbrk(text, ",\"\r\n") == NULL) {
		(void)fputs(text, f);
		return;
	}
	(void)fputc('"', f);
	for (; *text != '\0'; text++) {
		if (*text == '"')
			(void)fputc('"', f);
		(void)fputc(*text, f);
	}
	(void)fputc('"', f);
}

/* Numbers with all their digits: the reader can round them. */
static void
put_value(FILE *f, const json_t *value)
{
	char cell[BENCH_TEXT_CELL];

	if (json_is_real(value))
		(void)fprintf(f, "%.10g", json_real_value(value));
	else if (value != NULL && !json_is_null(value))
		put_text(f, bench_text_cell(value, 0, cell));
}

bool
bench_text_csv(const json_t *run, FILE *f)
{
	const json_t *table = json_array_get(json_object_get(run, "tables"), 0),
		     *columns = json_object_get(table, "columns"),
		     *rows = json_object_get(table, "rows");
	size_t n = json_array_size(columns);

	for (size_t i = 0; i < n; i++) {
		put_text(f, bench_text_get(json_array_get(columns, i), "name"));
		(void)fputc(i + 1 < n ? ',' : '\n', f);
	}
	for (size_t k = 0; k < json_array_size(rows); k++) {
		for (size_t i = 0; i < n; i++) {
			put_value(f, json_array_get(json_array_get(rows, k), i));
			(void)fputc(i + 1 < n ? ',' : '\n', f);
		}
	}
	return ferror(f) == 0;
}

/* --- Files ------------------------------------------------------------------------------------ */

/* Of a file that is not there its directory decides. A pipe is not opened: that could block. */
int
bench_text_writable(const char *path)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX] = ".";
	struct stat st;

	if (strcmp(path, "-") == 0)
		return 0;
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return -EISDIR;
	if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0)
		return 0;
	if (errno != ENOENT)
		return -errno;
	if (slash != NULL)
		(void)snprintf(dir, sizeof(dir), "%.*s", (int)(slash - path + 1), path);
	return faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) == 0 ? 0 : -errno;
}
