/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/zonemap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dns/name.h"

#define FIRST_ENTRIES 16
#define LABELS_MAX ((DNS_NAME_MAX - 1) / 2) /* of one byte each */

/*
 * A zone, or a top-level label with zones below it (then without a value, unless it is a zone
 * itself). The depth of a name is the number of its labels.
 */
struct entry {
	uint32_t hash;
	uint32_t value;
	uint32_t name;  /* place in names */
	uint32_t below; /* place in below, if this is a top-level label */
	uint8_t len;    /* bytes of the name; 0: free */
};

/* The depths below a top-level label at which there are zones, a bit each. */
struct depths {
	uint64_t bits[LABELS_MAX / 64 + 1];
};

struct zonemap {
	struct entry *table; /* owned: 2^k entries, at most half of them in use */
	uint32_t mask;       /* 2^k - 1 */
	uint32_t n;
	uint32_t root;    /* the value of the root zone */
	uint64_t tops[4]; /* a bit for what top_bit says of each top-level label in the table */
	uint32_t n_below;
	uint32_t cap_below;
	uint32_t n_names;     /* bytes */
	uint32_t cap_names;   /* bytes */
	struct depths *below; /* owned */
	uint8_t *names;       /* owned: as they were added, case and all */
};

/* --- Hash and table ---------------------------------------------------------------------- */

static inline uint64_t
load8(const uint8_t *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof w);
	return w;
}

static inline uint64_t
load4(const uint8_t *p)
{
	uint32_t w;

	memcpy(&w, p, sizeof w);
	return w;
}

/*
 * Letters get the same bit whatever their case. So do some other bytes, which then collide. A
 * product's top bits depend on all bits of its factors: they come to the bottom for the next one.
 */
static inline uint64_t
mix(uint64_t hash, uint64_t w)
{
	return __builtin_bswap64((hash ^ (w | 0x2020202020202020)) * 0x9e3779b97f4a7c15);
}

/* Of a name that is not the root. It has no key, as it is the operator who fills the table. */
static inline uint64_t
hash_name(const uint8_t *name, size_t len)
{
	uint64_t hash = len;

	if (len < 4)
		return mix(hash, name[1]);
	if (len < 8)
		return mix(hash, load4(name) | load4(name + len - 4) << 32);
	for (; len > 8; len -= 8, name += 8)
		hash = mix(hash, load8(name));
	/* The last word may overlap the one before. */
	return mix(hash, load8(name + len - 8));
}

/*
 * 0-255 for a top-level label, whatever its case: five bits of each of its first two letters.
 * Tells most labels that are not in the table for less than a hash.
 */
static inline unsigned
top_bit(const uint8_t *label)
{
	return (label[1] << 3 ^ (label[2] & 0x1f)) & 0xff;
}

/* The entry of this name, or the free one where it would be. There are always some free. */
static inline struct entry *
probe(const struct zonemap *z, const uint8_t *name, size_t len, uint64_t hash)
{
	uint32_t check = (uint32_t)(hash >> 32);
	uint32_t at = (uint32_t)hash & z->mask;

	for (;; at = (at + 1) & z->mask) {
		struct entry *e = &z->table[at];

		if (e->len == 0)
			return e;
		if (e->hash == check && e->len == len &&
		    name_equal_len(z->names + e->name, name, len))
			return e;
	}
}

static inline struct entry *
look_up(const struct zonemap *z, const uint8_t *name, size_t len)
{
	return probe(z, name, len, hash_name(name, len));
}

/* --- To fill it -------------------------------------------------------------------------- */

struct zonemap *
zonemap_new(void)
{
	struct zonemap *z = calloc(1, sizeof *z);

	if (z == NULL)
		return NULL;
	z->root = ZONEMAP_NONE;
	z->mask = FIRST_ENTRIES - 1;
	z->table = calloc(FIRST_ENTRIES, sizeof *z->table);
	if (z->table == NULL) {
		free(z);
		return NULL;
	}
	return z;
}

void
zonemap_free(struct zonemap *z)
{
	if (z == NULL)
		return;
	free(z->table);
	free(z->below);
	free(z->names);
	free(z);
}

/* Twice the entries. */
static int
grow(struct zonemap *z)
{
	struct zonemap big = *z;

	if (z->mask >= UINT32_MAX / 2)
		return -ENOMEM;
	big.mask = z->mask * 2 + 1;
	big.table = calloc((size_t)big.mask + 1, sizeof *big.table);
	if (big.table == NULL)
		return -ENOMEM;
	for (size_t i = 0; i <= z->mask; i++) {
		const struct entry *e = &z->table[i];
		const uint8_t *name = z->names + e->name;

		if (e->len > 0)
			*look_up(&big, name, e->len) = *e;
	}
	free(z->table);
	*z = big;
	return 0;
}

/* ARRAY of *CAP elements of SIZE bytes with room for N; NULL without memory, ARRAY stays then. */
static void *
room(void *array, uint32_t *cap, uint64_t n, size_t size)
{
	uint64_t wanted = n * 2;

	if (n <= *cap)
		return array;
	if (wanted > UINT32_MAX || wanted > SIZE_MAX / size)
		return NULL;
	array = realloc(array, (size_t)wanted * size);
	if (array != NULL)
		*cap = (uint32_t)wanted;
	return array;
}

