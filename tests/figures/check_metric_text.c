/* SPDX-License-Identifier: BSD-2-Clause */
/* Metrics as text: both formats, to the letter. */

#include "figures/metric_text.h"

#include <string.h>

#include "base/clock.h"
#include "support/tests.h"

static struct metric_text t;
static char text[8192];

static void
setup(void)
{
	t = (struct metric_text){ .out = evbuffer_new() };
	ck_assert_ptr_nonnull(t.out);
}

static void
teardown(void)
{
	evbuffer_free(t.out);
}

static const char *
written(void)
{
	ev_ssize_t n = evbuffer_remove(t.out, text, sizeof(text) - 1);

	ck_assert_int_ge(n, 0);
	text[n] = '\0';
	return text;
}

START_TEST(a_counter)
{
	const struct metric m = { "a_seconds", METRIC_COUNTER, "seconds", "What\\ it \"is\"\n" };
	const struct metric_label labels[METRIC_LABELS] = { { "x", "1" }, { "y", "2" } };

	metric_text_family(&t, &m);
	metric_text_count(&t, labels, UINT64_MAX);
	metric_text_value(&t, NULL, 0.25);
	metric_text_end(&t);
	ck_assert_str_eq(written(),
	    "# HELP a_seconds_total What\\\\ it \"is\"\\n\n# TYPE a_seconds_total counter\n"
	    "a_seconds_total{x=\"1\",y=\"2\"} 18446744073709551615\na_seconds_total 0.25\n");
	t.open_metrics = true;
	metric_text_family(&t, &m);
	metric_text_count(&t, labels, 1);
	metric_text_end(&t);
	ck_assert_str_eq(written(),
	    "# HELP a_seconds What\\\\ it \\\"is\\\"\\n\n# TYPE a_seconds counter\n"
	    "# UNIT a_seconds seconds\na_seconds_total{x=\"1\",y=\"2\"} 1\n# EOF\n");
}
END_TEST

START_TEST(an_info)
{
	const struct metric m = { "b", METRIC_INFO, "truth", "B" };
	const struct metric_label labels[METRIC_LABELS] = { { "v", "1" } };

	metric_text_family(&t, &m);
	metric_text_count(&t, labels, 1);
	ck_assert_str_eq(written(), "# HELP b_info B\n# TYPE b_info gauge\nb_info{v=\"1\"} 1\n");
	t.open_metrics = true;
	metric_text_family(&t, &m);
	metric_text_count(&t, labels, 1);
	ck_assert_str_eq(written(), "# HELP b B\n# TYPE b info\nb_info{v=\"1\"} 1\n");
}
END_TEST

/* nsd-482: what a label's value has must not end it. */
START_TEST(values_of_labels)
{
	const struct metric m = { "c", METRIC_GAUGE, "count", "C" };
	const struct metric_label labels[METRIC_LABELS] = { { "a", "\"}\n\\" }, { "b", "" },
		{ "c", "<script>" }, { "d", "4" } };

	metric_text_family(&t, &m);
	(void)written();
	metric_text_count(&t, labels, 1);
	ck_assert_str_eq(written(), "c{a=\"\\\"}\\n\\\\\",b=\"\",c=\"<script>\",d=\"4\"} 1\n");
}
END_TEST

START_TEST(a_histogram)
{
	const struct metric m = { "d_seconds", METRIC_HISTOGRAM, "seconds", "D" };
	const struct metric_label labels[METRIC_LABELS] = { { "x", "1" } };
	struct latency l = { .sum_ns = 0 };
	const char *all;

	latency_add(&l, 10000);
	latency_add(&l, 30 * NS_PER_MS);
	latency_add(&l, 9 * NS_PER_SEC);
	metric_text_family(&t, &m);
	metric_text_latency(&t, labels, &l);
	all = written();
	ck_assert_ptr_nonnull(strstr(all,
	    "# TYPE d_seconds histogram\n"
	    "d_seconds_bucket{x=\"1\",le=\"1e-05\"} 1\n"
	    "d_seconds_bucket{x=\"1\",le=\"2e-05\"} 1\n"));
	ck_assert_ptr_nonnull(strstr(all,
	    "{x=\"1\",le=\"0.02\"} 1\n"
	    "d_seconds_bucket{x=\"1\",le=\"0.05\"} 2\n"));
	ck_assert_ptr_nonnull(strstr(all,
	    "{x=\"1\",le=\"5\"} 2\nd_seconds_bucket{x=\"1\",le=\"+Inf\"} 3\n"
	    "d_seconds_sum{x=\"1\"} 9.03001\nd_seconds_count{x=\"1\"} 3\n"));
}
END_TEST

START_TEST(types)
{
	ck_assert_str_eq(metric_text_type(false), "text/plain; version=0.0.4; charset=utf-8");
	ck_assert_str_eq(
	    metric_text_type(true), "application/openmetrics-text; version=1.0.0; charset=utf-8");
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_counter);
	tcase_add_test(tc, an_info);
	tcase_add_test(tc, values_of_labels);
	tcase_add_test(tc, a_histogram);
	tcase_add_test(tc, types);
}
