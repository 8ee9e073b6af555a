/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/session.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dns/edit.h"
#include "dns/msg.h"
#include "dns/wire.h"
#include "io/proxy.h"
#include "io/shell.h"

#define SESSION_NONE UINT32_MAX

int
session_init(struct shell *sh, uint32_t cap)
{
	struct sessions *ss = &sh->sessions;
	int r;

	list_init(&ss->readable);
	list_init(&ss->writable);
	list_init(&ss->fresh);
	list_init(&ss->idle);
	list_init(&ss->busy);
	list_init(&ss->partial);
	list_init(&ss->resume);
	list_init(&ss->dirty);
	list_init(&ss->blocked);
	/* Zeroed pages, touched as connections come. */
	ss->s = calloc((size_t)cap + 1, sizeof(*ss->s));
	if (ss->s == NULL)
		return -ENOMEM;
	r = tcp_clients_init(&ss->peers, cap, rng_u64(&sh->rng));
	if (r < 0) {
		free(ss->s);
		ss->s = NULL;
		return r;
	}
	ss->cap = cap;
	ss->free = SESSION_NONE;
	return 0;
}

/* Close S now, and free its place. Not while the engine is called. */
static void
session_close(struct shell *sh, struct session *s)
{
	const struct linger reset = { .l_onoff = 1, .l_linger = 0 };
	struct sessions *ss = &sh->sessions;

	/* Discard unsent bytes with a reset, so that they do not stay in the kernel's memory. */
	if (s->out.len > 0)
		(void)setsockopt(s->link.fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	fd_event_close(&s->rd);
	fd_event_close(&s->wr);
	list_unlink(&s->age);
	list_unlink(&s->part);
	list_unlink(&s->wait);
	list_unlink(&s->send);
	tcp_clients_give(&ss->peers, &s->seat);
	carrier_end(&s->link);
	s->open = false;
	s->gen++;
	stream_in_clear(&s->in, &sh->mem);
	stream_out_clear(&s->out, &sh->mem);
	s->next_free = ss->free;
	ss->free = (uint32_t)(s - ss->s);
	ss->n--;
}

void
session_fini(struct shell *sh)
{
	struct sessions *ss = &sh->sessions;

	if (ss->s == NULL)
		return;
	for (uint32_t i = 0; i < ss->n_touched; i++)
		if (ss->s[i].open)
			session_close(sh, &ss->s[i]);
	tcp_clients_fini(&ss->peers);
	free(ss->s);
	ss->s = NULL;
}

/* Take a free entry of the table; the caller knows that there is one. */
static struct session *
session_place(struct sessions *ss)
{
	struct session *s;

	if (ss->free == SESSION_NONE)
		return &ss->s[ss->n_touched++];
	s = &ss->s[ss->free];
	ss->free = s->next_free;
	return s;
}

/* Have the next session_flush look at S, also if its socket is full. */
static void
session_dirty(struct sessions *ss, struct session *s)
{
	list_unlink(&s->send);
	list_push(&ss->dirty, &s->send);
}

/* Have the next session_flush close S; no more of its bytes are taken or sent. */
static void
session_end(struct sessions *ss, struct session *s)
{
	s->dead = true;
	session_dirty(ss, s);
}

/* S has just sent or received a message. */
static void
session_active(struct shell *sh, struct session *s)
{
	struct sessions *ss = &sh->sessions;
	bool busy = s->in_flight > 0 || s->out.len > 0;

	s->active_ns = sh->now_ns;
	list_unlink(&s->age);
	list_push(busy ? &ss->busy : s->asked ? &ss->idle : &ss->fresh, &s->age);
	tcp_clients_seat(&ss->peers, &s->seat, busy);
}

/*
 * Close the connection with SEAT, which gives way to one of PEER. False: it is NULL, none does, and
 * the limit of KEYWORD forbids the new one.
 */
static bool
session_yield(
    struct shell *sh, struct fair_place *seat, const struct netaddr *peer, const char *keyword)
{
	const struct connlog_event e = { sh->logonce, peer, sh->now_ns };

	if (seat == NULL) {
		stats_inc(&sh->stats->tcp_refused);
		connlog_client_limit(&e, &sh->sessions.said, keyword);
		return false;
	}
	stats_inc(&sh->stats->tcp_evicted);
	session_close(sh, LIST_OBJECT(seat, struct session, seat));
	return true;
}

/* May CLIENT have one more connection? One of its own may give way. */
static bool
session_welcome(struct shell *sh, const struct netaddr *client)
{
	struct tcp_clients *peers = &sh->sessions.peers;
	unsigned full;

	/* Unlike a question of its, which gets nothing, a connection would take room. */
	if (engine_ignores(sh->engine, client)) {
		stats_inc(&sh->stats->client_ignored);
		return false;
	}
	full = tcp_clients_full(peers, client, sh->conf->max_tcp_per_client);
	return full == 0 ||
	    session_yield(
		sh, tcp_clients_idlest(peers, client, full), client, "max-tcp-per-client");
}

/* Is there a place for a connection of PEER? Another one may give way. */
static bool
session_has_place(struct shell *sh, const struct netaddr *peer)
{
	struct sessions *ss = &sh->sessions;
	struct fair_place *seat;

	if (ss->n < ss->cap)
		return true;
	seat = tcp_clients_yielding(&ss->peers, peer);
	if (seat == NULL)
		seat = tcp_clients_idlest(&ss->peers, peer, 0);
	return session_yield(sh, seat, peer, "max-tcp-clients");
}

/* Whether a header may come on a new connection of PEER. */
static enum session_header
session_header_of(const struct shell *sh, const struct netaddr *peer)
{
	if (sh->conf->n_proxies == 0)
		return SESSION_HEADER_UNKNOWN;
	return proxy_is(sh->conf, peer) ? SESSION_HEADER_DUE : SESSION_HEADER_NONE;
}

void
session_open(struct shell *sh, int fd, const struct netaddr *peer)
{
	enum session_header header = session_header_of(sh, peer);
	struct sessions *ss = &sh->sessions;
	struct session *s;

	if ((header != SESSION_HEADER_DUE && !session_welcome(sh, peer)) ||
	    !session_has_place(sh, peer)) {
		close(fd);
		return;
	}
	s = session_place(ss);
	*s = (struct session){
		.gen = s->gen, .open = true, .header = (uint8_t)header, .peer = *peer
	};
	carrier_accept(&s->link, TRANSPORT_TCP, fd);
	list_init(&s->age);
	list_init(&s->part);
	list_init(&s->wait);
	list_init(&s->send);
	tcp_clients_take(&ss->peers, peer, &s->seat);
	session_active(sh, s);
	fd_event_open(&s->rd, sh->base, fd, EV_READ, &ss->readable);
	fd_event_open(&s->wr, sh->base, fd, EV_WRITE, &ss->writable);
	ss->n++;
	stats_inc(&sh->stats->tcp_accepted);
	if (fd_event_on(&s->rd) < 0)
		session_close(sh, s);
}

/* It is known that CLIENT asks over S, which has no question yet. False: it may not, S ends. */
static bool
session_identify(struct shell *sh, struct session *s, const struct netaddr *client)
{
	struct sessions *ss = &sh->sessions;
	bool welcome;

	s->header = SESSION_HEADER_NONE;
	/* Without a seat it can neither be counted nor give way itself. */
	tcp_clients_give(&ss->peers, &s->seat);
	welcome = session_welcome(sh, client);
	s->peer = *client;
	tcp_clients_take(&ss->peers, client, &s->seat);
	tcp_clients_seat(&ss->peers, &s->seat, false);
	if (!welcome)
		session_end(ss, s);
	return welcome;
}

void
session_shed(struct shell *sh)
{
	struct sessions *ss = &sh->sessions;

	for (uint32_t i = 0; i < ss->n_touched; i++) {
		const struct session *s = &ss->s[i];

		if (!s->open || s->header == SESSION_HEADER_DUE ||
		    !engine_ignores(sh->engine, &s->peer))
			continue;
		stats_inc(&sh->stats->client_ignored);
		session_close(sh, &ss->s[i]);
	}
}

/* S has fewer open questions or unsent bytes than before: resume it at half of its limits. */
static void
session_relieve(struct shell *sh, struct session *s)
{
	if (!s->stalled || !list_empty(&s->wait) || s->dead)
		return;
	if (s->in_flight > SESSION_QUESTIONS / 2 || s->out.len > SESSION_UNSENT / 2)
		return;
	list_push(&sh->sessions.resume, &s->wait);
	sh->again = true;
}

/* Count and log that S is closed because its client reads no answers. */
static void
session_say_stall(struct shell *sh, const struct session *s)
{
	const struct connlog_event e = { sh->logonce, &s->peer, sh->now_ns };

	stats_inc(&sh->stats->tcp_stalled);
	connlog_client_stall(&e, &sh->sessions.said);
}

/*
 * Ask the client in its answer of LEN bytes, in sh->tcp_buf, to end the connection: a time of 0
 * (RFC 7828 section 3.4). Returns the answer's new length. One without an OPT stays as it is, and
 * so does a signed one (RULES D20).
 */
static size_t
session_ask_to_end(struct shell *sh, size_t len)
{
	static const uint8_t at_once[2] = { 0 };
	struct msg m;

	if (msg_parse(&m, sh->tcp_buf, len) != MSG_OK || m.signature || m.qtype == DNS_TYPE_TKEY)
		return len;
	return edit_append_option(
	    sh->tcp_buf, PACKET_TCP_CAP, &m, EDNS_KEEPALIVE, at_once, sizeof(at_once));
}

void
session_answer(struct shell *sh, const struct packet_out *send)
{
	struct sessions *ss = &sh->sessions;
	size_t len = send->len;
	struct session *s;

	if (send->to.sock >= ss->n_touched)
		return;
	s = &ss->s[send->to.sock];
	if (!s->open || s->gen != send->to.gen)
		return;
	if (s->in_flight > 0)
		s->in_flight--;
	if (s->dead)
		return;
	if (UNLIKELY(ss->lameduck))
		len = session_ask_to_end(sh, len);
	if (!stream_put(&s->out, &sh->mem, sh->tcp_buf, len)) {
		/* Other connections hold all chunks. A client that keeps up can still get this
		 * answer, by a direct write. */
		if (s->out.len > 0 || !stream_direct(&s->link, sh->tcp_buf, len)) {
			session_say_stall(sh, s);
			s->dead = true;
		}
	}
	if (s->write_ns == 0 || s->dead)
		session_dirty(ss, s);
	session_relieve(sh, s);
}

/*
 * The socket of S is full. Its client is not slow if it has taken N bytes now, and enough of them
 * since write_ns.
 */
static void
session_blocked(struct shell *sh, struct session *s, size_t n)
{
	s->taken += n;
	if (s->write_ns == 0 || s->taken >= SESSION_PACE) {
		s->write_ns = sh->now_ns;
		s->taken = 0;
		session_active(sh, s);
	}
	list_push(&sh->sessions.blocked, &s->send);
}

/* Write what is queued. False: the connection is to be closed. */
static bool
session_write(struct shell *sh, struct session *s)
{
	size_t len = s->out.len;
	int r;

	if (s->dead)
		return false;
	r = stream_write(&s->out, &sh->mem, &s->link);
	if (r < 0)
		return false;
	if (r == 0) {
		session_blocked(sh, s, len - s->out.len);
		if (fd_event_on(&s->wr) < 0)
			return false;
	} else {
		s->write_ns = 0;
		s->taken = 0;
		if (s->eof && s->in_flight == 0)
			return false;
		session_active(sh, s);
	}
	session_relieve(sh, s);
	return true;
}

void
session_flush(struct shell *sh)
{
	struct sessions *ss = &sh->sessions;
	unsigned left = SESSION_WRITES;
	struct fd_event *src;
	struct list *link;

	while (left > 0 && (src = fd_event_take(&ss->writable)) != NULL) {
		fd_event_off(src);
		session_dirty(ss, LIST_OBJECT(src, struct session, wr));
		left--;
	}
	if (!list_empty(&ss->writable))
		sh->again = true;
	while ((link = list_pop(&ss->dirty)) != NULL) {
		struct session *s = LIST_OBJECT(link, struct session, send);

		if (!session_write(sh, s))
			session_close(sh, s);
	}
}

/* --- questions are read ----------------------------------------------------------------------- */

/* How many questions of S may be taken now, UDP_BATCH at most. */
static uint32_t
session_limit(const struct session *s)
{
	uint32_t n = SESSION_QUESTIONS - s->in_flight;

	if (s->dead || s->out.len > SESSION_UNSENT || s->in_flight >= SESSION_QUESTIONS)
		return 0;
	return n < UDP_BATCH ? n : UDP_BATCH;
}

/* Stop reading S until it has fewer open questions or unsent bytes. */
static void
session_stall(struct session *s)
{
	s->stalled = true;
	fd_event_off(&s->rd);
}

/* Fill in where a message of S comes from. */
static void
session_input(const struct shell *sh, const struct session *s, struct packet_in *in)
{
	in->from = (struct packet_route){ .side = PACKET_CLIENT,
		.transport = s->link.transport,
		.sock = (uint32_t)(s - sh->sessions.s),
		.gen = s->gen,
		.peer = s->peer };
}

/*
 * Take up to LIMIT questions from the window; *TAKEN is their number. Returns the verdict on the
 * bytes that follow them.
 */
static enum stream_verdict
session_batch(
    struct shell *sh, struct session *s, struct stream_window *w, uint32_t limit, unsigned *taken)
{
	enum stream_verdict v = STREAM_FRAME;
	unsigned n = 0;

	while (n < limit) {
		v = stream_frame(w, &sh->in[n].msg, &sh->in[n].len);
		if (v != STREAM_FRAME)
			break;
		session_input(sh, s, &sh->in[n++]);
	}
	if (n > 0) {
		unsigned n_dropped;

		s->asked = true;
		s->in_flight += n;
		session_active(sh, s);
		n_dropped = shell_input(sh, n); /* its answers lower in_flight, too */
		s->in_flight -= n_dropped;
	}
	*taken = n;
	return v;
}

/* The next frame cannot be a message: have the engine count it, and close the connection. */
static void
session_bad(struct shell *sh, struct session *s, struct stream_window *w)
{
	if (stream_frame(w, &sh->in[0].msg, &sh->in[0].len) != STREAM_BAD)
		return;
	session_input(sh, s, &sh->in[0]);
	(void)shell_input(sh, 1);
	session_end(&sh->sessions, s);
}

/* Keep what is left in the window, and the time if it is a part of a question that S waits for. */
static void
session_keep(struct shell *sh, struct session *s, struct stream_window *w, bool partial)
{
	bool begun = w->used > 0 || list_empty(&s->part);

	if (!partial || w->used == w->len) {
		list_unlink(&s->part);
	} else if (begun) {
		s->part_ns = sh->now_ns;
		list_unlink(&s->part);
		list_push(&sh->sessions.partial, &s->part);
	}
	if (!stream_keep(&s->in, &sh->mem, w))
		session_end(&sh->sessions, s);
}

/* S, over which the PROXY header was refused for VERDICT, ends. The log names who sent it. */
static void
session_refuse(struct shell *sh, struct session *s, enum proxy_verdict verdict)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	struct packet_in in;

	session_input(sh, s, &in);
	if (getpeername(s->link.fd, (struct sockaddr *)&ss, &len) != 0 ||
	    !netaddr_from_sockaddr((struct sockaddr *)&ss, &in.from.peer))
		in.from.peer = s->peer;
	shell_refuse(sh, &in.from, verdict);
	session_end(&sh->sessions, s);
}

