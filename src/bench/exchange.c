/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/exchange.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "bench/options.h"
#include "dns/name.h"

#define MIX 100               /* kinds of questions, as in struct bench_load */
#define COUNT_MAX (1LL << 53) /* of anything: sums cannot overflow */
#define SUM_MAX 1e41          /* ns, or ns * ns: more than of COUNT_MAX of the longest times */
#define SPAN_MAX ((json_int_t)(400 * 86400 * NS_PER_SEC)) /* ns, of a trial */
#define REMEMBERED_MAX (1ULL << 28)                       /* questions, of all lanes of a tester */

/* --- Reading ---------------------------------------------------------------------------------- */

/* An object that is read; the first fault is kept. */
struct reader {
	const json_t *from;
	char *why; /* BENCH_EXCHANGE_WHY */
	bool good;
};

static void wrong(struct reader *r, const char *format, ...) PRINTF_LIKE(2, 3);

static void
wrong(struct reader *r, const char *format, ...)
{
	va_list ap;

	if (!r->good)
		return;
	r->good = false;
	va_start(ap, format);
	(void)vsnprintf(r->why, BENCH_EXCHANGE_WHY, format, ap);
	va_end(ap);
}

static struct reader
begin(const json_t *from, char *why)
{
	struct reader r = { .from = from, .why = why, .good = true };

	if (!json_is_object(from))
		wrong(&r, "not an object");
	return r;
}

/* The whole number KEY, from LEAST to MOST; LEAST if there is none. */
static uint64_t
number(struct reader *r, const char *key, json_int_t least, json_int_t most)
{
	const json_t *v = json_object_get(r->from, key);
	json_int_t n = json_integer_value(v);

	if (json_is_integer(v) && n >= least && n <= most)
		return (uint64_t)n;
	wrong(r, "%s is no number from %" JSON_INTEGER_FORMAT " to %" JSON_INTEGER_FORMAT, key,
	    least, most);
	return (uint64_t)least;
}

/* The same where UINT64_MAX, which is not told, means that there is no limit. */
static uint64_t
limit(struct reader *r, const char *key)
{
	return json_object_get(r->from, key) != NULL ? number(r, key, 0, COUNT_MAX) : UINT64_MAX;
}

static double
real(struct reader *r, const char *key, double most)
{
	const json_t *v = json_object_get(r->from, key);
	double d = json_number_value(v);

	if (json_is_number(v) && d >= 0 && d <= most)
		return d;
	wrong(r, "%s is no number from 0 to %g", key, most);
	return 0;
}

static bool
flag(struct reader *r, const char *key)
{
	if (!json_is_boolean(json_object_get(r->from, key)))
		wrong(r, "%s is neither true nor false", key);
	return json_is_true(json_object_get(r->from, key));
}

static const char *
text(struct reader *r, const char *key)
{
	const char *s = json_string_value(json_object_get(r->from, key));

	if (s == NULL)
		wrong(r, "%s is no text", key);
	return s != NULL ? s : "";
}

static void
put(json_t *to, const char *key, uint64_t n)
{
	(void)json_object_set_new(to, key, json_integer((json_int_t)n));
}

static void
put_limit(json_t *to, const char *key, uint64_t n)
{
	if (n != UINT64_MAX)
		put(to, key, n);
}

static void
put_flag(json_t *to, const char *key, bool v)
{
	(void)json_object_set_new(to, key, json_boolean(v));
}

static void
put_text(json_t *to, const char *key, const char *s)
{
	(void)json_object_set_new(to, key, json_string(s));
}

/* --- Plan ------------------------------------------------------------------------------------- */

