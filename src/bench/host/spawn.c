/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/host/spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

static int
set_attributes(posix_spawnattr_t *attr, bool own_group)
{
	short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
	sigset_t none, all;

	(void)sigemptyset(&none);
	(void)sigfillset(&all);
	int err = posix_spawnattr_setsigmask(attr, &none);
	if (err == 0)
		err = posix_spawnattr_setsigdefault(attr, &all);
	if (err == 0 && own_group)
		err = posix_spawnattr_setpgroup(attr, 0);
	if (own_group)
		flags |= POSIX_SPAWN_SETPGROUP;
	return err == 0 ? posix_spawnattr_setflags(attr, flags) : err;
}

static int
set_files(posix_spawn_file_actions_t *files, const int fd[static 3])
{
	int err = 0;

	for (int i = 0; i < 3 && err == 0; i++) {
		if (fd[i] >= 0)
			err = posix_spawn_file_actions_adddup2(files, fd[i], i);
		else
			err = posix_spawn_file_actions_addopen(files, i, "/dev/null", O_RDWR, 0);
	}
	return err;
}

int
bench_spawn(char *const argv[], const int fd[static 3], bool own_group, pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int err = posix_spawn_file_actions_init(&files);

	if (err != 0)
		return err;
	err = posix_spawnattr_init(&attr);
	if (err == 0) {
		err = set_attributes(&attr, own_group);
		if (err == 0)
			err = set_files(&files, fd);
		if (err == 0)
			err = posix_spawnp(pid, argv[0], &files, &attr, argv, environ);
		(void)posix_spawnattr_destroy(&attr);
	}
	(void)posix_spawn_file_actions_destroy(&files);
	return err;
}
