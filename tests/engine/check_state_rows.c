/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables of the state machine (engine/state_rows.h): no two rows for a state and an event, and
 * each transition is shown by a scenario, or in unshown[] with the reason.
 */
#include "engine/state_rows.h"

#include <stdio.h>

#include "scenario/play.h"
#include "support/tests.h"
#include "support/walked.h"

#define STATE_NAME(STATE, words) #STATE,
static const char *const state_names[] = { STATE_STATES(STATE_NAME) "ANSWER" };
#define EVENT_NAME(EVENT, words) #EVENT,
static const char *const event_names[] = { STATE_EVENTS(EVENT_NAME) };

#define ROW(STATE, EVENT, function, to, words) { QUERY_##STATE, EVENT_##EVENT, (to) },
static const struct {
	enum query_state from;
	enum state_event event;
	unsigned to;
} rows[] = { STATE_ROWS(ROW) };
#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

/* What no scenario shows, and why. */
#define WHOLE "the whole reply is asked for; only of AAAA is a part kept (D5)"
#define PROOF \
	"only after a NODATA proof too long to keep, with A that do not map: shown by A NODATA"
static const struct {
	enum query_state from;
	enum state_event event;
	unsigned to;
	const char *why;
} unshown[] = {
	{ QUERY_A, EVENT_CUT, TO_ANSWER | TO_NATIVE | TO_AAAA, WHOLE },
	{ QUERY_HIDDEN, EVENT_CUT, TO_ANSWER, WHOLE },
	{ QUERY_REVERSE, EVENT_CUT, TO_ANSWER, WHOLE },
	{ QUERY_TARGET, EVENT_EXCLUDED, TO_NATIVE, PROOF },
	{ QUERY_TARGET, EVENT_NODATA, TO_NATIVE, PROOF },
	{ QUERY_TARGET, EVENT_BROKEN, TO_NATIVE, PROOF },
	{ QUERY_TARGET, EVENT_NXDOMAIN, TO_NATIVE, PROOF },
	{ QUERY_TARGET, EVENT_ERROR, TO_NATIVE, PROOF },
	{ QUERY_TARGET, EVENT_SILENT, TO_NATIVE, PROOF },
	{ QUERY_TARGET, EVENT_CUT, TO_NATIVE, PROOF },
	{ QUERY_TARGET, EVENT_CHAIN, TO_NATIVE, PROOF },
};

/* The late AAAA: one state in each row, so a row that is met is a transition that is shown. */
#define LATE_NAME(STATE, words) #STATE,
static const char *const late_names[] = { LATE_STATES(LATE_NAME) };
#define LATE_EVENT_NAME(EVENT, words) #EVENT,
static const char *const late_event_names[] = { LATE_EVENTS(LATE_EVENT_NAME) };

#define LATE_ROW(STATE, EVENT, function, to, words) { LATE_##STATE, LATE_ON_##EVENT },
static const struct {
	enum query_late from;
	enum late_event event;
} late_rows[] = { LATE_ROWS(LATE_ROW) };
#define N_LATE_ROWS (sizeof(late_rows) / sizeof(late_rows[0]))

static const struct {
	enum query_late from;
	enum late_event event;
	const char *why;
} late_unshown[] = {
	{ LATE_SPENT, LATE_ON_CAME, "in the turn in which the tick ends: check_query_watch" },
	{ LATE_SPENT, LATE_ON_FORBIDDEN,
	    "the stale NXDOMAIN has become an open chain, by another loop" },
};

START_TEST(no_cell_has_two_rows)
{
	for (size_t i = 0; i < N_ROWS; i++) {
		ck_assert_uint_ne(rows[i].to, 0);
		ck_assert_uint_eq(rows[i].to, walked_row(rows[i].from, rows[i].event));
		for (size_t j = 0; j < i; j++)
			ck_assert(rows[i].from != rows[j].from || rows[i].event != rows[j].event);
	}
	for (size_t i = 0; i < N_LATE_ROWS; i++) {
		for (size_t j = 0; j < i; j++)
			ck_assert(late_rows[i].from != late_rows[j].from ||
			    late_rows[i].event != late_rows[j].event);
	}
}
END_TEST

/* The bits of row I that no scenario needs to show. */
static unsigned
excused(size_t i)
{
	unsigned bits = 0;

	for (size_t k = 0; k < sizeof(unshown) / sizeof(unshown[0]); k++) {
		if (unshown[k].from == rows[i].from && unshown[k].event == rows[i].event)
			bits |= unshown[k].to;
	}
	return bits;
}

/* Does no scenario need to show row I of the late AAAA? */
static bool
late_excused(size_t i)
{
	for (size_t k = 0; k < sizeof(late_unshown) / sizeof(late_unshown[0]); k++) {
		if (late_unshown[k].from == late_rows[i].from &&
		    late_unshown[k].event == late_rows[i].event)
			return true;
	}
	return false;
}

/* How many rows of the late AAAA are not as they are said to be shown. */
static unsigned
late_wrong(void)
{
	unsigned n = 0;

	for (size_t i = 0; i < N_LATE_ROWS; i++) {
		bool seen = walked_late(late_rows[i].from, late_rows[i].event);

		if (seen != late_excused(i))
			continue;
		printf("late AAAA: %s %s: %s\n", late_names[late_rows[i].from],
		    late_event_names[late_rows[i].event],
		    seen ? "shown, and excused" : "not shown");
		n++;
	}
	return n;
}

START_TEST(scenarios_show_each_transition)
{
	static char *files[PLAY_MAX_FILES];
	unsigned n = play_list(files), n_missing = 0;

	for (unsigned i = 0; i < n; i++) {
		struct run *r = stage_open(files[i]);

		play(r, NULL);
		stage_close(r);
	}
	play_forget(files, n);
	for (size_t i = 0; i < N_ROWS; i++) {
		unsigned seen = walked_seen(rows[i].from, rows[i].event);
		unsigned wrong = (rows[i].to & ~excused(i)) ^ (seen & rows[i].to);

		for (unsigned to = 0; to <= QUERY_N_STATES; to++) {
			if ((wrong >> to & 1) == 0)
				continue;
			printf("%s %s -> %s: %s\n", state_names[rows[i].from],
			    event_names[rows[i].event], state_names[to],
			    (seen >> to & 1) != 0 ? "shown, and excused" : "not shown");
			n_missing++;
		}
	}
	ck_assert_uint_eq(n_missing + late_wrong(), 0);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, no_cell_has_two_rows);
	tcase_add_test(tc, scenarios_show_each_transition);
}
