/* SPDX-License-Identifier: BSD-2-Clause */
/* A made-up tree of files: a /proc, a /sys, an /etc. Its root is of scratch_dir. */
#pragma once

/* The file PATH (without a / in front) below ROOT with TEXT, and the directories that it needs. */
void tree_write(const char *root, const char *path, const char *text);

/* PATH below ROOT and all in it; "" is the whole tree. It must be there. */
void tree_remove(const char *root, const char *path);
