/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/dut/usage.h"

void
bench_usage_add(struct bench_usage *sum, const struct bench_usage *u)
{
	sum->cpu_ns += u->cpu_ns;
	sum->user_ns += u->user_ns;
	sum->system_ns += u->system_ns;
	sum->switches += u->switches;
	sum->preemptions += u->preemptions;
}

static uint64_t
larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void
bench_usage_raise(struct bench_usage *u, const struct bench_usage *seen)
{
	u->user_ns = larger(u->user_ns, seen->user_ns);
	u->system_ns = larger(u->system_ns, seen->system_ns);
	u->cpu_ns = larger(u->cpu_ns, larger(seen->cpu_ns, u->user_ns + u->system_ns));
	u->switches = larger(u->switches, seen->switches);
	u->preemptions = larger(u->preemptions, seen->preemptions);
}

static uint64_t
since(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

void
bench_usage_since(const struct bench_usage *before, const struct bench_usage *after,
    struct bench_usage *difference)
{
	struct bench_usage d = *after;

	d.time_ns = since(before->time_ns, after->time_ns);
	d.cpu_ns = since(before->cpu_ns, after->cpu_ns);
	d.user_ns = since(before->user_ns, after->user_ns);
	d.system_ns = since(before->system_ns, after->system_ns);
	d.switches = since(before->switches, after->switches);
	d.preemptions = since(before->preemptions, after->preemptions);
	*difference = d;
}

double
bench_usage_load(const struct bench_usage *difference)
{
	if (difference->time_ns == 0)
		return 0;
	return (double)difference->cpu_ns / (double)difference->time_ns;
}
