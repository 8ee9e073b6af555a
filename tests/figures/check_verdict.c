/* SPDX-License-Identifier: BSD-2-Clause */
/* One table of states: each has one verdict, which is shown in every place, and no other. */

#include "figures/verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "control/control_ctx.h"
#include "control/http.h"
#include "control/page.h"
#include "control/pages.h"
#include "control/state_json.h"
#include "daemon/report.h"
#include "dns64ctl/show.h"
#include "figures/metrics.h"
#include "io/snapshot.h"
#include "support/caller.h"
#include "support/heard.h"
#include "support/known.h"
#include "support/testclock.h"
#include "support/tests.h"

#define NOW_S 100000 /* at least: no moment of the table is before the machine's start */
#define LOOPS 2

/* An upstream as all loops together know it: seconds ago; 0: never. */
struct up {
	enum upstream_status_state state;
	unsigned good;    /* its last good reply to any loop */
	unsigned useless; /* since when another loop has had none */
	unsigned heard;   /* its last reply of any kind */
	enum conf_order ordered;
};

struct row {
	const char *what;
	struct up up[2];
	unsigned n_up;
	unsigned missing, stuck; /* of two loops */
	bool nowhere, waits, lameduck, to_stop, stopping;
	enum verdict_reload reload;
	const char *conf; /* of prefixes; NULL: one that is active */
	enum verdict_state state;
	const char *reason;
};

#define GOOD \
	{ \
		UPSTREAM_STATUS_GOOD, 1, 0, 1, CONF_UP \
	}
#define NEVER \
	{ \
		UPSTREAM_STATUS_GOOD, 0, 0, 0, CONF_UP \
	}
#define DOWN(since) \
	{ \
		UPSTREAM_STATUS_DOWN, 0, since, 0, CONF_UP \
	}
#define DRAINED \
	{ \
		UPSTREAM_STATUS_GOOD, 1, 0, 1, CONF_DRAIN \
	}
#define TAKEN \
	{ \
		UPSTREAM_STATUS_DOWN, 0, 60, 0, CONF_DOWN \
	}
#define BOTH(...) .up = { __VA_ARGS__ }, .n_up = 2
#define SOLE(...) .up = { __VA_ARGS__ }, .n_up = 1
#define READY .state = VERDICT_READY, .reason = ""
#define DEGRADED .state = VERDICT_DEGRADED, .reason =
#define UNREADY .state = VERDICT_UNREADY, .reason =

