/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/syscalls.h"

#include <errno.h>
#include <stdint.h>

#ifndef HAVE_SECCOMP

bool
syscalls_known(void)
{
	return false;
}

int
syscalls_limit(bool strict)
{
	(void)strict;
	return -EOPNOTSUPP;
}

#else

#include <linux/sched.h>
#include <linux/sockios.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

/* A call, whatever its arguments are, or with some value of one argument. */
struct rule {
	const char *name;
	unsigned arg;
	enum scmp_compare how; /* 0: whatever the arguments are */
	scmp_datum_t a;        /* of SCMP_CMP_MASKED_EQ the mask, of SCMP_CMP_GT the value */
	scmp_datum_t b;        /* of SCMP_CMP_MASKED_EQ the value */
};

/* The kernel reads 32 bits of an int, so what stands above them must not matter. */
#define IF_BITS(n, bits, are) .arg = (n), .how = SCMP_CMP_MASKED_EQ, .a = (bits), .b = (are)
#define IF_EQUAL(n, is) IF_BITS(n, UINT32_MAX, is)
#define IF_MORE(n, than) .arg = (n), .how = SCMP_CMP_GT, .a = (than)

/* The flags of clone(2) are its second argument there. */
#ifdef __s390__
#define CLONE_FLAGS 1
#else
#define CLONE_FLAGS 0
#endif
#define NAMESPACES \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
	    CLONE_NEWPID | CLONE_NEWNET)

/*
 * What a program that serves DNS never does after its start. Everything about other processes,
 * the kernel itself, privileges, and memory that is writable and executable.
 */
static const struct rule denied[] = {
	/* Programs, processes and namespaces. Threads go on. */
	{ .name = "execve" },
	{ .name = "execveat" },
	{ .name = "fork" },
	{ .name = "vfork" },
	{ .name = "clone", IF_BITS(CLONE_FLAGS, CLONE_THREAD, 0) },
	{ .name = "unshare" },
	{ .name = "setns" },
	{ .name = "ptrace" },
	{ .name = "process_vm_readv" },
	{ .name = "process_vm_writev" },
	{ .name = "process_madvise" },
	{ .name = "process_mrelease" },
	{ .name = "pidfd_open" },
	{ .name = "pidfd_getfd" },
	{ .name = "pidfd_send_signal" },
	{ .name = "kcmp" },
	{ .name = "personality" },
	{ .name = "chroot" },
	{ .name = "pivot_root" },
	/* File systems, and files by handle, past any directory. */
	{ .name = "mount" },
	{ .name = "umount" },
	{ .name = "umount2" },
	{ .name = "open_tree" },
	{ .name = "move_mount" },
	{ .name = "fsopen" },
	{ .name = "fsconfig" },
	{ .name = "fsmount" },
	{ .name = "fspick" },
	{ .name = "mount_setattr" },
	{ .name = "quotactl" },
	{ .name = "quotactl_fd" },
	{ .name = "swapon" },
	{ .name = "swapoff" },
	{ .name = "name_to_handle_at" },
	{ .name = "open_by_handle_at" },
	{ .name = "fanotify_init" },
	{ .name = "mknod" },
	{ .name = "mknodat" },
	/* The kernel. */
	{ .name = "init_module" },
	{ .name = "finit_module" },
	{ .name = "delete_module" },
	{ .name = "kexec_load" },
	{ .name = "kexec_file_load" },
	{ .name = "reboot" },
	{ .name = "bpf" },
	{ .name = "perf_event_open" },
	{ .name = "userfaultfd" },
	{ .name = "io_uring_setup" },
	{ .name = "io_uring_enter" },
	{ .name = "io_uring_register" },
	{ .name = "add_key" },
	{ .name = "request_key" },
	{ .name = "keyctl" },
	{ .name = "syslog" },
	{ .name = "acct" },
	{ .name = "sethostname" },
	{ .name = "setdomainname" },
	{ .name = "settimeofday" },
	{ .name = "stime" },
	{ .name = "clock_settime" },
	{ .name = "clock_settime64" },
	{ .name = "clock_adjtime" },
	{ .name = "clock_adjtime64" },
	{ .name = "adjtimex" },
	{ .name = "ioperm" },
	{ .name = "iopl" },
	{ .name = "modify_ldt" },
	{ .name = "vm86" },
	{ .name = "vm86old" },
	{ .name = "vhangup" },
	{ .name = "move_pages" },
	{ .name = "migrate_pages" },
	{ .name = "lookup_dcookie" },
	{ .name = "memfd_create" },
	/* Code in memory that was written. */
	{ .name = "mmap", IF_BITS(2, PROT_WRITE | PROT_EXEC, PROT_WRITE | PROT_EXEC) },
	{ .name = "mmap2", IF_BITS(2, PROT_WRITE | PROT_EXEC, PROT_WRITE | PROT_EXEC) },
	{ .name = "mprotect", IF_BITS(2, PROT_EXEC, PROT_EXEC) },
	{ .name = "pkey_mprotect", IF_BITS(2, PROT_EXEC, PROT_EXEC) },
	{ .name = "shmat" },
	/* Words typed into the terminal that the daemon was started from. */
	{ .name = "ioctl", IF_EQUAL(1, TIOCSTI) },
	{ .name = "ioctl", IF_EQUAL(1, TIOCLINUX) },
	/* Sockets but UNIX, INET, INET6 and NETLINK (1, 2, 10, 16). */
	{ .name = "socket", IF_EQUAL(0, AF_UNSPEC) },
	{ .name = "socket", IF_BITS(0, UINT64_MAX ^ 3, 4) },
	{ .name = "socket", IF_EQUAL(0, 3) },
	{ .name = "socket", IF_BITS(0, UINT64_MAX ^ 1, 8) },
	{ .name = "socket", IF_EQUAL(0, 11) },
	{ .name = "socket", IF_BITS(0, UINT64_MAX ^ 3, 12) },
	{ .name = "socket", IF_MORE(0, AF_NETLINK) },
};

