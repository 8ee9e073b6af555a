/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/orders.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "config/settings.h"

const char *
orders_state_word(enum conf_order state)
{
	static const char *const words[] = {
		[CONF_UP] = "up", [CONF_DRAIN] = "drain", [CONF_DOWN] = "down"
	};

	return words[state];
}

const struct orders_upstream *
orders_upstream(const struct orders *o, const struct netaddr *addr)
{
	for (size_t i = 0; o != NULL && i < o->n_upstreams; i++) {
		if (netaddr_equal(&o->upstreams[i].addr, addr))
			return &o->upstreams[i];
	}
	return NULL;
}

/* Is A the upstream TEXT: as it is shown, or only by its address? *WHOLE says which. */
static bool
is_called(const struct netaddr *a, const char *text, bool *whole)
{
	char shown[NETADDR_TEXT];
	struct netaddr b;

	*whole = strcmp(netaddr_format(a, shown), text) == 0;
	return *whole || (netaddr_parse(text, a->port, &b) && netaddr_equal(a, &b));
}

/* The upstream of S that TEXT names. NULL: there is none, or more than one. */
static const struct netaddr *
find_upstream(const struct settings *s, const char *text, char error[static ORDERS_ERROR])
{
	const struct conf_core *c = &s->conf.core;
	const struct netaddr *found = NULL;
	size_t n_found = 0;

	for (size_t i = 0; i < c->n_upstreams; i++) {
		bool whole;

		if (!is_called(&c->upstreams[i], text, &whole))
			continue;
		found = &c->upstreams[i];
		if (whole)
			return found;
		n_found++;
	}
	if (n_found == 1)
		return found;
	if (n_found == 0)
		snprintf(error, ORDERS_ERROR,
		    "there is no upstream %.80s; dns64ctl upstreams lists them", text);
	else
		snprintf(error, ORDERS_ERROR,
		    "%zu upstreams have the address %.80s; give the port too, as dns64ctl "
		    "upstreams shows it",
		    n_found, text);
	return NULL;
}

/* Forget order I about an upstream. */
static void
remove_upstream(struct orders *o, size_t i)
{
	o->n_upstreams--;
	memmove(
	    &o->upstreams[i], &o->upstreams[i + 1], (o->n_upstreams - i) * sizeof(o->upstreams[0]));
}

/* The upstream at ADDR is STATE from now on. Orders are about upstreams of S only: there is room.
 */
static void
set_upstream(struct orders *o, const struct netaddr *addr, enum conf_order state, time_t unix_s)
{
	size_t i = 0;

	while (i < o->n_upstreams && !netaddr_equal(&o->upstreams[i].addr, addr))
		i++;
	if (state == CONF_UP) {
		if (i < o->n_upstreams)
			remove_upstream(o, i);
		return;
	}
	if (i == o->n_upstreams)
		o->n_upstreams++;
	else if (o->upstreams[i].state == state)
		return;
	o->upstreams[i] =
	    (struct orders_upstream){ .addr = *addr, .state = state, .since = unix_s };
}

bool
orders_make(struct orders *o, const struct settings *s, const struct order *w, time_t unix_s,
    char error[static ORDERS_ERROR])
{
	const struct netaddr *addr;

	switch (w->what) {
	case ORDER_UPSTREAM:
		addr = find_upstream(s, w->of, error);
		if (addr == NULL)
			return false;
		set_upstream(o, addr, (enum conf_order)w->state, unix_s);
		break;
	}
	return true;
}

void
orders_apply(struct settings *s)
{
	struct conf_core *c = &s->conf.core;

	for (size_t i = 0; i < c->n_upstreams; i++) {
		const struct orders_upstream *u = orders_upstream(s->orders, &c->upstreams[i]);

		c->ordered[i] = (uint8_t)(u == NULL ? CONF_UP : u->state);
	}
}

void
orders_keep(const struct settings *s)
{
	const struct conf_core *c = &s->conf.core;
	struct orders *o = s->orders;
	char text[NETADDR_TEXT];

	for (size_t i = 0; o != NULL && i < o->n_upstreams;) {
		const struct orders_upstream *u = &o->upstreams[i];

		if (netaddr_in_list(c->upstreams, c->n_upstreams, &u->addr)) {
			i++;
			continue;
		}
		log_notice(LOG_CONFIG,
		    "upstream %s is configured no more: dns64ctl's %s for it is forgotten",
		    netaddr_format(&u->addr, text), orders_state_word(u->state));
		remove_upstream(o, i);
	}
}

bool
orders_all_taken(const struct settings *s)
{
	const struct conf_core *c = &s->conf.core;

	for (size_t i = 0; i < c->n_upstreams; i++) {
		if (c->ordered[i] == CONF_UP)
			return false;
	}
	return true;
}
