/* SPDX-License-Identifier: BSD-2-Clause */
/* The values of options, read from their texts. */

#include "bench/settings/values.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))
#define CAP 8

START_TEST(decimals_are_read)
{
	static const struct {
		const char *text;
		bool good;
		double v;
	} cases[] = {
		{ "0.5", true, 0.5 },
		{ ".5", true, 0.5 },
		{ "10", true, 10 },
		{ "10.", true, 10 },
		{ "0.4999", false, 0 },
		{ "10.001", false, 0 },
		{ "", false, 0 },
		{ ".", false, 0 },
		{ "1.2.3", false, 0 },
		{ "-1", false, 0 },
		{ "+1", false, 0 },
		{ " 1", false, 0 },
		{ "1s", false, 0 },
		{ "0x1", false, 0 },
		{ "1e0", false, 0 },
		{ "nan", false, 0 },
		{ "inf", false, 0 },
	};

	for (size_t i = 0; i < N_OF(cases); i++) {
		double v;
		bool good = bench_values_real(cases[i].text, 0.5, 10, &v);

		ck_assert_msg(good == cases[i].good, "\"%s\"", cases[i].text);
		if (good)
			ck_assert(v == cases[i].v);
	}
}
END_TEST

START_TEST(networks_are_read)
{
	static const struct {
		const char *text;
		bool good;
		uint32_t base;
		uint64_t size;
	} cases[] = {
		{ "10.0.0.0/8", true, 0x0a000000, 1 << 24 },
		{ "198.18.0.0/15", true, 0xc6120000, 1 << 17 },
		{ "192.0.2.1/32", true, 0xc0000201, 1 },
		{ "255.255.255.254/31", true, 0xfffffffe, 2 },
		{ "0.0.0.0/0", true, 0, 1ULL << 32 },
		{ "128.0.0.0/1", true, 0x80000000, 1ULL << 31 },
		{ "10.0.0.1/8", false, 0, 0 }, /* bits behind the length */
		{ "128.0.0.0/0", false, 0, 0 },
		{ "10.0.0.0/33", false, 0, 0 },
		{ "10.0.0.0/", false, 0, 0 },
		{ "10.0.0.0", false, 0, 0 },
		{ "10.0.0.0/8/8", false, 0, 0 },
		{ "/8", false, 0, 0 },
		{ "10/8", false, 0, 0 },
		{ "10.0.0.256/32", false, 0, 0 },
		{ "2001:db8::/32", false, 0, 0 },
		{ "1000000000000000000000/8", false, 0, 0 },
		{ "", false, 0, 0 },
	};

	for (size_t i = 0; i < N_OF(cases); i++) {
		uint32_t base;
		uint64_t size;
		bool good = bench_values_network(cases[i].text, &base, &size);

		ck_assert_msg(good == cases[i].good, "\"%s\"", cases[i].text);
		if (!good)
			continue;
		ck_assert_uint_eq(base, cases[i].base);
		ck_assert_uint_eq(size, cases[i].size);
	}
}
END_TEST

START_TEST(ranges_are_read)
{
	static const struct {
		const char *text;
		bool good;
		struct bench_range r;
	} cases[] = {
		{ "0-9", true, { 0, 9, 1 } },
		{ "5-5", true, { 5, 5, 1 } },
		{ "0100-0199", true, { 100, 199, 4 } },
		{ "000000000000000-999999999999999", true, { 0, 999999999999999, 15 } },
		{ "0000000000000000-0000000000000001", false, { 0, 0, 0 } }, /* 16 digits */
		{ "1-10", false, { 0, 0, 0 } },
		{ "2-1", false, { 0, 0, 0 } },
		{ "12", false, { 0, 0, 0 } },
		{ "12-", false, { 0, 0, 0 } },
		{ "-12", false, { 0, 0, 0 } },
		{ "1-2-3", false, { 0, 0, 0 } },
		{ "1a-2b", false, { 0, 0, 0 } },
		{ "10-2b", false, { 0, 0, 0 } },
		{ "", false, { 0, 0, 0 } },
	};

	for (size_t i = 0; i < N_OF(cases); i++) {
		struct bench_range r;
		bool good = bench_values_range(cases[i].text, &r);

		ck_assert_msg(good == cases[i].good, "\"%s\"", cases[i].text);
		if (!good)
			continue;
		ck_assert_uint_eq(r.first, cases[i].r.first);
		ck_assert_uint_eq(r.last, cases[i].r.last);
		ck_assert_uint_eq(r.digits, cases[i].r.digits);
	}
}
END_TEST