/* What strict permits: what libc, libevent, OpenSSL and dns64d call after the start. */
static const struct rule permitted[] = {
	/* Descriptors. */
	{ .name = "read" },
	{ .name = "readv" },
	{ .name = "pread64" },
	{ .name = "write" },
	{ .name = "writev" },
	{ .name = "pwrite64" },
	{ .name = "close" },
	{ .name = "close_range" },
	{ .name = "dup" },
	{ .name = "dup2" },
	{ .name = "dup3" },
	{ .name = "fcntl" },
	{ .name = "fcntl64" },
	{ .name = "lseek" },
	{ .name = "_llseek" },
	{ .name = "pipe2" },
	{ .name = "eventfd2" },
	{ .name = "poll" },
	{ .name = "ppoll" },
	{ .name = "ppoll_time64" },
	{ .name = "select" },
	{ .name = "_newselect" },
	{ .name = "pselect6" },
	{ .name = "pselect6_time64" },
	{ .name = "epoll_create1" },
	{ .name = "epoll_ctl" },
	{ .name = "epoll_wait" },
	{ .name = "epoll_pwait" },
	{ .name = "epoll_pwait2" },
	{ .name = "timerfd_create" },
	{ .name = "timerfd_settime" },
	{ .name = "timerfd_settime64" },
	{ .name = "ioctl", IF_EQUAL(1, FIONREAD) },
	{ .name = "ioctl", IF_EQUAL(1, FIONBIO) },
	{ .name = "ioctl", IF_EQUAL(1, TCGETS) },
	{ .name = "ioctl", IF_EQUAL(1, SIOCGSTAMPNS) },
	{ .name = "ioctl", IF_EQUAL(1, SIOCGIFINDEX) },
	{ .name = "ioctl", IF_EQUAL(1, SIOCGIFNAME) },
	/* Sockets. */
	{ .name = "socket", IF_EQUAL(0, AF_UNIX) },
	{ .name = "socket", IF_EQUAL(0, AF_INET) },
	{ .name = "socket", IF_EQUAL(0, AF_INET6) },
	{ .name = "socket", IF_EQUAL(0, AF_NETLINK) },
	{ .name = "bind" },
	{ .name = "connect" },
	{ .name = "listen" },
	{ .name = "accept" },
	{ .name = "accept4" },
	{ .name = "shutdown" },
	{ .name = "getsockname" },
	{ .name = "getpeername" },
	{ .name = "getsockopt" },
	{ .name = "setsockopt" },
	{ .name = "send" },
	{ .name = "sendto" },
	{ .name = "sendmsg" },
	{ .name = "sendmmsg" },
	{ .name = "recv" },
	{ .name = "recvfrom" },
	{ .name = "recvmsg" },
	{ .name = "recvmmsg" },
	{ .name = "recvmmsg_time64" },
	/* Files: which ones is Landlock's business. */
	{ .name = "open" },
	{ .name = "openat" },
	{ .name = "access" },
	{ .name = "faccessat" },
	{ .name = "faccessat2" },
	{ .name = "stat" },
	{ .name = "stat64" },
	{ .name = "fstat" },
	{ .name = "fstat64" },
	{ .name = "lstat" },
	{ .name = "lstat64" },
	{ .name = "newfstatat" },
	{ .name = "fstatat64" },
	{ .name = "statx" },
	{ .name = "readlink" },
	{ .name = "readlinkat" },
	{ .name = "getcwd" },
	{ .name = "umask" },
	{ .name = "getdents64" },
	{ .name = "unlink" },
	{ .name = "unlinkat" },
	{ .name = "rename" },
	{ .name = "renameat" },
	{ .name = "renameat2" },
	{ .name = "fsync" },
	{ .name = "fdatasync" },
	{ .name = "ftruncate" },
	{ .name = "ftruncate64" },
	{ .name = "fadvise64" },
	/* Memory. */
	{ .name = "brk" },
	{ .name = "mmap", IF_BITS(2, PROT_EXEC, 0) },
	{ .name = "mmap2", IF_BITS(2, PROT_EXEC, 0) },
	{ .name = "mprotect", IF_BITS(2, PROT_EXEC, 0) },
	{ .name = "munmap" },
	{ .name = "mremap" },
	{ .name = "madvise" },
	{ .name = "mlock" },
	{ .name = "munlock" },
	{ .name = "getrandom" },
	/* Threads and signals. */
	{ .name = "clone", IF_BITS(CLONE_FLAGS, CLONE_THREAD | NAMESPACES, CLONE_THREAD) },
	{ .name = "futex" },
	{ .name = "futex_time64" },
	{ .name = "set_robust_list" },
	{ .name = "get_robust_list" },
	{ .name = "set_tid_address" },
	{ .name = "rseq" },
	{ .name = "membarrier" },
	{ .name = "prctl" },
	{ .name = "capget" },
	{ .name = "capset" },
	{ .name = "landlock_create_ruleset" },
	{ .name = "landlock_add_rule" },
	{ .name = "landlock_restrict_self" },
	{ .name = "sched_yield" },
	{ .name = "sched_getaffinity" },
	{ .name = "sched_setaffinity" },
	{ .name = "getcpu" },
	{ .name = "rt_sigaction" },
	{ .name = "rt_sigprocmask" },
	{ .name = "rt_sigreturn" },
	{ .name = "sigreturn" },
	{ .name = "sigaltstack" },
	{ .name = "signalfd4" },
	{ .name = "tkill" },
	{ .name = "tgkill" },
	{ .name = "restart_syscall" },
	{ .name = "exit" },
	{ .name = "exit_group" },
	/* Who and when. */
	{ .name = "getpid" },
	{ .name = "getppid" },
	{ .name = "gettid" },
	{ .name = "getuid" },
	{ .name = "getuid32" },
	{ .name = "geteuid" },
	{ .name = "geteuid32" },
	{ .name = "getgid" },
	{ .name = "getgid32" },
	{ .name = "getegid" },
	{ .name = "getegid32" },
	{ .name = "getrlimit" },
	{ .name = "ugetrlimit" },
	{ .name = "prlimit64" },
	{ .name = "getrusage" },
	{ .name = "sysinfo" },
	{ .name = "uname" },
	{ .name = "time" },
	{ .name = "times" },
	{ .name = "gettimeofday" },
	{ .name = "clock_gettime" },
	{ .name = "clock_gettime64" },
	{ .name = "clock_getres" },
	{ .name = "nanosleep" },
	{ .name = "clock_nanosleep" },
	{ .name = "clock_nanosleep_time64" },
};

