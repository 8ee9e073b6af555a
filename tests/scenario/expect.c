/* SPDX-License-Identifier: BSD-2-Clause */
#include "scenario/expect.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dns/name.h"
#include "dns/wire.h"
#include "support/hex.h"

#define EDES 64 /* room for a list of extended errors */

/* The next thing sent, parsed. */
static struct sent *
take(struct run *r, struct msg *m, const char *wanted)
{
	struct sent *s;

	if (r->taken == r->n_pending)
		stage_fail(r, "%s expected, nothing was sent", wanted);
	s = &r->pending[r->taken++];
	ck_assert_int_eq(msg_parse(m, s->bytes, s->send.len), MSG_OK);
	return s;
}

static void __attribute__((noreturn))
not_so(const struct run *r, const struct sent *s, const struct msg *m, const char *what)
{
	char got[6000];

	scene_describe(m, got, sizeof(got));
	stage_fail(r, "not so: %s; to a %s over %s, sock %u: %s", what,
	    s->send.to.side == PACKET_CLIENT ? "client" : "upstream",
	    transport_traits[s->send.to.transport].name, s->send.to.sock, got);
}

#define CHECK(cond) ((cond) ? (void)0 : not_so(r, s, &m, #cond))

static const struct client *
find_client(struct run *r, const char *label)
{
	for (unsigned i = r->n_clients; i-- > 0;) {
		if (strcmp(r->clients[i].label, label) == 0)
			return &r->clients[i];
	}
	stage_fail(r, "no client called %s", label);
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
	const char *class = stage_value(w, n, "class");
	const char *cookie = stage_value(w, n, "cookie");
	const char *bufsize = stage_value(w, n, "bufsize");
	uint8_t name[DNS_NAME_MAX];
	struct msg m = *mm;

	stage_name(r, w[4], name);
	CHECK(m.qname_len == name_len(name) && name_equal(msg_qname(&m), name));
	CHECK((memcmp(msg_qname(&m), name, m.qname_len) != 0) == stage_has(w, n, "mixed"));
	CHECK(m.qtype == stage_type(r, w[5]));
	CHECK(m.qclass == (class != NULL ? atoi(class) : DNS_CLASS_IN));
	CHECK(((m.flags & DNS_CD) != 0) == stage_has(w, n, "cd"));
	CHECK((m.flags & (DNS_RD | DNS_AD)) == (DNS_RD | DNS_AD)); /* D9, D10 */
	CHECK(m.edns.present == !stage_has(w, n, "noedns"));
	CHECK(m.edns.do_bit == stage_has(w, n, "do"));
	CHECK(cookie == NULL || has_cookie(&m, cookie));
	CHECK(bufsize == NULL || m.edns.bufsize == atoi(bufsize));
}

static void
do_question(struct run *r, char **w, unsigned n)
{
	struct stage_asked *q = &r->questions[r->n_questions++];
	const char *unlike = stage_value(w, n, "unlike");
	bool tcp = strcmp(w[3], "tcp") == 0;
	struct msg m;
	struct sent *s = take(r, &m, "a question");
	unsigned u;

	ck_assert_uint_lt(r->n_questions, STAGE_MAX_NAMED);
	CHECK(packet_is(&s->send.to, PACKET_UPSTREAM, tcp ? TRANSPORT_TCP : TRANSPORT_UDP));
	u = tcp ? s->send.to.sock / TCP_POOL_SIZE : r->upstream_of[s->send.to.sock];
	CHECK(strcmp(w[2], "u?") == 0 || stage_upstream(r, w[2]) == u);
	CHECK(unlike == NULL || wire_u16(stage_asked(r, unlike)->bytes) != m.id);
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
		struct msg_walk w = msg_walk(&m, (enum msg_section)sec);
		struct rr rr;

		while (msg_walk_next(&w, &rr)) {
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

				scene_describe(&m, got, sizeof(got));
				stage_fail(r, "record %u: wanted %s, got %s", at + 1, wanted, got);
			}
			at++;
		}
	}
	CHECK(at == r->n_records);
}

/* The info codes of the extended errors, as "29,22"; "none" without any. */
static void
edes_text(const struct msg *m, char text[static EDES])
{
	const uint8_t *options = m->edns.options;
	size_t len = 0;

	strcpy(text, "none");
	for (size_t at = 0; at + 6 <= m->edns.options_len; at += 4u + wire_u16(options + at + 2)) {
		if (wire_u16(options + at) == EDNS_EDE && len < EDES)
			len += (size_t)snprintf(text + len, EDES - len, "%s%u", len > 0 ? "," : "",
			    wire_u16(options + at + 4));
	}
}

