/* SPDX-License-Identifier: BSD-2-Clause */
#include "nat64/health.h"

#include <string.h>

/* What counts towards the end of a state. */
enum counted { NOTHING, FAILURES, ANSWERS };

/* A row for each state, and whether it answered: where it goes, and where when enough are counted.
 */
static const struct {
	enum health_state next;
	enum health_state enough;
	enum counted counts;
} rows[][2] = {
	[HEALTH_UP] = { { HEALTH_FAILING, HEALTH_DOWN, FAILURES },
	    { HEALTH_UP, HEALTH_UP, NOTHING } },
	[HEALTH_FAILING] = { { HEALTH_FAILING, HEALTH_DOWN, FAILURES },
	    { HEALTH_UP, HEALTH_UP, NOTHING } },
	[HEALTH_DOWN] = { { HEALTH_DOWN, HEALTH_DOWN, NOTHING },
	    { HEALTH_RISING, HEALTH_UP, ANSWERS } },
	[HEALTH_RISING] = { { HEALTH_DOWN, HEALTH_DOWN, NOTHING },
	    { HEALTH_RISING, HEALTH_UP, ANSWERS } },
};

/* It goes down: how often rise doubles until it is up again. */
static uint32_t
go_down(struct health *h, uint64_t now_ns)
{
	unsigned recent = 0;

	memmove(&h->downs[1], &h->downs[0], sizeof(h->downs) - sizeof(h->downs[0]));
	h->downs[0] = now_ns;
	while (recent < HEALTH_DOWNS && h->downs[recent] != 0 &&
	    now_ns - h->downs[recent] <= HEALTH_DOWNS_NS)
		recent++;
	return recent > 2 ? recent - 2 : 0;
}

bool
health_take(struct health *h, const struct health_rules *r, bool answered, uint64_t now_ns)
{
	enum counted counts = rows[h->state][answered].counts;
	bool passed = health_passes(h), enough;

	h->n = counts == NOTHING ? 0 : h->n + 1;
	enough = (counts == FAILURES && h->n >= r->fall) ||
	    (counts == ANSWERS && h->n >= r->rise << h->doublings);
	h->state = enough ? rows[h->state][answered].enough : rows[h->state][answered].next;
	if (enough)
		h->n = 0;
	if (passed && !health_passes(h))
		h->doublings = go_down(h, now_ns);
	return passed != health_passes(h);
}

const char *
health_word(enum health_state state)
{
	static const char *const words[] = { [HEALTH_UP] = "up",
		[HEALTH_FAILING] = "failing",
		[HEALTH_DOWN] = "down",
		[HEALTH_RISING] = "rising" };

	return words[state];
}
