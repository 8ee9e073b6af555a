/* SPDX-License-Identifier: BSD-2-Clause */
#include "policy/zonemap.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dns/name.h"

#define FIRST_NODES 16
#define PLACE_MAX 0x7fffffff
#define NAMELESS 1 /* place of a node without a zone of its own */

/*
 * A zone, or a mark that there are zones below a name with this hash. Of the nodes with one hash
 * either all have a value, or there is only one, without a value.
 */
struct node {
	uint64_t hash;
	uint32_t value;      /* ZONEMAP_NONE: none */
	uint32_t place : 31; /* offset of the zone in names; 0: free */
	uint32_t below : 1;  /* there are zones below a name with this hash */
};

struct zonemap {
	struct node *table; /* owned: 2^k nodes, at most a quarter of them in use */
	uint32_t mask;      /* 2^k - 1 */
	uint32_t n;
	uint32_t n_zones;   /* that have a value */
	uint32_t root;      /* the value of the root zone */
	uint32_t n_names;   /* bytes */
	uint32_t cap_names; /* bytes */
	uint8_t *names;     /* owned: the zones as added, each behind a byte with its length */
};

/* --- Hash ------------------------------------------------------------------------------------- */

static inline uint64_t
load8(const uint8_t *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof(w));
	return le64toh(w);
}

/*
 * Upper and lower case letters get the same case bit. So do some other bytes, which then collide.
 * The top bits of a product depend on all bits of its factors; the byte swap brings them to the
 * bottom for the next multiplication.
 */
static inline uint64_t
mix(uint64_t hash, uint64_t w)
{
	return __builtin_bswap64((hash ^ (w | 0x2020202020202020)) * 0x9e3779b97f4a7c15);
}

/*
 * The hash of NAME from START on: its first label ends at END, and the rest has this HASH. There is
 * no key, as the operator fills the table.
 */
static inline uint64_t
hash_plain(uint64_t hash, const uint8_t *name, size_t start, size_t end)
{
	uint64_t last = load8(name + end - 8);

	if (end - start <= 8)
		return mix(hash, last >> (64 - 8 * (end - start)));
	/* Two words of 8 bytes, which may overlap. */
	return mix(mix(hash, load8(name + start)), last);
}

/*
 * Can hash_plain be used? For labels of at most 16 bytes that do not end in the name's first 7
 * bytes.
 */
static inline bool
is_plain(size_t start, size_t end)
{
	return end - start <= 16 && end >= 8;
}

static __attribute__((noinline)) uint64_t
hash_long(uint64_t hash, const uint8_t *name, size_t start, size_t end)
{
	uint64_t w = 0;

	for (; end - start > 16; start += 8)
		hash = mix(hash, load8(name + start));
	if (end >= 8)
		return hash_plain(hash, name, start, end);
	while (end > start)
		w = w << 8 | name[--end];
	return mix(hash, w);
}

static inline uint64_t
hash_label(uint64_t hash, const uint8_t *name, size_t start, size_t end)
{
	return is_plain(start, end) ? hash_plain(hash, name, start, end)
				    : hash_long(hash, name, start, end);
}

void
zonemap_path(struct zonemap_path *path, const uint8_t *name, size_t len)
{
	unsigned depth = 0;

	for (size_t at = 0; name[at] != 0; at += (size_t)name[at] + 1)
		path->at[depth++] = (uint8_t)at;
	path->name = name;
	path->len = len;
	path->depth = depth;
	path->hash = depth > 0 ? hash_label(0, name, path->at[depth - 1], len - 1) : 0;
}

/* --- Table ------------------------------------------------------------------------------------ */

/* The first node from FROM on that has this hash or is free. There are always free nodes. */
static inline struct node *
seek(const struct zonemap *z, uint64_t from, uint64_t hash)
{
	struct node *n = &z->table[from & z->mask];

	while (n->place != 0 && n->hash != hash)
		n = &z->table[++from & z->mask];
	return n;
}

static inline bool
is_zone(const struct zonemap *z, const struct node *n, const uint8_t *name, size_t len)
{
	const uint8_t *zone = z->names + n->place;

	return zone[-1] == len && name_equal_len(zone, name, len);
}

/*
 * The node of the zone NAME; if there is none, the node to use for it, which is free or has no
 * value.
 */
static struct node *
probe(const struct zonemap *z, const uint8_t *name, size_t len, uint64_t hash)
{
	struct node *n = seek(z, hash, hash);

	while (n->value != ZONEMAP_NONE && !is_zone(z, n, name, len))
		n = seek(z, (uint64_t)(n - z->table) + 1, hash);
	return n;
}

/* --- Filling ---------------------------------------------------------------------------------- */

static struct node *
new_table(uint32_t mask)
{
	struct node *table = calloc((size_t)mask + 1, sizeof(*table));

	for (size_t i = 0; table != NULL && i <= mask; i++)
		table[i].value = ZONEMAP_NONE;
	return table;
}

struct zonemap *
zonemap_new(void)
{
	struct zonemap *z = calloc(1, sizeof(*z));

	if (z == NULL)
		return NULL;
	z->root = ZONEMAP_NONE;
	z->n_names = NAMELESS;
	z->mask = FIRST_NODES - 1;
	z->table = new_table(z->mask);
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
	free(z->names);
	free(z);
}

