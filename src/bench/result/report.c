/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/result/report.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench/result/plot.h"
#include "bench/result/text.h"

#define ROWS_OPEN 40 /* tables with more rows are folded */

enum { EXIT_GOOD = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* --- Runs beside each other ------------------------------------------------------------------- */

/* The runs of a page. */
struct page {
	FILE *out;
	const struct bench_plot_run *runs;
	size_t n;
	unsigned pictures; /* so far */
};

/* The head of a table with a column for each run; for one run there is none. */
static void
run_heads(const struct page *p)
{
	if (p->n == 1)
		return;
	(void)fputs("<thead><tr><th></th>", p->out);
	for (size_t i = 0; i < p->n; i++)
		bench_report_element(p->out, "th", p->runs[i].name);
	(void)fputs("</tr></thead>\n", p->out);
}

/* Tells of run I, in a cell. */
typedef void cell_of(const struct page *p, size_t i, const void *what);

/* A row: NAME, and a cell for each of the first N runs. */
static void
row(const struct page *p, size_t n, const char *name, cell_of *tell, const void *what)
{
	(void)fputs("<tr>", p->out);
	bench_report_element(p->out, "th", name);
	for (size_t i = 0; i < n; i++) {
		(void)fputs("<td>", p->out);
		tell(p, i, what);
		(void)fputs("</td>", p->out);
	}
	(void)fputs("</tr>\n", p->out);
}

/* --- What the runs are ------------------------------------------------------------------------ */

static void
tell_run(const struct page *p, size_t i, const void *what)
{
	(void)what;
	bench_report_text(p->out, bench_text_get(p->runs[i].tree, "method"));
	(void)fputs(", ", p->out);
	bench_report_text(p->out, bench_text_get(p->runs[i].tree, "date"));
}

/* How the run ended, in a word, and why. */
static void
tell_end(const struct page *p, size_t i, const void *what)
{
	const json_t *failed = json_object_get(p->runs[i].tree, "failed");

	(void)what;
	if (json_is_false(json_object_get(p->runs[i].tree, "complete")))
		(void)fputs("<span class=\"bad\">interrupted</span>", p->out);
	else if (json_array_size(failed) > 0)
		(void)fputs("<span class=\"bad\">failed</span>", p->out);
	else
		(void)fputs("<span class=\"good\">good</span>", p->out);
	if (json_array_size(failed) == 0)
		return;
	(void)fputs("<ul>", p->out);
	for (size_t k = 0; k < json_array_size(failed); k++)
		bench_report_element(p->out, "li", json_string_value(json_array_get(failed, k)));
	(void)fputs("</ul>", p->out);
}

/* A setting: where it stands. */
struct setting {
	const char *group; /* of the run's tree; "": the tree itself */
	const char *key;
};

static const json_t *
setting_of(const json_t *run, const struct setting *s)
{
	return json_object_get(*s->group == '\0' ? run : json_object_get(run, s->group), s->key);
}

static void
tell_setting(const struct page *p, size_t i, const void *what)
{
	char cell[BENCH_TEXT_CELL];
	const struct setting *s = what;
	const char *tag = strcmp(s->key, "command") == 0 ? "code" : "span";

	bench_report_element(
	    p->out, tag, bench_text_cell(setting_of(p->runs[i].tree, s), BENCH_TEXT_ROUND, cell));
}

/* Has the setting one value in all runs? */
static bool
is_equal(const struct page *p, const struct setting *s)
{
	const json_t *first = setting_of(p->runs[0].tree, s);

	for (size_t i = 1; i < p->n; i++) {
		const json_t *other = setting_of(p->runs[i].tree, s);

		if (first != other && !json_equal(first, other))
			return false;
	}
	return true;
}

/* Rows of the settings of GROUP that are the same everywhere, or of those that are not. */
static void
group(const struct page *p, const char *name, bool equal)
{
	json_t *keys = json_object(), *value;
	const char *key;

	for (size_t i = 0; i < p->n; i++)
		(void)json_object_update_missing(keys, json_object_get(p->runs[i].tree, name));
	json_object_foreach(keys, key, value)
	{
		const struct setting s = { name, key };

		if (is_equal(p, &s) == equal)
			row(p, equal ? 1 : p->n, key, tell_setting, &s);
	}
	json_decref(keys);
}

/* Rows of all settings that are the same in all runs, or of those that are not. */
static void
settings(const struct page *p, bool equal)
{
	static const struct setting top[] = { { "", "command" }, { "", "version" } };

	for (size_t i = 0; i < sizeof(top) / sizeof(top[0]); i++) {
		if (is_equal(p, &top[i]) == equal)
			row(p, equal ? 1 : p->n, top[i].key, tell_setting, &top[i]);
	}
	group(p, "settings", equal);
	group(p, "machine", equal);
}

/* Which runs these are, and what is not the same in them. */
static void
differences(const struct page *p)
{
	(void)fputs("<h2>Runs</h2>\n<div class=\"wide\"><table>\n", p->out);
	run_heads(p);
	(void)fputs("<tbody>\n", p->out);
	row(p, p->n, "run", tell_run, NULL);
	row(p, p->n, "ended", tell_end, NULL);
	if (p->n > 1)
		settings(p, false);
	(void)fputs("</tbody></table></div>\n", p->out);
}

/* What is the same in all runs; of one run, all that it was told. */
static void
equal_settings(const struct page *p)
{
	(void)fputs(p->n > 1 ? "<details><summary>Settings and machine: the same in all runs"
			       "</summary>\n"
			     : "<h2>Settings and machine</h2>\n",
	    p->out);
	(void)fputs("<table>\n<tbody>\n", p->out);
	settings(p, true);
	(void)fputs("</tbody></table>\n", p->out);
	(void)fputs(p->n > 1 ? "</details>\n" : "", p->out);
}

/* --- Findings --------------------------------------------------------------------------------- */

/* A finding: several of a run may have the same name. */
struct found {
	const char *name;
	size_t before; /* of that name */
};

static void
tell_finding(const struct page *p, size_t i, const void *what)
{
	const struct found *found = what;
	const json_t *f = bench_run_finding_of(p->runs[i].tree, found->name, found->before);
	char cell[BENCH_TEXT_CELL];

	bench_report_text(
	    p->out, bench_text_cell(json_object_get(f, "value"), BENCH_TEXT_ROUND, cell));
	(void)fputc(' ', p->out);
	bench_report_text(p->out, bench_text_get(f, "unit"));
}

/* The I-th finding of run K; how many of its name are before it there. */
static struct found
found_at(const struct page *p, size_t k, size_t i)
{
	const json_t *list = json_object_get(p->runs[k].tree, "findings");
	struct found f = { bench_text_get(json_array_get(list, i), "name"), 0 };

	for (size_t j = 0; j < i; j++)
		f.before += strcmp(bench_text_get(json_array_get(list, j), "name"), f.name) == 0;
	return f;
}

/* Has one of the runs before K that finding? */
static bool
was_told(const struct page *p, size_t k, const struct found *f)
{
	for (size_t i = 0; i < k; i++) {
		if (bench_run_finding_of(p->runs[i].tree, f->name, f->before) != NULL)
			return true;
	}
	return false;
}

static void
findings(const struct page *p)
{
	size_t n = 0;

	for (size_t k = 0; k < p->n; k++)
		n += json_array_size(json_object_get(p->runs[k].tree, "findings"));
	if (n == 0)
		return;
	(void)fputs("<h2>Findings</h2>\n<div class=\"wide\"><table>\n", p->out);
	run_heads(p);
	(void)fputs("<tbody>\n", p->out);
	for (size_t k = 0; k < p->n; k++) {
		n = json_array_size(json_object_get(p->runs[k].tree, "findings"));
		for (size_t i = 0; i < n; i++) {
			struct found f = found_at(p, k, i);

			if (!was_told(p, k, &f))
				row(p, p->n, f.name, tell_finding, &f);
		}
	}
	(void)fputs("</tbody></table></div>\n", p->out);
}

/* --- Tables ----------------------------------------------------------------------------------- */

/* Chart I of the N tables OF. False: there can be no picture. */
static bool
picture(struct page *p, const struct bench_plot_source *of, size_t n, size_t i)
{
	char error[BENCH_PLOT_ERROR];
	FILE *svg = bench_plot_svg(of, n, i, error);

	if (svg == NULL) {
		(void)fputs("<p class=\"note\">No picture: ", p->out);
		bench_report_text(p->out, error);
		(void)fputs("</p>\n", p->out);
		return false;
	}
	(void)fputs("<figure>\n", p->out);
	bench_report_svg(p->out, svg, ++p->pictures);
	(void)fputs("</figure>\n", p->out);
	(void)fclose(svg);
	return true;
}

/* The charts of N tables, over each other. A single row of a single run needs no picture. */
static void
pictures(struct page *p, const struct bench_plot_source *of, size_t n)
{
	size_t n_charts = bench_plot_charts(of, n);
	bool good = true;

	if (n_charts == 0 || (n == 1 && json_array_size(json_object_get(of[0].table, "rows")) == 1))
		return;
	(void)fputs("<div class=\"charts\">\n", p->out);
	for (size_t i = 0; i < n_charts && good; i++)
		good = picture(p, of, n, i);
	(void)fputs("</div>\n", p->out);
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
		bench_report_element(out, "small", bench_text_get(c, "unit"));
		(void)fputs("</th>", out);
	}
	(void)fputs("</tr></thead>\n", out);
}

