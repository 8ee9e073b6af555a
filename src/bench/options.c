/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/options.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"

/* What soak asks besides, in percent; the rest are new names. */
#define SOAK_ADDRESSES 8
#define SOAK_REVERSE 6

#define ZIPF_HOT 10000         /* names of --hot, unless that is given */
#define RAMP_LEAST 2.0         /* s */
#define FIRST_RANGE 1000000000 /* draws of telephone numbers */
/* Bytes of "aaaa-100" and "nx-NNN-NNN-NNN-NNN" with their lengths. */
#define SHARE_STEP 20 /* % from a share of a matrix to the next */
#define SHARE_LABEL 9
#define HOST_LABEL 20

#define DNSSEC_BUFSIZE 1232 /* bytes; DO is in an OPT record, which has a size too */

/* Set what has no option; the other defaults are in the table. */
static void
init(struct bench_settings *s)
{
	memset(s, 0, sizeof(*s));
	bench_load_init(&s->plan.load);
	s->plan.n_questions = UINT64_MAX;
	s->plan.duration_ns = UINT64_MAX;
}

/* Complain if an option is missing that the method needs. */
static void
need(struct cmdline *c, const char *option)
{
	if (!cmdline_seen(c, option))
		cmdline_complain(
		    c, option, "%s needs it", cmdline_method_name(c->table, c->method));
}

/* --- What depends on several options ---------------------------------------------------------- */

/* How many questions are asked; 0: not known, or it does not matter. */
static uint64_t
questions_of(const struct bench_settings *s)
{
	if (s->method == BENCH_RATE || s->method == BENCH_RAMP)
		return s->plan.n_questions;
	if (s->method == BENCH_CLOSED && s->duration <= 0)
		return (uint64_t)s->n_clients * s->blocks * BENCH_BLOCK * BENCH_EXPERIMENT;
	return 0;
}

/* How popular the hot names are. */
static void
complete_popularity(struct cmdline *c, struct bench_settings *s)
{
	struct bench_load *l = &s->plan.load;

	if (s->zipf <= 0)
		return;
	if (!cmdline_seen(c, "hot"))
		l->hot = ZIPF_HOT;
	if (s->hits_percent == 0 && s->method != BENCH_MATRIX)
		cmdline_complain(c, "popularity", "is that of the names of --hits, which are 0 %%");
	if (l->hot > BENCH_ZIPF_MAX)
		cmdline_complain(c, "popularity", "of up to %u names of --hot", BENCH_ZIPF_MAX);
}

/* Types, of new names each; those without a kind of their own are others. AAAA is the rest. */
static void
complete_mix(struct cmdline *c, struct bench_settings *s)
{
	const struct bench_mix *mix = &s->mix;
	struct bench_load *l = &s->plan.load;
	unsigned n = 0;

	for (size_t i = 0; i < mix->n; i++) {
		enum bench_kind kind = BENCH_ADDRESS;

		if (mix->type[i] == DNS_TYPE_AAAA)
			continue;
		if (mix->type[i] != DNS_TYPE_A) {
			if (n == BENCH_OTHERS) {
				cmdline_complain(
				    c, "mix", "up to %d types besides A and AAAA", BENCH_OTHERS);
				return;
			}
			l->other[n] = mix->type[i];
			kind = (enum bench_kind)(BENCH_OTHER + n++);
		}
		if (!bench_load_mix(l, kind, mix->percent[i]))
			cmdline_complain(
			    c, "mix", "AAAA is less than the share of names that do not exist");
	}
}

/* The number of questions, and whether there are names enough for them. */
static void
complete_count(struct cmdline *c, struct bench_settings *s)
{
	struct bench_load *l = &s->plan.load;

	complete_popularity(c, s);
	complete_mix(c, s);
	if (s->method == BENCH_RATE && !cmdline_seen(c, "count"))
		s->plan.n_questions = (uint64_t)(s->duration * s->plan.rate);
	if (s->plan.n_questions == 0 && s->plan.rate > 0)
		cmdline_complain(c, "duration",
		    "%g s at %" PRIu32 " per second are less than one question", s->duration,
		    s->plan.rate);
	if (!bench_load_mix(l, BENCH_HIT, s->hits_percent))
		cmdline_complain(c, "hits", "all shares together are more than 100 %%");
	/* The hot names are asked for before the run, whatever their share. */
	if (l->hot > l->size || bench_load_names(l, 1) > l->size)
		cmdline_complain(
		    c, "namespace", "%" PRIu64 " names are fewer than --hot wants", l->size);
	else if (bench_load_names(l, questions_of(s)) > l->size)
		cmdline_complain(c, "namespace", "%" PRIu64 " names, and the run asks for %" PRIu64,
		    l->size, bench_load_names(l, questions_of(s)));
}

