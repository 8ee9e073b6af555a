/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_DAEMON_H
#define DNS64D_DAEMON_DAEMON_H

/*
 * daemon: from the command line to the end of the process.
 *
 * The order of a start: read and check the configuration; raise the limit of descriptors; fork,
 * while the first process waits; lock the pidfile; chroot; become the user, keeping
 * CAP_NET_BIND_SERVICE; make the cache and load its file; probe every address, then open its
 * sockets for every loop (one user must open all members of a reuseport group); start loops and
 * threads; tell the waiting process and the service manager.
 */

/* Exit codes. The manual documents them; the init script and the unit rely on them. */
enum daemon_exit {
	DAEMON_OK = 0,        /* a signal ended the daemon, or -t found no error */
	DAEMON_CONFIG = 1,    /* the configuration has an error */
	DAEMON_USAGE = 2,     /* the command line has an error */
	DAEMON_RESOURCES = 3, /* an address, a privilege or another resource was not available */
	DAEMON_RUNNING = 4,   /* another daemon holds the pidfile */
};

/*
 * daemon_main: the whole program, with the arguments of main. Returns the exit code, an enum
 * daemon_exit.
 */
int daemon_main(int argc, char **argv);

#endif
