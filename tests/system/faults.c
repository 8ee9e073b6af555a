/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * faults: a library for LD_PRELOAD that makes calls of dns64d fail. FAULTS names the file that the
 * program fault writes (faults.h).
 */
#include "system/faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static struct faults *shared;

__attribute__((constructor)) static void
begin(void)
{
	const char *path = getenv("FAULTS");
	int fd = path == NULL ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
	void *p = fd < 0 ? MAP_FAILED
			 : mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (fd >= 0)
		syscall(SYS_close, fd);
	if (p == MAP_FAILED)
		_exit(99);
	(void)backtrace(&(void *){ NULL }, 1); /* loads what it needs now */
	shared = p;
}

/* Does this call fail? Then errno is set. */
static bool
fails(enum faults_call call)
{
	if (shared == NULL)
		return false;
	atomic_fetch_add(&shared->calls[call], 1);
	long run = atomic_load(&shared->run), left;

	if (atomic_load(&shared->call) != (int)call || atomic_fetch_sub(&shared->skip, 1) > 0)
		return false;
	left = atomic_fetch_sub(&shared->times, 1);
	if (left <= 0 || (run > 0 && left % atomic_load(&shared->every) >= run))
		return false;
	atomic_fetch_add(&shared->hits, 1);
	errno = atomic_load(&shared->error);
	return true;
}

/* The function that NAME is without us. */
static void *
next(const char *name)
{
	void *p = dlsym(RTLD_NEXT, name);

	if (p == NULL)
		abort();
	return p;
}

#define NEXT(type, name) \
	static type *real; \
	if (real == NULL) \
	*(void **)&real = next(name)

/* Is a function on the way here in LIBRARY or, if NAME is not NULL, one whose name begins so? */
static bool
is_on_the_way(const char *library, const char *name)
{
	void *frames[12];
	Dl_info info;
	int n = backtrace(frames, 12);

	for (int i = 0; i < n; i++) {
		if (dladdr(frames[i], &info) == 0 || info.dli_fname == NULL)
			continue;
		if (name == NULL ? strstr(info.dli_fname, library) != NULL
				 : info.dli_sname != NULL &&
			    strncmp(info.dli_sname, name, strlen(name)) == 0)
			return true;
	}
	return false;
}

/*
 * Is CALLER, an address, in a library that does not survive a lack of memory? When they are set up
 * OpenSSL 3.0, libseccomp 2.5 and the name service of glibc 2.36 do not; nor does the HTTP server
 * of libevent 2.1.12 (evhttp_request_free), whenever that is. Nobody can help it from outside.
 */
static bool
is_excused(const void *caller)
{
	Dl_info info;

	if (shared == NULL || dladdr(caller, &info) == 0 || info.dli_fname == NULL)
		return true;
	if (strstr(info.dli_fname, "/libevent_core") != NULL)
		return is_on_the_way("/libevent_extra", NULL);
	if (strstr(info.dli_fname, "/libc.so") != NULL)
		return is_on_the_way(NULL, "getpwnam");
	return strstr(info.dli_fname, "/libcrypto") != NULL ||
	    strstr(info.dli_fname, "/libseccomp") != NULL;
}

#define LACKS(call) (!is_excused(__builtin_return_address(0)) && fails(call))

/* --- Memory ----------------------------------------------------------------------------------- */

/* What dlsym itself takes while it looks for malloc. */
static _Alignas(16) unsigned char first[65536];
static size_t first_used;
static _Thread_local bool looking;

static void *
take_first(size_t n)
{
	size_t at = first_used;

	first_used += (n + 15) / 16 * 16;
	return first_used > sizeof(first) ? NULL : first + at;
}

#define NEXT_ALLOC(type, name) \
	static type *real; \
	if (real == NULL && !looking) { \
		looking = true; \
		*(void **)&real = next(name); \
		looking = false; \
	}

void *
malloc(size_t n)
{
	typedef void *fn(size_t);

	NEXT_ALLOC(fn, "malloc");
	if (real == NULL)
		return take_first(n);
	return LACKS(FAULTS_malloc) ? NULL : real(n);
}

void *
calloc(size_t n, size_t size)
{
	typedef void *fn(size_t, size_t);

	NEXT_ALLOC(fn, "calloc");
	if (real == NULL)
		return take_first(n * size);
	return LACKS(FAULTS_calloc) ? NULL : real(n, size);
}

