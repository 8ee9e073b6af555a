/* SPDX-License-Identifier: BSD-2-Clause */
/* The cache as bytes: what goes in comes out, and nothing else is taken. */

#include "cache/image.h"

#include <string.h>

#include "dns/msg.h"
#include "engine/store.h"
#include "support/tests.h"
#include "support/text.h"

/* n.example A, one record */
static const uint8_t message[] = "\0\0\x81\x80\0\1\0\1\0\0\0\0"
				 "\1n\7example\0\0\1\0\1"
				 "\xc0\x0c\0\1\0\1\0\0\1\x2c\0\4\xc0\0\2\1";
#define MESSAGE (sizeof(message) - 1)
#define RECORD (IMAGE_RECORD + MESSAGE)

static uint8_t bytes[256];

/* Offsets in a record. */
enum { LEN_AT = 0, TYPE_AT = 2, KIND_AT = 6, FLAGS_AT = 7, KEY_AT = 8, ZERO_AT = 9, TTL_AT = 14 };

/* That message with what E and KEY say, to bytes. */
static size_t
put(const struct question *key, struct cache_entry e)
{
	struct wire_writer w = { .buf = bytes, .cap = sizeof(bytes) };

	e.len = MESSAGE;
	image_put(&w, key, &e, message);
	ck_assert(!w.full);
	return w.len;
}

static void
put_plain(void)
{
	const struct question key = { .qtype = 1, .qclass = 1 };
	const struct cache_entry e = {
		.kind = CACHE_POSITIVE, .flags = CACHE_WITH_MSG, .age_s = 7, .ttl_s = 300
	};

	ck_assert_uint_eq(put(&key, e), RECORD);
}

/* What is wrong with the record in bytes; it is of the length that it was written with. */
static const char *
get(struct image_record *rec)
{
	struct wire_reader r = { .buf = bytes, .len = RECORD };
	const char *wrong = image_get(&r, rec);

	if (wrong == NULL)
		ck_assert_uint_eq(r.pos, RECORD);
	return wrong;
}

START_TEST(record_comes_back)
{
	const struct question key = { .qtype = SHARD_ANY_TYPE, .qclass = 1, .do_bit = true };
	const struct cache_entry e = { .kind = CACHE_NXDOMAIN,
		.flags = CACHE_CUT | CACHE_TRUSTED | CACHE_WITH_MSG | CACHE_PLAIN,
		.ede = 65535,
		.age_s = 700000,
		.ttl_s = DNS_TTL_MAX };
	struct image_record rec;

	ck_assert_uint_eq(put(&key, e), RECORD);
	ck_assert_ptr_null(get(&rec));
	ck_assert_uint_eq(rec.key.qtype, SHARD_ANY_TYPE);
	ck_assert_uint_eq(rec.key.qclass, 1);
	ck_assert(rec.key.do_bit && !rec.key.cd);
	ck_assert_uint_eq(rec.key.qname_len, 11);
	ck_assert_mem_eq(rec.key.qname, "\1n\7example", 11);
	ck_assert_int_eq(rec.entry.kind, CACHE_NXDOMAIN);
	ck_assert_uint_eq(bytes[FLAGS_AT] & CACHE_PLAIN, 0); /* of the message, not of the file */
	ck_assert_uint_eq(
	    rec.entry.flags, CACHE_CUT | CACHE_TRUSTED | CACHE_WITH_MSG | CACHE_PLAIN);
	ck_assert_uint_eq(rec.entry.ede, 65535);
	ck_assert_uint_eq(rec.entry.age_s, 700000);
	ck_assert_uint_eq(rec.entry.ttl_s, DNS_TTL_MAX);
	ck_assert_uint_eq(rec.entry.len, MESSAGE);
	ck_assert_mem_eq(rec.msg, message, MESSAGE);

	const struct question checked = { .qtype = 1, .qclass = 1, .cd = true };
	(void)put(&checked,
	    (struct cache_entry){ .kind = CACHE_NODATA, .flags = CACHE_WITH_MSG, .ttl_s = 1 });
	ck_assert_ptr_null(get(&rec));
	ck_assert(!rec.key.do_bit && rec.key.cd);
	ck_assert_int_eq(rec.entry.kind, CACHE_NODATA);
}
END_TEST

