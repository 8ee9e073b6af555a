/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/host/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/number.h"
#include "bench/host/process.h"

/* --- Files ------------------------------------------------------------------------------------ */

/* Read to the end of the file or of the buffer: /proc may give it in pieces. */
static int
read_all(int fd, struct bench_proc_file *file)
{
	size_t len = 0;

	while (len < BENCH_PROC_FILE_MAX) {
		ssize_t n = read(fd, file->text + len, BENCH_PROC_FILE_MAX - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
	}
	file->len = len;
	file->text[len] = '\0';
	return 0;
}

int
bench_proc_read(struct bench_proc_file *file, const char *path, ...)
{
	char name[BENCH_PROC_PATH];
	va_list ap;

	va_start(ap, path);
	int n = vsnprintf(name, sizeof(name), path, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(name))
		return -ENAMETOOLONG;
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int r = read_all(fd, file);
	(void)close(fd);
	return r;
}

const char *
bench_proc_value(const char *text, const char *key)
{
	size_t len = strlen(key);

	while (text != NULL) {
		if (strncmp(text, key, len) == 0 && text[len] == ':')
			return text + len + 1 + strspn(text + len + 1, " \t");
		text = strchr(text, '\n');
		if (text != NULL)
			text++;
	}
	return NULL;
}

bool
bench_proc_number(const char **at, uint64_t *v)
{
	const char *p = *at + strspn(*at, " \t");
	uint64_t n;
	size_t len = number_prefix(p, SIZE_MAX, UINT64_MAX, &n);

	if (len == 0)
		return false;
	p += len;
	if (*p != ' ' && *p != '\t' && *p != '\n')
		return false;
	*at = p;
	*v = n;
	return true;
}

uint64_t
bench_proc_times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

void
bench_proc_clean(char *to, size_t cap, const char *from, size_t len)
{
	size_t n = len < cap - 1 ? len : cap - 1;

	for (size_t i = 0; i < n; i++)
		to[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
	to[n] = '\0';
}

/* --- One process or thread -------------------------------------------------------------------- */

int
bench_proc_id(const char *text, size_t len)
{
	uint64_t v;

	return number_parse(text, len, BENCH_PROC_PID_MAX, &v) ? (int)v : 0;
}

/* Skip N words; NULL if there are fewer. Some of them are negative numbers. */
static const char *
skip_words(const char *p, unsigned n)
{
	for (; n > 0; n--) {
		p += strspn(p, " ");
		size_t len = strcspn(p, " \n");

		if (len == 0 || p[len] != ' ')
			return NULL;
		p += len;
	}
	return p;
}

static uint64_t
ticks_to_ns(uint64_t ticks)
{
	long per_second = sysconf(_SC_CLK_TCK);

	return bench_proc_times(ticks, NS_PER_SEC / (uint64_t)(per_second > 0 ? per_second : 100));
}

/* The fields behind the name: "S 1 1 ...", of which state is field 3 of proc_pid_stat(5). */
static bool
parse_fields(const char *p, struct bench_stat *s)
{
	p += strspn(p, " ");
	char state = *p;
	uint64_t user, system;

	if ((p = skip_words(p, 11)) == NULL || !bench_proc_number(&p, &user) ||
	    !bench_proc_number(&p, &system) || (p = skip_words(p, 4)) == NULL ||
	    !bench_proc_number(&p, &s->threads) || (p = skip_words(p, 1)) == NULL ||
	    !bench_proc_number(&p, &s->start))
		return false;
	s->user_ns = ticks_to_ns(user);
	s->system_ns = ticks_to_ns(system);
	/* A process whose first thread has ended, but not all threads, is shown as a zombie. */
	s->ended = (state == 'Z' || state == 'X' || state == 'x') && s->threads <= 1;
	return true;
}

bool
bench_proc_parse_stat(const char *text, struct bench_stat *s)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	struct bench_stat new = { .ended = false };

	if (open == NULL || close == NULL || close < open || !parse_fields(close + 1, &new))
		return false;
	bench_proc_clean(new.name, sizeof(new.name), open + 1, (size_t)(close - open - 1));
	*s = new;
	return true;
}

/* Read the number behind "KEY:" to *v, if there is one. */
static bool
find_number(const char *text, const char *key, uint64_t *v)
{
	const char *at = bench_proc_value(text, key);

	return at != NULL && bench_proc_number(&at, v);
}

void
bench_proc_parse_status(const char *text, struct bench_status *s)
{
	uint64_t kib;

	(void)find_number(text, "Tgid", &s->process);
	(void)find_number(text, "voluntary_ctxt_switches", &s->switches);
	(void)find_number(text, "nonvoluntary_ctxt_switches", &s->preemptions);
	if (find_number(text, "VmRSS", &kib))
		s->rss = bench_proc_times(kib, 1024);
}

int
bench_proc_stat(const char *dir, struct bench_stat *s)
{
	struct bench_proc_file file;
	int r = bench_proc_read(&file, "%s/stat", dir);

	if (r < 0)
		return r;
	return bench_proc_parse_stat(file.text, s) ? 0 : -EBADMSG;
}

int
bench_proc_status(const char *dir, struct bench_status *s)
{
	struct bench_proc_file file;
	int r = bench_proc_read(&file, "%s/status", dir);

	if (r == 0)
		bench_proc_parse_status(file.text, s);
	return r;
}

uint64_t
bench_proc_cpu_ns(const char *dir)
{
	struct bench_proc_file file;
	uint64_t ns;

	if (bench_proc_read(&file, "%s/schedstat", dir) < 0)
		return 0;
	const char *at = file.text;
	return bench_proc_number(&at, &ns) ? ns : 0;
}

uint64_t
bench_proc_rss(const char *dir)
{
	struct bench_proc_file file;
	uint64_t size, resident;
	long page = sysconf(_SC_PAGESIZE);

	if (bench_proc_read(&file, "%s/statm", dir) < 0 || page <= 0)
		return 0;
	const char *at = file.text;
	if (!bench_proc_number(&at, &size) || !bench_proc_number(&at, &resident))
		return 0;
	return bench_proc_times(resident, (uint64_t)page);
}

bool
bench_proc_descriptors(const char *dir, bool sized, unsigned *n)
{
	char path[BENCH_PROC_PATH];
	struct stat st;
	unsigned count = 0;
	int len = snprintf(path, sizeof(path), "%s/fd", dir);

	if (len < 0 || (size_t)len >= sizeof(path))
		return false;
	if (sized && stat(path, &st) == 0 && st.st_size > 0 && st.st_size <= INT_MAX) {
		*n = (unsigned)st.st_size;
		return true;
	}
	DIR *d = opendir(path);
	if (d == NULL)
		return false;
	for (struct dirent *e; (e = readdir(d)) != NULL;)
		count += e->d_name[0] != '.';
	(void)closedir(d);
	*n = count;
	return true;
}

/* --- A systemd unit --------------------------------------------------------------------------- */

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

	return path[0] == '/' && len < BENCH_PROC_GROUP_PATH && strstr(path, "/../") == NULL &&
	    (len < 3 || strcmp(path + len - 3, "/..") != 0);
}

