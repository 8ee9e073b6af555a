/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_scenarios: run tests/scenarios/x.scn on the engine, with no socket and a fake clock.
 *
 * Settings, before anything else or before a reload:
 *	prefix P ... allow NET		policies, as in support/plan.h; forget: none of them
 *	local-zones | version TEXT	of the engine as a whole
 *	upstreams N [from=K]				192.0.2.K (1) and the N - 1 that follow
 *	selection random|round-robin|in-order
 *	case-randomization yes|no | upstream-cookies yes|no |
 *	client-cookies yes|no
 *	timeout MS | attempts N | size N | queries N
 * What happens:
 *	ask C udp|tcp NAME TYPE [do] [cd] [ad] [nord] [noedns] [class=N] [bufsize=N] [tsig] [sig0]
 *	    [from=ADDRESS] [cookie=HEX|back]
 *		client C asks; with a signature behind all else; with a cookie, or the one that
 *		came with the last answer
 *	reply Q RCODE [tc] [aa] [ad] [qr0] [opcode=N] [noopt] [noquestion] [ede=N] [name=NAME]
 *	    [type=T] [class=N] [id+1] [by=uN] [cookie=HEX] [notours] + records
 *		upstream replies to Q; by another socket than it was asked by; with the client's
 *		part of Q's cookie (notours: a changed one) and that as its own part
 *	malformed Q			upstream replies to Q with counts that lie
 *	lost uN established|refused	the TCP connection to upstream N ends, or was not to be had
 *	refused uN			ICMP says upstream N cannot be reached
 *	unplug uN | plug uN		upstream N has no UDP socket; it has one again
 *	pass MS				time passes
 *	reload				the settings above it apply from now
 * What is expected, in this order of appearance:
 *	question Q uN|u? udp|tcp NAME TYPE [do] [cd] [noedns] [class=N] [unlike=Q] [mixed]
 *	    [cookie=none|ours|HEX]
 *		the next thing sent is this question, from now on called Q; its ID is not that of
 *		the other; mixed: and its letters are not all in the case given
 *	question Q uN|u? udp|tcp asis C
 *		the same, but what is sent are client C's own octets but for the ID
 *	answer C RCODE [tc] [aa] [ad] [ede=N] [cookie=none|HEX] + records
 *		the next thing sent is this answer to C
 *	answer C asis		the next thing sent to C is the last reply but for the ID
 *	nothing			nothing is sent
 *	counter NAME N		a counter of core/stats.h
 * Upstreams are numbered as the engine numbers them, from 1. Records are indented lines (see
 * scene.h). At the end nothing may be left over or in flight.
 */
#include <check.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cookie.h"
#include "core/engine.h"
#include "core/scene.h"
#include "dns/name.h"
#include "dns/wire.h"
#include "support/hex.h"
#include "support/plan.h"

#define MAX_FILES 400
#define MAX_PENDING 128
#define MAX_NAMED 64
#define WORDS 16
#define MAX_PLAN 64
#define PLAN_LINE 256

struct sent {
	struct engine_send send;
	uint8_t *bytes;
};

struct question {
	char label[16];
	struct engine_send send;
	uint8_t bytes[1024];
};

struct client {
	char label[16];
	bool edns;
	bool do_bit;
	uint16_t question; /* bytes of its question section, name as spelled */
	uint8_t spelled[DNS_NAME_MAX + 4];
	size_t len;
	uint8_t bytes[1024];
};

struct run {
	const char *file;
	unsigned line;
	struct conf_core conf; /* as read so far */
	char plan[MAX_PLAN][PLAN_LINE];
	unsigned n_plan;
	struct conf_core active; /* the engine's */
	struct engine *e;
	uint64_t now_ns;
	unsigned upstream_of[ENGINE_MAX_SOCKETS];
	int socket_of[ENGINE_MAX_UPSTREAMS]; /* slot for new questions, -1 for none */
	bool draining[ENGINE_MAX_SOCKETS];
	bool unplugged[ENGINE_MAX_UPSTREAMS];
	struct sent pending[MAX_PENDING];
	unsigned n_pending;
	unsigned taken;
	struct question questions[MAX_NAMED];
	unsigned n_questions;
	struct client clients[MAX_NAMED];
	unsigned n_clients;
	uint8_t udp[ENGINE_UDP_CAP];
	uint8_t tcp[ENGINE_TCP_CAP];
	uint8_t cookie[DNS_COOKIE_MAX]; /* of the last answer */
	size_t reply_len;               /* the last reply */
	uint8_t reply[65535];
	char records[MAX_PENDING][SCENE_TEXT];
	unsigned n_records;
};

