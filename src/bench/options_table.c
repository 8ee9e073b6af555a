/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The methods and options: a row for each option has all there is to it, and the readers of values
 * that are no plain numbers or texts stand before it.
 */
#include "bench/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"
#include "bench/load/plan.h"
#include "dns/name.h"
#include "dns/type.h"
#include "dns/wire.h"

#define WEIGHT_MAX 1000000 /* of a type */
#define AHEAD_S 86400.0    /* how far ahead a start may be */
#define TIME_MAX 1e10      /* s: until the year 2286 */
#define HOST_MAX 253       /* letters of a name */
#define UPSTREAM_PORT 53   /* unless --upstream has another */

/* --- Parts of values -------------------------------------------------------------------------- */

/* A decimal number from LEAST to MOST, with or without a point, but no sign and no exponent. */
static bool
read_decimal(const char *text, double least, double most, double *v)
{
	char *end;

	if (strspn(text, "0123456789.") < strlen(text))
		return false;
	*v = strtod(text, &end);
	return end != text && *end == '\0' && *v >= least && *v <= most;
}

/* Read the number from LEAST to MOST at *at, which moves behind it. */
static bool
take_number(const char **at, uint64_t least, uint64_t most, uint64_t *v)
{
	size_t n = number_prefix(*at, SIZE_MAX, most, v);

	*at += n;
	return n > 0 && *v >= least;
}

/* The same if there is MARK at *at, which moves behind both; without it *v stays. */
static bool
take_behind(const char **at, char mark, uint64_t least, uint64_t most, uint64_t *v)
{
	if (**at != mark)
		return true;
	(*at)++;
	return take_number(at, least, most, v);
}

/* "1,2,4": numbers from LEAST to MOST, CAP of them at most, to LIST; with RANGES "1-20/2", too. */
static bool
read_list(const char *text, uint64_t least, uint64_t most, bool ranges, unsigned *list, size_t cap,
    size_t *n)
{
	for (*n = 0;; text++) {
		uint64_t first, last, step = 1;

		if (!take_number(&text, least, most, &first))
			return false;
		last = first;
		if (ranges &&
		    (!take_behind(&text, '-', first, most, &last) ||
			!take_behind(&text, '/', 1, most, &step)))
			return false;
		for (; first <= last; first += step) {
			if (*n == cap)
				return false;
			list[(*n)++] = (unsigned)first;
		}
		if (*text != ',')
			return *text == '\0';
	}
}

