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
#define FIRST_RANGE 1000000000 /* draws of telephone numbers */
#define DNSSEC_BUFSIZE 1232    /* bytes; DO is in an OPT record, which has a size too */
#define SHARE_STEP 20          /* % from a share of a matrix to the next */

/* Bytes of "aaaa-100" and "nx-NNN-NNN-NNN-NNN" with their lengths. */
#define SHARE_LABEL 9
#define HOST_LABEL 20

#define ANY (~0U) /* method */

/* Set what has no option; the other defaults are in the table. */
static void
init(struct bench_settings *s)
{
	memset(s, 0, sizeof(*s));
	bench_load_init(&s->plan.load);
	s->plan.n_questions = UINT64_MAX;
	s->plan.duration_ns = UINT64_MAX;
}

/* --- Settings that depend on others ----------------------------------------------------------- */

/* Does the method do experiments of a fixed number of questions? Else each step has a duration. */
static bool
does_experiments(const struct cmdline *c)
{
	return c->method == BENCH_CLOSED && !cmdline_seen(c, "duration");
}

/* Are questions asked at the times that were recorded? */
static bool
keeps_times(const struct cmdline *c)
{
	return (c->method & (BENCH_RATE | BENCH_SOAK)) != 0 && cmdline_seen(c, "replay") &&
	    !cmdline_seen(c, "rate");
}

/* What is asked was recorded. How many questions that are is not known before the file is read. */
static void
complete_replay(struct cmdline *c, struct bench_settings *s)
{
	s->sources_given = cmdline_seen(c, "sources");
	memset(s->plan.load.mix, BENCH_REPLAY, sizeof(s->plan.load.mix));
	s->plan.load.first = 0;
	if (s->method == BENCH_RATE && !cmdline_seen(c, "count"))
		s->plan.n_questions = 0;
	if (s->method == BENCH_RATE && !cmdline_seen(c, "duration"))
		s->duration = 0;
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
		if (mix->type[i] != DNS_TYPE_A && n == BENCH_OTHERS) {
			cmdline_complain(
			    c, "mix", "up to %d types besides A and AAAA", BENCH_OTHERS);
			return;
		}
		if (mix->type[i] != DNS_TYPE_A) {
			l->other[n] = mix->type[i];
			kind = (enum bench_kind)(BENCH_OTHER + n++);
		}
		if (!bench_load_mix(l, kind, mix->percent[i]))
			cmdline_complain(
			    c, "mix", "AAAA is less than the share of names that do not exist");
	}
}

/* The kinds of questions. A soak's are new names, hits, missing names, A and reverse names. */
static void
complete_kinds(struct cmdline *c, struct bench_settings *s)
{
	struct bench_load *l = &s->plan.load;
	bool ours = s->method == BENCH_SOAK && s->mix.n == 0;

	if (s->method == BENCH_ENUM) {
		memset(l->mix, BENCH_NUMBER, sizeof(l->mix));
		memset(l->mix, BENCH_NO_NUMBER, s->missing_percent);
		return;
	}
	if (s->zipf > 0 && !cmdline_seen(c, "hot"))
		l->hot = ZIPF_HOT;
	if (!bench_load_mix(l, BENCH_MISSING, s->missing_percent) ||
	    (ours && !bench_load_mix(l, BENCH_ADDRESS, SOAK_ADDRESSES)) ||
	    (ours && !l->any_prefix && !bench_load_mix(l, BENCH_REVERSE, SOAK_REVERSE)))
		cmdline_complain(c, "missing", "with A and reverse names that is more than 100 %%");
	complete_mix(c, s);
	if (!bench_load_mix(l, BENCH_HIT, s->hits_percent))
		cmdline_complain(c, "hits", "all shares together are more than 100 %%");
}

/* The rate grows to the highest one in the time of the run, of which each second has a row. */
static void
complete_ramp(struct bench_settings *s)
{
	struct bench_plan *p = &s->plan;

	p->rate = s->high;
	p->ramp_ns = (uint64_t)(s->duration * (double)NS_PER_SEC);
	p->n_questions = bench_plan_questions(p, s->duration);
}

/* 0, 20 ... 100 %, which the paper has. */
static void
set_shares(struct bench_shares *shares)
{
	for (shares->n = 0; shares->n <= 100 / SHARE_STEP; shares->n++)
		shares->percent[shares->n] = (unsigned)shares->n * SHARE_STEP;
}

/*
 * If the names of each run began with the same one, the second run would measure what the first one
 * left in the server's cache.
 */
