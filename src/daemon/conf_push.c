/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/conf_push.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "daemon/newfile.h"
#include "daemon/sockets.h"
#include "policy/prefix_index.h"

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

void
conf_push_free(struct conf_push *p, unsigned n_loops)
{
	for (unsigned i = 0; i < n_loops; i++)
		free(p->updates[i]);
	if (p->snapshot != NULL)
		snapshot_unref(p->snapshot);
	sockets_close(p->sockets, p->n_added * n_loops);
}

bool
conf_push_pack(
    struct conf_push *p, unsigned n_loops, const struct conf_io *now, struct settings *next)
{
	struct netaddr added[CONF_MAX_LISTENS];
	struct sockets_wanted w = { .addrs = added,
		.held = now->listens,
		.n_held = now->n_listens,
		.n_loops = n_loops,
		.buffer = next->conf.io.socket_buffer,
		.freebind = next->conf.io.freebind };
	bool ok;

	w.n = new_listens(now, &next->conf.io, added);
	p->n_added = w.n;
	if (!sockets_open(&w, LOG_CONFIG, &p->sockets))
		return false;
	policy_counters_give(&next->policy_counters, next->conf.core.policies);
	prefix_index_give(next->conf.core.prefix_index, next->conf.core.policies);
	p->snapshot = snapshot_new(&next->conf);
	ok = p->snapshot != NULL;
	for (unsigned i = 0; i < n_loops; i++) {
		p->updates[i] = calloc(1, sizeof(*p->updates[i]));
		ok = ok && p->updates[i] != NULL;
	}
	if (!ok) {
		log_error(LOG_CONFIG, "no memory");
		conf_push_free(p, n_loops);
	}
	return ok;
}

void
conf_push_post(struct conf_push *p, struct threads *t)
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

/* --- For nat64/prefixes ----------------------------------------------------------------------- */

static bool
pack(void *arg, struct settings *s)
{
	struct conf_push_prefixes *c = arg;

	c->push = (struct conf_push){ .n_added = 0 };
	return conf_push_pack(&c->push, c->threads->n, &s->conf.io, s);
}

static void
post(void *arg)
{
	struct conf_push_prefixes *c = arg;

	conf_push_post(&c->push, c->threads);
}

static void
drop(void *arg)
{
	struct conf_push_prefixes *c = arg;

	conf_push_free(&c->push, c->threads->n);
}

static bool
pending(void *arg)
{
	const struct conf_push_prefixes *c = arg;

	return threads_pending(c->threads) != 0;
}

static int
write_file(const char *path, const char *text, size_t len)
{
	int fd = newfile_create(path, 0644);

	return fd < 0 ? fd : newfile_end(path, fd, newfile_write(fd, text, len));
}

struct prefixes_loops
conf_push_prefixes(struct conf_push_prefixes *c)
{
	return (struct prefixes_loops){ .pack = pack,
		.post = post,
		.drop = drop,
		.pending = pending,
		.write = write_file,
		.arg = c };
}
