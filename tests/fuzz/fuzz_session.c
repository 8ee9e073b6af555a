/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes are what befalls an engine, one thing after the other: questions, replies, forgeries,
 * time, flushes, connections that end, sockets that are refused, replaced or missing, reloads. The
 * first byte is the settings to begin with, then each thing is a byte that says what (enum thing)
 * and some that say more.
 */
#include <string.h>

#include "base/clock.h"
#include "cache/cache.h"
#include "dns/name.h"
#include "fuzz/fuzz.h"
#include "fuzz/speak.h"
#include "outbound/tcp_pool.h"
#include "support/configured.h"

#define THINGS_MAX 200 /* in one input */
#define RAW_MAX 255

enum thing {
	ASK_UDP,
	ASK_TCP,
	ASK_RAW,
	REPLY,
	REPLY_RAW,
	TWICE,  /* a reply that is not the last */
	FORGED, /* a reply with another ID */
	DENY,
	PASS,
	FLUSH,
	LOST,
	FULL,
	REFUSED,
	SOCKET,
	RELOAD,
	THINGS
};

/* Bits of the byte that chooses settings. */
enum {
	TWO_UPSTREAMS = 1,
	MIXED_CASE = 2,
	COOKIES = 4,
	NO_ROTATION = 8,
	CLIENT_COOKIES = 16,
	HEDGED = 32,
	LOCAL = 64,
	OTHER_POLICIES = 128
};

static struct policies *
policies(bool others)
{
	static const char plan[] = "dns64-prefix 64:ff9b::/96\n"
				   "dns64-prefix 2001:db8:64::/96\n"
				   "svcb-additional resolve\n";
	static const char other[] = "dns64-prefix 64:ff9b::/96\n"
				    "exclude-a 192.0.2.0/25\n"
				    "ignore-aaaa example.net\n"
				    "hide-a yes\n"
				    "max-synthesized 1\n"
				    "never-synthesize b.example.com\n"
				    "client ::2 {\n"
				    "dns64-prefix 2001:db8:64::/64 drain\n"
				    "any minimal\n"
				    "}\n";
	static struct policies *made[2];

	if (made[others] == NULL)
		made[others] = configured_policies(others ? other : plan);
	return made[others];
}

/* The settings change: two take turns. */
static void
reload(struct fuzz *f, uint8_t bits)
{
	static struct conf_core confs[2];
	static unsigned turn;
	struct conf_core *c = &confs[++turn % 2];

	*c = f->conf;
	c->upstreams[1] = c->upstreams[0];
	c->upstreams[1].addr.addr[15] = 2;
	c->n_upstreams = (bits & TWO_UPSTREAMS) != 0 ? 2 : 1;
	c->case_randomization = (bits & MIXED_CASE) != 0;
	c->cookies.upstream = (bits & COOKIES) != 0;
	c->keep.rotate = (bits & NO_ROTATION) == 0;
	c->cookies.client = (bits & CLIENT_COOKIES) != 0;
	c->cookies.n_secrets = 1;
	c->hedge = (bits & HEDGED) != 0;
	c->selection = c->hedge ? CONF_FASTEST : CONF_IN_ORDER;
	c->local_zones = (bits & LOCAL) != 0;
	c->upstreams[0].trusted = c->local_zones;
	c->any_trusted = c->local_zones;
	c->policies = policies((bits & OTHER_POLICIES) != 0);
	memcpy(c->chaos.version, "fuzz", 5);
	engine_set_conf(f->engine, c, f->now_ns);
	fuzz_drain(f);
	fuzz_open_sockets(f);
}

static void
ask(struct fuzz *f, struct script *s, enum transport transport)
{
	uint8_t msg[SPEAK_MAX];
	size_t len = speak_question(s, msg);

	fuzz_ask(f, transport, script_byte(s) % 4, msg, len);
}

/* As many bytes as the next one says, or as are left. */
static const uint8_t *
raw(struct script *s, size_t *len)
{
	const uint8_t *bytes;

	*len = script_byte(s);
	if (*len > s->len - s->at)
		*len = s->len - s->at;
	bytes = s->data + s->at;
	s->at += *len;
	return bytes;
}

static void
ask_raw(struct fuzz *f, struct script *s)
{
	size_t len;
	const uint8_t *msg = raw(s, &len);

	fuzz_ask(f, TRANSPORT_UDP, 1, msg, len);
}

