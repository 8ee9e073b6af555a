/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/sockets.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "config/ownaddr.h"

/* How long to wait for duplicate address detection, which takes a second or two. */
#define WAIT_MS 4000
#define WAIT_STEP_MS 100

/* Advice for the operator when bind(2) of A failed with RC. */
static const char *
advice(const struct netaddr *a, int rc)
{
	switch (-rc) {
	case EADDRINUSE:
		return " (another program serves there; stop it, or choose another address or "
		       "port)";
	case EACCES:
		return " (a port below 1024 needs root or CAP_NET_BIND_SERVICE; with "
		       "\"sandbox strict\" a port that the start did not know needs a restart)";
	case EADDRNOTAVAIL:
		return ownaddr_is_local(a)
		    ? " (this machine has it, but may not use it yet, or has found it at "
		      "another one: \"ip address\" tells; \"freebind yes\" does not wait for "
		      "it)"
		    : " (this machine has no such address; give it one, or name another, or "
		      "write \"freebind yes\" to serve it as soon as it comes)";
	default:
		return "";
	}
}

static void
tell(enum log_category about, const struct netaddr *a, int rc)
{
	char text[NETADDR_TEXT];

	log_error(about, "listen %s: %s%s", netaddr_format(a, text), strerror(-rc), advice(a, rc));
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

/*
 * Probe A. Waits until END_NS at most for a tentative address to become usable. Returns 0 or
 * -errno.
 */
static int
probe_one(const struct sockets_wanted *w, enum log_category about, const struct netaddr *a,
    uint64_t end_ns)
{
	char text[NETADDR_TEXT];
	int rc = overlaps(w, a) ? 0 : bind_probe(a);

	if (rc != -EADDRNOTAVAIL)
		return rc;
	if (w->freebind) {
		log_notice(about, "listen %s: not an address of this machine yet",
		    netaddr_format(a, text));
		return bind_probe_free(a);
	}
	if (ownaddr_is_local(a))
		log_notice(about, "listen %s: not usable yet; waiting", netaddr_format(a, text));
	while (rc == -EADDRNOTAVAIL && ownaddr_is_local(a) && clock_now_ns() < end_ns) {
		(void)poll(NULL, 0, WAIT_STEP_MS);
		rc = bind_probe(a);
	}
	return rc;
}

/* Probe every address, and log all that cannot be used. False if there are any. */
static bool
probe(const struct sockets_wanted *w, enum log_category about)
{
	uint64_t end_ns = clock_now_ns() + WAIT_MS * NS_PER_MS;
	bool ok = true;

	for (size_t i = 0; i < w->n; i++) {
		int rc = probe_one(w, about, &w->addrs[i], end_ns);

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
}
