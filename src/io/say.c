/* SPDX-License-Identifier: BSD-2-Clause */
#include "io/say.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "io/shell.h"

#define SAY_TEXT 200 /* longest message, with the final zero */

/*
 * The level to log an event of KIND about WHOM at now; -1: do not log it. LOG_LEVEL_INFO if this
 * loop's last such message, at *said_ns (0: never), and those of other loops are TOLD_PAUSE_NS ago
 * or more; else LOG_LEVEL_DEBUG.
 */
static int
level_now(struct shell *sh, enum told_kind kind, const struct netaddr *whom, uint64_t *said_ns)
{
	bool may = *said_ns == 0 || sh->now_ns - *said_ns >= TOLD_PAUSE_NS;

	if (log_enabled(LOG_LEVEL_INFO) && may) {
		*said_ns = sh->now_ns;
		if (told_now(sh->told, kind, whom, sh->now_ns))
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
say_conn_up(struct shell *sh, struct upstream_tcp_conn *c)
{
	char text[NETADDR_TEXT];

	if (c->failing && told_over(sh->told, TOLD_NO_TCP, &c->addr))
		log_notice(
		    "upstream", "%s: takes TCP connections again", netaddr_format(&c->addr, text));
	else if (log_enabled(LOG_LEVEL_DEBUG))
		log_debug("upstream", "%s: TCP connection made", netaddr_format(&c->addr, text));
	c->failing = false;
}

/* Log that C could not be made. */
static void
say_conn_failed(struct shell *sh, struct upstream_tcp_conn *c, const char *why)
{
	char text[NETADDR_TEXT];

	netaddr_format(&c->addr, text);
	if (!c->failing && told_begin(sh->told, TOLD_NO_TCP, &c->addr))
		log_notice("upstream", "%s: no TCP connection: %s", text, why);
	else if (log_enabled(LOG_LEVEL_DEBUG))
		log_debug("upstream", "%s: no TCP connection: %s", text, why);
	c->failing = true;
}

void
say_conn_lost(struct shell *sh, struct upstream_tcp_conn *c, unsigned n)
{
	const char *why = c->err != 0 ? strerror(c->err) : "closed";
	char line[SAY_TEXT], text[NETADDR_TEXT];
	int level;

	if (c->state != UPSTREAM_TCP_UP && c->err != 0) {
		say_conn_failed(sh, c, why);
		return;
	}
	level = n > 0 ? level_now(sh, TOLD_TCP_LOST, &c->addr, &c->said_lost_ns) : LOG_LEVEL_DEBUG;
	if (level < 0 || !log_enabled((enum log_level)level))
		return;
	snprintf(line, sizeof(line), "%s: TCP connection ended with %u question%s open: %s",
	    netaddr_format(&c->addr, text), n, n == 1 ? "" : "s", why);
	say(level, "upstream", line);
}

void
say_conn_full(struct shell *sh, struct upstream_tcp_conn *c, int err)
{
	int level = level_now(sh, TOLD_TCP_FULL, &c->addr, &c->said_full_ns);
	char line[SAY_TEXT], text[NETADDR_TEXT];

	if (level < 0)
		return;
	snprintf(line, sizeof(line), "%s: no room for a question over TCP: %s",
	    netaddr_format(&c->addr, text), strerror(err));
	say(level, "upstream", line);
}

void
say_conn_gone(struct shell *sh, struct upstream_tcp_conn *c)
{
	if (c->failing)
		(void)told_over(sh->told, TOLD_NO_TCP, &c->addr);
	c->failing = false;
}

void
say_client_limit(struct shell *sh, const struct netaddr *peer, const char *keyword)
{
	int level = level_now(sh, TOLD_CLIENT_LIMIT, NULL, &sh->sessions.said_limit_ns);
	char line[SAY_TEXT], text[NETADDR_TEXT];

	if (level < 0)
		return;
	snprintf(line, sizeof(line), "a connection of %s was closed: %s are open",
	    netaddr_format(peer, text), keyword);
	say(level, "client", line);
}

void
say_client_stall(struct shell *sh, const struct session *s)
{
	int level = level_now(sh, TOLD_CLIENT_STALL, NULL, &sh->sessions.said_stall_ns);
	char line[SAY_TEXT], text[NETADDR_TEXT];

	if (level < 0)
		return;
	snprintf(line, sizeof(line), "a connection of %s was closed: it takes no answers",
	    netaddr_format(&s->peer, text));
	say(level, "client", line);
}
