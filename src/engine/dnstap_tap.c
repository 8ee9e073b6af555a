/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/dnstap_tap.h"

#include <string.h>

#include "base/hash.h"
#include "dns/header.h"

bool
dnstap_tap_init(struct dnstap_tap *c, struct stats *stats, uint64_t seed)
{
	memset(c, 0, sizeof(*c));
	c->stats = stats;
	c->seed = seed;
	return spool_init(&c->spool, DNSTAP_TAP_SPOOL);
}

void
dnstap_tap_fini(struct dnstap_tap *c)
{
	spool_fini(&c->spool);
}

/*
 * To take every Nth message could mean all questions and no response. So it is drawn, from what a
 * question and its response have in common.
 */
static bool
is_in_sample(const struct dnstap_tap *c, uint32_t sample, const struct dnstap_tap_record *r,
    const uint8_t *msg)
{
	uint8_t common[sizeof(r->peer) + HEADER_ID_LEN];

	memcpy(common, &r->peer, sizeof(r->peer));
	memcpy(common + sizeof(r->peer), msg, HEADER_ID_LEN);
	return hash_bytes(common, sizeof(common), c->seed) % sample == 0;
}

bool
dnstap_tap_selects(const struct dnstap_tap *c, const struct conf_dnstap *conf,
    const struct dnstap_tap_record *r, const uint8_t *msg)
{
	return conf->types & r->type &&
	    (conf->sample <= 1 || is_in_sample(c, conf->sample, r, msg));
}

void
dnstap_tap_put(struct dnstap_tap *c, const struct conf_dnstap *conf,
    const struct dnstap_tap_record *r, const uint8_t *msg)
{
	uint8_t *to;

	if (!dnstap_tap_selects(c, conf, r, msg))
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
