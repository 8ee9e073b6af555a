/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/host/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"

/* Read to the end of the file or of the buffer: /proc may give it in pieces. */
static int
read_all(int fd, struct bench_file *file)
{
	size_t len = 0;

	while (len < BENCH_FILE_MAX) {
		ssize_t n = read(fd, file->text + len, BENCH_FILE_MAX - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
	}
	file->len = len;
	file->text[len] = '\0';
	return 0;
}

int
bench_file_read(struct bench_file *file, const char *path, ...)
{
	char name[BENCH_FILE_PATH];
	va_list ap;

	va_start(ap, path);
	int n = vsnprintf(name, sizeof(name), path, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(name))
		return -ENAMETOOLONG;
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	int r = read_all(fd, file);
	(void)close(fd);
	return r;
}

const char *
bench_file_value(const char *text, const char *key)
{
	size_t len = strlen(key);

	while (text != NULL) {
		if (strncmp(text, key, len) == 0 && text[len] == ':')
			return text + len + 1 + strspn(text + len + 1, " \t");
		text = strchr(text, '\n');
		if (text != NULL)
			text++;
	}
	return NULL;
}

bool
bench_file_number(const char **at, uint64_t *v)
{
	const char *p = *at + strspn(*at, " \t");
	uint64_t n;
	size_t len = number_prefix(p, SIZE_MAX, UINT64_MAX, &n);

	if (len == 0)
		return false;
	p += len;
	if (*p != ' ' && *p != '\t' && *p != '\n')
		return false;
	*at = p;
	*v = n;
	return true;
}

uint64_t
bench_file_times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

void
bench_file_clean(char *to, size_t cap, const char *from, size_t len)
{
	size_t n = len < cap - 1 ? len : cap - 1;

	for (size_t i = 0; i < n; i++)
		to[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
	to[n] = '\0';
}
