/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/number.h"

size_t
number_prefix(const char *text, size_t len, uint64_t max, uint64_t *v)
{
	uint64_t n = 0;
	size_t i = 0;

	for (; i < len && text[i] >= '0' && text[i] <= '9'; i++) {
		uint64_t digit = (uint64_t)(text[i] - '0');

		if (n > max / 10 || digit > max - n * 10)
			return 0;
		n = n * 10 + digit;
	}
	if (i > 0)
		*v = n;
	return i;
}

bool
number_parse(const char *text, size_t len, uint64_t max, uint64_t *v)
{
	uint64_t n;

	if (len == 0 || number_prefix(text, len, max, &n) != len)
		return false;
	*v = n;
	return true;
}