static void
complete(struct cmdline *c, struct bench_settings *s)
{
	struct bench_plan *p = &s->plan;
	struct rng rng;

	s->first_given = cmdline_seen(c, "first");
	s->high_given = cmdline_seen(c, "high");
	rng_init(&rng);
	if (!s->first_given)
		p->load.first =
		    rng_u64(&rng) % (s->method == BENCH_ENUM ? FIRST_RANGE : p->load.size);
	if (!cmdline_seen(c, "port"))
		p->server.port = p->transport->port;
	if (p->load.dnssec_ok && p->load.bufsize == 0)
		p->load.bufsize = DNSSEC_BUFSIZE;
	if (does_experiments(c))
		s->duration = 0;
	if (s->method == BENCH_RAMP)
		complete_ramp(s);
	if (s->method == BENCH_RATE && !cmdline_seen(c, "count"))
		p->n_questions = (uint64_t)(s->duration * p->rate);
	if (s->method == BENCH_MATRIX && !cmdline_seen(c, "hits"))
		set_shares(&s->hits);
	if (s->method == BENCH_MATRIX && !cmdline_seen(c, "aaaa"))
		set_shares(&s->aaaa);
	if (s->replay != NULL)
		complete_replay(c, s);
	else
		complete_kinds(c, s);
}

/* --- What options ask of each other ----------------------------------------------------------- */

/* An option that is WRONG for these methods, and why. */
struct rule {
	unsigned methods;
	bool wrong;
	const char *option, *why;
};

static void
apply(struct cmdline *c, const struct rule *rules, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (rules[i].wrong && (rules[i].methods & c->method) != 0)
			cmdline_complain(c, rules[i].option, "%s", rules[i].why);
	}
}

static bool
is_same(const char *path, const char *other)
{
	return path != NULL && other != NULL && strcmp(path, other) == 0;
}

/* What is given, by the names of options. */
static void
check_given(struct cmdline *c, const struct bench_settings *s)
{
	const struct bench_plan *p = &s->plan;
	bool steps = !does_experiments(c), missing = cmdline_seen(c, "missing-numbers"),
	     replayed = s->replay != NULL, server = s->pid != NULL || s->pid_file != NULL;
	char need[32], recorded[] = "needs --rate, or they are as recorded";
	const struct rule rules[] = {
		{ ANY, !cmdline_seen(c, "server"), "server", need },
		{ BENCH_RATE | BENCH_SOAK, !replayed && !cmdline_seen(c, "rate"), "rate", need },
		{ BENCH_ENUM, !cmdline_seen(c, "numbers"), "numbers", need },
		{ BENCH_SWEEP, !cmdline_seen(c, "rates"), "rates", need },
		{ ANY, cmdline_seen(c, "count") && cmdline_seen(c, "duration"), "duration",
		    "either this or --count" },
		{ ANY, steps && cmdline_seen(c, "blocks"), "blocks", "either this or --duration" },
		{ ANY, !steps && cmdline_seen(c, "window"), "window", "needs --duration" },
		{ ANY, !steps && p->n_threads > 1, "threads",
		    "one does all experiments; with --duration there may be more" },
		{ BENCH_ENUM, s->missing_percent > 0 && !missing, "missing",
		    "needs --missing-numbers" },
		{ BENCH_ENUM, s->missing_percent == 0 && missing, "missing-numbers",
		    "are asked for with --missing, which is 0 %" },
		{ BENCH_SEARCHES, cmdline_seen(c, "delta") && s->upstream.family == NETADDR_NONE,
		    "delta", "is of the self-test, which needs --upstream" },
		{ ANY, s->unit != NULL && server, "unit", "one of this, --pid and --pid-file" },
		{ ANY, s->unit == NULL && s->pid != NULL && s->pid_file != NULL, "pid-file",
		    "one of this, --pid and --unit" },
		{ ANY, s->poisson && p->burst > 1, "burst", "needs --arrivals fixed" },
		{ ANY & ~(unsigned)BENCH_SWEEP, !s->poisson && cmdline_seen(c, "seed"), "seed",
		    "is of --arrivals poisson" },
		{ ANY, !keeps_times(c) && cmdline_seen(c, "speed"), "speed",
		    "is of --replay without --rate" },
		{ ANY, keeps_times(c) && cmdline_seen(c, "burst"), "burst", recorded },
		{ ANY, keeps_times(c) && s->poisson, "arrivals", recorded },
		{ ANY, is_same(s->csv, "-") && is_same(s->json, "-"), "csv",
		    "standard output takes either this or --json" },
	};

	(void)snprintf(need, sizeof(need), "%s needs it", bench_options_method(s->method));
	apply(c, rules, sizeof(rules) / sizeof(rules[0]));
}