static char *files[MAX_FILES];
static int n_files;
static char dir[4096];

#define FAIL(r, ...) fail_at(r, __VA_ARGS__)

static void __attribute__((format(printf, 2, 3), noreturn))
fail_at(const struct run *r, const char *fmt, ...)
{
	char text[8000];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ck_abort_msg("%s:%u: %s", r->file, r->line, text);
}

/* --- the engine's surroundings --- */

static void
open_socket(struct run *r, unsigned u)
{
	int slot = engine_socket_add(r->e, u, 0);

	ck_assert_int_ge(slot, 0);
	engine_socket_use(r->e, (unsigned)slot);
	r->upstream_of[slot] = u;
	r->socket_of[u] = slot;
}

/* Open what upstreams need and close what nobody needs, as the shell does. */
static void
tend_sockets(struct run *r)
{
	for (unsigned u = 0; u < ENGINE_MAX_UPSTREAMS; u++) {
		bool wanted = engine_upstream(r->e, u) != NULL && engine_upstream_active(r->e, u) &&
			      !r->unplugged[u];
		int slot = r->socket_of[u];

		if (wanted == (slot >= 0))
			continue;
		if (wanted) {
			open_socket(r, u);
			continue;
		}
		engine_socket_retire(r->e, (unsigned)slot);
		r->draining[slot] = true;
		r->socket_of[u] = -1;
	}
	for (unsigned slot = 0; slot < ENGINE_MAX_SOCKETS; slot++) {
		if (!r->draining[slot] || engine_socket_open(r->e, slot) > 0)
			continue;
		engine_socket_del(r->e, slot);
		r->draining[slot] = false;
	}
}

/* The settings so far are the engine's from now on. */
static void
use_settings(struct run *r)
{
	const char *lines[MAX_PLAN];

	for (unsigned i = 0; i < r->n_plan; i++)
		lines[i] = r->plan[i];
	r->conf.policies = plan_policies(lines, r->n_plan);
	r->active = r->conf;
}

static void
need_engine(struct run *r)
{
	const uint64_t seed = 42;

	if (r->e != NULL)
		return;
	use_settings(r);
	r->e = engine_new(&r->active, &seed, r->now_ns);
	ck_assert_ptr_nonnull(r->e);
	tend_sockets(r);
}

static void
collect(struct run *r)
{
	struct engine_send send;

	while (engine_next(r->e, r->udp, r->tcp, &send)) {
		bool tcp = send.way == ENGINE_CLIENT_TCP || send.way == ENGINE_UPSTREAM_TCP;
		struct sent *s = &r->pending[r->n_pending++];

		ck_assert_uint_lt(r->n_pending, MAX_PENDING);
		s->send = send;
		s->bytes = malloc(send.len);
		ck_assert_ptr_nonnull(s->bytes);
		memcpy(s->bytes, tcp ? r->tcp : r->udp, send.len);
	}
	tend_sockets(r);
}

static void
hand_in(struct run *r, const struct engine_in *in)
{
	engine_prepare(r->e, in, 1);
	engine_input(r->e, in, r->now_ns);
	collect(r);
}

/* --- words --- */

static bool
has_word(char **words, unsigned n, const char *word)
{
	for (unsigned i = 0; i < n; i++) {
		if (strcmp(words[i], word) == 0)
			return true;
	}
	return false;
}

/* The text behind "KEY=" among the words; NULL without. */
static const char *
value_of(char **words, unsigned n, const char *key)
{
	size_t len = strlen(key);

	for (unsigned i = 0; i < n; i++) {
		if (strncmp(words[i], key, len) == 0 && words[i][len] == '=')
			return words[i] + len + 1;
	}
	return NULL;
}

static size_t
read_name(const struct run *r, const char *text, uint8_t out[static DNS_NAME_MAX])
{
	size_t len = name_from_text(text, out);

	if (len == 0)
		FAIL(r, "bad name %s", text);
	return len;
}

static uint16_t
read_type(const struct run *r, const char *text)
{
	int type = scene_type(text);

	if (type < 0)
		FAIL(r, "bad type %s", text);
	return (uint16_t)type;
}

static struct question *
find_question(struct run *r, const char *label)
{
	for (unsigned i = r->n_questions; i-- > 0;) {
		if (strcmp(r->questions[i].label, label) == 0)
			return &r->questions[i];
	}
	FAIL(r, "no question called %s", label);
}

/* --- settings --- */

