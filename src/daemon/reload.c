/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/reload.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "config/complete.h"
#include "config/diag.h"
#include "config/keywords.h"
#include "config/load.h"
#include "daemon/difference.h"
#include "daemon/sockets.h"

unsigned
reload_keep(const struct settings *now, struct settings *next)
{
	size_t n_rows;
	const struct keyword *row = keywords(&n_rows);
	unsigned n = 0;

	for (size_t i = 0; i < n_rows; i++) {
		const unsigned char *old = (const unsigned char *)now + row[i].offset;
		unsigned char *new = (unsigned char *)next + row[i].offset;

		if (!row[i].restart || memcmp(old, new, row[i].size) == 0)
			continue;
		log_warn(LOG_CONFIG, "%s was changed, which takes effect only with a restart",
		    row[i].name);
		memcpy(new, old, row[i].size);
		origin_keep(&next->origin, &now->origin, &row[i]);
		n++;
	}
	return n;
}

/* Write to OUT the addresses that NEXT listens on and NOW does not. Returns their number. */
static size_t
new_listens(const struct conf_io *now, const struct conf_io *next,
    struct netaddr out[static CONF_MAX_LISTENS])
{
	size_t n = 0;

	for (size_t i = 0; i < next->n_listens; i++) {
		if (!netaddr_in_list(now->listens, now->n_listens, &next->listens[i]))
			out[n++] = next->listens[i];
	}
	return n;
}

/* What a reload hands to the loops; complete before the first of them gets anything. */
struct parcel {
	struct snapshot *snapshot;
	struct bind_sockets *sockets; /* n_loops times n_added, those of one loop side by side */
	size_t n_added;
	struct loop_update *updates[SETTINGS_LOOPS];
};

static void
parcel_free(struct parcel *p, unsigned n_loops)
{
	for (unsigned i = 0; i < n_loops; i++)
		free(p->updates[i]);
	if (p->snapshot != NULL)
		snapshot_unref(p->snapshot);
	sockets_close(p->sockets, p->n_added * n_loops);
}

/*
 * Get everything that the loops need to change from NOW to NEXT. False, with a message in the log,
 * if that failed; then nothing is held.
 */
static bool
parcel_pack(
    struct parcel *p, unsigned n_loops, const struct settings *now, const struct settings *next)
{
	struct netaddr added[CONF_MAX_LISTENS];
	struct sockets_wanted w = { .addrs = added,
		.held = now->conf.io.listens,
		.n_held = now->conf.io.n_listens,
		.n_loops = n_loops,
		.buffer = next->conf.io.socket_buffer,
		.freebind = next->conf.io.freebind };
	bool ok;

	w.n = new_listens(&now->conf.io, &next->conf.io, added);
	p->n_added = w.n;
	if (!sockets_open(&w, LOG_CONFIG, &p->sockets))
		return false;
	p->snapshot = snapshot_new(&next->conf);
	ok = p->snapshot != NULL;
	for (unsigned i = 0; i < n_loops; i++) {
		p->updates[i] = calloc(1, sizeof(*p->updates[i]));
		ok = ok && p->updates[i] != NULL;
	}
	if (!ok) {
		log_error(LOG_CONFIG, "no memory");
		parcel_free(p, n_loops);
	}
	return ok;
}

/* Hand each loop its part. Cannot fail. */
static void
parcel_post(struct parcel *p, struct threads *t)
{
	for (unsigned i = 0; i < t->n; i++) {
		struct loop_update *u = p->updates[i];

		u->snapshot = snapshot_ref(p->snapshot);
		u->n_added = p->n_added;
		if (p->n_added > 0)
			memcpy(u->added, &p->sockets[i * p->n_added],
			    p->n_added * sizeof(u->added[0]));
		loop_post(t->thread[i].loop, u);
	}
	snapshot_unref(p->snapshot);
	free(p->sockets); /* the loops own the descriptors now */
}

bool
reload_settings(const struct options *o, const char *path, struct threads *t, struct settings *s)
{
	struct settings *next = malloc(sizeof(*next));
	struct parcel p = { .n_added = 0 };
	bool loaded = next != NULL && load_settings(o, path, diag_to_log, NULL, NULL, next);
	bool ok = loaded;

	if (ok) {
		sockets_drop_missing(next);
		(void)reload_keep(s, next);
		next->conf.core.cache = s->conf.core.cache;
		next->conf.core.told = s->conf.core.told;
		next->conf.core.pulses = s->conf.core.pulses;
		next->conf.core.rates = s->conf.core.rates;
		complete_cookies(next, s);
		ok = parcel_pack(&p, t->n, s, next);
	}
	if (ok) {
		log_set_level((enum log_level)next->log_level);
		difference_tell(s, next);
		parcel_post(&p, t);
		settings_fini(s);
		*s = *next;
	} else if (loaded) {
		settings_fini(next);
	}
	free(next);
	return ok;
}
