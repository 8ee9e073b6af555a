/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/result/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIGITS 6

/* Does a character of UTF-8 begin with OCTET? */
static bool
begins(char octet)
{
	return ((unsigned char)octet & 0xc0) != 0x80;
}

unsigned
bench_text_letters(const char *text)
{
	unsigned n = 0;

	for (; *text != '\0'; text++)
		n += begins(*text);
	return n;
}

size_t
bench_text_cut(const char *text, unsigned n)
{
	size_t len = 0;
	unsigned seen = 0;

	for (; text[len] != '\0'; len++) {
		seen += begins(text[len]);
		if (seen > n)
			break;
	}
	return len;
}

/* Control characters, which a terminal would obey, are not printed. */
static void
put(FILE *out, const char *text)
{
	for (; *text != '\0'; text++)
		(void)fputc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, out);
}

static void
blanks(FILE *out, unsigned n)
{
	(void)fprintf(out, "%*s", (int)n, "");
}

static void
put_left(FILE *out, const char *text, unsigned width)
{
	unsigned n = bench_text_letters(text);

	put(out, text);
	blanks(out, n < width ? width - n : 0);
}

static void
put_right(FILE *out, const char *text, unsigned width)
{
	unsigned n = bench_text_letters(text);

	blanks(out, n < width ? width - n : 0);
	put(out, text);
}

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

/* Lists and objects are settings: { "clients": [1, 2, 4] }. */
static const char *
compound(const json_t *value, char cell[static BENCH_TEXT_CELL])
{
	size_t n = json_dumpb(value, cell, BENCH_TEXT_CELL - 1, JSON_ENSURE_ASCII);

	if (n == 0 || n >= BENCH_TEXT_CELL)
		return "...";
	cell[n] = '\0';
	return cell;
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
	return json_is_number(value) ? number(value, decimals, cell) : compound(value, cell);
}

const char *
bench_text_get(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text != NULL ? text : "";
}

unsigned
bench_text_decimals(const json_t *column)
{
	return (unsigned)json_integer_value(json_object_get(column, "decimals"));
}

const char *
bench_text_machine(const json_t *run, char text[static BENCH_TEXT_CELL])
{
	const json_t *machine = json_object_get(run, "machine");

	(void)snprintf(text, BENCH_TEXT_CELL, "%s, %" JSON_INTEGER_FORMAT " CPUs, %s, %s",
	    bench_text_get(machine, "cpu"), json_integer_value(json_object_get(machine, "cpus")),
	    bench_text_get(machine, "os"), bench_text_get(machine, "kernel"));
	return text;
}

