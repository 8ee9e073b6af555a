/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * query: one AAAA query, for SPIN, but for the rows of its states (tests/model/generate).
 *
 * README says what is modelled, what is left out, and what is checked.
 *
 * All is one process: it takes one event after another, in any order that there may be. An event, and
 * all that the daemon does before the next one, is one step.
 */

#ifndef UPSTREAMS
#define UPSTREAMS 2
#endif
#ifndef SENDS
#define SENDS 1 /* attempts at one upstream until it is exhausted (LOOKUP_SENDS_EACH) */
#endif
/*
 * With A_ENDS the lookup of A may end at any moment in any way: its attempts are left out, and no order
 * is. With MOST_HEALTH 1 an upstream that is down stays so.
 */
#ifndef STEPS
#define STEPS 1 /* questions that follow open chains, in each phase (QUERY_MAX_STEPS) */
#endif

/*
 * Ticks of two seconds, between which all orders are looked at: AAAA is late (QUERY_AAAA_MS), the
 * query ends (QUERY_ALL_MS), all lookups have ended.
 */
#ifndef LATE
#define LATE 1
#define ALL 2
#endif
#define LIFE_END (2 * ALL)
#define LINGER_END (LIFE_END + 1)

#if UPSTREAMS == 2
#define SOME(f) (f(0) || f(1))
#define ANY(f) (f(0) || f(1)) /* inside of SOME */
#define EACH(f) f(0) f(1)
#else
#define SOME(f) (f(0) || f(1) || f(2))
#define ANY(f) (f(0) || f(1) || f(2))
#define EACH(f) f(0) f(1) f(2)
#endif

/* --- what is remembered ----------------------------------------------------------------------- */

#define E_NONE 0
#define S_NEW 0
#define S_DONE 15 /* the query has been answered */
#define NOTHING 2 /* no lookup */

byte now;
byte state, event;
byte timer;          /* tick */
byte waits = NOTHING; /* the lookup that the query waits for: 0 of AAAA, 1 of A */
byte late;           /* where it is with the late AAAA (RULES D5) */
byte a_answer;       /* with LATE_AWAITED, what would be the answer to what A gave */
byte aaaa_end;       /* enum query_aaaa, as below */
bit chain;           /* it follows an open chain */
byte steps;
bit targeted;

#define EMPTY 1
#define FAILED 2
#define IGNORED 3

/* Lookups. */
#define FREE 0
#define LIVE 1
#define LINGERS 2
byte live[2];
byte end[2];  /* tick */
byte begun;   /* tick: lookup 0 */
bit own[2];   /* its name is the query's, not the end of a chain */
byte check;   /* of lookup 0: NONE, CD or AGAIN */
bit cut;      /* lookup 0 has a truncated reply, with AAAA */
bit error[2]; /* an upstream has given an error */
bit by_tcp[2];
bit hurried[2]; /* all upstreams were down when it was sent */

#define NONE 0
#define CD 1
#define AGAIN 2

/*
 * What each upstream and each of the two lookups have to do with each other: questions that the
 * upstream may reply to yet, which of them is the present attempt, and what came of others. A
 * question that was sent twice is one here; its bit may stay after a reply.
 */
short with[2 * UPSTREAMS];
#define FIRST 1      /* over UDP */
#define WITH_CD 2    /* the second question of a check, */
#define ONCE_MORE 4  /* and the third */
#define TCP 8        /* after a truncated reply */
#define OPEN 15
#define PRESENT 16   /* the attempt that is waited for is at this upstream */
#define AWAITED 32   /* an earlier one is, whose time is not over */
#define ERRED 64
#define SILENT 128   /* times the number of attempts that were silent */
byte health[UPSTREAMS];
#define UP 0
#define DOWN 1
#define BACK 2 /* up again */
#ifndef MOST_HEALTH
#define MOST_HEALTH BACK
#endif

/* What has been seen, for what must hold. */
bit real;  /* AAAA that are of use came before the answer */
bit bogus; /* AAAA do not validate */
bit no_aaaa; /* there is none, or policy excludes them all */

