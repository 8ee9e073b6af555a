/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The kernel's interface, as headers are often older than kernels; the numbers of the calls are the
 * same on all architectures that have them.
 */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif
#define CREATE_VERSION 1u /* flag of create_ruleset: tell the version */
#define RULE_PATH 1
#define RULE_PORT 2
#define FS_WRITE_FILE (UINT64_C(1) << 1)
#define FS_READ_FILE (UINT64_C(1) << 2)
#define FS_READ_DIR (UINT64_C(1) << 3)
#define FS_REMOVE_FILE (UINT64_C(1) << 5)
#define FS_MAKE_REG (UINT64_C(1) << 8)
#define FS_TRUNCATE (UINT64_C(1) << 14)
#define NET_BIND UINT64_C(1)
#define NET_CONNECT UINT64_C(2)
#define SCOPE_SIGNAL UINT64_C(2)

struct ruleset_attr {
	uint64_t files;
	uint64_t tcp;
	uint64_t scoped;
};

struct path_attr {
	uint64_t allowed;
	int32_t parent_fd;
} __attribute__((packed));

struct port_attr {
	uint64_t allowed;
	uint64_t port;
};

/* All rights on files that version ABI can forbid. */
static uint64_t
all_files(int abi)
{
	/* The number of rights that versions 1 to 5 have. */
	static const unsigned n[] = { 13, 14, 15, 15, 16 };

	return (UINT64_C(1) << n[abi > 5 ? 4 : abi - 1]) - 1;
}

int
landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, CREATE_VERSION);

	return abi < 0 ? -errno : (int)abi;
}

int
landlock_begin(struct landlock *l, int abi, unsigned tcp)
{
	struct ruleset_attr attr = { .files = all_files(abi) };

	if (abi >= LANDLOCK_ABI_NET)
		attr.tcp = ((tcp & LANDLOCK_BIND) != 0 ? NET_BIND : 0) |
		    ((tcp & LANDLOCK_CONNECT) != 0 ? NET_CONNECT : 0);
	if (abi >= 6)
		attr.scoped = SCOPE_SIGNAL;
	/* What an older kernel does not know is zero here, which it accepts. */
	long fd = syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0u);
	if (fd < 0)
		return -errno;
	*l = (struct landlock){ .fd = (int)fd, .files = attr.files, .tcp = attr.tcp };
	return 0;
}

static int
add_rule(const struct landlock *l, int type, const void *attr)
{
	return syscall(SYS_landlock_add_rule, l->fd, type, attr, 0u) == 0 ? 0 : -errno;
}

int
landlock_allow_dir(struct landlock *l, const char *path, unsigned what)
{
	struct path_attr attr = { .parent_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) };
	int rc;

	if (attr.parent_fd < 0)
		return -errno;
	if ((what & LANDLOCK_READ) != 0)
		attr.allowed |= FS_READ_FILE | FS_READ_DIR;
	if ((what & LANDLOCK_WRITE) != 0)
		attr.allowed |= FS_WRITE_FILE | FS_MAKE_REG | FS_TRUNCATE;
	if ((what & LANDLOCK_REMOVE) != 0)
		attr.allowed |= FS_REMOVE_FILE;
	attr.allowed &= l->files;
	rc = add_rule(l, RULE_PATH, &attr);
	close(attr.parent_fd);
	return rc;
}

int
landlock_allow_port(struct landlock *l, uint16_t port, unsigned what)
{
	struct port_attr attr = { .port = port };

	if ((what & LANDLOCK_BIND) != 0)
		attr.allowed |= NET_BIND;
	if ((what & LANDLOCK_CONNECT) != 0)
		attr.allowed |= NET_CONNECT;
	attr.allowed &= l->tcp;
	return attr.allowed == 0 ? 0 : add_rule(l, RULE_PORT, &attr);
}

int
landlock_enforce(struct landlock *l, bool ok)
{
	int rc = 0;

	if (ok && syscall(SYS_landlock_restrict_self, l->fd, 0u) != 0)
		rc = -errno;
	close(l->fd);
	l->fd = -1;
	return rc;
}
