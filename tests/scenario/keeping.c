/* SPDX-License-Identifier: BSD-2-Clause */
#include "scenario/keeping.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cache/cache.h"
#include "core/rate.h"
#include "dns/name.h"

#define SEED 0x5eed /* of the names' hashes: the same in every run */

void
keeping_defaults(struct conf_cache *keep)
{
	*keep = (struct conf_cache){ .max_ttl_s = 604800,
		.max_negative_s = 3600,
		.failure_s = 5,
		.stale_s = 86400,
		.cut = CONF_CUT_SECURE,
		.prefetch = true };
}

/* "512k" or "4m" in bytes; 0 for "off". */
static size_t
read_size(const struct run *r, const char *text)
{
	char *unit;
	size_t size = strtoul(text, &unit, 10);

	if (strcmp(text, "off") == 0)
		return 0;
	size *= *unit == 'm' ? 1U << 20 : *unit == 'k' ? 1U << 10 : 1;
	if (size < CACHE_MIN)
		stage_fail(r, "no cache is so small: %s", text);
	return size;
}

static enum conf_cut
read_cut(const struct run *r, const char *text)
{
	if (strcmp(text, "off") == 0)
		return CONF_CUT_OFF;
	if (strcmp(text, "all") == 0)
		return CONF_CUT_ALL;
	if (strcmp(text, "secure") != 0)
		stage_fail(r, "bad nxdomain-cut %s", text);
	return CONF_CUT_SECURE;
}

bool
keeping_setting(struct run *r, char **w, unsigned n)
{
	struct conf_cache *keep = &r->conf.keep;
	struct conf_rate *rate = &r->conf.rate;
	struct {
		const char *word;
		uint32_t *number;
	} numbers[] = { { "cache-min-ttl", &keep->min_ttl_s },
		{ "cache-max-ttl", &keep->max_ttl_s },
		{ "cache-max-negative", &keep->max_negative_s },
		{ "cache-failure-ttl", &keep->failure_s }, { "cache-stale", &keep->stale_s },
		{ "rate-limit", &rate->limit }, { "rate-limit-burst", &rate->burst },
		{ "rate-limit-slip", &rate->slip }, { "max-amplification", &rate->amplification } };

	if (n < 2)
		return false;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (strcmp(w[0], numbers[i].word) == 0) {
			*numbers[i].number = (uint32_t)atoi(w[1]);
			return true;
		}
	}
	if (strcmp(w[0], "clock") == 0)
		r->now_ns = strtoull(w[1], NULL, 10) * NS_PER_SEC;
	else if (strcmp(w[0], "cache") == 0)
		r->cache_size = read_size(r, w[1]);
	else if (strcmp(w[0], "nxdomain-cut") == 0)
		keep->cut = read_cut(r, w[1]);
	else if (strcmp(w[0], "prefetch") == 0)
		keep->prefetch = strcmp(w[1], "yes") == 0;
	else if (strcmp(w[0], "rate-limit-dry-run") == 0)
		r->conf.rate.dry_run = strcmp(w[1], "yes") == 0;
	else if (strcmp(w[0], "rrset-order") == 0)
		keep->rotate = strcmp(w[1], "rotate") == 0;
	else
		return false;
	return true;
}

void
keeping_open(struct run *r)
{
	r->conf.rates = rates_new();
	ck_assert_ptr_nonnull(r->conf.rates);
	if (r->cache_size == 0)
		return;
	r->conf.cache = cache_new(r->cache_size, r->conf.keep.stale_s, SEED);
	ck_assert_ptr_nonnull(r->conf.cache);
}

void
keeping_close(struct run *r)
{
	rates_free(r->conf.rates);
	r->conf.rates = NULL;
	cache_free(r->conf.cache);
	r->conf.cache = NULL;
}

void
keeping_flush(struct run *r, char **w, unsigned n)
{
	uint8_t name[DNS_NAME_MAX], lower[DNS_NAME_MAX];
	struct cache *c = r->conf.cache;
	size_t len;

	if (c == NULL)
		stage_fail(r, "there is no cache yet");
	if (n < 3) {
		cache_flush_all(c);
		return;
	}
	len = stage_name(r, w[2], name);
	name_lower(lower, name, len);
	if (strcmp(w[1], "below") == 0)
		cache_flush_below(c, lower, len, (uint32_t)(r->now_ns / NS_PER_SEC));
	else if (strcmp(w[1], "name") == 0)
		(void)cache_flush_name(c, lower, len);
	else
		stage_fail(r, "flush what?");
}