static void
set_upstreams(struct run *r, unsigned first, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		char text[32];

		snprintf(text, sizeof(text), "192.0.2.%u", first + i);
		if (!netaddr_parse(text, 53, &r->conf.upstreams[i]))
			FAIL(r, "bad upstream");
	}
	r->conf.n_upstreams = n;
}

/* Is this a line for support/plan.h? */
static bool
is_plan(const char *word)
{
	static const char *const words[] = { "prefix", "suffix", "exclude", "exclude-a", "map",
		"synthesize", "synthesize-on", "ignore-aaaa", "never-synthesize", "hide-a",
		"any-minimal", "no-prefix-servfail", "dns64-for", "prefix-selection",
		"max-synthesized", "reverse-local", "svcb", "ede", "client", "end", "allow" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(word, words[i]) == 0)
			return true;
	}
	return false;
}

static void
keep_plan(struct run *r, char **w, unsigned n)
{
	char *line = r->plan[r->n_plan];
	size_t len = 0;

	if (r->n_plan == MAX_PLAN)
		FAIL(r, "too many lines of policy");
	for (unsigned i = 0; i < n; i++)
		len += (size_t)snprintf(line + len, PLAN_LINE - len, "%s ", w[i]);
	r->n_plan++;
}

static bool
do_setting(struct run *r, char **w, unsigned n)
{
	const char *from = value_of(w, n, "from");

	if (is_plan(w[0])) {
		keep_plan(r, w, n);
	} else if (strcmp(w[0], "upstreams") == 0) {
		set_upstreams(r, from != NULL ? (unsigned)atoi(from) : 1, (unsigned)atoi(w[1]));
	} else if (strcmp(w[0], "selection") == 0) {
		r->conf.selection = strcmp(w[1], "random") == 0     ? CONF_RANDOM
				    : strcmp(w[1], "in-order") == 0 ? CONF_IN_ORDER
								    : CONF_ROUND_ROBIN;
	} else if (strcmp(w[0], "timeout") == 0) {
		r->conf.timeout_ms = (uint32_t)atoi(w[1]);
	} else if (strcmp(w[0], "attempts") == 0) {
		r->conf.resend_attempts = (uint32_t)atoi(w[1]);
	} else if (strcmp(w[0], "size") == 0) {
		r->conf.udp_size_client = (uint16_t)atoi(w[1]);
	} else if (strcmp(w[0], "queries") == 0) {
		r->conf.max_queries = (uint32_t)atoi(w[1]);
	} else if (strcmp(w[0], "case-randomization") == 0) {
		r->conf.case_randomization = strcmp(w[1], "yes") == 0;
	} else if (strcmp(w[0], "upstream-cookies") == 0) {
		r->conf.upstream_cookies = strcmp(w[1], "yes") == 0;
	} else if (strcmp(w[0], "client-cookies") == 0) {
		r->conf.client_cookies = strcmp(w[1], "yes") == 0;
	} else if (strcmp(w[0], "forget") == 0) {
		r->n_plan = 0;
	} else if (strcmp(w[0], "local-zones") == 0) {
		r->conf.local_zones = true;
	} else if (strcmp(w[0], "version") == 0) {
		snprintf(r->conf.version, sizeof(r->conf.version), "%s", w[1]);
	} else {
		return false;
	}
	return true;
}

/* --- what happens --- */

/* Append a signature: its owner "key.", class ANY, TTL 0 and RDATA that nobody looks into. */
static size_t
sign(uint8_t *msg, size_t len, uint16_t type)
{
	static const uint8_t key[] = { 3, 'k', 'e', 'y', 0 };

	memcpy(msg + len, key, sizeof(key));
	len += sizeof(key);
	memset(msg + len, 0, DNS_RR_FIXED + 20);
	wire_set_u16(msg + len, type);
	wire_set_u16(msg + len + 2, DNS_CLASS_ANY);
	wire_set_u16(msg + len + 8, 20);
	msg[11]++;
	return len + DNS_RR_FIXED + 20;
}