/* Whether there are names enough is checked later (bench_names). */
static void
complete_search(struct cmdline *c, struct bench_settings *s)
{
	s->high_given = cmdline_seen(c, "high");
	if (cmdline_seen(c, "delta") && s->upstream.family == NETADDR_NONE)
		cmdline_complain(c, "delta", "is of the self-test, which needs --upstream");
	if (s->low > s->high)
		cmdline_complain(c, "low", "%" PRIu32 " is above --high %" PRIu32, s->low, s->high);
	if (s->low < s->plan.n_threads)
		cmdline_complain(c, "low",
		    "%" PRIu32 " is less than one question for each of --threads", s->low);
}

/* The clients ask experiments of a fixed number of questions, or for a duration at each step. */
static void
complete_clients(struct cmdline *c, struct bench_settings *s)
{
	bool experiments = s->method == BENCH_CLOSED && !cmdline_seen(c, "duration");

	if (experiments)
		s->duration = 0;
	for (size_t i = 0; i < s->n_clients; i++) {
		if (experiments && s->clients[i] > BENCH_EXPERIMENT)
			cmdline_complain(c, "clients", "%u are more than there are questions (%d)",
			    s->clients[i], BENCH_EXPERIMENT);
		if (s->clients[i] % s->plan.n_threads != 0)
			cmdline_complain(
			    c, "threads", "%u clients cannot be shared evenly", s->clients[i]);
	}
	if (experiments && s->plan.n_threads > 1)
		cmdline_complain(
		    c, "threads", "one does all experiments; with --duration there may be more");
	if (experiments && cmdline_seen(c, "window"))
		cmdline_complain(c, "window", "needs --duration");
	if (!experiments && cmdline_seen(c, "blocks"))
		cmdline_complain(c, "blocks", "either this or --duration");
}

/* Telephone numbers: those that exist, those that do not, and how many of each. */
static void
complete_numbers(struct cmdline *c, struct bench_settings *s)
{
	struct bench_load *l = &s->plan.load;

	need(c, "numbers");
	if (s->missing_percent > 0 && !cmdline_seen(c, "missing-numbers"))
		cmdline_complain(c, "missing", "needs --missing-numbers");
	if (s->missing_percent == 0 && cmdline_seen(c, "missing-numbers"))
		cmdline_complain(
		    c, "missing-numbers", "are asked for with --missing, which is 0 %%");
	memset(l->mix, BENCH_NUMBER, sizeof(l->mix));
	for (unsigned i = 0; i < s->missing_percent; i++)
		l->mix[i] = BENCH_NO_NUMBER;
}

/* The mix of a soak: new names, hits, missing names, A and reverse names. */
static void
complete_soak(struct cmdline *c, struct bench_settings *s)
{
	struct bench_load *l = &s->plan.load;

	bool ours = s->mix.n == 0;

	if (!bench_load_mix(l, BENCH_MISSING, s->missing_percent) ||
	    (ours && !bench_load_mix(l, BENCH_ADDRESS, SOAK_ADDRESSES)) ||
	    (ours && !l->any_prefix && !bench_load_mix(l, BENCH_REVERSE, SOAK_REVERSE)))
		cmdline_complain(c, "missing", "with A and reverse names that is more than 100 %%");
	if (s->duration / s->interval > BENCH_ROWS_MAX)
		cmdline_complain(c, "interval", "that would be more than %d rows", BENCH_ROWS_MAX);
}

/* Where the results go. */
static bool
is_same(const char *path, const char *other)
{
	return path != NULL && other != NULL && strcmp(path, other) == 0;
}