static json_t *
of_load(const struct bench_load *l)
{
	char zone[NAME_TEXT], prefix[PREF64_TEXT], mix[MIX + 1] = "";
	json_t *to = json_object();
	bool hits = false;

	for (unsigned i = 0; i < MIX; i++) {
		mix[i] = (char)('0' + l->mix[i]);
		hits |= l->mix[i] == BENCH_HIT;
	}
	put_text(to, "zone", name_to_text(l->zone.name, zone));
	put(to, "aaaa_percent", l->zone.aaaa_percent);
	put(to, "base", l->base);
	put(to, "size", l->size);
	put(to, "hot", l->hot);
	if (l->zipf != NULL && hits)
		(void)json_object_set_new(to, "zipf", json_real(l->zipf->s));
	put(to, "first", l->first);
	put_flag(to, "hits", l->hits);
	put_text(to, "mix", mix);
	if (!l->any_prefix)
		put_text(to, "prefix", pref64_format(&l->prefix, prefix));
	put(to, "seed", l->seed);
	put(to, "bufsize", l->bufsize);
	put_flag(to, "dnssec_ok", l->dnssec_ok);
	return to;
}

static json_t *
of_clients(const struct bench_clients *c)
{
	char text[BENCH_NETWORK_TEXT];
	json_t *to = json_array();

	for (unsigned i = 0; i < c->n; i++)
		(void)json_array_append_new(
		    to, json_string(bench_clients_format(&c->network[i], text)));
	return to;
}

json_t *
bench_exchange_plan(const struct bench_plan *p)
{
	char server[NETADDR_TEXT];
	json_t *to = json_object();

	put_text(to, "server", netaddr_format(&p->server, server));
	put_text(to, "transport", p->transport->name);
	put(to, "threads", p->n_threads);
	put(to, "testers", p->testers);
	put(to, "tester", p->tester);
	put(to, "lanes", p->n_lanes);
	put(to, "window", p->window);
	put(to, "per_connection", p->per_connection);
	put(to, "rate", p->rate);
	put(to, "burst", p->burst);
	put(to, "first", p->first);
	put_limit(to, "questions", p->n_questions);
	put_flag(to, "even", p->even);
	put_limit(to, "duration", p->duration_ns);
	put(to, "pause", p->pause_ns);
	put(to, "timeout", p->timeout_ns);
	put_flag(to, "singles", p->singles);
	put_flag(to, "spin", p->spin);
	(void)json_object_set_new(to, "clients", of_clients(&p->clients));
	(void)json_object_set_new(to, "load", of_load(&p->load));
	return to;
}

/* Telephone numbers, and reverse names without a prefix, cannot be asked for. */
static void
read_mix(struct reader *r, struct bench_load *l)
{
	const char *mix = text(r, "mix");

	if (strlen(mix) != MIX) {
		wrong(r, "mix has not %d kinds", MIX);
		return;
	}
	for (unsigned i = 0; i < MIX; i++) {
		unsigned kind = (unsigned)(mix[i] - '0');

		if (kind >= BENCH_NUMBER || (kind == BENCH_REVERSE && l->any_prefix))
			wrong(r, "mix has a kind %u", kind);
		l->mix[i] = (uint8_t)kind;
	}
}

static void
read_zone(struct reader *r, struct fake_zone *z)
{
	uint8_t name[DNS_NAME_MAX];
	size_t len = name_from_text(text(r, "zone"), name);

	if (len == 0 || len > DNS_NAME_MAX - BENCH_LABEL_MAX)
		wrong(r, "zone is no name, or too long");
	else
		fake_zone_init(z, name);
	z->aaaa_percent = (unsigned)number(r, "aaaa_percent", 0, 100);
}

