/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/census.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/log.h"
#include "core/upstream.h"

#define TIME_TEXT 64

/* A time of several loops: each weighs by its replies. */
struct mean {
	double sum_ns;
	double var_sum_ns;
	double n;
};

struct row {
	struct netaddr addr;
	unsigned n_loops;
	unsigned n_doubted; /* loops for which it is in doubt or down */
	unsigned n_down;
	struct mean times[UPSTREAM_TRANSPORTS];
	struct upstream_tally tally;
};

struct census {
	struct lock lock;
	unsigned n_refs;
	unsigned n_rows;
	struct row rows[UPSTREAM_MAX];
};

struct census *
census_new(unsigned n)
{
	struct census *c = calloc(1, sizeof(*c));

	if (c != NULL)
		c->n_refs = n;
	return c;
}

/* The row of ADDR, a new one if there is none yet; NULL: all are taken. */
static struct row *
row_of(struct census *c, const struct netaddr *addr)
{
	for (unsigned i = 0; i < c->n_rows; i++) {
		if (netaddr_equal(&c->rows[i].addr, addr))
			return &c->rows[i];
	}
	if (c->n_rows == UPSTREAM_MAX)
		return NULL;
	c->rows[c->n_rows].addr = *addr;
	return &c->rows[c->n_rows++];
}

static void
add(struct row *r, const struct upstream *up)
{
	r->n_loops++;
	r->n_doubted += up->doubted || up->down;
	r->n_down += up->down;
	for (unsigned i = 0; i < UPSTREAM_TRANSPORTS; i++) {
		const struct times *t = &up->times[i];
		double weight = times_known(t) ? (double)up->tally.replies + 1 : 0;

		r->times[i].sum_ns += weight * (double)t->srtt_ns;
		r->times[i].var_sum_ns += weight * (double)t->var_ns;
		r->times[i].n += weight;
	}
	r->tally.sends += up->tally.sends;
	r->tally.replies += up->tally.replies;
	r->tally.late += up->tally.late;
	r->tally.lost += up->tally.lost;
	r->tally.hedges += up->tally.hedges;
}

void
census_add(struct census *c, const struct upstreams *us)
{
	lock_take(&c->lock);
	for (unsigned i = 0; i < us->n_order; i++) {
		const struct upstream *up = &us->table[us->order[i]];
		struct row *r = row_of(c, &up->addr);

		if (r != NULL)
			add(r, up);
	}
	lock_give(&c->lock);
}

/* "1.2 ms (deviation 0.3)", or "unknown". */
static const char *
time_text(const struct mean *m, char text[static TIME_TEXT])
{
	if (m->n == 0)
		return "unknown";
	(void)snprintf(text, TIME_TEXT, "%.1f ms (deviation %.1f)", m->sum_ns / m->n / NS_PER_MS,
	    m->var_sum_ns / m->n / NS_PER_MS);
	return text;
}

/* What U is for all loops; "in doubt" if they differ. */
static const char *
state_text(const struct row *r)
{
	if (r->n_down == r->n_loops)
		return "down";
	return r->n_doubted > 0 ? "in doubt" : "good";
}

static void
report(const struct census *c)
{
	char addr[NETADDR_TEXT], udp[TIME_TEXT], tcp[TIME_TEXT];
	uint64_t sends = 0;

	for (unsigned i = 0; i < c->n_rows; i++)
		sends += c->rows[i].tally.sends;
	for (unsigned i = 0; i < c->n_rows; i++) {
		const struct row *r = &c->rows[i];
		const struct upstream_tally *t = &r->tally;

		log_notice("stats",
		    "upstream %s %s: time by UDP %s, by TCP %s; sends %" PRIu64
		    " (%.1f %% of all), replies %" PRIu64 ", of these late %" PRIu64
		    "; lost %" PRIu64 ", hedges %" PRIu64,
		    netaddr_format(&r->addr, addr), state_text(r),
		    time_text(&r->times[UPSTREAM_OVER_UDP], udp),
		    time_text(&r->times[UPSTREAM_OVER_TCP], tcp), t->sends,
		    sends > 0 ? 100.0 * (double)t->sends / (double)sends : 0.0, t->replies, t->late,
		    t->lost, t->hedges);
	}
}

void
census_give(struct census *c)
{
	bool last;

	if (c == NULL)
		return;
	lock_take(&c->lock);
	last = --c->n_refs == 0;
	lock_give(&c->lock);
	if (!last)
		return;
	report(c);
	free(c);
}
