/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/cookies.h"

#include <string.h>

#include "base/log.h"
#include "base/secret.h"
#include "daemon/conf_push.h"

/* Exchange the secrets of S for those of C. */
static void
exchange(struct settings *s, struct host_cookies *c)
{
	struct conf_core *core = &s->conf.core;
	struct host_cookies before = { .n = core->cookies.n_secrets };

	memcpy(before.secrets, core->cookies.secrets, sizeof(before.secrets));
	core->cookies.n_secrets = c->n;
	memcpy(core->cookies.secrets, c->secrets, sizeof(core->cookies.secrets));
	*c = before;
	secret_wipe(&before, sizeof(before));
}

bool
cookies_change(struct settings *s, struct threads *t, const struct host_cookies *c)
{
	struct host_cookies other = *c;
	struct conf_push p = { .n_added = 0 };
	bool ok;

	exchange(s, &other);
	ok = conf_push_pack(&p, t->n, &s->conf.io, s);
	if (ok) {
		conf_push_post(&p, t);
		s->cookies_changed = true;
	} else {
		exchange(s, &other);
	}
	secret_wipe(&other, sizeof(other));
	return ok;
}

void
cookies_tell_undone(const struct settings *now, const struct settings *next)
{
	if (now->cookies_changed)
		log_notice(LOG_CONFIG, "undoes dns64ctl cookie-secret: %s",
		    next->conf.core.cookies.n_secrets > 0
			? "the secrets of the configuration hold again"
			: "a new secret was drawn, as the configuration has none");
}
