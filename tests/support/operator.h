/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_SUPPORT_OPERATOR_H
#define DNS64D_SUPPORT_OPERATOR_H

/*
 * operator: the control socket with a daemon that only counts what it is told, and somebody who
 * asks.
 */

#include "config/settings.h"
#include "control/control.h"
#include "support/caller.h"

struct operator
{
	struct caller caller;
	struct settings settings;
	struct orders orders;
	struct host host;           /* may be changed before operator_begin */
	struct listens_waits waits; /* none, unless a test says so */
	struct control *control;
	struct verdict judged; /* the last that was told */
	unsigned n_reloads, n_stops, n_saves, n_reopens, n_loads;
	bool saves, reopens; /* what saving the cache, and opening the log again, come to */
	bool refuses;        /* changes of secrets, and of the lame duck, come to nothing */
	unsigned n_changing; /* so many times it is asked, it has a change that is not taken yet */
	unsigned n_changes;  /* of prefixes */
	unsigned n_orders;
	unsigned changing_for; /* n_changing after each of these */
	bool cannot_save;
	bool lameduck; /* as it was told last */
};

/* operator_open: settings of TEXT, a configuration; no loops. */
void operator_open(struct operator* o, const char *text);

/* operator_begin: serve. */
void operator_begin(struct operator* o);

/* operator_close: take everything away. */
void operator_close(struct operator* o);

#endif
