/* SPDX-License-Identifier: BSD-2-Clause */
/* Files and directories for one test, which removes them itself. */
#pragma once

#define SCRATCH_PATH 48

/*
 * scratch_file: create an empty file with a new name, which is written to PATH (SCRATCH_PATH
 * bytes). Returns its descriptor, open for reading and writing, which the caller closes.
 */
int scratch_file(char *path);

/* scratch_dir: create an empty directory; its name is written to PATH (SCRATCH_PATH bytes). */
void scratch_dir(char *path);
