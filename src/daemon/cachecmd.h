/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_CACHECMD_H
#define DNS64D_DAEMON_CACHECMD_H

/*
 * cachecmd: commands to the cache of a running daemon, one in a line:
 *
 *	flush			remove all entries
 *	flush name NAME		remove the entries of NAME, of every type
 *	flush below NAME	remove the entries of NAME and of all names below it
 *	save			write cache-file
 *	stats			write the statistics to the log
 *
 * The log says what was done. Main thread only.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "cache/cache.h"
#include "config/diag.h"
#include "config/words.h"
#include "dns/proto.h"

enum cachecmd_kind {
	CACHECMD_FLUSH,
	CACHECMD_FLUSH_NAME,
	CACHECMD_FLUSH_BELOW,
	CACHECMD_SAVE,
	CACHECMD_STATS
};

struct cachecmd {
	enum cachecmd_kind kind;
	size_t name_len;            /* bytes of name; 0: the command takes no name */
	uint8_t name[DNS_NAME_MAX]; /* in wire format and lower case */
};

/* What commands work on. All pointers are borrowed. */
struct cachecmd_on {
	struct cache *cache;      /* NULL: there is no cache */
	const char *file;         /* path to save the cache to; NULL: none */
	uint32_t stale_s;         /* seconds that an expired entry is still of use */
	void (*stats)(void *arg); /* logs the statistics */
	void (*tick)(void *arg);  /* called now and then during a save; NULL: nothing */
	void *arg;                /* for stats and tick */
};

/*
 * cachecmd_parse: make the command *OUT from the words W of a line, at least one. False: the line
 * is not a command, and D has an error.
 */
MUST_USE bool cachecmd_parse(const struct words *w, struct cachecmd *out, struct diag *d);

/* cachecmd_do: execute the command C on ON. False if that failed; the log says why. */
bool cachecmd_do(const struct cachecmd *c, const struct cachecmd_on *on);

/*
 * cachecmd_text: execute the lines of TEXT (LEN bytes) in their order; or none of them if one is
 * wrong, and then D has an error for each wrong one. True if all were executed without a failure.
 */
bool cachecmd_text(const char *text, size_t len, const struct cachecmd_on *on, struct diag *d);

/*
 * cachecmd_file: read the file at PATH and execute its lines as cachecmd_text does, with errors in
 * the log. True if all were executed without a failure.
 */
bool cachecmd_file(const char *path, const struct cachecmd_on *on);

#endif
