/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/listen_watch.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "config/diag.h"
#include "config/policies.h"
#include "config/policy_lines.h"
#include "daemon/conf_push.h"
#include "daemon/sockets.h"

#define PAUSE_NS (100 * NS_PER_MS) /* between two looks: changes come in crowds */
#define RETRY_NS (5 * NS_PER_SEC)  /* for what rings no bell, such as a route of type local */
#define FAILED_NS NS_PER_SEC       /* likewise, such as the end of another program */

void
listen_watch_init(struct listen_watch *a)
{
	*a = (struct listen_watch){ .fd = -1, .look_ns = UINT64_MAX };
}

void
listen_watch_fini(struct listen_watch *a)
{
	if (a->fd >= 0)
		close(a->fd);
	a->fd = -1;
}

/* --- What there is ---------------------------------------------------------------------------- */

/* What a plan is made from. */
struct finding {
	const struct settings *s;
	const struct conf_io *held; /* NULL: nothing */
	const struct hostaddr *all; /* the n addresses of this machine */
	size_t n;
	bool changing; /* all may lack some */
	struct listen_watch_plan *plan;
};

/* Once, though WHAT may be named and be an interface's, too. */
static void
wait_for(struct listens_waits *w, const char *what, enum listens_why why, int err)
{
	struct listens_wait *new;

	if (w->n == sizeof(w->w) / sizeof(w->w[0]) || listens_wait_of(w, what) != NULL)
		return;
	new = &w->w[w->n++];
	*new = (struct listens_wait){ .why = why, .err = err };
	memcpy(new->what, what, strlen(what) + 1);
}

/* Why A, which cannot be bound, is waited for. */
static enum listens_why
why(const struct finding *f, const struct netaddr *a)
{
	for (size_t i = 0; i < f->n; i++) {
		if (!hostaddr_is(&f->all[i], a))
			continue;
		if (f->all[i].state == HOSTADDR_TENTATIVE)
			return LISTENS_TENTATIVE;
		if (f->all[i].state == HOSTADDR_DUPLICATE)
			return LISTENS_DUPLICATE;
	}
	return LISTENS_ABSENT;
}

/* False: CONF_MAX_LISTENS others are served. */
static bool
serve(struct finding *f, const struct netaddr *a)
{
	struct listen_watch_plan *p = f->plan;

	if (netaddr_in_list(p->listens, p->n, a))
		return true;
	if (p->n == CONF_MAX_LISTENS)
		return false;
	p->listens[p->n++] = *a;
	return true;
}

static bool
is_usable(const struct netaddr *a)
{
	/* What else is wrong is told when it is opened. */
	return netaddr_is_wildcard(a) || bind_usable(a) != -EADDRNOTAVAIL;
}

static void
find_fixed(struct finding *f, const struct netaddr *a)
{
	char text[NETADDR_TEXT];
	bool open = f->s->conf.io.freebind ||
	    (f->held != NULL && netaddr_in_list(f->held->listens, f->held->n_listens, a));
	bool usable = is_usable(a);

	if (!usable)
		wait_for(&f->plan->waits, netaddr_format(a, text), why(f, a), 0);
	if (usable || open)
		(void)serve(f, a); /* those that are named come first, and fit */
}

/* Has another interface than INDEX the address A? */
static bool
is_elsewhere(const struct finding *f, const struct netaddr *a, uint32_t index)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->all[i].index != index && hostaddr_is(&f->all[i], a))
			return true;
	return false;
}

/*
 * A list that changed while it was read may lack addresses: those of the interface OF that are
 * served and still can be stay. Returns if there are any.
 */
static bool
keep_of(struct finding *f, const struct settings_interface *of, uint32_t index)
{
	bool any = false;

	for (size_t i = 0; f->held != NULL && index != 0 && i < f->held->n_listens; i++) {
		const struct netaddr *held = &f->held->listens[i];
		const struct hostaddr h = { .addr = *held, .index = index };
		struct netaddr a;

		if (listens_has(of, index, &h, &a) && netaddr_equal(&a, held) &&
		    !is_elsewhere(f, &a, index) && is_usable(&a))
			any = serve(f, &a);
	}
	return any;
}