static unsigned
wider(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

void
bench_text_layout(struct bench_layout *l, const json_t *columns, const json_t *rows, unsigned min)
{
	char cell[BENCH_TEXT_CELL];

	l->n = json_array_size(columns);
	for (size_t i = 0; i < l->n; i++) {
		const json_t *column = json_array_get(columns, i);
		unsigned width = wider(min,
		    wider(bench_text_letters(bench_text_get(column, "title")),
			bench_text_letters(bench_text_get(column, "unit"))));
		bool words = false;

		for (size_t k = 0; k < json_array_size(rows); k++) {
			const json_t *value = json_array_get(json_array_get(rows, k), i);

			words = words || json_is_string(value);
			width = wider(width,
			    bench_text_letters(
				bench_text_cell(value, bench_text_decimals(column), cell)));
		}
		l->columns[i].width = width;
		l->columns[i].decimals = bench_text_decimals(column);
		l->columns[i].words = words;
	}
}

/*
 * The I-th cell of a line. *GAP is how many blanks stand before it, which are put only when there
 * is something behind them: nothing trails.
 */
static void
put_cell(FILE *out, const struct bench_layout *l, size_t i, const char *text, unsigned *gap)
{
	unsigned n = bench_text_letters(text), width = l->columns[i].width,
		 rest = n < width ? width - n : 0;

	if (!l->columns[i].words)
		*gap += rest;
	if (n > 0) {
		blanks(out, *gap);
		put(out, text);
		*gap = 0;
	}
	*gap += 2 + (l->columns[i].words ? rest : 0);
}

/* Print the texts that the columns have as KEY. */
static void
put_heads(FILE *out, const struct bench_layout *l, const json_t *columns, const char *key)
{
	unsigned gap = 0;

	for (size_t i = 0; i < l->n; i++)
		put_cell(out, l, i, bench_text_get(json_array_get(columns, i), key), &gap);
	(void)fputc('\n', out);
}

static bool
has_units(const json_t *columns)
{
	bool found = false;

	for (size_t i = 0; i < json_array_size(columns); i++)
		found = found || *bench_text_get(json_array_get(columns, i), "unit") != '\0';
	return found;
}

void
bench_text_columns(FILE *out, const struct bench_layout *l, const json_t *table)
{
	const json_t *columns = json_object_get(table, "columns");

	(void)fputc('\n', out);
	put(out, bench_text_get(table, "title"));
	(void)fputc('\n', out);
	put_heads(out, l, columns, "title");
	if (has_units(columns))
		put_heads(out, l, columns, "unit");
}

void
bench_text_row(FILE *out, const struct bench_layout *l, const json_t *row)
{
	char cell[BENCH_TEXT_CELL];
	unsigned gap = 0;

	for (size_t i = 0; i < l->n; i++)
		put_cell(out, l, i,
		    bench_text_cell(json_array_get(row, i), l->columns[i].decimals, cell), &gap);
	(void)fputc('\n', out);
}

static void
head_line(FILE *out, const char *word, unsigned width, const char *text)
{
	put_left(out, word, width + 2);
	put(out, text);
	(void)fputc('\n', out);
}

void
bench_text_head(FILE *out, const json_t *run)
{
	json_t *settings = json_object_get(run, "settings"), *value;
	char cell[BENCH_TEXT_CELL];
	const char *key;
	unsigned width = sizeof("command") - 1;

	json_object_foreach(settings, key, value) width = wider(width, bench_text_letters(key));
	(void)fprintf(out, "%s %s %s, %s\n", bench_text_get(run, "program"),
	    bench_text_get(run, "version"), bench_text_get(run, "method"),
	    bench_text_get(run, "date"));
	head_line(out, "command", width, bench_text_get(run, "command"));
	head_line(out, "machine", width, bench_text_machine(run, cell));
	json_object_foreach(settings, key, value)
	    head_line(out, key, width, bench_text_cell(value, BENCH_TEXT_ROUND, cell));
}

/* Names and words are aligned left, numbers right, with units behind them. */
static void
put_findings(FILE *out, const json_t *findings)
{
	char cell[BENCH_TEXT_CELL];
	unsigned name = 0, value = 0;

	for (size_t i = 0; i < json_array_size(findings); i++) {
		const json_t *f = json_array_get(findings, i);

		name = wider(name, bench_text_letters(bench_text_get(f, "name")));
		if (!json_is_string(json_object_get(f, "value")))
			value = wider(value,
			    bench_text_letters(bench_text_cell(
				json_object_get(f, "value"), BENCH_TEXT_ROUND, cell)));
	}
	for (size_t i = 0; i < json_array_size(findings); i++) {
		const json_t *f = json_array_get(findings, i);
		const char *unit = bench_text_get(f, "unit");

		put_left(out, bench_text_get(f, "name"), name + 2);
		put_right(out, bench_text_cell(json_object_get(f, "value"), BENCH_TEXT_ROUND, cell),
		    json_is_string(json_object_get(f, "value")) ? 0 : value);
		blanks(out, *unit != '\0');
		put(out, unit);
		(void)fputc('\n', out);
	}
}

void
bench_text_findings(FILE *out, const json_t *run)
{
	const json_t *findings = json_object_get(run, "findings"),
		     *failed = json_object_get(run, "failed");

	if (json_array_size(findings) > 0)
		(void)fputc('\n', out);
	put_findings(out, findings);
	if (json_array_size(failed) > 0 || !json_is_true(json_object_get(run, "complete")))
		(void)fputc('\n', out);
	if (!json_is_true(json_object_get(run, "complete")))
		(void)fputs("INTERRUPTED: this is what there was\n", out);
	for (size_t i = 0; i < json_array_size(failed); i++) {
		(void)fputs("FAILED: ", out);
		put(out, json_string_value(json_array_get(failed, i)));
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

int
bench_text_file(const char *path, bench_text_put *writer, const void *what)
{
	bool to_stdout = strcmp(path, "-") == 0;
	FILE *f = to_stdout ? stdout : fopen(path, "we");

	if (f == NULL)
		return -errno;
	errno = 0;
	bool good = writer(what, f) && fflush(f) == 0 && ferror(f) == 0;
	int result = good ? 0 : errno != 0 ? -errno : -EIO;
	if (!to_stdout && fclose(f) != 0 && result == 0)
		result = -errno;
	return result;
}
