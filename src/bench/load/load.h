/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_LOAD_H
#define DNS64D_BENCH_LOAD_LOAD_H

/*
 * bench_load: what a run asks: which question is its n-th, and the question's bytes; and whether a
 * reply is the right answer to it. Pure: the same load has the same questions in every run, and no
 * state of the questions that were asked.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/load/replay.h"
#include "bench/load/zipf.h"
#include "dns/header.h"
#include "dns/msg.h"
#include "dns/proto.h"
#include "dns64/pref64.h"
#include "tools/fake_name.h"

/* Longest question: header, name, type and class, OPT. */
#define BENCH_QUESTION_MAX (HEADER_QUESTION_MAX + DNS_OPT_LEN)
#define BENCH_LABEL_MAX 20  /* "nx-NNN-NNN-NNN-NNN" before the zone, in wire form */
#define BENCH_DIGITS_MAX 15 /* of a telephone number (E.164) */

#define BENCH_OTHERS 8 /* types that a load may ask for besides AAAA and A */

/* What is asked for. */
enum bench_kind {
	BENCH_NEW,       /* AAAA of a name that was not asked for before */
	BENCH_HIT,       /* AAAA of one of few names, which a cache has */
	BENCH_MISSING,   /* AAAA of a name that does not exist, a new one each time */
	BENCH_ADDRESS,   /* A of a new name */
	BENCH_REVERSE,   /* PTR of an address under the prefix, a new one each time */
	BENCH_NUMBER,    /* NAPTR of a telephone number drawn from a range */
	BENCH_NO_NUMBER, /* NAPTR of one drawn from a range of which none exists */
	BENCH_REPLAY,    /* as recorded; what is right is not known */
	BENCH_OTHER,     /* one of the load's other types, of a new name: only the rcode is known */
	BENCH_OTHER_LAST = BENCH_OTHER + BENCH_OTHERS - 1,
	BENCH_KINDS
};

/* A kind, and which one of that kind. */
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
	struct fake_zone zone; /* of the names: what the upstream knows of them */
	uint32_t base;         /* the namespace: the first of its IPv4 addresses, host order */
	uint64_t size;         /* how many addresses it has */
	uint64_t hot;          /* the last so many of them, >= 1, are those of BENCH_HIT */
	const struct bench_zipf *zipf; /* borrowed, hot ranks: their popularity, the last name is
					  the first; NULL: all alike */
	const struct bench_replay *replay; /* borrowed: the questions of BENCH_REPLAY; NULL: none */
	uint64_t first;   /* the other questions begin with this one's name or number */
	bool hits;        /* there are such: they are no one else's, then */
	uint8_t mix[100]; /* enum bench_kind of a question, by its number */
	uint16_t
	    other[BENCH_OTHERS]; /* types of BENCH_OTHER and the kinds up to BENCH_OTHER_LAST */
	struct pref64 prefix;    /* of right answers, and what BENCH_REVERSE asks about */
	bool any_prefix; /* no prefix is known: any is right, and there is no BENCH_REVERSE */
	struct bench_range numbers; /* BENCH_NUMBER */
	struct bench_range missing; /* BENCH_NO_NUMBER */
	uint64_t seed;              /* of what is drawn at random */
	uint16_t bufsize;           /* bytes, in an OPT record (RFC 6891); 0: no OPT */
	bool dnssec_ok;             /* DO in that OPT */
};

/*
 * bench_load_init: the load that asks for AAAA of new names, NNN-NNN-NNN-NNN.dns64perf.test, with
 * the addresses of 10.0.0.0/8.
 */
void bench_load_init(struct bench_load *l);

/*
 * bench_load_mix: turn PERCENT of the questions from BENCH_NEW to KIND: of each hundred questions
 * in a row exactly so many, spread evenly. False if there are not so many of BENCH_NEW left.
 */
MUST_USE bool bench_load_mix(struct bench_load *l, enum bench_kind kind, unsigned percent);

/* bench_load_names: how many names of the namespace a run of N questions takes. */
MUST_USE uint64_t bench_load_names(const struct bench_load *l, uint64_t n);

/* bench_load_question: question N of a run, counted from 0. */
MUST_USE struct bench_question bench_load_question(const struct bench_load *l, uint64_t n);

/* bench_load_address: the IPv4 address that question Q is about, in network order, to OUT. */
void bench_load_address(const struct bench_load *l, struct bench_question q, uint8_t out[static 4]);

/* bench_load_name: the name of question Q, in wire form, to OUT; returns its length in bytes. */
size_t bench_load_name(
    const struct bench_load *l, struct bench_question q, uint8_t out[static DNS_NAME_MAX]);

/* bench_load_type: the record type that Q asks for. */
MUST_USE uint16_t bench_load_type(const struct bench_load *l, struct bench_question q);

/* bench_load_write: Q as a message with ID, to OUT; returns its length in bytes. */
MUST_USE size_t bench_load_write(const struct bench_load *l, struct bench_question q, uint16_t id,
    uint8_t out[static BENCH_QUESTION_MAX]);

/* --- Replies ---------------------------------------------------------------------------------- */

/* What a reply is; all but the first are wrong. */
enum bench_verdict {
	BENCH_VALID,      /* the answer that the question's kind must have (enum bench_kind) */
	BENCH_TRUNCATED,  /* TC */
	BENCH_RCODE,      /* another rcode than the question's kind must have */
	BENCH_NO_DATA,    /* no record of the type at the end of the chain */
	BENCH_WRONG_DATA, /* an address that is not the one asked for */
	BENCH_VERDICTS
};

/*
 * bench_load_parse: parse the LEN bytes at BYTES, which *m borrows. False if they are no reply:
 * the message is malformed or a question.
 */
MUST_USE bool bench_load_parse(struct msg *m, const uint8_t *bytes, size_t len);

/* bench_load_is_for: does message M repeat the question Q of load L, byte for byte? */
MUST_USE bool bench_load_is_for(
    const struct bench_load *l, struct bench_question q, const struct msg *m);

/* bench_load_judge: judge the reply M, which is for question Q of load L (bench_load_is_for). */
MUST_USE enum bench_verdict bench_load_judge(
    const struct bench_load *l, struct bench_question q, const struct msg *m);

/* bench_verdict_name: the words for a verdict, as "wrong data". */
MUST_USE const char *bench_verdict_name(enum bench_verdict v);

#endif
