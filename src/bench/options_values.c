/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_options_take_...: the value of an option from its text, where that is no plain number. */
#include "bench/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"
#include "bench/load/plan.h"
#include "bench/settings.h"
#include "dns/name.h"
#include "dns/type.h"
#include "dns/wire.h"

#define WEIGHT_MAX 1000000 /* of a type */

bool
bench_options_real(const char *text, double min, double max, double *v)
{
	char *end;

	/* strtod takes blanks, signs, hexadecimal numbers and exponents; we do not. */
	if (strspn(text, "0123456789.") < strlen(text))
		return false;
	*v = strtod(text, &end);
	return end != text && *end == '\0' && *v >= min && *v <= max;
}

bool
bench_options_network(const char *text, uint32_t *base, uint64_t *size)
{
	const char *slash = strchr(text, '/');
	char addr[16] = "";
	struct netaddr a;
	uint64_t bits;

	if (slash == NULL || slash - text >= (ptrdiff_t)sizeof(addr))
		return false;
	memcpy(addr, text, (size_t)(slash - text));
	if (!number_parse(slash + 1, strlen(slash + 1), 32, &bits) || !netaddr_parse(addr, 0, &a) ||
	    a.family != NETADDR_IPV4)
		return false;
	*base = wire_u32(a.addr);
	*size = 1ULL << (32 - bits);
	return (*base & (uint32_t)(*size - 1)) == 0;
}

bool
bench_options_range(const char *text, struct bench_range *r)
{
	size_t n = number_prefix(text, SIZE_MAX, UINT64_MAX, &r->first);

	if (n == 0 || n > BENCH_DIGITS_MAX || text[n] != '-' || strlen(text) != 2 * n + 1 ||
	    !number_parse(text + n + 1, n, UINT64_MAX, &r->last))
		return false;
	r->digits = (unsigned)n;
	return r->first <= r->last;
}

/* Read the number above 0 at *at, which moves behind it. */
static bool
take_number(const char **at, uint64_t max, uint64_t *v)
{
	size_t n = number_prefix(*at, SIZE_MAX, max, v);

	*at += n;
	return n > 0 && *v > 0;
}

/* Append "N", "FIRST-LAST" or "FIRST-LAST/STEP" at *at to the list. */
static bool
take_steps(const char **at, unsigned max, unsigned *list, size_t cap, size_t *n)
{
	uint64_t first, last, step = 1;

	if (!take_number(at, max, &first))
		return false;
	last = first;
	if (**at == '-') {
		(*at)++;
		if (!take_number(at, max, &last) || last < first)
			return false;
	}
	if (**at == '/') {
		(*at)++;
		if (!take_number(at, max, &step))
			return false;
	}
	for (uint64_t v = first; v <= last; v += step) {
		if (*n == cap)
			return false;
		list[(*n)++] = (unsigned)v;
	}
	return true;
}

bool
bench_options_steps(const char *text, unsigned max, unsigned *list, size_t cap, size_t *n)
{
	*n = 0;
	for (;; text++) {
		if (!take_steps(&text, max, list, cap, n))
			return false;
		if (*text != ',')
			return *text == '\0';
	}
}

bool
bench_options_shares(const char *text, struct bench_shares *shares)
{
	bool seen[101] = { false };

	for (shares->n = 0; shares->n < BENCH_SHARES_MAX; text++) {
		uint64_t v = 0;
		size_t n = number_prefix(text, SIZE_MAX, 100, &v);

		if (n == 0 || seen[v])
			return false;
		seen[v] = true;
		shares->percent[shares->n++] = (unsigned)v;
		text += n;
		if (*text != ',')
			return *text == '\0';
	}
	return false;
}

/* "1000-100000/20" */
static bool
take_geometric(const char *text, uint32_t *list, size_t cap, size_t *n)
{
	uint64_t first, last, many;

	if (!take_number(&text, BENCH_RATE_MAX, &first) || *text++ != '-' ||
	    !take_number(&text, BENCH_RATE_MAX, &last) || last <= first || *text++ != '/' ||
	    !take_number(&text, cap, &many) || many < 2 || *text != '\0')
		return false;
	for (*n = 0; *n < many; (*n)++) {
		double part = (double)*n / (double)(many - 1);

		list[*n] =
		    (uint32_t)lround((double)first * pow((double)last / (double)first, part));
		if (*n > 0 && list[*n] == list[*n - 1])
			return false;
	}
	return true;
}

static int
by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

bool
bench_options_rates(const char *text, uint32_t *list, size_t cap, size_t *n)
{
	uint64_t v;

	if (strchr(text, '-') != NULL)
		return take_geometric(text, list, cap, n);
	for (*n = 0;; text++) {
		if (*n == cap || !take_number(&text, BENCH_RATE_MAX, &v))
			return false;
		list[(*n)++] = (uint32_t)v;
		if (*text != ',')
			break;
	}
	if (*text != '\0')
		return false;
	qsort(list, *n, sizeof(*list), by_size);
	for (size_t i = 1; i < *n; i++) {
		if (list[i] == list[i - 1])
			return false;
	}
	return true;
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
	return take_number(at, WEIGHT_MAX, weight);
}

