/* SPDX-License-Identifier: BSD-2-Clause */
#include "cache/image.h"

#include <string.h>

#include "base/hash.h"
#include "dns/msg.h"
#include "dns/name.h"
#include "dns/proto.h"

#define KEY_DO 1
#define KEY_CD 2

/* As in PNG: the first byte is not ASCII, and a changed end of line is noticed. */
static const uint8_t magic[8] = { 0xd6, 'D', 'N', 'S', '6', '4', '\r', '\n' };

#define SUM_AT (IMAGE_HEAD - 8)

static void
put_u64(struct wire_writer *w, uint64_t n)
{
	wire_put_u32(w, (uint32_t)(n >> 32));
	wire_put_u32(w, (uint32_t)n);
}

static uint64_t
get_u64(struct wire_reader *r)
{
	uint64_t high = wire_get_u32(r);

	return high << 32 | wire_get_u32(r);
}

/* --- Head and blocks -------------------------------------------------------------------------- */

void
image_put_head(uint8_t out[static IMAGE_HEAD], const struct image_head *h, uint64_t sum)
{
	struct wire_writer w = { .buf = out, .cap = IMAGE_HEAD };

	wire_put_bytes(&w, magic, sizeof(magic));
	wire_put_u32(&w, IMAGE_VERSION);
	wire_put_u32(&w, 0);
	put_u64(&w, h->saved_s);
	put_u64(&w, h->records);
	put_u64(&w, h->bytes);
	put_u64(&w, hash_bytes(out, SUM_AT, sum));
}

const char *
image_get_head(const uint8_t in[static IMAGE_HEAD], struct image_head *h)
{
	struct wire_reader r = { .buf = in, .len = IMAGE_HEAD, .pos = sizeof(magic) };

	if (memcmp(in, magic, sizeof(magic)) != 0)
		return "is no cache file";
	if (wire_get_u32(&r) != IMAGE_VERSION || wire_get_u32(&r) != 0)
		return "is of another version";
	h->saved_s = get_u64(&r);
	h->records = get_u64(&r);
	h->bytes = get_u64(&r);
	return NULL;
}

bool
image_is_whole(const uint8_t in[static IMAGE_HEAD], uint64_t sum)
{
	struct wire_reader r = { .buf = in, .len = IMAGE_HEAD, .pos = SUM_AT };

	return get_u64(&r) == hash_bytes(in, SUM_AT, sum);
}

void
image_put_block(uint8_t *block, size_t len, uint32_t n)
{
	wire_set_u32(block, (uint32_t)(len - IMAGE_BLOCK_HEAD));
	wire_set_u32(block + 4, n);
}

size_t
image_get_block(const uint8_t in[static IMAGE_BLOCK_HEAD], uint32_t *n)
{
	uint32_t len = wire_u32(in);

	*n = wire_u32(in + 4);
	/* Each record has IMAGE_RECORD bytes and a message with a header. */
	if (len > IMAGE_BLOCK - IMAGE_BLOCK_HEAD || *n == 0 ||
	    *n > len / (IMAGE_RECORD + DNS_HEADER_LEN))
		return 0;
	return len;
}

uint64_t
image_sum(uint64_t sum, const uint8_t *block, size_t len)
{
	return hash_bytes(block, len, sum);
}

/* --- Records ---------------------------------------------------------------------------------- */

void
image_put(struct wire_writer *w, const struct question *key, const struct cache_entry *e,
    const uint8_t *msg)
{
	/* The whole record or nothing. */
	if (!wire_can_write(w, IMAGE_RECORD + e->len))
		return;
	wire_put_u16(w, (uint16_t)e->len);
	wire_put_u16(w, key->qtype);
	wire_put_u16(w, e->ede);
	wire_put_u8(w, (uint8_t)e->kind);
	wire_put_u8(w, (uint8_t)(e->flags & ~CACHE_PLAIN)); /* image_get finds out again */
	wire_put_u8(w, (uint8_t)((key->do_bit ? KEY_DO : 0) | (key->cd ? KEY_CD : 0)));
	wire_put_u8(w, 0);
	wire_put_u32(w, e->age_s);
	wire_put_u32(w, e->ttl_s);
	wire_put_bytes(w, msg, e->len);
}

