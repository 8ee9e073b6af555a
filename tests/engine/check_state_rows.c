/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of the state machine (engine/state_rows.h): no two rows for a state and an event, and
 * each transition is shown by a scenario, or in unshown[] with the reason; YET: one is wanted.
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
#define YET "no scenario has it yet"
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
	{ QUERY_AAAA, EVENT_SILENT, TO_AAAA, YET },
	{ QUERY_A, EVENT_SILENT, TO_AAAA, YET },
	{ QUERY_TARGET, EVENT_CUT, TO_NATIVE, PROOF },
	{ QUERY_TARGET, EVENT_CHAIN, TO_NATIVE, PROOF },
};

START_TEST(no_cell_has_two_rows)
{
	for (size_t i = 0; i < N_ROWS; i++) {
		ck_assert_uint_ne(rows[i].to, 0);
		ck_assert_uint_eq(rows[i].to, walked_row(rows[i].from, rows[i].event));
		for (size_t j = 0; j < i; j++)
			ck_assert(rows[i].from != rows[j].from || rows[i].event != rows[j].event);
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
	ck_assert_uint_eq(n_missing, 0);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_set_timeout(tc, 300);
	tcase_add_test(tc, no_cell_has_two_rows);
	tcase_add_test(tc, scenarios_show_each_transition);
}
