/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes are what a client sends to the control socket before it says that this was all. Each
 * answer is HTTP, and what calls itself JSON is JSON.
 */
#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "cache/cache.h"
#include "config/conffile.h"
#include "config/policies.h"
#include "control/control.h"
#include "fuzz/fuzz.h"
#include "fuzz/mutate.h"
#include "io/evbase.h"

#define TURNS 200 /* of the base, at most, for one client */

static struct {
	struct settings settings;
	struct host host;
	struct listens_waits waits; /* none */
	struct control *control;
	struct sockaddr_un at;
	socklen_t at_len;
	bool reloads; /* it was told to */
} room;

static void
reload(void *arg)
{
	(void)arg;
	room.reloads = true;
}

static void
do_nothing(void *arg)
{
	(void)arg;
}

static bool
succeed(void *arg)
{
	(void)arg;
	return true;
}

static bool
lameduck(void *arg, bool on)
{
	(void)arg;
	(void)on;
	return true;
}

static void
ignore(void *ctx, enum diag_kind kind, const char *text)
{
	(void)ctx;
	(void)kind;
	(void)text;
}

static bool
cookies(void *arg, const struct host_cookies *c)
{
	(void)arg;
	(void)c;
	return false;
}

/* The change is made, and taken back. */
static enum host_verdict
change(void *arg, const struct prefix_change *c, char error[static HOST_ERROR])
{
	struct diag d = { .file = "fuzz.conf", .sink = ignore };
	struct prefix_change_made made;

	(void)arg;
	snprintf(error, HOST_ERROR, "%s", prefix_change_word(c->what));
	if (!prefix_change_make(&room.settings, c, 1, &made, &d))
		return HOST_WRONG;
	prefix_change_undo(&made);
	return HOST_DONE;
}

/* The order is obeyed, and forgotten. */
static enum host_verdict
obey(void *arg, const struct order *w, char error[static HOST_ERROR])
{
	static struct orders orders;

	(void)arg;
	memset(&orders, 0, sizeof(orders));
	return orders_make(&orders, &room.settings, w, (struct orders_now){ 1, 1 }, error)
	    ? HOST_DONE
	    : HOST_WRONG;
}

static bool
is_changing(void *arg)
{
	(void)arg;
	return false;
}

static const struct host_ops ops = { .reload = reload,
	.stop = do_nothing,
	.load = do_nothing,
	.save = succeed,
	.reopen = succeed,
	.lameduck = lameduck,
	.cookies = cookies,
	.change = change,
	.order = obey,
	.is_changing = is_changing };

static void
make_settings(struct settings *s)
{
	static const char text[] = "nameserver 192.0.2.1\ncache-file /f\n";
	struct diag d = { .file = "fuzz.conf", .sink = ignore };

	conffile_parse(text, sizeof(text) - 1, s, &d);
	s->conf.core.policies = policies_make(s, &d);
	s->conf.core.cache = cache_new(4 * CACHE_MIN, 100, 7);
	FUZZ_CHECK(s->conf.core.policies != NULL && s->conf.core.cache != NULL);
}

/* A socket that listens, at a name that the kernel chooses, which is no file. */
static int
make_socket(void)
{
	const struct sockaddr_un any = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	room.at_len = sizeof(room.at);
	FUZZ_CHECK(bind(fd, (const struct sockaddr *)&any, sizeof(any.sun_family)) == 0);
	FUZZ_CHECK(getsockname(fd, (struct sockaddr *)&room.at, &room.at_len) == 0);
	FUZZ_CHECK(listen(fd, 64) == 0);
	return fd;
}

static void
begin(void)
{
	const struct control_sockets sockets = { .control = make_socket() };

	log_open(LOG_SINK_NONE);
	(void)signal(SIGPIPE, SIG_IGN); /* as the daemon does */
	make_settings(&room.settings);
	room.host = (struct host){ .base = evbase_new(),
		.path = "/etc/t.conf",
		.settings = &room.settings,
		.memory_fd = -1,
		.fds_fd = -1,
		.waits = &room.waits,
		.ops = &ops };
	FUZZ_CHECK(room.host.base != NULL);
	room.control = control_new(&room.host, &sockets);
	FUZZ_CHECK(room.control != NULL);
}

/* What the daemon does in a turn of its base. */
static void
turn(void)
{
	FUZZ_CHECK(event_base_loop(room.host.base, EVLOOP_NONBLOCK) >= 0);
	if (!room.reloads)
		return;
	room.reloads = false;
	control_reload_begins(room.control);
	control_reload_ends(room.control, VERDICT_RELOADED);
}

/* Send all, read all. Returns the bytes of the answer, to TEXT, which ends with a zero. */
static size_t
speak(const uint8_t *data, size_t len, char *text, size_t cap)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	size_t sent = 0, n = 0;
	ssize_t got;

	FUZZ_CHECK(connect(fd, (const struct sockaddr *)&room.at, room.at_len) == 0);
	for (unsigned i = 0; i < TURNS; i++) {
		if (sent < len) {
			got = send(fd, data + sent, len - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
			sent += got > 0 ? (size_t)got : 0;
		}
		if (sent == len)
			(void)shutdown(fd, SHUT_WR);
		turn();
		got = recv(fd, text + n, cap - 1 - n, MSG_DONTWAIT);
		if (got == 0 || (got < 0 && errno != EAGAIN))
			break;
		n += got > 0 ? (size_t)got : 0;
	}
	close(fd);
	text[n] = '\0';
	return n;
}

static void
check_answer(const char *text)
{
	static const char is_json[] = "\r\nContent-Type: application/json\r\n";
	const char *body = strstr(text, "\r\n\r\n");
	json_t *j;

	FUZZ_CHECK(strncmp(text, "HTTP/", 5) == 0); /* with the version that was asked */
	if (body == NULL || body[4] == '\0' || strstr(text, is_json) == NULL)
		return;
	j = json_loads(body + 4, 0, NULL);
	FUZZ_CHECK(j != NULL);
	json_decref(j);
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t cap, unsigned seed)
{
	(void)seed;
	return LLVMFuzzerMutate(data, len, cap);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static char text[1 << 18];

	if (room.control == NULL)
		begin();
	if (speak(data, len, text, sizeof(text)) > 0 && strncmp(text, "HTTP/1.1 100", 12) != 0)
		check_answer(text);
	return 0;
}
