/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CORE_ANTISPOOF_H
#define DNS64D_CORE_ANTISPOOF_H

/*
 * antispoof: more for a forger to guess than port and ID.
 *
 * The letters of a question over UDP are in random case ("0x20"), which a reply repeats. A reply
 * right in all but that is a near miss (RULES D21): the same question goes over TCP at once. If
 * TCP says the same three times then it is the upstream's way, and it is asked without for an hour.
 * Where TCP is not to be had, three near misses that agree, each to another port and ID, are the
 * reply: nobody guesses that often. An upstream that used to be right is believed to be so for
 * longer.
 *
 * Cookies (RFC 7873) do the same for upstreams that know them: ours, drawn for each upstream, comes
 * back with the upstream's, which from then on goes with every question over UDP. What comes back
 * with another one, or without although the upstream gave one before, is a near miss too.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attr.h"
#include "core/lookup.h"
#include "dns/build.h"
#include "dns/msg.h"

#define ANTISPOOF_AGREE 3   /* near misses that are the reply */
#define ANTISPOOF_AT_MOST 8 /* in all: some come by a socket that was used already */

/* antispoof_cookie: give OPT the cookie for an attempt of L, if it is to carry one. */
void antispoof_cookie(struct lookups *ls, struct lookup *l, struct build_opt *opt, uint64_t now_ns);

/* antispoof_cookie_right: does reply M bring what it must? Then a new one of the upstream is kept.
 */
MUST_USE bool antispoof_cookie_right(
    struct lookups *ls, const struct lookup *l, const struct msg *m);

/* antispoof_mix: mix the case of QNAME, in the question of an attempt of L, if it goes over UDP. */
void antispoof_mix(struct lookups *ls, struct lookup *l, uint8_t *qname, uint64_t now_ns);

/* antispoof_name: is NAME, of L's length, L's? Else SUSPECT_CASE if it is but for its case. */
enum antispoof_match {
	ANTISPOOF_SAME,
	ANTISPOOF_SUSPECT_CASE,
	ANTISPOOF_SUSPECT_COOKIE,
	ANTISPOOF_OTHER
};
MUST_USE enum antispoof_match antispoof_name(const struct lookup *l, const uint8_t *name);

/*
 * antispoof_unmix: make of M, a reply to L, one that does not show the case we asked in, neither in
 * the question nor where it repeats it: as owner, and in front of a DNAME's target in the CNAME
 * made of it (RFC 6672 section 3.1). Its bytes are then in LS until the next call.
 */
void antispoof_unmix(struct lookups *ls, const struct lookup *l, struct msg *m);

/*
 * antispoof_right: reply M to L, as it came, is right in all that it must bring. True: the next one
 * that is will teach more about this upstream.
 */
MUST_USE bool antispoof_right(struct lookups *ls, const struct lookup *l, const struct msg *m);

/*
 * antispoof_stop: reply M to L (whole; NULL if it was malformed) is right but for SUSPECT. STOPPED:
 * the caller asks the same upstream again, which goes by TCP or, if that is not to be had, from
 * another port, until three agree; AGREED: M is the reply; HOPELESS: no three agree.
 */
enum antispoof_stopped { ANTISPOOF_STOPPED, ANTISPOOF_AGREED, ANTISPOOF_HOPELESS };
MUST_USE enum antispoof_stopped antispoof_stop(struct lookups *ls, struct lookup *l,
    enum lookup_suspect suspect, const struct msg *m, uint64_t now_ns);

/* antispoof_confirm: M is L's reply over TCP: does it say what was stopped? */
void antispoof_confirm(struct lookups *ls, struct lookup *l, const struct msg *m, uint64_t now_ns);

/* antispoof_without_tcp: TCP is not to be had; true: L was to go there because of a near miss, and
 * goes over UDP again. antispoof_forget: L goes to another upstream. */
MUST_USE bool antispoof_without_tcp(struct lookup *l);
void antispoof_forget(struct lookup *l);

#endif
