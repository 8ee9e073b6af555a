/* SPDX-License-Identifier: BSD-2-Clause */
/* dns64bench: measures DNS64 servers; see dns64bench(1). */

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/host/machine.h"
#include "bench/method.h"
#include "bench/options.h"
#include "bench/server.h"
#include "bench/sweep.h"
#include "bench/workload.h"

#define EXIT_USAGE 2
#define EXIT_INTERRUPTED 3
#define ONE_WISH_NS (500 * NS_PER_MS) /* timeout(1) sends its signal to us and to our group */

/* The signals that end a run: Ctrl-C, a terminal that was closed (unless nohup(1) ignores that). */
static void
set_ends(sigset_t *ends)
{
	struct sigaction hup;

	(void)sigemptyset(ends);
	(void)sigaddset(ends, SIGINT);
	(void)sigaddset(ends, SIGTERM);
	if (sigaction(SIGHUP, NULL, &hup) == 0 && hup.sa_handler != SIG_IGN)
		(void)sigaddset(ends, SIGHUP);
}

/* The first signal ends the run in good order, a second wish to end it does at once. */
static void *
watch_signals(void *arg)
{
	atomic_bool *stop = arg;
	uint64_t first_ns = 0;
	sigset_t end;
	int sig;

	set_ends(&end);
	for (;;) {
		if (sigwait(&end, &sig) != 0)
			continue;
		if (!atomic_exchange(stop, true))
			first_ns = clock_now_ns();
		else if (clock_now_ns() - first_ns > ONE_WISH_NS)
			_exit(EXIT_INTERRUPTED);
	}
}

/* Block the signals before there is another thread, so that only the one above takes them. */
static bool
begin_watching(atomic_bool *stop)
{
	pthread_t thread;
	sigset_t ours;

	set_ends(&ours);
	(void)sigaddset(&ours, SIGPIPE); /* a closed pipe is an error of the write */
	(void)pthread_sigmask(SIG_BLOCK, &ours, NULL);
	return pthread_create(&thread, NULL, watch_signals, stop) == 0 &&
	    pthread_detach(thread) == 0;
}

static void
run_method(const struct bench_job *job)
{
	static const struct {
		enum bench_method method;
		void (*run)(const struct bench_job *job);
	} all[] = { { BENCH_RATE, bench_rate }, { BENCH_SEARCH, bench_search },
		{ BENCH_MATRIX, bench_search }, { BENCH_SWEEP, bench_sweep },
		{ BENCH_CLOSED, bench_closed }, { BENCH_ENUM, bench_enum },
		{ BENCH_SOAK, bench_soak }, { BENCH_RAMP, bench_ramp } };

	size_t i = 0;

	while (i < sizeof(all) / sizeof(all[0]) && all[i].method != job->settings->method)
		i++;
	assert(i < sizeof(all) / sizeof(all[0]));
	all[i].run(job);
	if (*job->stop)
		bench_run_interrupted(job->run);
}

static bool
is_stdout(const char *path)
{
	return path != NULL && strcmp(path, "-") == 0;
}

/* Is WHAT written? ERR is 0 or -errno. */
static bool
is_written(const char *what, int err)
{
	if (err != 0)
		(void)fprintf(stderr, "dns64bench: %s: %s\n", what, strerror(-err));
	return err == 0;
}

/* Write the results everywhere they were asked for, and report what cannot be written. */
static int
deliver(const struct bench_settings *s, const struct bench_run *r, FILE *out)
{
	bench_run_print(r, out);
	bool failed = fflush(out) != 0 || ferror(out) != 0;
	bool good = is_written("the results cannot be written",
	    !failed          ? 0
		: errno != 0 ? -errno
			     : -EIO);
	if (s->json != NULL)
		good &= is_written(s->json, bench_run_write_json(r, s->json));
	if (s->csv != NULL)
		good &= is_written(s->csv, bench_run_write_csv(r, s->csv));
	return good ? bench_run_status(r) : EXIT_FAILURE;
}

/* A run of hours must not end with files that cannot be written. */
static bool
files_writable(const struct bench_settings *s)
{
	const struct {
		const char *option, *path;
	} all[] = { { "json", s->json }, { "csv", s->csv }, { "raw", s->raw } };
	bool good = true;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		int err = all[i].path != NULL ? bench_text_writable(all[i].path) : 0;

		if (err == 0)
			continue;
		(void)fprintf(stderr, "dns64bench: --%s: %s: %s\n", all[i].option, all[i].path,
		    strerror(-err));
		good = false;
	}
	return good;
}

