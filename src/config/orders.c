/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/orders.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "config/settings.h"
#include "config/values.h"

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

		if (!is_called(&c->upstreams[i].addr, text, &whole))
			continue;
		found = &c->upstreams[i].addr;
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

/* The upstream at ADDR is STATE from now on. Only configured ones have orders: there is room. */
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

/* --- networks --------------------------------------------------------------------------------- */

const struct orders_denial *
orders_denial(const struct orders *o, const struct netaddr *client)
{
	const struct orders_denial *found = NULL;

	for (size_t i = 0; o != NULL && i < o->n_denials; i++) {
		const struct orders_denial *d = &o->denials[i];

		if (d->net.family == client->family && net_holds(&d->net, client->addr) &&
		    (found == NULL || d->net.len > found->net.len))
			found = d;
	}
	return found;
}

/* Read the network of W. False, with an error: it is none. */
static bool
read_network(const struct order *w, struct net *net, char error[static ORDERS_ERROR])
{
	char text[VALUE_NET_TEXT];

	switch (value_net(w->of, net)) {
	case VALUE_NET_OK:
		return true;
	case VALUE_NET_HOST_BITS:
		snprintf(error, ORDERS_ERROR,
		    "network %.80s has bits set behind its length; the network of that length is "
		    "%s",
		    w->of, value_net_format(net, text));
		return false;
	case VALUE_NET_BAD:
		break;
	}
	snprintf(error, ORDERS_ERROR,
	    "%.80s is not a network; allowed is one such as 2001:db8::/32 or 192.0.2.0/24, or an "
	    "address",
	    w->of);
	return false;
}

/* The place of NET among the denials; their number if it is not there. */
static size_t
find_denial(const struct orders *o, const struct net *net)
{
	size_t i = 0;

	while (i < o->n_denials && memcmp(&o->denials[i].net, net, sizeof(*net)) != 0)
		i++;
	return i;
}

static void
remove_denial(struct orders *o, size_t i)
{
	o->n_denials--;
	memmove(&o->denials[i], &o->denials[i + 1], (o->n_denials - i) * sizeof(o->denials[0]));
}

/* When W ends that is given NOW; 0: never. */
static uint64_t
end_ns(const struct order *w, struct orders_now now)
{
	return w->seconds == 0 ? 0 : now.ns + w->seconds * NS_PER_SEC;
}

static bool
deny(
    struct orders *o, const struct order *w, struct orders_now now, char error[static ORDERS_ERROR])
{
	struct net net;
	size_t i;

	memset(&net, 0, sizeof(net)); /* it is compared */
	if (!read_network(w, &net, error))
		return false;
	i = find_denial(o, &net);
	if (i == ORDERS_DENIALS) {
		snprintf(error, ORDERS_ERROR,
		    "%d networks are denied already, which is the most; put further ones into the "
		    "configuration",
		    ORDERS_DENIALS);
		return false;
	}
	o->n_denials += i == o->n_denials;
	o->denials[i] = (struct orders_denial){ .net = net,
		.access = (enum policy_access)w->state,
		.since = now.unix_s,
		.until_ns = end_ns(w, now) };
	return true;
}

static bool
undeny(struct orders *o, const struct order *w, char error[static ORDERS_ERROR])
{
	struct net net;
	size_t i;

	memset(&net, 0, sizeof(net));
	if (!read_network(w, &net, error))
		return false;
	i = find_denial(o, &net);
	if (i < o->n_denials) {
		remove_denial(o, i);
		return true;
	}
	snprintf(error, ORDERS_ERROR,
	    "dns64ctl has not denied %.80s; dns64ctl deny lists what it has", w->of);
	return false;
}

bool
orders_fill(const struct orders *o, struct policies *ps)
{
	ps->ignores = ps->common.ignores;
	for (size_t i = 0; o != NULL && i < o->n_denials; i++) {
		const struct orders_denial *d = &o->denials[i];

		if (netmap_set(&ps->denied, &d->net, d->access) != 0)
			return false;
		ps->denies = true;
		ps->ignores |= d->access == POLICY_IGNORED;
	}
	return true;
}

/* --- the query log ---------------------------------------------------------------------------- */

const char *
orders_log_word(enum orders_log what)
{
	static const char *const words[] = { [ORDERS_LOG_CONFIG] = "config",
		[ORDERS_LOG_ON] = "on",
		[ORDERS_LOG_OFF] = "off",
		[ORDERS_LOG_FAILURES] = "failures" };

	return words[what];
}

/* Is there anywhere for lines of the query log to go? */
static bool
has_query_log(const struct settings *s)
{
	return strcmp(s->query_log, "none") != 0;
}

