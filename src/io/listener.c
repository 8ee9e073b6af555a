/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/listener.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "io/proxy.h"
#include "io/shell.h"

#define LISTENER_BACKLOG 1024 /* connections accepted from a listener that is leaving */
#define LISTENER_DISCARDS 32  /* batches of late questions dropped in one iteration */

int
listener_init(struct shell *sh)
{
	struct listeners *ls = &sh->listeners;

	list_init(&ls->udp_ready);
	list_init(&ls->tcp_ready);
	for (size_t i = 0; i < LISTENER_MAX; i++) {
		ls->l[i].fds.udp = -1;
		ls->l[i].fds.tcp = -1;
	}
	/* One for each question in flight, and for a batch on its way to the engine. */
	return routes_init(&ls->routes, engine_capacity(sh->engine) + UDP_BATCH);
}

static bool
is_leaving(enum listener_state state)
{
	return state == LISTENER_LEAVING || state == LISTENER_EMPTY;
}

/* One listener WAS counted in N, and IS now; no other thread sees anything between. */
static void
count(atomic_uint *n, bool was, bool is)
{
	if (is && !was)
		atomic_fetch_add(n, 1);
	else if (was && !is)
		atomic_fetch_sub(n, 1);
}

/* L comes into STATE; the log says that it was unserved, and is not any more. */
static void
listener_become(struct shell *sh, struct listener *l, enum listener_state state)
{
	struct listeners *ls = &sh->listeners;
	enum listener_state was = l->state;
	char text[NETADDR_TEXT];

	if (was == LISTENER_UNSERVED && logonce_end(sh->logonce, LOGONCE_LISTEN, &l->fds.addr))
		log_notice(LOG_SERVER, "listen %s: %s", netaddr_format(&l->fds.addr, text),
		    state == LISTENER_SERVED ? "served now" : "not needed any more");
	l->state = state;
	count(&ls->n_unserved, was == LISTENER_UNSERVED, state == LISTENER_UNSERVED);
	count(&ls->n_leaving, is_leaving(was), is_leaving(state));
}

static void
listener_close(struct shell *sh, struct listener *l)
{
	fd_event_close(&l->udp);
	fd_event_close(&l->tcp);
	udp_out_fini(&sh->tx, &l->out, sh->now_ns);
	bind_close(&l->fds);
	/* Not before: who reads that it has gone opens its address anew. */
	listener_become(sh, l, LISTENER_FREE);
	l->gen++;
}

void
listener_fini(struct shell *sh)
{
	for (size_t i = 0; i < LISTENER_MAX; i++)
		if (sh->listeners.l[i].state != LISTENER_FREE)
			listener_close(sh, &sh->listeners.l[i]);
	routes_fini(&sh->listeners.routes);
}

/* A free place. There is one once a listener that leaves has gone: no more are configured. */
static struct listener *
listener_place(struct shell *sh)
{
	struct listener *oldest = NULL;

	for (size_t i = 0; i < LISTENER_MAX; i++) {
		struct listener *l = &sh->listeners.l[i];

		if (l->state == LISTENER_FREE)
			return l;
		if (is_leaving(l->state) && (oldest == NULL || l->leaving_ns < oldest->leaving_ns))
			oldest = l;
	}
	assert(oldest != NULL);
	listener_close(sh, oldest);
	return oldest;
}

/* Watch the sockets of L. False: there is no memory for that. */
static bool
listener_watch(struct shell *sh, struct listener *l)
{
	return fd_event_on(&l->udp) == 0 &&
	    (sh->listeners.accept_ns != 0 || fd_event_on(&l->tcp) == 0);
}

