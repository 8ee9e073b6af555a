/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SCENARIO_COSTLY_H
#define DNS64D_TESTS_SCENARIO_COSTLY_H

/* costly: the replies that we know to cost most to read or to answer from. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dns/proto.h"

#define COSTLY_MAX 65535 /* bytes of a reply */

/* A reply that is being built. */
struct costly_reply {
	uint8_t bytes[COSTLY_MAX + 1024];
	size_t len;
	size_t max; /* largest length, in bytes */
	unsigned section;
};

struct costly {
	const char *name;
	uint16_t qtype;                       /* of the client's question */
	uint16_t type;                        /* of the question upstream */
	void (*make)(struct costly_reply *r); /* fill R, which has header and question */
	size_t max;
	const char *line; /* of a configuration, one more; NULL */
	bool rotate;      /* rotate the addresses of hits */
};

/* costly_all: the table of all costly replies, of *N rows. */
const struct costly *costly_all(size_t *n);

/* costly_question: write the name that all of them answer, one of 255 bytes. Returns its length. */
size_t costly_question(uint8_t out[static DNS_NAME_MAX]);

/* costly_walk: make R a reply of as many plain records as fit. */
void costly_walk(struct costly_reply *r);

#endif