static void
do_ask(struct run *r, char **w, unsigned n)
{
	const char *class = value_of(w, n, "class");
	const char *bufsize = value_of(w, n, "bufsize");
	const char *from = value_of(w, n, "from");
	const char *cookie = value_of(w, n, "cookie");
	struct build_opt opt = { .present = !has_word(w, n, "noedns"),
		.cookie = r->cookie,
		.do_bit = has_word(w, n, "do"),
		.bufsize = (uint16_t)(bufsize != NULL ? atoi(bufsize) : 1232),
		.ede = DNS_EDE_NONE };
	struct client *c = &r->clients[r->n_clients];
	struct engine_in in = { .msg = r->udp, .sock = r->n_clients, .gen = 7 };
	uint8_t msg[1024];
	uint8_t name[DNS_NAME_MAX];

	need_engine(r);
	if (cookie != NULL)
		opt.cookie_len = (uint8_t)(strcmp(cookie, "back") == 0
					       ? COOKIE_LEN
					       : hex_read(cookie, r->cookie, DNS_COOKIE_MAX));
	ck_assert_uint_lt(r->n_clients, MAX_NAMED);
	if (!netaddr_parse(from != NULL ? from : "2001:db8:c::1", 1024, &in.peer))
		FAIL(r, "bad address");
	snprintf(c->label, sizeof(c->label), "%s", w[1]);
	c->edns = opt.present;
	c->do_bit = opt.do_bit;
	in.way = strcmp(w[2], "tcp") == 0 ? ENGINE_CLIENT_TCP : ENGINE_CLIENT_UDP;
	read_name(r, w[3], name);
	in.len = build_query(msg, sizeof(msg), (uint16_t)(0x4000 + r->n_clients), name,
	    read_type(r, w[4]), (uint16_t)(class != NULL ? atoi(class) : DNS_CLASS_IN),
	    has_word(w, n, "cd"), &opt);
	if (!has_word(w, n, "ad"))
		msg[3] = (uint8_t)(msg[3] & ~DNS_AD);
	if (has_word(w, n, "nord"))
		msg[2] = (uint8_t)(msg[2] & ~(DNS_RD >> 8));
	if (has_word(w, n, "tsig"))
		in.len = sign(msg, in.len, DNS_TYPE_TSIG);
	if (has_word(w, n, "sig0"))
		in.len = sign(msg, in.len, DNS_TYPE_SIG);
	in.msg = msg;
	c->len = in.len;
	memcpy(c->bytes, msg, in.len);
	c->question = (uint16_t)(name_len(name) + 4);
	memcpy(c->spelled, msg + DNS_HEADER_LEN, c->question);
	r->n_clients++;
	hand_in(r, &in);
}

static void
send_reply(struct run *r, const struct question *q, const char *by, const uint8_t *msg, size_t len)
{
	struct engine_in in = { .msg = msg, .len = len, .way = q->send.way, .sock = q->send.sock };

	r->reply_len = len;
	memmove(r->reply, msg, len);
	if (by != NULL)
		in.sock = (uint32_t)r->socket_of[atoi(by + 1) - 1];
	hand_in(r, &in);
}

static uint16_t
reply_flags(char **w, unsigned n)
{
	const char *opcode = value_of(w, n, "opcode");
	int flags = DNS_RD | DNS_RA;

	flags |= has_word(w, n, "qr0") ? 0 : DNS_QR;
	flags |= has_word(w, n, "tc") ? DNS_TC : 0;
	flags |= has_word(w, n, "aa") ? DNS_AA : 0;
	flags |= has_word(w, n, "ad") ? DNS_AD : 0;
	flags |= opcode != NULL ? atoi(opcode) << 11 : 0;
	return (uint16_t)flags;
}

/* Begin the reply to question M as the words tell. */
static void
start_reply(const struct run *r, struct build *b, uint8_t *out, size_t cap, const struct msg *m,
    char **w, unsigned n)
{
	const char *other = value_of(w, n, "name");
	const char *type = value_of(w, n, "type");
	const char *class = value_of(w, n, "class");
	uint8_t name[DNS_NAME_MAX];

	memcpy(name, msg_qname(m), m->qname_len);
	if (other != NULL)
		read_name(r, other, name);
	build_start(b, out, cap, (uint16_t)(m->id + (has_word(w, n, "id+1") ? 1 : 0)),
	    reply_flags(w, n), has_word(w, n, "noquestion") ? NULL : name,
	    type != NULL ? read_type(r, type) : m->qtype,
	    class != NULL ? (uint16_t)atoi(class) : m->qclass);
	if (scene_rcode(w[2]) < 0)
		FAIL(r, "bad rcode %s", w[2]);
	b->rcode = (uint16_t)scene_rcode(w[2]);
}

/* Our part of the question's cookie and the upstream's own; the length of both. */
static uint8_t
reply_cookie(const struct msg *m, char **w, unsigned n, uint8_t out[static DNS_COOKIE_MAX])
{
	const char *own = value_of(w, n, "cookie");
	size_t len = 0;
	const uint8_t *cookie = msg_option(m, EDNS_COOKIE, &len);

	if (own == NULL)
		return 0;
	memset(out, 0, DNS_COOKIE_MAX);
	if (cookie != NULL)
		memcpy(out, cookie, DNS_COOKIE_CLIENT);
	if (has_word(w, n, "notours"))
		out[7] ^= 1;
	return (uint8_t)(DNS_COOKIE_CLIENT +
			 hex_read(own, out + DNS_COOKIE_CLIENT, DNS_COOKIE_MAX - 8));
}

