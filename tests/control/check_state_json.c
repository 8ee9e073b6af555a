/* SPDX-License-Identifier: BSD-2-Clause */
/* The facts as JSON: what the page's script reads is there. */

#include "control/state_json.h"

#include <stdlib.h>
#include <string.h>

#include "control/page_files.h"
#include "support/known.h"
#include "support/tests.h"

static json_int_t
at(const json_t *j, const char *a, const char *b)
{
	return json_integer_value(json_object_get(json_object_get(j, a), b));
}

START_TEST(what_is_told)
{
	json_t *j = state_json(&known.facts);
	const json_t *waits = json_object_get(json_object_get(j, "latency"), "counts");

	ck_assert_ptr_nonnull(j);
	ck_assert_str_eq(json_string_value(json_object_get(j, "verdict")), "degraded");
	ck_assert_str_eq(
	    json_string_value(json_array_get(json_object_get(j, "listening"), 0)), "::1#53");
	ck_assert_str_eq(json_string_value(json_object_get(
			     json_array_get(json_object_get(j, "waiting"), 0), "listen")),
	    "<eth0>#53");
	ck_assert_int_eq(at(json_object_get(j, "outcomes"), "native", "cache"), 4);
	ck_assert_int_eq(at(json_object_get(j, "outcomes"), "synthesized", "upstream"), 1);
	ck_assert_int_eq(at(j, "reasons", "native"), 4);
	ck_assert_uint_eq(json_array_size(waits), LATENCY_BUCKETS);
	ck_assert_uint_eq(json_array_size(json_object_get(j, "upstreams")), 2);
	ck_assert_uint_eq(json_array_size(json_object_get(j, "loops")), 2);
	ck_assert_uint_eq(json_object_size(json_object_get(j, "counters")), STATS_N);
	json_decref(j);
}
END_TEST

/* D31: what the page makes its rates of; a failure that the cache remembers was a hit. */
START_TEST(failures_are_no_hits)
{
	json_t *j;

	known.facts.reasons[REASON_OUTAGE].at_once = 14; /* from the cache */
	known.facts.reasons[REASON_OUTAGE].waited = 2;
	known.facts.reasons[REASON_NO_ROOM].at_once = 13; /* from here */
	known.facts.reasons[REASON_LOCALHOST].at_once = 11;
	j = state_json(&known.facts);
	ck_assert_int_eq(at(json_object_get(j, "outcomes"), "failed", "cache"), 14);
	ck_assert_int_eq(at(j, "answers", "all"), 4 + 1 + 14 + 2 + 13 + 11); /* no drops */
	ck_assert_int_eq(at(j, "answers", "failed"), 14 + 2 + 13);
	ck_assert_int_eq(at(j, "answers", "cached"), 4);
	json_decref(j);
}
END_TEST

/* The page's rates are parts of these figures, and it makes none of its own. */
START_TEST(the_script_reads_these_answers)
{
	char *script = strndup((const char *)page_files_js, page_files_js_len);

	ck_assert_ptr_nonnull(script);
	ck_assert_ptr_nonnull(strstr(script, "answers: s.answers}"));
	ck_assert_ptr_nonnull(strstr(script, "put(\"cached\", part(\"cached\"));"));
	ck_assert_ptr_nonnull(strstr(script, "put(\"failed\", part(\"failed\"));"));
	free(script);
}
END_TEST

START_TEST(why_it_is_not_ready)
{
	json_t *j;

	known.waits.n = 0;
	known.upstreams.at[0].state = UPSTREAM_STATUS_DOWN;
	known.upstreams.at[0].unanswering_ns = known.facts.now_ns;
	j = state_json(&known.facts);
	ck_assert_str_eq(json_string_value(json_object_get(j, "reason")), "no upstream answers");
	json_decref(j);
}
END_TEST

/* Each counter that the script names is one of core/stats: "c.name". */
START_TEST(the_script_knows_the_counters)
{
	json_t *j = state_json(&known.facts);
	const json_t *counters = json_object_get(j, "counters");
	char *script = strndup((const char *)page_files_js, page_files_js_len);
	unsigned n = 0;

	ck_assert_ptr_nonnull(script);
	for (const char *c = script; (c = strstr(c, "c.")) != NULL; c += 2) {
		size_t len = strspn(c + 2, "abcdefghijklmnopqrstuvwxyz_");
		char *name = strndup(c + 2, len);

		if (strchr("[ \t", c[-1]) == NULL) {
			free(name);
			continue;
		}

		ck_assert_msg(json_object_get(counters, name) != NULL, "%s", name);
		free(name);
		n++;
	}
	ck_assert_uint_gt(n, 5);
	free(script);
	json_decref(j);
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, known_setup, known_close);
	tcase_add_test(tc, what_is_told);
	tcase_add_test(tc, failures_are_no_hits);
	tcase_add_test(tc, the_script_reads_these_answers);
	tcase_add_test(tc, why_it_is_not_ready);
	tcase_add_test(tc, the_script_knows_the_counters);
}
