/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_ORDERS_H
#define DNS64D_CONFIG_ORDERS_H

/*
 * orders: what the operator has told the running daemon by dns64ctl beside its configuration: which
 * upstreams are drained or down. An order holds until another one, its end, or a restart; a reload
 * keeps it.
 *
 * The main thread has the one struct orders. The engine sees what orders_apply makes of it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "core/conf.h"

#define ORDERS_ERROR 256 /* bytes of the text of an error, with its zero */

struct settings;

enum order_what {
	ORDER_UPSTREAM /* state: enum conf_order */
};

/* An order, as it was given. */
struct order {
	enum order_what what;
	const char *of; /* the upstream: as it is shown, or without its port; borrowed */
	unsigned state;
};

/* An upstream that is drained or down. */
struct orders_upstream {
	struct netaddr addr;
	enum conf_order state;
	time_t since; /* seconds since 1970 */
};

struct orders {
	struct orders_upstream upstreams[CONF_MAX_UPSTREAMS];
	size_t n_upstreams;
};

/* orders_state_word: STATE as dns64ctl takes it: "up", "drain", "down". */
MUST_USE const char *orders_state_word(enum conf_order state);

/* orders_upstream: the order about the upstream at ADDR; NULL: there is none. */
MUST_USE const struct orders_upstream *orders_upstream(
    const struct orders *o, const struct netaddr *addr);

/*
 * orders_make: write W, given at UNIX_S, to *O; S are the settings in force. False: it cannot be,
 * and ERROR says why; *O is as before.
 */
MUST_USE bool orders_make(struct orders *o, const struct settings *s, const struct order *w,
    time_t unix_s, char error[static ORDERS_ERROR]);

/* orders_apply: have S->conf say what S->orders, which may be NULL, order. */
void orders_apply(struct settings *s);

/* orders_keep: S is in force from now on: log and forget the orders that are void by it. */
void orders_keep(const struct settings *s);

/* orders_all_taken: is no upstream of S left to be asked, by order? */
MUST_USE bool orders_all_taken(const struct settings *s);

#endif