/* Does a PROXY header stand where one of the next N questions of W begins? */
static bool
has_header(const struct stream_window *w, uint32_t n)
{
	size_t at = w->used;

	for (uint32_t i = 0; i < n && at + 2 <= w->len; i++) {
		if (proxy_begins(w->at + at, w->len - at))
			return true;
		at += 2 + (size_t)wire_u16(w->at + at);
	}
	return false;
}

/* Find out who asks over S. False: the next N questions of W, if there are any, cannot be taken. */
static bool
session_take_header(struct shell *sh, struct session *s, struct stream_window *w, uint32_t n)
{
	enum proxy_verdict v = PROXY_SENDER;
	struct proxy_header h = { .len = 0 };

	if (s->header == SESSION_HEADER_DUE) {
		v = proxy_parse(w->at, w->len, &h);
		if (v == PROXY_PARTIAL) {
			session_keep(sh, s, w, true);
			return false;
		}
		if (v != PROXY_CLIENT && v != PROXY_SENDER) {
			session_refuse(sh, s, v);
			return false;
		}
		w->used = h.len;
		if (v == PROXY_CLIENT)
			stats_inc(&sh->stats->proxy_clients);
		if (!session_identify(sh, s, v == PROXY_CLIENT ? &h.client : &s->peer))
			return false;
	}
	if (!has_header(w, n))
		return true;
	session_refuse(sh, s, PROXY_UNEXPECTED);
	return false;
}

