/* SPDX-License-Identifier: BSD-2-Clause */

#include "support/scratch.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const char template[] = "/tmp/dns64d-test.XXXXXX";

_Static_assert(sizeof(template) <= SCRATCH_PATH, "the name fits");

int
scratch_file(char *path)
{
	int fd;

	memcpy(path, template, sizeof(template));
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	return fd;
}

void
scratch_dir(char *path)
{
	memcpy(path, template, sizeof(template));
	ck_assert_ptr_nonnull(mkdtemp(path));
}
