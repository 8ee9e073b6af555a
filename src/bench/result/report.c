/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/result/report.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench/result/plot.h"
#include "bench/result/text.h"

/* --- Pieces of a page ------------------------------------------------------------------------- */

void
bench_report_text(FILE *out, const char *text)
{
	for (; *text != '\0'; text++) {
		switch (*text) {
		case '&':
			(void)fputs("&amp;", out);
			break;
		case '<':
			(void)fputs("&lt;", out);
			break;
		case '>':
			(void)fputs("&gt;", out);
			break;
		case '"':
			(void)fputs("&quot;", out);
			break;
		case '\'':
			(void)fputs("&#39;", out);
			break;
		default:
			/* Of the control characters HTML allows white space only. */
			(void)fputc((unsigned char)*text < ' ' || *text == 0x7f ? ' ' : *text, out);
		}
	}
}

/* Does TEXT begin with START? */
static bool
begins(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* If TEXT begins with something that an identifier follows, as id=", its length; else 0. */
static size_t
before_name(const char *text)
{
	static const char *const starts[] = { " id='", " id=\"", "href='#", "href=\"#", "url(#" };

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		if (begins(text, starts[i]))
			return strlen(starts[i]);
	}
	return 0;
}

/* Print a line of the picture: identifiers get p<N>- before them; <title>, a tooltip, is left out.
 */
static void
svg_line(FILE *out, const char *text, unsigned n)
{
	static const char title[] = "<title>", title_end[] = "</title>";

	while (*text != '\0') {
		const char *end = begins(text, title) ? strstr(text, title_end) : NULL;
		size_t name = before_name(text);

		if (end != NULL) {
			text = end + sizeof(title_end) - 1;
			continue;
		}
		if (name > 0) {
			(void)fprintf(out, "%.*sp%u-", (int)name, text, n);
			text += name;
			continue;
		}
		(void)fputc(*text++, out);
	}
}

void
bench_report_svg(FILE *out, FILE *svg, unsigned n)
{
	char *line = NULL;
	size_t size = 0;
	bool begun = false;

	while (getline(&line, &size, svg) > 0) {
		begun = begun || begins(line, "<svg");
		if (begun)
			svg_line(out, line, n);
	}
	free(line);
}

/* --- The page --------------------------------------------------------------------------------- */

#define ROWS_OPEN 40 /* tables with more rows are folded */

enum { EXIT_GOOD = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" "
    "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>dns64bench report</title>\n<style>\n"
    "body { font: 15px/1.45 sans-serif; color: #222; background: #fff; max-width: 62em; "
    "margin: 2em auto; padding: 0 1em }\n"
    "h1 { font-size: 1.7em } h2 { font-size: 1.35em; border-top: 1px solid #ccc; "
    "padding-top: 1em; margin-top: 2em } h3 { font-size: 1.1em }\n"
    ".wide { overflow-x: auto }\n"
    "table { border-collapse: collapse; font-variant-numeric: tabular-nums }\n"
    "th, td { padding: .15em .7em; text-align: left; vertical-align: top }\n"
    "thead th { border-bottom: 1px solid #888; vertical-align: bottom }\n"
    ".data th, .data td { text-align: right } .data .word { text-align: left }\n"
    "tbody tr:nth-child(even) { background: #f5f5f5 }\n"
    "th small, .note { font-weight: normal; color: #666 }\n"
    "code { overflow-wrap: anywhere }\n"
    ".good { color: #006b4a } .bad { color: #b03a00; font-weight: bold }\n"
    "svg { max-width: 100%; height: auto }\n"
    "@media print { section { break-before: page } }\n"
    "</style>\n</head>\n<body>\n<h1>dns64bench report</h1>\n";

/* <TAG>TEXT</TAG>; TAG is without attributes. */
static void
element(FILE *out, const char *tag, const char *text)
{
	(void)fprintf(out, "<%s>", tag);
	bench_report_text(out, text);
	(void)fprintf(out, "</%s>", tag);
}

/* A row of a table of two columns. */
static void
fact(FILE *out, const char *name, const char *tag, const char *text)
{
	(void)fputs("<tr>", out);
	element(out, "th", name);
	(void)fputs("<td>", out);
	element(out, tag, text);
	(void)fputs("</td></tr>\n", out);
}

static void
finding(FILE *out, const json_t *f)
{
	char cell[BENCH_TEXT_CELL];

	bench_report_text(
	    out, bench_text_cell(json_object_get(f, "value"), BENCH_TEXT_ROUND, cell));
	(void)fputc(' ', out);
	bench_report_text(out, bench_text_get(f, "unit"));
}

static void
findings(FILE *out, const json_t *run)
{
	const json_t *list = json_object_get(run, "findings");

	if (json_array_size(list) == 0)
		return;
	(void)fputs("<h3>Findings</h3>\n<table>\n", out);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *f = json_array_get(list, i);

		(void)fputs("<tr>", out);
		element(out, "th", bench_text_get(f, "name"));
		(void)fputs("<td>", out);
		finding(out, f);
		(void)fputs("</td></tr>\n", out);
	}
	(void)fputs("</table>\n", out);
}

