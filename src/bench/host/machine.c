/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/host/machine.h"

#include <inttypes.h>
#include <limits.h>
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
	return key != NULL ? bench_proc_value(f->text, key, ':') : f->text;
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
	const char *at = value(f, root, "/etc/os-release", NULL) != NULL ||
		value(f, root, "/usr/lib/os-release", NULL) != NULL
	    ? bench_proc_value(f->text, "PRETTY_NAME", '=')
	    : NULL;

	if (at == NULL)
		return;
	at += *at == '"' || *at == '\'';
	f->text[(size_t)(at - f->text) + strcspn(at, "\"'\n")] = '\0';
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

/* Times in the first line of /proc/stat (proc(5)); those after "steal" are in others already. */
enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, TIMES };

/* "cpu  USER NICE ..." */
static void
read_ticks(const char *at, struct bench_busy *b)
{
	uint64_t v;

	for (unsigned i = 0; i < TIMES && bench_proc_number(&at, &v); i++) {
		b->ticks += v;
		b->stolen += i == STEAL ? v : 0;
		b->idle += i == IDLE || i == IOWAIT ? v : 0;
	}
}

/* /proc/stat by lines: one with a number for each interrupt is before that of context switches. */
static void
read_stat(const char *root, struct bench_busy *b)
{
	char path[PATH_MAX], *line = NULL;
	size_t size = 0;

	(void)snprintf(path, sizeof(path), "%s/proc/stat", root);
	FILE *f = fopen(path, "re");
	while (f != NULL && getline(&line, &size, f) > 0) {
		if (strncmp(line, "cpu ", 4) == 0)
			read_ticks(line + 4, b);
		else if (sscanf(line, "ctxt %" SCNu64, &b->switches) == 1)
			break;
	}
	if (f != NULL)
		(void)fclose(f);
	free(line);
}

void
bench_busy_read(const char *root, struct bench_busy *b)
{
	struct timespec ts;

	*b = (struct bench_busy){ .when_ns = clock_now_ns() };
	read_stat(root, b);
	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts) == 0)
		b->cpu_ns = (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* How far a counter went from A to B, in parts of WHOLE. */
static double
part(uint64_t a, uint64_t b, double whole)
{
	return whole > 0 && b > a ? (double)(b - a) / whole : 0;
}

struct bench_busy_shares
bench_busy_since(const struct bench_busy *a, const struct bench_busy *b)
{
	double ticks = (double)b->ticks - (double)a->ticks,
	       ns = (double)b->when_ns - (double)a->when_ns;

	return (struct bench_busy_shares){ 100 * part(a->stolen, b->stolen, ticks),
		100 * part(a->ticks - a->idle, b->ticks - b->idle, ticks),
		100 * part(a->cpu_ns, b->cpu_ns, ns),
		part(a->switches, b->switches, ns / (double)NS_PER_SEC) };
}
