/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes are what a client sent: over UDP, then over TCP; no upstream replies. */
#include "dns/msg.h"
#include "fuzz/fuzz.h"

/* RFC 6891 section 6.2.3: never longer than the client takes. */
static size_t
client_takes(const uint8_t *data, size_t len, size_t most)
{
	struct msg m;

	if (msg_parse(&m, data, len) != MSG_OK || !m.edns.present || m.edns.bufsize < DNS_UDP_MIN)
		return DNS_UDP_MIN;
	return m.edns.bufsize < most ? m.edns.bufsize : most;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct fuzz f;

	fuzz_start(&f);
	f.limit = client_takes(data, len, f.conf.udp_size_client);
	fuzz_ask(&f, PACKET_CLIENT_UDP, data, len);
	if (len <= DNS_MSG_MAX)
		fuzz_ask(&f, PACKET_CLIENT_TCP, data, len);
	fuzz_wait(&f);
	FUZZ_CHECK(f.n_answers <= 2);
	fuzz_end(&f);
	return 0;
}
