/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/reseal.h"

#include "base/hash.h"
#include "cache/image.h"
#include "dns/wire.h"

#define LENGTH_AT 32
#define SUM_AT 40

static void
set_u64(uint8_t *at, uint64_t n)
{
	wire_set_u32(at, (uint32_t)(n >> 32));
	wire_set_u32(at + 4, (uint32_t)n);
}

void
reseal(uint8_t *image, size_t len)
{
	uint64_t sum = IMAGE_SEED;
	size_t at = IMAGE_HEAD;

	if (len < IMAGE_HEAD)
		return;
	while (len - at >= IMAGE_BLOCK_HEAD) {
		uint32_t n;
		size_t block = image_get_block(image + at, &n);

		if (block == 0 || block > len - at - IMAGE_BLOCK_HEAD)
			break;
		block += IMAGE_BLOCK_HEAD;
		sum = image_sum(sum, image + at, block);
		at += block;
	}
	set_u64(image + LENGTH_AT, len);
	set_u64(image + SUM_AT, hash_bytes(image, SUM_AT, sum));
}