/* What must hold, or rather what is wrong if it does not. */
#define P_once 1   /* it is answered twice, or waits for something yet */
#define P_late 2   /* it is answered after its time, or not at all */
#define P_open 3   /* an error is the answer while an upstream that is heard has AAAA open (D3, D5) */
#define P_beaten 4 /* AAAA that came in time are beaten by synthesis (D5) */
#define P_early 5  /* synthesis before AAAA is late, while it is open (D5) */
#define P_bogus 6  /* bogus AAAA are replaced (D3) */
#define P_guess 7  /* nobody has said that there is no AAAA (D2) */
#define P_none 8   /* AAAA are the answer, and none have come */
#define P_lookup 9 /* a lookup ends by an error while an upstream that is heard has its question open (D3) */
#define P_watched 10 /* what is watched is asked for again */
#define P_left 11  /* something stays in flight */
#define P_row 12   /* there is no row for a state and an event that have met */
#define P_leads 13 /* a row has led to where it does not lead */
#define P_met 14   /* there is no row for a state and an event of the late AAAA that have met */
#define P_gone 15  /* what is watched is not there */

/* For the present step only: 0 when it is over. */
byte L, U, wrong, kind, todo, outcome, row, function, to, answer, reply, v;
byte on_nodata, on_error, on_timeout; /* synthesize-on */
byte cache; /* there is a cache, and it keeps what comes */
byte asks, present, busy, goes, ended;
short x;
int met; /* the rows of the late AAAA, in bits */

/* The query watches lookup 0; it has A, and AAAA may come in the same tick. */
#define watches (late >= LATE_WATCHED)
#define held (late == LATE_HELD || late == LATE_LAPSED)

/* The rows of the late AAAA stand here. */

/* --- what may be said of lookup L ------------------------------------------------------------- */

#define AT(l, u) with[(l) * UPSTREAMS + (u)]
#define is_up(u) (health[u] != DOWN)
#define any_up SOME(is_up)
#define is_open(u) (is_up(u) && (AT(L, u) & ONCE_MORE || (AT(L, u) & OPEN && !(AT(L, u) & ERRED))))
#define has_open(u) (AT(L, u) & OPEN)
#define is_present(u) (AT(L, u) & PRESENT)
#define is_left(u) (!(AT(L, u) & (ERRED | PRESENT | AWAITED)) && AT(L, u) < SENDS * SILENT)
#define is_left_up(u) (is_left(u) && is_up(u))
#define may_resume(u) (AT(L, u) & AWAITED && !(AT(L, u) & ERRED))
#define again_open(u) (is_up(u) && AT(0, u) & ONCE_MORE)
/* An upstream that is heard has the question of AAAA open. */
#define heard_0(u) (is_up(u) && (AT(0, u) & ONCE_MORE || (AT(0, u) & OPEN && !(AT(0, u) & ERRED))))
#define aaaa_heard (live[0] == LIVE && SOME(heard_0))

#define present_0(u) (AT(0, u) & PRESENT)
#define present_1(u) (AT(1, u) & PRESENT)
#define open_0(u) (AT(0, u) & OPEN)
#define open_1(u) (AT(1, u) & OPEN)
#define left_0(u) (!(AT(0, u) & (ERRED | PRESENT | AWAITED)) && AT(0, u) < SENDS * SILENT)
#define left_1(u) (!(AT(1, u) & (ERRED | PRESENT | AWAITED)) && AT(1, u) < SENDS * SILENT)
#define left_up_0(u) (left_0(u) && is_up(u))
#define left_up_1(u) (left_1(u) && is_up(u))
#define heard_1(u) (is_up(u) && AT(1, u) & OPEN && !(AT(1, u) & ERRED))

