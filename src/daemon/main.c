/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/background.h"
#include "daemon/daemon.h"

int
main(int argc, char **argv)
{
	background_fill();
	return daemon_main(argc, argv);
}
