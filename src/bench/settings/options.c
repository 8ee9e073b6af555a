/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/settings/options.h"

#include <getopt.h>
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "bench/method/series.h"
#include "bench/settings/set.h"

/* What soak asks, in percent and seconds, if it is not told otherwise; the rest are new names. */
#define SOAK_HITS 20
#define SOAK_MISSING 6
#define SOAK_ADDRESSES 8
#define SOAK_REVERSE 6
#define SOAK_SECONDS 3600

/* Where a search does not end for want of names: below that are the limits of servers. */
#define HIGH_LEAST 100000 /* questions per second */

static void
set_defaults(struct bench_settings *s)
{
	memset(s, 0, sizeof(*s));
	bench_load_init(&s->plan.load);
	s->plan.transport = &bench_udp;
	s->plan.n_threads = 1;
	s->plan.n_lanes = 16;
	s->plan.burst = 1;
	s->plan.n_questions = UINT64_MAX;
	s->plan.duration_ns = UINT64_MAX;
	s->plan.timeout_ns = NS_PER_SEC;
	s->duration = 60;
	s->low = 1000;
	s->high = 1000000;
	s->resolution = 0.5;
	s->repetitions = 20;
	s->delta = 0.1;
	s->clients[0] = 1;
	s->n_clients = 1;
	s->blocks = 1;
	s->interval = 60;
}

static bool
seen(const struct bench_parser *p, enum bench_option id)
{
	return p->seen[bench_optable_find((int)id) - bench_optable_row(0)] > 0;
}

/* An option that the method cannot do without. */
static void
need(struct bench_parser *p, unsigned for_methods, enum bench_option id)
{
	if ((p->s->method & for_methods) == 0 || seen(p, id))
		return;
	p->option = bench_optable_find((int)id)->name;
	bench_set_complain(p, "%s needs it", bench_optable_name(p->s->method));
}

/* Telephone numbers: those that exist, those that do not, and how many of each. */
static void
complete_numbers(struct bench_parser *p)
{
	struct bench_load *l = &p->s->plan.load;

	need(p, BENCH_ENUM, BENCH_OPT_NUMBERS);
	p->option = "missing";
	if (p->missing > 0 && !seen(p, BENCH_OPT_MISSING_NUMBERS))
		bench_set_complain(p, "needs --missing-numbers");
	p->s->missing_percent = p->missing;
	memset(l->mix, BENCH_NUMBER, sizeof(l->mix));
	for (unsigned i = 0; i < p->missing; i++)
		l->mix[i] = BENCH_NO_NUMBER;
}

/* The smallest network with N addresses, for a message. */
static const char *
network_for(uint64_t n, char text[static 32])
{
	int len = 32;

	while (len >= 0 && (UINT64_C(1) << (32 - len)) < n)
		len--;
	if (len >= 0)
		(void)snprintf(text, 32, "a /%d has them", len);
	return len >= 0 ? text : "no network has them";
}

/* How many names a search takes at most. */
static uint64_t
names_of_search(const struct bench_settings *s)
{
	struct bench_bisect b;

	bench_bisect_init(&b, s->low, s->high, s->resolution, BENCH_BEGIN_LOW);
	return bench_load_names(
	    &s->plan.load, bench_series_most(&b, s->repetitions, s->duration, s->restart != NULL));
}

/* Where a search without --high ends: not below what servers do, unless somebody says so. */
static void
fit_high(struct bench_settings *s)
{
	uint32_t high = s->high;

	while (names_of_search(s) > s->plan.load.size && s->high > HIGH_LEAST && s->high > s->low)
		s->high -= s->high / 20;
	if (names_of_search(s) > s->plan.load.size || s->high < s->low)
		s->high = high;
}

/*
 * No name may be asked for twice, or a cache would answer. A restart empties that: then only the
 * names of one trial must be different.
 */
static void
complete_search(struct bench_parser *p)
{
	struct bench_settings *s = p->s;
	const struct bench_load *l = &s->plan.load;
	char text[32];

	p->option = "low";
	if (s->low < s->plan.n_threads)
		bench_set_complain(
		    p, "%" PRIu32 " is less than one question for each of --threads", s->low);
	if (s->low > s->high || l->hot >= l->size)
		return;
	if (!seen(p, BENCH_OPT_HIGH))
		fit_high(s);
	uint64_t n = names_of_search(s);
	if (n <= l->size)
		return;
	p->option = "namespace";
	bench_set_complain(p,
	    "%" PRIu64 " names, and the search takes up to %" PRIu64 ": %s; a lower"
	    " --high than %" PRIu32 "%s takes fewer",
	    l->size, n, network_for(n, text), s->high,
	    s->restart == NULL ? ", or --restart before each trial," : "");
}