/* An extended error of ours with info code 0 says nothing without the text (RFC 8914 section 4.1).
 */
static bool
says_why(const struct msg *m, enum reason reason)
{
	const struct reason_row *row = reason_row(reason);
	const uint8_t *options = m->edns.options;
	size_t len = strlen(row->text);

	if (row->ede != DNS_EDE_OTHER)
		return true;
	for (size_t at = 0; at + 6 <= m->edns.options_len; at += 4u + wire_u16(options + at + 2)) {
		if (wire_u16(options + at) != EDNS_EDE ||
		    wire_u16(options + at + 4) != DNS_EDE_OTHER)
			continue;
		return wire_u16(options + at + 2) == 2 + len &&
		    memcmp(options + at + 6, row->text, len) == 0;
	}
	return true;
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
	const char *ede = stage_value(w, n, "ede");
	const char *cookie = stage_value(w, n, "cookie");
	const char *reason = stage_value(w, n, "reason");
	char edes[EDES];
	struct msg m;
	struct sent *s = take(r, &m, "an answer");
	const struct client *c = &r->clients[s->send.to.sock < r->n_clients ? s->send.to.sock : 0];

	CHECK(s->send.to.side == PACKET_CLIENT);
	CHECK(strcmp(c->label, w[1]) == 0);
	CHECK(s->send.len <= c->limit);
	CHECK(m.id == 0x4000 + s->send.to.sock && s->send.to.gen == 7);
	ck_assert_uint_lt(s->reason, REASON_N); /* each answer has one */
	if (reason != NULL && strcmp(reason, reason_row(s->reason)->name) != 0)
		stage_fail(r, "the reason is %s", reason_row(s->reason)->name);
	if (strcmp(w[2], "asis") == 0) {
		CHECK(s->send.len == r->reply_len);
		CHECK(memcmp(s->bytes + 2, r->reply + 2, r->reply_len - 2) == 0);
		return;
	}
	CHECK((m.flags & DNS_QR) != 0 && (m.flags & DNS_RA) != 0);
	CHECK(m.rcode == scene_rcode(w[2]));
	CHECK(((m.flags & DNS_TC) != 0) == stage_has(w, n, "tc"));
	CHECK(((m.flags & DNS_AA) != 0) == stage_has(w, n, "aa"));
	CHECK(((m.flags & DNS_AD) != 0) == stage_has(w, n, "ad"));
	/* D24: RD and CD are the question's. */
	CHECK(((m.flags ^ wire_u16(c->bytes + 2)) & (DNS_RD | DNS_CD)) == 0);
	CHECK(m.edns.present == c->edns && m.edns.do_bit == c->do_bit);
	CHECK(memcmp(s->bytes + DNS_HEADER_LEN, c->spelled, c->question) == 0); /* D24 */
	edes_text(&m, edes);
	CHECK(ede == NULL || strcmp(ede, edes) == 0);
	CHECK(says_why(&m, s->reason));
	CHECK(cookie == NULL || brings_cookie(r, &m, cookie));
	check_records(r, s, &m);
}

static void
check_reason(struct run *r, enum reason reason, unsigned long long wanted)
{
	const struct stats *one[1] = { engine_stats(r->e) };
	struct stats_reason rows[REASON_N];
	unsigned long long n;

	stats_sum_reasons(one, 1, rows);
	n = rows[reason].at_once + rows[reason].waited;
	if (n != wanted)
		stage_fail(r, "%s is %llu", reason_row(reason)->name, n);
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
			stage_fail(r, "%s is %llu", w[1], (unsigned long long)rows[i].value);
		return;
	}
	for (unsigned i = 0; i < REASON_N; i++) {
		if (strcmp(reason_row((enum reason)i)->name, w[1]) == 0) {
			check_reason(r, (enum reason)i, strtoull(w[2], NULL, 10));
			return;
		}
	}
	stage_fail(r, "no counter %s", w[1]);
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

static const struct {
	const char *word;
	unsigned least; /* words, with this one */
	void (*run)(struct run *r, char **w, unsigned n);
} commands[] = {
	{ "question", 6, do_question },
	{ "answer", 3, do_answer },
	{ "nothing", 1, do_nothing },
	{ "counter", 3, do_counter },
};

bool
expect(struct run *r, char **w, unsigned n)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(w[0], commands[i].word) == 0 && n >= commands[i].least) {
			commands[i].run(r, w, n);
			return true;
		}
	}
	return false;
}
