/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inside: a library for LD_PRELOAD that tries, inside dns64d, what somebody would who had taken it
 * over. Tried once in each thread, when it first waits (epoll_wait). Each try is a line on standard
 * error: "inside main|loop WHAT ERROR", where ERROR is one of "ok", EPERM, EACCES, ENOSYS and
 * "other".
 *
 *	INSIDE_OPEN	a file that the daemon does not need
 *	INSIDE_READ	one beside its configuration
 *	INSIDE_PORT	a TCP port that it does not need, at 127.0.0.1, where somebody listens
 *	INSIDE_FREE	another one, where nobody does
 */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *
name_of(int error)
{
	switch (error) {
	case EPERM:
		return "EPERM";
	case EACCES:
		return "EACCES";
	case ENOSYS:
		return "ENOSYS";
	default:
		return "other";
	}
}

static void
tell(const char *who, const char *what, long rc)
{
	char line[128];
	int n = snprintf(
	    line, sizeof(line), "inside %s %s %s\n", who, what, rc >= 0 ? "ok" : name_of(errno));

	if (write(STDERR_FILENO, line, (size_t)n) < 0)
		abort();
}

static struct sockaddr_in
at(const char *variable)
{
	const char *port = getenv(variable);
	struct sockaddr_in a = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)atoi(port != NULL ? port : "9")),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	return a;
}

static void
try_tcp(const char *who)
{
	struct sockaddr_in there = at("INSIDE_PORT"), free = at("INSIDE_FREE");
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	tell(who, "tcp-bind", bind(fd, (struct sockaddr *)&free, sizeof(free)));
	close(fd);
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	tell(who, "tcp-connect", connect(fd, (struct sockaddr *)&there, sizeof(there)));
	close(fd);
}

static void
try_files(const char *who)
{
	const char *open_path = getenv("INSIDE_OPEN"), *read_path = getenv("INSIDE_READ");
	char new[4096];
	int fd = open(open_path, O_RDONLY | O_CLOEXEC);

	tell(who, "open", fd);
	if (fd >= 0)
		close(fd);
	fd = open(read_path, O_RDONLY | O_CLOEXEC);
	tell(who, "read", fd);
	if (fd >= 0)
		close(fd);
	snprintf(new, sizeof(new), "%s.new", open_path);
	fd = open(new, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	tell(who, "create", fd);
	if (fd >= 0)
		close(fd);
	snprintf(new, sizeof(new), "%s.old", open_path);
	tell(who, "unlink", unlink(new));
}

static void
try_processes(const char *who)
{
	static char name[] = "true";
	static char *const argv[] = { name, NULL };
	pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);

	if (child == 0) {
		execve("/bin/true", argv, NULL);
		_exit(1);
	}
	tell(who, "fork", child);
	if (child > 0)
		waitpid(child, NULL, 0);
	/* With no program of that name: it is denied before it is looked for. */
	tell(who, "execve", execve("/nowhere", argv, NULL));
	tell(who, "ptrace", ptrace(PTRACE_TRACEME, 0, NULL, NULL));
	tell(who, "signal", kill(getppid(), 0));
	errno = EPERM;
	tell(who, "dumpable", prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) - 1);
}

static void
try_kernel(const char *who)
{
	void *p;

	/* Arguments that mean nothing, so that what is not denied fails with another error. */
	tell(who, "mount", mount("none", "/nowhere", "tmpfs", 0, NULL));
	tell(who, "unshare", unshare(CLONE_NEWUSER));
	tell(who, "clone-namespace",
	    syscall(SYS_clone, CLONE_NEWUSER | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM, NULL, NULL,
		NULL, NULL));
	tell(who, "setns", setns(-1, 0));
	tell(who, "init_module", syscall(SYS_init_module, NULL, 0, NULL));
	tell(who, "keyctl", syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, -100, 0));
	tell(who, "bpf", syscall(SYS_bpf, -1, NULL, 0));
	tell(who, "io_uring_setup", syscall(SYS_io_uring_setup, 0, NULL));
	tell(who, "perf_event_open", syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
	tell(who, "packet-socket", socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
	tell(who, "alg-socket", socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
	tell(who, "tiocsti", ioctl(-1, TIOCSTI, ""));
	tell(who, "tiocsti-high", syscall(SYS_ioctl, -1, (UINT64_C(1) << 32) | TIOCSTI, ""));
	p = mmap(NULL, 4096, PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	tell(who, "write-exec", p == MAP_FAILED ? -1 : 0);
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	tell(who, "then-exec", mprotect(p, 4096, PROT_READ | PROT_EXEC));
	/* On the list of neither kind: only strict denies it. */
	tell(who, "getpriority", syscall(SYS_getpriority, 0, 0));
}

static void
try_once(const char *who)
{
	static _Thread_local bool done;
	static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

	if (done || getenv("INSIDE_OPEN") == NULL)
		return;
	done = true;
	/* They try the same port: two at a time, and one finds it in use. */
	pthread_mutex_lock(&turn);
	try_tcp(who);
	try_files(who);
	try_processes(who);
	try_kernel(who);
	pthread_mutex_unlock(&turn);
}

/* --- What is caught --------------------------------------------------------------------------- */

int
epoll_wait(int fd, struct epoll_event *events, int n, int ms)
{
	try_once(gettid() != getpid() ? "loop" : "main");
	return (int)syscall(SYS_epoll_pwait, fd, events, n, ms, NULL, 8);
}
