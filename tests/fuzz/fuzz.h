/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_FUZZ_H
#define DNS64D_TESTS_FUZZ_H

/*
 * fuzz: what the fuzz targets share. A target is one function on bytes that no input may
 * bring to a crash, a hang or a false FUZZ_CHECK. Built with --enable-fuzzer it is driven by
 * libFuzzer; otherwise replay.c feeds it the inputs of tests/fuzz/corpus.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/conf.h"
#include "core/engine.h"

/* Holds with NDEBUG too. */
#define FUZZ_CHECK(truth) ((truth) ? (void)0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* An engine with one upstream, one socket to it and a clock. */
struct fuzz {
	struct conf_core conf;
	struct engine *engine;
	uint64_t now_ns;
	size_t limit;               /* bytes that an answer over UDP may have */
	unsigned n_answers;         /* seen by fuzz_drain so far */
	bool asked;                 /* the fields below hold a question that awaits its reply */
	struct packet_out question; /* where it went */
	size_t question_len;
	uint8_t question_bytes[PACKET_UDP_CAP];
};

/* fuzz_start: everything of F anew, always the same. fuzz_end: give it back. */
void fuzz_start(struct fuzz *f);
void fuzz_end(struct fuzz *f);

/*
 * fuzz_drain: pull all messages out of the engine. Each must parse and have a permitted length;
 * the last question to an upstream is kept.
 */
void fuzz_drain(struct fuzz *f);

/* fuzz_ask: hand in a client's message and drain. */
void fuzz_ask(struct fuzz *f, enum packet_way way, const uint8_t *msg, size_t len);

/*
 * fuzz_reply: hand in MSG as the reply to the kept question, with its ID and question section
 * made to match, and drain.
 */
void fuzz_reply(struct fuzz *f, const uint8_t *msg, size_t len);

/*
 * fuzz_be_late: let time pass until the kept question has been sent again, or ended; it stays the
 * kept one.
 */
void fuzz_be_late(struct fuzz *f);

/* fuzz_wait: let time pass until every client question has ended; it must. */
void fuzz_wait(struct fuzz *f);

#endif
