/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/dut/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/number.h"
#include "bench/host/file.h"

int
bench_procfs_number(const char *text, size_t len)
{
	uint64_t v;

	return number_parse(text, len, BENCH_PROCFS_PID_MAX, &v) ? (int)v : 0;
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

	return bench_file_times(ticks, NS_PER_SEC / (uint64_t)(per_second > 0 ? per_second : 100));
}

/* The fields behind the name: "S 1 1 ...", of which state is field 3 of proc_pid_stat(5). */
static bool
parse_fields(const char *p, struct bench_stat *s)
{
	p += strspn(p, " ");
	char state = *p;
	uint64_t user, system;

	if ((p = skip_words(p, 11)) == NULL || !bench_file_number(&p, &user) ||
	    !bench_file_number(&p, &system) || (p = skip_words(p, 4)) == NULL ||
	    !bench_file_number(&p, &s->threads) || (p = skip_words(p, 1)) == NULL ||
	    !bench_file_number(&p, &s->start))
		return false;
	s->user_ns = ticks_to_ns(user);
	s->system_ns = ticks_to_ns(system);
	/* A process whose first thread has ended, but not all threads, is shown as a zombie. */
	s->ended = (state == 'Z' || state == 'X' || state == 'x') && s->threads <= 1;
	return true;
}

bool
bench_procfs_parse_stat(const char *text, struct bench_stat *s)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	struct bench_stat new = { .ended = false };

	if (open == NULL || close == NULL || close < open || !parse_fields(close + 1, &new))
		return false;
	bench_file_clean(new.name, sizeof(new.name), open + 1, (size_t)(close - open - 1));
	*s = new;
	return true;
}

/* Read the number behind "KEY:" to *v, if there is one. */
static bool
find_number(const char *text, const char *key, uint64_t *v)
{
	const char *at = bench_file_value(text, key);

	return at != NULL && bench_file_number(&at, v);
}

void
bench_procfs_parse_status(const char *text, struct bench_status *s)
{
	uint64_t kib;

	(void)find_number(text, "Tgid", &s->process);
	(void)find_number(text, "voluntary_ctxt_switches", &s->switches);
	(void)find_number(text, "nonvoluntary_ctxt_switches", &s->preemptions);
	if (find_number(text, "VmRSS", &kib))
		s->rss = bench_file_times(kib, 1024);
}

int
bench_procfs_stat(const char *dir, struct bench_stat *s)
{
	struct bench_file file;
	int r = bench_file_read(&file, "%s/stat", dir);

	if (r < 0)
		return r;
	return bench_procfs_parse_stat(file.text, s) ? 0 : -EBADMSG;
}

int
bench_procfs_status(const char *dir, struct bench_status *s)
{
	struct bench_file file;
	int r = bench_file_read(&file, "%s/status", dir);

	if (r == 0)
		bench_procfs_parse_status(file.text, s);
	return r;
}

uint64_t
bench_procfs_cpu_ns(const char *dir)
{
	struct bench_file file;
	uint64_t ns;

	if (bench_file_read(&file, "%s/schedstat", dir) < 0)
		return 0;
	const char *at = file.text;
	return bench_file_number(&at, &ns) ? ns : 0;
}

uint64_t
bench_procfs_rss(const char *dir)
{
	struct bench_file file;
	uint64_t size, resident;
	long page = sysconf(_SC_PAGESIZE);

	if (bench_file_read(&file, "%s/statm", dir) < 0 || page <= 0)
		return 0;
	const char *at = file.text;
	if (!bench_file_number(&at, &size) || !bench_file_number(&at, &resident))
		return 0;
	return bench_file_times(resident, (uint64_t)page);
}

bool
bench_procfs_descriptors(const char *dir, bool sized, unsigned *n)
{
	char path[BENCH_FILE_PATH];
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
