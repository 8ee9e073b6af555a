/* SPDX-License-Identifier: BSD-2-Clause */
/* Single words: what is read, and that everything else is refused and leaves the result alone. */

#include "config/values.h"

#include <string.h>

#include "support/tests.h"

#define UNTOUCHED 4711

struct word {
	const char *text;
	bool good;
	uint32_t value;
};

static const struct word numbers[] = {
	{ "5", true, 5 }, { "05", true, 5 }, { "10", true, 10 }, { "4", false, 0 },
	{ "11", false, 0 }, { "", false, 0 }, { "-5", false, 0 }, { "+5", false, 0 },
	{ " 5", false, 0 }, { "5 ", false, 0 }, { "5x", false, 0 }, { "0x5", false, 0 },
	{ "5.0", false, 0 }, { "4294967301", false, 0 }, /* 2^32 + 5 */
	{ "18446744073709551621", false, 0 }             /* 2^64 + 5 */
};

START_TEST(numbers_are_read_within_bounds)
{
	const struct word *w = &numbers[_i];
	uint32_t n = UNTOUCHED;

	ck_assert_int_eq(value_number(w->text, 5, 10, &n), w->good);
	ck_assert_uint_eq(n, w->good ? w->value : UNTOUCHED);
}
END_TEST

/* mtd64-ng read 2.5 as two seconds and five microseconds; here it is what it says. */
static const struct word times[] = { { "1", true, 1000 }, { "1.0", true, 1000 },
	{ "2.5", true, 2500 }, { "1.35", true, 1350 }, { "0.1", true, 100 }, { "5", true, 5000 },
	{ "5.000000", true, 5000 }, { "1.0009", true, 1000 }, { "0.099999", false, 0 },
	{ "5.000001", false, 0 }, { "5.1", false, 0 }, { "0", false, 0 }, { "1.", false, 0 },
	{ ".5", false, 0 }, { "1.0000000", false, 0 }, { "1,5", false, 0 }, { "1.5s", false, 0 },
	{ "-1", false, 0 }, { "1e3", false, 0 }, { "4294967296", false, 0 } };

START_TEST(seconds_are_read_as_milliseconds)
{
	const struct word *w = &times[_i];
	uint32_t ms = UNTOUCHED;

	ck_assert_int_eq(value_seconds(w->text, 100, 5000, &ms), w->good);
	ck_assert_uint_eq(ms, w->good ? w->value : UNTOUCHED);
}
END_TEST

struct size_word {
	const char *text;
	bool good;
	uint64_t value;
};

static const struct size_word sizes[] = { { "0", true, 0 }, { "4096", true, 4096 },
	{ "4k", true, 4096 }, { "4K", true, 4096 }, { "1m", true, 1048576 },
	{ "1M", true, 1048576 }, { "1048576", true, 1048576 }, { "1048577", false, 0 },
	{ "2m", false, 0 }, { "1g", false, 0 }, { "k", false, 0 }, { "1kk", false, 0 },
	{ "4294967295m", false, 0 }, { "", false, 0 } };

START_TEST(sizes_are_read_with_units)
{
	const struct size_word *w = &sizes[_i];
	uint64_t bytes = UNTOUCHED;

	ck_assert_int_eq(value_size(w->text, 0, 1048576, &bytes), w->good);
	ck_assert_uint_eq(bytes, w->good ? w->value : UNTOUCHED);
}
END_TEST

#define GIB (UINT64_C(1) << 30)

static const struct size_word large[] = { { "1g", true, GIB }, { "64G", true, 64 * GIB },
	{ "65536m", true, 64 * GIB }, { "68719476736", true, 64 * GIB },
	{ "4294967296", true, 4 * GIB }, { "1048576", true, 1048576 }, { "1048575", false, 0 },
	{ "1023k", false, 0 }, { "68719476737", false, 0 }, { "65g", false, 0 },
	{ "65537m", false, 0 }, { "17179869185g", false, 0 }, /* 2^34 + 1, 2^64 + 1g bytes */
	{ "18446744073709551616", false, 0 },                 /* 2^64 */
	{ "18446744073710600192", false, 0 },                 /* 2^64 + 1m */
	{ "1gg", false, 0 }, { "1t", false, 0 }, { "1.5g", false, 0 }, { "g", false, 0 } };

START_TEST(large_sizes_are_read)
{
	const struct size_word *w = &large[_i];
	uint64_t bytes = UNTOUCHED;

	ck_assert_int_eq(value_size(w->text, 1048576, 64 * GIB, &bytes), w->good);
	ck_assert_uint_eq(bytes, w->good ? w->value : UNTOUCHED);
}
END_TEST

/* Bounds smaller than a digit, and as large as there are. */
START_TEST(size_at_the_ends)
{
	uint64_t bytes = UNTOUCHED;

	ck_assert(!value_size("4", 0, 3, &bytes));
	ck_assert(!value_size("18446744073709551616", 0, UINT64_MAX, &bytes));
	ck_assert_uint_eq(bytes, UNTOUCHED);
	ck_assert(value_size("18446744073709551615", 0, UINT64_MAX, &bytes));
	ck_assert_uint_eq(bytes, UINT64_MAX);
	ck_assert(value_size("3", 0, 3, &bytes));
	ck_assert_uint_eq(bytes, 3);
}
END_TEST

