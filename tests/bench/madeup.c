/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/madeup.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/options.h"
#include "bench/played.h"

static struct madeup *running; /* NULL: trials are real */

json_t *__real_bench_measure_trial(const struct bench_job *job, const struct bench_plan *tester,
    struct bench_probe *p, enum bench_outcome *outcome);
json_t *__wrap_bench_measure_trial(const struct bench_job *job, const struct bench_plan *tester,
    struct bench_probe *p, enum bench_outcome *outcome);

json_t *
__wrap_bench_measure_trial(const struct bench_job *job, const struct bench_plan *tester,
    struct bench_probe *p, enum bench_outcome *outcome)
{
	struct madeup *m = running;

	if (m == NULL)
		return __real_bench_measure_trial(job, tester, p, outcome);
	if (++m->n_measured == m->end_at)
		return NULL;
	p->passed_s = 0.25;
	json_t *figures = m->trial(job, p, outcome);
	ck_assert_int_eq(tester != NULL, p->repetition == 0);
	if (job->settings->restart != NULL || tester != NULL) {
		ck_assert_uint_eq(p->first, 0);
	} else {
		ck_assert_uint_ge(p->first, m->next_name);
		m->next_name = p->first + p->n;
	}
	return figures;
}

void
madeup_begin(struct madeup *m, const char *line, madeup_trial *trial)
{
	*m = (struct madeup){ .trial = trial };
	(void)close(scratch_file(m->path));
	(void)snprintf(m->line, sizeof(m->line), "%s --state %s", line, m->path);
}

void
madeup_end(struct madeup *m)
{
	(void)unlink(m->path);
}

void
madeup_again(struct madeup *m)
{
	ck_assert_int_eq(truncate(m->path, 0), 0);
	m->n_measured = m->end_at = 0;
	m->next_name = 0;
}

void
madeup_edit(struct madeup *m, const char *was, const char *is)
{
	char *at = strstr(m->line, was);

	ck_assert(at != NULL && strlen(was) == strlen(is));
	memcpy(at, is, strlen(is));
}

void
madeup_replace(const struct madeup *m, const char *was, const char *is)
{
	char text[10000];
	FILE *f = fopen(m->path, "r+e");

	ck_assert_ptr_nonnull(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	const char *at = strstr(text, was);
	ck_assert(at != NULL && strlen(was) == strlen(is));
	ck_assert_int_eq(fseek(f, at - text, SEEK_SET), 0);
	(void)fputs(is, f);
	ck_assert_int_eq(fclose(f), 0);
}

void
madeup_append(const struct madeup *m, const char *text)
{
	FILE *f = fopen(m->path, "ae");

	ck_assert_ptr_nonnull(f);
	(void)fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
}

struct bench_run *
madeup_run(struct madeup *m, void (*method)(const struct bench_job *))
{
	static struct bench_settings settings;
	static struct bench_tally tally;
	char error[BENCH_DUT_ERROR], pid[16], *argv[] = { pid, NULL };
	FILE *out = fopen("/dev/null", "we");

	(void)snprintf(pid, sizeof(pid), "%d", (int)getpid());
	played_settings(m->line, &settings);
	struct bench_job job = { .settings = &settings,
		.run = bench_run_new(bench_options_method(settings.method), 1, argv),
		.out = out,
		.stop = &m->stop,
		.tally = &tally,
		.dut = m->watched ? bench_dut_new("", BENCH_DUT_BY_PIDS, pid, error) : NULL };
	ck_assert(out != NULL && job.run != NULL && (job.dut != NULL) == m->watched);
	running = m;
	method(&job);
	running = NULL;
	(void)fclose(out);
	bench_dut_free(job.dut);
	return job.run;
}
