/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_LOAD_CHECK_H
#define DNS64D_BENCH_LOAD_CHECK_H

/* bench_check: is a reply the right answer to its question? Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "bench/load/load.h"
#include "dns/msg.h"

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
 * bench_check_parse: parse the LEN bytes at BYTES, which *m borrows. False if they are no reply:
 * the message is malformed or a question.
 */
MUST_USE bool bench_check_parse(struct msg *m, const uint8_t *bytes, size_t len);

/* bench_check_is_for: does message M repeat the question Q of load L, byte for byte? */
MUST_USE bool bench_check_is_for(
    const struct bench_load *l, struct bench_question q, const struct msg *m);

/* bench_check: judge the reply M, which is for question Q of load L (bench_check_is_for). */
MUST_USE enum bench_verdict bench_check(
    const struct bench_load *l, struct bench_question q, const struct msg *m);

/* bench_check_name: the words for a verdict, as "wrong data". */
MUST_USE const char *bench_check_name(enum bench_verdict v);

#endif
