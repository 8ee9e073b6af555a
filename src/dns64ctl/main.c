/* SPDX-License-Identifier: BSD-2-Clause */
/* dns64ctl: queries and controls a running dns64d; see dns64ctl(8). */

#include "dns64ctl/run.h"

int
main(int argc, char **argv)
{
	return run_main(argc, argv);
}
