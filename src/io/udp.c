/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/udp.h"

#include <assert.h>
#include <errno.h>
#include <linux/sockios.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "core/stats.h"
#include "dns/header.h"

/* Where message I of a batch that takes runs is received: in a row of memory, in its column. */
static size_t
runs_at(size_t i)
{
	return i % UDP_COLUMNS * UDP_COLUMN + i / UDP_COLUMNS * UDP_STRIDE;
}

void
udp_rx_init(struct udp_rx *rx, uint8_t *bytes, bool clients, bool runs)
{
	memset(rx, 0, sizeof(*rx));
	rx->clients = clients;
	rx->runs = runs;
	rx->at_once = runs ? UDP_COLUMNS : UDP_BATCH;
	rx->n_used = UDP_BATCH;
	for (size_t i = 0; i < UDP_BATCH; i++) {
		rx->iov[i].iov_base = bytes + (runs ? runs_at(i) : i * UDP_STRIDE);
		rx->iov[i].iov_len = runs ? UDP_MESSAGE_CAP : PACKET_UDP_CAP;
		rx->hdr[i].msg_hdr.msg_iov = &rx->iov[i];
		rx->hdr[i].msg_hdr.msg_iovlen = 1;
		if (clients)
			rx->hdr[i].msg_hdr.msg_name = &rx->name[i];
		if (clients || runs)
			rx->hdr[i].msg_hdr.msg_control = &rx->control[i];
	}
}

void
udp_rx_socket(const struct udp_rx *rx, int fd)
{
	if (rx->runs)
		udp_pieces_on(fd);
}

/* Nothing is received yet; prepare the entries that the kernel wrote to last time. */
static void
rx_begin(struct udp_rx *rx)
{
	if (rx->clients || rx->runs)
		for (unsigned i = 0; i < rx->n_used; i++) {
			rx->hdr[i].msg_hdr.msg_namelen = rx->clients ? sizeof(rx->name[i]) : 0;
			rx->hdr[i].msg_hdr.msg_controllen = sizeof(rx->control[i]);
		}
	udp_pieces_begin(&rx->pieces, rx->hdr);
}

/*
 * Receive up to MAX messages from FD behind those that are there. Returns their number, 0 when
 * there are none, or -errno.
 */
