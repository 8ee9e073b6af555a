/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/settings/set.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "base/clock.h"
#include "bench/settings/values.h"
#include "dns/name.h"

#define SECONDS_MAX 31536000.0 /* a year */

void
bench_set_complain(struct bench_parser *p, const char *format, ...)
{
	va_list ap;

	(void)fprintf(p->errors, "dns64bench: --%s: ", p->option);
	va_start(ap, format);
	(void)vfprintf(p->errors, format, ap);
	va_end(ap);
	(void)fputc('\n', p->errors);
	p->n_errors++;
}

/* --- Values ----------------------------------------------------------------------------------- */

static uint64_t
number(struct bench_parser *p, const char *text, uint64_t min, uint64_t max)
{
	uint64_t v;

	if (bench_values_number(text, strlen(text), max, &v) && v >= min)
		return v;
	bench_set_complain(
	    p, "\"%s\" is not a number from %" PRIu64 " to %" PRIu64, text, min, max);
	return min;
}

static double
real(struct bench_parser *p, const char *text, double min, double max)
{
	double v;

	if (bench_values_real(text, min, max, &v))
		return v;
	bench_set_complain(p, "\"%s\" is not a number from %g to %g", text, min, max);
	return min;
}

static void
set_range(struct bench_parser *p, const char *text, struct bench_range *r)
{
	if (!bench_values_range(text, r))
		bench_set_complain(p,
		    "\"%s\" is not FIRST-LAST, two numbers of as many digits, up to %d", text,
		    BENCH_DIGITS_MAX);
}

static void
set_prefix(struct bench_parser *p, const char *text)
{
	struct bench_load *l = &p->s->plan.load;

	if (pref64_parse(text, &l->prefix) != PREF64_OK)
		bench_set_complain(
		    p, "\"%s\" is not a prefix of RFC 6052 like 2001:db8:64::/96", text);
	l->any_prefix = false;
}

static void
set_zone(struct bench_parser *p, const char *text)
{
	uint8_t name[DNS_NAME_MAX];
	size_t len = name_from_text(text, name);
	struct fake_zone *z = &p->s->plan.load.zone;
	unsigned aaaa_percent = z->aaaa_percent;

	/* "nx-NNN-NNN-NNN-NNN" must fit before it. */
	if (len == 0 || len > DNS_NAME_MAX - 20) {
		bench_set_complain(p, "\"%s\" is not a domain name, or too long", text);
		return;
	}
	fake_zone_init(z, name);
	z->aaaa_percent = aaaa_percent;
}

static void
set_transport(struct bench_parser *p, const char *text)
{
	const struct bench_transport *t = bench_transport_find(text);

	if (t != NULL)
		p->s->plan.transport = t;
	else
		bench_set_complain(p, "\"%s\" is neither udp nor tcp", text);
}

/* --- Options ---------------------------------------------------------------------------------- */

/* What is asked for. */
static bool
set_load(struct bench_parser *p, enum bench_option id, const char *arg)
{
	struct bench_load *l = &p->s->plan.load;

	switch ((unsigned)id) {
	case BENCH_OPT_AAAA:
		l->zone.aaaa_percent = (unsigned)number(p, arg, 0, 100);
		return true;
	case BENCH_OPT_BUFSIZE:
		l->bufsize = (uint16_t)number(p, arg, 0, 65535);
		return true;
	case BENCH_OPT_DNSSEC:
		l->dnssec_ok = true;
		return true;
	case BENCH_OPT_HITS:
		p->hits = (unsigned)number(p, arg, 0, 100);
		return true;
	case BENCH_OPT_HOT:
		l->hot = number(p, arg, 1, UINT32_MAX);
		return true;
	case BENCH_OPT_MISSING:
		p->missing = (unsigned)number(p, arg, 0, 100);
		return true;
	case BENCH_OPT_MISSING_NUMBERS:
		set_range(p, arg, &l->missing);
		return true;
	case BENCH_OPT_NAMESPACE:
		if (!bench_values_network(arg, &l->base, &l->size))
			bench_set_complain(p, "\"%s\" is not an IPv4 network like 10.0.0.0/8", arg);
		return true;
	case BENCH_OPT_NUMBERS:
		set_range(p, arg, &l->numbers);
		return true;
	case BENCH_OPT_PREFIX:
		set_prefix(p, arg);
		return true;
	case BENCH_OPT_ZONE:
		set_zone(p, arg);
		return true;
	default:
		return false;
	}
}