static void
read_load(struct reader *r, struct bench_exchange_plan *to)
{
	struct bench_load *l = &to->plan.load;
	const json_t *seed = json_object_get(r->from, "seed");

	bench_load_init(l);
	read_zone(r, &l->zone);
	l->base = (uint32_t)number(r, "base", 0, UINT32_MAX);
	l->size = number(r, "size", 1, (1LL << 32) - (json_int_t)l->base);
	l->hot = number(r, "hot", 1, (json_int_t)l->size);
	l->first = number(r, "first", 0, COUNT_MAX);
	l->hits = flag(r, "hits");
	l->any_prefix = json_object_get(r->from, "prefix") == NULL;
	if (!l->any_prefix && pref64_parse(text(r, "prefix"), &l->prefix) != PREF64_OK)
		wrong(r, "prefix is none");
	read_mix(r, l);
	l->seed = (uint64_t)json_integer_value(seed); /* any */
	if (!json_is_integer(seed))
		wrong(r, "seed is no number");
	l->bufsize = (uint16_t)number(r, "bufsize", 0, UINT16_MAX);
	l->dnssec_ok = flag(r, "dnssec_ok");
	if (json_object_get(r->from, "zipf") != NULL) {
		to->zipf = real(r, "zipf", BENCH_ZIPF_MOST);
		if (to->zipf < BENCH_ZIPF_LEAST || l->hot > BENCH_ZIPF_MAX)
			wrong(r, "zipf is too small, or there are too many names for it");
	}
}

/* Networks of the server's family. */
static void
read_clients(struct reader *r, struct bench_plan *p)
{
	const json_t *list = json_object_get(r->from, "clients");
	size_t n = json_array_size(list);

	if (!json_is_array(list) || n > BENCH_NETWORKS_MAX)
		wrong(r, "clients are no list of up to %d networks", BENCH_NETWORKS_MAX);
	for (; r->good && p->clients.n < n; p->clients.n++) {
		const char *s = json_string_value(json_array_get(list, p->clients.n));
		struct bench_network *w = &p->clients.network[p->clients.n];

		if (s == NULL || !bench_clients_parse(s, w) || w->first.family != p->server.family)
			wrong(r, "clients: one is no network of the server's family");
	}
}

/* How it is asked. */
static void
read_ways(struct reader *r, struct bench_plan *p)
{
	p->transport = bench_plan_transport(text(r, "transport"));
	if (p->transport == NULL)
		wrong(r, "transport \"%.20s\" is not known here", text(r, "transport"));
	if (!bench_options_endpoint(text(r, "server"), 53, &p->server))
		wrong(r, "server is no address");
	read_clients(r, p);
	p->n_threads = (unsigned)number(r, "threads", 1, BENCH_THREADS_MAX);
	p->testers = (unsigned)number(r, "testers", 0, BENCH_TESTERS_MAX);
	p->tester =
	    (unsigned)number(r, "tester", 0, p->testers > 0 ? (json_int_t)p->testers - 1 : 0);
	p->n_lanes = (unsigned)number(r, "lanes", 1, BENCH_LANES_MAX);
	p->window = (unsigned)number(r, "window", 0, 65536);
	p->per_connection = (unsigned)number(r, "per_connection", 0, UINT32_MAX);
	p->singles = flag(r, "singles");
	p->spin = flag(r, "spin");
}

/* How fast, and for how long. */
static void
read_pace(struct reader *r, struct bench_plan *p)
{
	p->rate = (uint32_t)number(r, "rate", 0, BENCH_RATE_MAX);
	p->burst = (uint32_t)number(r, "burst", p->rate > 0, BENCH_RATE_MAX);
	p->first = number(r, "first", 0, COUNT_MAX);
	p->n_questions = limit(r, "questions");
	p->even = flag(r, "even");
	p->duration_ns = limit(r, "duration");
	p->pause_ns = number(r, "pause", 0, SPAN_MAX);
	p->timeout_ns = number(r, "timeout", NS_PER_MS, 3600 * (json_int_t)NS_PER_SEC);
	if (p->n_questions == UINT64_MAX && p->duration_ns == UINT64_MAX)
		wrong(r, "there is no end to it");
}

