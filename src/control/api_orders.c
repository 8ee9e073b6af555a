/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/api_orders.h"

#include <string.h>

#include "config/orders.h"
#include "control/desk.h"
#include "control/params.h"
#include "control/reply.h"

/* The place of the text KEY of P among WORDS, ended by NULL; that of the end if it is none. */
static unsigned
find(const json_t *p, const char *key, const char *const *words)
{
	const char *text = params_text(p, key);
	unsigned i = 0;

	while (words[i] != NULL && (text == NULL || strcmp(words[i], text) != 0))
		i++;
	return i;
}

/* R is wrong, of which P was read: say why. */
static void
refuse(struct evhttp_request *r, json_t *p, const char *text, const char *const *allowed)
{
	json_decref(p);
	reply_error(r, HTTP_BADREQUEST, text, allowed);
}

void
api_upstream(struct evhttp_request *r, void *arg)
{
	static const char *const keys[] = { "address", "state", NULL };
	/* In the order of enum conf_order. */
	static const char *const states[] = { "up", "drain", "down", NULL };
	struct desk *d = arg;
	json_t *p = params_read(r, keys);
	struct order w = { .what = ORDER_UPSTREAM };

	if (p == NULL)
		return;
	w.of = params_text(p, "address");
	w.state = find(p, "state", states);
	if (w.of == NULL)
		refuse(r, p, "address is missing", keys);
	else if (states[w.state] == NULL)
		refuse(r, p, "state is not up, drain or down", states);
	else
		changes_order(&d->changes, r, &w, p);
}
