/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fault: tells faults.so, inside a running dns64d, what is to fail.
 *
 *	fault FILE new			make the file
 *	fault FILE set CALL SKIP TIMES ERRNO
 *					leave SKIP of these calls alone, then TIMES fail
 *	fault FILE set CALL SKIP TIMES ERRNO EVERY RUN
 *					likewise, but the first RUN of each EVERY fail
 *	fault FILE clear		nothing fails
 *	fault FILE hits			print how many have failed
 *	fault FILE calls CALL		print how many of these calls there were
 *	fault FILE list			print the names of the calls
 *	fault FILE wall SECONDS		the clock on the wall is so much fast
 *	fault FILE slow MS		each read and write of a regular file takes so long; "clear"
 *					leaves it so
 */
#include "system/faults.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FAULTS_NAME(name) #name,
static const char *const names[] = { "none", FAULTS_CALLS(FAULTS_NAME) };

static const struct {
	const char *name;
	int error;
} errors[] = { { "ENOMEM", ENOMEM }, { "EMFILE", EMFILE }, { "ENOBUFS", ENOBUFS },
	{ "EAGAIN", EAGAIN }, { "EINTR", EINTR }, { "EIO", EIO }, { "ENOSPC", ENOSPC },
	{ "EPERM", EPERM }, { "EACCES", EACCES }, { "ECONNABORTED", ECONNABORTED },
	{ "ENETUNREACH", ENETUNREACH }, { "ECONNREFUSED", ECONNREFUSED }, { "EINVAL", EINVAL },
	{ "EMSGSIZE", EMSGSIZE }, { "ENOPROTOOPT", ENOPROTOOPT } };

static int
find_call(const char *name)
{
	for (int i = 0; i < FAULTS_N; i++) {
		if (strcmp(names[i], name) == 0)
			return i;
	}
	fprintf(stderr, "fault: no call %s\n", name);
	exit(2);
}

static int
find_error(const char *name)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (strcmp(errors[i].name, name) == 0)
			return errors[i].error;
	}
	fprintf(stderr, "fault: no errno %s\n", name);
	exit(2);
}

static struct faults *
map(const char *path, bool new)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | (new ? O_CREAT | O_TRUNC : 0), 0666);
	void *p = MAP_FAILED;

	if (fd >= 0 &&
	    (!new || (fchmod(fd, 0666) == 0 && ftruncate(fd, sizeof(struct faults)) == 0)))
		p = mmap(NULL, sizeof(struct faults), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		perror(path);
		exit(2);
	}
	return p;
}

int
main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[2] : "";
	struct faults *f = map(argc > 1 ? argv[1] : "", strcmp(what, "new") == 0);

	if (strcmp(what, "set") == 0 && (argc == 7 || argc == 9)) {
		atomic_store(&f->call, FAULTS_NONE);
		atomic_store(&f->skip, strtol(argv[4], NULL, 10));
		atomic_store(&f->times, strtol(argv[5], NULL, 10));
		atomic_store(&f->every, argc == 9 ? strtol(argv[7], NULL, 10) : 1);
		atomic_store(&f->run, argc == 9 ? strtol(argv[8], NULL, 10) : 0);
		atomic_store(&f->error, find_error(argv[6]));
		atomic_store(&f->hits, 0);
		atomic_store(&f->call, find_call(argv[3]));
	} else if (strcmp(what, "clear") == 0) {
		atomic_store(&f->call, FAULTS_NONE);
	} else if (strcmp(what, "hits") == 0) {
		printf("%ld\n", atomic_load(&f->hits));
	} else if (strcmp(what, "calls") == 0 && argc == 4) {
		printf("%ld\n", atomic_load(&f->calls[find_call(argv[3])]));
	} else if (strcmp(what, "list") == 0) {
		for (int i = 1; i < FAULTS_N; i++)
			printf("%s\n", names[i]);
	} else if (strcmp(what, "wall") == 0 && argc == 4) {
		atomic_store(&f->wall_s, strtol(argv[3], NULL, 10));
	} else if (strcmp(what, "slow") == 0 && argc == 4) {
		atomic_store(&f->slow_ms, strtol(argv[3], NULL, 10));
	} else if (strcmp(what, "new") != 0) {
		fprintf(stderr, "fault: %s?\n", what);
		return 2;
	}
	return 0;
}