bool
bench_exchange_read_plan(
    const json_t *from, struct bench_exchange_plan *p, char why[static BENCH_EXCHANGE_WHY])
{
	struct reader load, r = begin(from, why);

	memset(p, 0, sizeof(*p));
	read_ways(&r, &p->plan);
	read_pace(&r, &p->plan);
	if (!r.good)
		return false;
	load = begin(json_object_get(from, "load"), why);
	read_load(&load, p);
	if (load.good &&
	    bench_plan_capacity(&p->plan) > REMEMBERED_MAX / p->plan.n_threads / p->plan.n_lanes)
		wrong(&load, "more questions could be open than this tester remembers");
	return load.good;
}

/* --- Histogram and tally ---------------------------------------------------------------------- */

json_t *
bench_exchange_histogram(const struct bench_histogram *h)
{
	json_t *to = json_object(), *buckets = json_array();

	/* Those that have something: where, and how many. */
	for (unsigned i = 0; i < BENCH_HISTOGRAM_BUCKETS; i++) {
		if (h->bucket[i] == 0)
			continue;
		(void)json_array_append_new(buckets, json_integer(i));
		(void)json_array_append_new(buckets, json_integer((json_int_t)h->bucket[i]));
	}
	if (h->n > 0) {
		put(to, "min", h->min_ns);
		put(to, "max", h->max_ns);
	}
	(void)json_object_update_new(to,
	    json_pack("{s:I,s:f,s:f,s:o}", "n", (json_int_t)h->n, "sum", h->sum, "squares",
		h->squares, "buckets", buckets));
	return to;
}

/* Each bucket once, in their order, and all of them the values that there are. */
static void
read_buckets(struct reader *r, struct bench_histogram *h)
{
	const json_t *list = json_object_get(r->from, "buckets");
	size_t n = json_array_size(list);
	json_int_t before = -1;
	uint64_t sum = 0;

	if (!json_is_array(list) || n % 2 != 0 || n > 2 * (size_t)BENCH_HISTOGRAM_BUCKETS) {
		wrong(r, "buckets are no pairs");
		return;
	}
	for (size_t i = 0; i < n; i += 2) {
		const json_t *at = json_array_get(list, i), *many = json_array_get(list, i + 1);
		json_int_t k = json_integer_value(at), m = json_integer_value(many);

		if (!json_is_integer(at) || !json_is_integer(many) || k <= before ||
		    k >= BENCH_HISTOGRAM_BUCKETS || m < 1 || m > COUNT_MAX) {
			wrong(r, "pair %zu of buckets is none", i / 2);
			return;
		}
		h->bucket[k] = (uint64_t)m;
		sum += (uint64_t)m;
		before = k;
	}
	if (sum != h->n)
		wrong(r, "buckets have not as many values as are told");
}

bool
bench_exchange_read_histogram(
    const json_t *from, struct bench_histogram *h, char why[static BENCH_EXCHANGE_WHY])
{
	struct reader r = begin(from, why);

	bench_histogram_clear(h);
	h->n = number(&r, "n", 0, COUNT_MAX);
	h->sum = real(&r, "sum", SUM_MAX);
	h->squares = real(&r, "squares", SUM_MAX);
	if (h->n > 0) {
		h->min_ns = number(&r, "min", 0, BENCH_HISTOGRAM_MAX_NS);
		h->max_ns = number(&r, "max", (json_int_t)h->min_ns, BENCH_HISTOGRAM_MAX_NS);
	}
	read_buckets(&r, h);
	return r.good;
}

#define COUNT(member) #member, offsetof(struct bench_tally, member)

/* What is only counted: its name, and where it is. */
static const struct {
	const char *key;
	size_t offset;
} counts[] = { { COUNT(sent) }, { COUNT(overdue) }, { COUNT(late) }, { COUNT(duplicate) },
	{ COUNT(other) }, { COUNT(stray) }, { COUNT(malformed) }, { COUNT(paused) },
	{ COUNT(pauses) }, { COUNT(pause_ns) }, { COUNT(no_room) }, { COUNT(n_numbers) },
	{ COUNT(faults.unsent) }, { COUNT(faults.refused) }, { COUNT(faults.dropped) },
	{ COUNT(faults.closed) }, { COUNT(faults.stalled) }, { COUNT(faults.elsewhere) },
	{ COUNT(faults.no_port) }, { COUNT(faults.connections) } };