void *
realloc(void *p, size_t n)
{
	typedef void *fn(void *, size_t);

	NEXT_ALLOC(fn, "realloc");
	if (real == NULL)
		return NULL;
	return LACKS(FAULTS_realloc) ? NULL : real(p, n);
}

void *
aligned_alloc(size_t alignment, size_t n)
{
	typedef void *fn(size_t, size_t);

	NEXT_ALLOC(fn, "aligned_alloc");
	return LACKS(FAULTS_aligned_alloc) ? NULL : real(alignment, n);
}

void
free(void *p)
{
	typedef void fn(void *);

	if ((uintptr_t)p >= (uintptr_t)first && (uintptr_t)p < (uintptr_t)first + sizeof(first))
		return;
	NEXT_ALLOC(fn, "free");
	if (real != NULL)
		real(p);
}

void *
reallocarray(void *p, size_t n, size_t size)
{
	typedef void *fn(void *, size_t, size_t);

	NEXT(fn, "reallocarray");
	return LACKS(FAULTS_realloc) ? NULL : real(p, n, size);
}

/* The C library's headers declare addresses of sockets as a union that ISO C does not know. */
#pragma GCC diagnostic ignored "-Wpedantic"

/* --- Sockets ---------------------------------------------------------------------------------- */

int
socket(int family, int type, int protocol)
{
	return fails(FAULTS_socket) ? -1 : (int)syscall(SYS_socket, family, type, protocol);
}

int
bind(int fd, const struct sockaddr *a, socklen_t n)
{
	return fails(FAULTS_bind) ? -1 : (int)syscall(SYS_bind, fd, a, n);
}

int
connect(int fd, const struct sockaddr *a, socklen_t n)
{
	return fails(FAULTS_connect) ? -1 : (int)syscall(SYS_connect, fd, a, n);
}

int
listen(int fd, int n)
{
	return fails(FAULTS_listen) ? -1 : (int)syscall(SYS_listen, fd, n);
}

int
accept4(int fd, struct sockaddr *a, socklen_t *n, int flags)
{
	return fails(FAULTS_accept4) ? -1 : (int)syscall(SYS_accept4, fd, a, n, flags);
}

int
setsockopt(int fd, int level, int option, const void *value, socklen_t n)
{
	if (fails(FAULTS_setsockopt) || (level == IPPROTO_UDP && fails(FAULTS_setsockopt_udp)))
		return -1;
	return (int)syscall(SYS_setsockopt, fd, level, option, value, n);
}

ssize_t
send(int fd, const void *p, size_t n, int flags)
{
	return fails(FAULTS_send) ? -1 : syscall(SYS_sendto, fd, p, n, flags, NULL, 0);
}

ssize_t
sendto(int fd, const void *p, size_t n, int flags, const struct sockaddr *a, socklen_t len)
{
	return fails(FAULTS_sendto) ? -1 : syscall(SYS_sendto, fd, p, n, flags, a, len);
}

ssize_t
sendmsg(int fd, const struct msghdr *m, int flags)
{
	return fails(FAULTS_sendmsg) ? -1 : syscall(SYS_sendmsg, fd, m, flags);
}

int
sendmmsg(int fd, struct mmsghdr *m, unsigned n, int flags)
{
	return fails(FAULTS_sendmmsg) ? -1 : (int)syscall(SYS_sendmmsg, fd, m, n, flags);
}

ssize_t
recv(int fd, void *p, size_t n, int flags)
{
	return fails(FAULTS_recv) ? -1 : syscall(SYS_recvfrom, fd, p, n, flags, NULL, NULL);
}

ssize_t
recvfrom(int fd, void *p, size_t n, int flags, struct sockaddr *a, socklen_t *len)
{
	return fails(FAULTS_recvfrom) ? -1 : syscall(SYS_recvfrom, fd, p, n, flags, a, len);
}

ssize_t
recvmsg(int fd, struct msghdr *m, int flags)
{
	return fails(FAULTS_recvmsg) ? -1 : syscall(SYS_recvmsg, fd, m, flags);
}

int
recvmmsg(int fd, struct mmsghdr *m, unsigned n, int flags, struct timespec *t)
{
	return fails(FAULTS_recvmmsg) ? -1 : (int)syscall(SYS_recvmmsg, fd, m, n, flags, t);
}

/* --- Events and threads ----------------------------------------------------------------------- */

