/* SPDX-License-Identifier: BSD-2-Clause */
#include "fakedns/pattern.h"

#include <string.h>

#include "base/clock.h"
#include "dns/msg.h"
#include "dns/name.h"

bool
fake_pattern_is_plain(const struct fake_pattern *p)
{
	return !fake_pattern_delays(p) && p->loss == 0 && p->down_ms == 0 &&
	    p->truncate_percent == 0 && p->duplicate_percent == 0 && p->damage_percent == 0 &&
	    p->forge_percent == 0 && p->unforced_percent == 0;
}

bool
fake_pattern_delays(const struct fake_pattern *p)
{
	return p->delay_ms > 0 || p->jitter_ms > 0 || p->slow_first_ms > 0 ||
	    p->reorder_percent > 0;
}

bool
fake_past_init(struct fake_past *past, const struct fake_pattern *p, uint64_t seed)
{
	memset(past, 0, sizeof(*past));
	if (seed != 0)
		rng_init_seeded(&past->rng, seed);
	else
		rng_init(&past->rng);
	if (p->slow_first_ms == 0)
		return true;
	past->seen = fake_seen_new(FAKE_SEEN_MAX);
	return past->seen != NULL;
}

void
fake_past_drop(struct fake_past *past)
{
	fake_seen_free(past->seen);
	past->seen = NULL;
}

bool
fake_pattern_is_down(
    const struct fake_pattern *p, const struct fake_past *past, uint64_t now_ns, uint64_t *left_ns)
{
	uint64_t up_ns = p->up_ms * NS_PER_MS, down_ns = p->down_ms * NS_PER_MS;

	if (down_ns == 0)
		return false;
	uint64_t at_ns = (now_ns - past->start_ns) % (up_ns + down_ns);
	*left_ns = (at_ns < up_ns ? up_ns : up_ns + down_ns) - at_ns;
	return at_ns >= up_ns;
}

static bool
chance(struct fake_past *past, unsigned percent)
{
	return percent > 0 && rng_below(&past->rng, 100) < percent;
}

/*
 * Losses come in bursts of N. With S the chance that a question begins one, (1 - S) / S others come
 * before it on average; so that P of all are lost, S is P / (P + N * (1 - P)). Without bursts (N is
 * 1) S is P.
 */
static bool
is_lost(const struct fake_pattern *p, struct fake_past *past)
{
	unsigned n = p->loss_burst > 0 ? p->loss_burst : 1;

	if (past->burst_left > 0) {
		past->burst_left--;
		return true;
	}
	if (rng_below(&past->rng, p->loss + n * (FAKE_LOSS_ALL - p->loss)) >= p->loss)
		return false;
	past->burst_left = n - 1;
	return true;
}

/* Are delay and jitter for this question? */
static bool
is_delayed(const struct fake_pattern *p, struct fake_past *past, uint16_t type, bool tcp)
{
	if (p->delay_type != 0 && p->delay_type != type)
		return false;
	if (p->delay_tcp && !tcp)
		return false;
	if (++past->delayable < p->delay_every)
		return false;
	past->delayable = 0;
	return true;
}

/* When the name of M may be answered; its first question starts the clock, whatever the type. */
static uint64_t
slow_until(
    const struct fake_pattern *p, struct fake_past *past, const struct msg *m, uint64_t now_ns)
{
	uint8_t lower[DNS_NAME_MAX];

	name_lower(lower, msg_qname(m), m->qname_len);
	return fake_seen_first(past->seen, lower, m->qname_len, now_ns) +
	    p->slow_first_ms * NS_PER_MS;
}

static void
set_due(const struct fake_pattern *p, struct fake_past *past, const struct msg *m, bool tcp,
    uint64_t now_ns, struct fake_fate *f)
{
	uint64_t due_ns = now_ns;

	if (is_delayed(p, past, m->qtype, tcp)) {
		due_ns += p->delay_ms * NS_PER_MS;
		if (p->jitter_ms > 0)
			due_ns +=
			    rng_below(&past->rng, p->jitter_ms * 1000 + 1) * (NS_PER_MS / 1000);
	}
	if (past->seen != NULL && m->qname_len > 0) {
		uint64_t slow_ns = slow_until(p, past, m, now_ns);

		due_ns = due_ns > slow_ns ? due_ns : slow_ns;
	}
	f->held = chance(past, p->reorder_percent);
	if (f->held)
		due_ns += p->reorder_ms * NS_PER_MS;
	f->due_ns = due_ns > now_ns ? due_ns : 0;
}

struct fake_fate
fake_pattern_fate(const struct fake_pattern *p, struct fake_past *past, const uint8_t *bytes,
    size_t len, bool tcp, uint64_t now_ns)
{
	struct fake_fate f = { .lot = FAKE_LOT_ANSWER };
	uint64_t left_ns;
	struct msg m;

	if (fake_pattern_is_down(p, past, now_ns, &left_ns)) {
		f.lot = FAKE_LOT_OUTAGE;
		return f;
	}
	if (msg_parse(&m, bytes, len) != MSG_OK)
		m = (struct msg){ .qtype = 0 };
	if (p->loss > 0 && !tcp && (p->loss_type == 0 || p->loss_type == m.qtype) &&
	    is_lost(p, past)) {
		f.lot = FAKE_LOT_LOST;
		return f;
	}
	set_due(p, past, &m, tcp, now_ns, &f);
	f.truncate = !tcp && chance(past, p->truncate_percent);
	f.twice = !tcp && chance(past, p->duplicate_percent);
	f.damaged = !tcp && chance(past, p->damage_percent);
	f.forged = !tcp && chance(past, p->forge_percent);
	if (f.damaged || f.forged)
		f.noise = rng_u64(&past->rng);
	f.unforced = chance(past, p->unforced_percent);
	return f;
}
