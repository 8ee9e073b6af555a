/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/result/csv.h"

#include <string.h>

#include "bench/result/text.h"

/* A comment must be one line, whatever is in the command. */
static void
comment(FILE *f, const json_t *run, const char *key)
{
	(void)fprintf(f, "# %s: ", key);
	for (const char *p = bench_text_get(run, key); *p != '\0'; p++)
		(void)fputc(*p == '\n' || *p == '\r' ? ' ' : *p, f);
	(void)fputc('\n', f);
}

/* RFC 4180 section 2, rules 5 to 7. A field that looks like a comment is quoted too. */
static void
put_text(FILE *f, const char *text)
{
	if (strpbrk(text, ",\"\r\n#") == NULL) {
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
bench_csv_write(const json_t *run, FILE *f)
{
	static const char *const told[] = { "method", "date", "version", "command" };
	const json_t *table = json_array_get(json_object_get(run, "tables"), 0),
		     *columns = json_object_get(table, "columns"),
		     *rows = json_object_get(table, "rows");
	size_t n = json_array_size(columns);

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		comment(f, run, told[i]);
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
