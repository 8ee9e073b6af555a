/* SPDX-License-Identifier: BSD-2-Clause */
/* tree: a fake /proc, /sys or /etc in a directory of scratch_dir. */
#pragma once

/* tree_write: write TEXT to the file PATH below ROOT (no leading /); create its directories. */
void tree_write(const char *root, const char *path, const char *text);

/* tree_remove: remove PATH below ROOT, which must exist, with all in it; "": the whole tree. */
void tree_remove(const char *root, const char *path);