static void
data_row(FILE *out, const json_t *columns, const json_t *cells)
{
	char cell[BENCH_TEXT_CELL];

	(void)fputs("<tr>", out);
	for (size_t i = 0; i < json_array_size(cells); i++) {
		const json_t *value = json_array_get(cells, i);

		(void)fputs(json_is_string(value) ? "<td class=\"word\">" : "<td>", out);
		bench_report_text(out,
		    bench_text_cell(value, bench_text_decimals(json_array_get(columns, i)), cell));
		(void)fputs("</td>", out);
	}
	(void)fputs("</tr>\n", out);
}

static void
data_table(FILE *out, const json_t *table)
{
	const json_t *columns = json_object_get(table, "columns"),
		     *rows = json_object_get(table, "rows");
	size_t n_rows = json_array_size(rows);

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

/* The tables called NAME: one picture of all, then each. */
static void
same_tables(struct page *p, const char *name)
{
	struct bench_plot_source of[BENCH_CHART_CURVES];
	size_t n = bench_plot_same(p->runs, p->n, name, of), n_rows = 0;

	for (size_t i = 0; i < n; i++)
		n_rows += json_array_size(json_object_get(of[i].table, "rows"));
	if (n_rows == 0)
		return;
	bench_report_element(p->out, "h2", bench_text_get(of[0].table, "title"));
	(void)fputc('\n', p->out);
	pictures(p, of, n);
	(void)fputs("<div class=\"beside\">\n", p->out);
	for (size_t i = 0; i < n; i++) {
		if (json_array_size(json_object_get(of[i].table, "rows")) == 0)
			continue;
		(void)fputs("<div>\n", p->out);
		if (p->n > 1)
			bench_report_element(p->out, "h3", of[i].name);
		data_table(p->out, of[i].table);
		(void)fputs("</div>\n", p->out);
	}
	(void)fputs("</div>\n", p->out);
}

void
bench_report_page(FILE *out, const struct bench_plot_run *runs, size_t n)
{
	struct page p = { out, runs, n, 0 };
	json_t *names = bench_plot_names(runs, n);

	bench_report_head(out);
	differences(&p);
	findings(&p);
	for (size_t i = 0; i < json_array_size(names); i++)
		same_tables(&p, json_string_value(json_array_get(names, i)));
	equal_settings(&p);
	(void)fputs("</body>\n</html>\n", out);
	json_decref(names);
}

/* --- Files ------------------------------------------------------------------------------------ */

static bool
put_page(const void *what, FILE *f)
{
	const struct page *p = what;

	bench_report_page(f, p->runs, p->n);
	return true;
}

/*
 * How the run in the file WORD is called, to NAME: what is before "=", or the file's name without
 * directory and end. Returns the path.
 */
static const char *
take_name(const char *word, char name[static BENCH_REPORT_NAME])
{
	size_t n = strcspn(word, "=/");
	const char *base = strrchr(word, '/') != NULL ? strrchr(word, '/') + 1 : word;
	const char *end = strrchr(base, '.');

	if (n > 0 && word[n] == '=') {
		(void)snprintf(name, BENCH_REPORT_NAME, "%.*s", (int)n, word);
		return word + n + 1;
	}
	n = end != NULL && strcmp(end, ".json") == 0 && end > base ? (size_t)(end - base)
								   : strlen(base);
	(void)snprintf(name, BENCH_REPORT_NAME, "%.*s", (int)n, base);
	return word;
}

/* What is made of the runs: a page, or pictures. */
static int
make(const struct bench_plot_wish *to, const struct page *p, char error[static BENCH_RUN_ERROR])
{
	char why[BENCH_PLOT_ERROR];

	if (bench_plot_format(to->path) != BENCH_PLOT_UNKNOWN) {
		if (bench_plot_write(p->runs, p->n, to, why))
			return EXIT_GOOD;
		(void)snprintf(error, BENCH_RUN_ERROR, "%s", why);
		return EXIT_FAILED;
	}
	int e = bench_text_file(to->path, put_page, p);
	if (e == 0)
		return EXIT_GOOD;
	(void)snprintf(error, BENCH_RUN_ERROR, "%.300s: %s", to->path, strerror(-e));
	return EXIT_FAILED;
}

/* A run of a file. */
struct named {
	struct bench_run *run;
	char name[BENCH_REPORT_NAME];
};

/* Two of the same name could not be told apart: each gets its number. */
static void
number_name(struct named *all, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		size_t len = strlen(all[i].name);

		if (strcmp(all[k].name, all[i].name) == 0) {
			(void)snprintf(all[i].name + len, BENCH_REPORT_NAME - len, " (%zu)", i + 1);
			return;
		}
	}
}

int
bench_report(const struct bench_plot_wish *to, char *const *words, size_t n, FILE *errors)
{
	struct named *all = calloc(n, sizeof(*all));
	struct bench_plot_run *runs = calloc(n, sizeof(*runs));
	const struct page page = { NULL, runs, n, 0 };
	char error[BENCH_RUN_ERROR] = "no memory";
	int code = all != NULL && runs != NULL ? EXIT_GOOD : EXIT_FAILED;

	for (size_t i = 0; i < n && code == EXIT_GOOD; i++) {
		all[i].run = bench_run_read(take_name(words[i], all[i].name), error);
		code = all[i].run != NULL ? EXIT_GOOD : EXIT_USAGE;
		number_name(all, i);
		if (code == EXIT_GOOD)
			runs[i] =
			    (struct bench_plot_run){ bench_run_tree(all[i].run), all[i].name };
	}
	if (code == EXIT_GOOD)
		code = make(to, &page, error);
	if (code != EXIT_GOOD)
		(void)fprintf(errors, "dns64bench: %s\n", error);
	for (size_t i = 0; all != NULL && i < n; i++)
		bench_run_free(all[i].run);
	free(all);
	free(runs);
	return code;
}