static void
do_reply(struct run *r, char **w, unsigned n)
{
	const struct question *q = find_question(r, w[1]);
	const char *ede = value_of(w, n, "ede");
	struct build_opt opt = { .present = !has_word(w, n, "noopt"),
		.bufsize = 1232,
		.ede = (uint16_t)(ede != NULL ? atoi(ede) : DNS_EDE_NONE) };
	static uint8_t msg[65535];
	uint8_t cookie[DNS_COOKIE_MAX];
	struct build b;
	struct msg m;
	size_t len;

	ck_assert_int_eq(msg_parse(&m, q->bytes, q->send.len), MSG_OK);
	opt.do_bit = m.edns.do_bit;
	opt.cookie = cookie;
	opt.cookie_len = reply_cookie(&m, w, n, cookie);
	start_reply(r, &b, msg, sizeof(msg), &m, w, n);
	for (unsigned i = 0; i < r->n_records; i++) {
		if (!scene_put(&b, r->records[i]))
			FAIL(r, "bad record %s", r->records[i]);
	}
	len = build_finish(&b, sizeof(msg), &opt);
	send_reply(r, q, value_of(w, n, "by"), msg, len);
}

static void
do_malformed(struct run *r, char **w, unsigned n)
{
	const struct question *q = find_question(r, w[1]);
	uint8_t msg[1024];

	(void)n;
	memcpy(msg, q->bytes, q->send.len);
	msg[2] |= DNS_QR >> 8;
	wire_set_u16(msg + 6, 3); /* three answers that are not there */
	send_reply(r, q, NULL, msg, q->send.len);
}

static void
do_pass(struct run *r, char **w, unsigned n)
{
	uint64_t end = r->now_ns + (uint64_t)atoi(w[1]) * 1000000;
	bool more;

	(void)n;
	need_engine(r);
	while (r->now_ns < end) {
		r->now_ns = r->now_ns + ENGINE_TICK_NS < end ? r->now_ns + ENGINE_TICK_NS : end;
		do {
			more = engine_tick(r->e, r->now_ns);
			collect(r);
		} while (more);
	}
}

static unsigned
read_upstream(const struct run *r, const char *text)
{
	unsigned u = (unsigned)atoi(text + 1);

	if (text[0] != 'u' || u < 1 || u > ENGINE_MAX_UPSTREAMS)
		FAIL(r, "bad upstream %s", text);
	return u - 1;
}

static void
do_lost(struct run *r, char **w, unsigned n)
{
	(void)n;
	engine_tcp_lost(r->e, read_upstream(r, w[1]), strcmp(w[2], "established") == 0, r->now_ns);
	collect(r);
}

static void
do_refused(struct run *r, char **w, unsigned n)
{
	(void)n;
	engine_refused(r->e, read_upstream(r, w[1]), r->now_ns);
	collect(r);
}

static void
do_plug(struct run *r, char **w, unsigned n)
{
	(void)n;
	need_engine(r);
	r->unplugged[read_upstream(r, w[1])] = strcmp(w[0], "unplug") == 0;
	tend_sockets(r);
}

static void
do_reload(struct run *r, char **w, unsigned n)
{
	(void)w;
	(void)n;
	struct policies *old;

	need_engine(r);
	old = r->active.policies;
	use_settings(r);
	engine_set_conf(r->e, &r->active, r->now_ns);
	policies_unref(old);
	collect(r);
}

/* --- what is expected --- */

static void
describe(const struct msg *m, char *text, size_t cap)
{
	char name[NAME_TEXT] = "";
	size_t len;

	if (m->qname_len > 0)
		name_to_text(msg_qname(m), name);
	len = (size_t)snprintf(
	    text, cap, "%s type %u rcode %u flags %04x\n", name, m->qtype, m->rcode, m->flags);
	for (unsigned s = 0; s < MSG_SECTIONS; s++) {
		uint16_t n = m->count[s];
		struct rr rr;

		for (bool more = msg_first(m, (enum msg_section)s, &rr); more;
		     more = --n > 0 && msg_next(m, &rr)) {
			char line[SCENE_TEXT];

			scene_print(m, (enum msg_section)s, &rr, line);
			if (len < cap)
				len += (size_t)snprintf(text + len, cap - len, "\t%s\n", line);
		}
	}
}

