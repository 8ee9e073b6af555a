/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_HOST_OPS_H
#define DNS64D_CONTROL_HOST_OPS_H

/*
 * host_ops: what only the daemon can do.
 */

#include <stdbool.h>
#include <stdint.h>

#include "config/orders.h"
#include "config/prefix_change.h"
#include "config/settings.h"
#include "figures/verdict.h"

/* Secrets of cookies: the first signs, all verify. */
struct host_cookies {
	uint8_t n; /* >= 1 */
	uint8_t secrets[CONF_COOKIE_SECRETS][CONF_SECRET_LEN];
};

#define HOST_ERROR (SETTINGS_PATH + 512) /* bytes of an error's text, with its zero */

_Static_assert(HOST_ERROR >= ORDERS_ERROR, "an order's error has room");

/* What came of a change. */
enum host_verdict {
	HOST_DONE,
	HOST_WRONG, /* it cannot be, as the settings are */
	HOST_UNABLE /* the daemon cannot do it now */
};

/* What it is asked to do. ARG: that of struct host. */
struct host_ops {
	void (*reload)(void *arg); /* soon; control_reload_begins and _ends follow */
	void (*stop)(void *arg);   /* begin to end; a second time: at once */
	void (*load)(void *arg);   /* finish loading cache-file, if that is under way */
	bool (*save)(void *arg);   /* write cache-file; false: the log says why not */
	bool (*reopen)(void *arg); /* the logs; false: the log says what is wrong */
	/* put these in force; not while is_changing; false: no memory, nothing is changed */
	bool (*cookies)(void *arg, const struct host_cookies *c);
	void (*judged)(void *arg, const struct verdict *v); /* it has changed, or what it counts */
	bool (*is_changing)(void *arg); /* has a loop not taken the last change yet? */
	/* tell loops; false: it is to stop, and stays a lame duck */
	bool (*lameduck)(void *arg, bool on);
	/* not while is_changing; if not HOST_DONE nothing is changed, and ERROR has the reason */
	enum host_verdict (*change)(
	    void *arg, const struct prefix_change *c, char error[static HOST_ERROR]);
	/* likewise */
	enum host_verdict (*order)(void *arg, const struct order *w, char error[static HOST_ERROR]);
};

#endif
