/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/load.h"

#include "config/complete.h"
#include "config/conffile.h"
#include "config/policies.h"
#include "config/resolvconf.h"

bool
load_settings(const struct options *o, const char *path, diag_sink *sink, load_check *check,
    void *arg, struct settings *s)
{
	struct diag d = { .file = path, .sink = sink };

	conffile_read(path, s, &d);
	/* Without a file, errors about what it lacks would mislead. */
	if (d.n_errors > 0 && s->port == 0 && s->conf.io.n_listens == 0) {
		settings_fini(s);
		return false;
	}
	options_apply(o, s, &d);
	complete_settings(s, RESOLVCONF_PATH, &d);
	s->conf.core.policies = policies_make(s, &d);
	if (check != NULL)
		check(s, o, arg, &d);
	settings_seal(s);
	if (d.n_errors > 0) {
		settings_fini(s);
		return false;
	}
	complete_reach(s, &d);
	return true;
}
