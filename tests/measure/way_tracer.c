/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * way_tracer: preloaded by tests/measure/way: writes to the file $WAY which function was called, or
 * left, in which thread and when. Addresses are those in the program's file.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define MOST (UINT64_C(1) << 26) /* steps; the file is sparse */

struct step {
	uint64_t what; /* the address, and 1 in the lowest bit: it was called */
	uint32_t thread;
	uint32_t us; /* of CLOCK_MONOTONIC */
};

static struct step *steps;
static uint64_t n;
static uintptr_t base;

void __cyg_profile_func_enter(void *function, void *from);
void __cyg_profile_func_exit(void *function, void *from);

/* The first object is the program. */
static int
find_base(struct dl_phdr_info *p, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	base = p->dlpi_addr;
	return 1;
}

__attribute__((constructor)) static void
begin(void)
{
	size_t size = MOST * sizeof(*steps);
	int fd = open(getenv("WAY"), O_RDWR | O_CREAT, 0600);
	void *mem = MAP_FAILED;

	(void)dl_iterate_phdr(find_base, NULL);
	if (ftruncate(fd, (off_t)size) == 0)
		mem = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mem == MAP_FAILED)
		_exit(99);
	steps = mem;
}

static void
note(void *function, uint64_t called)
{
	uint64_t i = __atomic_fetch_add(&n, 1, __ATOMIC_RELAXED);
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	if (i < MOST && steps != NULL)
		steps[i] = (struct step){ .what = ((uintptr_t)function - base) << 1 | called,
			.thread = (uint32_t)gettid(),
			.us =
			    (uint32_t)((uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000) };
}

void
__cyg_profile_func_enter(void *function, void *from)
{
	(void)from;
	note(function, 1);
}

void
__cyg_profile_func_exit(void *function, void *from)
{
	(void)from;
	note(function, 0);
}
