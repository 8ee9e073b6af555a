/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/heard.h"

#include <check.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HEARD_MAX 65536

static int kept = -1; /* standard error as it was */

void
heard_start(enum log_level level)
{
	int fd = memfd_create("heard", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	kept = dup(STDERR_FILENO);
	ck_assert_int_ge(kept, 0);
	ck_assert_int_ge(dup2(fd, STDERR_FILENO), 0);
	close(fd);
	log_open(LOG_SINK_STDERR);
	log_set_level(level);
}

void
heard_end(void)
{
	(void)dup2(kept, STDERR_FILENO);
	close(kept);
	log_set_level(LOG_LEVEL_INFO);
}

/* How many lines have TEXT in them, or at all if it is NULL. */
static unsigned
count(const char *text)
{
	static char bytes[HEARD_MAX];
	ssize_t len = pread(STDERR_FILENO, bytes, sizeof(bytes) - 1, 0);
	unsigned n = 0;
	char *next;

	ck_assert_int_ge(len, 0);
	bytes[len] = '\0';
	for (char *line = bytes; (next = strchr(line, '\n')) != NULL; line = next + 1) {
		*next = '\0';
		n += text == NULL || strstr(line, text) != NULL;
	}
	return n;
}

unsigned
heard(const char *text)
{
	return count(text);
}

unsigned
heard_all(void)
{
	unsigned n = count(NULL);

	ck_assert_int_eq(ftruncate(STDERR_FILENO, 0), 0);
	ck_assert_int_ge(lseek(STDERR_FILENO, 0, SEEK_SET), 0);
	return n;
}