/* The next thing sent, parsed. */
static struct sent *
take(struct run *r, struct msg *m, const char *wanted)
{
	struct sent *s;

	if (r->taken == r->n_pending)
		FAIL(r, "%s expected, nothing was sent", wanted);
	s = &r->pending[r->taken++];
	ck_assert_int_eq(msg_parse(m, s->bytes, s->send.len), MSG_OK);
	return s;
}

static void __attribute__((noreturn))
not_so(const struct run *r, const struct sent *s, const struct msg *m, const char *what)
{
	char got[6000];

	describe(m, got, sizeof(got));
	FAIL(r, "not so: %s; way %u sock %u: %s", what, s->send.way, s->send.sock, got);
}

#define CHECK(cond) ((cond) ? (void)0 : not_so(r, s, &m, #cond))

static const struct client *
find_client(struct run *r, const char *label)
{
	for (unsigned i = r->n_clients; i-- > 0;) {
		if (strcmp(r->clients[i].label, label) == 0)
			return &r->clients[i];
	}
	FAIL(r, "no client called %s", label);
}

/* The cookie of a question: none, our part only, or that of the upstream behind it. */
static bool
has_cookie(const struct msg *m, const char *wanted)
{
	uint8_t server[DNS_COOKIE_MAX];
	size_t len = 0, n;
	const uint8_t *cookie = msg_option(m, EDNS_COOKIE, &len);

	if (strcmp(wanted, "none") == 0)
		return cookie == NULL;
	if (strcmp(wanted, "ours") == 0)
		return len == DNS_COOKIE_CLIENT;
	n = hex_read(wanted, server, sizeof(server));
	return len == DNS_COOKIE_CLIENT + n && memcmp(cookie + DNS_COOKIE_CLIENT, server, n) == 0;
}

/* The question was sent as the words tell: the name and what follows it. */
static void
check_question(struct run *r, char **w, unsigned n, const struct sent *s, const struct msg *mm)
{
	const char *class = value_of(w, n, "class");
	const char *cookie = value_of(w, n, "cookie");
	uint8_t name[DNS_NAME_MAX];
	struct msg m = *mm;

	read_name(r, w[4], name);
	CHECK(m.qname_len == name_len(name) && name_equal(msg_qname(&m), name));
	CHECK((memcmp(msg_qname(&m), name, m.qname_len) != 0) == has_word(w, n, "mixed"));
	CHECK(m.qtype == read_type(r, w[5]));
	CHECK(m.qclass == (class != NULL ? atoi(class) : DNS_CLASS_IN));
	CHECK(((m.flags & DNS_CD) != 0) == has_word(w, n, "cd"));
	CHECK((m.flags & (DNS_RD | DNS_AD)) == (DNS_RD | DNS_AD)); /* D9, D10 */
	CHECK(m.edns.present == !has_word(w, n, "noedns"));
	CHECK(m.edns.do_bit == has_word(w, n, "do"));
	CHECK(cookie == NULL || has_cookie(&m, cookie));
}

static void
do_question(struct run *r, char **w, unsigned n)
{
	struct question *q = &r->questions[r->n_questions++];
	const char *unlike = value_of(w, n, "unlike");
	bool tcp = strcmp(w[3], "tcp") == 0;
	struct msg m;
	struct sent *s = take(r, &m, "a question");
	unsigned u;

	ck_assert_uint_lt(r->n_questions, MAX_NAMED);
	CHECK(s->send.way == (tcp ? ENGINE_UPSTREAM_TCP : ENGINE_UPSTREAM_UDP));
	u = tcp ? s->send.sock : r->upstream_of[s->send.sock];
	CHECK(strcmp(w[2], "u?") == 0 || read_upstream(r, w[2]) == u);
	CHECK(unlike == NULL || wire_u16(find_question(r, unlike)->bytes) != m.id);
	if (strcmp(w[4], "asis") == 0) {
		const struct client *c = find_client(r, w[5]);

		CHECK(s->send.len == c->len && memcmp(s->bytes + 2, c->bytes + 2, c->len - 2) == 0);
	} else {
		check_question(r, w, n, s, &m);
	}
	snprintf(q->label, sizeof(q->label), "%s", w[1]);
	q->send = s->send;
	ck_assert_uint_le(s->send.len, sizeof(q->bytes));
	memcpy(q->bytes, s->bytes, s->send.len);
}

