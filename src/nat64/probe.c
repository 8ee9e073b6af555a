/* SPDX-License-Identifier: BSD-2-Clause */
#include "nat64/probe.h"

#include <errno.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dns/build.h"
#include "dns/header.h"
#include "dns/msg.h"
#include "dns/name.h"
#include "dns/proto.h"

#define MESSAGE_MAX 1232 /* bytes of a question, and of a reply */

/* --- What is sent ----------------------------------------------------------------------------- */

/* A socket for what C asks. Returns it or -errno. */
static int
open_socket(enum policy_lines_check_kind kind)
{
	static const struct {
		int type;
		int protocol;
	} rows[] = { [POLICY_LINES_TCP] = { SOCK_STREAM, IPPROTO_TCP },
		[POLICY_LINES_DNS] = { SOCK_DGRAM, IPPROTO_UDP },
		[POLICY_LINES_ICMP] = { SOCK_DGRAM, IPPROTO_ICMPV6 } };
	/* Closed, a connection is reset: neither side keeps anything of it. */
	const struct linger reset = { .l_onoff = 1, .l_linger = 0 };
	int fd =
	    socket(AF_INET6, rows[kind].type | SOCK_NONBLOCK | SOCK_CLOEXEC, rows[kind].protocol);

	if (fd < 0)
		return -errno;
	if (kind == POLICY_LINES_TCP)
		(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	return fd;
}

int
probe_try_icmp(void)
{
	int fd = open_socket(POLICY_LINES_ICMP);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/* Write the question of P to OUT. Returns its length. */
static size_t
write_question(const struct probe *p, uint8_t out[static MESSAGE_MAX])
{
	const struct build_question q = { .id = p->id,
		.flags = DNS_RD,
		.qname = p->check->name,
		.qtype = DNS_TYPE_A,
		.qclass = DNS_CLASS_IN };
	struct build b;

	build_start(&b, out, MESSAGE_MAX, &q);
	return build_finish(&b, MESSAGE_MAX, &(const struct build_opt){ .present = false });
}

/* Write the echo request of P to OUT; identifier and checksum are the kernel's. */
static size_t
write_echo(const struct probe *p, uint8_t out[static MESSAGE_MAX])
{
	struct icmp6_hdr h = { .icmp6_type = ICMP6_ECHO_REQUEST };

	h.icmp6_seq = p->id;
	memcpy(out, &h, sizeof(h));
	memset(out + sizeof(h), 0, 8);
	return sizeof(h) + 8;
}

/* Send what is to be sent of P. Returns 0 or -errno. */
static int
send_question(const struct probe *p)
{
	uint8_t out[MESSAGE_MAX];
	size_t len = 0;

	switch (p->check->kind) {
	case POLICY_LINES_TCP:
		return 0;
	case POLICY_LINES_DNS:
		len = write_question(p, out);
		break;
	case POLICY_LINES_ICMP:
		len = write_echo(p, out);
		break;
	}
	return send(p->fd, out, len, MSG_NOSIGNAL) == (ssize_t)len ? 0 : -errno;
}

/* --- What comes ------------------------------------------------------------------------------- */

static void
end(struct probe *p, const char *why)
{
	if (p->event != NULL)
		event_free(p->event);
	p->event = NULL;
	if (p->fd >= 0)
		close(p->fd);
	p->fd = -1;
	p->end(p, why);
}

/* Are the N bytes at IN the reply to the question of P? */
static bool
is_reply(const struct probe *p, const uint8_t *in, size_t n)
{
	struct msg m;

	return msg_parse(&m, in, n) == MSG_OK && m.id == p->id && (m.flags & DNS_QR) != 0 &&
	    m.qname_len > 0 && m.qtype == DNS_TYPE_A && name_equal(msg_qname(&m), p->check->name);
}

static bool
is_echo(const struct probe *p, const uint8_t *in, size_t n)
{
	struct icmp6_hdr h;

	if (n < sizeof(h))
		return false;
	memcpy(&h, in, sizeof(h));
	return h.icmp6_type == ICMP6_ECHO_REPLY && h.icmp6_seq == p->id;
}

/* Read what has come. What is no answer may be anybody's: an answer may come yet. */
static void
on_datagram(struct probe *p)
{
	uint8_t in[MESSAGE_MAX];
	ssize_t n = recv(p->fd, in, sizeof(in), 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0)
		end(p, strerror(errno));
	else if (p->check->kind == POLICY_LINES_DNS ? is_reply(p, in, (size_t)n)
						    : is_echo(p, in, (size_t)n))
		end(p, NULL);
	else
		p->garbage = true;
}

/* The connection is there, or is refused. */
static void
on_connected(struct probe *p)
{
	int rc = 0;
	socklen_t len = sizeof(rc);

	if (getsockopt(p->fd, SOL_SOCKET, SO_ERROR, &rc, &len) != 0)
		rc = errno;
	end(p, rc == 0 ? NULL : strerror(rc));
}

static void
on_event(evutil_socket_t fd, short what, void *arg)
{
	struct probe *p = arg;

	(void)fd;
	(void)what;
	if (p->check->kind == POLICY_LINES_TCP)
		on_connected(p);
	else
		on_datagram(p);
}

/* --- One of them ------------------------------------------------------------------------------ */

/* Open the socket of P towards its target under PREFIX, and send. Returns 0 or -errno. */
static int
begin(struct probe *p, const struct pref64 *prefix)
{
	struct sockaddr_in6 to = { .sin6_family = AF_INET6, .sin6_port = htons(p->check->port) };

	p->fd = open_socket(p->check->kind);
	if (p->fd < 0)
		return p->fd;
	pref64_embed(prefix, p->check->v4, to.sin6_addr.s6_addr);
	if (connect(p->fd, (const struct sockaddr *)&to, sizeof(to)) != 0 && errno != EINPROGRESS)
		return -errno;
	return send_question(p);
}

void
probe_start(struct probe *p, struct event_base *base, const struct policy_lines_check *c,
    const struct pref64 *prefix, struct rng *r, probe_end *done)
{
	bool tcp = c->kind == POLICY_LINES_TCP;
	int rc;

	*p = (struct probe){ .check = c, .end = done, .fd = -1, .id = rng_u16(r) };
	rc = begin(p, prefix);
	if (rc == 0) {
		p->event =
		    event_new(base, p->fd, tcp ? EV_WRITE : EV_READ | EV_PERSIST, on_event, p);
		if (p->event == NULL || event_add(p->event, NULL) != 0)
			rc = -ENOMEM;
	}
	p->starved = rc == -EMFILE || rc == -ENFILE || rc == -ENOMEM || rc == -ENOBUFS;
	if (rc != 0)
		end(p, strerror(-rc));
}

const char *
probe_stop(struct probe *p)
{
	if (p->event == NULL)
		return NULL;
	event_free(p->event);
	p->event = NULL;
	close(p->fd);
	p->fd = -1;
	return p->garbage ? "what came is no answer" : "no answer in time";
}
