/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/limit.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/logonce.h"
#include "dns/header.h"
#include "dns/msg.h"
#include "engine/request.h"
#include "engine/respond.h"
#include "policy/policy.h"

#define ONE (UINT64_C(1) << 16) /* the amount of one use */

void
limits_init(struct limits *l, struct stats *stats, struct cookies *cookies)
{
	memset(l, 0, sizeof(*l));
	l->stats = stats;
	l->cookies = cookies;
}

/* A page in a browser may need 50 names at once. */
static uint32_t
burst_of(const struct conf_rate *c)
{
	if (c->burst > 0)
		return c->burst;
	return c->limit > 25 ? 2 * c->limit : 50;
}

void
limits_configure(struct limits *l, const struct conf_core *conf, struct rng *rng)
{
	const struct conf_rate *c = &conf->rate;

	l->conf = conf;
	l->on = conf->rates != NULL && c->limit > 0;
	l->amplification = conf->rates != NULL ? c->amplification : 0;
	if ((l->on || l->amplification > 0) && l->dice == 0)
		l->dice = rng_u64(rng);
	if (l->on)
		rate_plan_make(&l->questions, c->limit, burst_of(c));
	rate_plan_make(&l->amplified, LIMIT_ALLOWANCE, LIMIT_ALLOWANCE);
}

/*
 * Numbers that a client cannot know, as the seed is secret; they need not be more than that (Knuth,
 * MMIX).
 */
static uint32_t
roll(struct limits *l)
{
	l->dice = l->dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(l->dice >> 32);
}

/* Has the sender of USE a limit? If so its amount becomes that by the client's policy. */
static inline bool
has_limit(const struct limits *l, struct rate_use *use)
{
	const struct policies *ps = l->conf->policies;
	uint32_t factor;
	bool may_ask;

	if (netmap_find(&ps->common.exempt, use->who, 0) > 0)
		return false;
	factor = ps->table[policies_find(ps, use->who, &may_ask)].rate_factor;
	if (UNLIKELY(factor > 1))
		use->amount /= factor;
	return factor > 0;
}

static inline const struct rate_plan *
plan_of(const struct limits *l, enum rate_kind kind)
{
	return kind == RATE_QUESTIONS ? &l->questions : &l->amplified;
}

/* Charge N uses of KIND to CLIENT. Returns as rates_charge does. */
static unsigned
charge(struct limits *l, enum rate_kind kind, const struct netaddr *client, uint64_t n,
    uint64_t now_ns)
{
	struct rate_use use = {
		.kind = kind, .who = client, .amount = n * ONE, .dice = roll(l), .now_ns = now_ns
	};

	return has_limit(l, &use) ? rates_charge(l->conf->rates, plan_of(l, kind), &use) : 0;
}

/* What charge would return; nothing is charged. */
static unsigned
over_by(const struct limits *l, enum rate_kind kind, const struct netaddr *client, uint64_t n,
    uint64_t now_ns)
{
	struct rate_use use = { .kind = kind, .who = client, .amount = n * ONE, .now_ns = now_ns };

	return has_limit(l, &use) ? rates_over(l->conf->rates, plan_of(l, kind), &use) : 0;
}

/* The bytes that an answer of LEN bytes to Q is longer than it may be without being charged. */
static inline size_t
beyond(const struct limits *l, const struct query *q, size_t len)
{
	return len - (size_t)l->amplification * q->req.len;
}

unsigned
limit_would_question(const struct limits *l, const struct netaddr *client, uint64_t now_ns)
{
	return l->on ? over_by(l, RATE_QUESTIONS, client, 1, now_ns) : 0;
}

unsigned
limit_would_answer(const struct limits *l, const struct query *q, size_t len, uint64_t now_ns)
{
	if (query_is_proven(q) || query_is_health(q) || !limit_amplified(l, q->req.len, len))
		return 0;
	return over_by(l, RATE_AMPLIFIED, query_client(q), beyond(l, q, len), now_ns);
}

