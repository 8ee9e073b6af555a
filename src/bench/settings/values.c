/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/settings/values.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "dns/wire.h"

bool
bench_values_real(const char *text, double min, double max, double *v)
{
	char *end;

	/* strtod takes blanks, signs, hexadecimal numbers and exponents; we do not. */
	if (strspn(text, "0123456789.") < strlen(text))
		return false;
	*v = strtod(text, &end);
	return end != text && *end == '\0' && *v >= min && *v <= max;
}

bool
bench_values_network(const char *text, uint32_t *base, uint64_t *size)
{
	const char *slash = strchr(text, '/');
	char addr[16] = "";
	struct netaddr a;
	uint64_t bits;

	if (slash == NULL || slash - text >= (ptrdiff_t)sizeof(addr))
		return false;
	memcpy(addr, text, (size_t)(slash - text));
	if (!number_parse(slash + 1, strlen(slash + 1), 32, &bits) || !netaddr_parse(addr, 0, &a) ||
	    a.family != NETADDR_IPV4)
		return false;
	*base = wire_u32(a.addr);
	*size = 1ULL << (32 - bits);
	return (*base & (uint32_t)(*size - 1)) == 0;
}

bool
bench_values_range(const char *text, struct bench_range *r)
{
	size_t n = number_prefix(text, SIZE_MAX, UINT64_MAX, &r->first);

	if (n == 0 || n > BENCH_DIGITS_MAX || text[n] != '-' || strlen(text) != 2 * n + 1 ||
	    !number_parse(text + n + 1, n, UINT64_MAX, &r->last))
		return false;
	r->digits = (unsigned)n;
	return r->first <= r->last;
}

/* Read the number above 0 at *at, which moves behind it. */
static bool
take_number(const char **at, uint64_t max, uint64_t *v)
{
	size_t n = number_prefix(*at, SIZE_MAX, max, v);

	*at += n;
	return n > 0 && *v > 0;
}

/* Append "N", "FIRST-LAST" or "FIRST-LAST/STEP" at *at to the list. */
static bool
take_steps(const char **at, unsigned max, unsigned *list, size_t cap, size_t *n)
{
	uint64_t first, last, step = 1;

	if (!take_number(at, max, &first))
		return false;
	last = first;
	if (**at == '-') {
		(*at)++;
		if (!take_number(at, max, &last) || last < first)
			return false;
	}
	if (**at == '/') {
		(*at)++;
		if (!take_number(at, max, &step))
			return false;
	}
	for (uint64_t v = first; v <= last; v += step) {
		if (*n == cap)
			return false;
		list[(*n)++] = (unsigned)v;
	}
	return true;
}

bool
bench_values_steps(const char *text, unsigned max, unsigned *list, size_t cap, size_t *n)
{
	*n = 0;
	for (;; text++) {
		if (!take_steps(&text, max, list, cap, n))
			return false;
		if (*text != ',')
			return *text == '\0';
	}
}

bool
bench_values_endpoint(const char *text, uint16_t port, struct netaddr *a)
{
	const char *hash = strchr(text, '#');
	size_t n = hash != NULL ? (size_t)(hash - text) : strlen(text);
	char addr[NETADDR_TEXT];
	uint64_t v = port;

	if (n >= sizeof(addr))
		return false;
	memcpy(addr, text, n);
	addr[n] = '\0';
	if (hash != NULL && (!number_parse(hash + 1, strlen(hash + 1), UINT16_MAX, &v) || v == 0))
		return false;
	return netaddr_parse(addr, (uint16_t)v, a);
}