/* Double the table. Returns 0 or -ENOMEM. */
static int
grow(struct zonemap *z)
{
	uint32_t mask = z->mask * 2 + 1;
	struct node *table = z->mask < UINT32_MAX / 2 ? new_table(mask) : NULL;

	if (table == NULL)
		return -ENOMEM;
	for (size_t i = 0; i <= z->mask; i++) {
		uint64_t at = z->table[i].hash;

		if (z->table[i].place == 0)
			continue;
		while (table[at & mask].place != 0)
			at++;
		table[at & mask] = z->table[i];
	}
	free(z->table);
	z->table = table;
	z->mask = mask;
	return 0;
}

/* Make room for a zone of LEN bytes and DEPTH labels. Returns 0 or -ENOMEM. */
static int
reserve(struct zonemap *z, size_t len, unsigned depth)
{
	uint64_t wanted = z->n_names + 1 + (uint64_t)len;

	if (wanted > z->cap_names) {
		uint8_t *names = wanted <= PLACE_MAX / 2 ? realloc(z->names, wanted * 2) : NULL;

		if (names == NULL)
			return -ENOMEM;
		z->names = names;
		z->cap_names = (uint32_t)wanted * 2;
	}
	while ((uint64_t)z->n + depth > z->mask / 4) {
		int err = grow(z);

		if (err != 0)
			return err;
	}
	return 0;
}

/* Note that there is a zone below a name with this hash. */
static void
enter(struct zonemap *z, uint64_t hash)
{
	struct node *n = seek(z, hash, hash);

	if (n->place == 0) {
		*n = (struct node){ .hash = hash, .value = ZONEMAP_NONE, .place = NAMELESS };
		z->n++;
	}
	for (; n->place != 0; n = seek(z, (uint64_t)(n - z->table) + 1, hash))
		n->below = true;
}

static int
add_root(struct zonemap *z, uint32_t value)
{
	if (z->root != ZONEMAP_NONE)
		return -EEXIST;
	z->root = value;
	z->n_zones++;
	return 0;
}

int
zonemap_add(struct zonemap *z, const uint8_t *zone, uint32_t value)
{
	size_t len = name_len(zone);
	struct zonemap_path path;
	struct node *n;
	uint64_t hash;
	int err;

	zonemap_path(&path, zone, len);
	if (path.depth == 0)
		return add_root(z, value);
	err = reserve(z, len, path.depth);
	if (err != 0)
		return err;
	hash = path.hash;
	for (unsigned i = path.depth - 1; i > 0; i--) {
		enter(z, hash);
		hash = hash_label(hash, zone, path.at[i - 1], path.at[i]);
	}
	n = probe(z, zone, len, hash);
	if (n->value != ZONEMAP_NONE)
		return -EEXIST;
	z->n += n->place == 0;
	z->n_zones++;
	z->names[z->n_names++] = (uint8_t)len;
	*n = (struct node){ .hash = hash,
		.value = value,
		.place = z->n_names & PLACE_MAX,
		.below = seek(z, hash, hash)->below };
	memcpy(z->names + z->n_names, zone, len);
	z->n_names += (uint32_t)len;
	return 0;
}

size_t
zonemap_count(const struct zonemap *z)
{
	return z->n_zones;
}

/* --- Searching -------------------------------------------------------------------------------- */

/* Search result when only the root zone may match. */
static inline uint32_t
find_root(const struct zonemap *z, const struct zonemap_path *path, size_t *at)
{
	if (z->root != ZONEMAP_NONE)
		*at = path->len - 1;
	return z->root;
}

/* The longest zone, with names compared: a hash collision was found. */
static __attribute__((noinline)) uint32_t
find_among(const struct zonemap *z, const struct zonemap_path *path, size_t *at)
{
	uint32_t found = find_root(z, path, at);
	uint64_t hash = path->hash;

	for (unsigned i = path->depth - 1;; i--) {
		size_t start = path->at[i];
		const struct node *n = probe(z, path->name + start, path->len - start, hash);

		if (n->value != ZONEMAP_NONE) {
			found = n->value;
			*at = start;
		}
		if (i == 0)
			return found;
		hash = hash_label(hash, path->name, path->at[i - 1], path->at[i]);
	}
}

/* The longest zone when the top-level domain has some. */
static __attribute__((noinline)) uint32_t
find_below(const struct zonemap *z, const struct zonemap_path *path, size_t *at)
{
	const struct node *n, *found = NULL;
	const uint8_t *start = path->at + path->depth, *found_at = NULL;
	uint64_t hash = path->hash;

	while ((n = seek(z, hash, hash))->place != 0) {
		start--;
		if (n->value != ZONEMAP_NONE) {
			found = n;
			found_at = start;
		}
		if (!n->below || start == path->at)
			break;
		hash = hash_label(hash, path->name, start[-1], start[0]);
	}
	if (found == NULL)
		return find_root(z, path, at);
	if (UNLIKELY(!is_zone(z, found, path->name + *found_at, path->len - *found_at)))
		return find_among(z, path, at);
	*at = *found_at;
	return found->value;
}

/* Names below a missing node are missing too, so most searches need one probe or two. */
uint32_t
zonemap_find(const struct zonemap *z, const struct zonemap_path *path, size_t *at)
{
	const struct node *top = seek(z, path->hash, path->hash);
	const uint8_t *start = path->at + path->depth - 1;
	uint64_t hash;

	if (top->place == 0 || path->depth == 0)
		return find_root(z, path, at);
	if (top->value == ZONEMAP_NONE && path->depth > 1 && is_plain(start[-1], start[0])) {
		hash = hash_plain(path->hash, path->name, start[-1], start[0]);
		if (seek(z, hash, hash)->place == 0)
			return find_root(z, path, at);
	}
	return find_below(z, path, at);
}