static void
complete_output(struct cmdline *c, const struct bench_settings *s)
{
	if (is_same(s->csv, s->json) && strcmp(s->csv, "-") == 0)
		cmdline_complain(c, "csv", "standard output takes either this or --json");
	else if (is_same(s->csv, s->json))
		cmdline_complain(c, "csv", "%s is the file of --json", s->csv);
	if (is_same(s->raw, s->json) || is_same(s->raw, s->csv))
		cmdline_complain(c, "raw", "%s is the file of --%s", s->raw,
		    is_same(s->raw, s->json) ? "json" : "csv");
}

/* Questions are asked from addresses of the same family as the server's. */
static void
complete_clients_from(struct cmdline *c, const struct bench_plan *p)
{
	for (unsigned i = 0; i < p->clients.n && p->server.family != NETADDR_NONE; i++) {
		char text[BENCH_NETWORK_TEXT];

		if (p->clients.network[i].first.family != p->server.family)
			cmdline_complain(c, "clients-from", "%s has no IPv%d address",
			    bench_clients_format(&p->clients.network[i], text), p->server.family);
	}
}

/* What all methods that measure have in common. */
static void
complete_plan(struct cmdline *c, struct bench_settings *s)
{
	struct bench_plan *p = &s->plan;

	need(c, "server");
	if (!cmdline_seen(c, "port"))
		p->server.port = p->transport->port;
	complete_clients_from(c, p);
	if ((s->method & (BENCH_RATE | BENCH_SOAK)) != 0 && s->replay == NULL)
		need(c, "rate");
	if (cmdline_seen(c, "count") && cmdline_seen(c, "duration"))
		cmdline_complain(c, "duration", "either this or --count");
	if (p->rate > 0 && p->n_threads > p->rate)
		cmdline_complain(c, "threads", "more than there are questions per second");
	if (p->per_connection > 0 && p->transport->carrier == NULL)
		cmdline_complain(
		    c, "per-connection", "there are no connections over %s", p->transport->name);
	if (p->singles && p->transport->carrier != NULL)
		cmdline_complain(
		    c, "singles", "there are no datagrams over %s", p->transport->name);
	if ((s->pid != NULL) + (s->pid_file != NULL) + (s->unit != NULL) > 1)
		cmdline_complain(c, s->unit != NULL ? "unit" : "pid-file",
		    "one of this, --pid and --%s", s->unit != NULL ? "pid-file" : "unit");
	complete_output(c, s);
	if (p->load.dnssec_ok && p->load.bufsize == 0)
		p->load.bufsize = DNSSEC_BUFSIZE;
}

/*
 * Where the names begin: if each run began with the same, the second one would measure what the
 * first one left in the server's cache.
 */
static void
complete_first(struct cmdline *c, struct bench_settings *s)
{
	struct bench_load *l = &s->plan.load;
	struct rng rng;

	s->first_given = cmdline_seen(c, "first");
	if (s->first_given)
		return;
	rng_init(&rng);
	l->first = rng_u64(&rng) % (s->method == BENCH_ENUM ? FIRST_RANGE : l->size);
}

/* 0, 20 ... 100 %, which the paper has. */
static void
set_shares(struct bench_shares *shares)
{
	for (shares->n = 0; shares->n <= 100 / SHARE_STEP; shares->n++)
		shares->percent[shares->n] = (unsigned)shares->n * SHARE_STEP;
}

/* The share of names with AAAA is in the zone's name then. */
static void
complete_matrix(struct cmdline *c, struct bench_settings *s)
{
	if (!cmdline_seen(c, "hits"))
		set_shares(&s->hits);
	if (!cmdline_seen(c, "aaaa"))
		set_shares(&s->aaaa);
	if (s->plan.load.zone.len + SHARE_LABEL > DNS_NAME_MAX - HOST_LABEL)
		cmdline_complain(c, "zone", "too long for the label aaaa-100 before it");
}