static bool
all_differ(const unsigned *list, size_t n)
{
	for (size_t i = 1; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (list[k] == list[i])
				return false;
	return true;
}

/* --- Values: what a row's READ is ------------------------------------------------------------- */

static bool
read_arrivals(const char *text, void *field)
{
	bool *poisson = field;

	*poisson = strcmp(text, "poisson") == 0;
	return *poisson || strcmp(text, "fixed") == 0;
}

static bool
read_range(const char *text, void *field)
{
	struct bench_range *r = field;
	size_t n = number_prefix(text, SIZE_MAX, UINT64_MAX, &r->first);

	if (n == 0 || n > BENCH_DIGITS_MAX || text[n] != '-' || strlen(text) != 2 * n + 1 ||
	    !number_parse(text + n + 1, n, UINT64_MAX, &r->last))
		return false;
	r->digits = (unsigned)n;
	return r->first <= r->last;
}

static bool
read_clients(const char *text, void *field)
{
	struct bench_settings *s = field;

	return read_list(
	    text, 1, BENCH_LANES_MAX, true, s->clients, BENCH_STEPS_MAX, &s->n_clients);
}

/* "1000-100000/20": so many rates, each the same factor above the one before. */
static bool
read_geometric(const char *text, struct bench_settings *s)
{
	uint64_t first, last, n;

	if (!take_number(&text, 1, BENCH_RATE_MAX, &first) || *text++ != '-' ||
	    !take_number(&text, first + 1, BENCH_RATE_MAX, &last) || *text++ != '/' ||
	    !take_number(&text, 2, BENCH_RATES_MAX, &n) || *text != '\0')
		return false;
	for (s->n_rates = 0; s->n_rates < n; s->n_rates++) {
		double part = (double)s->n_rates / (double)(n - 1);

		s->rates[s->n_rates] =
		    (uint32_t)lround((double)first * pow((double)last / (double)first, part));
	}
	return true;
}

static int
by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static bool
read_rates(const char *text, void *field)
{
	struct bench_settings *s = field;
	bool good = strchr(text, '-') != NULL
	    ? read_geometric(text, s)
	    : read_list(text, 1, BENCH_RATE_MAX, false, s->rates, BENCH_RATES_MAX, &s->n_rates);

	if (good)
		qsort(s->rates, s->n_rates, sizeof(s->rates[0]), by_size);
	return good && all_differ(s->rates, s->n_rates);
}

/* "HTTPS=5" at *at, which moves behind it. */
static bool
take_weight(const char **at, struct bench_mix *mix, uint64_t *weight)
{
	size_t len = strcspn(*at, "=");
	char name[TYPE_TEXT];

	if (mix->n == BENCH_MIX_MAX || (*at)[len] == '\0' || len >= sizeof(name))
		return false;
	memcpy(name, *at, len);
	name[len] = '\0';
	if (!type_from_text(name, &mix->type[mix->n]))
		return false;
	for (size_t i = 0; i < mix->n; i++) {
		if (mix->type[i] == mix->type[mix->n])
			return false;
	}
	*at += len + 1;
	mix->n++;
	return take_number(at, 1, WEIGHT_MAX, weight);
}

/* Percentages that are 100 together: those that were cut most get what is left. */
static bool
share_out(struct bench_mix *mix, const uint64_t *weight, uint64_t sum)
{
	int64_t cut[BENCH_MIX_MAX];
	unsigned left = 100;

	for (size_t i = 0; i < mix->n; i++) {
		mix->percent[i] = (unsigned)(100 * weight[i] / sum);
		cut[i] = (int64_t)(100 * weight[i] % sum);
		left -= mix->percent[i];
		if (mix->percent[i] == 0)
			return false;
	}
	for (; left > 0; left--) {
		size_t most = 0;

		for (size_t i = 1; i < mix->n; i++)
			most = cut[i] > cut[most] ? i : most;
		mix->percent[most]++;
		cut[most] = -1;
	}
	return true;
}

static bool
read_mix(const char *text, void *field)
{
	uint64_t weight[BENCH_MIX_MAX], sum = 0;
	struct bench_mix *mix = field;

	*mix = (struct bench_mix){ .text = text };
	for (;; text++) {
		if (!take_weight(&text, mix, &weight[mix->n]))
			return false;
		sum += weight[mix->n - 1];
		if (*text != ',')
			break;
	}
	return *text == '\0' && share_out(mix, weight, sum);
}

static bool
read_namespace(const char *text, void *field)
{
	struct bench_load *l = field;
	struct bench_network w;

	if (!bench_network_parse(text, &w) || w.first.family != NETADDR_IPV4)
		return false;
	l->base = wire_u32(w.first.addr);
	l->size = 1ULL << (32 - w.len);
	return true;
}

static bool
read_prefix(const char *text, void *field)
{
	struct bench_load *l = field;

	l->any_prefix = false;
	return pref64_parse(text, &l->prefix) == PREF64_OK;
}

static bool
read_popularity(const char *text, void *field)
{
	static const char law[] = "zipf:";
	double *s = field;

	*s = 0;
	return strcmp(text, "even") == 0 ||
	    (strncmp(text, law, sizeof(law) - 1) == 0 &&
		read_decimal(text + sizeof(law) - 1, BENCH_ZIPF_LEAST, BENCH_ZIPF_MOST, s));
}

/* The share of names with AAAA stays: it is an option of its own, which may come before. */
static bool
read_zone(const char *text, void *field)
{
	uint8_t name[DNS_NAME_MAX];
	size_t len = name_from_text(text, name);
	struct fake_zone *z = field;
	unsigned aaaa_percent = z->aaaa_percent;

	if (len == 0 || len > DNS_NAME_MAX - BENCH_LABEL_MAX)
		return false;
	fake_zone_init(z, name);
	z->aaaa_percent = aaaa_percent;
	return true;
}

static bool
read_transport(const char *text, void *field)
{
	const struct bench_transport **t = field;

	*t = bench_plan_transport(text);
	return *t != NULL;
}

/* A name, which somebody may know; what is like an address that is none is not one. */
static bool
is_host(const char *text)
{
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	size_t len = strspn(text, LETTERS "0123456789-._");

	return text[len] == '\0' && len <= HOST_MAX && strpbrk(text, LETTERS) != NULL &&
	    text[0] != '-' && text[0] != '.';
}

/* The port stays: it is an option of its own, which may come before. */
static bool
read_server(const char *text, void *field)
{
	struct bench_settings *s = field;
	struct netaddr *a = &s->plan.server;

	s->server_name = NULL;
	if (netaddr_parse(text, a->port, a))
		return true;
	a->family = NETADDR_NONE;
	s->server_name = text;
	return is_host(text);
}

/* "ADDR" or "ADDR#PORT" */
static bool
read_endpoint(const char *text, void *field)
{
	size_t n = strcspn(text, "#");
	uint64_t port = UPSTREAM_PORT;
	char addr[NETADDR_TEXT];

	if (n >= sizeof(addr))
		return false;
	memcpy(addr, text, n);
	addr[n] = '\0';
	if (text[n] == '#' &&
	    (!number_parse(text + n + 1, strlen(text + n + 1), UINT16_MAX, &port) || port == 0))
		return false;
	return netaddr_parse(addr, (uint16_t)port, field);
}

/* --- Values whose messages depend on more ----------------------------------------------------- */

/* A number from the row's min to its max, with or without a point. */
static bool
take_double(struct cmdline *c, const struct cmdline_row *row, const char *text, double *v)
{
	if (read_decimal(text, row->min, row->max, v))
		return true;
	cmdline_complain(
	    c, row->name, "\"%s\" is not a number from %g to %g", text, row->min, row->max);
	return false;
}

static void
take_real(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	(void)take_double(c, row, text, field);
}

/* Seconds; the field is in nanoseconds. */
static void
take_timeout(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	double seconds;

	if (take_double(c, row, text, &seconds))
		*(uint64_t *)field = (uint64_t)(seconds * (double)NS_PER_SEC);
}

/* Seconds since 1970, not past and at most a day ahead; the field is in nanoseconds. */
static void
take_start(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	double now = (double)clock_wall_ns() / (double)NS_PER_SEC, at = 0;

	if (!read_decimal(text, 0, TIME_MAX, &at))
		cmdline_complain(c, row->name,
		    "\"%s\" is not a time: seconds since 1970, as 1795000000.5", text);
	else if (at <= now)
		cmdline_complain(c, row->name, "%s has passed: it is %.3f now", text, now);
	else if (at > now + AHEAD_S)
		cmdline_complain(
		    c, row->name, "%s is more than a day ahead: it is %.3f now", text, now);
	*(uint64_t *)field = (uint64_t)(at * (double)NS_PER_SEC);
}

/* A number, or for matrix a list of them: "0,20,100". */
static void
take_shares(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	struct bench_settings *s = c->settings;
	struct bench_shares *list = field == &s->hits_percent ? &s->hits : &s->aaaa;

	if (c->method != BENCH_MATRIX)
		cmdline_number(c, row, text, field);
	else if (!read_list(text, 0, 100, false, list->percent, BENCH_SHARES_MAX, &list->n) ||
	    !all_differ(list->percent, list->n))
		cmdline_complain(c, row->name,
		    "\"%s\" is not a list like 0,20,100, of up to %d different numbers from 0 to "
		    "100",
		    text, BENCH_SHARES_MAX);
}

/* One more network. */
static void
take_clients_from(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	struct bench_clients *of = field;

	if (of->n == BENCH_NETWORKS_MAX)
		cmdline_complain(c, row->name, "up to %d networks", BENCH_NETWORKS_MAX);
	else if (bench_clients_parse(text, &of->network[of->n]))
		of->n++;
	else
		cmdline_complain(c, row->name,
		    "\"%s\" is not a network like 192.0.2.0/24 or 2001:db8::/48", text);
}

/* --- Rows ------------------------------------------------------------------------------------- */

#define SECONDS_MAX 31536000.0 /* a year */
#define FIRST_MAX 1e15

#define CLIENTS (BENCH_CLOSED | BENCH_ENUM)
#define PACED (BENCH_RATE | BENCH_SOAK | BENCH_SWEEP | BENCH_SEARCHES) /* at a fixed rate */
#define OPEN (PACED | BENCH_RAMP)                                      /* whatever is answered */
#define ALL (OPEN | CLIENTS)
#define ADDRESSES (OPEN | BENCH_CLOSED)
#define MIXED (BENCH_RATE | BENCH_SEARCH | BENCH_SWEEP | BENCH_CLOSED | BENCH_SOAK | BENCH_RAMP)
#define REPLAYED (BENCH_RATE | BENCH_SEARCH | BENCH_SWEEP | BENCH_CLOSED | BENCH_SOAK)
#define REPEATED (BENCH_SWEEP | BENCH_SEARCHES) /* trials by the dozen */

/* The headings of -h. */
enum group { ASK, PACE, WHERE, WATCHED, RESULTS, GROUPS };

static const char *const groups[GROUPS] = {
	[ASK] = "What to ask",
	[PACE] = "How fast, how long and how often",
	[WHERE] = "Whom, and from where",
	[WATCHED] = "The server's processes, to be watched",
	[RESULTS] = "Results",
};

/* The parts of a row. */
#define OPTION(long_name, short_name, under, of) \
	.name = (long_name), .letter = (short_name), .group = (under), .methods = (of)
#define HELP(value_name, line) .value = (value_name), .help = (line)
#define DEFAULT(text) .fallback = (text)
#define SPECIAL(...) .special = { __VA_ARGS__ }

/* What its value is, and where that goes: a field of the settings, or all of them. */
#define PARSE(member, parser) \
	.parse = (parser), .offset = offsetof(struct bench_settings, member), \
	.size = sizeof(((struct bench_settings *)NULL)->member)
#define BOUNDS(least, most) .min = (least), .max = (most)
#define NUMBER(member, least, most) PARSE(member, cmdline_number), BOUNDS(least, most)
#define REAL(member, least, most) PARSE(member, take_real), BOUNDS(least, most)
#define TEXT(member) PARSE(member, cmdline_text)
#define FLAG(member) PARSE(member, cmdline_flag)
#define VALUE(member, reader, other) \
	PARSE(member, cmdline_value), .read = (reader), .wants = (other)
#define VALUE_OF_ALL(reader, other) \
	.parse = cmdline_value, .size = sizeof(struct bench_settings), .read = (reader), \
	.wants = (other)

static const struct cmdline_row rows[] = {
	{ OPTION("aaaa", 0, ASK, ADDRESSES), PARSE(plan.load.zone.aaaa_percent, take_shares),
	    BOUNDS(0, 100), DEFAULT("0"), HELP("PERCENT", "names that have AAAA; matrix: a list") },
	{ OPTION("arrivals", 0, PACE, PACED),
	    VALUE(poisson, read_arrivals, "neither fixed nor poisson"), DEFAULT("fixed"),
	    HELP("fixed|poisson", "of questions: evenly, or by chance") },
	{ OPTION("blocks", 0, PACE, BENCH_CLOSED), NUMBER(blocks, 1, 1000000), DEFAULT("1"),
	    HELP("B", "256 experiments each") },
	{ OPTION("bufsize", 0, ASK, ALL), NUMBER(plan.load.bufsize, 0, UINT16_MAX), DEFAULT("0"),
	    HELP("OCTETS", "send an OPT that says so; 0: none") },
	{ OPTION("burst", 0, PACE, PACED), NUMBER(plan.burst, 1, BENCH_RATE_MAX), DEFAULT("1"),
	    HELP("N", "questions due at once") },
	{ OPTION("calculated-rate", 0, RESULTS, BENCH_SEARCH), FLAG(calculated),
	    HELP(NULL, "tell the paper's, too") },
	{ OPTION("clients", 0, PACE, CLIENTS),
	    VALUE_OF_ALL(read_clients,
		"not a list like 1,2,4 or 1-20/2, of up to 64 numbers from 1 to 4096"),
	    DEFAULT("1"), HELP("LIST", "N,N or FIRST-LAST/STEP") },
	{ OPTION("clients-from", 0, WHERE, ALL), PARSE(plan.clients, take_clients_from),
	    HELP("NETWORK", "ask from its addresses; may be repeated") },
	{ OPTION("count", 'n', PACE, BENCH_RATE), NUMBER(plan.n_questions, 1, 1e12),
	    HELP("N", "questions to ask, instead of duration times rate") },
	{ OPTION("csv", 0, RESULTS, ALL), TEXT(csv), HELP("FILE", "write the main table as CSV") },
	{ OPTION("delta", 0, PACE, BENCH_SEARCHES), REAL(delta, 0, 100), DEFAULT("0.1"),
	    HELP("D", "self-test at 2 (1 + D) times the rate") },
	{ OPTION("dnssec", 0, ASK, ALL), FLAG(plan.load.dnssec_ok), HELP(NULL, "set DO") },
	{ OPTION("duration", 'd', PACE, ALL), REAL(duration, 0.01, SECONDS_MAX), DEFAULT("60"),
	    SPECIAL({ BENCH_SOAK, "3600" }, { BENCH_SWEEP, "10" }),
	    HELP("SECONDS", "of a trial or step") },
	{ OPTION("first", 0, ASK, ALL), NUMBER(plan.load.first, 0, FIRST_MAX),
	    HELP("N", "begin with this name (default a random one)") },
	{ OPTION("help", 'h', RESULTS, ALL), .parse = cmdline_help,
	    HELP(NULL, "show this and end") },
	{ OPTION("high", 0, PACE, BENCH_SEARCHES | BENCH_RAMP), NUMBER(high, 1, BENCH_RATE_MAX),
	    DEFAULT("1000000"), SPECIAL({ BENCH_RAMP, "100000" }),
	    HELP("RATE", "search, or grow, up to here") },
	{ OPTION("hits", 0, ASK, ADDRESSES), PARSE(hits_percent, take_shares), BOUNDS(0, 100),
	    DEFAULT("0"), SPECIAL({ BENCH_SOAK, "20" }),
	    HELP("PERCENT", "names asked before; matrix: a list") },
	{ OPTION("hot", 0, ASK, ADDRESSES), NUMBER(plan.load.hot, 1, UINT32_MAX), DEFAULT("1"),
	    HELP("N", "names of --hits") },
	{ OPTION("interval", 0, PACE, BENCH_SOAK), REAL(interval, 0.1, SECONDS_MAX), DEFAULT("60"),
	    HELP("SECONDS", "between two rows") },
	{ OPTION("json", 0, RESULTS, ALL), TEXT(json),
	    HELP("FILE", "write the whole run as JSON") },
	{ OPTION("low", 0, PACE, BENCH_SEARCHES), NUMBER(low, 1, BENCH_RATE_MAX), DEFAULT("1000"),
	    HELP("RATE", "search from here") },
	{ OPTION("missing", 0, ASK, BENCH_ENUM | BENCH_SOAK), NUMBER(missing_percent, 0, 100),
	    DEFAULT("0"), SPECIAL({ BENCH_SOAK, "6" }),
	    HELP("PERCENT", "questions for what does not exist") },
	{ OPTION("missing-numbers", 0, ASK, BENCH_ENUM),
	    VALUE(plan.load.missing, read_range,
		"not FIRST-LAST, two numbers of as many digits, up to 15"),
	    HELP("FIRST-LAST", "numbers that do not exist") },
	{ OPTION("mix", 0, ASK, MIXED),
	    VALUE(mix, read_mix,
		"not a list like A=40,AAAA=55,HTTPS=5, of up to 10 different types, each with 1 % "
		"of the questions at least"),
	    HELP("TYPE=W,...", "types that are asked for, by weight, instead of AAAA") },
	{ OPTION("namespace", 'N', ASK, ADDRESSES),
	    VALUE(plan.load, read_namespace, "not an IPv4 network like 10.0.0.0/8"),
	    DEFAULT("10.0.0.0/8"), HELP("NETWORK", "IPv4 addresses of names") },
	{ OPTION("numbers", 0, ASK, BENCH_ENUM),
	    VALUE(plan.load.numbers, read_range,
		"not FIRST-LAST, two numbers of as many digits, up to 15"),
	    HELP("FIRST-LAST", "telephone numbers that exist") },
	{ OPTION("per-connection", 0, WHERE, ALL), NUMBER(plan.per_connection, 0, UINT32_MAX),
	    DEFAULT("0"), HELP("N", "questions, then a new connection; 0: never") },
	{ OPTION("pid", 0, WATCHED, ALL), TEXT(pid),
	    HELP("PID,...", "processes of the server, to watch them") },
	{ OPTION("pid-file", 0, WATCHED, ALL), TEXT(pid_file),
	    HELP("FILE", "of the server, which may be restarted, to watch it") },
	{ OPTION("popularity", 0, ASK, ADDRESSES),
	    VALUE(zipf, read_popularity, "neither even nor zipf:S, S from 0.1 to 3"),
	    DEFAULT("even"), HELP("LAW", "of the names of --hits: even or zipf:S") },
	{ OPTION("port", 'p', WHERE, ALL), NUMBER(plan.server.port, 1, UINT16_MAX), DEFAULT("53"),
	    HELP("PORT", "of the server") },
	{ OPTION("prefix", 0, ASK, ADDRESSES),
	    VALUE(plan.load, read_prefix, "not a prefix of RFC 6052 like 2001:db8:64::/96"),
	    HELP("PREFIX", "that answers are under, instead of any") },
	{ OPTION("rate", 'r', PACE, BENCH_RATE | BENCH_SOAK), NUMBER(plan.rate, 1, BENCH_RATE_MAX),
	    HELP("RATE", "questions per second") },
	{ OPTION("rates", 0, PACE, BENCH_SWEEP),
	    VALUE_OF_ALL(read_rates,
		"not a list like 1000,2000 or 1000-100000/20, of up to 256 different rates from 1 "
		"to 100000000"),
	    HELP("RATES", "R,R or FROM-TO/N: N of them, by the same factor") },
	{ OPTION("raw", 0, RESULTS, BENCH_RATE), TEXT(raw),
	    HELP("FILE", "write a line for each question as CSV") },
	{ OPTION("repetitions", 0, PACE, REPEATED), NUMBER(repetitions, 1, 10000), DEFAULT("20"),
	    SPECIAL({ BENCH_SWEEP, "5" }), HELP("N", "of the search or rates") },
	{ OPTION("replay", 0, ASK, REPLAYED), TEXT(replay),
	    HELP("FILE", "ask what was recorded: pcap, query log, list") },
	{ OPTION("resolution", 0, PACE, BENCH_SEARCHES), REAL(resolution, 0.001, 50),
	    DEFAULT("0.5"), HELP("PERCENT", "of the rate found") },
	{ OPTION("restart", 0, PACE, REPEATED), TEXT(restart),
	    HELP("COMMAND", "restarts the server, before each trial") },
	{ OPTION("seed", 0, PACE, PACED), NUMBER(seed, 0, UINT32_MAX), DEFAULT("1"),
	    HELP("N", "of arrivals by chance, and of the order of rates") },
	{ OPTION("server", 's', WHERE, ALL),
	    VALUE_OF_ALL(read_server, "neither an IPv4 or IPv6 address nor the name of a host"),
	    HELP("HOST", "the server to measure: its address or name") },
	{ OPTION("singles", 0, WHERE, ALL), FLAG(plan.singles),
	    HELP(NULL, "send datagrams one by one, as clients do") },
	{ OPTION("sources", 0, WHERE, OPEN), NUMBER(plan.n_lanes, 1, BENCH_LANES_MAX),
	    DEFAULT("16"), HELP("N", "source ports or connections of each thread") },
	{ OPTION("speed", 0, PACE, BENCH_RATE | BENCH_SOAK), REAL(speed, 0.01, 1000000),
	    DEFAULT("1"), HELP("X", "times as fast as --replay was recorded") },
	{ OPTION("spin", 0, WHERE, ALL), FLAG(plan.spin),
	    HELP(NULL, "wait without sleeping: a CPU for each thread") },
	{ OPTION("start-at", 0, PACE, BENCH_RATE | BENCH_SOAK | BENCH_CLOSED),
	    PARSE(start_at_ns, take_start),
	    HELP("TIME", "seconds since 1970 when the trial begins, as on other machines") },
	{ OPTION("state", 0, RESULTS, REPEATED), TEXT(state),
	    HELP("FILE", "keep trials here, and go on from there") },
	{ OPTION("threads", 't', WHERE, ALL), NUMBER(plan.n_threads, 1, BENCH_THREADS_MAX),
	    DEFAULT("1"), HELP("N", "threads that ask") },
	{ OPTION("timeout", 0, PACE, ALL), PARSE(plan.timeout_ns, take_timeout),
	    BOUNDS(0.001, 3600), DEFAULT("1"), HELP("SECONDS", "replies count until then") },
	{ OPTION("transport", 0, WHERE, ALL),
	    VALUE(plan.transport, read_transport, "none of udp, tcp"), DEFAULT("udp"),
	    HELP("udp|tcp", "how to ask") },
	{ OPTION("unit", 0, WATCHED, ALL), TEXT(unit),
	    HELP("NAME", "systemd unit of the server, to watch it") },
	{ OPTION("upstream", 0, WHERE, ADDRESSES),
	    VALUE(upstream, read_endpoint, "not an address like 192.0.2.1 or 2001:db8::1#5300"),
	    HELP("ADDR[#PORT]", "of the server: for the self-test, and to see if names are new") },
	{ OPTION("version", 'V', RESULTS, ALL), .parse = cmdline_version,
	    HELP(NULL, "show the version and end") },
	{ OPTION("window", 0, PACE, ALL), NUMBER(plan.window, 1, 65536),
	    HELP("N", "questions open at once on a port or connection") },
	{ OPTION("zone", 0, ASK, ADDRESSES),
	    VALUE(plan.load.zone, read_zone, "not a domain name, or too long"),
	    DEFAULT("dns64perf.test"), HELP("NAME", "of the names") },
};

_Static_assert(BENCH_DIGITS_MAX == 15 && BENCH_STEPS_MAX == 64 && BENCH_LANES_MAX == 4096 &&
	BENCH_RATES_MAX == 256 && BENCH_RATE_MAX == 100000000 && BENCH_MIX_MAX == 10,
    "what the rows say");
_Static_assert(sizeof(rows) / sizeof(rows[0]) <= CMDLINE_ROWS_MAX, "CMDLINE_ROWS_MAX");

static const struct cmdline_method methods[] = {
	{ BENCH_RATE, "rate", "ask at a fixed rate",
	    "-s 192.0.2.1 -r 10000 -d 10 --prefix 2001:db8:64::/96" },
	{ BENCH_SEARCH, "search", "find the highest rate without a fault (RFC 8219 section 9)",
	    "-s 192.0.2.1 --upstream 192.0.2.2 --state run.state --json run.json" },
	{ BENCH_CLOSED, "closed", "clients that ask one question after another (dns64perf2)",
	    "-s 192.0.2.1 --clients 1,2,4,8 -d 10" },
	{ BENCH_ENUM, "enum", "telephone numbers, more and more clients (enumperf)",
	    "-s 192.0.2.1 --numbers 1000000-5999999 --clients 1-40/3 -d 10" },
	{ BENCH_SOAK, "soak", "a mixed load for hours",
	    "-s 192.0.2.1 -r 20000 -d 28800 --unit dns64d --json soak.json" },
	{ BENCH_MATRIX, "matrix",
	    "the highest rate by shares of hits and of names with AAAA (dns64bench-report table)",
	    "-s 192.0.2.1 --aaaa 0 --restart 'ssh dut systemctl restart dns64d'" },
	{ BENCH_SWEEP, "sweep",
	    "latency by rate, and where it begins to rise (dns64bench-report table)",
	    "-s 192.0.2.1 --rates 1000-200000/20 --json sweep.json" },
	{ BENCH_RAMP, "ramp", "a first look in a minute: where do answers fall behind?",
	    "-s 192.0.2.1 --high 200000" },
};

static const struct cmdline_table table = {
	.program = "dns64bench",
	.about = "Measures DNS64 servers; see dns64bench(1).",
	.methods = methods,
	.n_methods = sizeof(methods) / sizeof(methods[0]),
	.rows = rows,
	.n_rows = sizeof(rows) / sizeof(rows[0]),
	.groups = groups,
	.n_groups = GROUPS,
};

const struct cmdline_table *
bench_options_table(void)
{
	return &table;
}

const char *
bench_options_method(enum bench_method m)
{
	return cmdline_method_name(&table, m);
}