/* Log once a minute that clients of the network of CLIENT with LEN bits are limited. */
static void
tell(
    struct limits *l, const struct netaddr *client, unsigned len, const char *what, uint64_t now_ns)
{
	struct netaddr first = { .family = client->family };
	char text[NETADDR_TEXT], more[LOGONCE_MORE];

	l->n_unlogged++;
	/* A flood does not take the lock of told with every question. */
	if (now_ns - l->logged_ns < NS_PER_SEC && l->logged_ns > 0)
		return;
	l->logged_ns = now_ns;
	memcpy(first.addr, client->addr, len / 8);
	if (logonce_now(l->conf->logonce, LOGONCE_RATE, &first, 1, now_ns) == 0)
		return;
	log_notice(LOG_CLIENT, "%s/%u %s%s%s", netaddr_format(&first, text), len, what,
	    l->conf->rate.dry_run ? " (rate-limit-dry-run: only told)" : "",
	    logonce_more(more, l->n_unlogged));
	l->n_unlogged = 0;
}

/* Has the question a server cookie that we gave to its sender? */
static bool
has_our_cookie(struct limits *l, const struct packet_in *in, uint64_t now_ns)
{
	uint32_t unix_s = (uint32_t)l->conf->unix_s + clock_s(now_ns);
	const uint8_t *cookie;
	size_t len = 0;
	struct msg m;

	if (!l->conf->cookies.client || msg_parse(&m, in->msg, in->len) != MSG_OK)
		return false;
	cookie = msg_option(&m, EDNS_COOKIE, &len);
	return cookie != NULL && len == COOKIE_LEN &&
	    cookie_check(l->cookies, l->conf, unix_s, packet_client(in), cookie);
}

/* The question IN is over the limit. */
static __attribute__((noinline, cold)) enum limit_verdict
over(struct limits *l, const struct packet_in *in, unsigned len, uint64_t now_ns)
{
	const struct conf_rate *c = &l->conf->rate;

	if (request_is_health(l->conf, in))
		return LIMIT_PASS;
	stats_inc(&l->stats->rate_limited);
	tell(l, packet_client(in), len, "asks more often than rate-limit permits", now_ns);
	if (c->dry_run)
		return LIMIT_PASS;
	if (has_our_cookie(l, in, now_ns)) {
		stats_inc(&l->stats->rate_cookies);
		return LIMIT_PASS;
	}
	if (c->slip > 0 && roll(l) % c->slip == 0) {
		stats_inc(&l->stats->rate_slipped);
		return LIMIT_SLIP;
	}
	/* It has not been read. */
	stats_inc(
	    &l->stats
		 ->asked[stats_asked(TRANSPORT_UDP, packet_client(in)->family == NETADDR_IPV6, 0)]);
	stats_inc(&l->stats->rate_dropped);
	stats_dropped(l->stats, REASON_DROP_RATE);
	return LIMIT_DROP;
}

enum limit_verdict
limit_question(struct limits *l, const struct packet_in *in, uint64_t now_ns)
{
	unsigned len;

	/* These get no answer in any case, and are counted elsewhere. */
	if (in->len < DNS_HEADER_LEN || header_flags(in->msg) & DNS_QR)
		return LIMIT_PASS;
	len = charge(l, RATE_QUESTIONS, packet_client(in), 1, now_ns);
	return UNLIKELY(len > 0) ? over(l, in, len, now_ns) : LIMIT_PASS;
}

size_t
limit_answer(struct limits *l, struct queries *qs, struct query *q, size_t len,
    const struct query_out *out, uint64_t now_ns)
{
	unsigned over_len;

	if (query_is_proven(q) || query_is_health(q))
		return len;
	over_len = charge(l, RATE_AMPLIFIED, query_client(q), beyond(l, q, len), now_ns);
	if (over_len == 0)
		return len;
	stats_inc(&l->stats->answers_amplified);
	tell(l, query_client(q), over_len, "gets longer answers than max-amplification permits",
	    now_ns);
	if (l->conf->rate.dry_run)
		return len;
	q->reason = REASON_AMPLIFIED;
	return respond_truncated(qs, q, out);
}
