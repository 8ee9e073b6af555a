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

/* The rest of the line at VALUE, if there is any. False: TO stays. */
static bool
set(char to[static BENCH_MACHINE_TEXT], const char *value)
{
	size_t len = value != NULL ? strcspn(value, "\n") : 0;

	if (len > 0)
		bench_proc_clean(to, BENCH_MACHINE_TEXT, value, len);
	return len > 0;
}

/* What architectures call the model in /proc/cpuinfo: x86 and others; MIPS; POWER; ARM boards. */
static void
set_cpu(const char *root, struct bench_machine *m)
{
	static const char *const models[] = { "model name", "cpu model", "cpu", "Model" };
	struct bench_proc_file f;
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	m->cpus = online > 0 ? (unsigned)online : 0;
	if (bench_proc_read(&f, "%s/proc/cpuinfo", root) < 0)
		return;
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		if (set(m->cpu, bench_proc_value(f.text, models[i])))
			return;
	}
}

/* PRETTY_NAME="..." of os-release(5). */
static void
set_os(const char *root, struct bench_machine *m)
{
	static const char key[] = "PRETTY_NAME=";
	struct bench_proc_file f;

	if (bench_proc_read(&f, "%s/etc/os-release", root) < 0 &&
	    bench_proc_read(&f, "%s/usr/lib/os-release", root) < 0)
		return;
	char *at =
	    strncmp(f.text, key, sizeof(key) - 1) == 0 ? f.text : strstr(f.text, "\nPRETTY_NAME=");
	if (at == NULL)
		return;
	at = strchr(at, '=') + 1;
	at += *at == '"' || *at == '\'';
	at[strcspn(at, "\"'\n")] = '\0';
	(void)set(m->os, at);
}

static void
set_memory(const char *root, struct bench_machine *m)
{
	struct bench_proc_file f;
	uint64_t kib;

	if (bench_proc_read(&f, "%s/proc/meminfo", root) < 0)
		return;
	const char *at = bench_proc_value(f.text, "MemTotal");
	if (at != NULL && bench_proc_number(&at, &kib))
		(void)snprintf(m->memory, sizeof(m->memory), "%.1f GiB", (double)kib / 1048576);
}

/* How well it can measure. */
static void
set_means(const char *root, struct bench_machine *m)
{
	struct bench_proc_file f;

	if (bench_proc_read(&f, "%s/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", root) ==
	    0)
		(void)set(m->governor, f.text);
	if (bench_proc_read(&f, "%s/proc/self/status", root) == 0)
		(void)set(m->affinity, bench_proc_value(f.text, "Cpus_allowed_list"));
	const char *at = f.text;
	if (bench_proc_read(&f, "%s/proc/sys/net/core/rmem_max", root) < 0 ||
	    !bench_proc_number(&at, &m->rmem_max))
		m->rmem_max = 0;
}

void
bench_machine_read(const char *root, struct bench_machine *m)
{
	struct utsname u;

	*m = (struct bench_machine){ "unknown", "unknown", "unknown", "unknown", 0, "unknown",
		"unknown", 0 };
	if (uname(&u) == 0) {
		(void)snprintf(m->kernel, sizeof(m->kernel), "%.40s %.50s %.30s", u.sysname,
		    u.release, u.machine);
		(void)set(m->cpu, u.machine);
	}
	set_cpu(root, m);
	set_os(root, m);
	set_memory(root, m);
	set_means(root, m);
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