/* Percentages that are 100 together: those that were cut most get what is left. */
static bool
share_out(struct bench_mix *mix, const uint64_t *weight, uint64_t sum)
{
	unsigned left = 100;

	for (size_t i = 0; i < mix->n; i++) {
		mix->percent[i] = (unsigned)(100 * weight[i] / sum);
		left -= mix->percent[i];
		if (mix->percent[i] == 0)
			return false;
	}
	for (; left > 0; left--) {
		size_t most = 0;
		int64_t most_cut = INT64_MIN;

		for (size_t i = 0; i < mix->n; i++) {
			int64_t cut = (int64_t)(100 * weight[i]) - (int64_t)(mix->percent[i] * sum);

			if (cut > most_cut) {
				most_cut = cut;
				most = i;
			}
		}
		mix->percent[most]++;
	}
	return true;
}

bool
bench_options_mix(const char *text, struct bench_mix *mix)
{
	uint64_t weight[BENCH_MIX_MAX], sum = 0;

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

bool
bench_options_endpoint(const char *text, uint16_t port, struct netaddr *a)
{
	const char *hash = strchr(text, '#');
	size_t n = hash != NULL ? (size_t)(hash - text) : strlen(text);
	char addr[NETADDR_TEXT];
	uint64_t v = port;

	if (n >= sizeof(addr))
		return false;
	memcpy(addr, text, n);
	addr[n] = '\0';
	if (hash != NULL && (!number_parse(hash + 1, strlen(hash + 1), UINT16_MAX, &v) || v == 0))
		return false;
	return netaddr_parse(addr, (uint16_t)v, a);
}

/* --- Rows ------------------------------------------------------------------------------------- */

#define AHEAD_S 86400.0  /* how far ahead a start may be */
#define TIME_MAX 1e10    /* s: until the year 2286 */
#define HOST_MAX 253     /* letters of a name */
#define UPSTREAM_PORT 53 /* unless --upstream says another */

/* A number with or without a point, from the row's min to its max. */
static bool
take_real(struct cmdline *c, const struct cmdline_row *row, const char *text, double *v)
{
	if (bench_options_real(text, row->min, row->max, v))
		return true;
	cmdline_complain(
	    c, row->name, "\"%s\" is not a number from %g to %g", text, row->min, row->max);
	return false;
}

void
bench_options_take_real(
    struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	(void)take_real(c, row, text, field);
}

void
bench_options_take_arrivals(
    struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	bool *poisson = field;

	*poisson = strcmp(text, "poisson") == 0;
	if (!*poisson && strcmp(text, "fixed") != 0)
		cmdline_complain(c, row->name, "\"%s\" is neither fixed nor poisson", text);
}

void
bench_options_take_timeout(
    struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	uint64_t *ns = field;
	double seconds;

	if (take_real(c, row, text, &seconds))
		*ns = (uint64_t)(seconds * (double)NS_PER_SEC);
}

void
bench_options_take_start(
    struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	double now = (double)clock_wall_ns() / (double)NS_PER_SEC, at;
	uint64_t *ns = field;

	if (!bench_options_real(text, 0, TIME_MAX, &at)) {
		cmdline_complain(c, row->name,
		    "\"%s\" is not a time: seconds since 1970, as 1795000000.5", text);
		return;
	}
	if (at <= now)
		cmdline_complain(c, row->name, "%s has passed: it is %.3f now", text, now);
	else if (at > now + AHEAD_S)
		cmdline_complain(
		    c, row->name, "%s is more than a day ahead: it is %.3f now", text, now);
	*ns = (uint64_t)(at * (double)NS_PER_SEC);
}

void
bench_options_take_range(
    struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	if (!bench_options_range(text, field))
		cmdline_complain(c, row->name,
		    "\"%s\" is not FIRST-LAST, two numbers of as many digits, up to %d", text,
		    BENCH_DIGITS_MAX);
}

void
bench_options_take_clients(
    struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	struct bench_settings *s = c->settings;

	if (!bench_options_steps(text, BENCH_LANES_MAX, field, BENCH_STEPS_MAX, &s->n_clients))
		cmdline_complain(c, row->name,
		    "\"%s\" is not a list like 1,2,4 or 1-20/2, of up to %d numbers from 1 to %d",
		    text, BENCH_STEPS_MAX, BENCH_LANES_MAX);
}

/* A number, or for matrix a list of them. */
static void
take_share(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field,
    struct bench_shares *shares)
{
	if (c->method != BENCH_MATRIX)
		cmdline_number(c, row, text, field);
	else if (!bench_options_shares(text, shares))
		cmdline_complain(c, row->name,
		    "\"%s\" is not a list like 0,20,100, of up to %d different numbers from 0 to "
		    "100",
		    text, BENCH_SHARES_MAX);
}

void
bench_options_take_hits(
    struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	struct bench_settings *s = c->settings;

	take_share(c, row, text, field, &s->hits);
}

void
bench_options_take_aaaa(
    struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	struct bench_settings *s = c->settings;

	take_share(c, row, text, field, &s->aaaa);
}

void
bench_options_take_mix(
    struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	if (!bench_options_mix(text, field))
		cmdline_complain(c, row->name,
		    "\"%s\" is not a list like A=40,AAAA=55,HTTPS=5, of up to %d different types,"
		    " each with 1 %% of the questions at least",
		    text, BENCH_MIX_MAX);
}

void
bench_options_take_rates(
    struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	struct bench_settings *s = c->settings;

	if (!bench_options_rates(text, field, BENCH_RATES_MAX, &s->n_rates))
		cmdline_complain(c, row->name,
		    "\"%s\" is not a list like 1000,2000 or 1000-100000/20, of up to %d different"
		    " rates from 1 to %d",
		    text, BENCH_RATES_MAX, BENCH_RATE_MAX);
}

void
bench_options_take_clients_from(
    struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
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

void
bench_options_take_namespace(
    struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	struct bench_load *l = field;

	if (!bench_options_network(text, &l->base, &l->size))
		cmdline_complain(
		    c, row->name, "\"%s\" is not an IPv4 network like 10.0.0.0/8", text);
}

void
bench_options_take_prefix(
    struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	struct bench_load *l = field;

	if (pref64_parse(text, &l->prefix) != PREF64_OK)
		cmdline_complain(
		    c, row->name, "\"%s\" is not a prefix of RFC 6052 like 2001:db8:64::/96", text);
	l->any_prefix = false;
}

void
bench_options_take_popularity(
    struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	static const char law[] = "zipf:";
	double *s = field;

	*s = 0;
	if (strcmp(text, "even") == 0)
		return;
	if (strncmp(text, law, sizeof(law) - 1) != 0 ||
	    !bench_options_real(text + sizeof(law) - 1, BENCH_ZIPF_LEAST, BENCH_ZIPF_MOST, s))
		cmdline_complain(c, row->name, "\"%s\" is neither even nor zipf:S, S from %g to %g",
		    text, BENCH_ZIPF_LEAST, BENCH_ZIPF_MOST);
}

/* The share of names with AAAA stays: it is an option of its own, which may come before. */
void
bench_options_take_zone(
    struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	uint8_t name[DNS_NAME_MAX];
	size_t len = name_from_text(text, name);
	struct fake_zone *z = field;
	unsigned aaaa_percent = z->aaaa_percent;

	if (len == 0 || len > DNS_NAME_MAX - BENCH_LABEL_MAX) {
		cmdline_complain(c, row->name, "\"%s\" is not a domain name, or too long", text);
		return;
	}
	fake_zone_init(z, name);
	z->aaaa_percent = aaaa_percent;
}

void
bench_options_take_transport(
    struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	const struct bench_transport **t = field;

	char names[120] = "";
	size_t n = 0;

	*t = bench_plan_transport(text);
	if (*t != NULL)
		return;
	for (size_t i = 0; (*t = bench_plan_transports(i)) != NULL; i++)
		n += (size_t)snprintf(
		    names + n, sizeof(names) - n, "%s%s", i > 0 ? ", " : "", (*t)->name);
	cmdline_complain(c, row->name, "\"%s\" is none of %s", text, names);
}

/* A name, which somebody may know; what is like an address that is none is not one. */
static bool
is_host(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t len =
	    strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._");

	return text[len] == '\0' && len <= HOST_MAX && text[strcspn(text, letters)] != '\0' &&
	    text[0] != '-' && text[0] != '.';
}

/* The port stays: it is an option of its own, which may come before. */
void
bench_options_take_server(
    struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	struct bench_settings *s = c->settings;
	struct netaddr *a = field;

	s->server_name = NULL;
	if (netaddr_parse(text, a->port, a))
		return;
	a->family = NETADDR_NONE;
	s->server_name = text;
	if (!is_host(text))
		cmdline_complain(c, row->name,
		    "\"%s\" is neither an IPv4 or IPv6 address nor the name of a host", text);
}

void
bench_options_take_upstream(
    struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	if (!bench_options_endpoint(text, UPSTREAM_PORT, field))
		cmdline_complain(c, row->name,
		    "\"%s\" is not an address like 192.0.2.1 or 2001:db8::1#5300", text);
}
