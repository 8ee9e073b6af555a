/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_LOAD_H
#define DNS64D_BENCH_LOAD_LOAD_H

/*
 * bench_load: what a run asks: which question is its n-th, and the question's bytes. Pure: the same
 * load has the same questions in every run, and nothing is kept of those that were asked.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "dns/header.h"
#include "dns/proto.h"
#include "dns64/pref64.h"
#include "tools/fake_name.h"

/* Longest question: header, name, type and class, OPT. */
#define BENCH_QUESTION_MAX (HEADER_QUESTION_MAX + DNS_OPT_LEN)
#define BENCH_DIGITS_MAX 15 /* of a telephone number (E.164) */

/* What is asked for. */
enum bench_kind {
	BENCH_NEW,       /* AAAA of a name that was not asked for before */
	BENCH_HIT,       /* AAAA of one of few names, which a cache has */
	BENCH_MISSING,   /* AAAA of a name that does not exist, a new one each time */
	BENCH_ADDRESS,   /* A of a new name */
	BENCH_REVERSE,   /* PTR of an address under the prefix, a new one each time */
	BENCH_NUMBER,    /* NAPTR of a telephone number drawn from a range */
	BENCH_NO_NUMBER, /* NAPTR of one drawn from a range of which none exists */
	BENCH_KINDS
};

/* A kind and which one of it. */
struct bench_question {
	enum bench_kind kind;
	uint64_t number;
};

/* Telephone numbers from FIRST to LAST, DIGITS digits each (RFC 6116 section 3.2). */
struct bench_range {
	uint64_t first;
	uint64_t last;
	unsigned digits;
};

struct bench_load {
	struct fake_zone zone;      /* of the names: what the upstream knows of them */
	uint32_t base;              /* the namespace: addresses from here, host order */
	uint64_t size;              /* as many */
	uint64_t hot;               /* of them the last so many are those of BENCH_HIT, >= 1 */
	uint8_t mix[100];           /* enum bench_kind of a question, by its number */
	struct pref64 prefix;       /* that answers must be under and BENCH_REVERSE asks about; */
	bool any_prefix;            /* not set: any embedding is right, there is no BENCH_REVERSE */
	struct bench_range numbers; /* BENCH_NUMBER */
	struct bench_range missing; /* BENCH_NO_NUMBER */
	uint64_t seed;              /* of what is drawn */
	uint16_t bufsize;           /* said in an OPT (RFC 6891); 0: no OPT */
	bool dnssec_ok;             /* DO in it */
};

/* bench_load_init: AAAA of new names, NNN-NNN-NNN-NNN.dns64perf.test under 10.0.0.0/8. */
void bench_load_init(struct bench_load *l);

/*
 * bench_load_mix: PERCENT of the questions are of KIND, instead of KIND BENCH_NEW; of each hundred
 * questions in a row just so many, spread evenly. False if the mix would be over 100 %.
 */
MUST_USE bool bench_load_mix(struct bench_load *l, enum bench_kind kind, unsigned percent);

/* bench_load_names: how many new names a run of N questions takes. */
MUST_USE uint64_t bench_load_names(const struct bench_load *l, uint64_t n);

/* bench_load_question: the N-th question of a run, from 0. */
MUST_USE struct bench_question bench_load_question(const struct bench_load *l, uint64_t n);

/* bench_load_address: the IPv4 address that a question is about, in network order to OUT. */
void bench_load_address(const struct bench_load *l, struct bench_question q, uint8_t out[static 4]);

/* bench_load_name: the question's name, in wire form, to OUT; returns its length. */
size_t bench_load_name(
    const struct bench_load *l, struct bench_question q, uint8_t out[static DNS_NAME_MAX]);

/* bench_load_type: the type it asks for. */
MUST_USE uint16_t bench_load_type(struct bench_question q);

/* bench_load_write: the question as a message with ID to OUT; returns its length. */
MUST_USE size_t bench_load_write(const struct bench_load *l, struct bench_question q, uint16_t id,
    uint8_t out[static BENCH_QUESTION_MAX]);

#endif
