/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes are what comes from a proxy, over UDP at once, over TCP in any pieces: with each byte
 * more the verdict is the same, unless it was that more are needed.
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "io/proxy.h"

static void
check_header(const struct proxy_header *h, size_t len, bool client)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	const struct netaddr *a = &h->client;

	FUZZ_CHECK(h->len >= 16 && h->len <= len && h->len <= PROXY_MAX);
	FUZZ_CHECK(client == (a->family != NETADDR_NONE));
	FUZZ_CHECK(!netaddr_is_group(a) && !netaddr_is_wildcard(a) && a->scope == 0);
	FUZZ_CHECK(a->family != NETADDR_IPV6 || memcmp(a->addr, mapped, sizeof(mapped)) != 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct proxy_header first = { .len = 0 };
	enum proxy_verdict before = PROXY_PARTIAL;

	for (size_t n = 0; n <= len && n <= PROXY_MAX + 1; n++) {
		struct proxy_header h = { .len = 0 };
		uint8_t *copy =
		    malloc(n > 0 ? n : 1); /* AddressSanitizer finds what is read behind it */
		enum proxy_verdict v;

		FUZZ_CHECK(copy != NULL);
		memcpy(copy, data, n);
		v = proxy_parse(copy, n, &h);
		free(copy);
		FUZZ_CHECK(v != PROXY_UNEXPECTED && (before == PROXY_PARTIAL || v == before));
		if (v == PROXY_CLIENT || v == PROXY_SENDER)
			check_header(&h, n, v == PROXY_CLIENT);
		if (before != PROXY_PARTIAL)
			FUZZ_CHECK(h.len == first.len && netaddr_equal(&h.client, &first.client));
		first = h;
		before = v;
		FUZZ_CHECK(v == PROXY_MISSING || n < 12 || proxy_begins(data, n));
	}
	FUZZ_CHECK(before != PROXY_PARTIAL || len < PROXY_MAX);
	return 0;
}
