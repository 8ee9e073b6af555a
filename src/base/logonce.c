/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/logonce.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/lock.h"

struct trouble {
	struct netaddr whom;
	uint32_t n_loops;   /* that have it; 0: the place is free */
	uint64_t n_counted; /* logonce_count; logonce_now: events held back */
	uint64_t quiet_ns;  /* logonce_now: nothing is logged before */
};

struct logonce {
	struct lock lock;
	struct trouble all[LOGONCE_KINDS][LOGONCE_EACH];
};

static const struct netaddr nobody = { .family = NETADDR_NONE };

struct logonce *
logonce_new(void)
{
	return calloc(1, sizeof(struct logonce));
}

void
logonce_free(struct logonce *t)
{
	free(t);
}

/* The trouble about WHOM, or a free place (n_loops 0) with WHOM written to it; else NULL. */
static struct trouble *
find(struct logonce *t, enum logonce_kind kind, const struct netaddr *whom)
{
	struct trouble *vacant = NULL;

	for (struct trouble *at = t->all[kind]; at < t->all[kind] + LOGONCE_EACH; at++) {
		if (at->n_loops == 0)
			vacant = vacant == NULL ? at : vacant;
		else if (netaddr_equal(&at->whom, whom))
			return at;
	}
	if (vacant != NULL)
		vacant->whom = *whom;
	return vacant;
}

bool
logonce_begin(struct logonce *t, enum logonce_kind kind, const struct netaddr *whom)
{
	struct trouble *at;
	bool say;

	if (t == NULL)
		return true;
	lock_take(&t->lock);
	at = find(t, kind, whom != NULL ? whom : &nobody);
	say = at != NULL && at->n_loops == 0;
	if (say)
		at->n_counted = 0;
	if (at != NULL)
		at->n_loops++;
	lock_give(&t->lock);
	return say;
}

uint64_t
logonce_count(struct logonce *t, enum logonce_kind kind, const struct netaddr *whom, uint64_t n)
{
	struct trouble *at;

	if (t == NULL)
		return n;
	lock_take(&t->lock);
	at = find(t, kind, whom != NULL ? whom : &nobody);
	if (at != NULL && at->n_loops > 0)
		n = at->n_counted += n;
	lock_give(&t->lock);
	return n;
}

/* N of the loops, or all if they are fewer, have the trouble no more. */
static bool
end(struct logonce *t, enum logonce_kind kind, const struct netaddr *whom, uint32_t n)
{
	struct trouble *at;
	bool say = false;

	if (t == NULL)
		return true;
	lock_take(&t->lock);
	at = find(t, kind, whom != NULL ? whom : &nobody);
	if (at != NULL && at->n_loops > 0) {
		at->n_loops -= n < at->n_loops ? n : at->n_loops;
		say = at->n_loops == 0;
	}
	lock_give(&t->lock);
	return say;
}

bool
logonce_end(struct logonce *t, enum logonce_kind kind, const struct netaddr *whom)
{
	return end(t, kind, whom, 1);
}

bool
logonce_over(struct logonce *t, enum logonce_kind kind, const struct netaddr *whom)
{
	return end(t, kind, whom, UINT32_MAX);
}

/* The event of which was logged longest ago. */
static struct trouble *
oldest(struct logonce *t, enum logonce_kind kind)
{
	struct trouble *found = t->all[kind];

	for (struct trouble *at = t->all[kind]; at < t->all[kind] + LOGONCE_EACH; at++)
		if (at->quiet_ns < found->quiet_ns)
			found = at;
	return found;
}

/* N events happened about which AT is. Returns as logonce_now does. */
static uint64_t
count_events(struct trouble *at, uint64_t n, uint64_t now_ns)
{
	at->n_counted += n;
	if (at->quiet_ns > now_ns)
		return 0;
	n = at->n_counted;
	at->n_counted = 0;
	at->quiet_ns = now_ns + LOGONCE_PAUSE_NS;
	return n;
}

uint64_t
logonce_now(struct logonce *t, enum logonce_kind kind, const struct netaddr *whom, uint64_t n,
    uint64_t now_ns)
{
	struct trouble *at;

	if (t == NULL)
		return n;
	whom = whom != NULL ? whom : &nobody;
	lock_take(&t->lock);
	at = find(t, kind, whom);
	if (at == NULL) { /* no place is left: that whose pause is over is given away */
		at = oldest(t, kind);
		if (at->quiet_ns <= now_ns)
			*at = (struct trouble){ .whom = *whom };
	} else if (at->n_loops == 0) {
		*at = (struct trouble){ .whom = *whom };
	}
	if (netaddr_equal(&at->whom, whom)) {
		at->n_loops = 1;
		n = count_events(at, n, now_ns);
	} else {
		n = 0;
	}
	lock_give(&t->lock);
	return n;
}

char *
logonce_more(char text[static LOGONCE_MORE], uint64_t n)
{
	text[0] = '\0';
	if (n > 1)
		snprintf(text, LOGONCE_MORE, " (and %" PRIu64 " more since the last such message)",
		    n - 1);
	return text;
}
