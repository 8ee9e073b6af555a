/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/sockets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

/* What an operator can do about an address that cannot be bound. */
static const char *
advice(int rc)
{
	switch (-rc) {
	case EADDRINUSE:
		return " (another program serves there; stop it, or choose another address or "
		       "port)";
	case EACCES:
		return " (a port below 1024 needs root or CAP_NET_BIND_SERVICE)";
	case EADDRNOTAVAIL:
		return " (this machine has no such address)";
	default:
		return "";
	}
}

static void
tell(const char *subsystem, const struct netaddr *a, int rc)
{
	char text[NETADDR_TEXT];

	log_error(subsystem, "listen %s: %s%s", netaddr_format(a, text), strerror(-rc), advice(rc));
}

/*
 * Do sockets of ours stand in the way of binding A alone? A wildcard and an address of its
 * family do, on one port.
 */
static bool
overlaps(const struct sockets_wanted *w, const struct netaddr *a)
{
	for (size_t i = 0; i < w->n_held; i++) {
		const struct netaddr *h = &w->held[i];

		if (h->family == a->family && h->port == a->port &&
		    (netaddr_is_wildcard(h) || netaddr_is_wildcard(a)))
			return true;
	}
	return false;
}

/* Is every address free? Names all that are not. */
static bool
probe(const struct sockets_wanted *w, const char *subsystem)
{
	bool ok = true;

	for (size_t i = 0; i < w->n; i++) {
		int rc = overlaps(w, &w->addrs[i]) ? 0 : listen_probe(&w->addrs[i]);

		if (rc != 0) {
			tell(subsystem, &w->addrs[i], rc);
			ok = false;
		}
	}
	return ok;
}

bool
sockets_open(const struct sockets_wanted *w, const char *subsystem, struct listen_sockets **out)
{
	size_t total = w->n * w->n_loops;
	struct listen_sockets *all;

	*out = NULL;
	if (total == 0)
		return true;
	if (!probe(w, subsystem))
		return false;
	all = calloc(total, sizeof(*all));
	if (all == NULL) {
		log_error(subsystem, "no memory for %zu sockets", total);
		return false;
	}
	for (size_t i = 0; i < total; i++) {
		const struct netaddr *a = &w->addrs[i % w->n];
		int rc = listen_open(a, w->buffer, &all[i]);

		if (rc != 0) {
			tell(subsystem, a, rc);
			sockets_close(all, i);
			return false;
		}
	}
	*out = all;
	return true;
}

void
sockets_close(struct listen_sockets *sockets, size_t n)
{
	for (size_t i = 0; sockets != NULL && i < n; i++)
		listen_close(&sockets[i]);
	free(sockets);
}

void
sockets_drop_missing(struct settings *s)
{
	struct conf_io *c = &s->conf.io;
	char text[NETADDR_TEXT];
	size_t n = 0;

	if (!s->listens_by_default)
		return;
	for (size_t i = 0; i < c->n_listens; i++) {
		struct netaddr a = c->listens[i];
		int rc = listen_probe(&a);

		if (rc == -EADDRNOTAVAIL || rc == -EAFNOSUPPORT)
			log_notice("start", "listen %s left out: %s", netaddr_format(&a, text),
			    strerror(-rc));
		else
			c->listens[n++] = a;
	}
	/* With none left the first is tried all the same, for the message. */
	c->n_listens = n > 0 ? n : 1;
}
