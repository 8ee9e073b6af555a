/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/say.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"

#define SAY_TEXT 200 /* longest message, with the final zero */

/*
 * The level to log an event of KIND about WHOM at; -1: do not log it. LOG_LEVEL_INFO if this loop's
 * last such message, at *said_ns (0: never), and those of other loops are TOLD_PAUSE_NS ago or
 * more; else LOG_LEVEL_DEBUG.
 */
static int
level_now(
    const struct say_event *e, enum told_kind kind, const struct netaddr *whom, uint64_t *said_ns)
{
	bool may = *said_ns == 0 || e->now_ns - *said_ns >= TOLD_PAUSE_NS;

	if (log_enabled(LOG_LEVEL_INFO) && may) {
		*said_ns = e->now_ns;
		if (told_now(e->told, kind, whom, e->now_ns))
			return LOG_LEVEL_INFO;
	}
	return log_enabled(LOG_LEVEL_DEBUG) ? LOG_LEVEL_DEBUG : -1;
}

static void
say(int level, const char *subsystem, const char *text)
{
	if (level == LOG_LEVEL_INFO)
		log_info(subsystem, "%s", text);
	else if (level == LOG_LEVEL_DEBUG)
		log_debug(subsystem, "%s", text);
}

void
say_conn_up(const struct say_event *e, struct say_conn *said)
{
	char text[NETADDR_TEXT];

	if (said->failing && told_over(e->told, TOLD_NO_TCP, e->peer))
		log_notice(
		    "upstream", "%s: takes TCP connections again", netaddr_format(e->peer, text));
	else if (log_enabled(LOG_LEVEL_DEBUG))
		log_debug("upstream", "%s: TCP connection made", netaddr_format(e->peer, text));
	said->failing = false;
}

void
say_conn_failed(const struct say_event *e, struct say_conn *said, int err)
{
	const char *why = strerror(err);
	char text[NETADDR_TEXT];

	netaddr_format(e->peer, text);
	if (!said->failing && told_begin(e->told, TOLD_NO_TCP, e->peer))
		log_notice("upstream", "%s: no TCP connection: %s", text, why);
	else if (log_enabled(LOG_LEVEL_DEBUG))
		log_debug("upstream", "%s: no TCP connection: %s", text, why);
	said->failing = true;
}

void
say_conn_ended(const struct say_event *e, struct say_conn *said, int err, unsigned n)
{
	const char *why = err != 0 ? strerror(err) : "closed";
	int level = LOG_LEVEL_DEBUG;
	char line[SAY_TEXT], text[NETADDR_TEXT];

	if (n > 0)
		level = level_now(e, TOLD_TCP_LOST, e->peer, &said->lost_ns);
	if (level < 0 || !log_enabled((enum log_level)level))
		return;
	snprintf(line, sizeof(line), "%s: TCP connection ended with %u question%s open: %s",
	    netaddr_format(e->peer, text), n, n == 1 ? "" : "s", why);
	say(level, "upstream", line);
}

void
say_conn_full(const struct say_event *e, struct say_conn *said, int err)
{
	int level = level_now(e, TOLD_TCP_FULL, e->peer, &said->full_ns);
	char line[SAY_TEXT], text[NETADDR_TEXT];

	if (level < 0)
		return;
	snprintf(line, sizeof(line), "%s: no room for a question over TCP: %s",
	    netaddr_format(e->peer, text), strerror(err));
	say(level, "upstream", line);
}

void
say_conn_gone(const struct say_event *e, struct say_conn *said)
{
	if (said->failing)
		(void)told_over(e->told, TOLD_NO_TCP, e->peer);
	said->failing = false;
}

void
say_socket(struct told *told, const struct netaddr *addr, int err)
{
	char text[NETADDR_TEXT];

	netaddr_format(addr, text);
	if (err == 0 && told_end(told, TOLD_NO_SOCKET, addr))
		log_notice("upstream", "%s: reachable again", text);
	else if (err != 0 && told_begin(told, TOLD_NO_SOCKET, addr))
		log_warn("upstream", "%s: no socket: %s", text, strerror(err));
}

void
say_client_limit(const struct say_event *e, struct say_clients *said, const char *keyword)
{
	int level = level_now(e, TOLD_CLIENT_LIMIT, NULL, &said->limit_ns);
	char line[SAY_TEXT], text[NETADDR_TEXT];

	if (level < 0)
		return;
	snprintf(line, sizeof(line), "a connection of %s was closed: %s are open",
	    netaddr_format(e->peer, text), keyword);
	say(level, "client", line);
}

void
say_client_stall(const struct say_event *e, struct say_clients *said)
{
	int level = level_now(e, TOLD_CLIENT_STALL, NULL, &said->stall_ns);
	char line[SAY_TEXT], text[NETADDR_TEXT];

	if (level < 0)
		return;
	snprintf(line, sizeof(line), "a connection of %s was closed: it takes no answers",
	    netaddr_format(e->peer, text));
	say(level, "client", line);
}