static void
check_records(struct run *r, const struct sent *s, const struct msg *mm)
{
	struct msg m = *mm;
	unsigned at = 0;

	for (unsigned sec = 0; sec < MSG_SECTIONS; sec++) {
		uint16_t n = m.count[sec];
		struct rr rr;

		for (bool more = msg_first(&m, (enum msg_section)sec, &rr); more;
		     more = --n > 0 && msg_next(&m, &rr)) {
			char line[SCENE_TEXT];
			char wanted[SCENE_TEXT];

			if (rr.type == DNS_TYPE_OPT)
				continue;
			scene_print(&m, (enum msg_section)sec, &rr, line);
			CHECK(at < r->n_records);
			/* Print what is wanted in the same way. */
			snprintf(wanted, sizeof(wanted), "%s", r->records[at]);
			if (strcmp(line, wanted) != 0) {
				char got[6000];

				describe(&m, got, sizeof(got));
				FAIL(r, "record %u: wanted %s, got %s", at + 1, wanted, got);
			}
			at++;
		}
	}
	CHECK(at == r->n_records);
}

/* Does an answer bring CLIENT's cookie (none: none) with ours behind it? It is kept. */
static bool
brings_cookie(struct run *r, const struct msg *m, const char *client)
{
	uint8_t want[DNS_COOKIE_MAX];
	size_t len = 0;
	const uint8_t *cookie = msg_option(m, EDNS_COOKIE, &len);

	if (cookie == NULL || strcmp(client, "none") == 0)
		return cookie == NULL && strcmp(client, "none") == 0;
	if (len != COOKIE_LEN)
		return false;
	memcpy(r->cookie, cookie, COOKIE_LEN);
	return hex_read(client, want, sizeof(want)) == DNS_COOKIE_CLIENT &&
	       memcmp(want, cookie, DNS_COOKIE_CLIENT) == 0;
}

static void
do_answer(struct run *r, char **w, unsigned n)
{
	const char *ede = value_of(w, n, "ede");
	const char *cookie = value_of(w, n, "cookie");
	struct msg m;
	struct sent *s = take(r, &m, "an answer");
	const struct client *c = &r->clients[s->send.sock < r->n_clients ? s->send.sock : 0];

	CHECK(s->send.way == ENGINE_CLIENT_UDP || s->send.way == ENGINE_CLIENT_TCP);
	CHECK(strcmp(c->label, w[1]) == 0);
	CHECK(m.id == 0x4000 + s->send.sock && s->send.gen == 7);
	if (strcmp(w[2], "asis") == 0) {
		CHECK(s->send.len == r->reply_len);
		CHECK(memcmp(s->bytes + 2, r->reply + 2, r->reply_len - 2) == 0);
		return;
	}
	CHECK((m.flags & DNS_QR) != 0 && (m.flags & DNS_RA) != 0);
	CHECK(m.rcode == scene_rcode(w[2]));
	CHECK(((m.flags & DNS_TC) != 0) == has_word(w, n, "tc"));
	CHECK(((m.flags & DNS_AA) != 0) == has_word(w, n, "aa"));
	CHECK(((m.flags & DNS_AD) != 0) == has_word(w, n, "ad"));
	CHECK(m.edns.present == c->edns && m.edns.do_bit == c->do_bit);
	CHECK(memcmp(s->bytes + DNS_HEADER_LEN, c->spelled, c->question) == 0); /* D24 */
	CHECK(ede == NULL || msg_ede(&m) == atoi(ede));
	CHECK(cookie == NULL || brings_cookie(r, &m, cookie));
	check_records(r, s, &m);
}

static void
do_counter(struct run *r, char **w, unsigned n)
{
	const struct stats *one[1] = { engine_stats(r->e) };
	struct stats_row rows[STATS_N];

	(void)n;
	stats_sum(one, 1, rows);
	for (unsigned i = 0; i < STATS_N; i++) {
		if (strcmp(rows[i].name, w[1]) != 0)
			continue;
		if (rows[i].value != strtoull(w[2], NULL, 10))
			FAIL(r, "%s is %llu", w[1], (unsigned long long)rows[i].value);
		return;
	}
	FAIL(r, "no counter %s", w[1]);
}

static void
do_nothing(struct run *r, char **w, unsigned n)
{
	bool something_was_sent = r->taken < r->n_pending;
	struct msg m;
	struct sent *s;

	(void)w;
	(void)n;
	if (!something_was_sent)
		return;
	s = take(r, &m, "");
	CHECK(!something_was_sent);
}

/* --- the runner --- */

