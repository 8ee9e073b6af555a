/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/operator.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "config/policies.h"
#include "config/prefix_change.h"
#include "support/said.h"

static void
reload(void *arg)
{
	((struct operator*)arg)->n_reloads++;
}

static void
stop(void *arg)
{
	((struct operator*)arg)->n_stops++;
}

static void
load(void *arg)
{
	((struct operator*)arg)->n_loads++;
}

static bool
save(void *arg)
{
	struct operator* o = arg;

	o->n_saves++;
	log_notice(LOG_CACHE, "so many entries");
	return o->saves;
}

static bool
reopen(void *arg)
{
	struct operator* o = arg;

	o->n_reopens++;
	if (!o->reopens)
		log_error(LOG_SERVER, "query-log cannot be opened");
	return o->reopens;
}

static bool
lameduck(void *arg, bool on)
{
	struct operator* o = arg;

	if (o->refuses)
		return false;
	o->lameduck = on;
	for (unsigned i = 0; i < o->host.n_loops; i++)
		loop_lameduck(o->host.loops[i], on);
	return true;
}

static bool
cookies(void *arg, const struct host_cookies *c)
{
	struct operator* o = arg;
	struct conf_core *core = &o->settings.conf.core;

	if (o->refuses)
		return false;
	core->cookies.n_secrets = c->n;
	memcpy(core->cookies.secrets, c->secrets, sizeof(core->cookies.secrets));
	o->settings.cookies_changed = true;
	return true;
}

/* The change is made, without loops and file. */
static enum host_verdict
change(void *arg, const struct prefix_change *c, char error[static HOST_ERROR])
{
	static struct said said;
	struct operator* o = arg;
	struct prefix_change_made made;
	struct policies *next;

	o->n_changes++;
	if (c->save && o->cannot_save) {
		snprintf(error, HOST_ERROR, "no file");
		return HOST_UNABLE;
	}
	said_init(&said);
	if (!prefix_change_make(&o->settings, c, 2000, &made, &said.diag)) {
		snprintf(error, HOST_ERROR, "%.500s", said.text);
		return HOST_WRONG;
	}
	next = prefix_change_policies(&o->settings, c, &said.diag);
	ck_assert_msg(next != NULL, "%s", said.text);
	policies_unref(o->settings.conf.core.policies);
	o->settings.conf.core.policies = next;
	prefix_change_keep(&o->settings, &made);
	log_notice(LOG_CONFIG, "changed %s", c->prefix);
	o->n_changing = o->changing_for;
	return HOST_DONE;
}

/* The order is obeyed, without loops. */
static enum host_verdict
obey(void *arg, const struct order *w, char error[static HOST_ERROR])
{
	struct operator* o = arg;

	o->n_orders++;
	if (!orders_make(&o->orders, &o->settings, w,
		(struct orders_now){ .unix_s = 2000, .ns = clock_now_ns() }, error))
		return HOST_WRONG;
	orders_apply(&o->settings);
	log_notice(LOG_CONFIG, "obeyed");
	o->n_changing = o->changing_for;
	return HOST_DONE;
}

static bool
is_changing(void *arg)
{
	struct operator* o = arg;

	if (o->n_changing > 0)
		o->n_changing--;
	return o->n_changing > 0;
}

static void
judged(void *arg, const struct verdict *v)
{
	((struct operator*)arg)->judged = *v;
}

static const struct host_ops ops = { .reload = reload,
	.stop = stop,
	.load = load,
	.save = save,
	.reopen = reopen,
	.lameduck = lameduck,
	.cookies = cookies,
	.change = change,
	.order = obey,
	.judged = judged,
	.is_changing = is_changing };

void
operator_open(struct operator* o, const char *text)
{
	static struct said said;

	*o = (struct operator){ .saves = true, .reopens = true };
	(void)signal(SIGPIPE, SIG_IGN); /* as the daemon does */
	caller_open(&o->caller);
	(void)said_make(&said, text, &o->settings);
	ck_assert_msg(said.n_errors == 0, "%s", said.text);
	o->settings.orders = &o->orders;
	o->host = (struct host){ .base = o->caller.base,
		.path = "/etc/t.conf",
		.settings = &o->settings,
		.started = 1000,
		.memory_fd = -1,
		.fds_fd = -1,
		.waits = &o->waits,
		.ops = &ops,
		.arg = o };
}

void operator_begin(struct operator* o)
{
	const struct control_sockets sockets = { .control = o->caller.sock.fd };

	o->control = control_new(&o->host, &sockets);
	ck_assert_ptr_nonnull(o->control);
}

void operator_close(struct operator* o)
{
	control_free(o->control);
	settings_fini(&o->settings);
	caller_close(&o->caller);
}
