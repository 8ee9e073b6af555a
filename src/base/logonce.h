/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BASE_LOGONCE_H
#define DNS64D_BASE_LOGONCE_H

/*
 * logonce: which troubles are in the log already, so that a trouble of the whole process is logged
 * once and not by each loop.
 *
 * A trouble has a kind and an address that it is about, or none. A trouble that lasts is logged
 * when the first loop has it (logonce_begin), and its end when no loop has it any more
 * (logonce_end) or when one loop knows that it is over for all (logonce_over). Each loop remembers
 * that it called logonce_begin, and calls logonce_end or logonce_over once for it. A trouble that
 * is an event is logged once a minute (logonce_now), with how many were held back since the last
 * time.
 *
 * One table serves all loops. Thread-safe; each call takes a lock, so they are for rare events. All
 * functions take a T of NULL: then everything is to be logged.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"

#define LOGONCE_EACH 64                 /* troubles of one kind at a time; more are not logged */
#define LOGONCE_PAUSE_NS 60000000000ULL /* between two log lines of one event */

enum logonce_kind {
	LOGONCE_DOWN,         /* an upstream does not reply */
	LOGONCE_ALL_DOWN,     /* none of the upstreams does */
	LOGONCE_NO_SOCKET,    /* there is no socket to ask an upstream from */
	LOGONCE_NO_TCP,       /* an upstream takes no connection */
	LOGONCE_ERRORS,       /* an upstream replies with errors only */
	LOGONCE_NO_CASE,      /* an upstream does not return the case of a question */
	LOGONCE_NO_COOKIES,   /* an upstream does not return cookies */
	LOGONCE_GUESSED,      /* somebody guesses the IDs of questions to an upstream */
	LOGONCE_GUESSED_UDP,  /* likewise, and TCP does not work */
	LOGONCE_NO_ACCEPT,    /* connections of clients cannot be accepted */
	LOGONCE_REFUSED,      /* clients of this network may not ask */
	LOGONCE_NO_SIPHASH,   /* libcrypto has no SipHash */
	LOGONCE_LISTEN,       /* a socket cannot be served */
	LOGONCE_TCP_LOST,     /* a connection to an upstream ended with questions open */
	LOGONCE_TCP_FULL,     /* such a connection had no room for a question */
	LOGONCE_CLIENT_LIMIT, /* a client's connection was closed at a ceiling */
	LOGONCE_CLIENT_STALL, /* a client's connection was closed as it reads no answers */
	LOGONCE_HEADER,       /* a PROXY header was missing, malformed or not permitted */
	LOGONCE_CROWDED,      /* questions give way, as too many wait */
	LOGONCE_WAY_PLAIN,    /* an upstream replies to questions without EDNS options only */
	LOGONCE_WAY_BARE,     /* to those without EDNS only */
	LOGONCE_WAY_TCP,      /* over TCP only */
	LOGONCE_NO_AAAA,      /* an upstream is silent to AAAA */
	LOGONCE_SMALL,        /* large replies of an upstream do not get through */
	LOGONCE_RATE,         /* this network asks too often, or gets too much */
	LOGONCE_KINDS
};

struct logonce;

/* logonce_new: an empty table, which the caller owns; NULL without memory. */
MUST_USE struct logonce *logonce_new(void);

/* logonce_free: free T, which no thread uses any more and which may be NULL. */
void logonce_free(struct logonce *t);

/*
 * logonce_begin: the calling loop has trouble KIND about WHOM (NULL: about no address). True: it is
 * the first loop, log it.
 */
MUST_USE bool logonce_begin(struct logonce *t, enum logonce_kind kind, const struct netaddr *whom);

/*
 * logonce_count: add N to what is counted of the trouble, which the calling loop has. Returns what
 * all loops counted since it began; N if they do not know of each other.
 */
uint64_t logonce_count(
    struct logonce *t, enum logonce_kind kind, const struct netaddr *whom, uint64_t n);

/* logonce_end: the calling loop has the trouble no more. True: no other loop has it, log its end.
 */
bool logonce_end(struct logonce *t, enum logonce_kind kind, const struct netaddr *whom);

/* logonce_over: the trouble is over for all loops. True: its end was not logged yet, log it. */
bool logonce_over(struct logonce *t, enum logonce_kind kind, const struct netaddr *whom);

/*
 * logonce_now: N events of KIND about WHOM happened, the last of them at NOW_NS. Returns how many
 * the log is to tell of, those that were held back included; 0: one was logged less than
 * LOGONCE_PAUSE_NS ago, hold these back.
 */
MUST_USE uint64_t logonce_now(struct logonce *t, enum logonce_kind kind, const struct netaddr *whom,
    uint64_t n, uint64_t now_ns);

#define LOGONCE_MORE 64 /* bytes of the text of logonce_more, with its zero */

/*
 * logonce_more: write to TEXT what ends a line about the last of N events: " (and 41 more since the
 * last such message)", or nothing if there was but one. Returns TEXT.
 */
char *logonce_more(char text[static LOGONCE_MORE], uint64_t n);

#endif