/* Whether numbers fit each other. */
static void
check_sizes(struct cmdline *c, const struct bench_settings *s)
{
	const struct bench_plan *p = &s->plan;
	bool zipf = s->zipf > 0 && s->replay == NULL;
	uint32_t rate = s->method == BENCH_SWEEP && s->n_rates > 0 ? s->rates[0] : p->rate;
	const struct rule rules[] = {
		{ ANY, rate > 0 && p->n_threads > rate, "threads",
		    "more than there are questions per second" },
		{ ANY & ~(unsigned)BENCH_MATRIX, zipf && s->hits_percent == 0, "popularity",
		    "is that of the names of --hits, which are 0 %" },
		{ ANY, zipf && p->load.hot > BENCH_ZIPF_MAX, "popularity",
		    "of up to 16777216 names of --hot" },
		{ BENCH_SOAK, s->duration / s->interval > BENCH_ROWS_MAX, "interval",
		    "that would be more than 1000000 rows" },
		{ BENCH_RAMP, s->duration < 2 || s->duration > BENCH_SECONDS_ROWS, "duration",
		    "of a ramp is from 2 to 86400 s" },
		{ BENCH_RAMP, s->duration >= 2 && s->duration > (double)(uint64_t)s->duration,
		    "duration", "of a ramp is in whole seconds: each has a row" },
		{ BENCH_MATRIX, p->load.zone.len + SHARE_LABEL > DNS_NAME_MAX - HOST_LABEL, "zone",
		    "too long for the label aaaa-100 before it" },
	};

	_Static_assert(
	    BENCH_ZIPF_MAX == 16777216 && BENCH_ROWS_MAX == 1000000 && BENCH_SECONDS_ROWS == 86400,
	    "as above");
	apply(c, rules, sizeof(rules) / sizeof(rules[0]));
	if ((s->method & BENCH_SEARCHES) != 0 && s->low > s->high)
		cmdline_complain(c, "low", "%" PRIu32 " is above --high %" PRIu32, s->low, s->high);
	if ((s->method & BENCH_SEARCHES) != 0 && s->low < p->n_threads)
		cmdline_complain(c, "low",
		    "%" PRIu32 " is less than one question for each of --threads", s->low);
	for (size_t i = 0; (s->method & (BENCH_CLOSED | BENCH_ENUM)) != 0 && i < s->n_clients;
	     i++) {
		if (does_experiments(c) && s->clients[i] > BENCH_EXPERIMENT)
			cmdline_complain(c, "clients", "%u are more than there are questions (%d)",
			    s->clients[i], BENCH_EXPERIMENT);
		if (s->clients[i] % p->n_threads != 0)
			cmdline_complain(
			    c, "threads", "%u clients cannot be shared evenly", s->clients[i]);
	}
}

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

/* Are there questions, and names enough for them? Searches check it later (bench_names). */
static void
check_names(struct cmdline *c, const struct bench_settings *s)
{
	const struct bench_load *l = &s->plan.load;
	uint64_t names = bench_load_names(l, questions_of(s));

	if (s->method == BENCH_ENUM || s->replay != NULL)
		return;
	if (s->plan.n_questions == 0 && s->plan.rate > 0)
		cmdline_complain(c, "duration",
		    "%g s at %" PRIu32 " per second are less than one question", s->duration,
		    s->plan.rate);
	/* The hot names are asked for before the run, whatever their share. */
	if (l->hot > l->size || bench_load_names(l, 1) > l->size)
		cmdline_complain(
		    c, "namespace", "%" PRIu64 " names are fewer than --hot wants", l->size);
	else if (names > l->size)
		cmdline_complain(c, "namespace", "%" PRIu64 " names, and the run asks for %" PRIu64,
		    l->size, names);
}

/* What the transport, the server's address, a recording and files of results do not go with. */
static void
check_others(struct cmdline *c, const struct bench_settings *s)
{
	static const char *const ours[] = { "aaaa", "first", "hits", "hot", "missing", "mix",
		"namespace", "popularity", "prefix", "upstream", "zone" };
	const struct bench_plan *p = &s->plan;
	bool stream = p->transport->stream;
	char text[BENCH_NETWORK_TEXT];

	if (p->per_connection > 0 && !stream)
		cmdline_complain(
		    c, "per-connection", "there are no connections over %s", p->transport->name);
	if (p->singles && stream)
		cmdline_complain(
		    c, "singles", "there are no datagrams over %s", p->transport->name);
	for (unsigned i = 0; i < p->clients.n && p->server.family != NETADDR_NONE; i++) {
		const struct bench_network *w = &p->clients.network[i];

		if (w->first.family != p->server.family)
			cmdline_complain(c, "clients-from", "%s has no IPv%d address",
			    bench_clients_format(w, text), p->server.family);
	}
	for (size_t i = 0; s->replay != NULL && i < sizeof(ours) / sizeof(ours[0]); i++) {
		if (cmdline_seen(c, ours[i]))
			cmdline_complain(c, ours[i], "says nothing with --replay");
	}
	if (is_same(s->csv, s->json) && !is_same(s->csv, "-"))
		cmdline_complain(c, "csv", "%s is the file of --json", s->csv);
	if (is_same(s->raw, s->json) || is_same(s->raw, s->csv))
		cmdline_complain(c, "raw", "%s is the file of --%s", s->raw,
		    is_same(s->raw, s->json) ? "json" : "csv");
}

enum cmdline_task
bench_options_read(int argc, char **argv, struct bench_settings *s, FILE *errors)
{
	struct cmdline c = { .table = bench_options_table(), .settings = s, .errors = errors };

	init(s);
	cmdline_read(&c, argc, argv);
	s->method = (enum bench_method)c.method;
	if (cmdline_end(&c) == CMDLINE_RUN) {
		complete(&c, s);
		check_given(&c, s);
		check_sizes(&c, s);
		check_names(&c, s);
		check_others(&c, s);
	}
	return cmdline_end(&c);
}