/* One byte of a sound record changed, and what is said of that. */
START_TEST(each_damaged_byte_is_refused)
{
	static const struct {
		size_t at;
		uint8_t value;
		const char *wrong;
	} cases[] = {
		{ LEN_AT + 1, MESSAGE - 1, "malformed" }, { LEN_AT + 1, MESSAGE + 1, "cut off" },
		{ LEN_AT + 1, 0, "malformed" }, { LEN_AT, 0x50, "cut off" },
		{ TYPE_AT + 1, 28, "another question" },
		{ TYPE_AT + 1, 0, "more than it says" }, /* not a name that is not there */
		{ KIND_AT, CACHE_ERROR, "not kept" }, { KIND_AT, CACHE_SILENT, "not kept" },
		{ KIND_AT, CACHE_BOGUS, "not kept" }, { KIND_AT, 0xff, "not kept" },
		{ FLAGS_AT, CACHE_CUT | CACHE_WITH_MSG, "more than it says" },
		{ FLAGS_AT, 0, "flags" }, /* a reply that there is no message of */
		{ FLAGS_AT, CACHE_PLAIN | CACHE_WITH_MSG, "flags" },
		{ FLAGS_AT, 0x20 | CACHE_WITH_MSG, "flags" },
		{ FLAGS_AT, 0x80 | CACHE_WITH_MSG, "flags" }, { KEY_AT, 4, "flags" },
		{ ZERO_AT, 1, "flags" }, { TTL_AT + 2, 0, "has a TTL" },             /* 44 */
		{ TTL_AT, 1, "has a TTL" }, { IMAGE_RECORD + 2, 0x01, "malformed" }, /* no reply */
		{ IMAGE_RECORD + 2, 0x83, "not to be kept" },                        /* TC */
		{ IMAGE_RECORD, 1, "not to be kept" },                               /* its ID */
		{ IMAGE_RECORD + 5, 0, "malformed" }, { IMAGE_RECORD + 5, 2, "malformed" },
		{ IMAGE_RECORD + 7, 2, "malformed" }, { IMAGE_RECORD + 13, 'N', "lower case" },
		{ IMAGE_RECORD + 12, 0xc0, "malformed" },
		{ IMAGE_RECORD + 30, 28, "malformed" }, /* AAAA of 4 octets (D25) */
	};
	struct image_record rec;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		put_plain();
		ck_assert_ptr_null(get(&rec));
		bytes[cases[i].at] = cases[i].value;
		if (cases[i].at == TTL_AT + 2)
			bytes[TTL_AT + 3] = 0;
		const char *wrong = get(&rec);
		ck_assert_msg(wrong != NULL, "case %zu is taken", i);
		text_contains(wrong, cases[i].wrong);
	}
}
END_TEST

START_TEST(ttl_over_the_longest_is_refused)
{
	const struct question key = { .qtype = 1, .qclass = 1 };
	struct image_record rec;

	(void)put(&key, (struct cache_entry){ .flags = CACHE_WITH_MSG, .ttl_s = DNS_TTL_MAX + 1 });
	text_contains(get(&rec), "has a TTL");
}
END_TEST

/* Rule 28: an OPT is of one connection. */
START_TEST(opt_is_not_saved)
{
	static const uint8_t with_opt[] = "\0\0\x81\x80\0\1\0\0\0\0\0\1"
					  "\1n\7example\0\0\1\0\1"
					  "\0\0\x29\x04\xd0\0\0\0\0\0\0";
	const struct question key = { .qtype = 1, .qclass = 1 };
	const struct cache_entry e = {
		.flags = CACHE_WITH_MSG, .ttl_s = 300, .len = sizeof(with_opt) - 1
	};
	struct wire_writer w = { .buf = bytes, .cap = sizeof(bytes) };
	struct image_record rec;
	struct msg m;

	ck_assert_int_eq(msg_parse(&m, with_opt, sizeof(with_opt) - 1), MSG_OK);
	image_put(&w, &key, &e, with_opt);
	struct wire_reader r = { .buf = bytes, .len = w.len };
	text_contains(image_get(&r, &rec), "not to be kept");
}
END_TEST

