/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_FUZZ_H
#define DNS64D_TESTS_FUZZ_H

/*
 * fuzz: what the fuzz targets share. A target is one function on bytes that no input may
 * bring to a crash, a hang or a false FUZZ_CHECK. Built with --enable-fuzzer it is driven by
 * libFuzzer; otherwise replay.c feeds it the inputs of tests/fuzz/corpus.
 *
 * Those that want an engine have the same one for all inputs, small and put back to its beginning
 * after each (fuzz/image), with clients and upstreams that are played here. What holds for every
 * input is checked here too: a question that was taken has exactly one answer, which parses and is
 * no longer than its client takes, and in the end nothing is left of it in the engine.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "core/conf.h"
#include "engine/engine.h"
#include "outbound/upstream.h"

/* Holds with NDEBUG too. */
#define FUZZ_CHECK(truth) ((truth) ? (void)0 : abort())

/* A function that is not looked at while fuzzing, as it takes long and tells nothing. */
#ifdef __clang__
#define FUZZ_PLAIN __attribute__((no_sanitize("address", "undefined", "coverage")))
#else
#define FUZZ_PLAIN
#endif

struct image;

#define FUZZ_ASKS 1024 /* questions of clients in one input, at most */
#define FUZZ_OPEN 16   /* questions to upstreams that can be replied to: the last ones */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* A question of a client. */
struct fuzz_ask {
	size_t limit; /* bytes that its answer may have */
	bool open;    /* it was taken and has no answer yet */
};

/* A question to an upstream. */
struct fuzz_question {
	struct packet_out to;
	size_t len;
	uint8_t bytes[PACKET_UDP_CAP];
};

/* An engine, its clock, and who speaks to it. */
struct fuzz {
	struct conf_core conf; /* of the beginning */
	struct engine *engine;
	struct image *image;
	uint64_t now_ns;
	unsigned n_asks;
	unsigned n_answers;
	struct fuzz_ask asks[FUZZ_ASKS];
	unsigned n_questions; /* to upstreams */
	bool odd;             /* an upstream sent what is not plain (fuzz/plain) */
	unsigned n_open;
	struct fuzz_question *open[FUZZ_OPEN]; /* in questions[], the latest first */
	struct fuzz_question questions[FUZZ_OPEN];
	int slot[UPSTREAM_MAX]; /* the socket to each upstream; -1: none */
	unsigned n_old;
	unsigned old[UPSTREAM_MAX_SOCKETS]; /* sockets that were replaced and may still be busy */
};

/* fuzz_begin: the engine as it is in the beginning, the same one each time. */
struct fuzz *fuzz_begin(void);

/*
 * fuzz_end: upstreams reply to what is open and time passes until the engine is at rest, which must
 * come; put it back to its beginning.
 */
void fuzz_end(struct fuzz *f);

/* fuzz_open_sockets: open a socket to each upstream that may be asked and has none. */
void fuzz_open_sockets(struct fuzz *f);

/* fuzz_replace_socket: the socket to upstream U gives way to another. */
void fuzz_replace_socket(struct fuzz *f, unsigned u);

/* fuzz_lose_socket: there is no socket to upstream U any more, until fuzz_open_sockets. */
void fuzz_lose_socket(struct fuzz *f, unsigned u);

/* fuzz_audit: nobody is forgotten (engine/audit). */
void fuzz_audit(const struct fuzz *f);

/* fuzz_drain: pull all messages out of the engine and check them. */
void fuzz_drain(struct fuzz *f);

/*
 * fuzz_ask: hand in a message of the client with the last byte HOST in its address, and drain.
 * Nothing is done after FUZZ_ASKS messages.
 */
void fuzz_ask(
    struct fuzz *f, enum transport transport, uint8_t host, const uint8_t *msg, size_t len);

/*
 * fuzz_reply: hand in MSG as the reply to the open question number WHICH, with its ID and question
 * section made to match, and drain. That question is open no more. A message that is shorter than
 * the question, or longer than a datagram, is not handed in.
 */
void fuzz_reply(struct fuzz *f, unsigned which, const uint8_t *msg, size_t len);

/*
 * fuzz_deny: reply to the last FUZZ_OPEN questions, those too that have had a reply, and to all
 * that follow from them, that there is no such name.
 */
void fuzz_deny(struct fuzz *f);

/* fuzz_input: hand in a message from upstream as it is, and drain. */
void fuzz_input(
    struct fuzz *f, enum transport transport, uint32_t sock, const uint8_t *msg, size_t len);

/* fuzz_close: the open question number WHICH is open no more. */
void fuzz_close(struct fuzz *f, unsigned which);

/* fuzz_pass: let NS pass, from deadline to deadline, and after many of them in one step. */
void fuzz_pass(struct fuzz *f, uint64_t ns);

/* fuzz_be_late: let time pass until another question is sent, or none of a client is in flight. */
void fuzz_be_late(struct fuzz *f);

/* fuzz_wait: let time pass until every client question has ended; it must. */
void fuzz_wait(struct fuzz *f);

#endif
