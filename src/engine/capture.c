/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/capture.h"

#include <string.h>

#include "base/hash.h"
#include "dns/header.h"

bool
capture_init(struct capture *c, struct stats *stats, uint64_t seed)
{
	memset(c, 0, sizeof(*c));
	c->stats = stats;
	c->seed = seed;
	return spool_init(&c->spool, CAPTURE_SPOOL);
}

void
capture_fini(struct capture *c)
{
	spool_fini(&c->spool);
}

/*
 * To take every Nth message could mean all questions and no response. So it is drawn, from what a
 * question and its response have in common.
 */
static bool
is_in_sample(
    const struct capture *c, uint32_t sample, const struct capture_record *r, const uint8_t *msg)
{
	uint8_t common[sizeof(r->peer) + HEADER_ID_LEN];

	memcpy(common, &r->peer, sizeof(r->peer));
	memcpy(common + sizeof(r->peer), msg, HEADER_ID_LEN);
	return hash_bytes(common, sizeof(common), c->seed) % sample == 0;
}

bool
capture_selects(const struct capture *c, const struct conf_capture *conf,
    const struct capture_record *r, const uint8_t *msg)
{
	return conf->types & r->type &&
	    (conf->sample <= 1 || is_in_sample(c, conf->sample, r, msg));
}

void
capture_put(struct capture *c, const struct conf_capture *conf, const struct capture_record *r,
    const uint8_t *msg)
{
	uint8_t *to;

	if (!capture_selects(c, conf, r, msg))
		return;
	to = spool_begin(&c->spool, sizeof(*r) + r->len);
	if (to == NULL) {
		stats_inc(&c->stats->dnstap_dropped);
		return;
	}
	memcpy(to, r, sizeof(*r));
	memcpy(to + sizeof(*r), msg, r->len);
	spool_end(&c->spool);
	stats_inc(&c->stats->dnstap);
}

const struct capture_record *
capture_next(struct capture *c, const uint8_t **msg)
{
	size_t len;
	const struct capture_record *r = spool_next(&c->spool, &len);

	if (r != NULL)
		*msg = (const uint8_t *)(r + 1);
	return r;
}

void
capture_drop(struct capture *c)
{
	spool_drop(&c->spool);
}

void
capture_sum(const struct capture *const *captures, unsigned n,
    struct stats_row rows[static CAPTURE_FIGURES])
{
#define SUM(place, field, name, help) \
	rows[CAPTURE_##place] = (struct stats_row){ #name, help, 0 }; \
	for (unsigned i = 0; i < n; i++) \
		rows[CAPTURE_##place].value += atomic_load(&captures[i]->field);
	CAPTURE_COUNTERS(SUM)
#undef SUM
}
