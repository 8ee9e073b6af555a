/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/host/busy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "bench/host/proc.h"

/*
 * Index of a time in the first line of /proc/stat (proc(5)); later ones are in others already.
 */
#define STEAL 7

static void
first_line(char out[static BENCH_BUSY_TEXT], const char *text)
{
	bench_proc_clean(out, BENCH_BUSY_TEXT, text, strcspn(text, "\n"));
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
bench_busy_cpu(const struct bench_busy *a, const struct bench_busy *b)
{
	return percent(b->cpu_ns - a->cpu_ns, b->when_ns - a->when_ns);
}
