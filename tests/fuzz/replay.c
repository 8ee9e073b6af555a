/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * replay: main() of a fuzz target without libFuzzer: run it on each file given, or on its corpus.
 */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "fuzz/fuzz.h"

#define INPUT_MAX (1 << 20)

static bool
replay_file(const char *path)
{
	uint8_t *data = malloc(INPUT_MAX);
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
	(void)printf("%d inputs\n", n);
	return n > 0 ? 0 : 1;
}
