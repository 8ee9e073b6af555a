/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SCENARIO_COSTLY_H
#define DNS64D_TESTS_SCENARIO_COSTLY_H

/* costly: replies that are as hard to read, or to write an answer from, as we could think of. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dns/proto.h"

#define COSTLY_MAX 65535 /* bytes of a reply */

/* A reply in the making. */
struct costly_reply {
	uint8_t bytes[COSTLY_MAX + 1024];
	size_t len;
	size_t max; /* bytes it may grow to */
	unsigned section;
};

struct costly {
	const char *name;
	uint16_t qtype; /* of the client's question */
	uint16_t type;  /* of the question upstream that this is the reply to */
	void (*make)(struct costly_reply *r); /* fill R, which has header and question */
	size_t max;
	const char *plan; /* a line of policies more; NULL */
	bool rotate;      /* addresses of hits take turns */
};

/* costly_all: the table of them; *N becomes the number of rows. */
const struct costly *costly_all(size_t *n);

/* costly_question: the longest name, which they are made for; its length. */
size_t costly_question(uint8_t out[static DNS_NAME_MAX]);

/* costly_walk: a reply of as many records as there can be, plain ones. */
void costly_walk(struct costly_reply *r);

#endif
