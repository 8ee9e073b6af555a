/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/host/dut.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/host/proc.h"

struct bench_dut {
	/*
	 * Where the processes are looked up at each reading; both empty: pids stays as it was
	 * given.
	 */
	char group[BENCH_PROC_GROUP_PATH]; /* of a unit */
	const char *pid_file;              /* borrowed; NULL: none */
	bool begun;
	size_t n_pids;
	int pids[BENCH_DUT_PIDS];
	struct bench_tasks tasks;
};

/* The process number that the file PATH begins with. Returns 1, or 0 if there is none. */
static size_t
read_pid_file(const char *path, int *pid)
{
	struct bench_proc_file file;

	if (bench_proc_read(&file, "%s", path) < 0)
		return 0;
	*pid = bench_proc_id(file.text, strspn(file.text, "0123456789"));
	return *pid > 0 ? 1 : 0;
}

/* List the processes for a reading: those of a unit change. Returns how many do not fit. */
static unsigned
list_processes(struct bench_dut *d)
{
	if (d->pid_file != NULL) {
		d->n_pids = read_pid_file(d->pid_file, &d->pids[0]);
		return 0;
	}
	if (d->group[0] == '\0')
		return 0;
	size_t n = bench_proc_group(d->tasks.root, d->group, d->pids, BENCH_DUT_PIDS);

	d->n_pids = n < BENCH_DUT_PIDS ? n : BENCH_DUT_PIDS;
	return (unsigned)(n - d->n_pids);
}

void
bench_dut_read(struct bench_dut *d, struct bench_usage *usage)
{
	/* A number of --pid means the process that had it at the start, and no later one. */
	bool adopt = d->group[0] != '\0' || d->pid_file != NULL || !d->begun;
	unsigned left_out = list_processes(d);

	bench_tasks_begin(&d->tasks);
	for (size_t i = 0; i < d->n_pids; i++)
		bench_tasks_visit(&d->tasks, d->pids[i], adopt);
	bench_tasks_finish(&d->tasks, usage);
	usage->left_out += left_out;
}

void
bench_dut_mark(struct bench_dut *d)
{
	bench_tasks_mark(&d->tasks);
}

size_t
bench_dut_processes(const struct bench_dut *d, struct bench_row *rows, size_t cap)
{
	return bench_tasks_processes(&d->tasks, rows, cap);
}

size_t
bench_dut_threads(const struct bench_dut *d, struct bench_row *rows, size_t cap)
{
	return bench_tasks_threads(&d->tasks, rows, cap);
}

static void complain(char *error, const char *format, ...) PRINTF_LIKE(2, 3);

static void
complain(char *error, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(error, BENCH_DUT_ERROR, format, ap);
	va_end(ap);
}

static struct bench_dut *
create(const char *root, char *error)
{
	struct bench_dut *d = calloc(1, sizeof(*d));

	if (d == NULL) {
		complain(error, "no memory for the figures of the server");
		return NULL;
	}
	if (!bench_tasks_init(&d->tasks, root)) {
		complain(error, "%.100s...: too long a path", root);
		free(d);
		return NULL;
	}
	return d;
}

/* Is PID a process that we can watch? */
static bool
check_process(const struct bench_dut *d, int pid, char *error)
{
	char dir[BENCH_TASKS_ROOT + 64];
	struct bench_stat stat = { .ended = false };
	struct bench_status status = { .process = (uint64_t)pid };

	(void)snprintf(dir, sizeof(dir), "%s/proc/%d", d->tasks.root, pid);
	int r = bench_proc_stat(dir, &stat);
	if (r == 0)
		r = bench_proc_status(dir, &status);
	if (r == -ENOENT || r == -ESRCH)
		complain(error, "process %d: there is none, or /proc hides it", pid);
	else if (r < 0)
		complain(error, "process %d: %s", pid, strerror(-r));
	else if (stat.ended)
		complain(error, "process %d has ended and waits for its parent", pid);
	else if (status.process != (uint64_t)pid)
		complain(error, "%d is not a process but a thread of process %" PRIu64, pid,
		    status.process);
	else
		return true;
	return false;
}

/* Add the next number of the list, LEN bytes at TEXT. */
static bool
add_process(struct bench_dut *d, const char *text, size_t len, char *error)
{
	int pid = bench_proc_id(text, len);

	if (pid == 0) {
		complain(error, "\"%.*s\" is not the number of a process", len < 60 ? (int)len : 60,
		    text);
		return false;
	}
	for (size_t i = 0; i < d->n_pids; i++) {
		if (d->pids[i] == pid) {
			complain(error, "process %d is named twice", pid);
			return false;
		}
	}
	if (d->n_pids == BENCH_DUT_PIDS) {
		complain(error, "more than %d processes", BENCH_DUT_PIDS);
		return false;
	}
	d->pids[d->n_pids++] = pid;
	return check_process(d, pid, error);
}

/* Do the first reading, from which the tables count. False if there is nothing to read. */
static bool
begin(struct bench_dut *d)
{
	struct bench_usage usage;

	bench_dut_read(d, &usage);
	bench_tasks_mark(&d->tasks);
	d->begun = true;
	return usage.processes > 0;
}

struct bench_dut *
bench_dut_new_pids(const char *root, const char *pids, char error[static BENCH_DUT_ERROR])
{
	struct bench_dut *d = create(root, error);

	if (d == NULL)
		return NULL;
	for (const char *p = pids;; p++) {
		size_t len = strcspn(p, ",");

		if (!add_process(d, p, len, error))
			goto fail;
		p += len;
		if (*p == '\0')
			break;
	}
	if (begin(d))
		return d;
	complain(error, "no process of %.60s is there any more", pids);
fail:
	free(d);
	return NULL;
}

struct bench_dut *
bench_dut_new_pid_file(const char *root, const char *path, char error[static BENCH_DUT_ERROR])
{
	struct bench_dut *d = create(root, error);

	if (d == NULL)
		return NULL;
	d->pid_file = path;
	if (begin(d))
		return d;
	if (d->n_pids == 0)
		complain(error, "no process number in file %.150s", path);
	else
		complain(error, "process %d of file %.150s: there is none, or /proc hides it",
		    d->pids[0], path);
	free(d);
	return NULL;
}

struct bench_dut *
bench_dut_new_unit(const char *root, const char *unit, char error[static BENCH_DUT_ERROR])
{
	struct bench_dut *d = create(root, error);

	if (d == NULL)
		return NULL;
	if (!bench_proc_unit(unit, d->group, error))
		goto fail;
	if (begin(d))
		return d;
	complain(error, "unit %.60s: no process in control group %.100s", unit, d->group);
fail:
	free(d);
	return NULL;
}

void
bench_dut_free(struct bench_dut *d)
{
	free(d);
}
