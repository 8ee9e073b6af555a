/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SUPPORT_GUARD_H
#define DNS64D_TESTS_SUPPORT_GUARD_H

/*
 * guard: a buffer that ends at a page nobody may touch, so that a parser which reads
 * one byte too many traps at once.
 */

#include <stddef.h>
#include <stdint.h>

struct guard {
	uint8_t *map; /* owned: the mapping, its last page unreadable */
	size_t map_len;
	size_t cap; /* bytes before the unreadable page */
};

/* guard_init: room for CAP bytes. Aborts on failure: tests cannot go on without. */
void guard_init(struct guard *g, size_t cap);

/* guard_fini: unmap the buffer. */
void guard_fini(struct guard *g);

/* guard_setup, guard_teardown: the fixture of tests with one buffer, which takes any message. */
extern struct guard guard;
void guard_setup(void);
void guard_teardown(void);

/* guard_put: copy LEN <= cap bytes so that they end at the unreadable page; returns the copy. */
uint8_t *guard_put(struct guard *g, const void *data, size_t len);

#endif
