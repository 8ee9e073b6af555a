/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * replay: main() of a fuzz target without libFuzzer: run it on each file given, or on its corpus.
 * If the target knows how to change an input (fuzz/mutate), each is changed some times too.
 */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "fuzz/mutate.h"

#define CHANGES 50 /* of each input */
#define ROOM 512   /* bytes by which an input may grow in them */
#define INPUT_MAX (1 << 20)

/* A target may have none. */
#pragma weak LLVMFuzzerCustomMutator

/* In place of libFuzzer's: a byte changes, comes or goes; always the same ones. */
size_t
LLVMFuzzerMutate(uint8_t *data, size_t len, size_t cap)
{
	static uint32_t chance;
	size_t at;

	chance = chance * 1664525u + 1013904223u;
	at = len > 0 ? (chance >> 8) % len : 0;
	if (chance % 3 == 0 && len > 1) {
		memmove(data + at, data + at + 1, len - at - 1);
		return len - 1;
	}
	if (len == 0 || (chance % 3 == 1 && len < cap)) {
		memmove(data + at + 1, data + at, len - at);
		len++;
	}
	data[at] = (uint8_t)(chance >> 24);
	return len;
}

static unsigned n_changed;

/* What comes of an input, changed once more each time. */
static void
replay_changed(uint8_t *data, size_t len)
{
	size_t cap = len + ROOM;

	for (unsigned i = 0; i < CHANGES && LLVMFuzzerCustomMutator != NULL; i++) {
		len = LLVMFuzzerCustomMutator(data, len, cap, i * 2654435761u);
		FUZZ_CHECK(len <= cap);
		n_changed++;
		(void)LLVMFuzzerTestOneInput(data, len);
	}
}

static bool
replay_file(const char *path)
{
	uint8_t *data = malloc(INPUT_MAX + ROOM);
	FILE *file = fopen(path, "rb");
	size_t len = 0;
	bool ok = data != NULL && file != NULL;

	if (ok) {
		len = fread(data, 1, INPUT_MAX, file);
		ok = ferror(file) == 0;
	}
	if (file != NULL)
		(void)fclose(file);
	if (ok) {
		/* Named first, so that a crash tells which. */
		(void)printf("%s\n", path);
		(void)fflush(stdout);
		(void)LLVMFuzzerTestOneInput(data, len);
		replay_changed(data, len);
	} else {
		perror(path);
	}
	free(data);
	return ok;
}

/* Number of files replayed, -1 on any trouble. */
static int
replay_dir(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	char path[PATH_MAX];
	int len, n = 0;

	if (d == NULL) {
		perror(dir);
		return -1;
	}
	while (n >= 0 && (entry = readdir(d)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		len = snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		n = len < (int)sizeof(path) && replay_file(path) ? n + 1 : -1;
	}
	(void)closedir(d);
	return n;
}

int
main(int argc, char **argv)
{
	const char *tests = getenv("TEST_SRCDIR");
	const char *target = strrchr(argv[0], '_');
	char dir[PATH_MAX];
	int n;

	for (int i = 1; i < argc; i++) {
		if (!replay_file(argv[i]))
			return 1;
	}
	if (argc > 1)
		return 0;
	(void)snprintf(dir, sizeof(dir), "%s/fuzz/corpus/%s", tests != NULL ? tests : "tests",
	    target != NULL ? target + 1 : "");
	n = replay_dir(dir);
	(void)printf("%d inputs, %u changed ones\n", n, n_changed);
	return n > 0 ? 0 : 1;
}