static const struct row table[] = {
	{ "all is well", BOTH(GOOD, GOOD), READY },
	{ "nobody was asked yet", SOLE(NEVER), READY },
	{ "one is in doubt", SOLE({ UPSTREAM_STATUS_IN_DOUBT, 3, 0, 3, CONF_UP }), READY },
	{ "down for those who asked, and a loop was never asked", SOLE(DOWN(60)),
	    UNREADY "no upstream answers" },
	{ "likewise, and that loop had its last reply before",
	    SOLE({ UPSTREAM_STATUS_DOWN, 61, 60, 61, CONF_UP }), UNREADY "no upstream answers" },
	{ "likewise, and it had one since, but long ago",
	    SOLE({ UPSTREAM_STATUS_DOWN, 59, 60, 59, CONF_UP }), UNREADY "no upstream answers" },
	{ "down for one loop, another one has replies",
	    SOLE({ UPSTREAM_STATUS_DOWN, 1, 60, 1, CONF_UP }), READY },
	{ "one of two is down", BOTH(GOOD, DOWN(60)), DEGRADED "1 of 2 upstreams do not answer" },
	{ "both are down", BOTH(DOWN(60), DOWN(9)), UNREADY "no upstream answers" },
	{ "nothing but SERVFAIL", SOLE({ UPSTREAM_STATUS_ERRING, 50, 40, 1, CONF_UP }),
	    UNREADY "no upstream answers, or only with errors" },
	{ "from the start on", SOLE({ UPSTREAM_STATUS_ERRING, 0, 40, 1, CONF_UP }),
	    UNREADY "no upstream answers, or only with errors" },
	{ "one is down, the other one errs",
	    BOTH(DOWN(60), { UPSTREAM_STATUS_ERRING, 50, 40, 1, CONF_UP }),
	    UNREADY "no upstream answers, or only with errors" },
	{ "one errs, the other one is good",
	    BOTH({ UPSTREAM_STATUS_ERRING, 50, 40, 1, CONF_UP }, GOOD),
	    DEGRADED "1 of 2 upstreams do not answer" },
	{ "errors to one loop, good replies to another",
	    SOLE({ UPSTREAM_STATUS_ERRING, 2, 40, 1, CONF_UP }), READY },
	{ "it erred when it was asked last, long ago",
	    SOLE({ UPSTREAM_STATUS_ERRING, 90, 80, 40, CONF_UP }), READY },
	{ "nobody misses one that is drained by operator", BOTH(DRAINED, GOOD), READY },
	{ "nor one that he took down", BOTH(TAKEN, GOOD), READY },
	{ "but the one that is left", BOTH(TAKEN, DOWN(60)), UNREADY "no upstream answers" },
	{ "all by operator", BOTH(TAKEN, DRAINED),
	    UNREADY "all upstreams are drained or down by operator" },
	{ "no socket to be had", SOLE({ UPSTREAM_STATUS_STARVED, 50, 49, 50, CONF_UP }),
	    UNREADY "no upstream answers" },
	{ "one loop is late", SOLE(GOOD), .missing = 1, READY },
	{ "all loops are", SOLE(GOOD), .missing = 2, READY },
	{ "likewise, and what they knew before was bad", SOLE(DOWN(60)), .missing = 2,
	    UNREADY "no upstream answers" },
	{ "a loop does not go round", SOLE(GOOD), .missing = 1, .stuck = 1,
	    UNREADY "1 of 2 loops do not go round" },
	{ "none does", .missing = 2, .stuck = 2, UNREADY "2 of 2 loops do not go round" },
	{ "nowhere to listen", SOLE(GOOD), .nowhere = true, UNREADY "no listen address is there" },
	{ "one address is not there", SOLE(GOOD), .waits = true,
	    DEGRADED "1 of 2 listen addresses are not there" },
	{ "no prefix is active", SOLE(GOOD), .conf = "dns64-prefix 2001:db8::/96 down\n",
	    UNREADY "no prefix is active" },
	{ "one of two is", SOLE(GOOD),
	    .conf = "dns64-prefix 2001:db8::/96 down\ndns64-prefix 64:ff9b::/96\n", READY },
	{ "none is wanted", SOLE(GOOD),
	    .conf = "dns64-prefix 2001:db8::/96 down\nsynthesize never\n", READY },
	{ "none in a client block", SOLE(GOOD),
	    .conf = "dns64-prefix 64:ff9b::/96\nclient 192.0.2.2 {\n"
		    "dns64-prefix 2001:db8::/96 drain\n}\n",
	    DEGRADED "no prefix is active in 1 client block" },
	{ "the last reload was refused", SOLE(GOOD), .reload = VERDICT_REFUSED,
	    DEGRADED "the last reload was refused" },
	{ "a loop has not taken it", SOLE(GOOD), .reload = VERDICT_OVERDUE,
	    DEGRADED "not all loops have taken the last reload" },
	{ "as it does not go round", SOLE(GOOD), .missing = 1, .stuck = 1,
	    .reload = VERDICT_OVERDUE,
	    UNREADY "1 of 2 loops do not go round; not all loops have taken the last reload" },
	{ "a lame duck", SOLE(GOOD), .lameduck = true, UNREADY "lameduck" },
	{ "whatever else there is", SOLE(DOWN(60)), .lameduck = true, .stuck = 1,
	    UNREADY "lameduck" },
	{ "which was told to stop", SOLE(GOOD), .lameduck = true, .to_stop = true,
	    UNREADY "lameduck, to stop" },
	{ "it stops", SOLE(GOOD), .stopping = true, UNREADY "stopping" },
	{ "several reasons: the worst counts, all are told", SOLE(DOWN(60)),
	    .reload = VERDICT_REFUSED, .waits = true,
	    UNREADY "no upstream answers; 1 of 2 listen addresses are not there; the last reload "
		    "was refused" },
};

#define ROWS ((int)(sizeof(table) / sizeof(table[0])))

static uint64_t
ago(unsigned s)
{
	return s == 0 ? 0 : clock_now_ns() - s * NS_PER_SEC;
}

