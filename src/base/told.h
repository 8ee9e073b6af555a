/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_TOLD_H
#define DNS64D_BASE_TOLD_H

/*
 * told: which troubles are in the log already, so that a trouble of the whole process is logged
 * once and not by each loop.
 *
 * A trouble has a kind and an address that it is about, or none. A trouble that lasts is logged
 * when the first loop has it (told_begin), and its end when no loop has it any more (told_end) or
 * when one loop knows that it is over for all (told_over). Each loop remembers that it called
 * told_begin, and calls told_end or told_over once for it. A trouble that is an event is logged
 * once a minute (told_now), with how many were held back since the last time.
 *
 * One table serves all loops. Thread-safe; each call takes a lock, so they are for rare events. All
 * functions take a T of NULL: then everything is to be logged.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"

#define TOLD_EACH 64                 /* troubles of one kind at a time; more are not logged */
#define TOLD_PAUSE_NS 60000000000ULL /* between two log lines of one event */

enum told_kind {
	TOLD_DOWN,         /* an upstream does not reply */
	TOLD_ALL_DOWN,     /* none of the upstreams does */
	TOLD_NO_SOCKET,    /* there is no socket to ask an upstream from */
	TOLD_NO_TCP,       /* an upstream takes no connection */
	TOLD_ERRORS,       /* an upstream replies with errors only */
	TOLD_NO_CASE,      /* an upstream does not return the case of a question */
	TOLD_NO_COOKIES,   /* an upstream does not return cookies */
	TOLD_GUESSED,      /* somebody guesses the IDs of questions to an upstream */
	TOLD_GUESSED_UDP,  /* likewise, and TCP does not work */
	TOLD_NO_ACCEPT,    /* connections of clients cannot be accepted */
	TOLD_REFUSED,      /* clients of this network may not ask */
	TOLD_NO_SIPHASH,   /* libcrypto has no SipHash */
	TOLD_LISTEN,       /* a socket cannot be served */
	TOLD_TCP_LOST,     /* a connection to an upstream ended with questions open */
	TOLD_TCP_FULL,     /* such a connection had no room for a question */
	TOLD_CLIENT_LIMIT, /* a client's connection was closed at a ceiling */
	TOLD_CLIENT_STALL, /* a client's connection was closed as it reads no answers */
	TOLD_CROWDED,      /* questions give way, as too many wait */
	TOLD_WAY_PLAIN,    /* an upstream replies to questions without EDNS options only */
	TOLD_WAY_BARE,     /* to those without EDNS only */
	TOLD_WAY_TCP,      /* over TCP only */
	TOLD_NO_AAAA,      /* an upstream is silent to AAAA */
	TOLD_SMALL,        /* large replies of an upstream do not get through */
	TOLD_RATE,         /* this network asks too often, or gets too much */
	TOLD_KINDS
};

struct told;

/* told_new: an empty table, which the caller owns; NULL without memory. */
MUST_USE struct told *told_new(void);

/* told_free: free T, which no thread uses any more and which may be NULL. */
void told_free(struct told *t);

/*
 * told_begin: the calling loop has trouble KIND about WHOM (NULL: about no address). True: it is
 * the first loop, log it.
 */
MUST_USE bool told_begin(struct told *t, enum told_kind kind, const struct netaddr *whom);

/*
 * told_count: add N to what is counted of the trouble, which the calling loop has. Returns what all
 * loops counted since it began; N if they do not know of each other.
 */
uint64_t told_count(struct told *t, enum told_kind kind, const struct netaddr *whom, uint64_t n);

/* told_end: the calling loop has the trouble no more. True: no other loop has it, log its end. */
bool told_end(struct told *t, enum told_kind kind, const struct netaddr *whom);

/* told_over: the trouble is over for all loops. True: its end was not logged yet, log it. */
bool told_over(struct told *t, enum told_kind kind, const struct netaddr *whom);

/*
 * told_now: N events of KIND about WHOM happened, the last of them at NOW_NS. Returns how many the
 * log is to tell of, those that were held back included; 0: one was logged less than TOLD_PAUSE_NS
 * ago, hold these back.
 */
MUST_USE uint64_t told_now(
    struct told *t, enum told_kind kind, const struct netaddr *whom, uint64_t n, uint64_t now_ns);

#define TOLD_MORE 64 /* bytes of the text of told_more, with its zero */

/*
 * told_more: write to TEXT what ends a line about the last of N events: " (and 41 more since the
 * last such message)", or nothing if there was but one. Returns TEXT.
 */
char *told_more(char text[static TOLD_MORE], uint64_t n);

#endif