START_TEST(ranges_are_read_within_bounds)
{
	uint32_t r[2] = { UNTOUCHED, UNTOUCHED };

	ck_assert(!value_range("9-8", 1, 10, r));
	ck_assert(!value_range("0-8", 1, 10, r));
	ck_assert(!value_range("8-11", 1, 10, r));
	ck_assert(!value_range("8-", 1, 10, r));
	ck_assert(!value_range("-8", 1, 10, r));
	ck_assert(!value_range("1-2-3", 1, 10, r));
	ck_assert_uint_eq(r[0], UNTOUCHED);
	ck_assert(value_range("7", 1, 10, r));
	ck_assert(r[0] == 7 && r[1] == 7);
	ck_assert(value_range("1-10", 1, 10, r));
	ck_assert(r[0] == 1 && r[1] == 10);
}
END_TEST

START_TEST(lists_of_cpus_are_read)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(99, &set);
	ck_assert(!value_cpus("", &set));
	ck_assert(!value_cpus("0,", &set));
	ck_assert(!value_cpus("3-1", &set));
	ck_assert(!value_cpus("1024", &set));
	ck_assert(!value_cpus("a", &set));
	ck_assert(!value_cpus("0 1", &set));
	ck_assert_int_eq(CPU_COUNT(&set), 1);
	ck_assert(value_cpus("0-2,8,1023", &set));
	ck_assert_int_eq(CPU_COUNT(&set), 5);
	ck_assert(CPU_ISSET(0, &set) && CPU_ISSET(2, &set) && CPU_ISSET(8, &set) &&
	    CPU_ISSET(1023, &set));
}
END_TEST

struct network {
	const char *text;
	enum value_net_verdict verdict;
	const char *formatted;
};

static const struct network networks[] = {
	{ "2001:db8::/32", VALUE_NET_OK, "2001:db8::/32" },
	{ "::ffff:0:0/96", VALUE_NET_OK, "::ffff:0.0.0.0/96" },
	{ "::/0", VALUE_NET_OK, "::/0" },
	{ "2001:db8::1", VALUE_NET_OK, "2001:db8::1/128" },
	{ "2001:db8:8000::/33", VALUE_NET_OK, "2001:db8:8000::/33" },
	{ "2001:db8:8000::/32", VALUE_NET_HOST_BITS, "2001:db8::/32" },
	{ "::1/127", VALUE_NET_HOST_BITS, "::/127" },
	{ "::/129", VALUE_NET_BAD, NULL },
	{ "::/", VALUE_NET_BAD, NULL },
	{ "192.0.2.0/24", VALUE_NET_OK, "192.0.2.0/24" },
	{ "192.0.2.1", VALUE_NET_OK, "192.0.2.1/32" },
	{ "0.0.0.0/0", VALUE_NET_OK, "0.0.0.0/0" },
	{ "10.1.2.3/9", VALUE_NET_HOST_BITS, "10.0.0.0/9" },
	{ "10.0.0.0/33", VALUE_NET_BAD, NULL },
	{ "10.0.0/8", VALUE_NET_BAD, NULL },
	{ "/64", VALUE_NET_BAD, NULL },
	{ "1111:1111:1111:1111:1111:1111:1111:1111:1111:1111/64", VALUE_NET_BAD, NULL },
};

START_TEST(networks_are_read)
{
	const struct network *n = &networks[_i];
	struct net net = { .len = 77 };
	char text[VALUE_NET_TEXT];

	ck_assert_int_eq(value_net(n->text, &net), n->verdict);
	if (n->formatted == NULL)
		ck_assert_uint_eq(net.len, 77);
	else
		ck_assert_str_eq(value_net_format(&net, text), n->formatted);
	if (n->formatted != NULL)
		ck_assert_uint_eq(net.family, strchr(n->text, ':') != NULL ? 6 : 4);
}
END_TEST

#define N_OF(a) ((int)(sizeof(a) / sizeof((a)[0])))

void
tests_add(TCase *tc)
{
	tcase_add_loop_test(tc, numbers_are_read_within_bounds, 0, N_OF(numbers));
	tcase_add_loop_test(tc, seconds_are_read_as_milliseconds, 0, N_OF(times));
	tcase_add_loop_test(tc, sizes_are_read_with_units, 0, N_OF(sizes));
	tcase_add_loop_test(tc, large_sizes_are_read, 0, N_OF(large));
	tcase_add_test(tc, size_at_the_ends);
	tcase_add_test(tc, ranges_are_read_within_bounds);
	tcase_add_test(tc, lists_of_cpus_are_read);
	tcase_add_loop_test(tc, networks_are_read, 0, N_OF(networks));
}
