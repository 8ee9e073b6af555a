/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/set_querylog.h"

#include <string.h>

#include "config/set.h"
#include "config/values.h"

#define SLOW_MAX 60000 /* ms */

void
set_query_log_select(
    struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	struct conf_tap *t = &s->conf.core.tap;
	unsigned select = 0;

	for (size_t i = 1; i < w->n; i++) {
		/* in the order of enum conf_tap_select */
		int place = set_place("synthesized|failed|denied|slow|all", w->word[i]);

		if (place < 0) {
			diag_error(d, w->line, k->name, "'%s' is not one of %s", w->word[i],
			    "all|synthesized|failed|denied|slow");
			return;
		}
		select |= 1U << place;
		if (1U << place != CONF_TAP_SLOW)
			continue;
		i++;
		if (i == w->n || !value_number(w->word[i], 0, SLOW_MAX, &t->slow_ms)) {
			diag_error(d, w->line, k->name,
			    "slow takes a number of milliseconds from 0 to %d", SLOW_MAX);
			return;
		}
	}
	t->select = (uint8_t)select;
}
