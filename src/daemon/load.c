/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/load.h"

#include "daemon/complete.h"
#include "daemon/conffile.h"
#include "daemon/policies.h"
#include "daemon/precheck.h"
#include "daemon/resolvconf.h"

/* What it is read for. */
enum purpose { RELOAD, START, CHECK };

static bool
load(const struct options *o, const char *path, diag_sink *sink, enum purpose purpose,
    struct settings *s, struct privileges *p)
{
	struct diag d = { .file = path, .sink = sink };

	conffile_read(path, s, &d);
	/* Without a file there is nothing to say about what it lacks. */
	if (d.n_errors > 0 && s->port == 0 && s->conf.io.n_listens == 0) {
		settings_fini(s);
		return false;
	}
	options_apply(o, s, &d);
	complete_settings(s, RESOLVCONF_PATH, &d);
	s->conf.core.policies = policies_make(s, &d);
	if (purpose == START)
		precheck_start(s, o, p, &d);
	else if (purpose == CHECK)
		precheck_all(s, o, &d);
	settings_seal(s);
	if (d.n_errors > 0) {
		settings_fini(s);
		return false;
	}
	complete_reach(s, &d);
	return true;
}

bool
load_settings(const struct options *o, const char *path, diag_sink *sink, struct settings *s)
{
	return load(o, path, sink, RELOAD, s, NULL);
}

bool
load_start(const struct options *o, const char *path, diag_sink *sink, struct settings *s,
    struct privileges *p)
{
	return load(o, path, sink, START, s, p);
}

bool
load_check(const struct options *o, const char *path, diag_sink *sink, struct settings *s)
{
	return load(o, path, sink, CHECK, s, NULL);
}
