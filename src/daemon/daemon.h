/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_DAEMON_H
#define DNS64D_DAEMON_DAEMON_H

/*
 * daemon: from the command line to the end of the process.
 *
 * The order of a start: read and check; raise the limit of descriptors; fork, the first process
 * waiting; lock the pidfile; chroot; become the user, keeping CAP_NET_BIND_SERVICE; probe every
 * address, then open its sockets for every loop (the members of a reuseport group must be one
 * user's); loops and threads; tell that we are ready.
 */

/* What the process ends with; in the manual, and relied on by init script and unit. */
enum daemon_exit {
	DAEMON_OK = 0,        /* ended by a signal, or -t found no error */
	DAEMON_CONFIG = 1,    /* an error in the configuration */
	DAEMON_USAGE = 2,     /* an error on the command line */
	DAEMON_RESOURCES = 3, /* an address, privilege or other resource was not to be had */
	DAEMON_RUNNING = 4,   /* another daemon holds the pidfile */
};

/* daemon_main: what main is; returns the exit code. */
int daemon_main(int argc, char **argv);

#endif
