/* SPDX-License-Identifier: BSD-2-Clause */
/* faults: what faults.so, inside the daemon, and the program fault share: a file that both map. */
#pragma once

#include <stdatomic.h>

/* The calls that can fail, by the names that fault takes. */
#define FAULTS_CALLS(X) \
	X(malloc) \
	X(calloc) \
	X(realloc) \
	X(aligned_alloc) \
	X(socket) \
	X(bind) \
	X(connect) \
	X(listen) \
	X(accept4) \
	X(setsockopt) \
	X(setsockopt_udp) /* those of UDP only */ \
	X(send) \
	X(sendto) \
	X(sendmsg) \
	X(sendmmsg) \
	X(recv) \
	X(recvfrom) \
	X(recvmsg) \
	X(recvmmsg) \
	X(epoll_create1) \
	X(epoll_ctl) \
	X(epoll_wait) \
	X(eventfd) \
	X(signalfd) \
	X(pthread_create) \
	X(open) \
	X(read) \
	X(write) \
	X(writev) \
	X(fsync) \
	X(rename)

#define FAULTS_ENUM(name) FAULTS_##name,
enum faults_call { FAULTS_NONE, FAULTS_CALLS(FAULTS_ENUM) FAULTS_N };
#undef FAULTS_ENUM

struct faults {
	atomic_int call;             /* which call fails (enum faults_call); FAULTS_NONE: none */
	atomic_int error;            /* with this errno */
	atomic_long skip;            /* so many of them are left alone first */
	atomic_long times;           /* then so many fail */
	atomic_long every;           /* of each so many then the first */
	atomic_long run;             /* so many fail, and the others do not; 0: all fail */
	atomic_long hits;            /* have failed */
	atomic_long wall_s;          /* the clock on the wall is so many seconds fast */
	atomic_long slow_ms;         /* each read and write of a regular file takes so long */
	atomic_long calls[FAULTS_N]; /* how many there were of each */
};
