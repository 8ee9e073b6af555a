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

/* scene_type, scene_rcode: the number of a mnemonic, of TYPE123 or RCODE123; -1 for none. */
int scene_type(const char *text);
int scene_rcode(const char *text);

/* scene_put: append the record in LINE to B. False: it is not one, or has no room. */
bool scene_put(struct build *b, const char *line);

/* scene_print: the record as scene_put reads it. */
void scene_print(
    const struct msg *m, enum msg_section s, const struct rr *rr, char text[static SCENE_TEXT]);

/* scene_describe: M as lines of text, for people, cut to CAP bytes. */
void scene_describe(const struct msg *m, char *text, size_t cap);

/* scene_count_up: the record in LINE with an address higher by N, to TEXT. False: it has none. */
bool scene_count_up(const char *line, unsigned n, char text[static SCENE_TEXT]);

#endif
