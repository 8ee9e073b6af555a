/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_BENCH_LOAD_H
#define DNS64D_TESTS_BENCH_LOAD_H

/*
 * load: what bench_engine feeds the engine with: questions of clients, upstream's replies and the
 * rules that concern them. The I-th question is the same in every run.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/packet.h"
#include "dns/proto.h"
#include "policy/policy.h"

#define LOAD_CAP (DNS_UDP_MIN + DNS_OPT_LEN) /* bytes of the longest message */

struct load {
	unsigned blocks; /* of clients */
	unsigned rules;
	bool matching; /* names in zones of rules */
	bool always;   /* AAAA are ignored for all names */
	bool relay;    /* A is asked for, not AAAA */
};

/* load_policies: a block has a prefix of its own, else it is as what stands outside. */
struct policies *load_policies(const struct load *l);

/* load_question: the I-th one, written to BYTES. */
struct packet_in load_question(const struct load *l, unsigned i, uint8_t bytes[static LOAD_CAP]);

/* load_reply: no AAAA, but an A: NODATA with an SOA, then 10.0.0.1. */
size_t load_reply(uint8_t out[static LOAD_CAP], const uint8_t *question, size_t len);

#endif