/* Take a batch of questions from the window. Returns their number. */
static unsigned
session_take(struct shell *sh, struct session *s, struct stream_window *w)
{
	enum stream_verdict v = STREAM_FRAME;
	uint32_t limit = session_limit(s);
	unsigned n = 0;

	if (UNLIKELY(s->header != SESSION_HEADER_UNKNOWN) && !session_take_header(sh, s, w, limit))
		return 0;
	if (limit > 0)
		v = session_batch(sh, s, w, limit, &n);
	if (v == STREAM_BAD) {
		session_bad(sh, s, w);
		return n;
	}
	session_keep(sh, s, w, v == STREAM_PARTIAL);
	if (v == STREAM_PARTIAL || s->dead || s->in.len == 0)
		return n;
	if (session_limit(s) == 0)
		session_stall(s);
	else if (list_empty(&s->wait))
		list_push(&sh->sessions.resume, &s->wait); /* others have their turn before */
	return n;
}

/* The client has closed its side; open questions are still answered (RFC 7766 section 6.2.4). */
static void
session_eof(struct shell *sh, struct session *s)
{
	if (UNLIKELY(s->header == SESSION_HEADER_DUE) && s->in.len > 0 && !sh->sessions.stopping)
		session_refuse(sh, s, PROXY_PARTIAL);
	s->eof = true;
	fd_event_off(&s->rd);
	list_unlink(&s->part);
	stream_in_clear(&s->in, &sh->mem);
	session_dirty(&sh->sessions, s);
}

