/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_ENGINE_STATE_ROWS_H
#define DNS64D_ENGINE_STATE_ROWS_H

/*
 * state_rows: the tables of the state machine: its states, its events, and what each event does;
 * and those of the late AAAA, which runs beside it.
 *
 * The machine is that of RFC 6147 section 5.1 with the decisions of RULES. A query waits for one
 * lookup at a time; what comes of it is the event, and the row of state and event names the
 * function that handles it (engine/phase) and where that may lead. A state and an event without a
 * row never meet: the daemon would answer SERVFAIL, and the tests abort (audit_step).
 *
 * contrib/handbook/states ("make doc") reads this file as text: a row has one string literal, and
 * is broken before it.
 */

/* X(STATE, "what is asked") */
#define STATE_STATES(X) \
	X(RELAY, "what the client asks; the reply is passed on") \
	X(AAAA, "AAAA of the client's name or the end of its chain; A may come next") \
	X(A, "A of the client's name or the end of its chain, to synthesize from") \
	X(TARGET, "AAAA of the last name of A's chain, with A at hand (D6)") \
	X(NATIVE, \
	    "AAAA once more: A gave nothing to map (D13), or a proof was too long to keep (D8)") \
	X(HIDDEN, "A, for a client that may not see A records (D17)") \
	X(SVCB, "addresses of the targets of an answer, by queries of their own (D18)") \
	X(REVERSE, "PTR of the IPv4 address behind a prefix (D16)") \
	X(LOCAL, "nothing: it is answered at once")

/*
 * X(EVENT, "what has come")
 *
 * An entry of the cache is the same event as the reply that it is of (D22). The reply is looked
 * into once, for the type that was asked, where the state wants to know.
 */
#define STATE_EVENTS(X) \
	X(REPLY, "a reply, NOERROR or NXDOMAIN, whatever is in it") \
	X(CUT, "a truncated reply; of AAAA, one without AAAA that are of use (else PART)") \
	X(ERROR, "a reply with another rcode") \
	X(BOGUS, "data that does not validate (D3)") \
	X(SILENT, "no reply in its time, or nothing more is waited for") \
	X(NO_ROOM, "no room of ours to ask (D26)") \
	X(DATA, "records of the type, for AAAA some that policy does not exclude") \
	X(EXCLUDED, "AAAA, all of which policy excludes") \
	X(NODATA, "no records of the type") \
	X(CHAIN, "CNAMEs, with neither a record of the type nor an SOA at their end (D6)") \
	X(BROKEN, "a chain that goes round, has too many steps or is malformed") \
	X(NXDOMAIN, "the name does not exist") \
	X(SPECIAL, "a chain to a name that is answered here (D17)") \
	X(PART, "a truncated reply with AAAA that are of use") \
	X(STRAY, "A records, but not at the end of the chain")

/*
 * X(STATE, EVENT, function of engine/phase or engine/respond, where it leads, "in words")
 *
 * TO_X: the query is in state X afterwards, whose question is asked, or waited for again.
 * TO_ANSWER: the answer is written. A row that leads to a state may lead to LOCAL besides, where
 * the question may not be asked (RULES D10, D26).
 */
