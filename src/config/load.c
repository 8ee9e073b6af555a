/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/load.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config/access.h"
#include "config/complete.h"
#include "config/conffile.h"
#include "config/orders.h"
#include "config/policies.h"
#include "config/prefix_file.h"
#include "config/resolvconf.h"

/* Read prefix-file; at a start it is still to be found inside of the chroot. */
static void
read_prefixes(const struct settings *now, uid_t user, struct settings *s, struct diag *d)
{
	const char *file = now != NULL ? now->prefix_file : s->prefix_file;
	bool outside = now == NULL && strcmp(s->chroot, "none") != 0;
	char path[2 * SETTINGS_PATH];

	if (s->policy_lines == NULL || file[0] != '/')
		return;
	snprintf(path, sizeof(path), "%s%s", outside ? s->chroot : "", file);
	prefix_file_read(path, user, s, d);
}

bool
load_settings(const struct options *o, const char *path, const struct settings *now,
    diag_sink *sink, const struct load_start *start, struct settings *s)
{
	struct diag d = { .file = path, .sink = sink };

	/* A reload happens inside of the chroot. */
	conffile_read(path, now != NULL && now->chroot[0] == '/' ? now->chroot : NULL, s, &d);
	/* Without a file, errors about what it lacks would mislead. */
	if (d.n_errors > 0 && s->port == 0 && s->conf.io.n_listens == 0 && s->listens.n_of == 0) {
		settings_fini(s);
		return false;
	}
	s->orders = now != NULL ? now->orders : NULL;
	s->prefix_states = now != NULL ? now->prefix_states : NULL;
	options_apply(o, s, &d);
	read_prefixes(now, start != NULL ? start->user(s) : geteuid(), s, &d);
	complete_settings(s, RESOLVCONF_PATH, &d);
	s->conf.core.policies = policies_make(s, &d);
	if (start != NULL)
		start->check(s, o, start->arg, &d);
	if (d.n_errors > 0) {
		settings_fini(s);
		return false;
	}
	s->querylog = s->conf.core.querylog;
	orders_apply(s);
	complete_reach(s, &d);
	access_warn_open(s, &d);
	return true;
}
