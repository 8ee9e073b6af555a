/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/host/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/host/proc.h"

/* --- What it is ------------------------------------------------------------------------------- */

/* What the file PATH has behind KEY, or without one at its beginning; NULL: nothing. */
static const char *
value(struct bench_proc_file *f, const char *root, const char *path, const char *key)
{
	if (bench_proc_read(f, "%s%s", root, path) < 0)
		return NULL;
	return key != NULL ? bench_proc_value(f->text, key) : f->text;
}

/*
 * The rest of the line at TEXT, if there is any, as far as it fits. What is not printable ASCII
 * becomes "?", so that it can stand in any output. False: TO stays.
 */
static bool
set(char to[static BENCH_MACHINE_TEXT], const char *text)
{
	size_t len = text != NULL ? strcspn(text, "\n") : 0;

	if (len == 0)
		return false;
	len = len < BENCH_MACHINE_TEXT - 1 ? len : BENCH_MACHINE_TEXT - 1;
	for (size_t i = 0; i < len; i++)
		to[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
	to[len] = '\0';
	return true;
}

/* PRETTY_NAME="..." of os-release(5). */
static void
set_os(const char *root, struct bench_proc_file *f, struct bench_machine *m)
{
	static const char key[] = "\nPRETTY_NAME=";

	if (value(f, root, "/etc/os-release", NULL) == NULL &&
	    value(f, root, "/usr/lib/os-release", NULL) == NULL)
		return;
	bool first = strncmp(f->text, key + 1, sizeof(key) - 2) == 0;
	char *at = first ? f->text : strstr(f->text, key);
	if (at == NULL)
		return;
	at = strchr(at, '=') + 1;
	at += *at == '"' || *at == '\'';
	at[strcspn(at, "\"'\n")] = '\0';
	(void)set(m->os, at);
}

void
bench_machine_read(const char *root, struct bench_machine *m)
{
	/* What architectures call the model: x86 and others; MIPS; POWER; ARM boards. */
	static const char *const models[] = { "model name", "cpu model", "cpu", "Model" };
	struct bench_proc_file f;
	struct utsname u;
	uint64_t kib;

	*m = (struct bench_machine){ "unknown", "unknown", "unknown", "unknown",
		(unsigned)sysconf(_SC_NPROCESSORS_ONLN), "unknown", "unknown", 0 };
	if (uname(&u) == 0) {
		(void)snprintf(m->kernel, sizeof(m->kernel), "%.40s %.50s %.30s", u.sysname,
		    u.release, u.machine);
		(void)set(m->cpu, u.machine);
	}
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		if (set(m->cpu, value(&f, root, "/proc/cpuinfo", models[i])))
			break;
	}
	set_os(root, &f, m);
	const char *at = value(&f, root, "/proc/meminfo", "MemTotal");
	if (at != NULL && bench_proc_number(&at, &kib))
		(void)snprintf(m->memory, sizeof(m->memory), "%.1f GiB", (double)kib / 1048576);
	(void)set(m->governor,
	    value(&f, root, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", NULL));
	(void)set(m->affinity, value(&f, root, "/proc/self/status", "Cpus_allowed_list"));
	at = value(&f, root, "/proc/sys/net/core/rmem_max", NULL);
	if (at == NULL || !bench_proc_number(&at, &m->rmem_max))
		m->rmem_max = 0;
}

/* --- How busy it is --------------------------------------------------------------------------- */

/*
 * Indices of times in the first line of /proc/stat (proc(5)); those after STEAL are in others
 * already.
 */
#define IDLE 3
#define IOWAIT 4
#define STEAL 7

/* The first line of /proc/stat: "cpu  USER NICE ..." */
static void
read_ticks(const char *text, struct bench_busy *b)
{
	const char *at = text + strcspn(text, " \n");
	uint64_t v;

	if (strncmp(text, "cpu ", 4) != 0)
		return;
	for (unsigned i = 0; i <= STEAL && bench_proc_number(&at, &v); i++) {
		b->ticks += v;
		b->stolen += i == STEAL ? v : 0;
		b->idle += i == IDLE || i == IOWAIT ? v : 0;
	}
}

void
bench_busy_read(const char *root, struct bench_busy *b)
{
	struct bench_proc_file f;
	struct timespec ts;
	char *end;

	*b = (struct bench_busy){ .load = -1, .when_ns = clock_now_ns() };
	if (bench_proc_read(&f, "%s/proc/loadavg", root) == 0) {
		double load = strtod(f.text, &end);

		b->load = end != f.text && *end == ' ' ? load : -1;
	}
	if (bench_proc_read(&f, "%s/proc/stat", root) == 0)
		read_ticks(f.text, b);
	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts) == 0)
		b->cpu_ns = (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

static double
percent(uint64_t from, uint64_t to, uint64_t whole)
{
	return whole > 0 && to > from ? 100 * (double)(to - from) / (double)whole : 0;
}

struct bench_busy_shares
bench_busy_since(const struct bench_busy *a, const struct bench_busy *b)
{
	uint64_t ticks = b->ticks > a->ticks ? b->ticks - a->ticks : 0;

	return (struct bench_busy_shares){ percent(a->stolen, b->stolen, ticks),
		percent(a->ticks - a->idle, b->ticks - b->idle, ticks),
		percent(a->cpu_ns, b->cpu_ns, b->when_ns - a->when_ns) };
}