#define STATE_ROWS(X) \
	X(RELAY, REPLY, pass_on, TO_ANSWER | TO_SVCB, \
	    "as it is; SVCB and HTTPS with the addresses of their targets (D18)") \
	X(RELAY, CUT, pass_on, TO_ANSWER, "as it is") \
	X(RELAY, ERROR, respond_upstream_error, TO_ANSWER, "that error (D4)") \
	X(RELAY, BOGUS, respond_bogus, TO_ANSWER, "SERVFAIL (D3)") \
	X(RELAY, SILENT, respond_fail, TO_ANSWER, "SERVFAIL (D4)") \
	X(RELAY, NO_ROOM, respond_no_room, TO_ANSWER, "SERVFAIL (D26)") \
	X(AAAA, DATA, give_usable, TO_ANSWER, "as it is, less what is excluded") \
	X(AAAA, EXCLUDED, end_empty, TO_ANSWER | TO_A, \
	    "A; by policy NODATA (D3), or without an active prefix NODATA or SERVFAIL (D15)") \
	X(AAAA, NODATA, end_empty, TO_ANSWER | TO_A, \
	    "A; by policy NODATA (D3), or without an active prefix NODATA or SERVFAIL (D15)") \
	X(AAAA, CHAIN, follow_aaaa, TO_ANSWER | TO_AAAA | TO_A, \
	    "AAAA of its end (D6); if it cannot be followed: as BROKEN") \
	X(AAAA, BROKEN, end_failed, TO_ANSWER | TO_A, "A, or SERVFAIL by policy (D3)") \
	X(AAAA, NXDOMAIN, end_nxdomain, TO_ANSWER | TO_A, \
	    "as it is; a stale one only if A fails (D5)") \
	X(AAAA, SPECIAL, give_special, TO_ANSWER, "the chain, and what is known here (D17)") \
	X(AAAA, PART, give_usable, TO_ANSWER, \
	    "the AAAA in it that policy does not exclude, with TC") \
	X(AAAA, CUT, end_failed, TO_ANSWER | TO_A, "A, or SERVFAIL by policy (D3)") \
	X(AAAA, ERROR, end_error, TO_ANSWER | TO_A, "A, or that error by policy (D3, D4)") \
	X(AAAA, BOGUS, respond_bogus, TO_ANSWER, "SERVFAIL (D3)") \
	X(AAAA, SILENT, end_silent, TO_ANSWER | TO_A | TO_AAAA, \
	    "A; if policy forbids it (D3): a late AAAA is waited for (D5), else SERVFAIL") \
	X(AAAA, NO_ROOM, respond_no_room, TO_ANSWER, "SERVFAIL: it may have AAAA (D26)") \
	X(A, DATA, take_a, TO_ANSWER | TO_A | TO_TARGET | TO_NATIVE | TO_AAAA, \
	    "synthesize (D2), TARGET before (D6); late AAAA may win (D5); none maps: as NODATA") \
	X(A, NODATA, find_none, TO_ANSWER | TO_NATIVE | TO_AAAA, \
	    "by how AAAA ended: NODATA, NATIVE, or a late AAAA and then SERVFAIL (D2, D5)") \
	X(A, CHAIN, follow_a, TO_ANSWER | TO_A | TO_NATIVE | TO_AAAA, \
	    "A of its end (D6); if it cannot be followed: as BROKEN") \
	X(A, BROKEN, take_a_broken, TO_ANSWER | TO_NATIVE | TO_AAAA, \
	    "a late AAAA is waited for (D5); else SERVFAIL (D2), or NATIVE (D13)") \
	X(A, NXDOMAIN, find_none, TO_ANSWER | TO_NATIVE, "by how AAAA ended (D2)") \
	X(A, SPECIAL, give_special, TO_ANSWER, "the chain, and what is known here (D17)") \
	X(A, CUT, take_a_failed, TO_ANSWER | TO_NATIVE | TO_AAAA, \
	    "a stale NXDOMAIN or a late AAAA (D5); else SERVFAIL (D2), or NATIVE (D13)") \
	X(A, ERROR, take_a_error, TO_ANSWER | TO_NATIVE | TO_AAAA, \
	    "a late AAAA (D5); AAAA empty: that error, failed: SERVFAIL (D2), ignored: NATIVE") \
	X(A, BOGUS, take_a_bogus, TO_ANSWER | TO_AAAA, \
	    "a stale NXDOMAIN or a late AAAA (D5); else SERVFAIL (D3)") \
	X(A, SILENT, take_a_failed, TO_ANSWER | TO_NATIVE | TO_AAAA, \
	    "a stale NXDOMAIN or a late AAAA (D5); else SERVFAIL (D2), or NATIVE (D13)") \
	X(A, NO_ROOM, take_a_no_room, TO_ANSWER | TO_AAAA, \
	    "a late AAAA is waited for (D5); else SERVFAIL (D26)") \
	X(TARGET, DATA, give_usable, TO_ANSWER, "the chain of A and AAAA") \
	X(TARGET, EXCLUDED, take_no_target, TO_ANSWER | TO_NATIVE, "the A at hand (D2)") \
	X(TARGET, NODATA, take_no_target, TO_ANSWER | TO_NATIVE, "the A at hand (D2)") \
	X(TARGET, CHAIN, follow_target, TO_ANSWER | TO_TARGET | TO_NATIVE, \
	    "AAAA of its end (D6); if it cannot be followed: as BROKEN") \
	X(TARGET, BROKEN, take_no_target, TO_ANSWER | TO_NATIVE, "the A at hand (D2)") \
	X(TARGET, NXDOMAIN, take_no_target, TO_ANSWER | TO_NATIVE, "the A at hand (D2)") \
	X(TARGET, SPECIAL, give_special, TO_ANSWER, "the chain, and what is known here (D17)") \
	X(TARGET, PART, give_usable, TO_ANSWER, \
	    "the AAAA in it that policy does not exclude, with TC") \
	X(TARGET, CUT, miss_target, TO_ANSWER | TO_NATIVE, "the A at hand (D2)") \
	X(TARGET, ERROR, miss_target, TO_ANSWER | TO_NATIVE, "the A at hand (D2)") \
	X(TARGET, BOGUS, respond_bogus, TO_ANSWER, "SERVFAIL (D3)") \
	X(TARGET, SILENT, miss_target, TO_ANSWER | TO_NATIVE, "the A at hand (D2)") \
	X(TARGET, NO_ROOM, respond_no_room, TO_ANSWER, "SERVFAIL: it may have AAAA (D26)") \
	X(NATIVE, DATA, give_usable, TO_ANSWER, "as it is, less what is excluded") \
	X(NATIVE, EXCLUDED, give_native_none, TO_ANSWER, "NODATA") \
	X(NATIVE, NODATA, pass_on, TO_ANSWER, "as it is") \
	X(NATIVE, CHAIN, pass_on, TO_ANSWER, "as it is") \
	X(NATIVE, BROKEN, pass_on, TO_ANSWER, "as it is") \
	X(NATIVE, NXDOMAIN, give_native_nxdomain, TO_ANSWER, "as it is") \
	X(NATIVE, PART, give_usable, TO_ANSWER, \
	    "the AAAA in it that policy does not exclude, with TC") \
	X(NATIVE, CUT, respond_fail, TO_ANSWER, "SERVFAIL") \
	X(NATIVE, ERROR, respond_upstream_error, TO_ANSWER, "that error (D4)") \
	X(NATIVE, BOGUS, respond_bogus, TO_ANSWER, "SERVFAIL (D3)") \
	X(NATIVE, SILENT, respond_fail, TO_ANSWER, "SERVFAIL (D4)") \
	X(NATIVE, NO_ROOM, respond_no_room, TO_ANSWER, "SERVFAIL (D26)") \
	X(HIDDEN, DATA, hide_a, TO_ANSWER, "NODATA: the chain, and an SOA made here") \
	X(HIDDEN, STRAY, hide_stray_a, TO_ANSWER, \
	    "its rcode, without them; a broken chain: SERVFAIL (D17)") \
	X(HIDDEN, REPLY, pass_on, TO_ANSWER, "as it is") \
	X(HIDDEN, CUT, pass_on, TO_ANSWER, "as it is") \
	X(HIDDEN, ERROR, respond_upstream_error, TO_ANSWER, "that error (D4)") \
	X(HIDDEN, BOGUS, respond_bogus, TO_ANSWER, "SERVFAIL (D3)") \
	X(HIDDEN, SILENT, respond_fail, TO_ANSWER, "SERVFAIL (D4)") \
	X(HIDDEN, NO_ROOM, respond_no_room, TO_ANSWER, "SERVFAIL (D26)") \
	X(SVCB, SILENT, give_added, TO_ANSWER, \
	    "the answer with the addresses that were found (D18)") \
	X(REVERSE, DATA, give_reverse, TO_ANSWER, "a CNAME and the PTR (D16)") \
	X(REVERSE, NODATA, give_reverse_none, TO_ANSWER, "NODATA with an SOA made here") \
	X(REVERSE, CHAIN, give_reverse_none, TO_ANSWER, "NODATA with an SOA made here") \
	X(REVERSE, BROKEN, respond_fail, TO_ANSWER, "SERVFAIL") \
	X(REVERSE, NXDOMAIN, give_reverse_none, TO_ANSWER, "NXDOMAIN with an SOA made here") \
	X(REVERSE, CUT, respond_fail, TO_ANSWER, "SERVFAIL") \
	X(REVERSE, ERROR, respond_upstream_error, TO_ANSWER, "that error (D4)") \
	X(REVERSE, BOGUS, respond_bogus, TO_ANSWER, "SERVFAIL (D3)") \
	X(REVERSE, SILENT, respond_fail, TO_ANSWER, "SERVFAIL (D4)") \
	X(REVERSE, NO_ROOM, respond_no_room, TO_ANSWER, "SERVFAIL (D26)") \
	X(LOCAL, SILENT, give_local, TO_ANSWER, "what is known here")

