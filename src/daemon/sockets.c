/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/sockets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

/* Advice for the operator when bind(2) failed with RC. */
static const char *
advice(int rc)
{
	switch (-rc) {
	case EADDRINUSE:
		return " (another program serves there; stop it, or choose another address or "
		       "port)";
	case EACCES:
		return " (a port below 1024 needs root or CAP_NET_BIND_SERVICE; with "
		       "\"sandbox strict\" a port that the start did not know needs a restart)";
	default:
		return "";
	}
}

static void
tell(enum log_category about, const struct netaddr *a, int rc)
{
	char text[NETADDR_TEXT];

	log_error(about, "listen %s: %s%s", netaddr_format(a, text), strerror(-rc), advice(rc));
}

/*
 * Would sockets that this process has already make a probe of A fail? A wildcard address and
 * another one of its family do, with the same port.
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

int
sockets_probe(const struct sockets_wanted *w, const struct netaddr *a)
{
	int rc = overlaps(w, a) ? 0 : bind_probe(a);

	return rc == -EADDRNOTAVAIL && w->freebind ? bind_probe_free(a) : rc;
}

/* Probe every address, and log all that cannot be used. False if there are any. */
static bool
probe(const struct sockets_wanted *w, enum log_category about)
{
	bool ok = true;

	for (size_t i = 0; i < w->n; i++) {
		int rc = sockets_probe(w, &w->addrs[i]);

		if (rc != 0) {
			tell(about, &w->addrs[i], rc);
			ok = false;
		}
	}
	return ok;
}

bool
sockets_open(const struct sockets_wanted *w, enum log_category about, struct bind_sockets **out)
{
	size_t total = w->n * w->n_loops;
	struct bind_sockets *all;

	*out = NULL;
	if (total == 0)
		return true;
	if (!probe(w, about))
		return false;
	all = calloc(total, sizeof(*all));
	if (all == NULL) {
		log_error(about, "no memory for %zu sockets", total);
		return false;
	}
	for (size_t i = 0; i < total; i++) {
		const struct netaddr *a = &w->addrs[i % w->n];
		int rc = w->freebind ? bind_open_free(a, w->buffer, &all[i])
				     : bind_open(a, w->buffer, &all[i]);

		if (rc != 0) {
			tell(about, a, rc);
			sockets_close(all, i);
			return false;
		}
	}
	*out = all;
	return true;
}

void
sockets_close(struct bind_sockets *sockets, size_t n)
{
	for (size_t i = 0; sockets != NULL && i < n; i++)
		bind_close(&sockets[i]);
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
		int rc = bind_probe(&a);

		if (rc == -EADDRNOTAVAIL || rc == -EAFNOSUPPORT)
			log_notice(LOG_SERVER, "listen %s left out: %s", netaddr_format(&a, text),
			    strerror(-rc));
		else
			c->listens[n++] = a;
	}
	/* If none is left, keep the first one, so that the start fails with a message. */
	c->n_listens = n > 0 ? n : 1;
	memcpy(s->listens.fixed, c->listens, sizeof(s->listens.fixed));
	s->listens.n_fixed = c->n_listens;
}