static int
rx_messages(struct udp_rx *rx, int fd, unsigned max)
{
	unsigned at = rx->pieces.n;
	int n;

	do
		n = recvmmsg(fd, &rx->hdr[at], max, MSG_DONTWAIT, NULL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		n = errno == EAGAIN ? 0 : -errno;
	else
		udp_pieces_add(&rx->pieces, (unsigned)n);
	/* The kernel may have written to the next entry before it failed. */
	rx->n_used = rx->pieces.n < UDP_BATCH ? rx->pieces.n + 1 : UDP_BATCH;
	rx->full = n == (int)max;
	return n;
}

/* Is the memory of the last N messages free but for their rows? */
static bool
rx_has_room(const struct udp_rx *rx, unsigned n)
{
	for (unsigned i = rx->pieces.n - n; i < rx->pieces.n; i++)
		if (rx->hdr[i].msg_len > UDP_STRIDE)
			return false;
	return true;
}

/* More datagrams than wanted were in the messages, or less and more messages wait. */
static void
rx_adapt(struct udp_rx *rx)
{
	if (udp_pieces_left(&rx->pieces))
		rx->at_once = (rx->at_once + 1) / 2;
	else if (rx->full && rx->at_once < UDP_COLUMNS)
		rx->at_once *= 2;
}

int
udp_recv(struct udp_rx *rx, int fd, unsigned max)
{
	unsigned n, most;
	int r;

	max = max < UDP_BATCH ? max : UDP_BATCH;
	n = udp_pieces_take(&rx->pieces, rx->piece, max);
	if (n > 0)
		return (int)n;
	if (rx->error < 0) {
		r = rx->error;
		rx->error = 0;
		return r;
	}
	rx_begin(rx);
	do {
		most = rx->at_once < max - n ? rx->at_once : max - n;
		r = rx_messages(rx, fd, most);
		n += udp_pieces_take(&rx->pieces, &rx->piece[n], max - n);
		rx_adapt(rx);
	} while (rx->full && n < max && rx_has_room(rx, most));
	if (r < 0 && n > 0)
		rx->error = r; /* it comes behind them */
	return n > 0 ? (int)n : r;
}

static void
meta_in(const struct cmsghdr *c, struct netaddr *local)
{
	struct in_pktinfo info;

	memcpy(&info, CMSG_DATA(c), sizeof(info));
	local->family = NETADDR_IPV4;
	/* The local address, which for a broadcast is not the destination; it can be a source. */
	memcpy(local->addr, &info.ipi_spec_dst, 4);
}

static void
meta_in6(const struct cmsghdr *c, struct netaddr *local)
{
	struct in6_pktinfo info;

	memcpy(&info, CMSG_DATA(c), sizeof(info));
	if (IN6_IS_ADDR_MULTICAST(&info.ipi6_addr))
		return; /* a multicast address cannot be a source */
	local->family = NETADDR_IPV6;
	memcpy(local->addr, &info.ipi6_addr, 16);
	if (IN6_IS_ADDR_LINKLOCAL(&info.ipi6_addr))
		local->scope = (uint32_t)info.ipi6_ifindex;
}

void
udp_meta(struct udp_rx *rx, unsigned i, struct netaddr *local, uint32_t *drops)
{
	struct msghdr *h = &rx->hdr[rx->piece[i].message].msg_hdr;

	memset(local, 0, sizeof(*local));
	if (h->msg_controllen == 0)
		return;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c != NULL; c = CMSG_NXTHDR(h, c)) {
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SO_RXQ_OVFL)
			memcpy(drops, CMSG_DATA(c), sizeof(*drops));
		else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO)
			meta_in(c, local);
		else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO)
			meta_in6(c, local);
	}
}

/* --- the queue of a socket -------------------------------------------------------------------- */