static bool
set_log(struct orders *o, const struct settings *s, const struct order *w, struct orders_now now,
    char error[static ORDERS_ERROR])
{
	bool writes = w->state == ORDERS_LOG_ON || w->state == ORDERS_LOG_FAILURES;

	if (writes && !has_query_log(s)) {
		snprintf(error, ORDERS_ERROR,
		    "there is no file to write to; the keyword query-log names one");
		return false;
	}
	o->log = (enum orders_log)w->state;
	o->log_since = now.unix_s;
	o->log_until_ns = w->state == ORDERS_LOG_CONFIG ? 0 : end_ns(w, now);
	return true;
}

static void
apply_log(struct settings *s)
{
	struct conf_querylog *t = &s->conf.core.querylog;
	enum orders_log what = s->orders == NULL ? ORDERS_LOG_CONFIG : s->orders->log;

	*t = s->querylog;
	if (what == ORDERS_LOG_CONFIG || !has_query_log(s))
		return;
	t->sample = 1;
	t->select = what == ORDERS_LOG_ON ? CONF_QUERYLOG_ALL
	    : what == ORDERS_LOG_FAILURES ? CONF_QUERYLOG_FAILED
					  : 0;
}

/* --- all of them ------------------------------------------------------------------------------ */

bool
orders_changes_policies(const struct order *w)
{
	return w->what == ORDER_DENY || w->what == ORDER_UNDENY;
}

bool
orders_make(struct orders *o, const struct settings *s, const struct order *w,
    struct orders_now now, char error[static ORDERS_ERROR])
{
	const struct netaddr *addr;

	switch (w->what) {
	case ORDER_UPSTREAM:
		addr = find_upstream(s, w->of, error);
		if (addr == NULL)
			return false;
		set_upstream(o, addr, (enum conf_order)w->state, now.unix_s);
		return true;
	case ORDER_DENY:
		return deny(o, w, now, error);
	case ORDER_UNDENY:
		return undeny(o, w, error);
	case ORDER_QUERYLOG:
		return set_log(o, s, w, now, error);
	}
	return false;
}

uint64_t
orders_due_ns(const struct orders *o)
{
	uint64_t due_ns = UINT64_MAX;

	if (o == NULL)
		return due_ns;
	if (o->retry_ns != 0)
		return o->retry_ns;
	if (o->log_until_ns != 0)
		due_ns = o->log_until_ns;
	for (size_t i = 0; i < o->n_denials; i++) {
		if (o->denials[i].until_ns != 0 && o->denials[i].until_ns < due_ns)
			due_ns = o->denials[i].until_ns;
	}
	return due_ns;
}

bool
orders_expire(struct orders *o, uint64_t now_ns)
{
	char text[VALUE_NET_TEXT];
	bool any = false;

	if (o->log_until_ns != 0 && o->log_until_ns <= now_ns) {
		log_notice(LOG_CONFIG,
		    "querylog %s: its time is over, the configuration holds again",
		    orders_log_word(o->log));
		o->log = ORDERS_LOG_CONFIG;
		o->log_until_ns = 0;
	}
	for (size_t i = 0; i < o->n_denials;) {
		if (o->denials[i].until_ns == 0 || o->denials[i].until_ns > now_ns) {
			i++;
			continue;
		}
		log_notice(LOG_CLIENT, "deny %s: its time is over, the configuration holds again",
		    value_net_format(&o->denials[i].net, text));
		remove_denial(o, i);
		any = true;
	}
	return any;
}

void
orders_apply(struct settings *s)
{
	struct conf_core *c = &s->conf.core;

	for (size_t i = 0; i < c->n_upstreams; i++) {
		const struct orders_upstream *u = orders_upstream(s->orders, &c->upstreams[i].addr);

		c->upstreams[i].ordered = (uint8_t)(u == NULL ? CONF_UP : u->state);
	}
	apply_log(s);
}

void
orders_keep(const struct settings *s)
{
	const struct conf_core *c = &s->conf.core;
	struct orders *o = s->orders;
	char text[NETADDR_TEXT];

	if (o != NULL && o->log != ORDERS_LOG_CONFIG && !has_query_log(s)) {
		log_notice(LOG_CONFIG, "query-log is none now: dns64ctl querylog %s is forgotten",
		    orders_log_word(o->log));
		o->log = ORDERS_LOG_CONFIG;
		o->log_until_ns = 0;
	}
	for (size_t i = 0; o != NULL && i < o->n_upstreams;) {
		const struct orders_upstream *u = &o->upstreams[i];

		if (conf_find_upstream(c, &u->addr) >= 0) {
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
		if (c->upstreams[i].ordered == CONF_UP)
			return false;
	}
	return true;
}