/* The rate grows to the highest one in the time of the run, of which each second has a row. */
static void
complete_ramp(struct cmdline *c, struct bench_settings *s)
{
	struct bench_plan *p = &s->plan;

	if (s->duration < RAMP_LEAST || s->duration > BENCH_ROWS_MAX)
		cmdline_complain(
		    c, "duration", "of a ramp is from %g to %d s", RAMP_LEAST, BENCH_ROWS_MAX);
	else if (s->duration > (double)(uint64_t)s->duration)
		cmdline_complain(c, "duration", "of a ramp is in whole seconds: each has a row");
	p->rate = s->high;
	p->ramp_ns = (uint64_t)(s->duration * (double)NS_PER_SEC);
	p->n_questions = bench_plan_questions(p, s->duration);
}

/* Questions that arrive by chance have gaps of their own. */
static void
complete_arrivals(struct cmdline *c, const struct bench_settings *s)
{
	if (s->poisson && s->plan.burst > 1)
		cmdline_complain(c, "burst", "needs --arrivals fixed");
	if (!s->poisson && s->method != BENCH_SWEEP && cmdline_seen(c, "seed"))
		cmdline_complain(c, "seed", "is of --arrivals poisson");
}

/* The least rate of a sweep has a question for each thread. */
static void
complete_sweep(struct cmdline *c, struct bench_settings *s)
{
	need(c, "rates");
	if (s->n_rates > 0 && s->rates[0] < s->plan.n_threads)
		cmdline_complain(c, "threads", "more than there are questions per second");
}

/* What is asked was recorded. How many questions that are is not known before the file is read. */
static void
complete_replay(struct cmdline *c, struct bench_settings *s)
{
	static const char *const ours[] = { "aaaa", "first", "hits", "hot", "missing", "mix",
		"namespace", "popularity", "prefix", "upstream", "zone" };
	bool timing = (s->method & (BENCH_RATE | BENCH_SOAK)) != 0 && !cmdline_seen(c, "rate");

	if (cmdline_seen(c, "speed") && (s->replay == NULL || !timing))
		cmdline_complain(c, "speed", "is of --replay without --rate");
	if (s->replay == NULL)
		return;
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++) {
		if (cmdline_seen(c, ours[i]))
			cmdline_complain(c, ours[i], "says nothing with --replay");
	}
	if (cmdline_seen(c, "burst") && timing)
		cmdline_complain(c, "burst", "needs --rate, or they are as recorded");
	if (s->poisson && timing)
		cmdline_complain(c, "arrivals", "needs --rate, or they are as recorded");
	s->sources_given = cmdline_seen(c, "sources");
	memset(s->plan.load.mix, BENCH_REPLAY, sizeof(s->plan.load.mix));
	s->plan.load.first = 0;
	if (s->method != BENCH_RATE)
		return;
	if (!cmdline_seen(c, "count"))
		s->plan.n_questions = 0;
	if (!cmdline_seen(c, "duration"))
		s->duration = 0;
}

/* Check and complete the settings when all options have a value. */
static void
complete(struct cmdline *c, struct bench_settings *s)
{
	if (s->method == BENCH_RAMP)
		complete_ramp(c, s);
	complete_plan(c, s);
	complete_arrivals(c, s);
	complete_first(c, s);
	if ((s->method & (BENCH_CLOSED | BENCH_ENUM)) != 0)
		complete_clients(c, s);
	if (s->method == BENCH_SOAK)
		complete_soak(c, s);
	if (s->method == BENCH_ENUM)
		complete_numbers(c, s);
	else if (s->replay == NULL)
		complete_count(c, s);
	complete_replay(c, s);
	if ((s->method & BENCH_SEARCHES) != 0)
		complete_search(c, s);
	if (s->method == BENCH_MATRIX)
		complete_matrix(c, s);
	if (s->method == BENCH_SWEEP)
		complete_sweep(c, s);
}

enum cmdline_task
bench_options_read(int argc, char **argv, struct bench_settings *s, FILE *errors)
{
	struct cmdline c = { .table = bench_options_table(), .settings = s, .errors = errors };

	init(s);
	cmdline_read(&c, argc, argv);
	s->method = (enum bench_method)c.method;
	if (cmdline_end(&c) == CMDLINE_RUN)
		complete(&c, s);
	return cmdline_end(&c);
}
