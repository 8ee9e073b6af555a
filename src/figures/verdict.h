/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_FIGURES_VERDICT_H
#define DNS64D_FIGURES_VERDICT_H

/*
 * verdict: whether the daemon can do its work, and if not why: the only judgement of it (RULES
 * D31).
 *
 * It is not ready when it stops or is a lame duck, a loop does not go round, it listens nowhere, no
 * upstream answers, or no prefix is active. It is degraded when all is answered that can be, but
 * the operator should look: a part of all that is missing, or the last reload was refused.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "config/settings.h"
#include "outbound/upstream_status.h"

/* What came of the last reload. */
enum verdict_reload {
	VERDICT_RELOADED, /* all loops have taken it, or there was none */
	VERDICT_REFUSED,
	VERDICT_OVERDUE /* a loop has not taken it yet */
};

enum verdict_state { VERDICT_READY, VERDICT_DEGRADED, VERDICT_UNREADY };

#define VERDICT_REASON 192
#define VERDICT_TEXT (VERDICT_REASON + 16)

struct verdict {
	enum verdict_state state;
	char reason[VERDICT_REASON]; /* in words; "": it is ready */
	const char *unready;         /* VERDICT_UNREADY: the first reason, constant; else NULL */
	unsigned n_stuck;            /* loops that do not go round */
	size_t n_upstreams;          /* that loops know and may ask */
	size_t n_answering;          /* of them */
	size_t n_by_operator;        /* others, drained or down by operator */
};

/* What it is made from, at one moment. All pointers are borrowed. */
struct verdict_grounds {
	const struct settings *settings; /* those in force */
	bool stopping;
	bool lameduck;
	bool to_stop; /* the lame duck was told to stop */
	enum verdict_reload reload;
	unsigned n_loops;
	unsigned n_stuck;                        /* loops that do not go round */
	size_t n_served;                         /* listen addresses */
	size_t n_awaited;                        /* those that are waited for */
	const struct upstream_status *upstreams; /* of all loops that answered */
	size_t n_upstreams;
	uint64_t now_ns;
};

/* verdict_make: the verdict on G. */
MUST_USE struct verdict verdict_make(const struct verdict_grounds *g);

/*
 * verdict_lacks_prefix: has the policy I of PS, 0 or a client block, prefixes of which none is
 * active, and wants one? Policy 0 lacks one too if no policy has any.
 */
MUST_USE bool verdict_lacks_prefix(const struct policies *ps, size_t i);

/* verdict_same: do A and B say the same to people? */
MUST_USE bool verdict_same(const struct verdict *a, const struct verdict *b);

/* verdict_word: STATE as one or two words: "ready", "degraded", "not ready". */
const char *verdict_word(enum verdict_state state);

/* verdict_text: V in words, with its reason, to TEXT, which is returned. */
const char *verdict_text(const struct verdict *v, char text[static VERDICT_TEXT]);

#endif
