/* SPDX-License-Identifier: BSD-2-Clause */
/* Server cookies: the vectors of RFC 9018 appendix A, their age, and secrets that roll. */

#include "engine/cookie.h"

#include <string.h>

#include "support/hex.h"
#include "support/tests.h"

static struct cookies c;
static struct conf_core conf;

static void
setup(void)
{
	memset(&conf, 0, sizeof(conf));
	ck_assert(cookies_init(&c));
}

static void
teardown(void)
{
	cookies_fini(&c);
}

#define OLD_SECRET "dd3bdf9344b678b185a6f5cb60fca715"
#define NEW_SECRET "445536bcd2513298075a5d379663c962"
#define SECRET "e5e973e5a6b2a43f48e7dc849e37bfcf"

static const struct vector {
	const char *secrets, *client, *received, *sent;
	uint32_t unix_s;
} vectors[] = {
	{ SECRET, "198.51.100.100", "2464c4abcf10c957",
	    "2464c4abcf10c957010000005cf79f111f8130c3eee29480", 1559731985 },
	{ SECRET, "198.51.100.100", "2464c4abcf10c957010000005cf79f111f8130c3eee29480",
	    "2464c4abcf10c957010000005cf7a871d4a564a1442aca77", 1559734385 },
	/*
	 * Received at 1559734700 in the RFC, which is over an hour later: taken a little earlier.
	 */
	{ SECRET, "203.0.113.203", "fc93fc62807ddb8601abcdef5cf78f71a314227b6679ebf5", NULL,
	    1559727985 + COOKIE_OLD },
	{ SECRET, "203.0.113.203", "fc93fc62807ddb86",
	    "fc93fc62807ddb86010000005cf7a9acf73a7810aca2381e", 1559734700 },
	{ NEW_SECRET OLD_SECRET, "2001:db8:220:1:59de:d0f4:8769:82b8",
	    "22681ab97d52c298010000005cf7c57926556bd0934c72f8",
	    "22681ab97d52c298010000005cf7c609a6bb79d16625507a", 1559741961 },
};

START_TEST(rfc9018_a_vectors)
{
	const struct vector *v = &vectors[_i];
	uint8_t got[64], want[64];
	struct netaddr client;

	conf.cookies.n_secrets =
	    (uint8_t)(hex_read(v->secrets, conf.cookies.secrets[0], 32) / CONF_SECRET_LEN);
	ck_assert(netaddr_parse(v->client, 0, &client));
	if (hex_read(v->received, got, sizeof(got)) == COOKIE_LEN)
		ck_assert(cookie_check(&c, &conf, v->unix_s, &client, got));
	if (v->sent == NULL)
		return;
	ck_assert(cookie_make(&c, &conf, v->unix_s, &client, got));
	ck_assert_uint_eq(hex_read(v->sent, want, sizeof(want)), COOKIE_LEN);
	ck_assert_mem_eq(got, want, COOKIE_LEN);
}
END_TEST

/*
 * RFC 9018 section 4.3: an hour old at most, 5 minutes ahead; bound to the address; no bit changed.
 */