static void
find_of(struct finding *f, const struct settings_interface *of)
{
	uint32_t index = if_nametoindex(of->name);
	char text[NETADDR_TEXT];
	bool any = f->changing && keep_of(f, of, index);

	for (size_t i = 0; i < f->n && index != 0; i++) {
		struct netaddr a;

		if (!listens_has(of, index, &f->all[i], &a))
			continue;
		any = true;
		if (!is_usable(&a))
			wait_for(&f->plan->waits, netaddr_format(&a, text), why(f, &a), 0);
		else if (!serve(f, &a)) /* told once of all */
			wait_for(&f->plan->waits, listens_text(of, text), LISTENS_TOO_MANY, 0);
	}
	if (!any)
		wait_for(&f->plan->waits, listens_text(of, text),
		    index == 0                            ? LISTENS_NO_INTERFACE
			: of->addr.family == NETADDR_NONE ? LISTENS_NO_ADDRESS
							  : LISTENS_ABSENT,
		    0);
}

/* Find out what of S can be served. False: the addresses of an interface cannot be listed. */
static bool
find(struct listen_watch *a, const struct conf_io *held, const struct settings *s,
    enum log_category about, struct listen_watch_plan *plan)
{
	const struct settings_listens *l = &s->listens;
	struct array list = { .n = 0 };
	int rc = hostaddr_list(&list);
	bool changing = rc == -EAGAIN, ok = rc == 0 || changing || l->n_of == 0;
	struct finding f = { .s = s,
		.held = held,
		.all = list.items,
		.n = rc == 0 || changing ? list.n : 0,
		.changing = changing,
		.plan = plan };

	plan->n = 0;
	plan->waits.n = 0;
	if (!ok && !a->blind)
		log_error(about, "listen: the addresses of this machine cannot be listed: %s",
		    strerror(-rc));
	a->blind = !ok;
	for (size_t i = 0; i < l->n_fixed && ok; i++)
		find_fixed(&f, &l->fixed[i]);
	for (size_t i = 0; i < l->n_of && ok; i++)
		find_of(&f, &l->of[i]);
	array_fini(&list);
	return ok;
}

/* Can anything of S come or go? */
static bool
is_uncertain(const struct settings *s)
{
	const struct settings_listens *l = &s->listens;

	for (size_t i = 0; i < l->n_fixed; i++)
		if (!netaddr_is_wildcard(&l->fixed[i]) && !netaddr_is_loopback(&l->fixed[i]))
			return true;
	return l->n_of > 0;
}

/* Watch from now on, if that is of use. */
static void
watch(struct listen_watch *a, const struct settings *s)
{
	if (a->fd >= 0 || !is_uncertain(s))
		return;
	a->fd = hostaddr_watch();
	if (a->fd < 0 && !a->deaf)
		log_warn(LOG_SERVER,
		    "listen: the kernel does not tell when addresses come or go (%s): looked for "
		    "every %d seconds",
		    strerror(-a->fd), (int)(RETRY_NS / NS_PER_SEC));
	a->deaf = a->fd < 0;
}

/*
 * Wait for those of PLAN that cannot be opened all the same, if they are not among what NOW listens
 * on. ONLY: only if they are waited for already; NULL: all.
 */
static void
leave_out(struct listen_watch_plan *plan, const struct conf_io *now, bool freebind,
    const struct listens_waits *only)
{
	const struct sockets_wanted w = {
		.held = now->listens, .n_held = now->n_listens, .freebind = freebind
	};
	char text[NETADDR_TEXT];
	size_t n = 0;

	for (size_t i = 0; i < plan->n; i++) {
		const struct netaddr *a = &plan->listens[i];
		bool sure = netaddr_in_list(now->listens, now->n_listens, a) ||
		    (only != NULL && listens_wait_of(only, netaddr_format(a, text)) == NULL);
		int rc = sure ? 0 : sockets_probe(&w, a);

		if (rc == 0)
			plan->listens[n++] = *a;
		else
			wait_for(&plan->waits, netaddr_format(a, text), LISTENS_FAILED, -rc);
	}
	plan->n = n;
}