bool
listener_add(struct shell *sh, const struct bind_sockets *fds)
{
	struct listener *l = listener_place(sh);
	char text[NETADDR_TEXT];

	l->fds = *fds;
	l->drops = 0;
	l->in_flight = 0;
	l->way = (struct udp_way){ .singly_ns = 0 };
	udp_out_init(&l->out, fds->udp, false, &l->way);
	udp_rx_socket(&sh->client_rx, fds->udp);
	udp_queue_init(&l->queue, clock_wall_ns(), clock_now_ns());
	fd_event_open(&l->udp, sh->base, fds->udp, EV_READ, &sh->listeners.udp_ready);
	fd_event_open(&l->tcp, sh->base, fds->tcp, EV_READ, &sh->listeners.tcp_ready);
	listener_become(sh, l, listener_watch(sh, l) ? LISTENER_SERVED : LISTENER_UNSERVED);
	if (l->state == LISTENER_SERVED)
		return true;
	stats_inc(&sh->stats->listen_failed);
	sh->listeners.serve_ns = sh->now_ns + LISTENER_PAUSE_NS;
	if (logonce_begin(sh->logonce, LOGONCE_LISTEN, &fds->addr))
		log_error(LOG_SERVER,
		    "listen %s: not served yet, no memory to watch it: tried again",
		    netaddr_format(&fds->addr, text));
	return false;
}

/* Try again to watch what is unserved. */
static void
listener_serve(struct shell *sh)
{
	struct listeners *ls = &sh->listeners;

	ls->serve_ns = sh->now_ns + LISTENER_PAUSE_NS;
	for (size_t i = 0; i < LISTENER_MAX; i++)
		if (ls->l[i].state == LISTENER_UNSERVED && listener_watch(sh, &ls->l[i]))
			listener_become(sh, &ls->l[i], LISTENER_SERVED);
}

/*
 * Does ERR (errno of accept(2)) tell of one connection only, which ended before it was accepted?
 * Those that accept(2) lists do; all others tell of a lack of resources.
 */
static bool
is_of_one(int err)
{
	return err == ECONNABORTED || err == EINTR || err == EPROTO || err == ENOPROTOOPT ||
	    err == EOPNOTSUPP || err == ENETDOWN || err == ENETUNREACH || err == ENONET ||
	    err == EHOSTDOWN || err == EHOSTUNREACH || err == ETIMEDOUT;
}

/* accept(2) failed with ERR for lack of resources: leave connections in the backlog for a while. */
static void
accept_pause(struct shell *sh, int err)
{
	struct listeners *ls = &sh->listeners;

	if (!ls->accept_failing && logonce_begin(sh->logonce, LOGONCE_NO_ACCEPT, NULL))
		log_warn(LOG_CLIENT, "cannot accept connections: %s", strerror(err));
	ls->accept_failing = true;
	ls->failed_ns = sh->now_ns;
	ls->accept_ns = sh->now_ns + LISTENER_PAUSE_NS;
	for (size_t i = 0; i < LISTENER_MAX; i++)
		fd_event_off(&ls->l[i].tcp);
}

/* The pause is over: watch the TCP sockets again, or pause again if that fails. */
static void
accept_go_on(struct shell *sh)
{
	struct listeners *ls = &sh->listeners;
	bool all = true;

	for (size_t i = 0; i < LISTENER_MAX; i++)
		if (ls->l[i].fds.tcp >= 0 && fd_event_on(&ls->l[i].tcp) < 0)
			all = false;
	ls->accept_ns = all ? 0 : sh->now_ns + LISTENER_PAUSE_NS;
}

/*
 * End the report of failures after LISTENER_CALM_NS without one: some connections may be accepted
 * between two failures.
 */
static void
accept_calm(struct shell *sh)
{
	struct listeners *ls = &sh->listeners;

	if (!ls->accept_failing || sh->now_ns - ls->failed_ns < LISTENER_CALM_NS)
		return;
	ls->accept_failing = false;
	if (logonce_end(sh->logonce, LOGONCE_NO_ACCEPT, NULL))
		log_notice(LOG_CLIENT, "connections are accepted again");
}