START_TEST(rfc9018_4_3_age_and_owner)
{
	uint8_t cookie[COOKIE_LEN] = "12345678";
	uint32_t now = UINT32_MAX - 100; /* timestamps wrap */
	struct netaddr client, other;

	conf.cookies.n_secrets = 1;
	ck_assert(netaddr_parse("192.0.2.1", 1000, &client));
	ck_assert(netaddr_parse("192.0.2.2", 1000, &other));
	ck_assert(cookie_make(&c, &conf, now, &client, cookie));
	ck_assert(cookie_check(&c, &conf, now, &client, cookie));
	ck_assert(cookie_check(&c, &conf, now + COOKIE_OLD, &client, cookie));
	ck_assert(!cookie_check(&c, &conf, now + COOKIE_OLD + 1, &client, cookie));
	ck_assert(cookie_check(&c, &conf, now - COOKIE_AHEAD, &client, cookie));
	ck_assert(!cookie_check(&c, &conf, now - COOKIE_AHEAD - 1, &client, cookie));
	ck_assert(!cookie_check(&c, &conf, now, &other, cookie));
	client.port = 7;
	ck_assert(cookie_check(&c, &conf, now, &client, cookie));
	for (unsigned bit = 0; bit < 8 * COOKIE_LEN; bit++) {
		cookie[bit / 8] ^= (uint8_t)(1 << bit % 8);
		ck_assert_msg(!cookie_check(&c, &conf, now, &client, cookie), "bit %u", bit);
		cookie[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
}
END_TEST

/* Rule 35: a drawn secret rolls every day; what the day before's made still counts; loops agree. */
START_TEST(rule35_secrets_roll)
{
	uint8_t cookie[COOKIE_LEN] = "12345678", same[COOKIE_LEN] = "12345678";
	uint32_t midnight = 20000 * COOKIE_DAY;
	struct netaddr client;
	struct cookies loop2;
	uint8_t before[CONF_SECRET_LEN];

	ck_assert(cookies_init(&loop2));
	memset(conf.cookies.secrets, 7, sizeof(conf.cookies.secrets));
	ck_assert(netaddr_parse("2001:db8::1", 0, &client));
	ck_assert(cookie_make(&c, &conf, midnight - 10, &client, cookie));
	ck_assert(cookie_make(&loop2, &conf, midnight - 10, &client, same));
	ck_assert_mem_eq(cookie, same, COOKIE_LEN);
	memcpy(before, c.secrets[0], sizeof(before));
	ck_assert(cookie_check(&loop2, &conf, midnight + 10, &client, cookie));
	ck_assert_mem_eq(loop2.secrets[1], before, sizeof(before));
	ck_assert_mem_ne(loop2.secrets[0], before, sizeof(before));
	conf.cookies.secrets[0][3] ^= 1;
	c.derived = false;
	ck_assert(!cookie_check(&c, &conf, midnight + 10, &client, cookie));
	cookies_fini(&loop2);
}
END_TEST

/* Rule 35: the secret of the day, as it is written down, takes the cookies of that day. */
START_TEST(rule35_derived_secret)
{
	uint8_t cookie[COOKIE_LEN] = "12345678", out[CONF_SECRET_LEN];
	uint32_t now = 20000 * COOKIE_DAY + 7;
	struct netaddr client;

	memset(conf.cookies.secrets, 7, sizeof(conf.cookies.secrets));
	conf.cookies.n_secrets = 0;
	ck_assert(netaddr_parse("2001:db8::1", 0, &client));
	ck_assert(cookie_make(&c, &conf, now, &client, cookie));
	ck_assert(cookie_derived(&conf, now, out));
	conf.cookies.n_secrets = 1;
	memcpy(conf.cookies.secrets[0], out, sizeof(out));
	ck_assert(cookie_check(&c, &conf, now, &client, cookie));
	/* Another one is drawn the same day. */
	conf.cookies.n_secrets = 0;
	ck_assert(cookie_check(&c, &conf, now, &client, cookie));
	cookies_forget(&c);
	ck_assert(!cookie_check(&c, &conf, now, &client, cookie));
}
END_TEST

START_TEST(fingerprints)
{
	uint8_t secret[CONF_SECRET_LEN] = { 1 };
	char text[COOKIE_FINGERPRINT], other[COOKIE_FINGERPRINT];

	ck_assert_str_eq(cookie_fingerprint(secret, text), cookie_fingerprint(secret, other));
	ck_assert_uint_eq(strlen(text), 8);
	secret[15] = 1;
	ck_assert_str_ne(text, cookie_fingerprint(secret, other));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, rfc9018_a_vectors, 0, (int)(sizeof(vectors) / sizeof(vectors[0])));
	tcase_add_test(tc, rfc9018_4_3_age_and_owner);
	tcase_add_test(tc, rule35_secrets_roll);
	tcase_add_test(tc, rule35_derived_secret);
	tcase_add_test(tc, fingerprints);
}
