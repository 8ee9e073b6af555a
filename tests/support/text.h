/* SPDX-License-Identifier: BSD-2-Clause */
/* What a test reads of files and other text. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* PART is in TEXT. */
void text_contains(const char *text, const char *part);

/* PART is not in TEXT. */
void text_lacks(const char *text, const char *part);

/* All of F from its start, to TEXT; it is shorter than SIZE. Closes F. */
const char *text_of(FILE *f, char *text, size_t size);

/* All of the file at PATH; it is shorter than SIZE. */
const char *text_read(const char *path, char *text, size_t size);

/* N octets of TEXT become the file at PATH. */
void text_write(const char *path, const char *text, size_t n);
