/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/connlog.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"

#define CONNLOG_TEXT 200 /* longest message, with the final zero */

/*
 * An event of KIND about WHOM happened; *SAID is what this loop has logged of such. Returns the
 * level to log it at, with MORE behind it, or -1: that of KIND if this loop's last such message
 * and those of other loops are LOGONCE_PAUSE_NS ago or more; else LOG_LEVEL_DEBUG.
 */
static int
level_now(const struct connlog_event *e, enum log_category about, enum logonce_kind kind,
    struct connlog_seldom *said, char more[static LOGONCE_MORE])
{
	const struct netaddr *whom = about == LOG_UPSTREAM ? e->peer : NULL;
	enum log_level usual = kind == LOGONCE_HEADER ? LOG_LEVEL_NOTICE : LOG_LEVEL_INFO;
	uint64_t n;

	more[0] = '\0';
	said->n++;
	if (log_enabled(about, usual) &&
	    (said->at_ns == 0 || e->now_ns - said->at_ns >= LOGONCE_PAUSE_NS)) {
		n = logonce_now(e->logonce, kind, whom, said->n, e->now_ns);
		*said = (struct connlog_seldom){ .at_ns = e->now_ns };
		logonce_more(more, n);
		if (n > 0)
			return (int)usual;
	}
	return log_debugs(about) ? LOG_LEVEL_DEBUG : -1;
}

static void
say(int level, enum log_category about, const char *text, const char *more)
{
	if (level == LOG_LEVEL_NOTICE)
		log_notice(about, "%s%s", text, more);
	else if (level == LOG_LEVEL_INFO)
		log_info(about, "%s%s", text, more);
	else if (level == LOG_LEVEL_DEBUG)
		log_debug(about, "%s", text);
}

void
connlog_conn_up(const struct connlog_event *e, struct connlog_conn *said)
{
	char text[NETADDR_TEXT];

	if (said->failing && logonce_over(e->logonce, LOGONCE_NO_TCP, e->peer))
		log_notice(
		    LOG_UPSTREAM, "%s: takes TCP connections again", netaddr_format(e->peer, text));
	else if (log_debugs(LOG_UPSTREAM))
		log_debug(LOG_UPSTREAM, "%s: TCP connection made", netaddr_format(e->peer, text));
	said->failing = false;
}

void
connlog_conn_failed(const struct connlog_event *e, struct connlog_conn *said, int err)
{
	const char *why = strerror(err);
	char text[NETADDR_TEXT];

	netaddr_format(e->peer, text);
	if (!said->failing && logonce_begin(e->logonce, LOGONCE_NO_TCP, e->peer))
		log_notice(LOG_UPSTREAM, "%s: no TCP connection: %s", text, why);
	else if (log_debugs(LOG_UPSTREAM))
		log_debug(LOG_UPSTREAM, "%s: no TCP connection: %s", text, why);
	said->failing = true;
}

void
connlog_conn_ended(const struct connlog_event *e, struct connlog_conn *said, int err, unsigned n)
{
	const char *why = err != 0 ? strerror(err) : "closed";
	int level = LOG_LEVEL_DEBUG;
	char line[CONNLOG_TEXT], text[NETADDR_TEXT], more[LOGONCE_MORE] = "";

	if (n > 0)
		level = level_now(e, LOG_UPSTREAM, LOGONCE_TCP_LOST, &said->lost, more);
	if (level < 0 || !log_enabled(LOG_UPSTREAM, (enum log_level)level))
		return;
	snprintf(line, sizeof(line), "%s: TCP connection ended with %u question%s open: %s",
	    netaddr_format(e->peer, text), n, n == 1 ? "" : "s", why);
	say(level, LOG_UPSTREAM, line, more);
}

void
connlog_conn_full(const struct connlog_event *e, struct connlog_conn *said, int err)
{
	char line[CONNLOG_TEXT], text[NETADDR_TEXT], more[LOGONCE_MORE] = "";
	int level = level_now(e, LOG_UPSTREAM, LOGONCE_TCP_FULL, &said->full, more);

	if (level < 0)
		return;
	snprintf(line, sizeof(line), "%s: no room for a question over TCP: %s",
	    netaddr_format(e->peer, text), strerror(err));
	say(level, LOG_UPSTREAM, line, more);
}

void
connlog_conn_gone(const struct connlog_event *e, struct connlog_conn *said)
{
	if (said->failing)
		(void)logonce_over(e->logonce, LOGONCE_NO_TCP, e->peer);
	said->failing = false;
}

void
connlog_socket(struct logonce *logonce, const struct netaddr *addr, int err)
{
	char text[NETADDR_TEXT];

	netaddr_format(addr, text);
	if (err == 0 && logonce_end(logonce, LOGONCE_NO_SOCKET, addr))
		log_notice(LOG_UPSTREAM, "%s: reachable again", text);
	else if (err != 0 && logonce_begin(logonce, LOGONCE_NO_SOCKET, addr))
		log_warn(LOG_UPSTREAM, "%s: no socket: %s", text, strerror(err));
}

void
connlog_client_limit(
    const struct connlog_event *e, struct connlog_clients *said, const char *keyword)
{
	char line[CONNLOG_TEXT], text[NETADDR_TEXT], more[LOGONCE_MORE] = "";
	int level = level_now(e, LOG_CLIENT, LOGONCE_CLIENT_LIMIT, &said->limit, more);

	if (level < 0)
		return;
	snprintf(line, sizeof(line), "a connection of %s was closed: %s are open",
	    netaddr_format(e->peer, text), keyword);
	say(level, LOG_CLIENT, line, more);
}

void
connlog_header(const struct connlog_event *e, struct connlog_seldom *said, enum transport transport,
    const char *why)
{
	bool stream = transport_is_stream(transport);
	char line[CONNLOG_TEXT], text[NETADDR_TEXT], more[LOGONCE_MORE] = "";
	int level = level_now(e, LOG_CLIENT, LOGONCE_HEADER, said, more);

	if (level < 0)
		return;
	snprintf(line, sizeof(line), "%s of %s was %s (proxy-protocol): %s",
	    stream ? "a connection" : "a datagram", netaddr_format(e->peer, text),
	    stream ? "closed" : "dropped", why);
	say(level, LOG_CLIENT, line, more);
}

void
connlog_client_stall(const struct connlog_event *e, struct connlog_clients *said)
{
	char line[CONNLOG_TEXT], text[NETADDR_TEXT], more[LOGONCE_MORE] = "";
	int level = level_now(e, LOG_CLIENT, LOGONCE_CLIENT_STALL, &said->stall, more);

	if (level < 0)
		return;
	snprintf(line, sizeof(line), "a connection of %s was closed: it takes no answers",
	    netaddr_format(e->peer, text));
	say(level, LOG_CLIENT, line, more);
}