static const struct {
	const char *word;
	unsigned least; /* words, with this one */
	void (*run)(struct run *r, char **w, unsigned n);
} commands[] = {
	{ "ask", 5, do_ask },
	{ "reply", 3, do_reply },
	{ "malformed", 2, do_malformed },
	{ "lost", 3, do_lost },
	{ "refused", 2, do_refused },
	{ "unplug", 2, do_plug },
	{ "plug", 2, do_plug },
	{ "pass", 2, do_pass },
	{ "reload", 1, do_reload },
	{ "question", 6, do_question },
	{ "answer", 3, do_answer },
	{ "nothing", 1, do_nothing },
	{ "counter", 3, do_counter },
};

static void
do_line(struct run *r, char **w, unsigned n)
{
	if (do_setting(r, w, n))
		return;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(w[0], commands[i].word) == 0 && n >= commands[i].least) {
			commands[i].run(r, w, n);
			return;
		}
	}
	FAIL(r, "cannot read this line");
}

static unsigned
split(char *line, char *words[static WORDS])
{
	unsigned n = 0;

	for (char *p = strtok(line, " \t\n"); p != NULL && n < WORDS; p = strtok(NULL, " \t\n"))
		words[n++] = p;
	return n;
}

static void
finish_command(struct run *r, char *command, unsigned line)
{
	char *words[WORDS];
	unsigned n = split(command, words);
	unsigned here = r->line;

	if (n > 0) {
		r->line = line;
		do_line(r, words, n);
		r->line = here;
	}
	command[0] = 0;
	r->n_records = 0;
}

static void
run_file(struct run *r, FILE *f)
{
	char line[SCENE_TEXT];
	char command[SCENE_TEXT] = "";
	unsigned command_line = 0;

	while (fgets(line, sizeof(line), f) != NULL) {
		char *comment = strchr(line, ';');

		r->line++;
		if (comment != NULL)
			*comment = 0;
		line[strcspn(line, "\n")] = 0;
		if (line[strspn(line, " \t")] == 0)
			continue;
		if (line[0] == ' ' || line[0] == '\t') {
			ck_assert_uint_lt(r->n_records, MAX_PENDING);
			snprintf(r->records[r->n_records++], SCENE_TEXT, "%s",
			    line + strspn(line, " \t"));
			continue;
		}
		finish_command(r, command, command_line);
		snprintf(command, sizeof(command), "%s", line);
		command_line = r->line;
	}
	finish_command(r, command, command_line);
}

START_TEST(scenario)
{
	struct run *r = calloc(1, sizeof(*r));
	char path[8192];
	FILE *f;

	ck_assert_ptr_nonnull(r);
	snprintf(path, sizeof(path), "%s/%s", dir, files[_i]);
	f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	r->file = files[_i];
	r->now_ns = 1000000000000;
	r->conf.selection = CONF_IN_ORDER;
	r->conf.timeout_ms = 1000;
	r->conf.resend_attempts = 2;
	r->conf.udp_size_client = 1232;
	r->conf.udp_size_upstream = 1232;
	r->conf.max_queries = 1024;
	set_upstreams(r, 1, 1);
	for (unsigned u = 0; u < ENGINE_MAX_UPSTREAMS; u++)
		r->socket_of[u] = -1;
	run_file(r, f);
	fclose(f);
	if (r->taken != r->n_pending)
		FAIL(r, "%u messages left over at the end", r->n_pending - r->taken);
	ck_assert_ptr_nonnull(r->e);
	if (engine_in_flight(r->e) != 0)
		FAIL(r, "%u queries in flight at the end", engine_in_flight(r->e));
	engine_free(r->e);
	policies_unref(r->active.policies);
	for (unsigned i = 0; i < r->n_pending; i++)
		free(r->pending[i].bytes);
	free(r);
}
END_TEST

static int
is_scenario(const struct dirent *d)
{
	size_t len = strlen(d->d_name);

	return len > 4 && strcmp(d->d_name + len - 4, ".scn") == 0;
}

int
main(void)
{
	const char *top = getenv("TEST_SRCDIR");
	struct dirent **entries;
	Suite *s = suite_create("scenarios");
	TCase *tc = tcase_create("scenarios");
	SRunner *sr;
	int failed;

	snprintf(dir, sizeof(dir), "%s/scenarios", top != NULL ? top : "tests");
	n_files = scandir(dir, &entries, is_scenario, alphasort);
	if (n_files <= 0 || n_files > MAX_FILES) {
		fprintf(stderr, "no scenarios in %s\n", dir);
		return 1;
	}
	for (int i = 0; i < n_files; i++)
		files[i] = entries[i]->d_name;
	tcase_add_loop_test(tc, scenario, 0, n_files);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	for (int i = 0; i < n_files; i++)
		free(entries[i]);
	free(entries);
	return failed == 0 ? 0 : 1;
}