/* Experiments have their own number of questions, or there are steps of some duration. */
static void
complete_clients(struct bench_parser *p)
{
	struct bench_settings *s = p->s;
	bool experiments = s->method == BENCH_CLOSED && !seen(p, BENCH_OPT_DURATION);

	if (experiments)
		s->duration = 0;
	for (size_t i = 0; i < s->n_clients; i++) {
		p->option = "clients";
		if (experiments && s->clients[i] > BENCH_EXPERIMENT)
			bench_set_complain(p, "%u are more than there are questions (%d)",
			    s->clients[i], BENCH_EXPERIMENT);
		p->option = "threads";
		if (s->clients[i] % s->plan.n_threads != 0)
			bench_set_complain(p, "%u clients cannot be shared evenly", s->clients[i]);
	}
	p->option = "threads";
	if (experiments && s->plan.n_threads > 1)
		bench_set_complain(
		    p, "one does all experiments; with --duration there may be more");
	p->option = "window";
	if (experiments && seen(p, BENCH_OPT_WINDOW))
		bench_set_complain(p, "needs --duration");
	p->option = "blocks";
	if (!experiments && seen(p, BENCH_OPT_BLOCKS))
		bench_set_complain(p, "either this or --duration");
}

/* A little of everything, unless the shares are given. */
static void
complete_soak(struct bench_parser *p)
{
	struct bench_load *l = &p->s->plan.load;
	unsigned missing = seen(p, BENCH_OPT_MISSING) ? p->missing : SOAK_MISSING;

	if (!seen(p, BENCH_OPT_HITS))
		p->hits = SOAK_HITS;
	if (!seen(p, BENCH_OPT_DURATION))
		p->s->duration = SOAK_SECONDS;
	p->option = "missing";
	if (!bench_load_mix(l, BENCH_MISSING, missing) ||
	    !bench_load_mix(l, BENCH_ADDRESS, SOAK_ADDRESSES) ||
	    (!l->any_prefix && !bench_load_mix(l, BENCH_REVERSE, SOAK_REVERSE)))
		bench_set_complain(p, "with A and reverse names that is more than 100 %%");
	p->option = "interval";
	if (p->s->duration / p->s->interval > BENCH_ROWS_MAX)
		bench_set_complain(p, "that would be more than %d rows", BENCH_ROWS_MAX);
}

/* How many questions are asked; 0: nobody knows, or it does not matter. */
static uint64_t
questions_of(const struct bench_settings *s)
{
	if (s->method == BENCH_RATE)
		return s->plan.n_questions;
	if (s->method == BENCH_CLOSED && s->duration <= 0)
		return (uint64_t)s->n_clients * s->blocks * BENCH_BLOCK * BENCH_EXPERIMENT;
	return 0;
}

/* How many questions, and whether the names suffice for them. */
static void
complete_count(struct bench_parser *p)
{
	struct bench_settings *s = p->s;
	struct bench_load *l = &s->plan.load;

	p->option = "duration";
	if (s->method == BENCH_RATE && !seen(p, BENCH_OPT_COUNT))
		s->plan.n_questions = (uint64_t)(s->duration * s->plan.rate);
	if (s->plan.n_questions == 0)
		bench_set_complain(p, "%g s at %" PRIu32 " per second are less than one question",
		    s->duration, s->plan.rate);
	p->option = "hits";
	if (!bench_load_mix(l, BENCH_HIT, p->hits))
		bench_set_complain(p, "all shares together are more than 100 %%");
	p->option = "namespace";
	/* The hot names are asked for before the run, whatever their share. */
	if (l->hot > l->size || bench_load_names(l, 1) > l->size)
		bench_set_complain(p, "%" PRIu64 " names are fewer than --hot wants", l->size);
	else if (bench_load_names(l, questions_of(s)) > l->size)
		bench_set_complain(p, "%" PRIu64 " names, and the run asks for %" PRIu64, l->size,
		    bench_load_names(l, questions_of(s)));
}