/* How the run ended, in one word. */
static void
verdict(FILE *out, const struct bench_run *r)
{
	switch (bench_run_status(r)) {
	case 0:
		(void)fputs("<span class=\"good\">good</span>", out);
		break;
	case 1:
		(void)fputs("<span class=\"bad\">failed</span>", out);
		break;
	default:
		(void)fputs("<span class=\"bad\">interrupted</span>", out);
	}
}

static void
reasons(FILE *out, const struct bench_run *r)
{
	const json_t *failed = json_object_get(bench_run_tree(r), "failed");

	(void)fputs("<p>This run: ", out);
	verdict(out, r);
	(void)fputs("</p>\n", out);
	if (json_array_size(failed) == 0)
		return;
	(void)fputs("<ul class=\"bad\">\n", out);
	for (size_t i = 0; i < json_array_size(failed); i++) {
		element(out, "li", json_string_value(json_array_get(failed, i)));
		(void)fputc('\n', out);
	}
	(void)fputs("</ul>\n", out);
}

static void
settings(FILE *out, const json_t *run)
{
	json_t *list = json_object_get(run, "settings"), *value;
	char cell[BENCH_TEXT_CELL];
	const char *key;

	(void)fputs("<h3>Settings and machine</h3>\n<table>\n", out);
	fact(out, "command", "code", bench_text_get(run, "command"));
	fact(out, "version", "span", bench_text_get(run, "version"));
	fact(out, "machine of the tester", "span", bench_text_machine(run, cell));
	json_object_foreach(list, key, value)
	    fact(out, key, "span", bench_text_cell(value, BENCH_TEXT_ROUND, cell));
	(void)fputs("</table>\n", out);
}

static void
picture(FILE *out, const json_t *table, unsigned n)
{
	char error[BENCH_PLOT_ERROR];

	if (bench_plot_charts(table) == 0)
		return;
	FILE *svg = bench_plot_svg(table, error);
	(void)fputs("<figure>\n", out);
	if (svg != NULL) {
		bench_report_svg(out, svg, n);
		(void)fclose(svg);
	} else {
		(void)fputs("<p class=\"note\">No picture: ", out);
		bench_report_text(out, error);
		(void)fputs("</p>\n", out);
	}
	(void)fputs("</figure>\n", out);
}

static void
column_heads(FILE *out, const json_t *columns)
{
	(void)fputs("<thead><tr>", out);
	for (size_t i = 0; i < json_array_size(columns); i++) {
		const json_t *c = json_array_get(columns, i);

		(void)fputs("<th>", out);
		bench_report_text(out, bench_text_get(c, "title"));
		(void)fputs("<br>", out);
		element(out, "small", bench_text_get(c, "unit"));
		(void)fputs("</th>", out);
	}
	(void)fputs("</tr></thead>\n", out);
}

static void
data_row(FILE *out, const json_t *columns, const json_t *row)
{
	char cell[BENCH_TEXT_CELL];

	(void)fputs("<tr>", out);
	for (size_t i = 0; i < json_array_size(row); i++) {
		const json_t *value = json_array_get(row, i);

		(void)fputs(json_is_string(value) ? "<td class=\"word\">" : "<td>", out);
		bench_report_text(out,
		    bench_text_cell(value, bench_text_decimals(json_array_get(columns, i)), cell));
		(void)fputs("</td>", out);
	}
	(void)fputs("</tr>\n", out);
}