/* Read the fields of a record to *OUT, unchecked. False: the bytes end before. */
static bool
read_record(struct wire_reader *r, struct image_record *out, uint8_t *key_flags)
{
	struct cache_entry *e = &out->entry;
	bool reserved;

	memset(out, 0, sizeof(*out));
	e->len = wire_get_u16(r);
	out->key.qtype = wire_get_u16(r);
	e->ede = wire_get_u16(r);
	e->kind = (enum cache_kind)wire_get_u8(r);
	e->flags = wire_get_u8(r);
	*key_flags = wire_get_u8(r);
	reserved = wire_get_u8(r) != 0;
	e->age_s = wire_get_u32(r);
	e->ttl_s = wire_get_u32(r);
	out->msg = r->buf + r->pos;
	wire_skip(r, e->len);
	if (reserved)
		*key_flags |= 0x80;
	return !r->bad;
}

static const char *
check_entry(const struct image_record *rec, uint8_t key_flags)
{
	const struct cache_entry *e = &rec->entry;
	bool any = rec->key.qtype == SHARD_ANY_TYPE;

	if (e->kind >= CACHE_ERROR)
		return "is of a kind that is not kept";
	if (e->ttl_s == 0 || e->ttl_s > DNS_TTL_MAX)
		return "has a TTL that cannot be";
	if ((e->flags & ~(CACHE_CUT | CACHE_TRUSTED)) != CACHE_WITH_MSG ||
	    (key_flags & ~(KEY_DO | KEY_CD)) != 0)
		return "has flags that are not known";
	/* Only NXDOMAIN can be for all types or cut (D22). */
	if ((any || e->flags & CACHE_CUT) && e->kind != CACHE_NXDOMAIN)
		return "stands for more than it says";
	if (e->len > SHARD_MSG_MAX)
		return "has a message that is too long";
	return NULL;
}

static const char *
check_message(struct image_record *rec)
{
	uint8_t lower[DNS_NAME_MAX];
	struct msg m;

	if (msg_parse_reply(&m, rec->msg, rec->entry.len) != MSG_OK || (m.flags & DNS_QR) == 0)
		return "has a message that is malformed";
	/*
	 * An OPT is of one connection and never stored (rule 28); the upper half of the ID is zero,
	 * the lower one engine/store's.
	 */
	if (m.edns.present || (m.flags & DNS_TC) != 0 || m.id > UINT8_MAX)
		return "has a message that is not to be kept";
	if (m.qdcount == 0 || (rec->key.qtype != SHARD_ANY_TYPE && m.qtype != rec->key.qtype))
		return "has a message of another question";
	name_lower(lower, msg_qname(&m), m.qname_len);
	if (memcmp(lower, msg_qname(&m), m.qname_len) != 0)
		return "has a name that is not in lower case";
	rec->key.qname = msg_qname(&m);
	rec->key.qname_len = m.qname_len;
	rec->key.qclass = m.qclass;
	if (msg_is_plain(&m))
		rec->entry.flags |= CACHE_PLAIN;
	return NULL;
}

const char *
image_get(struct wire_reader *r, struct image_record *out)
{
	uint8_t key_flags;
	const char *wrong;

	if (!read_record(r, out, &key_flags))
		return "is cut off";
	out->key.do_bit = (key_flags & KEY_DO) != 0;
	out->key.cd = (key_flags & KEY_CD) != 0;
	wrong = check_entry(out, key_flags);
	return wrong != NULL ? wrong : check_message(out);
}

bool
image_too_old(const struct cache_entry *e, uint64_t elapsed_s, uint32_t stale_s)
{
	uint64_t ends = (uint64_t)e->ttl_s + stale_s;

	/* No sum, as it could wrap. */
	return e->age_s >= ends || elapsed_s >= ends - e->age_s;
}
