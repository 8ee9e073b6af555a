/* SPDX-License-Identifier: BSD-2-Clause */
#include "outbound/ways.h"

void
ways_init(struct ways *w)
{
	*w = (struct ways){ .now = WAY_FULL, .search = WAYS, .suspect = WAY_FULL };
}

const char *
way_text(enum way way)
{
	static const char *const texts[] = { [WAY_FULL] = "with EDNS and its options over UDP",
		[WAY_PLAIN] = "without EDNS options",
		[WAY_BARE] = "without EDNS",
		[WAY_TCP] = "over TCP" };

	return texts[way];
}

/* The way after WAY that a search tries. */
static enum way
next_way(const struct ways *w, enum way way, bool options)
{
	do
		way++;
	while (way == w->now || (way == WAY_PLAIN && !options));
	return way < WAYS ? way : WAYS;
}

void
ways_begin(struct ways *w, bool options, uint64_t now_ns)
{
	w->search = w->now == WAY_FULL ? (uint8_t)next_way(w, WAY_FULL, options) : WAY_FULL;
	w->search_ns = now_ns + WAYS_STEP_NS;
}

enum way
ways_step(struct ways *w, bool options, uint64_t now_ns)
{
	enum way way = (enum way)w->search;

	if (way == WAYS || now_ns < w->search_ns)
		return WAYS;
	w->search = (uint8_t)next_way(w, way, options);
	w->search_ns = now_ns + WAYS_STEP_NS;
	return way;
}

enum ways_found
ways_found(struct ways *w, enum way way, bool doubted, uint64_t now_ns)
{
	if (way > w->now && !doubted)
		return WAYS_NOTHING; /* the present one does get through */
	if (way > w->now && way != w->suspect) {
		/* The fuller one of two is looked at first. */
		if (w->suspect != WAY_FULL && way > w->suspect)
			return WAYS_NOTHING;
		w->suspect = (uint8_t)way;
		w->search = WAYS;
		return WAYS_ONCE_MORE;
	}
	if (way == w->now)
		return WAYS_NOTHING;
	ways_learn(w, way, now_ns);
	return WAYS_LEARNED;
}

static uint64_t
pause_ns(const struct ways *w)
{
	return WAYS_RETRY_NS << (w->tries < WAYS_DOUBLINGS ? w->tries : WAYS_DOUBLINGS);
}

void
ways_learn(struct ways *w, enum way way, uint64_t now_ns)
{
	if (w->now == WAY_FULL && now_ns > w->retry_ns + (WAYS_RETRY_NS << WAYS_DOUBLINGS))
		w->tries = 0; /* else it comes and goes */
	ways_heard(w);
	w->now = (uint8_t)way;
	w->retry_ns = way == WAY_FULL ? now_ns : now_ns + pause_ns(w);
}

enum way
ways_retry(struct ways *w, bool options, uint64_t now_ns)
{
	enum way way = (enum way)(w->tries % 2 == 0 ? WAY_FULL : w->now - 1);

	if (w->now == WAY_FULL || now_ns < w->retry_ns)
		return WAYS;
	if (w->tries < UINT8_MAX - 1)
		w->tries++;
	else
		w->tries--;
	w->retry_ns = now_ns + pause_ns(w);
	return way == WAY_PLAIN && !options ? WAY_FULL : way;
}

bool
ways_large_lost(struct ways *w, uint64_t now_ns)
{
	if (ways_small(w) || ++w->n_large < WAYS_LARGE_LOST)
		return false;
	w->large_ns = now_ns + WAYS_AGAIN_NS;
	return true;
}

bool
ways_large_due(struct ways *w, uint64_t now_ns)
{
	if (!ways_small(w) || now_ns < w->large_ns)
		return false;
	w->large_ns = now_ns + WAYS_AGAIN_NS;
	return true;
}

bool
ways_aaaa_late(struct ways *w)
{
	return w->n_aaaa < WAYS_AAAA_LATE && ++w->n_aaaa == WAYS_AAAA_LATE;
}

bool
ways_aaaa_lost(struct ways *w, bool heard, uint64_t now_ns)
{
	if (w->n_aaaa != WAYS_AAAA_LATE)
		return false;
	if (!heard) {
		w->n_aaaa--; /* the next late one asks for a probe again */
		return false;
	}
	w->n_aaaa++;
	w->aaaa_ns = now_ns + WAYS_AGAIN_NS;
	return true;
}

bool
ways_aaaa_due(struct ways *w, uint64_t now_ns)
{
	if (!ways_no_aaaa(w) || now_ns < w->aaaa_ns)
		return false;
	w->aaaa_ns = now_ns + WAYS_AGAIN_NS;
	return true;
}