/* Copy the first line that systemctl printed, made printable, to ERROR. */
static void
quote(const char *name, const struct bench_output *said, char *error)
{
	char line[128];

	bench_proc_clean(line, sizeof(line), said->text, strcspn(said->text, "\n"));
	(void)snprintf(error, BENCH_PROC_ERROR, "unit %.60s: systemctl: %s", name,
	    line[0] != '\0' ? line : "it failed");
}

bool
bench_proc_unit(
    const char *name, char path[static BENCH_PROC_GROUP_PATH], char error[static BENCH_PROC_ERROR])
{
	char systemctl[] = "systemctl", show[] = "show", property[] = "--property=ControlGroup",
	     value[] = "--value", pager[] = "--no-pager", end[] = "--", unit[NAME_MAX_LEN + 1];
	char *argv[] = { systemctl, show, property, value, pager, end, unit, NULL };
	struct bench_output said;

	if (!is_name(name)) {
		(void)snprintf(
		    error, BENCH_PROC_ERROR, "\"%.60s\" is not the name of a unit", name);
		return false;
	}
	(void)snprintf(unit, sizeof(unit), "%s", name);
	int r = bench_process_run(argv, SYSTEMCTL_MS, &said);
	if (r < 0) {
		(void)snprintf(
		    error, BENCH_PROC_ERROR, "unit %.60s: systemctl: %s", name, strerror(-r));
		return false;
	}
	if (r > 0) {
		quote(name, &said, error);
		return false;
	}
	said.text[strcspn(said.text, "\n")] = '\0';
	if (!is_group(said.text)) {
		(void)snprintf(error, BENCH_PROC_ERROR,
		    "unit %.60s has no control group: it does not run", name);
		return false;
	}
	(void)snprintf(path, BENCH_PROC_GROUP_PATH, "%s", said.text);
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
	char path[BENCH_PROC_PATH], line[32];
	int len = snprintf(path, sizeof(path), "%s/cgroup.procs", dir);

	FILE *file = len > 0 && (size_t)len < sizeof(path) ? fopen(path, "re") : NULL;
	if (file == NULL)
		return;
	while (fgets(line, sizeof(line), file) != NULL) {
		const char *at = line;
		uint64_t pid;

		if (!bench_proc_number(&at, &pid) || pid == 0 || pid > BENCH_PROC_PID_MAX)
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
	char path[BENCH_PROC_PATH];
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
bench_proc_group(const char *root, const char *group, int *pids, size_t cap)
{
	struct found f = { .pids = pids, .cap = cap };
	char path[BENCH_PROC_PATH];

	for (size_t i = 0; i < N_HIERARCHIES && f.n == 0; i++) {
		int len = snprintf(
		    path, sizeof(path), "%s/sys/fs/cgroup%s%s", root, hierarchies[i], group);

		if (len > 0 && (size_t)len < sizeof(path))
			walk(path, DEPTH_MAX, &f);
	}
	return f.n;
}