bool
listen_watch_plan(struct listen_watch *a, const struct conf_io *held, struct settings *s,
    enum log_category about, struct listen_watch_plan *plan)
{
	watch(a, s); /* first, so that nothing comes unseen */
	if (!find(a, held, s, about, plan))
		return false;
	/* What is waited for holds up no reload. */
	if (held != NULL)
		leave_out(plan, held, s->conf.io.freebind, &a->waits);
	memcpy(s->conf.io.listens, plan->listens, plan->n * sizeof(plan->listens[0]));
	s->conf.io.n_listens = plan->n;
	return true;
}

bool
listen_watch_open(
    struct listen_watch *a, struct settings *s, unsigned n_loops, struct bind_sockets **sockets)
{
	const struct conf_io *c = &s->conf.io;
	struct sockets_wanted w = { .addrs = c->listens,
		.n_loops = n_loops,
		.buffer = c->socket_buffer,
		.freebind = c->freebind };

	sockets_drop_missing(s);
	if (!listen_watch_plan(a, NULL, s, LOG_SERVER, &a->first))
		return false;
	w.n = c->n_listens;
	return sockets_open(&w, LOG_SERVER, sockets);
}

/* --- What is in force ------------------------------------------------------------------------- */

void
listen_watch_use(
    struct listen_watch *a, const struct listen_watch_plan *plan, enum log_category about)
{
	for (size_t i = 0; i < plan->waits.n; i++) {
		const struct listens_wait *w = &plan->waits.w[i],
					  *before = listens_wait_of(&a->waits, w->what);

		if (before != NULL && before->why == w->why && before->err == w->err)
			continue;
		(w->why == LISTENS_TENTATIVE ? log_notice : log_warn)(
		    about, "listen %s: waiting for it: %s", w->what, listens_why_text(w));
	}
	a->waits = plan->waits;
	a->looked_ns = clock_now_ns();
	a->look_ns = a->waits.n > 0 || a->deaf ? a->looked_ns + RETRY_NS : UINT64_MAX;
	for (size_t i = 0; i < a->waits.n; i++)
		if (a->waits.w[i].why == LISTENS_FAILED)
			a->look_ns = a->looked_ns + FAILED_NS;
}

void
listen_watch_begin(struct listen_watch *a)
{
	listen_watch_use(a, &a->first, LOG_SERVER);
}

void
listen_watch_rings(struct listen_watch *a)
{
	uint64_t at_ns = a->looked_ns + PAUSE_NS;

	hostaddr_drain(a->fd);
	if (at_ns < a->look_ns)
		a->look_ns = at_ns;
}

/* --- Changes ---------------------------------------------------------------------------------- */

/* A sink that keeps the last text. */
static void
keep_text(void *ctx, enum diag_kind kind, const char *text)
{
	(void)kind;
	snprintf(ctx, DIAG_TEXT, "%s", text);
}

/* Have A and B, of struct policy_lines_net, the same networks in the same order? */
static bool
are_same_nets(const struct array *a, const struct array *b)
{
	const struct policy_lines_net *x = a->items, *y = b->items;
	bool same = a->n == b->n;

	for (size_t i = 0; i < a->n && same; i++)
		same = memcmp(&x[i].net, &y[i].net, sizeof(x[i].net)) == 0;
	return same;
}

/* Without an allow line the networks of what is served may ask: a change of these. */
struct usual_change {
	struct policies *policies; /* the new ones, with one reference; NULL: nothing changes */
	struct array before;       /* owned: the networks until now */
	char text[DIAG_TEXT];      /* which there are now, for the log */
};

/* It is not to be: S has the networks that it had. */
static void
usual_undo(struct usual_change *u, struct settings *s)
{
	policies_unref(u->policies);
	u->policies = NULL;
	array_fini(&s->policy_lines->usual);
	s->policy_lines->usual = u->before;
}