/* How it is asked. */
static bool
set_plan(struct bench_parser *p, enum bench_option id, const char *arg)
{
	struct bench_plan *plan = &p->s->plan;

	switch ((unsigned)id) {
	case BENCH_OPT_BURST:
		plan->burst = (uint32_t)number(p, arg, 1, BENCH_RATE_MAX);
		return true;
	case BENCH_OPT_COUNT:
		plan->n_questions = number(p, arg, 1, 1000000000000);
		return true;
	case BENCH_OPT_DURATION:
		p->s->duration = real(p, arg, 0.01, SECONDS_MAX);
		return true;
	case BENCH_OPT_PER_CONNECTION:
		plan->per_connection = (unsigned)number(p, arg, 0, UINT32_MAX);
		return true;
	case BENCH_OPT_PORT:
		p->port = number(p, arg, 1, 65535);
		return true;
	case BENCH_OPT_RATE:
		plan->rate = (uint32_t)number(p, arg, 1, BENCH_RATE_MAX);
		return true;
	case BENCH_OPT_SERVER:
		if (!netaddr_parse(arg, 0, &plan->server))
			bench_set_complain(p, "\"%s\" is not an IPv4 or IPv6 address", arg);
		return true;
	case BENCH_OPT_SOURCES:
		plan->n_lanes = (unsigned)number(p, arg, 1, BENCH_LANES_MAX);
		return true;
	case BENCH_OPT_SPIN:
		plan->spin = true;
		return true;
	case BENCH_OPT_THREADS:
		plan->n_threads = (unsigned)number(p, arg, 1, BENCH_THREADS_MAX);
		return true;
	case BENCH_OPT_TIMEOUT:
		plan->timeout_ns = (uint64_t)(real(p, arg, 0.001, 3600) * (double)NS_PER_SEC);
		return true;
	case BENCH_OPT_TRANSPORT:
		set_transport(p, arg);
		return true;
	case BENCH_OPT_WINDOW:
		plan->window = (unsigned)number(p, arg, 1, 65536);
		return true;
	default:
		return false;
	}
}

/* What belongs to one method. */
static bool
set_method(struct bench_parser *p, enum bench_option id, const char *arg)
{
	struct bench_settings *s = p->s;

	switch ((unsigned)id) {
	case BENCH_OPT_BLOCKS:
		s->blocks = (unsigned)number(p, arg, 1, 1000000);
		return true;
	case BENCH_OPT_CLIENTS:
		if (!bench_values_steps(
			arg, BENCH_LANES_MAX, s->clients, BENCH_STEPS_MAX, &s->n_clients))
			bench_set_complain(p,
			    "\"%s\" is not a list like 1,2,4 or 1-20/2, of up to %d numbers from"
			    " 1 to %d",
			    arg, BENCH_STEPS_MAX, BENCH_LANES_MAX);
		return true;
	case BENCH_OPT_DELTA:
		s->delta = real(p, arg, 0, 100);
		return true;
	case BENCH_OPT_HIGH:
		s->high = (uint32_t)number(p, arg, 1, BENCH_RATE_MAX);
		return true;
	case BENCH_OPT_INTERVAL:
		s->interval = real(p, arg, 0.1, SECONDS_MAX);
		return true;
	case BENCH_OPT_LOW:
		s->low = (uint32_t)number(p, arg, 1, BENCH_RATE_MAX);
		return true;
	case BENCH_OPT_REPETITIONS:
		s->repetitions = (unsigned)number(p, arg, 1, 10000);
		return true;
	case BENCH_OPT_RESOLUTION:
		s->resolution = real(p, arg, 0.001, 50);
		return true;
	case BENCH_OPT_RESTART:
		s->restart = arg;
		return true;
	case BENCH_OPT_STATE:
		s->state = arg;
		return true;
	case BENCH_OPT_UPSTREAM:
		if (!bench_values_endpoint(arg, BENCH_DEFAULT_PORT, &s->upstream))
			bench_set_complain(
			    p, "\"%s\" is not an address like 192.0.2.1 or 2001:db8::1#5300", arg);
		return true;
	default:
		return false;
	}
}

void
bench_set(struct bench_parser *p, enum bench_option id, const char *arg)
{
	struct bench_settings *s = p->s;

	switch ((unsigned)id) {
	case BENCH_OPT_CSV:
		s->csv = arg;
		break;
	case BENCH_OPT_HELP:
		p->task = BENCH_TASK_HELP;
		break;
	case BENCH_OPT_JSON:
		s->json = arg;
		break;
	case BENCH_OPT_OUTPUT:
		s->output = arg;
		break;
	case BENCH_OPT_PID:
		s->pid = arg;
		break;
	case BENCH_OPT_PLOT:
		s->plot = arg;
		break;
	case BENCH_OPT_RAW:
		s->raw = arg;
		break;
	case BENCH_OPT_PID_FILE:
		s->pid_file = arg;
		break;
	case BENCH_OPT_UNIT:
		s->unit = arg;
		break;
	case BENCH_OPT_VERSION:
		p->task = BENCH_TASK_VERSION;
		break;
	default:
		if (!set_load(p, id, arg) && !set_plan(p, id, arg))
			(void)set_method(p, id, arg);
	}
}
