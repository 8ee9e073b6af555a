/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/guard.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void
guard_init(struct guard *g, size_t cap)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *map;

	g->cap = (cap + page - 1) / page * page;
	g->map_len = g->cap + page;
	map = mmap(NULL, g->map_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		abort();
	g->map = map;
	if (mprotect(g->map + g->cap, page, PROT_NONE) != 0)
		abort();
}

void
guard_fini(struct guard *g)
{
	if (munmap(g->map, g->map_len) != 0)
		abort();
}

uint8_t *
guard_put(struct guard *g, const void *data, size_t len)
{
	uint8_t *to;

	if (len > g->cap)
		abort();
	to = g->map + (g->cap - len);
	if (len > 0)
		memcpy(to, data, len);
	return to;
}

struct guard guard;

void
guard_setup(void)
{
	guard_init(&guard, 65536);
}

void
guard_teardown(void)
{
	guard_fini(&guard);
}
