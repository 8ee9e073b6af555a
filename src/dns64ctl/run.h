/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS64CTL_RUN_H
#define DNS64D_DNS64CTL_RUN_H

/*
 * run: dns64ctl from its command line to its exit code.
 */

/* Exit codes. The manual documents them. */
enum run_exit {
	RUN_OK = 0,
	RUN_REFUSED = 1, /* the daemon refused, or failed to do it; or no room for the output */
	RUN_USAGE = 2,   /* the command line has an error */
	RUN_NOBODY = 3,  /* no daemon answers, or what answers is none */
};

/* run_main: the whole program, with the arguments of main. Returns an enum run_exit. */
int run_main(int argc, char **argv);

#endif