/* A table, with picture N of the page above it. */
static void
data_table(FILE *out, const json_t *table, unsigned n)
{
	const json_t *columns = json_object_get(table, "columns"),
		     *rows = json_object_get(table, "rows");
	size_t n_rows = json_array_size(rows);

	if (n_rows == 0)
		return;
	element(out, "h3", bench_text_get(table, "title"));
	(void)fputc('\n', out);
	picture(out, table, n);
	if (n_rows > ROWS_OPEN)
		(void)fprintf(out, "<details><summary>%zu rows</summary>\n", n_rows);
	(void)fputs("<div class=\"wide\"><table class=\"data\">\n", out);
	column_heads(out, columns);
	(void)fputs("<tbody>\n", out);
	for (size_t k = 0; k < n_rows; k++)
		data_row(out, columns, json_array_get(rows, k));
	(void)fputs("</tbody></table></div>\n", out);
	if (n_rows > ROWS_OPEN)
		(void)fputs("</details>\n", out);
}

static void
run_title(FILE *out, const json_t *run)
{
	bench_report_text(out, bench_text_get(run, "method"));
	(void)fputs(", ", out);
	bench_report_text(out, bench_text_get(run, "date"));
}

/* A summary of all runs and their findings, each with a link. */
static void
contents(FILE *out, struct bench_run *const *runs, size_t n)
{
	(void)fputs("<table>\n<thead><tr><th>run</th><th>ended</th><th>findings</th></tr></thead>\n"
		    "<tbody>\n",
	    out);
	for (size_t i = 0; i < n; i++) {
		const json_t *run = bench_run_tree(runs[i]),
			     *list = json_object_get(run, "findings");

		(void)fprintf(out, "<tr><td><a href=\"#run%zu\">", i + 1);
		run_title(out, run);
		(void)fputs("</a></td><td>", out);
		verdict(out, runs[i]);
		(void)fputs("</td><td>", out);
		for (size_t k = 0; k < json_array_size(list); k++) {
			bench_report_text(out, bench_text_get(json_array_get(list, k), "name"));
			(void)fputs(": ", out);
			finding(out, json_array_get(list, k));
			(void)fputs(k + 1 < json_array_size(list) ? "<br>" : "", out);
		}
		(void)fputs("</td></tr>\n", out);
	}
	(void)fputs("</tbody></table>\n", out);
}

void
bench_report_page(FILE *out, struct bench_run *const *runs, size_t n)
{
	unsigned pictures = 0;

	(void)fputs(head, out);
	if (n > 1)
		contents(out, runs, n);
	for (size_t i = 0; i < n; i++) {
		const json_t *run = bench_run_tree(runs[i]),
			     *tables = json_object_get(run, "tables");

		(void)fprintf(out, "<section id=\"run%zu\">\n<h2>", i + 1);
		run_title(out, run);
		(void)fputs("</h2>\n", out);
		reasons(out, runs[i]);
		findings(out, run);
		for (size_t k = 0; k < json_array_size(tables); k++)
			data_table(out, json_array_get(tables, k), ++pictures);
		settings(out, run);
		(void)fputs("</section>\n", out);
	}
	(void)fputs("</body>\n</html>\n", out);
}

/* What a page is made of. */
struct page {
	struct bench_run **runs;
	size_t n;
};

static bool
put_page(const void *what, FILE *f)
{
	const struct page *p = what;

	bench_report_page(f, p->runs, p->n);
	return true;
}

int
bench_report(const char *output, char *const *paths, size_t n, FILE *errors)
{
	struct bench_run **runs = calloc(n, sizeof(struct bench_run *));
	const struct page page = { runs, n };
	char error[BENCH_RUN_ERROR] = "no memory";
	int code = runs != NULL ? EXIT_GOOD : EXIT_FAILED, e;

	for (size_t i = 0; i < n && code == EXIT_GOOD; i++) {
		runs[i] = bench_run_read(paths[i], error);
		code = runs[i] != NULL ? EXIT_GOOD : EXIT_USAGE;
	}
	if (code == EXIT_GOOD && (e = bench_text_file(output, put_page, &page)) != 0) {
		(void)snprintf(error, sizeof(error), "%.300s: %s", output, strerror(-e));
		code = EXIT_FAILED;
	}
	if (code != EXIT_GOOD)
		(void)fprintf(errors, "dns64bench: %s\n", error);
	for (size_t i = 0; runs != NULL && i < n; i++)
		bench_run_free(runs[i]);
	free(runs);
	return code;
}