/* When the loop stops, S is read until nothing is left, over several iterations. */
static void
session_mark(struct shell *sh, struct session *s)
{
	if (!sh->sessions.stopping)
		return;
	fd_event_mark(&s->rd);
	sh->again = true;
}

/* Read S once and take its questions. Returns their number. */
static unsigned
session_read(struct shell *sh, struct session *s)
{
	struct stream_window w;
	unsigned n;
	int r;

	/* On a list it has its turn by that; it may hold questions already. */
	if (s->eof || s->stalled || s->dead || !list_empty(&s->wait))
		return 0;
	r = stream_read(&s->in, &sh->mem, &s->link, &w);
	if (r > 0) {
		n = session_take(sh, s, &w);
		session_mark(sh, s);
		return n;
	}
	if (r == 0 || (r == -EAGAIN && sh->sessions.stopping))
		session_eof(sh, s);
	else if (r != -EAGAIN)
		session_close(sh, s);
	return 0;
}

/*
 * S is stalled no more, or has more to give: take questions that it holds, and watch its socket
 * again when they are few. Returns their number.
 */
static unsigned
session_go_on(struct shell *sh, struct session *s)
{
	struct stream_window w;
	unsigned n = 0;

	s->stalled = false;
	stream_held(&s->in, &w);
	if (w.len > 0)
		n = session_take(sh, s, &w);
	if (s->stalled || s->dead || !list_empty(&s->wait))
		return n;
	if (fd_event_on(&s->rd) < 0)
		session_end(&sh->sessions, s);
	else
		session_mark(sh, s);
	return n;
}

