/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/packetcache.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/secret.h"
#include "dns/header.h"

/* A counter that an answer incremented, and by how much. */
struct moved {
	uint8_t counter; /* index from stats.prefixes on, behind which the counters stand */
	uint8_t by;
};

struct slot {
	uint32_t now_s;
	uint32_t flushes;
	uint32_t conf_gen;
	uint32_t age_s;
	uint16_t policy;
	uint16_t answer_len;
	uint8_t family;
	uint8_t n_moved;
	uint16_t answered;    /* place in stats.reasons */
	uint8_t reason;       /* enum reason */
	uint8_t asked;        /* place in stats.asked */
	uint8_t question_len; /* bytes without the ID; 0: the slot is free */
	struct moved moved[PACKETCACHE_COUNTS];
	uint8_t question[PACKETCACHE_QUESTION];
	uint8_t answer[PACKETCACHE_ANSWER];
};

#define COUNTED (STATS_PREFIXES + STATS_LOOPS_N)

_Static_assert(
    COUNTED <= UINT8_MAX && REASON_N * 2 * STATS_RCODES <= UINT16_MAX, "a counter's place fits");
_Static_assert(offsetof(struct stats, client_udp) ==
	offsetof(struct stats, prefixes) + STATS_PREFIXES * sizeof(uint64_t),
    "the counters stand behind prefixes");

struct packetcache {
	uint64_t seed;
	uint64_t hash; /* hash of the question of the last packetcache_glance */
	struct packetcache_ask ask;
	uint64_t before[COUNTED];
	/* per slot: 16 bits of hash and second of the last question */
	uint16_t seen[PACKETCACHE_SLOTS];
	struct slot slot[PACKETCACHE_SLOTS];
};

struct packetcache *
packetcache_new(uint64_t seed)
{
	/* calloc does not touch an allocation of this size, so unused slots cost no memory. */
	struct packetcache *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	p->seed = seed;
	secret_lock(&p->seed, sizeof(p->seed));
	return p;
}

void
packetcache_free(struct packetcache *p)
{
	free(p);
}

bool
packetcache_glance(struct packetcache *p, const uint8_t *msg, size_t len, uint32_t now_s)
{
	uint16_t *seen, print;

	if (len <= HEADER_ID_LEN || len > HEADER_ID_LEN + PACKETCACHE_QUESTION)
		return false;
	p->hash = hash_bytes(msg + HEADER_ID_LEN, len - HEADER_ID_LEN, p->seed);
	seen = &p->seen[p->hash % PACKETCACHE_SLOTS];
	print = (uint16_t)((p->hash >> 48) + now_s);
	if (*seen == print)
		return true;
	*seen = print;
	return false;
}

static bool
answers(const struct slot *s, const struct packetcache_ask *a)
{
	return s->now_s == a->now_s && s->question_len == a->len - HEADER_ID_LEN &&
	    s->flushes == a->flushes && s->conf_gen == a->conf_gen && s->policy == a->policy &&
	    s->family == a->family &&
	    memcmp(s->question, a->msg + HEADER_ID_LEN, s->question_len) == 0;
}

/* What an answer counts, as an array: in struct stats one stands behind the other. */
static const _Atomic uint64_t *
counters(const struct stats *s)
{
	return s->prefixes;
}

bool
packetcache_find(struct packetcache *p, const struct packetcache_ask *ask, const struct stats *s)
{
	p->ask = *ask;
	if (answers(&p->slot[p->hash % PACKETCACHE_SLOTS], ask))
		return true;
	for (unsigned i = 0; i < COUNTED; i++)
		p->before[i] = atomic_load_explicit(&counters(s)[i], memory_order_relaxed);
	return false;
}

struct packetcache_why
packetcache_why(const struct packetcache *p)
{
	const struct slot *slot = &p->slot[p->hash % PACKETCACHE_SLOTS];

	return (
	    struct packetcache_why){ .reason = (enum reason)slot->reason, .age_s = slot->age_s };
}

size_t
packetcache_write(
    const struct packetcache *p, uint8_t out[static PACKETCACHE_ANSWER], struct stats *s)
{
	const struct slot *slot = &p->slot[p->hash % PACKETCACHE_SLOTS];
	_Atomic uint64_t *counter = s->prefixes;

	memcpy(out, p->ask.msg, HEADER_ID_LEN);
	memcpy(out + HEADER_ID_LEN, slot->answer + HEADER_ID_LEN,
	    slot->answer_len - (size_t)HEADER_ID_LEN);
	for (unsigned i = 0; i < slot->n_moved; i++)
		stats_add(counter + slot->moved[i].counter, slot->moved[i].by);
	stats_inc(&s->answers_repeated);
	stats_inc(&s->reasons[0][0][0] + slot->answered);
	stats_inc(&s->asked[slot->asked]);
	return slot->answer_len;
}

/*
 * Note which counters were incremented, and by how much. False: too many of them, or by too much.
 */
static bool
note_moved(struct slot *slot, const struct packetcache *p, const struct stats *s)
{
	slot->n_moved = 0;
	for (unsigned i = 0; i < COUNTED; i++) {
		uint64_t by =
		    atomic_load_explicit(&counters(s)[i], memory_order_relaxed) - p->before[i];

		if (by == 0)
			continue;
		if (by > UINT8_MAX || slot->n_moved == PACKETCACHE_COUNTS)
			return false;
		slot->moved[slot->n_moved++] = (struct moved){ (uint8_t)i, (uint8_t)by };
	}
	return true;
}

void
packetcache_keep(struct packetcache *p, const uint8_t *answer, size_t len,
    const struct packetcache_why *why, const struct stats *s)
{
	struct slot *slot = &p->slot[p->hash % PACKETCACHE_SLOTS];
	const struct packetcache_ask *a = &p->ask;

	slot->question_len = 0;
	if (len > PACKETCACHE_ANSWER || !note_moved(slot, p, s))
		return;
	slot->now_s = a->now_s;
	slot->flushes = a->flushes;
	slot->conf_gen = a->conf_gen;
	slot->policy = a->policy;
	slot->family = a->family;
	slot->reason = (uint8_t)why->reason;
	slot->answered =
	    (uint16_t)stats_answered(why->reason, false, header_flags(answer) & DNS_RCODE);
	slot->age_s = why->age_s;
	slot->asked = (uint8_t)why->asked;
	slot->question_len = (uint8_t)(a->len - HEADER_ID_LEN);
	memcpy(slot->question, a->msg + HEADER_ID_LEN, slot->question_len);
	slot->answer_len = (uint16_t)len;
	memcpy(slot->answer, answer, len);
}
