/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes are a message in which a name stands at every offset, and then a name's text. */
#include <string.h>

#include "dns/name.h"
#include "fuzz/fuzz.h"

static void
check_round_trip(const uint8_t *name, size_t len)
{
	char text[NAME_TEXT];
	uint8_t again[DNS_NAME_MAX];

	FUZZ_CHECK(len <= DNS_NAME_MAX && name_len(name) == len && name_labels(name) < 128);
	FUZZ_CHECK(name_from_text(name_to_text(name, text), again) == len);
	FUZZ_CHECK(memcmp(name, again, len) == 0);
	name_lower(again, name, len);
	FUZZ_CHECK(name_equal(name, again) && name_is_below(again, name));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	uint8_t name[DNS_NAME_MAX];
	char text[2048] = { 0 };
	size_t n, end;

	for (size_t pos = 0; pos < len && pos < 64; pos++) {
		n = name_expand(data, len, pos, name, &end);
		if (n == 0)
			continue;
		FUZZ_CHECK(end > pos && end <= len && name_skip(data, len, pos) == end);
		check_round_trip(name, n);
	}
	memcpy(text, data, len < sizeof(text) ? len : sizeof(text) - 1);
	n = name_from_text(text, name);
	if (n > 0)
		check_round_trip(name, n);
	return 0;
}