/* Add RULE with ACTION. A call that this architecture or libseccomp does not know needs none. */
static int
add(scmp_filter_ctx f, uint32_t action, const struct rule *rule)
{
	int number = seccomp_syscall_resolve_name(rule->name);
	const struct scmp_arg_cmp cmp = {
		.arg = rule->arg, .op = rule->how, .datum_a = rule->a, .datum_b = rule->b
	};

	if (number == __NR_SCMP_ERROR)
		return 0;
	return seccomp_rule_add_array(
	    f, action, number, rule->how == 0 ? 0 : 1, rule->how == 0 ? NULL : &cmp);
}

static int
add_all(scmp_filter_ctx f, uint32_t action, const struct rule *rules, size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = add(f, action, &rules[i]);
	return rc;
}

/*
 * Deny new namespaces, a rule each, as any of these flags is one too many; and clone3, whose flags
 * no filter can see: libc goes back to clone.
 */
static int
add_clones(scmp_filter_ctx f)
{
	const struct rule clone3 = { .name = "clone3" };
	int rc = add(f, SCMP_ACT_ERRNO(ENOSYS), &clone3);

	for (unsigned i = 0; i < 32 && rc == 0; i++) {
		scmp_datum_t flag = (scmp_datum_t)NAMESPACES & UINT64_C(1) << i;
		const struct rule clone = { .name = "clone", IF_BITS(CLONE_FLAGS, flag, flag) };

		if (flag != 0)
			rc = add(f, SCMP_ACT_ERRNO(EPERM), &clone);
	}
	return rc;
}

