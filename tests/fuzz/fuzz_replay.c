/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes are a file for dns64bench --replay: a capture, a query log, a list. */
#include <string.h>

#include "bench/load/replay.h"
#include "dns/name.h"
#include "fuzz/fuzz.h"
#include "fuzz/mutate.h"

/* What is promised of each question that was read. */
static void
check_questions(const struct bench_replay *r)
{
	uint64_t last_ns = 0;

	FUZZ_CHECK(r->n > 0);
	for (uint32_t i = 0; i < r->n; i++) {
		uint8_t name[DNS_NAME_MAX];
		size_t len = bench_replay_name(r, i, name);
		uint64_t due_ns = bench_replay_time(r, i);

		FUZZ_CHECK(len == name_len(name));
		FUZZ_CHECK(due_ns >= last_ns && due_ns < r->span_ns);
		FUZZ_CHECK(bench_replay_due(r, due_ns) > i);
		last_ns = due_ns;
	}
	FUZZ_CHECK(bench_replay_due(r, r->span_ns) > r->n);
	FUZZ_CHECK(bench_replay_rate(r, 1000) >= 1);
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t cap, unsigned seed)
{
	return mutate_behind(0, data, len, cap, seed);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	uint8_t *copy = malloc(len > 0 ? len : 1); /* so that a sanitizer sees its end */
	char error[BENCH_REPLAY_ERROR] = "";
	struct bench_replay *r;

	FUZZ_CHECK(copy != NULL);
	memcpy(copy, data, len);
	if (bench_replay_read(copy, len, &r, error)) {
		check_questions(r);
		bench_replay_free(r);
	} else {
		FUZZ_CHECK(strlen(error) > 0 && strlen(error) < sizeof(error));
	}
	free(copy);
	return 0;
}
