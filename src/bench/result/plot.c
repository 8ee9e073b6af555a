/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/result/plot.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/host/process.h"
#include "bench/result/text.h"

#define LINE_OCTETS 160
#define NOT_STARTED 127 /* exit code of a program that could not be started (POSIX) */

/*
 * The last line of F that holds a word, to SAID: gnuplot shows the command first, then its fault.
 */
static const char *
last_words(FILE *f, char said[static LINE_OCTETS])
{
	char line[LINE_OCTETS];

	(void)strcpy(said, "it said nothing");
	rewind(f);
	while (fgets(line, LINE_OCTETS, f) != NULL) {
		const char *words = line + strspn(line, " \t\n^");

		if (*words == '\0')
			continue;
		line[strcspn(line, "\n")] = '\0';
		(void)strcpy(said, words);
	}
	return said;
}

/* Run the program ARGV with the standard files ENDS and wait for its end. SAID: what it prints. */
static bool
run(char *const argv[], const int ends[static 3], FILE *said, char *error, size_t size)
{
	const char *program = argv[0];
	char line[LINE_OCTETS];
	pid_t pid;
	int status = 0, e = bench_process_start(argv, ends, false, &pid);

	while (e == 0 && waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			e = errno;
	}
	/* If posix_spawn cannot tell that, the process ends with this exit code. */
	if (e == ENOENT || (e == 0 && WIFEXITED(status) && WEXITSTATUS(status) == NOT_STARTED)) {
		(void)snprintf(error, size,
		    "there is no %s to draw with (Debian: gnuplot-nox; Fedora, Alpine: gnuplot)",
		    program);
		return false;
	}
	if (e != 0) {
		(void)snprintf(error, size, "%s: %s", program, strerror(e));
		return false;
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	if (WIFEXITED(status))
		(void)snprintf(error, size, "%s ended with %d: %s", program, WEXITSTATUS(status),
		    last_words(said, line));
	else
		(void)snprintf(error, size, "%s was ended by signal %d", program, WTERMSIG(status));
	return false;
}

/* Two files without a name. */
static bool
open_two(FILE **a, FILE **b, char *error, size_t size)
{
	*a = tmpfile();
	*b = *a != NULL ? tmpfile() : NULL;
	if (*b != NULL)
		return true;
	(void)snprintf(error, size, "no temporary file: %s", strerror(errno));
	if (*a != NULL)
		(void)fclose(*a);
	return false;
}

bool
bench_plot_can(const char *program, const char *terminal, char *error, size_t size)
{
	char defaults[] = "-d", execute[] = "-e", command[64], version[] = "--version";
	char *const asks[][5] = { { (char *)(uintptr_t)program, version, NULL },
		{ (char *)(uintptr_t)program, defaults, execute, command, NULL } };
	bool good = true;

	(void)snprintf(command, sizeof(command), "set terminal %s", terminal);
	for (size_t i = 0; i < 2 && good; i++) {
		FILE *out, *said;

		if (!open_two(&out, &said, error, size))
			return false;
		const int ends[3] = { -1, fileno(out), fileno(said) };
		good = run(asks[i], ends, said, error, size);
		(void)fclose(out);
		(void)fclose(said);
		if (!good && i == 1)
			(void)snprintf(error, size,
			    "%s has no terminal \"%s\": another kind of picture, or one with it "
			    "(Debian: gnuplot-nox)",
			    program, terminal);
	}
	return good;
}

FILE *
bench_plot_run(const char *program, FILE *script, char *error, size_t size)
{
	char defaults[] = "-d", in[] = "-";
	char *const argv[] = { (char *)(uintptr_t)program, defaults, in, NULL };
	char words[LINE_OCTETS];
	FILE *out, *said;

	if (fflush(script) != 0 || fseek(script, 0, SEEK_SET) != 0) {
		(void)snprintf(error, size, "the script for %s: %s", program, strerror(errno));
		return NULL;
	}
	if (!open_two(&out, &said, error, size))
		return NULL;
	const int ends[3] = { fileno(script), fileno(out), fileno(said) };
	bool good = run(argv, ends, said, error, size);
	if (good && (fseek(out, 0, SEEK_END) != 0 || ftell(out) <= 0)) {
		(void)snprintf(
		    error, size, "%s drew nothing: %s", program, last_words(said, words));
		good = false;
	}
	(void)fclose(said);
	rewind(out);
	if (good)
		return out;
	(void)fclose(out);
	return NULL;
}

/* --- Pictures --------------------------------------------------------------------------------- */

/* How the name of a picture ends, and what draws it. */
static const struct {
	const char *end, *terminal;
} formats[] = {
	[BENCH_PLOT_PNG] = { ".png", "pngcairo" },
	[BENCH_PLOT_SVG] = { ".svg", "svg" },
	[BENCH_PLOT_PDF] = { ".pdf", "pdfcairo" },
};

enum bench_plot_format
bench_plot_format(const char *path)
{
	const char *end = strrchr(path, '.');
	unsigned i = 0;

	while (end != NULL && i < BENCH_PLOT_UNKNOWN && strcmp(end, formats[i].end) != 0)
		i++;
	return end != NULL ? (enum bench_plot_format)i : BENCH_PLOT_UNKNOWN;
}

bool
bench_plot_ready(const char *path, char error[static BENCH_PLOT_ERROR])
{
	enum bench_plot_format format = bench_plot_format(path);

	if (format != BENCH_PLOT_UNKNOWN)
		return bench_plot_can("gnuplot", formats[format].terminal, error, BENCH_PLOT_ERROR);
	(void)snprintf(error, BENCH_PLOT_ERROR, "%.120s: pictures end in .png, .svg or .pdf", path);
	return false;
}

/* The picture P in a file without a name, or NULL. */
static FILE *
draw(const struct bench_picture *p, char error[static BENCH_PLOT_ERROR])
{
	FILE *script = tmpfile(), *picture = NULL;

	if (script == NULL) {
		(void)snprintf(error, BENCH_PLOT_ERROR, "no temporary file: %s", strerror(errno));
		return NULL;
	}
	bench_plot_script(script, p);
	picture = bench_plot_run("gnuplot", script, error, BENCH_PLOT_ERROR);
	(void)fclose(script);
	return picture;
}

size_t
bench_plot_charts(const struct bench_plot_source *of, size_t n)
{
	struct bench_figure *f = bench_plot_choose(of, n);
	size_t n_charts = f != NULL ? f->n : 0;

	bench_plot_drop(f);
	return n_charts;
}

FILE *
bench_plot_svg(
    const struct bench_plot_source *of, size_t n, size_t i, char error[static BENCH_PLOT_ERROR])
{
	struct bench_figure *f = bench_plot_choose(of, n);
	const struct bench_picture p = {
		.figures = &f, .n = 1, .only = i, .format = BENCH_PLOT_SVG, .bare = true
	};
	FILE *svg = NULL;

	if (f != NULL && i < f->n)
		svg = draw(&p, error);
	else
		(void)snprintf(error, BENCH_PLOT_ERROR, "there is nothing to draw");
	bench_plot_drop(f);
	return svg;
}

/* --- Files ------------------------------------------------------------------------------------ */

/* Copy FROM to the file PATH. 0 or -errno. */
static int
copy(FILE *from, const char *path)
{
	char part[BUFSIZ];
	FILE *to = fopen(path, "we");
	size_t n;

	if (to == NULL)
		return -errno;
	while ((n = fread(part, 1, sizeof(part), from)) > 0 && fwrite(part, 1, n, to) == n)
		continue;
	int result = ferror(from) != 0 || ferror(to) != 0 ? -errno : 0;
	if (fclose(to) != 0 && result == 0)
		result = -errno;
	return result;
}

/* Draw P to the file PATH. */
static bool
draw_to(const struct bench_picture *p, const char *path, char error[static BENCH_PLOT_ERROR])
{
	FILE *picture = draw(p, error);

	if (picture == NULL)
		return false;
	int e = copy(picture, path);
	(void)fclose(picture);
	if (e != 0)
		(void)snprintf(error, BENCH_PLOT_ERROR, "%.120s: %s", path, strerror(-e));
	return e == 0;
}

/* Draw each chart of *FIGURE, of the table NAME, to a file of its own. */
static bool
draw_panels(struct bench_picture *p, struct bench_figure *const *figure, const char *name,
    const char *path, char error[static BENCH_PLOT_ERROR])
{
	int stem = (int)(strrchr(path, '.') - path);

	const struct bench_figure *f = *figure;

	p->figures = figure;
	p->n = 1;
	for (p->only = 0; p->only < f->n; p->only++) {
		const char *chart = f->charts[p->only].name;
		bool both = f->n > 1 && strcmp(chart, name) != 0;
		char *panel = NULL;

		if (asprintf(&panel, "%.*s-%s%s%s%s", stem, path, name, both ? "-" : "",
			both ? chart : "", path + stem) < 0) {
			(void)snprintf(error, BENCH_PLOT_ERROR, "no memory");
			return false;
		}
		bool good = draw_to(p, panel, error);
		free(panel);
		if (!good)
			return false;
	}
	return true;
}

json_t *
bench_plot_names(const struct bench_plot_run *runs, size_t n)
{
	json_t *names = json_array(), *seen = json_object();

	for (size_t k = 0; k < n; k++) {
		const json_t *tables = json_object_get(runs[k].tree, "tables");

		for (size_t i = 0; i < json_array_size(tables); i++) {
			json_t *name = json_object_get(json_array_get(tables, i), "name");

			if (json_object_get(seen, json_string_value(name)) != NULL)
				continue;
			(void)json_object_set_new(seen, json_string_value(name), json_true());
			(void)json_array_append(names, name);
		}
	}
	json_decref(seen);
	return names;
}

size_t
bench_plot_same(const struct bench_plot_run *runs, size_t n, const char *name,
    struct bench_plot_source of[static BENCH_CHART_CURVES])
{
	size_t found = 0;

	for (size_t i = 0; i < n && found < BENCH_CHART_CURVES; i++) {
		const json_t *table = bench_run_table_of(runs[i].tree, name);

		if (table != NULL)
			of[found++] = (struct bench_plot_source){ table, runs[i].name };
	}
	return found;
}

/* Draw the figures of P, made of the tables NAMES, as it is wished. */
static bool
draw_all(struct bench_picture *p, struct bench_figure *const *figures, const json_t *names,
    const struct bench_plot_wish *wish, char error[static BENCH_PLOT_ERROR])
{
	size_t n = p->n, n_charts = 0;

	for (size_t i = 0; i < n; i++)
		n_charts += figures[i]->n;
	if (n_charts == 0) {
		(void)snprintf(error, BENCH_PLOT_ERROR, "there is nothing to draw");
		return false;
	}
	if (!wish->panels)
		return draw_to(p, wish->path, error);
	for (size_t i = 0; i < n; i++) {
		const char *name = json_string_value(json_array_get(names, i));

		if (!draw_panels(p, &figures[i], name, wish->path, error))
			return false;
	}
	return true;
}

bool
bench_plot_write(const struct bench_plot_run *runs, size_t n, const struct bench_plot_wish *wish,
    char error[static BENCH_PLOT_ERROR])
{
	json_t *names = bench_plot_names(runs, n);
	size_t n_names = json_array_size(names);
	struct bench_figure **figures = calloc(n_names + 1, sizeof(*figures));
	struct bench_picture p = { .figures = figures,
		.n = n_names,
		.only = BENCH_PLOT_ALL,
		.format = bench_plot_format(wish->path),
		.titles = wish->titles };
	bool good = figures != NULL;

	(void)snprintf(error, BENCH_PLOT_ERROR, "no memory");
	for (size_t i = 0; good && i < n_names; i++) {
		struct bench_plot_source of[BENCH_CHART_CURVES];
		size_t n_of =
		    bench_plot_same(runs, n, json_string_value(json_array_get(names, i)), of);

		figures[i] = bench_plot_choose(of, n_of);
		good = figures[i] != NULL;
	}
	good = good && draw_all(&p, figures, names, wish, error);
	for (size_t i = 0; figures != NULL && i < n_names; i++)
		bench_plot_drop(figures[i]);
	free((void *)figures);
	json_decref(names);
	return good;
}
