/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/method/names.h"

#include <inttypes.h>

#include "bench/method/series.h"

/* Questions per second: for want of names a search without --high does not end lower than that. */
#define HIGH_LEAST 100000

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

/* How many names the search takes at most. */
static uint64_t
names_of(const struct bench_settings *s)
{
	struct bench_bisect b;

	bench_bisect_init(&b, s->low, s->high, s->resolution, BENCH_BEGIN_LOW);
	return bench_load_names(
	    &s->plan.load, bench_series_most(&b, s->repetitions, s->duration, s->restart != NULL));
}

/* Lower the end of the search in small steps; if that does not help, it stays where it was. */
static void
lower(struct bench_settings *s)
{
	uint32_t high = s->high;

	while (names_of(s) > s->plan.load.size && s->high > HIGH_LEAST && s->high > s->low) {
		uint32_t step = s->high / 20;

		/* There is no search that ends below its beginning. */
		s->high = s->high - s->low > step ? s->high - step : s->low;
	}
	if (names_of(s) > s->plan.load.size)
		s->high = high;
}

bool
bench_names_fit(struct bench_settings *s, FILE *errors)
{
	const struct bench_load *l = &s->plan.load;
	char text[32];

	if (l->hot >= l->size)
		return true;
	if (!s->high_given)
		lower(s);
	uint64_t n = names_of(s);
	if (n <= l->size)
		return true;
	(void)fprintf(errors,
	    "dns64bench: --namespace: %" PRIu64 " names, and the search takes up to %" PRIu64
	    ": %s; a lower --high than %" PRIu32 "%s takes fewer\n",
	    l->size, n, network_for(n, text), s->high,
	    s->restart == NULL ? ", or --restart before each trial," : "");
	return false;
}