#define N_COUNTS (sizeof(counts) / sizeof(counts[0]))

json_t *
bench_exchange_tally(const struct bench_tally *t, uint64_t start_ns)
{
	json_t *to = json_object(), *replies = json_array();

	for (size_t i = 0; i < N_COUNTS; i++) {
		uint64_t n;

		memcpy(&n, (const char *)t + counts[i].offset, sizeof(n));
		put(to, counts[i].key, n);
	}
	for (unsigned i = 0; i < BENCH_VERDICTS; i++)
		(void)json_array_append_new(replies, json_integer((json_int_t)t->replies[i]));
	(void)json_object_set_new(to, "replies", replies);
	put(to, "burst", t->burst);
	if (t->sent > 0) {
		put(to, "first", t->first_ns - start_ns);
		put(to, "last", t->last_ns - start_ns);
		put(to, "heard", t->heard_ns > start_ns ? t->heard_ns - start_ns : 0);
		put(to, "end", t->end_ns > start_ns ? t->end_ns - start_ns : 0);
	}
	(void)json_object_set_new(to, "rtt", bench_exchange_histogram(&t->rtt));
	(void)json_object_set_new(to, "lag", bench_exchange_histogram(&t->lag));
	return to;
}

static void
read_replies(struct reader *r, struct bench_tally *t)
{
	const json_t *list = json_object_get(r->from, "replies");

	if (json_array_size(list) != BENCH_VERDICTS)
		wrong(r, "replies are not of %d kinds", BENCH_VERDICTS);
	for (unsigned i = 0; i < BENCH_VERDICTS; i++) {
		const json_t *v = json_array_get(list, i);
		json_int_t n = json_integer_value(v);

		if (!json_is_integer(v) || n < 0 || n > COUNT_MAX)
			wrong(r, "replies of kind %u are no number", i);
		t->replies[i] = r->good ? (uint64_t)n : 0;
	}
}

static void
read_times(struct reader *r, uint64_t start_ns, struct bench_tally *t)
{
	if (t->sent == 0)
		return;
	t->first_ns = start_ns + number(r, "first", 0, SPAN_MAX);
	t->last_ns = start_ns + number(r, "last", 0, SPAN_MAX);
	t->heard_ns = start_ns + number(r, "heard", 0, SPAN_MAX);
	t->end_ns = start_ns + number(r, "end", 0, SPAN_MAX);
	if (t->last_ns < t->first_ns)
		wrong(r, "the last question was before the first");
}

bool
bench_exchange_read_tally(const json_t *from, uint64_t start_ns, struct bench_tally *t,
    char why[static BENCH_EXCHANGE_WHY])
{
	struct reader r = begin(from, why);

	bench_tally_clear(t);
	for (size_t i = 0; i < N_COUNTS; i++) {
		uint64_t n = number(&r, counts[i].key, 0, COUNT_MAX);

		memcpy((char *)t + counts[i].offset, &n, sizeof(n));
	}
	t->burst = (uint32_t)number(&r, "burst", 0, BENCH_RATE_MAX);
	read_replies(&r, t);
	read_times(&r, start_ns, t);
	if (r.good)
		r.good =
		    bench_exchange_read_histogram(json_object_get(from, "rtt"), &t->rtt, why) &&
		    bench_exchange_read_histogram(json_object_get(from, "lag"), &t->lag, why);
	if (r.good && t->rtt.n != t->replies[BENCH_VALID])
		wrong(&r, "not each valid reply has its time");
	return r.good;
}
