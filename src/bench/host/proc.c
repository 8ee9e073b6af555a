/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/host/proc.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

int
bench_proc_read(struct bench_proc_file *file, const char *path, ...)
{
	char name[PATH_MAX];
	va_list ap;

	va_start(ap, path);
	int n = vsnprintf(name, sizeof(name), path, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(name))
		return -ENAMETOOLONG;
	FILE *f = fopen(name, "re");
	if (f == NULL)
		return -errno;
	size_t len = fread(file->text, 1, BENCH_PROC_FILE_MAX, f);
	int r = ferror(f) != 0 ? -errno : 0;
	file->text[len] = '\0';
	(void)fclose(f);
	return r;
}

const char *
bench_proc_value(const char *text, const char *key, char mark)
{
	size_t len = strlen(key);

	for (; text != NULL; text = strchr(text, '\n')) {
		text += *text == '\n';
		if (strncmp(text, key, len) != 0)
			continue;
		const char *at = text + len + strspn(text + len, " \t");
		if (*at == mark)
			return at + 1 + strspn(at + 1, " \t");
	}
	return NULL;
}

bool
bench_proc_number(const char **at, uint64_t *v)
{
	const char *p = *at + strspn(*at, " \t");
	uint64_t n;
	size_t len = number_prefix(p, SIZE_MAX, UINT64_MAX, &n);

	p += len;
	if (len == 0 || (*p != ' ' && *p != '\t' && *p != '\n'))
		return false;
	*at = p;
	*v = n;
	return true;
}
