/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/settings/parse.h"

#include "base/clock.h"
#include "bench/load/plan.h"
#include "bench/settings/settings.h"
#include "bench/settings/values.h"
#include "dns/name.h"

#define UPSTREAM_PORT 53 /* unless --upstream says another */

/* "nx-NNN-NNN-NNN-NNN" must fit before the zone, as a label. */
#define LABEL_MAX 20

/* A number with or without a point, from the row's min to its max. */
static bool
take_real(struct cmdline *c, const struct cmdline_row *row, const char *text, double *v)
{
	if (bench_values_real(text, row->min, row->max, v))
		return true;
	cmdline_complain(
	    c, row->name, "\"%s\" is not a number from %g to %g", text, row->min, row->max);
	return false;
}

void
bench_parse_real(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	(void)take_real(c, row, text, field);
}

void
bench_parse_timeout(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	uint64_t *ns = field;
	double seconds;

	if (take_real(c, row, text, &seconds))
		*ns = (uint64_t)(seconds * (double)NS_PER_SEC);
}

void
bench_parse_range(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	if (!bench_values_range(text, field))
		cmdline_complain(c, row->name,
		    "\"%s\" is not FIRST-LAST, two numbers of as many digits, up to %d", text,
		    BENCH_DIGITS_MAX);
}

void
bench_parse_clients(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	struct bench_settings *s = c->settings;

	if (!bench_values_steps(text, BENCH_LANES_MAX, field, BENCH_STEPS_MAX, &s->n_clients))
		cmdline_complain(c, row->name,
		    "\"%s\" is not a list like 1,2,4 or 1-20/2, of up to %d numbers from 1 to %d",
		    text, BENCH_STEPS_MAX, BENCH_LANES_MAX);
}

void
bench_parse_namespace(
    struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	struct bench_load *l = field;

	if (!bench_values_network(text, &l->base, &l->size))
		cmdline_complain(
		    c, row->name, "\"%s\" is not an IPv4 network like 10.0.0.0/8", text);
}

void
bench_parse_prefix(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	struct bench_load *l = field;

	if (pref64_parse(text, &l->prefix) != PREF64_OK)
		cmdline_complain(
		    c, row->name, "\"%s\" is not a prefix of RFC 6052 like 2001:db8:64::/96", text);
	l->any_prefix = false;
}

/* The share of names with AAAA stays: it is an option of its own, which may come before. */
void
bench_parse_zone(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	uint8_t name[DNS_NAME_MAX];
	size_t len = name_from_text(text, name);
	struct fake_zone *z = field;
	unsigned aaaa_percent = z->aaaa_percent;

	if (len == 0 || len > DNS_NAME_MAX - LABEL_MAX) {
		cmdline_complain(c, row->name, "\"%s\" is not a domain name, or too long", text);
		return;
	}
	fake_zone_init(z, name);
	z->aaaa_percent = aaaa_percent;
}

void
bench_parse_transport(
    struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	const struct bench_transport **t = field;

	*t = bench_plan_transport(text);
	if (*t == NULL)
		cmdline_complain(c, row->name, "\"%s\" is neither udp nor tcp", text);
}

/* The port stays: it is an option of its own, which may come before. */
void
bench_parse_server(struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	struct netaddr *a = field;

	if (!netaddr_parse(text, a->port, a))
		cmdline_complain(c, row->name, "\"%s\" is not an IPv4 or IPv6 address", text);
}

void
bench_parse_upstream(
    struct cmdline *c, const struct cmdline_row *row, const char *text, void *field)
{
	if (!bench_values_endpoint(text, UPSTREAM_PORT, field))
		cmdline_complain(c, row->name,
		    "\"%s\" is not an address like 192.0.2.1 or 2001:db8::1#5300", text);
}