void
session_turn(struct shell *sh)
{
	struct sessions *ss = &sh->sessions;
	unsigned done = 0;

	/* Answers over TCP may be long: one batch of questions if the engine has had its turn. */
	while (done < SESSION_TURN && (done == 0 || !engine_spent(sh->engine))) {
		struct list *link = list_pop(&ss->resume);
		struct fd_event *src;

		if (link != NULL)
			done += 1 + session_go_on(sh, LIST_OBJECT(link, struct session, wait));
		src = fd_event_take(&ss->readable); /* not before: any session may be closed */
		if (link == NULL && src == NULL)
			return;
		if (src != NULL)
			done += 1 + session_read(sh, LIST_OBJECT(src, struct session, rd));
	}
	sh->again = true;
}

/* --- clients that are slow, or ask no more ---------------------------------------------------- */

/* How long a connection may be silent: the less room there is, the shorter. */
static uint64_t
session_idle_ns(const struct shell *sh)
{
	const struct sessions *ss = &sh->sessions;
	uint64_t most_ns = (uint64_t)sh->conf->tcp_idle_ms * 1000000;
	uint64_t over = ss->n > ss->cap / 2 ? ss->n - ss->cap / 2 : 0; /* half of the places */

	if (ss->lameduck && most_ns > SESSION_LAMEDUCK_NS)
		most_ns = SESSION_LAMEDUCK_NS;
	if (most_ns <= SESSION_IDLE_NS)
		return most_ns;
	return most_ns - (most_ns - SESSION_IDLE_NS) * over / (ss->cap - ss->cap / 2);
}