/* Find these networks anew, for S. */
static void
usual_find(struct usual_change *u, struct settings *s, const char *path)
{
	struct policy_lines_list *l = s->policy_lines;
	struct diag d = { .file = path, .places = &s->places, .sink = keep_text, .ctx = u->text };

	u->policies = NULL;
	u->text[0] = '\0';
	if (l->allow.n > 0 || l->allow_any)
		return;
	u->before = l->usual;
	l->usual = (struct array){ .n = 0 };
	u->policies = policies_make(s, &d);
	if (u->policies == NULL && u->text[0] != '\0')
		log_notice(LOG_SERVER, "%s", u->text);
	if (u->policies == NULL || are_same_nets(&u->before, &l->usual))
		usual_undo(u, s);
}

/* Have the loops serve what S says now, and before listened as BEFORE. */
static bool
change(struct settings *s, struct threads *t, const struct conf_io *before, const char *path)
{
	struct policies *old = s->conf.core.policies;
	struct conf_push p = { .n_added = 0 };
	struct usual_change u;

	usual_find(&u, s, path);
	if (u.policies != NULL)
		s->conf.core.policies = u.policies;
	if (!conf_push_pack(&p, t->n, before, s)) {
		s->conf.core.policies = old;
		if (u.policies != NULL)
			usual_undo(&u, s);
		return false;
	}
	conf_push_post(&p, t);
	if (u.policies != NULL) {
		if (u.text[0] != '\0')
			log_notice(LOG_SERVER, "%s", u.text);
		policies_unref(old);
		array_fini(&u.before);
	}
	return true;
}

/* Log those of N addresses at LIST that are not among N_OTHER at OTHER. Returns how many. */
static size_t
tell_missing(const struct netaddr *list, size_t n, const struct netaddr *other, size_t n_other,
    const char *what)
{
	char text[NETADDR_TEXT];
	size_t missing = 0;

	for (size_t i = 0; i < n; i++) {
		if (netaddr_in_list(other, n_other, &list[i]))
			continue;
		log_notice(LOG_SERVER, "listen %s: %s", netaddr_format(&list[i], text), what);
		missing++;
	}
	return missing;
}

static bool
is_same(const struct netaddr *a, size_t n_a, const struct netaddr *b, size_t n_b)
{
	bool same = n_a == n_b;

	for (size_t i = 0; i < n_a && same; i++)
		same = netaddr_in_list(b, n_b, &a[i]);
	return same;
}

bool
listen_watch_look(struct listen_watch *a, struct settings *s, struct threads *t, const char *path)
{
	struct netaddr was[CONF_MAX_LISTENS], is[CONF_MAX_LISTENS];
	struct conf_io before = s->conf.io;
	size_t n_was = listens_served(&before, &a->waits, was), n_is, n;
	struct listen_watch_plan plan;
	size_t n_waits = a->waits.n;

	a->looked_ns = clock_now_ns();
	a->look_ns = a->looked_ns + RETRY_NS;
	if (!find(a, &before, s, LOG_SERVER, &plan))
		return false;
	leave_out(&plan, &before, before.freebind, NULL);
	memcpy(s->conf.io.listens, plan.listens, plan.n * sizeof(plan.listens[0]));
	s->conf.io.n_listens = plan.n;
	n_is = listens_served(&s->conf.io, &plan.waits, is);
	if ((!is_same(was, n_was, is, n_is) ||
		!is_same(before.listens, before.n_listens, plan.listens, plan.n)) &&
	    !change(s, t, &before, path)) {
		s->conf.io = before;
		return false;
	}
	listen_watch_use(a, &plan, LOG_SERVER);
	n = tell_missing(is, n_is, was, n_was, "served now");
	n += tell_missing(
	    before.listens, before.n_listens, plan.listens, plan.n, "the interface has it no more");
	return n > 0 || a->waits.n != n_waits;
}
