/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/host/machine.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/host/proc.h"

/*
 * What architectures call the model in /proc/cpuinfo, best first: x86 and others; MIPS; POWER;
 * small ARM machines.
 */
static const char *const models[] = { "model name", "cpu model", "cpu", "Model", "Hardware" };

#define N_MODELS (sizeof(models) / sizeof(models[0]))

static void
set(char *text, const char *value, size_t len)
{
	bench_proc_clean(text, BENCH_MACHINE_TEXT, value, len);
}

/* What was found in /proc/cpuinfo. */
struct processors {
	unsigned n;
	size_t rank; /* index of that model in models */
	char model[BENCH_MACHINE_TEXT];
};

/* "model name\t: AMD EPYC\n" */
static void
take_line(struct processors *p, const char *line)
{
	size_t key = strcspn(line, "\t:\n");
	const char *value = line + strcspn(line, ":");

	p->n += key == strlen("processor") && strncmp(line, "processor", key) == 0;
	if (*value == '\0')
		return;
	value += 1 + strspn(value + 1, " \t");
	for (size_t i = 0; i < p->rank; i++) {
		if (strlen(models[i]) != key || strncmp(line, models[i], key) != 0)
			continue;
		set(p->model, value, strcspn(value, "\n"));
		p->rank = i;
	}
}

/* Read line by line: with many processors the file is long. */
static void
read_processors(const char *root, struct processors *p)
{
	char text[512];
	bool begins = true;

	(void)snprintf(text, sizeof(text), "%s/proc/cpuinfo", root);
	FILE *f = fopen(text, "re");
	if (f == NULL)
		return;
	while (fgets(text, sizeof(text), f) != NULL) {
		if (begins)
			take_line(p, text);
		begins = strchr(text, '\n') != NULL;
	}
	(void)fclose(f);
}

static void
set_processors(const char *root, struct bench_machine *m, const char *architecture)
{
	struct processors p = { .rank = N_MODELS };
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	read_processors(root, &p);
	if (p.n == 0 && online > 0)
		p.n = (unsigned)online;
	if (p.model[0] == '\0')
		set(p.model, architecture, strlen(architecture));
	memcpy(m->cpu, p.model, sizeof(m->cpu));
	m->cpus = p.n;
}

/* The value of "KEY=VALUE" in os-release(5), which is quoted as in a shell. */
static void
unquote(char *to, const char *from)
{
	char text[BENCH_MACHINE_TEXT], quote = '\0';
	size_t len = 0;

	for (; *from != '\0' && *from != '\n' && len < sizeof(text); from++) {
		if (*from == quote || (quote == '\0' && (*from == '"' || *from == '\''))) {
			quote = quote == '\0' ? *from : '\0';
			continue;
		}
		if (*from == '\\' && quote != '\'' && from[1] != '\0' && from[1] != '\n')
			from++;
		text[len++] = *from;
	}
	set(to, text, len);
}

/* If a line of TEXT begins with KEY (which ends in "="), copy its value to TO. */
static bool
find_release(const char *text, const char *key, char *to)
{
	for (; text != NULL; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (strncmp(text, key, strlen(key)) == 0) {
			unquote(to, text + strlen(key));
			return to[0] != '\0';
		}
	}
	return false;
}

static void
set_os(const char *root, struct bench_machine *m)
{
	struct bench_proc_file file;

	if (bench_proc_read(&file, "%s/etc/os-release", root) < 0 &&
	    bench_proc_read(&file, "%s/usr/lib/os-release", root) < 0)
		return;
	if (!find_release(file.text, "PRETTY_NAME=", m->os) &&
	    !find_release(file.text, "NAME=", m->os))
		set(m->os, "unknown", strlen("unknown"));
}

static void
set_memory(const char *root, struct bench_machine *m)
{
	struct bench_proc_file file;
	uint64_t kib;

	if (bench_proc_read(&file, "%s/proc/meminfo", root) < 0)
		return;
	const char *at = bench_proc_value(file.text, "MemTotal");
	if (at != NULL && bench_proc_number(&at, &kib))
		(void)snprintf(m->memory, sizeof(m->memory), "%.1f GiB", (double)kib / 1048576);
}

void
bench_machine_read(const char *root, struct bench_machine *m)
{
	static const struct bench_machine unknown = { "unknown", "unknown", "unknown", "unknown",
		0 };
	struct utsname u;

	*m = unknown;
	if (uname(&u) == 0) {
		char kernel[sizeof(u)];
		(void)snprintf(kernel, sizeof(kernel), "%s %s %s", u.sysname, u.release, u.machine);
		set(m->kernel, kernel, strlen(kernel));
	} else
		(void)snprintf(u.machine, sizeof(u.machine), "unknown");
	set_processors(root, m, u.machine);
	set_os(root, m);
	set_memory(root, m);
}

/* --- How it can measure, and how busy it is --------------------------------------------------- */

/*
 * Indices of times in the first line of /proc/stat (proc(5)); those after STEAL are in others
 * already.
 */
#define IDLE 3
#define IOWAIT 4
#define STEAL 7

static void
first_line(char out[static BENCH_MEANS_TEXT], const char *text)
{
	bench_proc_clean(out, BENCH_MEANS_TEXT, text, strcspn(text, "\n"));
}

void
bench_means_read(const char *root, struct bench_means *m)
{
	struct bench_proc_file f;
	const char *at;

	*m = (struct bench_means){ .governor = "unknown", .affinity = "unknown" };
	if (bench_proc_read(&f, "%s/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", root) ==
	    0)
		first_line(m->governor, f.text);
	if (bench_proc_read(&f, "%s/proc/self/status", root) == 0) {
		at = bench_proc_value(f.text, "Cpus_allowed_list");
		if (at != NULL)
			first_line(m->affinity, at);
	}
	if (bench_proc_read(&f, "%s/proc/sys/net/core/rmem_max", root) == 0) {
		at = f.text;
		if (!bench_proc_number(&at, &m->rmem_max))
			m->rmem_max = 0;
	}
}

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
percent(uint64_t part, uint64_t whole)
{
	return whole > 0 ? (double)part * 100 / (double)whole : 0;
}

double
bench_busy_stolen(const struct bench_busy *a, const struct bench_busy *b)
{
	return b->ticks >= a->ticks && b->stolen >= a->stolen
	    ? percent(b->stolen - a->stolen, b->ticks - a->ticks)
	    : 0;
}

double
bench_busy_all(const struct bench_busy *a, const struct bench_busy *b)
{
	uint64_t passed = b->ticks - a->ticks, idle = b->idle - a->idle;

	return b->ticks >= a->ticks && idle <= passed ? percent(passed - idle, passed) : 0;
}

double
bench_busy_cpu(const struct bench_busy *a, const struct bench_busy *b)
{
	return percent(b->cpu_ns - a->cpu_ns, b->when_ns - a->when_ns);
}
