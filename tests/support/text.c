/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/text.h"

#include <check.h>
#include <string.h>

void
text_contains(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "no \"%s\" in:\n%.3000s", part, text);
}

void
text_lacks(const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) == NULL, "\"%s\" in:\n%.3000s", part, text);
}

int
text_words(char *line, char **words, int cap)
{
	int n = 0;

	for (char *word; (word = strsep(&line, " ")) != NULL;) {
		if (*word == '\0')
			continue;
		ck_assert_int_lt(n, cap - 1);
		words[n++] = word;
	}
	words[n] = NULL;
	return n;
}

const char *
text_of(FILE *f, char *text, size_t size)
{
	ck_assert_ptr_nonnull(f);
	rewind(f);
	size_t n = fread(text, 1, size, f);
	ck_assert_uint_lt(n, size);
	text[n] = '\0';
	(void)fclose(f);
	return text;
}

const char *
text_read(const char *path, char *text, size_t size)
{
	return text_of(fopen(path, "r"), text, size);
}

void
text_write(const char *path, const char *text, size_t n)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(text, 1, n, f), n);
	ck_assert_int_eq(fclose(f), 0);
}
