/* SPDX-License-Identifier: BSD-2-Clause */
/* Files and directories for one test, which removes them itself. */
#pragma once

#define SCRATCH_PATH 48

/* An empty file of a new name, which is written to path (SCRATCH_PATH octets): open for reading and
 * writing, the caller closes it. */
int scratch_file(char *path);

/* An empty directory of a new name, which is written to path (SCRATCH_PATH octets). */
void scratch_dir(char *path);