/* What can only be told when all was read. */
static void
complete(struct bench_parser *p)
{
	struct bench_settings *s = p->s;

	if (s->method == BENCH_REPORT) {
		need(p, BENCH_REPORT, BENCH_OPT_OUTPUT);
		p->option = "output";
		if (s->n_files == 0)
			bench_set_complain(p, "no JSON file to make it of");
		return;
	}
	need(p, ~0U, BENCH_OPT_SERVER);
	need(p, BENCH_RATE | BENCH_SOAK, BENCH_OPT_RATE);
	s->plan.server.port = (uint16_t)p->port;
	p->option = "threads";
	if (s->plan.rate > 0 && s->plan.n_threads > s->plan.rate)
		bench_set_complain(p, "more than there are questions per second");
	p->option = "per-connection";
	if (s->plan.per_connection > 0 && s->plan.transport->carrier == NULL)
		bench_set_complain(p, "there are no connections over %s", s->plan.transport->name);
	p->option = "low";
	if (s->low > s->high)
		bench_set_complain(p, "%" PRIu32 " is above --high %" PRIu32, s->low, s->high);
	p->option = s->unit != NULL ? "unit" : "pid-file";
	if ((s->pid != NULL) + (s->pid_file != NULL) + (s->unit != NULL) > 1)
		bench_set_complain(
		    p, "one of this, --pid and --%s", s->unit != NULL ? "pid-file" : "unit");
	p->option = "csv";
	if (s->csv != NULL && s->json != NULL && strcmp(s->csv, "-") == 0 &&
	    strcmp(s->json, "-") == 0)
		bench_set_complain(p, "standard output takes either this or --json");
	p->option = "dnssec";
	if (s->plan.load.dnssec_ok && s->plan.load.bufsize == 0)
		s->plan.load.bufsize = 1232;
	if ((s->method & (BENCH_CLOSED | BENCH_ENUM)) != 0)
		complete_clients(p);
	if (s->method == BENCH_SOAK)
		complete_soak(p);
	if (s->method == BENCH_ENUM)
		complete_numbers(p);
	else
		complete_count(p);
	if (s->method == BENCH_SEARCH)
		complete_search(p);
}

/* The word before the options. */
static bool
read_method(int argc, char **argv, struct bench_parser *p)
{
	if (argc > 1)
		p->s->method = (enum bench_method)bench_optable_method(argv[1]);
	if (p->s->method != 0)
		return true;
	(void)fprintf(p->errors, "dns64bench: ");
	if (argc > 1)
		(void)fprintf(p->errors, "\"%s\" is not a method; ", argv[1]);
	(void)fprintf(p->errors, "first comes one of ");
	bench_optable_methods(p->errors);
	(void)fputc('\n', p->errors);
	p->n_errors++;
	return false;
}

/* What getopt_long made nothing of, in WORD. */
static void
refuse(struct bench_parser *p, int id, const char *word)
{
	const struct bench_option_row *row = bench_optable_find(optopt);
	char letter[] = { '-', (char)optopt, '\0' };

	p->n_errors++;
	if (row != NULL)
		(void)fprintf(p->errors, "dns64bench: --%s: %s value\n", row->name,
		    id == ':' ? "needs a" : "takes no");
	else
		(void)fprintf(
		    p->errors, "dns64bench: %s: unknown option\n", optopt != 0 ? letter : word);
}

static void
take_option(struct bench_parser *p, int id, const char *arg)
{
	const struct bench_option_row *row = bench_optable_find(id);

	p->option = row->name;
	p->seen[row - bench_optable_row(0)]++;
	if ((row->methods & p->s->method) == 0)
		bench_set_complain(p, "says nothing to %s", bench_optable_name(p->s->method));
	else
		bench_set(p, row->id, arg);
}

static void
take_options(int argc, char **argv, struct bench_parser *p)
{
	struct option longs[BENCH_OPTIONS_MAX + 1] = { { .name = NULL } };
	const struct bench_option_row *row;
	int index, id;

	for (size_t i = 0; (row = bench_optable_row(i)) != NULL; i++) {
		longs[i].name = row->name;
		longs[i].has_arg = row->arg != NULL ? required_argument : no_argument;
		longs[i].val = (int)row->id;
	}
	optind = 0; /* from the beginning, also when called again */
	/* With a ":" before the letters getopt_long tells nothing itself. */
	while ((id = getopt_long(argc, argv, ":" BENCH_OPTION_LETTERS, longs, &index)) != -1) {
		if (id == ':' || id == '?')
			refuse(p, id, argv[optind - 1]);
		else
			take_option(p, id, optarg);
	}
	p->s->files = argv + optind;
	p->s->n_files = argc - optind;
	if (p->s->method == BENCH_REPORT || optind >= argc)
		return;
	(void)fprintf(p->errors, "dns64bench: \"%s\": there are options only\n", argv[optind]);
	p->n_errors++;
}

static enum bench_task
asks_for_itself(int argc, char **argv)
{
	if (argc == 2 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0))
		return BENCH_TASK_HELP;
	if (argc == 2 && (strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "--version") == 0))
		return BENCH_TASK_VERSION;
	return BENCH_TASK_RUN;
}

enum bench_task
bench_options_read(int argc, char **argv, struct bench_settings *s, FILE *errors)
{
	struct bench_parser p = { .s = s, .errors = errors, .port = BENCH_DEFAULT_PORT };

	p.task = asks_for_itself(argc, argv);
	set_defaults(s);
	if (p.task != BENCH_TASK_RUN)
		return p.task;
	if (!read_method(argc, argv, &p))
		return BENCH_TASK_NONE;
	take_options(argc - 1, argv + 1, &p);
	if (p.task == BENCH_TASK_RUN && p.n_errors == 0)
		complete(&p);
	return p.n_errors > 0 ? BENCH_TASK_NONE : p.task;
}
