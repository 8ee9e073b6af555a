/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_change [ZONES [BLOCKS]]: CPU time of a change of NAT64 prefixes, and of an order about a
 * network, in us, with so many zone rules (100,000) and client blocks (none): all that the main
 * thread does, but for the log and for handing it to loops.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "config/orders.h"
#include "config/settings.h"
#include "daemon/conf_push.h"
#include "daemon/ordered.h"
#include "nat64/prefixes.h"
#include "support/configured.h"
#include "support/cputime.h"

#define CHANGES 200

static void
configure(struct settings *s, unsigned n_zones, unsigned n_blocks)
{
	char *text;
	size_t len;
	FILE *lines = open_memstream(&text, &len);

	if (lines == NULL)
		abort();
	fputs("dns64-prefix 2001:db8:64::/96\ndns64-prefix 2001:db8:65::/96\n", lines);
	for (unsigned i = 0; i < n_zones; i++)
		fprintf(lines, "never-synthesize zone-%u.example\n", i);
	for (unsigned i = 0; i < n_blocks; i++)
		fprintf(lines, "client 10.%u.%u.0/24 {\nhide-a yes\n}\n", i / 256, i % 256);
	if (fclose(lines) != 0)
		abort();
	configured("bench", text, s);
	free(text);
}

/* Change PREFIX to ONE and to OTHER in turns. */
static void
measure(struct settings *s, const char *prefix, enum prefix_change_what one,
    enum prefix_change_what other)
{
	struct threads none = { .n = 0 };
	struct conf_push_prefixes push = { .threads = &none };
	struct prefixes p = { .settings = s, .path = "bench", .loops = conf_push_prefixes(&push) };
	uint64_t begun = cputime_ns();
	char error[HOST_ERROR];

	for (unsigned i = 0; i < CHANGES; i++) {
		const struct prefix_change c = { .what = i % 2 == 0 ? one : other,
			.prefix = prefix };

		if (prefixes_change(&p, &c, error) != HOST_DONE)
			abort();
	}
	printf("%s or %s: %.1f us\n", prefix_change_word(one), prefix_change_word(other),
	    (double)(cputime_ns() - begun) / CHANGES / 1000);
}

/* Deny a network, and not, in turns. */
static void
measure_orders(struct settings *s)
{
	struct threads none = { .n = 0 };
	uint64_t begun = cputime_ns();
	char error[HOST_ERROR];

	for (unsigned i = 0; i < CHANGES; i++) {
		const struct order w = { .what = i % 2 == 0 ? ORDER_DENY : ORDER_UNDENY,
			.of = "192.0.2.0/24",
			.state = POLICY_DENIED };

		if (ordered_change(s, &none, &w, error) != HOST_DONE)
			abort();
	}
	printf("deny or undeny: %.1f us\n", (double)(cputime_ns() - begun) / CHANGES / 1000);
}

int
main(int argc, char **argv)
{
	static struct settings s;
	static struct orders orders;
	unsigned n_zones = argc > 1 ? (unsigned)atoi(argv[1]) : 100000;
	unsigned n_blocks = argc > 2 ? (unsigned)atoi(argv[2]) : 0;

	log_set_level(LOG_LEVEL_ERROR);
	configure(&s, n_zones, n_blocks);
	measure(&s, "2001:db8:64::/96", PREFIX_CHANGE_DRAIN, PREFIX_CHANGE_ACTIVE);
	measure(&s, "2001:db8:66::/96", PREFIX_CHANGE_ADD, PREFIX_CHANGE_DEL);
	s.orders = &orders;
	measure_orders(&s);
	settings_fini(&s);
	return 0;
}