uint64_t
udp_stamp(int fd)
{
	struct timespec ts;

	if (ioctl(fd, SIOCGSTAMPNS, &ts) < 0)
		return 0;
	return (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

uint64_t
udp_stamp_next(int fd)
{
	return recv(fd, NULL, 0, MSG_PEEK | MSG_DONTWAIT) < 0 ? 0 : udp_stamp(fd);
}

unsigned
udp_discard(int fd)
{
	struct mmsghdr none[UDP_BATCH] = { { .msg_len = 0 } };
	struct udp_report control[UDP_BATCH];
	unsigned n = 0;
	int r;

	for (size_t i = 0; i < UDP_BATCH; i++) {
		none[i].msg_hdr.msg_control = &control[i];
		none[i].msg_hdr.msg_controllen = sizeof(control[i]);
	}
	r = recvmmsg(fd, none, UDP_BATCH, MSG_DONTWAIT | MSG_TRUNC, NULL);
	for (int i = 0; i < r; i++)
		n += udp_pieces_count(&none[i]);
	return n;
}

void
udp_queue_init(struct udp_queue *q, uint64_t wall_ns, uint64_t now_ns)
{
	*q = (struct udp_queue){ .apart_ns = wall_ns - now_ns };
}

/*
 * Was the wall clock set not long ago? Then stamps from before say nothing; all that is not too old
 * has been stamped since, once UDP_PATIENCE_NS have gone by.
 */
static bool
was_set(struct udp_queue *q, uint64_t wall_ns, uint64_t now_ns)
{
	uint64_t apart_ns = wall_ns - now_ns;

	if (apart_ns - q->apart_ns + UDP_STEP_NS > 2 * UDP_STEP_NS) { /* modulo 2^64, either way */
		q->apart_ns = apart_ns;
		q->trust_ns = now_ns + UDP_PATIENCE_NS;
	}
	return now_ns < q->trust_ns;
}

bool
udp_queue_is_late(struct udp_queue *q, uint64_t stamp_ns, uint64_t wall_ns, uint64_t now_ns)
{
	uint64_t age_ns = wall_ns - stamp_ns;

	/* A stamp of the future makes an age beyond all bounds. */
	if (was_set(q, wall_ns, now_ns) || age_ns >= UDP_OLDEST_NS || age_ns < UDP_YOUNG_NS) {
		udp_queue_is_empty(q);
		return false;
	}
	if (q->emptied)
		return true;
	if (age_ns < UDP_PATIENCE_NS) {
		if (age_ns < UDP_PATIENCE_NS / 2)
			q->over_ns = 0;
		return false;
	}
	if (q->over_ns == 0)
		q->over_ns = now_ns;
	q->emptied = now_ns - q->over_ns >= UDP_OVER_NS;
	return true;
}

/* An answer that waits to be sent again. */
struct udp_kept {
	struct list link; /* in udp_tx.again */
	struct udp_out *out;
	uint64_t since_ns;
	struct udp_slot slot; /* iov points to bytes */
	uint8_t bytes[PACKET_UDP_CAP];
};

int
udp_tx_init(struct udp_tx *tx, uint8_t *bytes, struct stats *stats)
{
	memset(tx, 0, sizeof(*tx));
	tx->bytes = bytes;
	tx->stats = stats;
	list_init(&tx->dirty);
	list_init(&tx->refused);
	list_init(&tx->again);
	return pool_init(&tx->kept, sizeof(struct udp_kept), UDP_KEPT);
}

void
udp_tx_fini(struct udp_tx *tx)
{
	if (tx->kept.mem != NULL)
		pool_fini(&tx->kept);
	tx->kept.mem = NULL;
}

void
udp_out_init(struct udp_out *out, int fd, bool upstream, struct udp_way *way)
{
	memset(out, 0, sizeof(*out));
	out->fd = fd;
	out->upstream = upstream;
	out->way = way;
	list_init(&out->link);
	list_init(&out->refused);
}

void
udp_out_close(struct udp_out *out)
{
	list_unlink(&out->refused);
	close(out->fd);
}

/* --- sending ---------------------------------------------------------------------------------- */

/*
 * Append the slot just filled to the chain of OUT. Returns whether it was the last one: the next
 * could be as long as any. Messages begin with a line of the processor's cache each.
 */
static bool
tx_chain(struct udp_tx *tx, struct udp_out *out, size_t len)
{
	struct udp_slot *slot = &tx->slots[tx->n++];

	slot->iov = (struct iovec){ .iov_base = udp_tx_slot(tx), .iov_len = len };
	tx->n_bytes += (len + 63) / 64 * 64;
	if (out->n++ == 0) {
		out->head = slot;
		list_push(&tx->dirty, &out->link);
	} else {
		out->tail->next = slot;
	}
	out->tail = slot;
	return tx->n == UDP_SLOTS || UDP_TX_BYTES - tx->n_bytes < PACKET_UDP_CAP;
}

bool
udp_tx_answer(struct udp_tx *tx, struct udp_out *out, const struct packet_out *send)
{
	struct udp_slot *slot = &tx->slots[tx->n];

	slot->name_len = netaddr_to_sockaddr(&send->to.peer, &slot->name);
	udp_slot_from(slot, &send->to.local);
	return tx_chain(tx, out, send->len);
}

bool
udp_tx_question(struct udp_tx *tx, struct udp_out *out, size_t len)
{
	struct udp_slot *slot = &tx->slots[tx->n];

	slot->name_len = 0;
	slot->control_len = 0;
	return tx_chain(tx, out, len);
}

/* Does ERR (errno) tell that the kernel has no room for a datagram now? */
static bool
lacks_room(int err)
{
	return err == EAGAIN || err == ENOBUFS || err == ENOMEM;
}

/* Does ERR tell that the kernel knows no way for it, or lets none leave? */
static bool
lacks_way(int err)
{
	return err == EHOSTUNREACH || err == ENETUNREACH || err == EADDRNOTAVAIL || err == EACCES ||
	    err == EPERM || err == ENETDOWN || err == EHOSTDOWN;
}

/* --- what the kernel refused ------------------------------------------------------------------ */

static void
kept_drop(struct udp_tx *tx, struct udp_kept *k)
{
	k->out->n_kept--;
	list_unlink(&k->link);
	pool_give(&tx->kept, k);
}

static struct udp_kept *
kept_oldest(const struct udp_tx *tx)
{
	return LIST_OBJECT(tx->again.next, struct udp_kept, link);
}

/*
 * Copy the answer in SLOT, to be sent by OUT later. If there is no room the oldest one gives way,
 * which waits for its client already; but not for one of those that have no way (AWAY), which
 * anybody can cause by addresses that are not his: these get half of the room.
 */
static void
keep_answer(
    struct udp_tx *tx, struct udp_out *out, const struct udp_slot *slot, bool away, uint64_t now_ns)
{
	struct udp_kept *k;

	if (away && tx->kept.n_used >= UDP_KEPT / 2) {
		stats_inc(&tx->stats->send_failed);
		return;
	}
	if (pool_room(&tx->kept) == 0) {
		kept_drop(tx, kept_oldest(tx));
		stats_inc(&tx->stats->send_failed);
	}
	k = pool_take(&tx->kept);
	if (list_empty(&tx->again))
		tx->again_ns = now_ns + UDP_AGAIN_NS;
	k->out = out;
	k->since_ns = now_ns;
	k->slot = *slot;
	k->slot.iov.iov_base = k->bytes;
	memcpy(k->bytes, slot->iov.iov_base, slot->iov.iov_len);
	list_push(&tx->again, &k->link);
	out->n_kept++;
	stats_inc(&tx->stats->send_again);
}

/* The kernel refused the datagram in SLOT twice: it is to be sent again later. AWAY: struct
 * udp_unsent. */
static void
put_off(
    struct udp_tx *tx, struct udp_out *out, const struct udp_slot *slot, bool away, uint64_t now_ns)
{
	if (!out->upstream) {
		keep_answer(tx, out, slot, away, now_ns);
	} else if (tx->n_unsent < UDP_SLOTS) {
		tx->unsent[tx->n_unsent++] = (struct udp_unsent){
			.out = out, .id = header_id(slot->iov.iov_base), .away = away
		};
		stats_inc(&tx->stats->send_again);
	} else {
		stats_inc(&tx->stats->send_failed);
	}
}

/* Send K. Returns 0 or the errno. */
static int
send_kept(struct udp_kept *k)
{
	struct mmsghdr h = { .msg_len = 0 };
	struct udp_slot *slot = &k->slot;
	int r;

	udp_slot_message(&slot, 1, NULL, &h.msg_hdr);
	do
		r = sendmmsg(k->out->fd, &h, 1, MSG_NOSIGNAL);
	while (r < 0 && errno == EINTR);
	return r < 0 ? errno : 0;
}

void
udp_tx_again(struct udp_tx *tx, uint64_t now_ns)
{
	if (!udp_tx_waits(tx) || now_ns < tx->again_ns)
		return;
	tx->again_ns = now_ns + UDP_AGAIN_NS;
	for (struct list *link = tx->again.next, *next; link != &tx->again; link = next) {
		struct udp_kept *k = LIST_OBJECT(link, struct udp_kept, link);
		bool late = now_ns - k->since_ns >= UDP_PATIENCE_NS;
		int err;

		next = link->next;
		if (!late && k->out->stuck_ns == now_ns)
			continue;
		err = late ? ETIMEDOUT : send_kept(k);
		if (lacks_room(err)) {
			k->out->stuck_ns = now_ns; /* nor has it any for the others */
			continue;
		}
		if (err != 0)
			stats_inc(&tx->stats->send_failed);
		kept_drop(tx, k);
	}
}

/* OUT will be closed: drop the answers that wait to be sent again by it. */
static void
kept_drop_all(struct udp_tx *tx, struct udp_out *out)
{
	for (struct list *link = tx->again.next, *next; out->n_kept > 0; link = next) {
		struct udp_kept *k = LIST_OBJECT(link, struct udp_kept, link);

		next = link->next;
		if (k->out != out)
			continue;
		kept_drop(tx, k);
		stats_inc(&tx->stats->send_failed);
	}
}

/* --- a flush ---------------------------------------------------------------------------------- */

/* Datagrams on their way, all by one socket; tx->at has their slots, in their order. */
struct going {
	struct udp_out *out;
	uint64_t now_ns;
	unsigned n;
	unsigned n_gone;   /* of those the first so many have left, or do not in this flush */
	unsigned n_singly; /* the first so many leave singly */
	unsigned n_stuck;  /* refused in a row for lack of room */
	bool again;        /* the next one has been tried again already */
};

/* Are runs known to the kernel? It is asked with the socket of OUT. */
static void
try_runs(struct udp_tx *tx, const struct udp_out *out, uint64_t now_ns)
{
	int none = 0; /* bytes of a segment: it cuts nothing */

	if (setsockopt(out->fd, IPPROTO_UDP, UDP_SEGMENT, &none, sizeof(none)) == 0)
		tx->runs = UDP_RUNS_KNOWN;
	else if (errno == ENOPROTOOPT)
		tx->runs = UDP_RUNS_UNKNOWN;
	else
		out->way->singly_ns = now_ns + UDP_SINGLY_NS; /* then it is asked again */
}

/* May runs leave by OUT? */
static bool
takes_runs(struct udp_tx *tx, const struct udp_out *out, uint64_t now_ns)
{
	if (now_ns < out->way->singly_ns)
		return false;
	if (UNLIKELY(tx->runs == UDP_RUNS_UNTRIED))
		try_runs(tx, out, now_ns);
	return tx->runs == UDP_RUNS_KNOWN;
}

/* The datagrams of OUT set out. */
static struct going
tx_begin(struct udp_tx *tx, struct udp_out *out, uint64_t now_ns)
{
	struct going g = { .out = out, .now_ns = now_ns, .n = out->n };
	struct udp_slot *spare[UDP_SLOTS], *slot = out->head;

	for (unsigned i = 0; i < g.n; i++) {
		tx->at[i] = slot;
		slot = slot->next;
	}
	if (g.n > 1 && !takes_runs(tx, out, now_ns))
		g.n_singly = g.n;
	else if (out->upstream) /* of clients, who is next to whom is all that is worth its time */
		udp_slot_sort(tx->at, g.n, spare);
	return g;
}

/* How many of those that are not gone, from the one in place I on, leave as one message? */
static unsigned
next_run(const struct udp_tx *tx, const struct going *g, unsigned i)
{
	if (i < g->n_singly || i + 1 == g->n || udp_slot_alone(tx->at[i], tx->at[i + 1]))
		return 1;
	return udp_slot_run(&tx->at[i], g->n - i);
}

/* Make messages in tx->hdr of those that are not gone. Returns how many, UDP_BATCH at most. */
static unsigned
tx_messages(struct udp_tx *tx, const struct going *g)
{
	unsigned n = 0;

	for (unsigned i = g->n_gone; i < g->n && n < UDP_BATCH;) {
		unsigned run = next_run(tx, g, i);

		udp_slot_message(&tx->at[i], run, &tx->iov[i], &tx->hdr[n++].msg_hdr);
		i += run;
	}
	return n;
}

/* The first N of tx->hdr have left. */
static void
tx_sent(struct udp_tx *tx, struct going *g, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		unsigned run = (unsigned)tx->hdr[i].msg_hdr.msg_iovlen;

		g->n_gone += run;
		if (run > 1) {
			stats_inc(&tx->stats->send_runs);
			stats_add(&tx->stats->send_segments, run);
		}
	}
	g->again = false;
	g->n_stuck = 0;
}

/* The kernel refused a run with ERR (errno). Returns where that is counted, if it is for what the
 * run is, so that it would refuse others, too; else NULL. */
static _Atomic uint64_t *
run_refused(struct stats *stats, int err)
{
	switch (err) {
	case EIO: /* the way there has no checksums, or encrypts */
		return &stats->send_runs_eio;
	case EINVAL: /* as Linux before 6.1 says that a datagram is too long for the way */
		return &stats->send_runs_einval;
	case EMSGSIZE: /* as others say it */
		return &stats->send_runs_emsgsize;
	default:
		return NULL;
	}
}

/* The kernel refused the run of N that is next with ERR (errno): they are tried singly. */
static void
run_failed(struct udp_tx *tx, struct going *g, unsigned n, int err)
{
	_Atomic uint64_t *counter = run_refused(tx->stats, err);

	g->n_singly = g->n_gone + n;
	if (counter == NULL)
		return;
	stats_inc(counter);
	g->n_singly = g->n;
	g->out->way->singly_ns = g->now_ns + UDP_SINGLY_NS;
}

/* The kernel refused the one datagram that is next with ERR (errno), for good or for now. */
static void
one_failed(struct udp_tx *tx, struct going *g, int err)
{
	bool full = lacks_room(err), away = lacks_way(err);
	unsigned n = g->n_gone + 1;

	if (!full && !away) {
		stats_inc(&tx->stats->send_failed);
		g->n_gone++;
		return;
	}
	if (full && ++g->n_stuck >= UDP_STUCK)
		n = g->n;
	for (; g->n_gone < n; g->n_gone++)
		put_off(tx, g->out, tx->at[g->n_gone], away, g->now_ns);
}

/* The kernel refused the first message of tx->hdr with ERR (errno). */
static void
tx_failed(struct udp_tx *tx, struct going *g, int err)
{
	unsigned run = (unsigned)tx->hdr[0].msg_hdr.msg_iovlen;

	if (err == EINTR)
		return;
	if (g->out->upstream && err == ECONNREFUSED && list_empty(&g->out->refused))
		list_push(&tx->refused, &g->out->refused);
	/*
	 * An earlier datagram left the error, and the kernel has not tried this one; or room may
	 * be there again. That there is no way to a client is not put right so fast.
	 */
	if (!g->again &&
	    (err == ECONNREFUSED || lacks_room(err) || (lacks_way(err) && g->out->upstream))) {
		g->again = true;
		return;
	}
	g->again = false;
	if (run > 1)
		run_failed(tx, g, run, err);
	else
		one_failed(tx, g, err);
}

/* Send the chain of OUT. Returns how many datagrams it had. */
static unsigned
tx_drain(struct udp_tx *tx, struct udp_out *out, uint64_t now_ns)
{
	struct going g = tx_begin(tx, out, now_ns);

	while (g.n_gone < g.n) {
		unsigned n = tx_messages(tx, &g);
		int r = sendmmsg(out->fd, tx->hdr, n, MSG_NOSIGNAL);

		if (r > 0)
			tx_sent(tx, &g, (unsigned)r);
		else
			tx_failed(tx, &g, r < 0 ? errno : EIO);
	}
	assert(g.n_gone == g.n);
	out->n = 0;
	return g.n;
}

void
udp_tx_flush(struct udp_tx *tx, uint64_t now_ns)
{
	struct list *link;

	while ((link = list_pop(&tx->dirty)) != NULL)
		tx->n_left += tx_drain(tx, LIST_OBJECT(link, struct udp_out, link), now_ns);
	assert(tx->n_left == tx->n); /* each was sent, or put off, or counted */
	tx->n = 0;
	tx->n_left = 0;
	tx->n_bytes = 0;
}

void
udp_out_fini(struct udp_tx *tx, struct udp_out *out, uint64_t now_ns)
{
	list_unlink(&out->link);
	tx->n_left += tx_drain(tx, out, now_ns);
	kept_drop_all(tx, out);
}

bool
udp_tx_take_unsent(struct udp_tx *tx, struct udp_unsent *un)
{
	if (tx->n_returned == tx->n_unsent) {
		tx->n_returned = tx->n_unsent = 0;
		return false;
	}
	*un = tx->unsent[tx->n_returned++];
	return true;
}

struct udp_out *
udp_tx_take_refused(struct udp_tx *tx)
{
	struct list *link = list_pop(&tx->refused);

	return link == NULL ? NULL : LIST_OBJECT(link, struct udp_out, refused);
}
