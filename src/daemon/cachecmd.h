/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_CACHECMD_H
#define DNS64D_DAEMON_CACHECMD_H

/*
 * cachecmd: what can be done to the cache of a running daemon, one command a line:
 *
 *	flush			forget all
 *	flush name NAME		forget what is known of NAME, whatever its type
 *	flush below NAME	the same for NAME and all names below it
 *	save			write cache-file
 *	stats			write the statistics to the log
 *
 * Who asks, and how, is none of its affair. What was done is in the log.
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
	size_t name_len;            /* 0: it takes no name */
	uint8_t name[DNS_NAME_MAX]; /* in lower case */
};

/* What commands work on; all is borrowed. */
struct cachecmd_on {
	struct cache *cache;      /* NULL: there is none */
	const char *file;         /* where it is saved; NULL: nowhere */
	uint32_t stale_s;         /* of use after its end */
	void (*stats)(void *arg); /* tells them */
	void (*tick)(void *arg);  /* called now and then while it is saved; NULL: nothing */
	void *arg;
};

/*
 * cachecmd_parse: the words of a line, one at least, to *OUT. False after D was told what is wrong.
 */
MUST_USE bool cachecmd_parse(const struct words *w, struct cachecmd *out, struct diag *d);

/* cachecmd_do: carry it out. False if it could not be; the log says why. */
bool cachecmd_do(const struct cachecmd *c, const struct cachecmd_on *on);

/*
 * cachecmd_text: carry out the lines of TEXT (LEN bytes) in their order, or none of them if D was
 * told that one is wrong. True if each could be carried out.
 */
bool cachecmd_text(const char *text, size_t len, const struct cachecmd_on *on, struct diag *d);

/*
 * cachecmd_file: those of the file at PATH. True if each could be carried out; the log has it all.
 */
bool cachecmd_file(const char *path, const struct cachecmd_on *on);

#endif