/* Room for a zone of LEN bytes and its top-level label. */
static int
reserve(struct zonemap *z, size_t len)
{
	struct depths *below;
	uint8_t *names = room(z->names, &z->cap_names, (uint64_t)z->n_names + len, 1);

	if (names == NULL)
		return -ENOMEM;
	z->names = names;
	below = room(z->below, &z->cap_below, (uint64_t)z->n_below + 1, sizeof *below);
	if (below == NULL)
		return -ENOMEM;
	z->below = below;
	return (uint64_t)z->n + 2 > (z->mask + (uint64_t)1) / 2 ? grow(z) : 0;
}

/* The entry of the name that is the last LEN bytes of names; a new one has no value. */
static struct entry *
enter(struct zonemap *z, size_t len)
{
	uint32_t place = z->n_names - (uint32_t)len;
	uint64_t hash = hash_name(z->names + place, len);
	struct entry *e = probe(z, z->names + place, len, hash);

	if (e->len == 0) {
		*e = (struct entry){
			.hash = (uint32_t)(hash >> 32),
			.value = ZONEMAP_NONE,
			.name = place,
			.len = (uint8_t)len,
		};
		z->n++;
	}
	return e;
}

/* The entry of the top-level label, of LEN bytes with the root, at the end of names. */
static struct entry *
enter_top(struct zonemap *z, size_t len)
{
	unsigned bit = top_bit(z->names + z->n_names - len);
	uint32_t n = z->n;
	struct entry *e = enter(z, len);

	if (z->n > n) {
		e->below = z->n_below++;
		z->below[e->below] = (struct depths){ 0 };
		z->tops[bit / 64] |= (uint64_t)1 << bit % 64;
	}
	return e;
}

/* Bytes of the last label, which is not the root, and the root. */
static size_t
top_len(const uint8_t *name)
{
	while (name[*name + 1] != 0)
		name += *name + 1;
	return (size_t)*name + 2;
}

static int
add_root(struct zonemap *z, uint32_t value)
{
	if (z->root != ZONEMAP_NONE)
		return -EEXIST;
	z->root = value;
	return 0;
}

int
zonemap_add(struct zonemap *z, const uint8_t *zone, uint32_t value)
{
	unsigned depth = name_labels(zone);
	size_t len = name_len(zone);
	struct entry *e;
	int err;

	if (depth == 0)
		return add_root(z, value);
	if (zonemap_get(z, zone) != ZONEMAP_NONE)
		return -EEXIST;
	err = reserve(z, len);
	if (err != 0)
		return err;
	memcpy(z->names + z->n_names, zone, len);
	z->n_names += (uint32_t)len;
	e = enter_top(z, top_len(zone));
	if (depth > 1) {
		z->below[e->below].bits[depth / 64] |= (uint64_t)1 << depth % 64;
		e = enter(z, len);
	}
	e->value = value;
	return 0;
}

/* --- To search it ------------------------------------------------------------------------ */

uint32_t
zonemap_get(const struct zonemap *z, const uint8_t *zone)
{
	const struct entry *e;

	if (*zone == 0)
		return z->root;
	e = look_up(z, zone, name_len(zone));
	return e->len > 0 ? e->value : ZONEMAP_NONE;
}

/* What is left when no other zone was found. */
static inline uint32_t
find_root(const struct zonemap *z, size_t len, size_t *at)
{
	if (z->root != ZONEMAP_NONE)
		*at = len - 1;
	return z->root;
}

/* The value of the longest zone below TOP, or of TOP, that a name of DEPTH labels is in. */
static inline uint32_t
find_below(const struct zonemap *z, const uint8_t *name, size_t len, unsigned depth,
    const struct entry *top, size_t *at)
{
	const struct depths *below = &z->below[top->below];
	const uint8_t *label = name;

	/* Label by label it gets shorter, so the first zone met is the longest. */
	for (; depth > 1; depth--, label += *label + 1) {
		const struct entry *e;

		if ((below->bits[depth / 64] >> depth % 64 & 1) == 0)
			continue;
		e = look_up(z, label, len - (size_t)(label - name));
		if (e->len > 0) {
			*at = (size_t)(label - name);
			return e->value;
		}
	}
	if (top->value == ZONEMAP_NONE)
		return find_root(z, len, at);
	*at = (size_t)(label - name);
	return top->value;
}

/* The same when it is yet to be seen whether its top-level label LABEL is in the table. */
static __attribute__((noinline)) uint32_t
find_in(const struct zonemap *z, const uint8_t *name, size_t len, unsigned depth,
    const uint8_t *label, size_t *at)
{
	const struct entry *top = look_up(z, label, (size_t)*label + 2);

	return top->len > 0 ? find_below(z, name, len, depth, top, at) : find_root(z, len, at);
}

uint32_t
zonemap_find(const struct zonemap *z, const uint8_t *name, size_t len, size_t *at)
{
	const uint8_t *label = name;
	unsigned depth = 1, bit;

	if (z->n == 0 || *name == 0)
		return find_root(z, len, at);
	for (; label[*label + 1] != 0; label += *label + 1)
		depth++;
	bit = top_bit(label);
	if ((z->tops[bit / 64] >> bit % 64 & 1) == 0)
		return find_root(z, len, at);
	return find_in(z, name, len, depth, label, at);
}
