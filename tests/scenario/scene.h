/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_TESTS_SCENARIO_SCENE_H
#define DNS64D_TESTS_SCENARIO_SCENE_H

/*
 * scene: messages as scenario files write them.
 *
 * A record is "SECTION OWNER TTL TYPE RDATA": section an, au or ad (answer, authority,
 * additional); RDATA an address (A, AAAA), a name (NS CNAME PTR DNAME), "MNAME RNAME
 * MINIMUM" (SOA; the other numbers are 1 3600 1200 604800) or hex digits (all other types, also
 * TYPE123). "\# LENGTH HEX" is RDATA of any type, zero where digits are missing; so are printed
 * addresses of a wrong length and what is longer than 400 octets.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dns/build.h"
#include "dns/msg.h"

/* Longest text of one record. */
#define SCENE_TEXT 3300

/* scene_type: the number of a type's mnemonic or of TYPE123; -1: it is none. */
int scene_type(const char *text);

/* scene_rcode: the number of an rcode's mnemonic or of RCODE123; -1: it is none. */
int scene_rcode(const char *text);

/* scene_put: append the record in LINE to B. False: it is not a record, or there is no room. */
bool scene_put(struct build *b, const char *line);

/* scene_print: write the record RR of M to TEXT, in the form that scene_put reads. */
void scene_print(
    const struct msg *m, enum msg_section s, const struct rr *rr, char text[static SCENE_TEXT]);

/* scene_describe: write M as lines of text, for people, cut to CAP bytes with the zero. */
void scene_describe(const struct msg *m, char *text, size_t cap);

/* scene_count_up: write the record in LINE to TEXT, its address higher by N. False: it has none. */
bool scene_count_up(const char *line, unsigned n, char text[static SCENE_TEXT]);

#endif
