/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/result/plot.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/host/process.h"

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
bench_plot_can(const char *program, char *error, size_t size)
{
	char version[] = "--version";
	char *const argv[] = { (char *)(uintptr_t)program, version, NULL };
	FILE *out, *said;

	if (!open_two(&out, &said, error, size))
		return false;
	const int ends[3] = { -1, fileno(out), fileno(said) };
	bool good = run(argv, ends, said, error, size);
	(void)fclose(out);
	(void)fclose(said);
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

enum bench_plot_format
bench_plot_format(const char *path)
{
	const char *end = strrchr(path, '.');

	if (end != NULL && strcmp(end, ".png") == 0)
		return BENCH_PLOT_PNG;
	if (end != NULL && strcmp(end, ".svg") == 0)
		return BENCH_PLOT_SVG;
	return BENCH_PLOT_UNKNOWN;
}

bool
bench_plot_ready(const char *path, char error[static BENCH_PLOT_ERROR])
{
	if (bench_plot_format(path) != BENCH_PLOT_UNKNOWN)
		return bench_plot_can("gnuplot", error, BENCH_PLOT_ERROR);
	(void)snprintf(error, BENCH_PLOT_ERROR, "%.120s: pictures end in .png or .svg", path);
	return false;
}

/* The picture of TABLES in a file without a name, or NULL. */
static FILE *
draw(const json_t *tables, enum bench_plot_format format, bool titles,
    char error[static BENCH_PLOT_ERROR])
{
	FILE *script = tmpfile(), *picture = NULL;

	if (script == NULL)
		(void)snprintf(error, BENCH_PLOT_ERROR, "no temporary file: %s", strerror(errno));
	else if (bench_plot_script(script, tables, format, titles) == 0)
		(void)snprintf(error, BENCH_PLOT_ERROR, "there is nothing to draw");
	else
		picture = bench_plot_run("gnuplot", script, error, BENCH_PLOT_ERROR);
	if (script != NULL)
		(void)fclose(script);
	return picture;
}

FILE *
bench_plot_svg(const json_t *table, char error[static BENCH_PLOT_ERROR])
{
	json_t *tables = json_pack("[O]", table);
	FILE *svg = NULL;

	if (tables != NULL)
		svg = draw(tables, BENCH_PLOT_SVG, false, error);
	else
		(void)snprintf(error, BENCH_PLOT_ERROR, "no memory");
	json_decref(tables);
	return svg;
}

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

bool
bench_plot_write(const struct bench_run *r, const char *path, char error[static BENCH_PLOT_ERROR])
{
	const json_t *tables = json_object_get(bench_run_tree(r), "tables");
	FILE *picture = draw(tables, bench_plot_format(path), true, error);

	if (picture == NULL)
		return false;
	int e = copy(picture, path);
	(void)fclose(picture);
	if (e != 0)
		(void)snprintf(error, BENCH_PLOT_ERROR, "%.120s: %s", path, strerror(-e));
	return e == 0;
}