/*
 * Find the server's processes if an option names them. False: they cannot be watched, which was
 * told.
 */
static bool
find_dut(const struct bench_settings *s, struct bench_dut **dut)
{
	const struct {
		const char *option, *what;
		enum bench_dut_by by;
	} all[] = { { "pid", s->pid, BENCH_DUT_BY_PIDS },
		{ "pid-file", s->pid_file, BENCH_DUT_BY_FILE },
		{ "unit", s->unit, BENCH_DUT_BY_UNIT } };
	char error[BENCH_DUT_ERROR];

	*dut = NULL;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (all[i].what == NULL)
			continue;
		*dut = bench_dut_new("", all[i].by, all[i].what, error);
		if (*dut == NULL)
			(void)fprintf(stderr, "dns64bench: --%s: %s\n", all[i].option, error);
		return *dut != NULL;
	}
	return true;
}

/* What this machine can, as settings: who compares two runs sees where they differ. */
static void
put_means(struct bench_run *r)
{
	struct bench_machine m;

	bench_machine_read("", &m);
	bench_run_set(r, "governor", json_string(m.governor));
	bench_run_set(r, "affinity", json_string(m.affinity));
	bench_run_set(r, "rmem_max", json_integer((json_int_t)m.rmem_max));
}

/* How busy it was since BEFORE. */
static void
find_busy(struct bench_run *r, const struct bench_busy *before)
{
	struct bench_busy now;

	bench_busy_read("", &now);
	struct bench_busy_shares s = bench_busy_since(before, &now);
	bench_run_find(r, "CPU of the tester", json_real(s.cpu), "%");
	bench_run_find(r, "stolen", json_real(s.stolen), "%");
	bench_run_find(r, "CPU of the machine", json_real(s.all), "%");
	bench_run_find(r, "context switches of the machine", json_real(s.switches), "1/s");
}

static int
measure(const struct bench_settings *s, int argc, char **argv)
{
	static atomic_bool stop;
	struct bench_busy before;
	struct bench_job job = { .settings = s,
		.run = bench_run_new(bench_options_method(s->method), argc, argv),
		.stop = &stop,
		.out = is_stdout(s->json) || is_stdout(s->csv) ? stderr : stdout,
		.tally = calloc(1, sizeof(*job.tally)) };
	int status = EXIT_USAGE;

	bool found = find_dut(s, &job.dut);
	if (found && (job.run == NULL || job.tally == NULL || !begin_watching(&stop))) {
		(void)fprintf(stderr, "dns64bench: out of memory\n");
		status = EXIT_FAILURE;
	} else if (found) {
		bench_busy_read("", &before);
		put_means(job.run);
		bench_server_tell(&job);
		run_method(&job);
		find_busy(job.run, &before);
		status = deliver(s, job.run, job.out);
	}
	bench_run_free(job.run);
	free(job.tally);
	bench_dut_free(job.dut);
	return status;
}

/*
 * A socket for each source port, and timers as exact as they can be. Whoever started us may ignore
 * SIGCHLD: then nobody could tell how a --restart ended.
 */
static void
prepare(void)
{
	struct rlimit limit;

	(void)signal(SIGCHLD, SIG_DFL);
	(void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

static enum cmdline_task
read_settings(int argc, char **argv, struct bench_settings *s)
{
	enum cmdline_task task = bench_options_read(argc, argv, s, stderr);

	if (task != CMDLINE_RUN)
		return task;
	if ((s->method & BENCH_SEARCHES) != 0 && !bench_search_fits(s, stderr))
		return CMDLINE_WRONG;
	if (s->method == BENCH_SWEEP && !bench_sweep_fits(s, stderr))
		return CMDLINE_WRONG;
	bench_search_resume(s);
	return task;
}

int
main(int argc, char **argv)
{
	struct bench_settings s;

	switch (read_settings(argc, argv, &s)) {
	case CMDLINE_HELP:
		cmdline_print_help(bench_options_table(), s.method, stdout);
		return EXIT_SUCCESS;
	case CMDLINE_VERSION:
		(void)printf("dns64bench " PACKAGE_VERSION "\n");
		return EXIT_SUCCESS;
	case CMDLINE_WRONG:
		(void)fprintf(stderr, "dns64bench: -h lists the options\n");
		return EXIT_USAGE;
	case CMDLINE_RUN:
		break;
	}
	if (!files_writable(&s))
		return EXIT_USAGE;
	if (!bench_workload_open(&s, stderr))
		return EXIT_USAGE;
	prepare();
	int status = measure(&s, argc, argv);
	bench_workload_close(&s);
	return status;
}
