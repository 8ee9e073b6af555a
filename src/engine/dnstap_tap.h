/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_ENGINE_DNSTAP_TAP_H
#define DNS64D_ENGINE_DNSTAP_TAP_H

/*
 * dnstap_tap: copies messages to another thread as they come and leave, for dnstap.
 *
 * The engine copies a message and what is known about it to a spool; it encodes nothing. When the
 * thread that reads the spool is too slow the message is left out, and counted. (Answers are told
 * to the query log by engine/querylog_tap.)
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "base/spool.h"
#include "core/conf.h"
#include "core/stats.h"
#include "core/transport.h"

#define DNSTAP_TAP_SPOOL ((size_t)4 << 20) /* bytes */

/* A message; its bytes follow in the spool. */
struct dnstap_tap_record {
	uint64_t at_ns;       /* when it came or left, by the loop's clock, read once a turn */
	uint64_t asked_ns;    /* a response: when its question came or left */
	struct netaddr peer;  /* the client or the upstream */
	struct netaddr local; /* our address that the client asked; family 0: not known */
	uint16_t len;         /* bytes of the message */
	uint8_t type;         /* enum conf_dnstap_type */
	uint8_t reason;       /* CONF_CLIENT_RESPONSE: enum reason */
	uint8_t transport;    /* enum transport */
};

struct dnstap_tap {
	struct spool spool;  /* of dnstap_tap_record; for another thread to read */
	struct stats *stats; /* borrowed */
	uint64_t seed;       /* for conf_dnstap.sample */
};

/*
 * dnstap_tap_init: make C ready; STATS is borrowed. SEED, which nobody must know, chooses what
 * belongs to a sample. False without memory.
 */
MUST_USE bool dnstap_tap_init(struct dnstap_tap *c, struct stats *stats, uint64_t seed);

/* dnstap_tap_fini: free what C owns; *C may be all zero. */
void dnstap_tap_fini(struct dnstap_tap *c);

/*
 * dnstap_tap_selects: do the settings in CONF select R, whose bytes are at MSG? The same is said of
 * a question and its response: a sample has both, or none.
 */
MUST_USE bool dnstap_tap_selects(const struct dnstap_tap *c, const struct conf_dnstap *conf,
    const struct dnstap_tap_record *r, const uint8_t *msg);

/*
 * dnstap_tap_put: hand on R, and the r->len bytes at MSG, a header at least, if the settings in
 * CONF select it. Counted in dnstap, or in dnstap_dropped if there is no room. Only in the owner's
 * thread.
 */
void dnstap_tap_put(struct dnstap_tap *c, const struct conf_dnstap *conf,
    const struct dnstap_tap_record *r, const uint8_t *msg);

#endif
