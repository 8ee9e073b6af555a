/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/listens.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

char *
listens_text(const struct settings_interface *i, char text[static NETADDR_TEXT])
{
	struct netaddr a = i->addr;
	size_t len = 0;

	a.port = 0;
	if (a.family != NETADDR_NONE)
		len = (size_t)snprintf(
		    text, NETADDR_TEXT, "%s%%", netaddr_format(&a, (char[NETADDR_TEXT]){ "" }));
	snprintf(text + len, NETADDR_TEXT - len, "%s#%u", i->name, (unsigned)i->addr.port);
	return text;
}

bool
listens_has(const struct settings_interface *i, uint32_t index, const struct hostaddr *a,
    struct netaddr *out)
{
	if (a->index != index || (i->family != NETADDR_NONE && i->family != a->addr.family))
		return false;
	if (i->addr.family != NETADDR_NONE &&
	    (i->addr.family != a->addr.family ||
		memcmp(i->addr.addr, a->addr.addr, sizeof(a->addr.addr)) != 0))
		return false;
	*out = a->addr;
	out->port = i->addr.port;
	return true;
}

void
listens_complete(struct settings *s)
{
	struct settings_listens *l = &s->listens;
	struct conf_io *c = &s->conf.io;
	struct array list = { .n = 0 };
	const struct hostaddr *all;

	memcpy(l->fixed, c->listens, sizeof(l->fixed));
	l->n_fixed = c->n_listens;
	int rc = l->n_of > 0 ? hostaddr_list(&list) : 0;
	/* Without a list there are none now; one that changes all the while is better than none. */
	if (rc != 0 && rc != -EAGAIN)
		list.n = 0;
	all = list.items;
	for (size_t i = 0; i < l->n_of; i++) {
		uint32_t index = if_nametoindex(l->of[i].name);
		struct netaddr a;

		for (size_t j = 0; j < list.n && c->n_listens < CONF_MAX_LISTENS; j++)
			if (listens_has(&l->of[i], index, &all[j], &a) &&
			    !netaddr_in_list(c->listens, c->n_listens, &a))
				c->listens[c->n_listens++] = a;
	}
	array_fini(&list);
}

const struct listens_wait *
listens_wait_of(const struct listens_waits *waits, const char *what)
{
	for (size_t i = 0; i < waits->n; i++)
		if (strcmp(waits->w[i].what, what) == 0)
			return &waits->w[i];
	return NULL;
}

const char *
listens_why_text(const struct listens_wait *w)
{
	switch (w->why) {
	case LISTENS_ABSENT:
		return "this machine has no such address";
	case LISTENS_NO_INTERFACE:
		return "there is no such interface";
	case LISTENS_NO_ADDRESS:
		return "the interface has no address";
	case LISTENS_TENTATIVE:
		return "it is being looked for on the link (tentative)";
	case LISTENS_DUPLICATE:
		return "another machine on the link has it (duplicate)";
	case LISTENS_TOO_MANY:
		return "as many addresses as there can be are served, so not all that it has";
	case LISTENS_FAILED:
		break;
	}
	return strerror(w->err);
}

size_t
listens_served(const struct conf_io *io, const struct listens_waits *waits,
    struct netaddr out[static CONF_MAX_LISTENS])
{
	char text[NETADDR_TEXT];
	size_t n = 0;

	for (size_t i = 0; i < io->n_listens; i++)
		if (listens_wait_of(waits, netaddr_format(&io->listens[i], text)) == NULL)
			out[n++] = io->listens[i];
	return n;
}