/* What is known in the state of R. */
static void
make(const struct row *r)
{
	char conf[256];
	struct facts *f = &known.facts;

	(void)snprintf(conf, sizeof(conf), "nameserver 192.0.2.1\nlisten ::1\nmax-queries 256\n%s",
	    r->conf != NULL ? r->conf : "dns64-prefix 64:ff9b::/96\n");
	known_open(conf);
	known.settings.conf.io.n_listens = r->nowhere ? 0 : 1;
	f->now_ns = clock_now_ns();
	f->lameduck = r->lameduck ? 1000 : 0;
	f->stops = r->to_stop ? 2000 : 0;
	f->stopping = r->stopping;
	f->reload = r->reload;
	f->n_served = r->nowhere ? 0 : 1;
	known.waits.n = r->waits ? 1 : 0;
	known.upstreams.n_missing = r->missing;
	known.upstreams.n_stuck = r->stuck;
	known.upstreams.n = r->n_up;
	for (unsigned i = 0; i < r->n_up; i++) {
		struct upstream_status *v = &known.upstreams.at[i];

		v->state = r->up[i].state;
		v->good_ns = ago(r->up[i].good);
		v->unanswering_ns = ago(r->up[i].useless);
		v->heard_ns = ago(r->up[i].heard);
		v->ordered = r->up[i].ordered;
	}
}

/* Has what WRITE writes of the facts the text PART? */
static void
has(const char *what, const char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "%s: no %s", what, part);
}

static char text[1 << 20];

static void
take(struct evbuffer *out)
{
	ev_ssize_t n = evbuffer_remove(out, text, sizeof(text) - 1);

	ck_assert_int_gt(n, 0);
	text[n] = '\0';
	evbuffer_free(out);
}

START_TEST(d31_one_verdict)
{
	const struct row *r = &table[_i];
	struct verdict v;

	make(r);
	v = facts_verdict(&known.facts);
	ck_assert_msg(v.state == r->state && strcmp(v.reason, r->reason) == 0, "%s: %s: %s",
	    r->what, verdict_word(v.state), v.reason);
	ck_assert_uint_eq(v.n_stuck, r->stuck);
	ck_assert(verdict_same(&v, &v));
}
END_TEST

START_TEST(metrics_show_it)
{
	const struct row *r = &table[_i];
	struct evbuffer *out = evbuffer_new();

	make(r);
	metrics_write(out, &known.facts, false);
	take(out);
	has(r->what, text,
	    r->state == VERDICT_UNREADY ? "\ndns64d_ready 0\n" : "\ndns64d_ready 1\n");
	has(r->what, text,
	    r->state == VERDICT_DEGRADED ? "\ndns64d_degraded 1\n" : "\ndns64d_degraded 0\n");
}
END_TEST

/* What health-name says is the first of the reasons, or a constant text for it. */
START_TEST(health_name_says_it)
{
	const struct row *r = &table[_i];
	struct verdict v;

	make(r);
	v = facts_verdict(&known.facts);
	ck_assert_msg((v.unready != NULL) == (r->state == VERDICT_UNREADY), "%s", r->what);
	if (v.unready != NULL && r->stuck > 0 && !r->lameduck)
		ck_assert_str_eq(v.unready, "a loop does not go round");
	else if (v.unready != NULL)
		ck_assert_int_eq(strncmp(r->reason, v.unready, strlen(v.unready)), 0);
}
END_TEST

START_TEST(the_page_shows_it)
{
	static const char *const kinds[] = { "good", "warn", "bad" };
	const struct row *r = &table[_i];
	struct evbuffer *out = evbuffer_new();
	char span[VERDICT_TEXT + 64];

	make(r);
	page_write(out, &known.facts);
	take(out);
	(void)snprintf(span, sizeof(span), "<span class=\"state %s\" id=\"state\">%s%s%s</span>",
	    kinds[r->state], verdict_word(r->state), r->reason[0] != '\0' ? ": " : "", r->reason);
	has(r->what, text, span);
}
END_TEST

START_TEST(json_and_dns64ctl_show_it)
{
	const struct row *r = &table[_i];
	const char *reason;
	char line[VERDICT_TEXT + 64], *shown;
	size_t len;
	FILE *f = open_memstream(&shown, &len);
	json_t *j;

	make(r);
	j = state_json(&known.facts);
	ck_assert_str_eq(json_string_value(json_object_get(j, "verdict")), verdict_word(r->state));
	reason = json_string_value(json_object_get(j, "reason"));
	ck_assert_str_eq(reason != NULL ? reason : "", r->reason);
	show_status(j, f);
	fclose(f);
	(void)snprintf(line, sizeof(line), "\nverdict     %s%s%s\n", verdict_word(r->state),
	    r->reason[0] != '\0' ? ": " : "", r->reason);
	has(r->what, shown, line);
	free(shown);
	json_decref(j);
}
END_TEST

