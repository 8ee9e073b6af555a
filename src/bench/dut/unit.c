/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/dut/unit.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/dut/procfs.h"
#include "bench/host/command.h"

#define NAME_MAX_LEN 255 /* bytes of a unit's name (systemd.unit(5)) */
#define SYSTEMCTL_MS 20000
#define DEPTH_MAX 8 /* groups inside groups */

/* Where systemd's control groups are: with version 2 alone, with both versions, with version 1. */
static const char *const hierarchies[] = { "", "/unified", "/systemd" };

#define N_HIERARCHIES (sizeof(hierarchies) / sizeof(hierarchies[0]))

/* Is NAME a unit's name, and not a pattern for several? */
static bool
is_name(const char *name)
{
	size_t len =
	    strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:-_.\\@");

	return len > 0 && len <= NAME_MAX_LEN && name[len] == '\0';
}

/* Is it an absolute path without ".." in it? */
static bool
is_group(const char *path)
{
	size_t len = strlen(path);

	return path[0] == '/' && len < BENCH_UNIT_PATH && strstr(path, "/../") == NULL &&
	    (len < 3 || strcmp(path + len - 3, "/..") != 0);
}

/* Copy the first line that systemctl printed, made printable, to ERROR. */
static void
quote(const char *name, struct bench_file *said, char *error)
{
	char line[128];

	bench_file_clean(line, sizeof(line), said->text, strcspn(said->text, "\n"));
	(void)snprintf(error, BENCH_UNIT_ERROR, "unit %.60s: systemctl: %s", name,
	    line[0] != '\0' ? line : "it failed");
}

bool
bench_unit_find(
    const char *name, char path[static BENCH_UNIT_PATH], char error[static BENCH_UNIT_ERROR])
{
	char systemctl[] = "systemctl", show[] = "show", property[] = "--property=ControlGroup",
	     value[] = "--value", pager[] = "--no-pager", end[] = "--", unit[NAME_MAX_LEN + 1];
	char *argv[] = { systemctl, show, property, value, pager, end, unit, NULL };
	struct bench_file said;

	if (!is_name(name)) {
		(void)snprintf(
		    error, BENCH_UNIT_ERROR, "\"%.60s\" is not the name of a unit", name);
		return false;
	}
	(void)snprintf(unit, sizeof(unit), "%s", name);
	int r = bench_command_run(argv, SYSTEMCTL_MS, &said);
	if (r < 0) {
		(void)snprintf(
		    error, BENCH_UNIT_ERROR, "unit %.60s: systemctl: %s", name, strerror(-r));
		return false;
	}
	if (r > 0) {
		quote(name, &said, error);
		return false;
	}
	said.text[strcspn(said.text, "\n")] = '\0';
	if (!is_group(said.text)) {
		(void)snprintf(error, BENCH_UNIT_ERROR,
		    "unit %.60s has no control group: it does not run", name);
		return false;
	}
	(void)snprintf(path, BENCH_UNIT_PATH, "%s", said.text);
	return true;
}

/* What a walk through the groups has found. */
struct found {
	int *pids;
	size_t n, cap;
};

/* Read the lines of cgroup.procs; 0 is a process outside of our PID namespace. */
static void
take_processes(const char *dir, struct found *f)
{
	char path[BENCH_FILE_PATH], line[32];
	int len = snprintf(path, sizeof(path), "%s/cgroup.procs", dir);

	FILE *file = len > 0 && (size_t)len < sizeof(path) ? fopen(path, "re") : NULL;
	if (file == NULL)
		return;
	while (fgets(line, sizeof(line), file) != NULL) {
		const char *at = line;
		uint64_t pid;

		if (!bench_file_number(&at, &pid) || pid == 0 || pid > BENCH_PROCFS_PID_MAX)
			continue;
		if (f->n < f->cap)
			f->pids[f->n] = (int)pid;
		f->n++;
	}
	(void)fclose(file);
}

static bool
is_directory(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Read the group at DIR and the groups inside it, down to DEPTH. */
static void
walk(const char *dir, unsigned depth, struct found *f)
{
	char path[BENCH_FILE_PATH];
	DIR *d = opendir(dir);

	if (d == NULL)
		return;
	take_processes(dir, f);
	for (struct dirent *e; depth > 0 && (e = readdir(d)) != NULL;) {
		int len = snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);

		if (e->d_name[0] == '.' || len < 0 || (size_t)len >= sizeof(path))
			continue;
		if (is_directory(path))
			walk(path, depth - 1, f);
	}
	(void)closedir(d);
}

size_t
bench_unit_processes(const char *root, const char *group, int *pids, size_t cap)
{
	struct found f = { .pids = pids, .cap = cap };
	char path[BENCH_FILE_PATH];

	for (size_t i = 0; i < N_HIERARCHIES && f.n == 0; i++) {
		int len = snprintf(
		    path, sizeof(path), "%s/sys/fs/cgroup%s%s", root, hierarchies[i], group);

		if (len > 0 && (size_t)len < sizeof(path))
			walk(path, DEPTH_MAX, &f);
	}
	return f.n;
}
