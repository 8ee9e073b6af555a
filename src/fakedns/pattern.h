/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_FAKEDNS_PATTERN_H
#define DNS64D_FAKEDNS_PATTERN_H

/*
 * fake_pattern: what befalls a question before it is answered: it is lost, ignored in an outage,
 * answered late, twice, truncated, damaged or after a forged answer. Pure: the caller gives the
 * time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/rng.h"
#include "fakedns/seen.h"

#define FAKE_DELAY_MAX 15000    /* ms, of delay, of jitter and of a slow first answer each */
#define FAKE_REORDER_MAX 1000   /* ms */
#define FAKE_LOSS_ALL 100000    /* thousandths of a percent */
#define FAKE_BURST_MAX 1000     /* questions */
#define FAKE_EVERY_MAX 1000000  /* questions */
#define FAKE_OUTAGE_MAX 3600000 /* ms, of either part */
#define FAKE_SEEN_MAX 65536     /* names whose first question is remembered, per thread */

/* What is to befall them; set once, then shared by all threads. All 0: nothing. */
struct fake_pattern {
	unsigned delay_ms;         /* answered that much later, */
	unsigned jitter_ms;        /* and at most this more, drawn for each: */
	uint16_t delay_type;       /* only questions for this type; 0: all */
	bool delay_tcp;            /* and only those over TCP; false: all */
	unsigned delay_every;      /* and of them only each that completes so many; 0: all */
	unsigned slow_first_ms;    /* no name is answered before so long after its first question */
	unsigned reorder_percent;  /* of the answers: held back */
	unsigned reorder_ms;       /* for that time */
	unsigned loss;             /* of the questions over UDP: ignored; of FAKE_LOSS_ALL */
	unsigned loss_burst;       /* so many in a row; 0: 1 */
	uint16_t loss_type;        /* only questions for this type; 0: all */
	unsigned up_ms;            /* the server is there for that time, */
	unsigned down_ms;          /* then away for that time, and so on; 0: it is there */
	bool refuse;               /* away means that the kernel refuses, not that we ignore */
	unsigned truncate_percent; /* of the answers over UDP: TC instead of records */
	unsigned duplicate_percent; /* of the answers over UDP: sent twice */
	unsigned damage_percent; /* of the answers over UDP: no message, or not the one asked for */
	unsigned forge_percent;  /* of the answers over UDP: a forged one comes before */
	unsigned unforced_percent; /* of the questions: the policy's rcode is not for them */
};

/* What a thread keeps of the questions before. */
struct fake_past {
	struct rng rng;
	uint64_t start_ns;      /* when the server came up, before its first outage */
	unsigned burst_left;    /* questions that are still to be lost in a row */
	unsigned delayable;     /* questions that delay_every counts, since the last delayed one */
	struct fake_seen *seen; /* NULL without slow_first_ms */
};

enum fake_lot { FAKE_LOT_ANSWER, FAKE_LOT_LOST, FAKE_LOT_OUTAGE };

struct fake_fate {
	enum fake_lot lot;
	bool held;       /* held back, which puts others before it */
	bool truncate;   /* with TC and without records */
	bool twice;      /* sent twice */
	bool damaged;    /* with noise, see fake_spoil_damage */
	bool forged;     /* after another one, see fake_spoil_forge */
	uint64_t noise;  /* for both; drawn if one is set */
	bool unforced;   /* without the policy's rcode */
	uint64_t due_ns; /* when it is to be answered; 0: at once */
};

/* fake_pattern_is_plain: nothing befalls any question. */
MUST_USE bool fake_pattern_is_plain(const struct fake_pattern *p);

/* fake_pattern_delays: some answers may be delayed. */
MUST_USE bool fake_pattern_delays(const struct fake_pattern *p);

/*
 * fake_past_init: nothing was asked yet; the caller sets start_ns. SEED not 0: chances are drawn
 * from it and are the same each time. False: no memory.
 */
MUST_USE bool fake_past_init(struct fake_past *past, const struct fake_pattern *p, uint64_t seed);

/* fake_past_drop: free what fake_past_init allocated; also if that failed, or all is zero. */
void fake_past_drop(struct fake_past *past);

/*
 * fake_pattern_is_down: is there an outage at NOW_NS? Unless there are none at all, *left_ns is how
 * long it is until that changes.
 */
MUST_USE bool fake_pattern_is_down(
    const struct fake_pattern *p, const struct fake_past *past, uint64_t now_ns, uint64_t *left_ns);

/*
 * fake_pattern_fate: what befalls the LEN bytes at BYTES, which may be no question at all, that
 * came over TCP or UDP at NOW_NS.
 */
MUST_USE struct fake_fate fake_pattern_fate(const struct fake_pattern *p, struct fake_past *past,
    const uint8_t *bytes, size_t len, bool tcp, uint64_t now_ns);

#endif
