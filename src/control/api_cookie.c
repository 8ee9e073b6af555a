/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/api_cookie.h"

#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/secret.h"
#include "config/values.h"
#include "control/control_ctx.h"
#include "control/params.h"
#include "control/reply.h"
#include "engine/cookie.h"

/* --- What there is ---------------------------------------------------------------------------- */

static json_t *
secrets_json(const struct conf_core *c)
{
	json_t *list = json_array();
	char text[COOKIE_FINGERPRINT];

	for (unsigned i = 0; i < c->cookies.n_secrets; i++)
		(void)json_array_append_new(list,
		    json_pack("{s:s, s:s}", "state", i == 0 ? "active" : "accepted", "fingerprint",
			cookie_fingerprint(c->cookies.secrets[i], text)));
	return list;
}

static void
tell(struct evhttp_request *r, const struct control_ctx *d)
{
	const struct settings *s = d->host.settings;
	const struct conf_core *c = &s->conf.core;

	reply_json(r, HTTP_OK,
	    json_pack("{s:o*, s:i, s:s, s:b}", "secrets", secrets_json(c), "most",
		CONF_COOKIE_SECRETS, "from",
		s->cookies_changed              ? "dns64ctl"
		    : c->cookies.n_secrets == 0 ? "drawn"
						: "configuration",
		"client_cookies", c->cookies.client));
}

void
api_cookie(struct evhttp_request *r, void *arg)
{
	if (params_none(r))
		tell(r, arg);
}

/* --- Changes ---------------------------------------------------------------------------------- */

/* All loops have told what they know; have they the change, too? */
static void
answer_changed(struct evhttp_request *r, void *arg, const struct host_upstreams *v)
{
	struct control_ctx *d = arg;

	if (!d->host.ops->is_changing(d->host.arg))
		tell(r, d);
	else if (v->n_missing == 0) /* they may have told before they took it */
		ask_begin(&d->ask, r, answer_changed);
	else
		reply_error(r, HTTP_SERVUNAVAIL, "a loop does not take the change yet", NULL);
}

/* The secrets that are in force. What is drawn is taken as it is today. */
static bool
present(const struct settings *s, struct host_cookies *c)
{
	const struct conf_core *core = &s->conf.core;

	c->n = core->cookies.n_secrets;
	memcpy(c->secrets, core->cookies.secrets, sizeof(c->secrets));
	if (c->n > 0)
		return true;
	c->n = 1;
	return cookie_derived(core, (uint32_t)time(NULL), c->secrets[0]);
}

/* Put C in force, wipe it, and have R answered once all loops have it. WHAT is for the log. */
static void
change(struct evhttp_request *r, struct control_ctx *d, struct host_cookies *c, const char *what)
{
	bool ok = d->host.ops->cookies(d->host.arg, c);
	unsigned n = c->n;

	secret_wipe(c, sizeof(*c));
	if (!ok) {
		reply_error(r, REPLY_UNPROCESSABLE, "there is no memory for it", NULL);
		return;
	}
	log_notice(LOG_CONTROL, "cookie-secret %s: %u in force, until the next reload", what, n);
	ask_begin(&d->ask, r, answer_changed);
}

/*
 * The secrets that are in force, to be changed, to C. False: not now, and R was answered. While a
 * change is under way there is no other one.
 */
static bool
begin(struct evhttp_request *r, const struct control_ctx *d, struct host_cookies *c)
{
	if (d->host.ops->is_changing(d->host.arg)) {
		reply_error(r, HTTP_SERVUNAVAIL,
		    "the loops still take the change before; ask once more", NULL);
		return false;
	}
	if (present(d->host.settings, c))
		return true;
	reply_error(r, REPLY_UNPROCESSABLE, "libcrypto has no SipHash: there are no cookies", NULL);
	return false;
}

/* What is wrong with adding SECRET to C; NULL: nothing. */
static const char *
unfit(const struct host_cookies *c, const uint8_t secret[static CONF_SECRET_LEN])
{
	for (unsigned i = 0; i < c->n; i++) {
		if (memcmp(c->secrets[i], secret, CONF_SECRET_LEN) == 0)
			return "this secret is there already";
	}
	return c->n == CONF_COOKIE_SECRETS ? "there are 2 secrets, the most; drop one before"
					   : NULL;
}

void
api_cookie_add(struct evhttp_request *r, void *arg)
{
	struct host_cookies c = { .n = 0 };
	uint8_t secret[CONF_SECRET_LEN];
	json_t *p = params_read(r);
	const char *wrong;
	bool fits;

	if (p == NULL)
		return;
	fits = params_text(p, "secret") != NULL &&
	    value_hex(params_text(p, "secret"), secret, sizeof(secret));
	params_wipe(r, p);
	if (!fits) {
		reply_error(r, HTTP_BADREQUEST, "secret is not 32 hexadecimal digits", NULL);
		return;
	}
	if (begin(r, arg, &c)) {
		wrong = unfit(&c, secret);
		if (wrong == NULL) {
			memcpy(c.secrets[c.n++], secret, sizeof(secret));
			change(r, arg, &c, "add");
		} else {
			reply_error(r, REPLY_UNPROCESSABLE, wrong, NULL);
		}
	}
	secret_wipe(secret, sizeof(secret));
	secret_wipe(&c, sizeof(c));
}

/* Is there a second secret? If not R is answered. */
static bool
has_second(struct evhttp_request *r, const struct host_cookies *c, const char *why)
{
	if (c->n < 2)
		reply_error(r, REPLY_UNPROCESSABLE, why, NULL);
	return c->n >= 2;
}

void
api_cookie_activate(struct evhttp_request *r, void *arg)
{
	struct host_cookies c = { .n = 0 }, other;

	if (params_none(r) && begin(r, arg, &c) &&
	    has_second(r, &c, "there is no other secret to activate; add one before")) {
		other = c;
		memcpy(c.secrets[0], other.secrets[1], CONF_SECRET_LEN);
		memcpy(c.secrets[1], other.secrets[0], CONF_SECRET_LEN);
		secret_wipe(&other, sizeof(other));
		change(r, arg, &c, "activate");
	}
	secret_wipe(&c, sizeof(c));
}

void
api_cookie_drop(struct evhttp_request *r, void *arg)
{
	struct host_cookies c = { .n = 0 };

	if (params_none(r) && begin(r, arg, &c) &&
	    has_second(r, &c, "there is no secret but the active one, which cannot be dropped")) {
		secret_wipe(c.secrets[1], CONF_SECRET_LEN);
		c.n = 1;
		change(r, arg, &c, "drop");
	}
	secret_wipe(&c, sizeof(c));
}
