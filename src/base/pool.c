/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/pool.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#ifdef WITH_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, len) ((void)(at), (void)(len))
#define ASAN_UNPOISON_MEMORY_REGION(at, len) ((void)(at), (void)(len))
#endif

#define POOL_ALIGN 16U

int
pool_init(struct pool *p, size_t size, uint32_t cap)
{
	size_t stride;
	void *mem;

	assert(size > 0 && cap > 0);
	if (size > SIZE_MAX / 2)
		return -ENOMEM;
	stride = (size + POOL_ALIGN - 1) / POOL_ALIGN * POOL_ALIGN;
	if (stride > SIZE_MAX / cap)
		return -ENOMEM;
	mem = mmap(NULL, stride * cap, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (mem == MAP_FAILED)
		return -errno;
	*p = (struct pool){ .mem = mem, .stride = stride, .cap = cap };
	return 0;
}

void
pool_fini(struct pool *p)
{
	if (p->mem == NULL)
		return;
	/* The next mapping at this address must not inherit the poison. */
	ASAN_UNPOISON_MEMORY_REGION(p->mem, p->stride * p->n_touched);
	(void)munmap(p->mem, p->stride * p->cap);
	*p = (struct pool){ 0 };
}

void *
pool_take(struct pool *p)
{
	void *obj = p->free;

	if (obj != NULL) {
		ASAN_UNPOISON_MEMORY_REGION(obj, p->stride);
		memcpy(&p->free, obj, sizeof(p->free));
	} else if (p->n_touched < p->cap) {
		obj = p->mem + p->stride * p->n_touched++;
	} else {
		return NULL;
	}
	p->n_used++;
	return obj;
}

void
pool_give(struct pool *p, void *obj)
{
	assert(p->n_used > 0);
	assert((uintptr_t)obj >= (uintptr_t)p->mem);
	assert(((uintptr_t)obj - (uintptr_t)p->mem) % p->stride == 0);
	assert(((uintptr_t)obj - (uintptr_t)p->mem) / p->stride < p->n_touched);
	memcpy(obj, &p->free, sizeof(p->free));
	p->free = obj;
	p->n_used--;
	ASAN_POISON_MEMORY_REGION(obj, p->stride);
}
