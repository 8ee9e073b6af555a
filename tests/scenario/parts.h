/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SCENARIO_PARTS_H
#define DNS64D_TESTS_SCENARIO_PARTS_H

/*
 * parts: the parts of an engine, for the tests of its single modules.
 */

#include <check.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/query.h"
#include "outbound/lookup.h"

/*
 * A test fails unless TRUTH. Check's own assertions write to a pipe and allocate even when they
 * hold, which is too much for what is done a million times.
 */
#define PARTS_CHECK(truth) ((truth) ? (void)0 : ck_abort_msg("not so: %s", #truth))

#define PARTS_START_NS 1000000000000ULL

struct parts {
	struct conf_core conf;
	struct stats stats;
	struct rng rng;
	struct wheel wheel;
	struct upstreams upstreams;
	struct lookups lookups;
	struct queries queries;
	uint64_t now_ns;
	struct msg reply;            /* parts_hand_in's */
	uint8_t udp[PACKET_UDP_CAP]; /* parts_next's, as tcp */
	uint8_t tcp[PACKET_TCP_CAP];
};

/*
 * parts_conf: settings with N upstreams (192.0.2.1 and on), in order, and room for CAP questions;
 * without policies.
 */
void parts_conf(struct conf_core *conf, unsigned n, uint32_t cap);

/* parts_init: all parts for such settings and the prefix 2001:db8:64::/96, with one socket per
 * upstream (slots 0 to N - 1). */
void parts_init(struct parts *p, unsigned n, uint32_t cap);

/* parts_fini: free what P owns. */
void parts_fini(struct parts *p);

/* parts_key: a key for NAME, class IN, without DO and CD. It borrows QNAME, which gets the name. */
struct question parts_key(const char *name, uint16_t qtype, uint8_t qname[static DNS_NAME_MAX]);

/* parts_lookup: a lookup for NAME MX, with WISH; fails the test without room. */
struct lookup *parts_lookup(struct parts *p, const char *name, const struct lookup_wish *wish);

/* parts_next: the next question for upstream, in p->udp or p->tcp; false if there is none. */
bool parts_next(struct parts *p, struct packet_out *send);

/* parts_hand_in: hand in LEN bytes from an upstream. Returns the lookup that they end; NULL: none.
 */
struct lookup *parts_hand_in(struct parts *p, enum transport transport, uint32_t sock,
    const uint8_t *msg, size_t len, struct lookup_result *result);

/* parts_lose: the TCP connection CONN ends. Returns the lookup that ends by it; NULL: none. */
struct lookup *parts_lose(
    struct parts *p, unsigned conn, bool established, struct lookup_result *result);

/* parts_question: write a client's question with OPT to BUF (512 bytes). Returns its length. */
size_t parts_question(uint8_t *buf, uint16_t id, const char *name, uint16_t qtype);

/* parts_count: the value of a counter. */
uint64_t parts_count(const _Atomic uint64_t *counter);

/* parts_questions: how many questions S has counted, over TCP or over UDP. */
uint64_t parts_questions(const struct stats *s, bool tcp);

#endif