int
epoll_create1(int flags)
{
	return fails(FAULTS_epoll_create1) ? -1 : (int)syscall(SYS_epoll_create1, flags);
}

int
epoll_ctl(int epoll, int what, int fd, struct epoll_event *e)
{
	return fails(FAULTS_epoll_ctl) ? -1 : (int)syscall(SYS_epoll_ctl, epoll, what, fd, e);
}

int
epoll_wait(int fd, struct epoll_event *e, int n, int ms)
{
	return fails(FAULTS_epoll_wait) ? -1 : (int)syscall(SYS_epoll_pwait, fd, e, n, ms, NULL, 8);
}

int
eventfd(unsigned n, int flags)
{
	return fails(FAULTS_eventfd) ? -1 : (int)syscall(SYS_eventfd2, n, flags);
}

int
signalfd(int fd, const sigset_t *set, int flags)
{
	return fails(FAULTS_signalfd) ? -1 : (int)syscall(SYS_signalfd4, fd, set, 8, flags);
}

int
pthread_create(pthread_t *id, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
	typedef int fn(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

	NEXT(fn, "pthread_create");
	return fails(FAULTS_pthread_create) ? atomic_load(&shared->error)
					    : real(id, attr, run, arg);
}

/* --- Files ------------------------------------------------------------------------------------ */

int
open(const char *path, int flags, ...)
{
	unsigned mode = 0;
	va_list args;

	va_start(args, flags);
	if ((flags & O_CREAT) != 0)
		mode = va_arg(args, unsigned);
	va_end(args);
	return fails(FAULTS_open) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int
open64(const char *path, int flags, ...)
{
	unsigned mode = 0;
	va_list args;

	va_start(args, flags);
	if ((flags & O_CREAT) != 0)
		mode = va_arg(args, unsigned);
	va_end(args);
	return fails(FAULTS_open) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* The disk that FD is on is slow. */
static void
wait_for_disk(int fd)
{
	long ms = shared == NULL ? 0 : atomic_load(&shared->slow_ms);
	struct timespec t = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
	struct stat st;

	if (ms > 0 && fd != STDERR_FILENO && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		(void)nanosleep(&t, NULL);
}

ssize_t
read(int fd, void *p, size_t n)
{
	wait_for_disk(fd);
	return fails(FAULTS_read) ? -1 : syscall(SYS_read, fd, p, n);
}

ssize_t __read_chk(int fd, void *p, size_t n, size_t size);

ssize_t
__read_chk(int fd, void *p, size_t n, size_t size)
{
	if (n > size)
		abort();
	return read(fd, p, n);
}

FILE *
fopen(const char *path, const char *mode)
{
	typedef FILE *fn(const char *, const char *);

	NEXT(fn, "fopen");
	return fails(FAULTS_open) ? NULL : real(path, mode);
}

ssize_t
pread(int fd, void *p, size_t n, off_t at)
{
	return fails(FAULTS_read) ? -1 : syscall(SYS_pread64, fd, p, n, at);
}

ssize_t
pwrite(int fd, const void *p, size_t n, off_t at)
{
	return fails(FAULTS_write) ? -1 : syscall(SYS_pwrite64, fd, p, n, at);
}

ssize_t
write(int fd, const void *p, size_t n)
{
	wait_for_disk(fd);
	/* The log is how we hear of it. */
	return fd != STDERR_FILENO && fails(FAULTS_write) ? -1 : syscall(SYS_write, fd, p, n);
}

ssize_t
writev(int fd, const struct iovec *v, int n)
{
	return fd != STDERR_FILENO && fails(FAULTS_writev) ? -1 : syscall(SYS_writev, fd, v, n);
}

int
fsync(int fd)
{
	return fails(FAULTS_fsync) ? -1 : (int)syscall(SYS_fsync, fd);
}

int
rename(const char *from, const char *to)
{
	return fails(FAULTS_rename) ? -1
				    : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* --- The clock on the wall -------------------------------------------------------------------- */

int
clock_gettime(clockid_t id, struct timespec *t)
{
	int rc = (int)syscall(SYS_clock_gettime, id, t);

	if (id == CLOCK_REALTIME && shared != NULL)
		t->tv_sec += atomic_load(&shared->wall_s);
	return rc;
}

time_t
time(time_t *out)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	if (out != NULL)
		*out = t.tv_sec;
	return t.tv_sec;
}