/* A lookup without a present attempt looks now and then whether that is to change. */
#define looks(l) (live[l] == LIVE && !SOME(present_##l) && (!SOME(open_##l) || \
	(error[l] && (!any_up || !SOME(heard_##l))) || \
	(any_up && (SOME(left_up_##l) || (!error[l] && SOME(left_##l))))))

#define ends(l) (live[l] != FREE && now >= end[l])

/* Does the query stop waiting, now that its time for that has come (waits_until_ns)? */
#define may_stop (held || now >= ALL || (!(waits == 0 && (check != NONE || cut)) && \
	(state != S_AAAA || (late != LATE_AWAITED && any_up))))
#define is_timed (state != S_NEW && state != S_DONE && now >= timer && may_stop)

/*
 * Settings are what chance decides: after a reload they may be others. In one step they are the
 * same: UNKNOWN until they are looked at.
 */
#define UNKNOWN 0
#define YES 1
#define NO 2
inline decide(setting) {
	if
	:: setting == UNKNOWN -> setting = YES
	:: setting == UNKNOWN -> setting = NO
	:: else
	fi
}

/* --- lookups ---------------------------------------------------------------------------------- */

#define T_NOTHING 0
#define T_REPLY 1
#define T_LOST 2
#define T_NEXT 3
#define T_TIMER 5
#define T_FAILED 6

#define O_NONE 0
#define O_REPLY 1
#define O_TRUNCATED 2
#define O_ERROR 3
#define O_BOGUS 4
#define O_SILENT 5
#define O_GONE 6 /* nobody waits for it */

/*
 * Replies to one question. What ends a lookup does so whoever gives it, so it is an event of the
 * lookup: a whole reply, NOERROR or NXDOMAIN, and that the data is bogus.
 */
#define R_GOOD 1     /* to the second question of a check */
#define R_SERVFAIL 2 /* to the first question for AAAA */
#define R_ERROR 3    /* any other error, a lame or malformed reply */
#define R_TC 4
#define R_PART 5     /* TC, with AAAA */

/* The question that lookup L is to send. */
#define wanted (check == CD && L == 0 -> WITH_CD : \
	(check == AGAIN && L == 0 -> ONCE_MORE : (by_tcp[L] -> TCP : FIRST)))

/* Lookup L sends that to upstream U. */
#define send() x = wanted; AT(L, U) = (AT(L, U) | x | PRESENT) & ~AWAITED

#define go_to(u) \
	by_tcp[L] = (u == U -> by_tcp[L] : 0); check = (L == 0 -> NONE : check); U = u; send()
#define GO(u) :: d_step { is_left_up(u) -> go_to(u) }
#define GO_DOWN(u) :: d_step { any_up && !SOME(is_left_up) && !error[L] && is_left(u) -> go_to(u) }
#define RESUME(u) :: d_step { may_resume(u) -> U = u; AT(L, u) = (AT(L, u) | PRESENT) & ~AWAITED }

/* Lookup L goes on without a present attempt: elsewhere, or it waits for what is open, or it ends. */
inline ask_next() {
	if
	EACH(GO)
	EACH(GO_DOWN)
	:: else -> d_step {
		if
		:: !SOME(has_open) || (error[L] && !SOME(is_open)) || (!any_up && (hurried[L] || error[L])) ->
			outcome = (error[L] -> O_ERROR : O_SILENT)
		:: else -> check = (L == 1 -> check : (any_up && SOME(again_open) -> AGAIN : NONE))
		fi
		}
	fi
}

/* U, whose attempt is not present any more, has given an error. */
inline failed() {
	d_step {
		AT(L, U) = AT(L, U) | ERRED;
		error[L] = 1;
		by_tcp[L] = 0;
		check = (L == 0 -> NONE : check)
	}
	if
	EACH(RESUME)
	:: else -> ask_next()
	fi
}

/* The third question at U is like the first: its check is over. */
#define end_check() AT(L, U) = (AT(L, U) & ONCE_MORE -> (AT(L, U) & ~ONCE_MORE) | FIRST : AT(L, U))

/* The reply of U is to the present attempt of L. */
inline judge() {
	if
	:: reply == R_GOOD -> check = AGAIN; send()
	:: reply == R_SERVFAIL -> check = CD; send()
	:: reply == R_ERROR ->
		if
		:: L == 0 && check == AGAIN -> end_check()
		:: else
		fi;
		todo = T_FAILED
	:: (reply == R_TC || reply == R_PART) && by_tcp[L] -> todo = T_FAILED
	:: (reply == R_TC || reply == R_PART) && !by_tcp[L] ->
		if
		:: L == 0 -> end_check()
		:: else
		fi;
		if
		:: reply == R_PART -> cut = 1; end[0] = (end[0] < begun + LATE -> end[0] : begun + LATE)
		:: else
		fi;
		by_tcp[L] = 1;
		send()
	fi
}

#define DISPLACE(u) :: is_present(u) -> AT(L, u) = (AT(L, u) & ~PRESENT) | AWAITED

/* A reply that does not end L, or as an error only (outbound/reply). */
inline take_reply() {
	if
	:: d_step { AT(L, U) = AT(L, U) & ~kind; take_answered() }
#if SENDS > 1
	:: d_step { AT(L, U) >= SILENT -> take_answered() } /* it was sent twice, and one is open yet */
#endif
	fi
}

inline take_answered() {
	present = (AT(L, U) & PRESENT && kind == wanted);
	busy = SOME(is_present);
	/* It leads to a further question, though it is late. */
	goes = !(L == 0 && check != NONE) && !by_tcp[L] && reply != R_ERROR && reply != R_GOOD;
	if
	:: present || !busy || goes ->
		if
		:: present -> AT(L, U) = AT(L, U) & ~PRESENT
		:: !present && busy ->
			if
			EACH(DISPLACE)
			fi
		:: else
		fi;
		AT(L, U) = AT(L, U) & ~AWAITED;
		check = (L == 1 -> check : (kind == WITH_CD -> CD : (kind == ONCE_MORE -> AGAIN : NONE)));
		judge()
	:: else ->
		if
		:: reply == R_ERROR || reply == R_SERVFAIL ->
			AT(L, U) = AT(L, U) | ERRED;
			error[L] = 1
		:: else
		fi
	fi
}

#define GIVE_UP(u) AT(L, u) = (AT(L, u) & AWAITED -> (AT(L, u) & ~AWAITED) + \
	(AT(L, u) < SENDS * SILENT -> SILENT : 0) : AT(L, u));

/* The time for the present attempt of L, at U, is over: it may be answered yet. */
inline lose() {
	d_step {
		AT(L, U) = AT(L, U) & ~PRESENT;
		AT(L, U) = AT(L, U) + (AT(L, U) < SENDS * SILENT -> SILENT : 0);
		EACH(GIVE_UP)
		if
		:: hurried[L] && any_up -> hurried[L] = 0; end[L] = (begun == 0 && L == 0 -> ALL : LIFE_END)
		:: else
		fi;
		if
		:: any_up && L == 0 && check != NONE && AT(L, U) < SENDS * SILENT -> send()
		:: any_up && L == 0 && check != NONE && AT(L, U) >= SENDS * SILENT -> todo = T_FAILED
		:: else -> todo = T_NEXT
		fi
	}
}

#define CLEAR(u) AT(L, u) = 0;

inline free_lookup() {
	d_step {
		EACH(CLEAR)
		live[L] = FREE; end[L] = 0; own[L] = 0; error[L] = 0; by_tcp[L] = 0; hurried[L] = 0;
		if
		:: L == 0 -> check = NONE; cut = 0; begun = 0
		:: else
		fi
	}
}

/* Nobody waits for L any more: it goes on for the cache until then, if there is one. */
inline leave(until) {
	decide(cache);
	free_lookup();
	if
	:: cache == YES -> live[L] = LINGERS; end[L] = until
	:: else
	fi
}

/* --- the query -------------------------------------------------------------------------------- */

/* What comes of a reply to the lookup that the query waits for, or watches. */
inline read_event() {
	if
	:: outcome == O_REPLY ->
		if
		:: event = E_DATA
		:: event = E_NODATA
		:: event = E_CHAIN
		:: event = E_BROKEN
		:: event = E_NXDOMAIN
		:: state != S_NATIVE -> event = E_SPECIAL
		:: L == 0 -> event = E_EXCLUDED
		fi
	:: outcome == O_TRUNCATED ->
		if
		:: event = E_PART
		:: event = E_CUT /* policy excludes them all */
		fi
	:: outcome == O_ERROR -> event = E_ERROR
	:: outcome == O_BOGUS -> event = E_BOGUS
	:: outcome == O_SILENT -> event = E_SILENT
	fi;
	if
	:: L == 0 && (event == E_DATA || event == E_PART) -> real = 1
	:: L == 0 && event == E_BOGUS -> bogus = 1
	:: L == 0 && (event == E_NODATA || event == E_EXCLUDED) -> no_aaaa = 1
	:: else
	fi
}

/* AAAA has come, so what was done since it was late is forgotten. */
inline go_back() {
	state = S_AAAA;
	waits = NOTHING;
	chain = 0;
	steps = 0;
	targeted = 0
}

#define is_telling (outcome == O_REPLY || outcome == O_TRUNCATED || outcome == O_BOGUS)

/* Lookup L ends: who waits for it, or watches it, has an event. */
inline end_lookup() {
	if
	:: cut && L == 0 && (outcome == O_ERROR || outcome == O_SILENT) -> outcome = O_TRUNCATED
	:: else
	fi;
	wrong = (outcome == O_ERROR && now < end[L] && SOME(is_open) -> P_lookup : wrong);
	if
	:: state != S_DONE && waits == L ->
		waits = NOTHING;
		read_event()
	:: state != S_DONE && L == 0 && watches ->
		if
		:: is_telling ->
			if
			:: waits == 1 -> late_CAME_FIRST()
			:: else -> late_CAME()
			fi;
			go_back();
			read_event()
		:: else -> late_ENDED()
		fi
	:: state != S_DONE && L == 1 && late == LATE_A_KEPT && waits != L -> late_ENDED()
	:: else
	fi;
	if
	:: outcome == O_SILENT && SOME(has_open) -> leave(LINGER_END)
	:: else -> free_lookup()
	fi;
	outcome = O_NONE
}

#define ANY_UP(u) :: is_up(u) -> U = u
#define ANY_DOWN(u) :: !any_up -> U = u

/* Ask the question of the query's state. */
inline ask() {
	asks = 0;
	L = (state == S_A -> 1 : 0);
	if
	:: now >= ALL || (aaaa_end == FAILED && (state == S_A || state == S_NATIVE) && !any_up) -> event = E_SILENT
	:: else ->
		if
		:: event = E_NO_ROOM
		:: event = E_SILENT /* its questions are used up (RULES D28) */
		:: live[L] == LIVE && L == 1 && own[1] == !chain -> /* it goes on from before */
			if
			:: late == LATE_A_KEPT -> late_NEEDLESS()
			:: else
			fi;
			waits = 1
		:: !(live[L] == LIVE && L == 1 && own[1] == !chain) ->
			/* What there was goes on for the cache, or lingers: it is of no use here. */
			wrong = (L == 0 && watches -> P_watched : wrong);
			if
			:: L == 1 && late == LATE_A_KEPT -> late_ENDED()
			:: else
			fi;
			free_lookup();
			live[L] = LIVE;
			own[L] = !chain && state != S_TARGET;
			end[L] = (L == 0 && now == 0 -> ALL : LIFE_END);
			if
			:: L == 0 -> begun = now
			:: else
			fi;
			waits = L;
#ifdef A_ENDS
			if
			:: L == 1
			:: else ->
#endif
			if
			EACH(ANY_UP)
			EACH(ANY_DOWN)
			fi;
			if
			:: !any_up -> hurried[L] = 1; end[L] = now + 1
			:: else
			fi;
			send()
#ifdef A_ENDS
			fi
#endif
		fi;
		if
		:: state == S_AAAA -> timer = LATE
		:: (state == S_TARGET || (state == S_A && aaaa_end == IGNORED)) && now + LATE < ALL -> timer = now + LATE
		:: else -> timer = ALL
		fi
	fi
}

/* The query stops waiting. */
inline stop_waiting() {
	L = waits;
	waits = NOTHING;
	if
	:: state == S_AAAA && !chain && now < ALL -> late_LATE()
	:: else ->
		leave(LIFE_END)
	fi;
	event = E_SILENT
}

inline on_timer() {
	if
	:: held ->
		late_TICK();
		if
		:: event = E_DATA /* of the cache, */
		:: asks = 1       /* which may have lost it */
		fi
	:: !held && state == S_AAAA && now < ALL ->
		decide(on_timeout);
		if
		:: on_timeout == YES -> stop_waiting()
		:: on_timeout == NO -> timer = ALL
		fi
	:: else -> stop_waiting()
	fi
}

/* --- what the functions of the rows do (engine/phase, engine/respond) ------------------------- */

#define A_NONE 0
#define A_REAL 1
#define A_SYNTHESIZED 2
#define A_NODATA 3
#define A_NXDOMAIN 4
#define A_SPECIAL 5
#define A_ERROR 6
#define A_SERVFAIL 7
#define A_BOGUS 8
#define A_NO_ROOM 9
#define A_PASSED 10

inline respond_fail() { answer = A_SERVFAIL }
inline respond_upstream_error() { answer = A_ERROR }
inline respond_bogus() { answer = A_BOGUS }
inline respond_no_room() { answer = A_NO_ROOM }
inline pass_on() { answer = A_PASSED }
inline give_usable() { answer = A_REAL }
inline give_special() { answer = A_SPECIAL }
inline give_native_none() { answer = A_PASSED }
inline give_native_nxdomain() { answer = A_NXDOMAIN }

/* A was of no use, and then AAAA, which was waited for, failed too. */
inline give_up() {
	answer = a_answer
}

inline ask_a_after(how) {
	if
	:: late == LATE_AWAITED && how != EMPTY -> late_FAILED(); give_up()
	:: else ->
		if
		:: late == LATE_AWAITED -> late_EMPTY()
		:: else
		fi;
		aaaa_end = how;
		steps = 0;
		chain = 0;
		state = S_A;
		asks = 1
	fi
}

inline end_empty() {
	decide(on_nodata);
	if
	:: on_nodata == YES -> ask_a_after(EMPTY)
	:: on_nodata == NO -> answer = A_NODATA
	:: on_nodata == NO -> answer = A_SERVFAIL /* no prefix is active (RULES D15) */
	fi
}

inline end_failed() {
	decide(on_error);
	if
	:: on_error == YES -> ask_a_after(FAILED)
	:: else -> respond_fail()
	fi
}

inline end_error() {
	decide(on_error);
	if
	:: on_error == YES -> ask_a_after(FAILED)
	:: else -> respond_upstream_error()
	fi
}

/* The query, which watches AAAA, waits for it again. */
inline wait_on() {
	waits = 0;
	chain = 0;
	state = S_AAAA;
	timer = ALL
}

inline end_silent() {
	decide(on_timeout);
	if
	:: on_timeout == YES -> ask_a_after(FAILED)
	:: on_timeout == NO && !watches -> respond_fail()
	:: on_timeout == NO && watches -> late_FORBIDDEN(); wait_on()
	fi
}

/* Is the end of the chain asked for? */
inline follow() {
	if
	:: steps < STEPS -> steps++; chain = 1; asks = 1; goes = 1
	:: goes = 0
	fi
}

inline follow_aaaa() {
	follow();
	if
	:: !goes -> end_failed()
	:: else
	fi
}

inline end_nxdomain() { answer = A_NXDOMAIN }

inline ask_native() {
	chain = 0;
	state = S_NATIVE;
	asks = 1
}

/* Does the query wait for AAAA, as A is of no use? */
inline wait_for_aaaa() {
	goes = watches && now < ALL;
	if
	:: goes -> late_USELESS(); wait_on();
		a_answer = (event == E_BOGUS -> A_BOGUS : (event == E_NO_ROOM -> A_NO_ROOM : A_SERVFAIL))
	:: else
	fi
}

inline find_none() {
	if
	:: aaaa_end == EMPTY -> answer = A_NODATA
	:: aaaa_end == EMPTY -> ask_native() /* the proof was too long to keep (RULES D8) */
	:: aaaa_end != EMPTY ->
		if
		:: event == E_NXDOMAIN -> goes = 0
		:: else -> wait_for_aaaa()
		fi;
		if
		:: goes
		:: !goes && aaaa_end == IGNORED -> ask_native()
		:: !goes && aaaa_end != IGNORED -> answer = (event == E_NXDOMAIN -> A_NXDOMAIN : A_SERVFAIL)
		fi
	fi
}

inline use_a() {
	if
	:: !targeted && aaaa_end == EMPTY -> targeted = 1; chain = 1; steps = 0; state = S_TARGET; asks = 1
	:: answer = A_SYNTHESIZED
	:: find_none() /* no address maps */
	fi
}

inline take_a() {
	goes = 0;
	if
	:: late == LATE_WATCHED && now < ALL -> decide(cache); goes = (cache == YES)
	:: else
	fi;
	if
	:: goes -> late_AT_HAND(); timer = now
	:: else -> use_a()
	fi
}

inline take_a_broken() {
	if
	:: aaaa_end == IGNORED -> ask_native()
	:: else ->
		wait_for_aaaa();
		if
		:: !goes -> respond_fail()
		:: else
		fi
	fi
}

inline follow_a() {
	follow();
	if
	:: !goes -> take_a_broken()
	:: else
	fi
}

inline take_a_failed() {
	wait_for_aaaa();
	if
	:: goes
	:: !goes && aaaa_end != IGNORED -> respond_fail()
	:: !goes && aaaa_end == IGNORED -> aaaa_end = FAILED; ask_native()
	fi
}

inline take_a_error() {
	if
	:: aaaa_end != EMPTY -> take_a_failed()
	:: else ->
		wait_for_aaaa();
		if
		:: !goes -> respond_upstream_error()
		:: else
		fi
	fi
}

inline take_a_bogus() {
	wait_for_aaaa();
	if
	:: !goes -> respond_bogus()
	:: else
	fi
}

inline take_a_no_room() {
	wait_for_aaaa();
	if
	:: !goes -> respond_no_room()
	:: else
	fi
}

inline use_a_at_hand() {
	state = S_A;
	event = E_DATA;
	use_a()
}

inline take_no_target() { use_a_at_hand() }
inline miss_target() { use_a_at_hand() }

inline follow_target() {
	follow();
	if
	:: !goes -> take_no_target()
	:: else
	fi
}

/* --- the answer, and what must hold ----------------------------------------------------------- */

#define an_error (answer >= A_ERROR && answer <= A_NO_ROOM)
#define wrong_answer \
	(waits != NOTHING || held -> P_once : (now > ALL -> P_late : \
	(an_error && now < ALL && own[0] && aaaa_heard -> P_open : \
	(answer == A_SYNTHESIZED && real -> P_beaten : \
	(answer == A_SYNTHESIZED && now < LATE && aaaa_heard -> P_early : \
	(bogus && answer != A_BOGUS -> P_bogus : \
	(answer == A_NODATA && !no_aaaa -> P_guess : \
	(answer == A_REAL && !real -> P_none : 0))))))))

/* Nothing more is known of the query. */
inline forget() {
	d_step {
		state = S_DONE;
		if
		:: watches || late == LATE_A_KEPT -> late_NEEDLESS()
		:: else
		fi;
		timer = 0; late = LATE_NONE; a_answer = 0; aaaa_end = 0; chain = 0; steps = 0;
		targeted = 0; real = 0; bogus = 0; no_aaaa = 0
	}
	L = 0;
	if
	:: live[0] == LIVE -> leave(LIFE_END)
	:: else
	fi;
	if
	:: live[1] == LIVE -> L = 1; leave(LIFE_END)
	:: else
	fi
}

/* The rows of the table stand here. */

/* The query runs for its event. */
inline run_query() {
	d_step {
		printf("	[S%d] [E%d]\n", state, event);
		answer = A_NONE;
		wrong = (state == S_DONE -> P_once : wrong);
		find_row()
	}
	call_row();
	d_step {
		event = E_NONE;
		to = (answer != A_NONE -> TO_ANSWER : state);
		wrong = (answer != A_NONE && wrong == 0 -> wrong_answer : wrong);
		printf("	-> [S%d] [A%d]\n", state, answer)
	}
	land();
	if
	:: answer != A_NONE -> forget()
	:: else
	fi
}

/* --- all that may happen ---------------------------------------------------------------------- */

/* Those that are alike do alike: one of them is enough, and their order does not matter. */
#define KEY(u) (health[u] + 4 * (AT(0, u) + 1024 * AT(1, u)))
#define is_first(u) (u == 0 || KEY(u) != KEY(u - 1))

/* What happens in a counterexample: tests/model/run puts names where the numbers are. */
#define at(l, u) L = l; U = u; printf("tick %d: [L%d] upstream %d: ", now, l, u)

#define REPLIES(l, u, k, r) \
	:: d_step { live[l] == LIVE && is_up(u) && AT(l, u) & k && is_first(u) -> \
		at(l, u); kind = k; reply = r; todo = T_REPLY; printf("to [Q%d] [R%d]\n", k, r) }
#define LOSSES(l, u) \
	:: d_step { live[l] == LIVE && AT(l, u) & PRESENT && is_first(u) -> \
		at(l, u); todo = T_LOST; printf("no reply in time\n") }
#define EVENTS(u) \
	REPLIES(0, u, FIRST, R_SERVFAIL) REPLIES(0, u, FIRST, R_ERROR) REPLIES(0, u, FIRST, R_TC) \
	REPLIES(0, u, FIRST, R_PART) REPLIES(0, u, WITH_CD, R_GOOD) REPLIES(0, u, WITH_CD, R_ERROR) \
	REPLIES(0, u, ONCE_MORE, R_ERROR) REPLIES(0, u, ONCE_MORE, R_TC) REPLIES(0, u, ONCE_MORE, R_PART) \
	REPLIES(0, u, TCP, R_SERVFAIL) REPLIES(0, u, TCP, R_ERROR) \
	REPLIES(1, u, FIRST, R_ERROR) \
	LOSSES(0, u) LOSSES(1, u) \
	:: d_step { state != S_NEW && state != S_DONE && health[u] < MOST_HEALTH && is_first(u) -> \
		health[u]++; printf("tick %d: upstream %d: [H%d]\n", now, u, health[u]) }
#define ENDS(l) \
	:: d_step { live[l] == LIVE && SOME(good_##l) -> \
		L = l; outcome = O_REPLY; printf("tick %d: [L%d] a whole reply\n", now, l) } \
	:: d_step { live[l] == LIVE && SOME(bogus_##l) -> \
		L = l; outcome = O_BOGUS; printf("tick %d: [L%d] it is bogus\n", now, l) } \
	:: d_step { looks(l) -> \
		L = l; U = UPSTREAMS; todo = T_NEXT; printf("tick %d: [L%d] looks again\n", now, l) } \
	:: d_step { ends(l) -> \
		L = l; outcome = (live[l] == LINGERS -> O_GONE : (error[l] -> O_ERROR : O_SILENT)); \
		printf("tick %d: [L%d] its time is over\n", now, l) }

#define good_0(u) (is_up(u) && AT(0, u) & (FIRST | ONCE_MORE | TCP))
#define good_1(u) (is_up(u) && AT(1, u) & FIRST)
/* Bogus by an extended error, unless a check or TCP at another upstream goes first; or by a check. */
#define bogus_0(u) (is_up(u) && (AT(0, u) & ONCE_MORE || (AT(0, u) & (FIRST | TCP) && \
	(!ANY(present_0) || (check == NONE && (!by_tcp[0] || AT(0, u) & PRESENT))))))
#define bogus_1(u) good_1(u)

#define some_due (ends(0) || ends(1) || is_timed)

/* An upstream that stays down replies to nothing: whatever is open there is the same. */
#define LIKE(u) if \
	:: health[u] == DOWN -> \
		AT(0, u) = (AT(0, u) & ~OPEN) | (AT(0, u) & OPEN -> FIRST : 0); \
		AT(1, u) = (AT(1, u) & ~OPEN) | (AT(1, u) & OPEN -> FIRST : 0) \
	:: else \
	fi;
inline swap(a, b) {
	if
	:: KEY(a) < KEY(b) ->
		x = AT(0, a); AT(0, a) = AT(0, b); AT(0, b) = x;
		x = AT(1, a); AT(1, a) = AT(1, b); AT(1, b) = x;
		v = health[a]; health[a] = health[b]; health[b] = v
	:: else
	fi
}

active proctype query() {
	do
	:: atomic {
		if
		:: state == S_NEW -> state = S_AAAA; asks = 1
		:: state == S_NEW -> state = S_A; aaaa_end = IGNORED; asks = 1 /* policy ignores AAAA (RULES D13) */
		EACH(EVENTS)
		ENDS(0)
#ifdef A_ENDS
		:: d_step { live[1] == LIVE -> L = 1; outcome = O_REPLY; printf("tick %d: [L1] a whole reply\n", now) }
		:: d_step { live[1] == LIVE -> L = 1; outcome = O_ERROR; printf("tick %d: [L1] an error\n", now) }
		:: d_step { live[1] == LIVE -> L = 1; outcome = O_BOGUS; printf("tick %d: [L1] it is bogus\n", now) }
		:: d_step { ends(1) -> L = 1; outcome = (live[1] == LINGERS -> O_GONE : O_SILENT);
			printf("tick %d: [L1] its time is over\n", now) }
#else
		ENDS(1)
#endif
		:: d_step { is_timed && !(now >= ALL && (ends(0) || ends(1))) ->
			todo = T_TIMER; printf("tick %d: the query's timer\n", now) }
		:: now < LINGER_END && state != S_NEW && !some_due ->
			now = (state == S_DONE && now >= ALL && now < LIFE_END -> LIFE_END : now + 1)
		:: now == LINGER_END && !some_due -> goto over
		fi;
		if
		:: todo == T_NOTHING || todo == T_NEXT
		:: todo == T_REPLY -> todo = T_NOTHING; take_reply()
		:: todo == T_LOST -> todo = T_NOTHING; lose()
		:: todo == T_TIMER -> todo = T_NOTHING; ended = (now >= ALL); on_timer()
		fi;
		if
		:: todo == T_NOTHING
		:: todo == T_FAILED -> todo = T_NOTHING; failed()
		:: todo == T_NEXT -> todo = T_NOTHING; ask_next()
		fi;
		if
		:: outcome == O_NONE && event == E_NONE && !asks
		:: else ->
			if
			:: outcome != O_NONE -> end_lookup()
			:: else
			fi;
			do
			:: event != E_NONE -> run_query()
			:: event == E_NONE && asks -> ask()
			:: else -> break
			od
		fi;
		if
		:: met != 0 -> note_met()
		:: else
		fi;
		if
		:: wrong != 0 || (ended && state != S_DONE) ->
			printf("[P%d]\n", (wrong != 0 -> wrong : P_late));
			assert(false)
		:: wrong == 0 && watches && live[0] != LIVE -> printf("[P%d]\n", P_gone); assert(false)
		:: else
		fi;
		d_step {
			L = 0; U = 0; kind = 0; row = 0; function = 0; to = 0; answer = 0; reply = 0; v = 0;
			present = 0; busy = 0; goes = 0; ended = 0;
			on_nodata = 0; on_error = 0; on_timeout = 0; cache = 0;
#if MOST_HEALTH == 1
			EACH(LIKE)
#endif
#if UPSTREAMS == 3
			swap(0, 1);
			swap(1, 2);
#endif
			swap(0, 1);
			v = 0; x = 0
		}
	}
	od;
over:
	if
	:: state != S_DONE || live[0] != FREE || live[1] != FREE -> printf("[P%d]\n", P_left); assert(false)
	:: else
	fi
}