/* A record that does not fit leaves nothing of itself. */
START_TEST(record_that_does_not_fit_leaves_nothing)
{
	const struct question key = { .qtype = 1, .qclass = 1 };
	const struct cache_entry e = { .ttl_s = 300, .len = MESSAGE };
	struct wire_writer w = { .buf = bytes, .cap = RECORD + RECORD - 1 };

	image_put(&w, &key, &e, message);
	ck_assert(!w.full);
	image_put(&w, &key, &e, message);
	ck_assert(w.full);
	ck_assert_uint_eq(w.len, RECORD);
}
END_TEST

START_TEST(head_comes_back_and_is_checked)
{
	const struct image_head h = { .saved_s = 0x123456789, .records = 5, .bytes = 1ULL << 33 };
	uint8_t out[IMAGE_HEAD];
	struct image_head got;

	image_put_head(out, &h, 99);
	ck_assert_ptr_null(image_get_head(out, &got));
	ck_assert_uint_eq(got.saved_s, h.saved_s);
	ck_assert_uint_eq(got.records, h.records);
	ck_assert_uint_eq(got.bytes, h.bytes);
	ck_assert(image_is_whole(out, 99));
	ck_assert(!image_is_whole(out, 98));
	out[20] ^= 1;
	ck_assert(!image_is_whole(out, 99));
	out[11] = IMAGE_VERSION + 1;
	text_contains(image_get_head(out, &got), "version");
	out[0] = 'D';
	text_contains(image_get_head(out, &got), "no cache file");
}
END_TEST

START_TEST(block_lengths_are_bounded)
{
	const size_t most = IMAGE_BLOCK - IMAGE_BLOCK_HEAD;
	uint8_t block[IMAGE_BLOCK_HEAD];
	uint32_t n;

	image_put_block(block, IMAGE_BLOCK, 3);
	ck_assert_uint_eq(image_get_block(block, &n), most);
	ck_assert_uint_eq(n, 3);
	image_put_block(block, IMAGE_BLOCK + 1, 3);
	ck_assert_uint_eq(image_get_block(block, &n), 0);
	image_put_block(block, 1000, 0);
	ck_assert_uint_eq(image_get_block(block, &n), 0);
	image_put_block(block, IMAGE_BLOCK_HEAD + 30, 1);
	ck_assert_uint_eq(image_get_block(block, &n), 30);
	image_put_block(block, IMAGE_BLOCK_HEAD + 59, 2);
	ck_assert_uint_eq(image_get_block(block, &n), 0);
	/* The same block at another place has another checksum. */
	ck_assert_uint_ne(image_sum(1, block, sizeof(block)),
	    image_sum(image_sum(1, block, sizeof(block)), block, sizeof(block)));
}
END_TEST

START_TEST(age_in_the_file_counts)
{
	const struct cache_entry e = { .age_s = 100, .ttl_s = 300 };
	const struct cache_entry late = { .age_s = UINT32_MAX, .ttl_s = 300 };

	ck_assert(!image_too_old(&e, 199, 0));
	ck_assert(image_too_old(&e, 200, 0));
	ck_assert(!image_too_old(&e, 1199, 1000));
	ck_assert(image_too_old(&e, 1200, 1000));
	ck_assert(image_too_old(&e, UINT64_MAX, 1000));
	ck_assert(image_too_old(&late, 0, 259200));
}
END_TEST

void
tests_add(TCase *tc)
{
	tcase_add_test(tc, record_comes_back);
	tcase_add_test(tc, each_damaged_byte_is_refused);
	tcase_add_test(tc, ttl_over_the_longest_is_refused);
	tcase_add_test(tc, opt_is_not_saved);
	tcase_add_test(tc, record_that_does_not_fit_leaves_nothing);
	tcase_add_test(tc, head_comes_back_and_is_checked);
	tcase_add_test(tc, block_lengths_are_bounded);
	tcase_add_test(tc, age_in_the_file_counts);
}
