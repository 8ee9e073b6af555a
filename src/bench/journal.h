/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_JOURNAL_H
#define DNS64D_BENCH_JOURNAL_H

/*
 * bench_journal: a file that keeps what was measured, so that a run of hours can go on after it was
 * interrupted. Lines of JSON: the settings first, then one record each, which is on the disk before
 * the next trial begins. A last line without its end, as a crash leaves it, is cut off.
 */

#include <jansson.h>

#include "base/attr.h"

#define BENCH_JOURNAL_ERROR 512 /* bytes of a message, with the zero */

struct bench_journal;

/*
 * bench_journal_open: open or create the file at PATH for a run of SETTINGS (borrowed, an object).
 * NULL, and the reason to ERROR with the file's name and line, if it cannot be opened, belongs to a
 * run of other settings, is damaged or no journal, or if another process has it open.
 */
MUST_USE struct bench_journal *bench_journal_open(
    const char *path, const json_t *settings, char error[static BENCH_JOURNAL_ERROR]);

/*
 * bench_journal_settings: the settings of the run that the file at PATH is of, an object, the
 * caller's; NULL: there is none yet, or it has none that can be read, which bench_journal_open
 * tells.
 */
MUST_USE json_t *bench_journal_settings(const char *path);

/* bench_journal_close: close the file and forget the records; NULL is fine. */
void bench_journal_close(struct bench_journal *s);

/* bench_journal_count: how many records the file had when it was opened. */
MUST_USE size_t bench_journal_count(const struct bench_journal *s);

/* bench_journal_get: record I of them, from 0; the journal's. */
MUST_USE json_t *bench_journal_get(const struct bench_journal *s, size_t i);

/* bench_journal_add: write RECORD (borrowed) to the disk and wait for that. 0 or -errno. */
MUST_USE int bench_journal_add(struct bench_journal *s, const json_t *record);

#endif