/*
 * The late AAAA (RULES D5): AAAA has not come in its time, A is asked for, and what comes of AAAA
 * still counts. Where a query is with that is a second state of it (q->aaaa.late), beside the
 * first: NONE for nearly all.
 *
 * X(STATE, "where the query is with the late AAAA"); from WATCHED on AAAA is watched
 */
#define LATE_STATES(X) \
	X(NONE, "AAAA is not late, or nothing is left of that") \
	X(A_KEPT, "AAAA has come first; the question for A goes on, as it may be needed yet") \
	X(AWAITED, "A is of no use: AAAA is waited for; if it fails, what A gave is the answer") \
	X(LAPSED, "as HELD, but AAAA is not watched any more") \
	X(WATCHED, "A is asked for, and AAAA, which goes on, is watched") \
	X(HELD, "likewise; A is at hand, and the rest of a tick is left to AAAA") \
	X(SPENT, "as WATCHED, but the tick was left to AAAA: A is used when it is there")

/* X(EVENT, "what has happened") */
#define LATE_EVENTS(X) \
	X(LATE, "AAAA of the client's name has not come in its time") \
	X(CAME, \
	    "AAAA: data, NODATA, NXDOMAIN, a truncated reply, or it is bogus; A is not asked for") \
	X(CAME_FIRST, "likewise, while A is waited for") \
	X(ENDED, "what is watched has ended: of AAAA, with an error or without a reply") \
	X(AT_HAND, "records of A, which the cache keeps") \
	X(USELESS, "A gives nothing to synthesize from, and there is time left") \
	X(FORBIDDEN, "A may not be asked for by policy (D3), or no more") \
	X(TICK, "the tick is over, or is not waited for") \
	X(NEEDLESS, "what is watched is waited for again, or the query gives way or is answered") \
	X(EMPTY, "what was waited for says that there are no AAAA of use") \
	X(FAILED, "what was waited for has failed")

