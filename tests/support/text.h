/* SPDX-License-Identifier: BSD-2-Clause */
/* text: files and other text that a test reads or writes. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* text_contains: fail the test unless PART is in TEXT. */
void text_contains(const char *text, const char *part);

/* text_lacks: fail the test if PART is in TEXT. */
void text_lacks(const char *text, const char *part);

/*
 * text_words: split LINE at its spaces, which become NUL. Writes its words and a NULL behind the
 * last to WORDS, fewer than CAP words. Returns their number.
 */
int text_words(char *line, char **words, int cap);

/* text_of: read all of F, which is shorter than SIZE, to TEXT; close F. Returns TEXT. */
const char *text_of(FILE *f, char *text, size_t size);

/* text_read: read the file at PATH, which is shorter than SIZE, to TEXT. Returns TEXT. */
const char *text_read(const char *path, char *text, size_t size);

/* text_write: write the N bytes at TEXT to the file at PATH. */
void text_write(const char *path, const char *text, size_t n);
