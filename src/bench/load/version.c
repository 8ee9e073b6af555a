/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/load/version.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/rng.h"
#include "bench/load/load.h"
#include "dns/header.h"
#include "dns/msg.h"

#define REPLY_MAX 1232 /* bytes */

static const uint8_t qname[] = "\007version\004bind";

_Static_assert(BENCH_VERSION_TEXT > UINT8_MAX, "a string of TXT fits");

static size_t
write_question(uint16_t id, uint8_t out[static BENCH_QUESTION_MAX])
{
	memcpy(header_put_qname(out), qname, sizeof(qname));
	header_start(out, id, DNS_RD);
	header_set_qtype(out, sizeof(qname), DNS_TYPE_TXT);
	header_set_qclass(out, sizeof(qname), DNS_CLASS_CH);
	return header_question_end(sizeof(qname));
}

/* The first string of the TXT record in the LEN bytes at REPLY, which answers the question ID. */
static bool
read_reply(const uint8_t *reply, size_t len, uint16_t id, char text[static BENCH_VERSION_TEXT])
{
	struct msg_walk w;
	struct msg m;
	struct rr rr;

	if (msg_parse(&m, reply, len) != MSG_OK || m.id != id || (m.flags & DNS_QR) == 0 ||
	    m.rcode != DNS_NOERROR)
		return false;
	w = msg_walk(&m, MSG_ANSWER);
	while (msg_walk_next(&w, &rr)) {
		const uint8_t *rdata = m.bytes + rr.rdata;

		if (rr.type != DNS_TYPE_TXT || rr.rdlen < 2 || rdata[0] == 0 ||
		    rdata[0] >= rr.rdlen)
			continue;
		for (unsigned i = 0; i < rdata[0]; i++)
			text[i] =
			    (char)(rdata[i + 1] >= ' ' && rdata[i + 1] < 0x7f ? rdata[i + 1] : '?');
		text[rdata[0]] = '\0';
		return true;
	}
	return false;
}

/* Ask by FD, which is connected. */
static bool
ask(int fd, int wait_ms, char text[static BENCH_VERSION_TEXT])
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint8_t question[BENCH_QUESTION_MAX], reply[REPLY_MAX];
	struct rng rng;

	rng_init(&rng);
	uint16_t id = rng_u16(&rng);
	size_t len = write_question(id, question);
	if (send(fd, question, len, 0) != (ssize_t)len || poll(&p, 1, wait_ms) <= 0)
		return false;
	ssize_t n = recv(fd, reply, sizeof(reply), MSG_DONTWAIT);
	return n > 0 && read_reply(reply, (size_t)n, id, text);
}

bool
bench_version_ask(const struct netaddr *server, int wait_ms, char text[static BENCH_VERSION_TEXT])
{
	struct sockaddr_storage ss;
	socklen_t len = netaddr_to_sockaddr(server, &ss);
	int fd = socket(ss.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	text[0] = '\0';
	if (fd < 0)
		return false;
	bool told = connect(fd, (struct sockaddr *)&ss, len) == 0 && ask(fd, wait_ms, text);
	(void)close(fd);
	return told;
}