/* Accept up to MAX connections. */
static void
listener_accept(struct shell *sh, struct listener *l, unsigned max)
{
	for (unsigned i = 0; i < max; i++) {
		struct sockaddr_storage ss;
		socklen_t len = sizeof(ss);
		int fd =
		    accept4(l->fds.tcp, (struct sockaddr *)&ss, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
		struct netaddr peer;

		if (fd < 0 && errno == EAGAIN)
			return;
		if (fd < 0 && is_of_one(errno))
			continue;
		if (fd < 0) {
			accept_pause(sh, errno);
			return;
		}
		if (netaddr_from_sockaddr((const struct sockaddr *)&ss, &peer))
			session_open(sh, fd, &peer);
		else
			close(fd);
	}
}

/* Add to the statistics what the kernel dropped since its count was l->drops. */
static void
listener_drops(struct shell *sh, struct listener *l, uint32_t drops)
{
	if (drops == l->drops)
		return;
	stats_add(&sh->stats->socket_drops, drops - l->drops);
	l->drops = drops;
}

/* Fill sh->in from the N datagrams just received. Returns how many of them the engine can take. */
static unsigned
listener_take(struct shell *sh, struct listener *l, unsigned n)
{
	uint32_t drops = l->drops;
	unsigned n_in = 0;

	for (unsigned i = 0; i < n; i++) {
		struct packet_in *in = &sh->in[n_in];

		udp_meta(&sh->client_rx, i, &in->from.local, &drops);
		if (udp_cut(&sh->client_rx, i)) {
			stats_inc(&sh->stats->client_truncated);
			stats_dropped(sh->stats, REASON_DROP_LARGE);
			continue;
		}
		if (!udp_peer(&sh->client_rx, i, &in->from.peer))
			continue;
		/* Nothing can be sent there, and the kernel would refuse the run that it is in. */
		if (in->from.peer.port == 0) {
			stats_inc(&sh->stats->send_failed);
			continue;
		}
		gather_question(&sh->gather, in->from.peer.port);
		in->msg = udp_msg(&sh->client_rx, i);
		in->len = udp_len(&sh->client_rx, i);
		in->from.side = PACKET_CLIENT;
		in->from.transport = TRANSPORT_UDP;
		in->from.sock = (uint32_t)(l - sh->listeners.l);
		in->from.gen = l->gen;
		n_in++;
	}
	listener_drops(sh, l, drops);
	return n_in;
}

/* --- questions that proxies ask for others (proxy-protocol) ----------------------------------- */

/* Take the header *h off the datagram IN, if it has one. Returns what it was. */
static enum proxy_verdict
take_header(const struct shell *sh, struct packet_in *in, struct proxy_header *h)
{
	enum proxy_verdict v = PROXY_SENDER;

	if (proxy_is(sh->conf, &in->from.peer)) {
		v = proxy_parse(in->msg, in->len, h);
		if (v != PROXY_CLIENT && v != PROXY_SENDER)
			return v;
		in->msg += h->len;
		in->len -= h->len;
	}
	return proxy_begins(in->msg, in->len) ? PROXY_UNEXPECTED : v;
}

/* Find out who asks IN. False: it is dropped. */
static bool
identify(struct shell *sh, struct packet_in *in)
{
	struct proxy_header h;
	enum proxy_verdict v = take_header(sh, in, &h);

	if (v == PROXY_CLIENT) {
		stats_inc(&sh->stats->proxy_clients);
		routes_take(&sh->listeners.routes, &in->from, &h.client);
		return true;
	}
	if (v == PROXY_SENDER)
		return true;
	stats_dropped(sh->stats, REASON_DROP_PROXY);
	shell_refuse(sh, &in->from, v);
	return false;
}

/*
 * Keep those of the first N of sh->in of which it is known who asks. Returns their number. Not
 * inline, as without proxies nothing has a use for the registers that this takes.
 */
static __attribute__((noinline)) unsigned
listener_identify(struct shell *sh, unsigned n)
{
	unsigned n_in = 0;

	for (unsigned i = 0; i < n; i++) {
		if (!identify(sh, &sh->in[i]))
			continue;
		if (n_in < i)
			sh->in[n_in] = sh->in[i];
		n_in++;
	}
	return n_in;
}

void
listener_forget(struct shell *sh, struct packet_route *route)
{
	if (UNLIKELY(routes_is(route)))
		(void)routes_give(&sh->listeners.routes, route);
}

/* SEND has no listener's socket: it may lead to a proxy. Not inline, for the same reason. */
static __attribute__((noinline)) void
listener_return(struct shell *sh, struct packet_out *send)
{
	if (routes_is(&send->to) && routes_give(&sh->listeners.routes, &send->to))
		listener_answer(sh, send);
}

/* --- questions are read ----------------------------------------------------------------------- */

/*
 * Have the datagrams just received waited for longer than their clients wait (RULES D32)? Only if
 * they were a whole batch are there more than can be read at once.
 */
static bool
is_late(struct shell *sh, struct listener *l)
{
	if (!udp_full(&sh->client_rx)) {
		udp_queue_is_empty(&l->queue);
		return false;
	}
	return udp_queue_is_late(&l->queue, udp_stamp(l->fds.udp), clock_wall_ns(), clock_now_ns());
}

/* Has the next datagram, if there is one, waited for as long? */
static bool
is_next_late(struct listener *l)
{
	uint64_t stamp_ns = udp_stamp_next(l->fds.udp);

	return udp_queue_is_late(&l->queue, stamp_ns, clock_wall_ns(), clock_now_ns());
}

/*
 * The N datagrams just received are dropped unread, and those behind them that are late, too, at
 * once: what they cost is not there for those that can be served.
 */
static void
listener_drop(struct shell *sh, struct listener *l, unsigned n)
{
	uint32_t drops = l->drops;
	struct netaddr local;

	udp_meta(&sh->client_rx, n - 1, &local, &drops); /* the last one has the last count */
	listener_drops(sh, l, drops);
	while (udp_left(&sh->client_rx)) {
		int r = udp_recv(&sh->client_rx, l->fds.udp, UDP_BATCH);

		n += r > 0 ? (unsigned)r : 0;
	}
	for (unsigned i = 0; i < LISTENER_DISCARDS && is_next_late(l); i++)
		n += udp_discard(l->fds.udp);
	stats_add(&sh->stats->client_late, n);
	for (unsigned i = 0; i < n; i++)
		stats_dropped(sh->stats, REASON_DROP_LATE);
}

/* The engine gets the N datagrams just received. */
static void
listener_input(struct shell *sh, struct listener *l, unsigned n)
{
	unsigned n_in = listener_take(sh, l, n);
	unsigned n_dropped;

	if (UNLIKELY(sh->conf->n_proxies > 0))
		n_in = listener_identify(sh, n_in);
	l->in_flight += n_in;
	n_dropped = shell_input(sh, n_in); /* its answers lower in_flight, too */
	l->in_flight -= n_dropped;
}

/* Read one batch of questions. */
static void
listener_read(struct shell *sh, struct listener *l)
{
	int n;

	do {
		n = udp_recv(&sh->client_rx, l->fds.udp, UDP_BATCH);
		if (UNLIKELY(is_late(sh, l)))
			listener_drop(sh, l, (unsigned)n);
		else if (n > 0)
			listener_input(sh, l, (unsigned)n);
	} while (udp_left(&sh->client_rx));
	sh->full |= udp_full(&sh->client_rx);
	if (l->state != LISTENER_LEAVING)
		return;
	if (n >= 0 && !udp_full(&sh->client_rx)) {
		listener_become(sh, l, LISTENER_EMPTY);
		if (sh->listeners.stopping)
			fd_event_off(&l->udp);
	} else {
		fd_event_mark(&l->udp);
		sh->again = true;
	}
}

void
listener_turn(struct shell *sh)
{
	struct listeners *ls = &sh->listeners;
	struct list ready;
	struct fd_event *s;

	list_init(&ready);
	list_move(&ready, &ls->udp_ready);
	while ((s = fd_event_take(&ready)) != NULL)
		listener_read(sh, LIST_OBJECT(s, struct listener, udp));
}

void
listener_admit(struct shell *sh)
{
	struct listeners *ls = &sh->listeners;
	struct fd_event *s;

	while ((s = fd_event_take(&ls->tcp_ready)) != NULL)
		if (ls->accept_ns == 0)
			listener_accept(sh, LIST_OBJECT(s, struct listener, tcp), LISTENER_ACCEPTS);
}

static void
listener_leave(struct shell *sh, struct listener *l)
{
	if (is_leaving(l->state))
		return;
	listener_become(sh, l, LISTENER_LEAVING);
	l->leaving_ns = sh->now_ns;
	listener_accept(sh, l, LISTENER_BACKLOG);
	fd_event_close(&l->tcp);
	close(l->fds.tcp);
	l->fds.tcp = -1;
	fd_event_mark(&l->udp);
}

void
listener_keep(struct shell *sh)
{
	const struct conf_io *conf = sh->conf;

	for (size_t i = 0; i < LISTENER_MAX; i++) {
		struct listener *l = &sh->listeners.l[i];

		if (l->state != LISTENER_FREE &&
		    !netaddr_in_list(conf->listens, conf->n_listens, &l->fds.addr))
			listener_leave(sh, l);
	}
}

void
listener_stop(struct shell *sh)
{
	sh->listeners.stopping = true;
	for (size_t i = 0; i < LISTENER_MAX; i++) {
		struct listener *l = &sh->listeners.l[i];

		if (l->state == LISTENER_FREE)
			continue;
		listener_leave(sh, l);
		if (l->state == LISTENER_EMPTY)
			fd_event_off(&l->udp);
	}
}

bool
listener_stopped(const struct shell *sh)
{
	for (size_t i = 0; i < LISTENER_MAX; i++)
		if (sh->listeners.l[i].state != LISTENER_FREE &&
		    sh->listeners.l[i].state != LISTENER_EMPTY)
			return false;
	return true;
}

void
listener_answer(struct shell *sh, struct packet_out *send)
{
	struct listener *l;

	if (UNLIKELY(send->to.sock >= LISTENER_MAX)) {
		listener_return(sh, send);
		return;
	}
	l = &sh->listeners.l[send->to.sock];
	if (l->gen != send->to.gen || l->state == LISTENER_FREE)
		return;
	if (l->in_flight > 0)
		l->in_flight--;
	if (udp_tx_answer(&sh->tx, &l->out, send))
		(void)shell_send(sh); /* whoever drains the engine goes on */
}

unsigned
listener_unserved(const struct shell *sh)
{
	return atomic_load(&sh->listeners.n_unserved);
}

unsigned
listener_leaving(const struct shell *sh)
{
	return atomic_load(&sh->listeners.n_leaving);
}

/* May the listener L, which is leaving, be closed? */
static bool
is_done(const struct shell *sh, const struct listener *l)
{
	if (sh->now_ns - l->leaving_ns >= LISTENER_LINGER_NS)
		return true;
	return l->state == LISTENER_EMPTY && l->in_flight == 0 && !udp_out_keeps(&l->out);
}

void
listener_beat(struct shell *sh)
{
	struct listeners *ls = &sh->listeners;

	if (ls->accept_ns != 0 && sh->now_ns >= ls->accept_ns)
		accept_go_on(sh);
	accept_calm(sh);
	if (listener_unserved(sh) > 0 && sh->now_ns >= ls->serve_ns)
		listener_serve(sh);
	if (listener_leaving(sh) == 0 || ls->stopping)
		return; /* a loop that stops closes all listeners at its end */
	for (size_t i = 0; i < LISTENER_MAX; i++)
		if (is_leaving(ls->l[i].state) && is_done(sh, &ls->l[i]))
			listener_close(sh, &ls->l[i]);
}

bool
listener_needs_beat(const struct shell *sh)
{
	return listener_leaving(sh) > 0 || listener_unserved(sh) > 0 ||
	    sh->listeners.accept_ns != 0 || sh->listeners.accept_failing;
}
