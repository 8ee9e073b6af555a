/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/channel.h"

void
channels_init(struct channel c[static CHANNELS_EACH])
{
	for (unsigned i = 0; i < CHANNELS_EACH; i++) {
		c[i] = (struct channel){ .n_open = 0 };
		list_init(&c[i].open);
		list_init(&c[i].lost);
		list_init(&c[i].link);
	}
}

unsigned
channels_pick(const struct channel c[static CHANNELS_EACH])
{
	unsigned best = 0;

	for (unsigned i = 0; i < CHANNELS_EACH; i++) {
		if (!c[i].stuck && c[i].n_open < CHANNEL_BUSY)
			return i;
		if (c[i].stuck != c[best].stuck ? c[best].stuck : c[i].n_open < c[best].n_open)
			best = i;
	}
	return best;
}

bool
channels_unused(const struct channel c[static CHANNELS_EACH])
{
	for (unsigned i = 0; i < CHANNELS_EACH; i++)
		if (c[i].n_open > 0 || !list_empty(&c[i].link))
			return false;
	return true;
}

bool
channel_silent(struct channel *c, uint64_t sent_ns)
{
	if (c->stuck || c->heard_ns > sent_ns)
		return false;
	c->stuck = true;
	return true;
}

void
channel_closed(struct channel *c, bool established)
{
	list_move(&c->lost, &c->open);
	c->lost_established = established;
	c->lost_fruitful = c->fruitful;
	c->stuck = false;
	c->fruitful = false;
	c->heard_ns = 0;
}
