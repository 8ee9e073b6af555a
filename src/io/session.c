/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/session.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "io/shell.h"

#define SESSION_NONE UINT32_MAX

int
session_init(struct shell *sh, uint32_t cap)
{
	struct sessions *ss = &sh->sessions;
	int r;

	list_init(&ss->readable);
	list_init(&ss->writable);
	list_init(&ss->by_age);
	list_init(&ss->paused);
	list_init(&ss->resume);
	list_init(&ss->dirty);
	list_init(&ss->blocked);
	/* Zeroed pages, touched as connections come. */
	ss->s = calloc((size_t)cap + 1, sizeof(*ss->s));
	if (ss->s == NULL)
		return -ENOMEM;
	r = peers_init(&ss->peers, cap, rng_u64(&sh->rng));
	if (r < 0) {
		free(ss->s);
		ss->s = NULL;
		return r;
	}
	ss->cap = cap;
	ss->free = SESSION_NONE;
	return 0;
}

static void
session_close(struct shell *sh, struct session *s)
{
	const struct linger reset = { .l_onoff = 1, .l_linger = 0 };
	struct sessions *ss = &sh->sessions;

	/* Discard unsent bytes with a reset, so that they do not stay in the kernel's memory. */
	if (s->out.len > 0)
		(void)setsockopt(s->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	source_close(&s->rd);
	source_close(&s->wr);
	list_unlink(&s->age);
	list_unlink(&s->wait);
	list_unlink(&s->send);
	close(s->fd);
	s->open = false;
	s->gen++;
	stream_in_clear(&s->in, &sh->mem);
	stream_out_clear(&s->out, &sh->mem);
	peers_give(&ss->peers, s->peer_number);
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
	peers_fini(&ss->peers);
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

void
session_open(struct shell *sh, int fd, const struct netaddr *peer)
{
	struct sessions *ss = &sh->sessions;
	const struct say_event e = { sh->told, peer, sh->now_ns };
	uint32_t number = PEERS_NONE;
	struct session *s;

	if (ss->n < ss->cap)
		number = peers_take(&ss->peers, peer, sh->conf->max_tcp_per_client);
	if (number == PEERS_NONE) {
		stats_inc(&sh->stats->tcp_refused);
		say_client_limit(
		    &e, &ss->said, ss->n < ss->cap ? "max-tcp-per-client" : "max-tcp-clients");
		close(fd);
		return;
	}
	s = session_place(ss);
	*s = (struct session){ .fd = fd,
		.gen = s->gen,
		.peer_number = number,
		.open = true,
		.peer = *peer,
		.active_ns = sh->now_ns };
	list_push(&ss->by_age, &s->age);
	list_init(&s->wait);
	list_init(&s->send);
	source_open(&s->rd, sh->base, fd, EV_READ, &ss->readable);
	source_open(&s->wr, sh->base, fd, EV_WRITE, &ss->writable);
	ss->n++;
	stats_inc(&sh->stats->tcp_accepted);
	if (source_on(&s->rd) < 0)
		session_close(sh, s);
}

/* Have session_flush look at S, also if its socket is full. */
static void
session_dirty(struct sessions *ss, struct session *s)
{
	list_unlink(&s->send);
	list_push(&ss->dirty, &s->send);
}

/* S has just sent or received a message: it is the youngest by age. */
static void
session_active(struct shell *sh, struct session *s)
{
	s->active_ns = sh->now_ns;
	list_unlink(&s->age);
	list_push(&sh->sessions.by_age, &s->age);
}

/* How many questions the limits of the connection itself permit it to ask now. */
static uint32_t
session_own_limit(const struct session *s)
{
	if (s->dead || s->out.len > SESSION_UNSENT || s->in_flight >= SESSION_QUESTIONS)
		return 0;
	return SESSION_QUESTIONS - s->in_flight;
}

/* How many questions of S may be taken now, UDP_BATCH at most. */
static uint32_t
session_limit(const struct shell *sh, const struct session *s)
{
	uint32_t own = session_own_limit(s);
	uint32_t room = engine_room(sh->engine);

	if (room < own)
		own = room;
	return own < UDP_BATCH ? own : UDP_BATCH;
}

/* Stop reading S. If it is the engine that has no room, S waits on sessions.paused for some. */
static void
session_stall(struct shell *sh, struct session *s)
{
	s->stalled = true;
	source_off(&s->rd);
	if (session_own_limit(s) > 0 && list_empty(&s->wait))
		list_push(&sh->sessions.paused, &s->wait);
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

/* Fill in where a message of S comes from. */
static void
session_input(const struct shell *sh, const struct session *s, struct packet_in *in)
{
	in->way = PACKET_CLIENT_TCP;
	in->sock = (uint32_t)(s - sh->sessions.s);
	in->gen = s->gen;
	in->peer = s->peer;
	in->local = (struct netaddr){ .family = NETADDR_NONE };
}

/* Take up to LIMIT questions from the window. Returns the verdict on the bytes that follow them. */
static enum stream_verdict
session_batch(struct shell *sh, struct session *s, struct stream_window *w, uint32_t limit)
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

		s->in_flight += n;
		session_active(sh, s);
		n_dropped = shell_input(sh, n); /* its answers lower in_flight, too */
		s->in_flight -= n_dropped;
	}
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
	s->dead = true;
	session_dirty(&sh->sessions, s);
}

/* Take as many questions from the window as the limits permit. */
static void
session_take(struct shell *sh, struct session *s, struct stream_window *w)
{
	enum stream_verdict v = STREAM_FRAME;
	uint32_t limit;

	while (v == STREAM_FRAME) {
		limit = session_limit(sh, s);
		if (limit == 0) {
			session_stall(sh, s);
			break;
		}
		v = session_batch(sh, s, w, limit);
	}
	if (v == STREAM_BAD) {
		session_bad(sh, s, w);
		return;
	}
	if (!stream_keep(&s->in, &sh->mem, w)) {
		s->dead = true;
		session_dirty(&sh->sessions, s);
	}
}

/* The client has closed its side; open questions are still answered (RFC 7766 section 6.2.4). */
static void
session_eof(struct shell *sh, struct session *s)
{
	s->eof = true;
	source_off(&s->rd);
	stream_in_clear(&s->in, &sh->mem);
	session_dirty(&sh->sessions, s);
}

/* Read S once and take its questions. */
static void
session_read(struct shell *sh, struct session *s)
{
	struct stream_window w;
	int r;

	if (s->eof || s->stalled || s->dead)
		return;
	if (!shell_has_room(sh)) {
		session_stall(sh, s);
		return;
	}
	r = stream_read(&s->in, &sh->mem, s->fd, &w);
	if (r > 0) {
		session_take(sh, s, &w);
		/* When the loop stops, read until nothing is left, over several iterations. */
		if (sh->sessions.stopping) {
			source_mark(&s->rd);
			sh->again = true;
		}
	} else if (r == 0 || (r == -EAGAIN && sh->sessions.stopping)) {
		session_eof(sh, s);
	} else if (r != -EAGAIN) {
		session_close(sh, s);
	}
}

/* S is stalled no more: take the questions that it holds, then watch its socket again. */
static void
session_go_on(struct shell *sh, struct session *s)
{
	struct stream_window w;

	s->stalled = false;
	stream_held(&s->in, &w);
	if (w.len > 0)
		session_take(sh, s, &w);
	if (s->stalled || s->dead)
		return;
	if (source_on(&s->rd) < 0) {
		s->dead = true;
		session_dirty(&sh->sessions, s);
	} else if (sh->sessions.stopping) {
		source_mark(&s->rd);
		sh->again = true;
	}
}

/* Resume the sessions that are on FROM now, as long as the engine has room. */
static void
session_resume(struct shell *sh, struct list *from)
{
	struct list now, *link;

	list_init(&now);
	list_move(&now, from);
	while ((link = list_pop(&now)) != NULL) {
		struct session *s = LIST_OBJECT(link, struct session, wait);

		if (shell_has_room(sh)) {
			session_go_on(sh, s);
			continue;
		}
		list_push(&sh->sessions.paused, link);
		list_move(&sh->sessions.paused, &now);
	}
}

void
session_turn(struct shell *sh)
{
	struct sessions *ss = &sh->sessions;
	struct list ready;
	struct source *src;

	if (!list_empty(&ss->paused) && shell_has_room(sh))
		session_resume(sh, &ss->paused);
	session_resume(sh, &ss->resume);
	list_init(&ready);
	list_move(&ready, &ss->readable);
	while ((src = source_take(&ready)) != NULL)
		session_read(sh, LIST_OBJECT(src, struct session, rd));
}

/* Count and log that S is closed because its client reads no answers. */
static void
session_say_stall(struct shell *sh, const struct session *s)
{
	const struct say_event e = { sh->told, &s->peer, sh->now_ns };

	stats_inc(&sh->stats->tcp_stalled);
	say_client_stall(&e, &sh->sessions.said);
}

void
session_answer(struct shell *sh, const struct packet_out *send)
{
	struct sessions *ss = &sh->sessions;
	struct session *s;

	if (send->sock >= ss->n_touched)
		return;
	s = &ss->s[send->sock];
	if (!s->open || s->gen != send->gen)
		return;
	if (s->in_flight > 0)
		s->in_flight--;
	if (s->dead)
		return;
	session_active(sh, s);
	if (!stream_put(&s->out, &sh->mem, sh->tcp_buf, send->len)) {
		/* Other connections hold all chunks. A client that keeps up can still get this
		 * answer, by a direct write. */
		if (s->out.len > 0 || !stream_direct(s->fd, sh->tcp_buf, send->len)) {
			session_say_stall(sh, s);
			s->dead = true;
		}
	}
	if (s->write_ns == 0 || s->dead)
		session_dirty(ss, s);
	session_relieve(sh, s);
}

/* Write what is queued. False: the connection is to be closed. */
static bool
session_write(struct shell *sh, struct session *s)
{
	bool progress;
	int r;

	if (s->dead)
		return false;
	r = stream_write(&s->out, &sh->mem, s->fd, &progress);
	if (r < 0)
		return false;
	if (r == 0) {
		if (progress || s->write_ns == 0)
			s->write_ns = sh->now_ns;
		list_push(&sh->sessions.blocked, &s->send);
		if (source_on(&s->wr) < 0)
			return false;
	} else {
		s->write_ns = 0;
		if (s->eof && s->in_flight == 0)
			return false;
	}
	session_relieve(sh, s);
	return true;
}

void
session_flush(struct shell *sh)
{
	struct sessions *ss = &sh->sessions;
	struct source *src;
	struct list *link;

	while ((src = source_take(&ss->writable)) != NULL) {
		source_off(src);
		session_dirty(ss, LIST_OBJECT(src, struct session, wr));
	}
	while ((link = list_pop(&ss->dirty)) != NULL) {
		struct session *s = LIST_OBJECT(link, struct session, send);

		if (!session_write(sh, s))
			session_close(sh, s);
	}
}

/* Close connections that have been idle too long. */
static void
session_idle(struct shell *sh)
{
	uint64_t idle_ns = (uint64_t)sh->conf->tcp_idle_ms * 1000000;
	struct list *head = &sh->sessions.by_age;

	for (struct list *link = head->next, *next; link != head; link = next) {
		struct session *s = LIST_OBJECT(link, struct session, age);
		uint64_t age_ns = sh->now_ns - s->active_ns;

		next = link->next;
		if (age_ns < idle_ns)
			break;
		if (s->out.len > 0 || (s->in_flight > 0 && age_ns < SESSION_PATIENCE_NS))
			continue;
		stats_inc(&sh->stats->tcp_idle);
		session_close(sh, s);
	}
}

void
session_beat(struct shell *sh)
{
	struct list *head = &sh->sessions.blocked;

	for (struct list *link = head->next, *next; link != head; link = next) {
		struct session *s = LIST_OBJECT(link, struct session, send);

		next = link->next;
		if (sh->now_ns - s->write_ns < SESSION_STALL_NS)
			continue;
		session_say_stall(sh, s);
		session_close(sh, s);
	}
	session_idle(sh);
}

void
session_stop(struct shell *sh)
{
	struct sessions *ss = &sh->sessions;

	ss->stopping = true;
	for (uint32_t i = 0; i < ss->n_touched; i++) {
		struct session *s = &ss->s[i];

		if (s->open && !s->eof && !s->stalled && !s->dead)
			source_mark(&s->rd);
	}
	sh->again = true;
}
