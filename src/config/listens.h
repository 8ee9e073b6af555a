/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONFIG_LISTENS_H
#define DNS64D_CONFIG_LISTENS_H

/*
 * listens: what the listen lines stand for, where they go by an interface; and which of it is
 * waited for, as this machine does not have it at present.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "base/netaddr.h"
#include "config/hostaddr.h"
#include "config/settings.h"

/* Why something is waited for. */
enum listens_why {
	LISTENS_ABSENT,       /* no address of this machine */
	LISTENS_NO_INTERFACE, /* there is no such interface */
	LISTENS_NO_ADDRESS,   /* it has no address */
	LISTENS_TENTATIVE,
	LISTENS_DUPLICATE,
	LISTENS_TOO_MANY, /* CONF_MAX_LISTENS others are served: some of an interface are not */
	LISTENS_FAILED    /* bind(2) failed */
};

/* One that is waited for. */
struct listens_wait {
	char what[NETADDR_TEXT]; /* an address or an interface, with "#port" */
	enum listens_why why;
	int err; /* LISTENS_FAILED: errno */
};

/* All of them. */
struct listens_waits {
	struct listens_wait w[CONF_MAX_LISTENS + SETTINGS_INTERFACES];
	size_t n;
};

/* listens_text: write I as it is told, "eth0#53" or "fe80::1%eth0#53", to TEXT; returns TEXT. */
char *listens_text(const struct settings_interface *i, char text[static NETADDR_TEXT]);

/*
 * listens_has: does I stand for the address A, of the interface whose index is INDEX? If so *OUT is
 * A with the port of I.
 */
MUST_USE bool listens_has(const struct settings_interface *i, uint32_t index,
    const struct hostaddr *a, struct netaddr *out);

/*
 * listens_complete: keep the addresses of conf.io.listens as those that S names (listens.fixed),
 * and append those that the interfaces of S have now.
 */
void listens_complete(struct settings *s);

/* listens_wait_of: the one about WHAT; NULL: that is not waited for. */
MUST_USE const struct listens_wait *listens_wait_of(
    const struct listens_waits *waits, const char *what);

/* listens_why_text: why W is waited for, in words. */
const char *listens_why_text(const struct listens_wait *w);

/*
 * listens_served: write to OUT the addresses that IO listens on and this machine has, that is,
 * those that are not waited for. Returns how many these are.
 */
size_t listens_served(const struct conf_io *io, const struct listens_waits *waits,
    struct netaddr out[static CONF_MAX_LISTENS]);

#endif
