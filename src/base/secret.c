/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/secret.h"

#include <string.h>
#include <sys/mman.h>

void
secret_lock(const void *p, size_t n)
{
	int rc = mlock(p, n);

	(void)rc; /* best effort */
}

void
secret_wipe(void *p, size_t n)
{
	explicit_bzero(p, n);
}