START_TEST(lists_of_steps_are_read)
{
	static const struct {
		const char *text;
		size_t n; /* 0: refused */
		unsigned list[CAP];
	} cases[] = {
		{ "1", 1, { 1 } },
		{ "1,2,4", 3, { 1, 2, 4 } },
		{ "1-4", 4, { 1, 2, 3, 4 } },
		{ "1-20/5", 4, { 1, 6, 11, 16 } },
		{ "1-3,10,20-40/10", 7, { 1, 2, 3, 10, 20, 30, 40 } },
		{ "5-5", 1, { 5 } },
		{ "100", 1, { 100 } },
		{ "1-8", 8, { 1, 2, 3, 4, 5, 6, 7, 8 } },
		{ "1-9", 0, { 0 } }, /* more than there is room for */
		{ "1-8,9", 0, { 0 } },
		{ "101", 0, { 0 } },
		{ "1-101/50", 0, { 0 } },
		{ "0", 0, { 0 } },
		{ "0-4", 0, { 0 } },
		{ "4-1", 0, { 0 } },
		{ "1-4/0", 0, { 0 } },
		{ "", 0, { 0 } },
		{ ",", 0, { 0 } },
		{ "1,", 0, { 0 } },
		{ ",1", 0, { 0 } },
		{ "1,,2", 0, { 0 } },
		{ "1-", 0, { 0 } },
		{ "1-4/", 0, { 0 } },
		{ "1 2", 0, { 0 } },
		{ "1-2-3", 0, { 0 } },
	};

	for (size_t i = 0; i < N_OF(cases); i++) {
		unsigned list[CAP];
		size_t n;
		bool good = bench_values_steps(cases[i].text, 100, list, CAP, &n);

		ck_assert_msg(good == (cases[i].n > 0), "\"%s\"", cases[i].text);
		if (!good)
			continue;
		ck_assert_uint_eq(n, cases[i].n);
		ck_assert_mem_eq(list, cases[i].list, n * sizeof(list[0]));
	}
}
END_TEST

START_TEST(addresses_with_ports_are_read)
{
	static const char *const cases[][2] = {
		{ "192.0.2.1", "192.0.2.1#53" },
		{ "192.0.2.1#5300", "192.0.2.1#5300" },
		{ "2001:db8::1", "2001:db8::1#53" },
		{ "2001:db8::1#65535", "2001:db8::1#65535" },
		{ "192.0.2.1#0", NULL },
		{ "192.0.2.1#65536", NULL },
		{ "192.0.2.1#", NULL },
		{ "192.0.2.1#53#53", NULL },
		{ "192.0.2.1:53", NULL },
		{ "localhost", NULL },
		{ "#53", NULL },
		{ "", NULL },
		{ "1111111111111111111111111111111111111111111111111111111111111111111111111",
		    NULL },
	};

	for (size_t i = 0; i < N_OF(cases); i++) {
		char text[NETADDR_TEXT];
		struct netaddr a;
		bool good = bench_values_endpoint(cases[i][0], 53, &a);

		ck_assert_msg(good == (cases[i][1] != NULL), "\"%s\"", cases[i][0]);
		if (good)
			ck_assert_str_eq(netaddr_format(&a, text), cases[i][1]);
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("bench_values");
	TCase *tc = tcase_create("values");

	tcase_add_test(tc, decimals_are_read);
	tcase_add_test(tc, networks_are_read);
	tcase_add_test(tc, ranges_are_read);
	tcase_add_test(tc, lists_of_steps_are_read);
	tcase_add_test(tc, addresses_with_ports_are_read);
	suite_add_tcase(s, tc);

	SRunner *sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	int failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
