/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SIM_TRUTH_H
#define DNS64D_TESTS_SIM_TRUTH_H

/*
 * truth: what is true of a name, which tells it itself: "b17.sim.example" has both A and AAAA. Its
 * addresses come of the whole name, so nobody gets those of another.
 *
 * A chain is a letter before another name of this kind: "cb17" is a CNAME of "b17", and replies
 * have its records too; for "ob17" they have the CNAME only; "db17" is the same as "cb17"
 * but for AAAA, which it has at its end "e17", that is none. Names with addresses have a TXT that
 * is too long for 512 bytes, and HTTPS. Names in in-addr.arpa have a PTR or not, as comes of the
 * name.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dns/msg.h"

#define TRUTH_NEGATIVE_TTL 30 /* of all SOA records */

enum truth_kind {
	TRUTH_BOTH,        /* b: A and AAAA */
	TRUTH_NATIVE,      /* n: AAAA only */
	TRUTH_OLD,         /* a: A only */
	TRUTH_EMPTY,       /* e: neither */
	TRUTH_GONE,        /* x: NXDOMAIN */
	TRUTH_EXCLUDED,    /* f: A, and an AAAA that is excluded by default (RULES D7) */
	TRUTH_LOOPBACK,    /* l: an A that nothing may be synthesized from (RULES D14), only */
	TRUTH_BROKEN,      /* s: SERVFAIL to everything */
	TRUTH_BROKEN_AAAA, /* t: SERVFAIL to AAAA; has A */
	TRUTH_BOGUS,       /* z: AAAA does not validate: SERVFAIL, but with CD; has A */
	TRUTH_MUTE,        /* m: nobody replies */
	TRUTH_MUTE_AAAA,   /* q: nobody replies for AAAA; has A */
	TRUTH_KINDS
};

struct truth {
	bool ours;    /* it is such a name */
	bool reverse; /* one in in-addr.arpa: BOTH has a PTR, and there are EMPTY and GONE */
	bool alias, open, split;
	enum truth_kind kind;         /* at the end of the chain */
	uint8_t target[DNS_NAME_MAX]; /* end of the chain, or the name itself */
	uint8_t a[4], aaaa[16];       /* of the target */
	uint32_t ttl;                 /* of all records but SOA */
};

/* truth_name: the name number N of KIND to OUT, in chains as in C: "", "c", "o" or "d". */
void truth_name(uint8_t out[static DNS_NAME_MAX], enum truth_kind kind, const char *c, uint32_t n);

/* truth_of: what is true of NAME, in any case of letters. */
void truth_of(const uint8_t *name, struct truth *t);

/* truth_address: the question's name for PTR of the A of name number N, under the /96 of
 * 2001:db8:PREFIX::, to OUT; what is true of it to *T. */
void truth_address(uint8_t out[static DNS_NAME_MAX], uint8_t prefix, uint32_t n, struct truth *t);

/* truth_has: does a name of KIND have records of TYPE, which may be passed on and used? */
bool truth_has(enum truth_kind kind, uint16_t type);

/* truth_is_mute: does nobody reply to a question for TYPE of such a name? */
bool truth_is_mute(enum truth_kind kind, uint16_t type);

/* How a reply is made. */
struct truth_reply {
	uint16_t rcode; /* instead of the true one; 0: the true one */
	bool tc;        /* cut: no records */
	bool part;      /* cut: but with an address that nobody has */
	bool lame;      /* a referral */
	bool no_opt;    /* without OPT and without what stood in it */
	bool forged;    /* with addresses that nobody has */
};

/* truth_reply: a reply to Q to OUT (CAP bytes). Returns its length. */
size_t truth_reply(uint8_t *out, size_t cap, const struct msg *q, const struct truth_reply *how);

/* truth_is_part: is this an address of a reply with TC? */
bool truth_is_part(const uint8_t *address, size_t len);

/* truth_is_forged: is this an address of a forged reply, or of one with TC? */
bool truth_is_forged(const uint8_t *address, size_t len);

#endif
