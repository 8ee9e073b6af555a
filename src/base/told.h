/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_TOLD_H
#define DNS64D_BASE_TOLD_H

/*
 * told: what the operator knows already. Loops meet the same trouble each for itself; of what
 * concerns the process one of them speaks, for all.
 *
 * A trouble is of a kind and about somebody (an address, or nobody). It is said when the first loop
 * has it, and that it is over when the last one has not (told_end), or as soon as one loop knows
 * that it cannot be true any more (told_over). A loop that says told_begin remembers that it did,
 * and says told_end or told_over once for it. What is no state but happens again and again is said
 * once a minute (told_now).
 *
 * One table, shared like the cache and made before the loops; all functions may be called by any
 * thread. They take a lock, so they are for what is rare. A table that is NULL knows nothing:
 * everything is said.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"

#define TOLD_EACH 64                 /* troubles of one kind; of more nobody hears */
#define TOLD_PAUSE_NS 60000000000ULL /* between two lines of told_now */

enum told_kind {
	TOLD_DOWN,         /* an upstream does not reply */
	TOLD_NO_SOCKET,    /* there is no socket to ask it from */
	TOLD_NO_TCP,       /* it takes no connection */
	TOLD_ERRORS,       /* it replies with errors only */
	TOLD_NO_CASE,      /* it does not return the case of a question */
	TOLD_NO_COOKIES,   /* nor cookies */
	TOLD_NO_ACCEPT,    /* connections of clients cannot be accepted */
	TOLD_DENIED,       /* clients of this network may not ask */
	TOLD_NO_SIPHASH,   /* libcrypto lacks it */
	TOLD_LISTEN,       /* a socket cannot be served */
	TOLD_TCP_LOST,     /* a connection to an upstream ended with questions open */
	TOLD_TCP_FULL,     /* or had no room for one */
	TOLD_CLIENT_LIMIT, /* a client's connection was closed at a ceiling */
	TOLD_CLIENT_STALL, /* or because it takes no answers */
	TOLD_KINDS
};

struct told;

/* told_new: nothing was said; NULL without memory. told_free: T may be NULL. */
MUST_USE struct told *told_new(void);
void told_free(struct told *t);

/*
 * told_begin: this loop has trouble KIND about WHOM (NULL: nobody). True: no other has, so say it.
 */
MUST_USE bool told_begin(struct told *t, enum told_kind kind, const struct netaddr *whom);

/* told_end: it has it no more. True: nobody has, so say it. */
bool told_end(struct told *t, enum told_kind kind, const struct netaddr *whom);

/* told_over: nobody can have it any more. True: it was said and not yet taken back, so say it. */
bool told_over(struct told *t, enum told_kind kind, const struct netaddr *whom);

/* told_now: it has happened at NOW_NS. True: that was not said for TOLD_PAUSE_NS, so say it. */
MUST_USE bool told_now(
    struct told *t, enum told_kind kind, const struct netaddr *whom, uint64_t now_ns);

#endif
