/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_NAT64_PREFIXES_H
#define DNS64D_NAT64_PREFIXES_H

/*
 * prefixes: change NAT64 prefixes while the loops run, as a reload would whose configuration
 * differs only there. All changes are made here: those of dns64ctl at once, those that are reported
 * (policy/prefix_states) together, as soon as loops take a change. Main thread only.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attr.h"
#include "config/diag.h"
#include "config/prefix_change.h"
#include "config/settings.h"
#include "control/host_ops.h"
#include "policy/prefix_states.h"

/* How the daemon has its loops work by changed settings; each is called with ARG. */
struct prefixes_loops {
	/* all that can fail, for S, whose policies are new; false: the log says why */
	bool (*pack)(void *arg, struct settings *s);
	void (*post)(void *arg);    /* hand over what was packed */
	void (*drop)(void *arg);    /* or do not */
	bool (*pending)(void *arg); /* has a loop not taken the change before? */
	/* replace the file at PATH by the LEN bytes at TEXT; 0 or -errno */
	int (*write)(const char *path, const char *text, size_t len);
	void *arg; /* borrowed */
};

struct prefixes {
	struct settings *settings; /* borrowed: those in force, also after a reload */
	const char *path;          /* borrowed: of the configuration */
	struct prefixes_loops loops;
	uint64_t since_ns; /* since when there are reports that loops do not work by; 0: none */
	uint64_t retry_ns; /* there was no memory: when it is tried again; 0: there was */
};

/*
 * prefixes_change: change the settings as C says, save that if C says so, and have the loops work
 * by it. On an error nothing is changed, and ERROR has the reason. Must not be called while loops
 * are pending.
 */
MUST_USE enum host_verdict prefixes_change(
    struct prefixes *p, const struct prefix_change *c, char error[static HOST_ERROR]);

/*
 * prefixes_report: note R at NOW_NS (of clock_now_ns); prefixes_settle has the loops work by it.
 * False without memory, or if nothing can be reported.
 */
MUST_USE bool prefixes_report(struct prefixes *p, const struct prefix_report *r, uint64_t now_ns);

#define PREFIXES_TAKE_MS 5000 /* how long reports wait for a loop that has a change to take */

/*
 * prefixes_due: is there something to settle at NOW_NS? Only a loop that is pending may keep it.
 */
MUST_USE bool prefixes_due(const struct prefixes *p, uint64_t now_ns);

/*
 * prefixes_settle: have the loops work by what was reported, all of it together, unless a loop is
 * pending: it is called again until it is no more due. A loop that stands still does not hold the
 * others for longer than PREFIXES_TAKE_MS. Without memory it is due again a second later.
 */
void prefixes_settle(struct prefixes *p, uint64_t now_ns);

/*
 * prefixes_tell_undone: NEXT is to replace NOW. Log each change that dns64ctl made to prefixes,
 * without saving it, and that does not hold any more then.
 */
void prefixes_tell_undone(const struct settings *now, const struct settings *next);

#endif