START_TEST(the_service_manager_is_told)
{
	const struct row *r = &table[_i];
	char status[REPORT_STATUS], verdict[VERDICT_TEXT];
	struct verdict v;

	make(r);
	v = facts_verdict(&known.facts);
	(void)report_status(&known.settings, &known.waits, 2, &v, status);
	ck_assert_ptr_eq(strstr(status, verdict_text(&v, verdict)), status);
}
END_TEST

/* --- By HTTP, and in the log ------------------------------------------------------------------ */

static struct {
	struct control_ctx ctx;
	struct caller caller;
	struct http *http;
	struct snapshot *snapshot;
	struct verdict judged;
	unsigned n_judged;
} d;

static void
judged(void *arg, const struct verdict *v)
{
	(void)arg;
	d.judged = *v;
	d.n_judged++;
}

/* The daemon of which the facts are known; nobody runs its loops. */
static void
host_open(void)
{
	static const struct host_ops ops = { .judged = judged };
	struct host *h = &d.ctx.host;

	*h = (struct host){ .base = d.caller.base,
		.settings = &known.settings,
		.n_loops = LOOPS,
		.started = 1000,
		.memory_fd = -1,
		.fds_fd = -1,
		.lameduck = known.facts.lameduck,
		.stops = known.facts.stops,
		.reload = known.facts.reload,
		.stopping = known.facts.stopping,
		.waits = &known.waits,
		.ops = &ops };
	d.snapshot = snapshot_new(&known.settings.conf);
	ck_assert_ptr_nonnull(d.snapshot);
	for (unsigned i = 0; i < LOOPS; i++) {
		h->loops[i] = loop_new(d.snapshot, NULL, 0);
		ck_assert_ptr_nonnull(h->loops[i]);
	}
}

/* Its loops have told what is known, and so at once when they are asked again. */
static void
know(void *arg)
{
	struct control_ctx *ctx = arg;

	ctx->ask.upstreams = known.upstreams;
	ctx->ask.end_ns = 1;
}

/* That daemon in the state of R, with its pages. */
static void
daemon_open(const struct row *r)
{
	static const struct http_route routes[] = {
		{ "/health", EVHTTP_REQ_GET, pages_health, "" },
		{ "/ready", EVHTTP_REQ_GET, pages_ready, "" },
	};
	const struct http_service service = {
		.routes = routes, .n = 2, .body = HTTP_BODY, .life_s = HTTP_LIFE_S, .arg = &d.ctx
	};

	make(r);
	memset(&d, 0, sizeof(d));
	caller_open(&d.caller);
	host_open();
	d.ctx.ask.on_upstreams = know;
	d.ctx.ask.arg = &d.ctx;
	ck_assert(waiting_init(&d.ctx.ask.waiting, &ask_type, &d.ctx.host));
	know(&d.ctx);
	d.http = http_new(d.caller.base, &service);
	ck_assert_ptr_nonnull(d.http);
	ck_assert(http_listen(d.http, d.caller.sock.fd));
}

static void
daemon_close(void)
{
	http_free(d.http);
	control_ctx_fini(&d.ctx);
	for (unsigned i = 0; i < LOOPS; i++)
		loop_free(d.ctx.host.loops[i]);
	snapshot_unref(d.snapshot);
	caller_close(&d.caller);
}

/* The verdict of R in words. */
static const char *
words(const struct row *r)
{
	static char buffer[VERDICT_TEXT];
	struct verdict v = { .state = r->state };

	(void)snprintf(v.reason, sizeof(v.reason), "%s", r->reason);
	return verdict_text(&v, buffer);
}

START_TEST(d31_ready_shows_it)
{
	const struct row *r = &table[_i];
	char body[VERDICT_TEXT + 8];

	daemon_open(r);
	(void)snprintf(body, sizeof(body), "\r\n\r\n%s\n", words(r));
	if (r->state == VERDICT_UNREADY) {
		ck_assert_msg(caller_ask(&d.caller, "GET", "/ready", NULL) == 503, "%s: %s",
		    r->what, d.caller.text);
		ck_assert_str_eq(caller_text(&d.caller, "error"), r->reason);
	} else {
		ck_assert_msg(caller_ask(&d.caller, "GET", "/ready", NULL) == 200, "%s: %s",
		    r->what, d.caller.text);
		has(r->what, d.caller.text, body);
	}
	daemon_close();
}
END_TEST

