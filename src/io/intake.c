/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/intake.h"

#include <errno.h>

#include "io/shell.h"

/* How many questions of S may be taken now, UDP_BATCH at most. */
static uint32_t
intake_limit(const struct session *s)
{
	uint32_t n = session_room(s);

	return n < UDP_BATCH ? n : UDP_BATCH;
}

/* Stop reading S until it has fewer open questions or unsent bytes. */
static void
intake_stall(struct session *s)
{
	s->stalled = true;
	fd_event_off(&s->rd);
}

/* Fill in where a message of S comes from. */
static void
intake_input(const struct shell *sh, const struct session *s, struct packet_in *in)
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
intake_batch(
    struct shell *sh, struct session *s, struct stream_window *w, uint32_t limit, unsigned *taken)
{
	enum stream_verdict v = STREAM_FRAME;
	unsigned n = 0;

	while (n < limit) {
		v = stream_frame(w, &sh->in[n].msg, &sh->in[n].len);
		if (v != STREAM_FRAME)
			break;
		intake_input(sh, s, &sh->in[n++]);
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
intake_bad(struct shell *sh, struct session *s, struct stream_window *w)
{
	if (stream_frame(w, &sh->in[0].msg, &sh->in[0].len) != STREAM_BAD)
		return;
	intake_input(sh, s, &sh->in[0]);
	(void)shell_input(sh, 1);
	session_end(&sh->sessions, s);
}

/* Keep what is left in the window, and the time if it is a part of a question that S waits for. */
static void
intake_keep(struct shell *sh, struct session *s, struct stream_window *w, bool partial)
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

/* Take a batch of questions from the window. Returns their number. */
static unsigned
intake_take(struct shell *sh, struct session *s, struct stream_window *w)
{
	enum stream_verdict v = STREAM_FRAME;
	uint32_t limit = intake_limit(s);
	unsigned n = 0;

	if (limit > 0)
		v = intake_batch(sh, s, w, limit, &n);
	if (v == STREAM_BAD) {
		intake_bad(sh, s, w);
		return n;
	}
	intake_keep(sh, s, w, v == STREAM_PARTIAL);
	if (v == STREAM_PARTIAL || s->dead || s->in.len == 0)
		return n;
	if (intake_limit(s) == 0)
		intake_stall(s);
	else if (list_empty(&s->wait))
		list_push(&sh->sessions.resume, &s->wait); /* others have their turn before */
	return n;
}

/* The client has closed its side; open questions are still answered (RFC 7766 section 6.2.4). */
static void
intake_eof(struct shell *sh, struct session *s)
{
	s->eof = true;
	fd_event_off(&s->rd);
	list_unlink(&s->part);
	stream_in_clear(&s->in, &sh->mem);
	session_dirty(&sh->sessions, s);
}

/* When the loop stops, S is read until nothing is left, over several iterations. */
static void
intake_mark(struct shell *sh, struct session *s)
{
	if (!sh->sessions.stopping)
		return;
	fd_event_mark(&s->rd);
	sh->again = true;
}

/* Read S once and take its questions. Returns their number. */
static unsigned
intake_read(struct shell *sh, struct session *s)
{
	struct stream_window w;
	unsigned n;
	int r;

	/* On a list it has its turn by that; it may hold questions already. */
	if (s->eof || s->stalled || s->dead || !list_empty(&s->wait))
		return 0;
	r = stream_read(&s->in, &sh->mem, &s->link, &w);
	if (r > 0) {
		n = intake_take(sh, s, &w);
		intake_mark(sh, s);
		return n;
	}
	if (r == 0 || (r == -EAGAIN && sh->sessions.stopping))
		intake_eof(sh, s);
	else if (r != -EAGAIN)
		session_close(sh, s);
	return 0;
}

/*
 * S is stalled no more, or has more to give: take questions that it holds, and watch its socket
 * again when they are few. Returns their number.
 */
static unsigned
intake_go_on(struct shell *sh, struct session *s)
{
	struct stream_window w;
	unsigned n = 0;

	s->stalled = false;
	stream_held(&s->in, &w);
	if (w.len > 0)
		n = intake_take(sh, s, &w);
	if (s->stalled || s->dead || !list_empty(&s->wait))
		return n;
	if (fd_event_on(&s->rd) < 0)
		session_end(&sh->sessions, s);
	else
		intake_mark(sh, s);
	return n;
}

void
intake_turn(struct shell *sh)
{
	struct sessions *ss = &sh->sessions;
	unsigned done = 0;

	/* Answers over TCP may be long: one batch of questions if the engine has had its turn. */
	while (done < INTAKE_TURN && (done == 0 || !engine_spent(sh->engine))) {
		struct list *link = list_pop(&ss->resume);
		struct fd_event *src = fd_event_take(&ss->readable);

		if (link == NULL && src == NULL)
			return;
		if (link != NULL)
			done += 1 + intake_go_on(sh, LIST_OBJECT(link, struct session, wait));
		if (src != NULL)
			done += 1 + intake_read(sh, LIST_OBJECT(src, struct session, rd));
	}
	sh->again = true;
}