/* A call that is permitted with some arguments only is denied with the others. */
static int
add_strict(scmp_filter_ctx f)
{
	int rc = add_all(f, SCMP_ACT_ALLOW, permitted, N_OF(permitted));

	for (size_t i = 0; i < N_OF(denied) && rc == 0; i++) {
		if (denied[i].how == 0) /* so libc is not told to try an older call */
			rc = add(f, SCMP_ACT_ERRNO(EPERM), &denied[i]);
	}
	return rc;
}

bool
syscalls_known(void)
{
	return true;
}

int
syscalls_limit(bool strict)
{
	scmp_filter_ctx f = seccomp_init(strict ? SCMP_ACT_ERRNO(ENOSYS) : SCMP_ACT_ALLOW);
	int rc;

	if (f == NULL)
		return -ENOMEM;
	/* Calls of another architecture would pass by every rule. */
	(void)seccomp_attr_set(f, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
	/* Nothing that strangers wrote runs here, so no mitigation is wanted that slows us down. */
	(void)seccomp_attr_set(f, SCMP_FLTATR_CTL_SSB, 1);
	(void)seccomp_attr_set(f, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	(void)seccomp_attr_set(f, SCMP_FLTATR_CTL_LOG, 1);
	if (strict)
		rc = add_strict(f);
	else
		rc = add_all(f, SCMP_ACT_ERRNO(EPERM), denied, N_OF(denied));
	if (rc == 0 && !strict)
		rc = add_clones(f);
	if (rc == 0)
		rc = seccomp_load(f);
	seccomp_release(f);
	return rc;
}

#endif