/* The code depends on stuck loops only, the text on all. */
START_TEST(d31_health_shows_it)
{
	const struct row *r = &table[_i];
	char body[VERDICT_TEXT + 8];
	int code;

	daemon_open(r);
	(void)snprintf(body, sizeof(body), "\r\n\r\n%s\n", words(r));
	code = caller_ask(&d.caller, "GET", "/health", NULL);
	ck_assert_msg(code == (r->stuck > 0 ? 503 : 200), "%s: %d", r->what, code);
	has(r->what, d.caller.text, body);
	daemon_close();
}
END_TEST

/* The log has it once, when it is another one than before; a stop has a line of its own. */
START_TEST(d31_the_log_has_it)
{
	const struct row *r = &table[_i];
	char line[VERDICT_TEXT + 32];

	daemon_open(r);
	d.ctx.verdict = (struct verdict){ .state = VERDICT_DEGRADED, .reason = "something else" };
	heard_start(LOG_LEVEL_INFO);
	control_ctx_judge(&d.ctx);
	control_ctx_judge(&d.ctx);
	(void)snprintf(
	    line, sizeof(line), "server: %s", r->state == VERDICT_READY ? "ready again" : words(r));
	ck_assert_msg(heard(line) == (r->stopping ? 0 : 1), "%s: no %s", r->what, line);
	ck_assert_uint_eq(heard_all(), r->stopping ? 0 : 1);
	heard_end();
	ck_assert_uint_eq(d.n_judged, r->stopping ? 0 : 1);
	ck_assert(
	    r->stopping || (d.judged.state == r->state && strcmp(d.judged.reason, r->reason) == 0));
	daemon_close();
}
END_TEST

/* The service manager's line counts upstreams: it is written anew when one is drained. */
START_TEST(other_counts_are_no_other_verdict)
{
	static const struct row r = { "two", BOTH(GOOD, GOOD), READY };

	daemon_open(&r);
	control_ctx_judge(&d.ctx);
	heard_start(LOG_LEVEL_INFO);
	d.n_judged = 0;
	d.ctx.ask.upstreams.at[1].ordered = CONF_DRAIN;
	control_ctx_judge(&d.ctx);
	control_ctx_judge(&d.ctx);
	ck_assert_uint_eq(heard_all(), 0);
	heard_end();
	ck_assert_uint_eq(d.n_judged, 1);
	ck_assert_uint_eq(d.judged.n_upstreams, 1);
	ck_assert_uint_eq(d.judged.n_by_operator, 1);
	daemon_close();
}
END_TEST

/* No reason is cut, whatever comes together. */
START_TEST(all_reasons_fit)
{
	struct row r = { "all", BOTH(DOWN(60), { UPSTREAM_STATUS_ERRING, 0, 40, 1, CONF_UP }),
		.stuck = 2, .waits = true, .reload = VERDICT_REFUSED,
		.conf = "dns64-prefix 2001:db8::/96 down\n" };
	struct verdict v;

	make(&r);
	v = facts_verdict(&known.facts);
	ck_assert_uint_lt(strlen(v.reason) + 8, VERDICT_REASON);
	has("all", v.reason, "no upstream answers, or only with errors");
	has("all", v.reason, "the last reload was refused");
}
END_TEST

/* The clock stands still: no moment of the table grows old. */
static void
setup(void)
{
	known_setup();
	testclock_hold();
	testclock_pass(NOW_S * NS_PER_SEC);
}

static void
teardown(void)
{
	testclock_reset();
	known_close();
}

void
tests_add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, d31_one_verdict, 0, ROWS);
	tcase_add_loop_test(tc, metrics_show_it, 0, ROWS);
	tcase_add_loop_test(tc, health_name_says_it, 0, ROWS);
	tcase_add_loop_test(tc, the_page_shows_it, 0, ROWS);
	tcase_add_loop_test(tc, json_and_dns64ctl_show_it, 0, ROWS);
	tcase_add_loop_test(tc, the_service_manager_is_told, 0, ROWS);
	tcase_add_loop_test(tc, d31_ready_shows_it, 0, ROWS);
	tcase_add_loop_test(tc, d31_health_shows_it, 0, ROWS);
	tcase_add_loop_test(tc, d31_the_log_has_it, 0, ROWS);
	tcase_add_test(tc, other_counts_are_no_other_verdict);
	tcase_add_test(tc, all_reasons_fit);
}