/*
 * X(STATE, EVENT, function of engine/query_watch, where it leads, "in words")
 *
 * One state in each row, which query_take_late makes the query's. A state and an event without a
 * row never meet: the daemon would stop watching, and the tests abort (audit_late).
 */
#define LATE_ROWS(X) \
	X(NONE, LATE, begin_watch, WATCHED, "it goes on; state AAAA has the event SILENT") \
	X(WATCHED, CAME, call_back, NONE, "state AAAA once more, with that event") \
	X(WATCHED, CAME_FIRST, keep_a, A_KEPT, "state AAAA once more, with that event") \
	X(WATCHED, ENDED, no_step, NONE, "A decides alone") \
	X(WATCHED, AT_HAND, no_step, HELD, "AAAA may come with the next datagram") \
	X(WATCHED, USELESS, wait_on, AWAITED, "state AAAA, which waits to the end of its time") \
	X(WATCHED, FORBIDDEN, wait_on, NONE, "state AAAA, which waits to the end of its time") \
	X(WATCHED, NEEDLESS, unwatch, NONE, "AAAA goes on for the cache") \
	X(HELD, CAME, call_back, NONE, "state AAAA once more: A is not used") \
	X(HELD, ENDED, no_step, LAPSED, "the tick goes on") \
	X(HELD, TICK, ask_again, SPENT, "A is taken from the cache") \
	X(HELD, NEEDLESS, unwatch, LAPSED, "AAAA goes on for the cache") \
	X(SPENT, CAME, call_back, NONE, "state AAAA once more, with that event") \
	X(SPENT, CAME_FIRST, keep_a, A_KEPT, "state AAAA once more; the cache has lost A") \
	X(SPENT, ENDED, no_step, NONE, "A decides alone") \
	X(SPENT, USELESS, wait_on, AWAITED, "state AAAA, which waits to the end of its time") \
	X(SPENT, FORBIDDEN, wait_on, NONE, "state AAAA, which waits to the end of its time") \
	X(SPENT, NEEDLESS, unwatch, NONE, "AAAA goes on for the cache") \
	X(LAPSED, TICK, ask_again, NONE, "A is taken from the cache") \
	X(AWAITED, EMPTY, no_step, NONE, "state A once more") \
	X(AWAITED, FAILED, no_step, NONE, "the answer is what A gave (D2)") \
	X(A_KEPT, ENDED, no_step, NONE, "the cache may have it now") \
	X(A_KEPT, NEEDLESS, unwatch, NONE, "it is waited for, or goes on for the cache")

#define STATE_ONE(NAME, words) +1

#define STATE_ENUM(STATE, words) QUERY_##STATE,
enum query_state { STATE_STATES(STATE_ENUM) };
#define QUERY_N_STATES (0 STATE_STATES(STATE_ONE))

#define STATE_EVENT_ENUM(EVENT, words) EVENT_##EVENT,
enum state_event { STATE_EVENTS(STATE_EVENT_ENUM) };
#define STATE_EVENTS_CAP 16 /* columns of an array by event: a power of two is a shift */
#define STATE_N_EVENTS (0 STATE_EVENTS(STATE_ONE))
_Static_assert(STATE_N_EVENTS <= STATE_EVENTS_CAP, "each event has a column");

/* Where a row leads, in bits. */
#define STATE_TO_ENUM(STATE, words) TO_##STATE = 1 << QUERY_##STATE,
enum state_to { STATE_STATES(STATE_TO_ENUM) TO_ANSWER = 1 << QUERY_N_STATES };

#define LATE_ENUM(STATE, words) LATE_##STATE,
enum query_late { LATE_STATES(LATE_ENUM) };
#define LATE_N_STATES (0 LATE_STATES(STATE_ONE))

#define LATE_EVENT_ENUM(EVENT, words) LATE_ON_##EVENT,
enum late_event { LATE_EVENTS(LATE_EVENT_ENUM) };
#define LATE_N_EVENTS (0 LATE_EVENTS(STATE_ONE))

#endif
