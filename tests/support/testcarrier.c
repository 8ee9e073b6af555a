/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/testcarrier.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "io/carrier.h"
#include "support/rig.h"
#include "support/tests.h"

#define GREETING 'g'
#define THANKS 't'
#define PIECE 7 /* bytes that are handed out at a time */

/* What a stream has beside its descriptor. */
struct sealed {
	enum { CONNECTING, GREETED, THANKFUL } next;
	uint8_t bytes[1 << 17];
	size_t at, len; /* bytes at..len-1 are not handed out yet */
};

static atomic_bool in_use;

int __real_carrier_begin(
    struct carrier_link *k, enum transport transport, const struct conf_upstream *to);
int __real_carrier_feed(struct carrier_link *k);
ssize_t __real_carrier_read(struct carrier_link *k, uint8_t *bytes, size_t len);
ssize_t __real_carrier_write(struct carrier_link *k, struct iovec *pieces, size_t n);
void __real_carrier_end(struct carrier_link *k);

int __wrap_carrier_begin(
    struct carrier_link *k, enum transport transport, const struct conf_upstream *to);
int __wrap_carrier_feed(struct carrier_link *k);
ssize_t __wrap_carrier_read(struct carrier_link *k, uint8_t *bytes, size_t len);
ssize_t __wrap_carrier_write(struct carrier_link *k, struct iovec *pieces, size_t n);
void __wrap_carrier_end(struct carrier_link *k);

void
testcarrier_use(bool on)
{
	in_use = on;
}

int
__wrap_carrier_begin(
    struct carrier_link *k, enum transport transport, const struct conf_upstream *to)
{
	int r = __real_carrier_begin(k, transport, to);

	if (r == 0 && in_use)
		k->state = calloc(1, sizeof(struct sealed));
	return r;
}

static int
put(struct carrier_link *k, char c)
{
	struct iovec piece = { &c, 1 };

	return __real_carrier_write(k, &piece, 1) == 1 ? 0 : -EPROTO;
}

int
__wrap_carrier_feed(struct carrier_link *k)
{
	struct sealed *s = k->state;
	uint8_t c;
	ssize_t n;
	int r;

	if (s == NULL)
		return __real_carrier_feed(k);
	switch (s->next) {
	case CONNECTING:
		r = __real_carrier_feed(k);
		if (r == CARRIER_UP)
			r = put(k, GREETING);
		if (r < 0)
			return r;
		s->next = GREETED;
		return CARRIER_AWAITS_READ;
	case GREETED:
		n = __real_carrier_read(k, &c, 1);
		if (n == -EAGAIN)
			return CARRIER_AWAITS_READ;
		if (n != 1 || c != GREETING)
			return -EPROTO;
		s->next = THANKFUL;
		return CARRIER_AWAITS_WRITE;
	case THANKFUL:
		r = put(k, THANKS);
		return r < 0 ? r : CARRIER_UP;
	}
	return -EPROTO;
}

ssize_t
__wrap_carrier_read(struct carrier_link *k, uint8_t *bytes, size_t len)
{
	struct sealed *s = k->state;

	if (s == NULL)
		return __real_carrier_read(k, bytes, len);
	if (s->at == s->len) {
		ssize_t n = __real_carrier_read(k, s->bytes, sizeof(s->bytes));

		if (n <= 0)
			return n;
		s->at = 0;
		s->len = (size_t)n;
	}
	if (len > PIECE)
		len = PIECE;
	if (len > s->len - s->at)
		len = s->len - s->at;
	memcpy(bytes, s->bytes + s->at, len);
	s->at += len;
	k->more = s->at < s->len;
	return (ssize_t)len;
}

ssize_t
__wrap_carrier_write(struct carrier_link *k, struct iovec *pieces, size_t n)
{
	const struct sealed *s = k->state;

	if (s != NULL && s->next != THANKFUL)
		return -EPROTO; /* nothing is to be written before the stream is there */
	return __real_carrier_write(k, pieces, n);
}

void
__wrap_carrier_end(struct carrier_link *k)
{
	free(k->state);
	k->state = NULL;
	__real_carrier_end(k);
}

static void
take(int fd, char wanted)
{
	char c = 0;

	ck_assert(rig_ready(fd, RIG_WAIT_MS));
	ck_assert_int_eq(recv(fd, &c, 1, 0), 1);
	ck_assert_int_eq(c, wanted);
}

void
testcarrier_greet(int fd)
{
	const char greeting = GREETING;

	take(fd, GREETING);
	ck_assert(!rig_ready(fd, RIG_QUIET_MS));
	ck_assert_int_eq(send(fd, &greeting, 1, MSG_NOSIGNAL), 1);
	take(fd, THANKS);
}
