/* SPDX-License-Identifier: BSD-2-Clause */
#include "figures/facts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"

static double
seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

/* The bytes in memory, by /proc/self/statm at FD; 0 if they are not known. */
static uint64_t
resident(int fd)
{
	char text[128], *pages;
	ssize_t n = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return 0;
	text[n] = '\0';
	pages = strchr(text, ' '); /* behind the first number, which is the size of all */
	return pages == NULL ? 0 : strtoull(pages, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void
collect_process(struct facts *f, const struct host *host)
{
	struct rusage use;
	struct rlimit limit;
	struct stat st;

	f->memory = resident(host->memory_fd);
	/* The size of that directory is their number, since Linux 6.2; before it is 0. */
	if (host->fds_fd >= 0 && fstat(host->fds_fd, &st) == 0)
		f->open_fds = (uint64_t)st.st_size;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
		f->max_fds = limit.rlim_cur;
	if (getrusage(RUSAGE_SELF, &use) != 0)
		return;
	f->cpu_s = seconds(&use.ru_utime) + seconds(&use.ru_stime);
	f->memory_max = (uint64_t)use.ru_maxrss * 1024;
}

static uint64_t
questions(const struct stats *s)
{
	uint64_t asked[STATS_ASKED], sum = 0;

	stats_sum_asked(&s, 1, asked);
	for (unsigned i = 0; i < STATS_ASKED; i++)
		sum += asked[i];
	return sum;
}

/* The counters of each loop, and behind them those of the other threads, to ALL. Returns how many.
 */
static unsigned
all_stats(const struct host *host, const struct stats *all[static SETTINGS_LOOPS + 1])
{
	for (unsigned i = 0; i < host->n_loops; i++)
		all[i] = loop_stats(host->loops[i]);
	all[host->n_loops] = host->log_stats;
	return host->n_loops + (host->log_stats != NULL);
}

void
facts_rows(const struct host *host, struct stats_row rows[static STATS_N])
{
	const struct stats *all[SETTINGS_LOOPS + 1];
	unsigned n = all_stats(host, all);

	stats_sum(all, n, rows);
}

static void
collect_loops(struct facts *f, const struct host *host)
{
	const struct stats *all[SETTINGS_LOOPS + 1];
	unsigned n = all_stats(host, all);

	f->n_loops = host->n_loops;
	for (unsigned i = 0; i < host->n_loops; i++) {
		const struct loop_open *open = loop_open(host->loops[i]);

		f->loops[i].questions = questions(all[i]);
		if (open != NULL) {
			f->loops[i].told = true;
			f->loops[i].open = *open;
			latency_merge(&f->waited, &open->waited);
		}
	}
	stats_sum(all, n, f->rows);
	stats_sum_reasons(all, n, f->reasons);
	stats_sum_rcodes(all, n, f->rcodes);
	stats_sum_asked(all, n, f->asked);
	stats_sum_prefixes(all, n, f->prefixes);
}

struct facts *
facts_new(const struct host *host, const struct host_upstreams *v)
{
	struct cache *cache = host->settings->conf.core.cache;
	struct facts *f = calloc(1, sizeof(*f));

	if (f == NULL)
		return NULL;
	f->settings = host->settings;
	f->started = host->started;
	f->lameduck = host->lameduck;
	f->stops = host->stops;
	f->stopping = host->stopping;
	f->reload = host->reload;
	f->taken = host->taken;
	f->now_ns = clock_now_ns();
	f->upstreams = v;
	f->waits = host->waits;
	f->n_served = listens_served(&host->settings->conf.io, host->waits, f->served);
	collect_loops(f, host);
	f->has_cache = cache != NULL;
	if (f->has_cache)
		f->cache = figures_of_cache(cache);
	collect_process(f, host);
	return f;
}

void
facts_outcomes(
    const struct facts *f, enum reason_kind kind, uint64_t sources[static REASON_SOURCES])
{
	memset(sources, 0, REASON_SOURCES * sizeof(sources[0]));
	for (unsigned r = 0; r < REASON_N; r++) {
		if (reason_row((enum reason)r)->kind != kind)
			continue;
		sources[reason_source((enum reason)r, false)] += f->reasons[r].at_once;
		sources[reason_source((enum reason)r, true)] += f->reasons[r].waited;
	}
}

struct facts_answers
facts_answers(const struct facts *f)
{
	struct facts_answers a = { .all = 0 };

	for (unsigned k = 0; k < REASON_DROPPING; k++) {
		uint64_t from[REASON_SOURCES], n = 0;

		facts_outcomes(f, (enum reason_kind)k, from);
		for (unsigned s = 0; s < REASON_SOURCES; s++)
			n += from[s];
		a.all += n;
		if (k == REASON_FAILING)
			a.failed += n;
		else
			a.cached += from[REASON_FROM_CACHE];
	}
	return a;
}

bool
facts_are_whole(const struct facts *f)
{
	return f->upstreams->n_missing == 0;
}

uint64_t
facts_uptime(const struct facts *f)
{
	time_t now = time(NULL);

	return now > f->started ? (uint64_t)(now - f->started) : 0;
}

/* The verdict on G, and on V, what the loops told. */
static struct verdict
judge(struct verdict_grounds g, const struct host_upstreams *v)
{
	g.n_stuck = v->n_stuck;
	g.upstreams = v->at;
	g.n_upstreams = v->n;
	return verdict_make(&g);
}

struct verdict
facts_verdict(const struct facts *f)
{
	return judge((struct verdict_grounds){ .settings = f->settings,
			 .stopping = f->stopping,
			 .lameduck = f->lameduck != 0,
			 .to_stop = f->stops != 0,
			 .reload = f->reload,
			 .n_loops = f->n_loops,
			 .n_served = f->n_served,
			 .n_awaited = f->waits->n,
			 .now_ns = f->now_ns },
	    f->upstreams);
}

struct verdict
facts_verdict_now(const struct host *host, const struct host_upstreams *v)
{
	struct netaddr served[CONF_MAX_LISTENS];

	return judge((struct verdict_grounds){ .settings = host->settings,
			 .stopping = host->stopping,
			 .lameduck = host->lameduck != 0,
			 .to_stop = host->stops != 0,
			 .reload = host->reload,
			 .n_loops = host->n_loops,
			 .n_served = listens_served(&host->settings->conf.io, host->waits, served),
			 .n_awaited = host->waits->n,
			 .now_ns = clock_now_ns() },
	    v);
}