/*
 * Close the connections on LIST, sorted by active_ns, that have been silent too long: for
 * session_idle_ns, which grows with each that is closed, but for LEAST_NS at least and MOST_NS at
 * most. At most *LEFT are closed, and *LEFT is lowered.
 */
static void
session_silent(
    struct shell *sh, struct list *list, uint64_t least_ns, uint64_t most_ns, unsigned *left)
{
	for (; *left > 0 && !list_empty(list); --*left) {
		struct session *s = LIST_OBJECT(list->next, struct session, age);
		uint64_t wait_ns = session_idle_ns(sh);

		wait_ns = wait_ns < least_ns ? least_ns : wait_ns > most_ns ? most_ns : wait_ns;
		if (sh->now_ns - s->active_ns < wait_ns)
			return;
		stats_inc(&sh->stats->tcp_idle);
		session_close(sh, s);
	}
}

/* Close those whose questions take too long to come, likewise. */
static void
session_partial(struct shell *sh, unsigned *left)
{
	struct list *list = &sh->sessions.partial;

	for (; *left > 0 && !list_empty(list); --*left) {
		struct session *s = LIST_OBJECT(list->next, struct session, part);

		if (sh->now_ns - s->part_ns < SESSION_MESSAGE_NS)
			return;
		stats_inc(&sh->stats->tcp_slow);
		session_close(sh, s);
	}
}

/* Close those that do not take their answers, likewise. STREAM_CHUNKS bounds how many there are. */
static void
session_stalled(struct shell *sh, unsigned *left)
{
	struct list *head = &sh->sessions.blocked;

	for (struct list *link = head->next, *next; *left > 0 && link != head; link = next) {
		struct session *s = LIST_OBJECT(link, struct session, send);

		next = link->next;
		if (sh->now_ns - s->write_ns < SESSION_STALL_NS)
			continue;
		session_say_stall(sh, s);
		session_close(sh, s);
		--*left;
	}
}

bool
session_beat(struct shell *sh)
{
	struct sessions *ss = &sh->sessions;
	unsigned left = SESSION_CLOSINGS;

	session_stalled(sh, &left);
	session_partial(sh, &left);
	session_silent(sh, &ss->fresh, 0, SESSION_FIRST_NS, &left);
	session_silent(sh, &ss->idle, 0, UINT64_MAX, &left);
	session_silent(sh, &ss->busy, SESSION_PATIENCE_NS, UINT64_MAX, &left);
	return left == 0;
}

void
session_lameduck(struct shell *sh, bool on)
{
	sh->sessions.lameduck = on;
}

void
session_stop(struct shell *sh)
{
	struct sessions *ss = &sh->sessions;

	ss->stopping = true;
	for (uint32_t i = 0; i < ss->n_touched; i++) {
		struct session *s = &ss->s[i];

		if (s->open && !s->eof && !s->stalled && !s->dead)
			fd_event_mark(&s->rd);
	}
	sh->again = true;
}