/* The open question that the next byte chooses. False: there is none. */
static bool
choose(const struct fuzz *f, struct script *s, unsigned *which)
{
	uint8_t byte = script_byte(s);

	if (f->n_open > 0)
		*which = byte % f->n_open;
	return f->n_open > 0;
}

static void
reply(struct fuzz *f, struct script *s, enum thing thing)
{
	uint8_t msg[SPEAK_MAX];
	const uint8_t *bytes = msg;
	unsigned which;
	size_t len;

	if (!choose(f, s, &which))
		return;
	const struct packet_out to = f->open[which]->to;
	if (thing == REPLY_RAW)
		bytes = raw(s, &len);
	else
		len = speak_reply(s, f->open[which], msg);
	if (thing == FORGED)
		msg[1] ^= 1;
	if (thing == FORGED || thing == TWICE)
		fuzz_input(f, to.to.transport, to.to.sock, bytes, len);
	else
		fuzz_reply(f, which, bytes, len);
}

/* From a millisecond to a quarter of an hour. */
static void
pass(struct fuzz *f, struct script *s)
{
	uint8_t byte = script_byte(s);

	fuzz_pass(f, ((uint64_t)(byte & 7) + 1) * NS_PER_MS << (byte >> 3) % 18);
}

static void
flush(struct fuzz *f, struct script *s)
{
	uint8_t byte = script_byte(s);
	const uint8_t *name = speak_name(byte >> 4);

	if ((byte & 3) == 0)
		cache_flush_all(f->conf.cache);
	else if ((byte & 3) == 1)
		(void)cache_flush_name(f->conf.cache, name, name_len(name));
	else
		(void)cache_flush_below(
		    f->conf.cache, name, name_len(name), (uint32_t)(f->now_ns / NS_PER_SEC));
}

/* A connection ends, with all that was asked over it; or it took one question not at all. */
static void
lose(struct fuzz *f, struct script *s, enum thing thing)
{
	bool established = (script_byte(s) & 1) != 0;
	unsigned which;

	if (!choose(f, s, &which) ||
	    !packet_is(&f->open[which]->to.to, PACKET_UPSTREAM, TRANSPORT_TCP))
		return;
	uint32_t conn = f->open[which]->to.to.sock;
	uint16_t id = header_id(f->open[which]->bytes);
	fuzz_close(f, which);
	if (thing == FULL)
		engine_tcp_full(f->engine, conn, id, f->now_ns);
	else
		engine_tcp_lost(f->engine, conn, established, f->now_ns);
	fuzz_drain(f);
}

static void
refuse(struct fuzz *f, struct script *s)
{
	unsigned u = script_byte(s) & 1;
	int slot = f->slot[u];

	if (slot < 0)
		return;
	fuzz_replace_socket(f, u);
	engine_refused(f->engine, u, slot, f->now_ns);
	fuzz_drain(f);
}

/* The socket is replaced, or there is none for a while. */
static void
change_socket(struct fuzz *f, struct script *s)
{
	uint8_t byte = script_byte(s);

	if (f->slot[byte & 1] < 0)
		fuzz_open_sockets(f);
	else if ((byte & 2) == 0)
		fuzz_replace_socket(f, byte & 1);
	else
		fuzz_lose_socket(f, byte & 1);
}

static void
befall(struct fuzz *f, struct script *s)
{
	enum thing thing = (enum thing)(script_byte(s) % THINGS);

	switch (thing) {
	case ASK_UDP:
		ask(f, s, TRANSPORT_UDP);
		break;
	case ASK_TCP:
		ask(f, s, TRANSPORT_TCP);
		break;
	case ASK_RAW:
		ask_raw(f, s);
		break;
	case REPLY:
	case REPLY_RAW:
	case TWICE:
	case FORGED:
		reply(f, s, thing);
		break;
	case DENY:
		fuzz_deny(f);
		break;
	case PASS:
		pass(f, s);
		break;
	case FLUSH:
		flush(f, s);
		break;
	case LOST:
	case FULL:
		lose(f, s, thing);
		break;
	case REFUSED:
		refuse(f, s);
		break;
	case SOCKET:
		change_socket(f, s);
		break;
	case RELOAD:
		reload(f, script_byte(s));
		break;
	case THINGS:
		break;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct script s = { .data = data, .len = len };
	struct fuzz *f = fuzz_begin();

	reload(f, script_byte(&s));
	for (unsigned i = 0; i < THINGS_MAX && s.at < s.len; i++) {
		befall(f, &s);
		fuzz_audit(f);
	}
	fuzz_open_sockets(f);
	fuzz_end(f);
	return 0;
}
