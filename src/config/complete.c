/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/complete.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/netaddr.h"
#include "base/rng.h"
#include "config/hostaddr.h"
#include "config/keywords.h"
#include "config/listens.h"
#include "config/policy_lines.h"
#include "config/resolvconf.h"
#include "config/textfile.h"
#include "dns/name.h"

/* What complete_listens does, for those that go by an interface. */
static void
complete_interfaces(struct settings *s, struct diag *d)
{
	struct settings_listens *l = &s->listens;
	char text[NETADDR_TEXT], line[DIAG_LINE];

	for (size_t i = 0; i < l->n_of; i++) {
		struct settings_interface *of = &l->of[i];

		if (of->addr.port == 0)
			of->addr.port = (uint16_t)s->port;
		for (const struct settings_interface *p = l->of; p < of; p++)
			if (strcmp(of->name, p->name) == 0 && netaddr_equal(&of->addr, &p->addr))
				diag_error(d, of->line, "listen", "%s is at %s already",
				    listens_text(of, text), diag_line(d, p->line, of->line, line));
	}
}

/* Give the listen addresses without a port the default; then no two may be equal. */
static void
complete_listens(struct settings *s, struct diag *d)
{
	struct conf_io *c = &s->conf.io;
	char text[NETADDR_TEXT], line[DIAG_LINE];

	for (size_t i = 0; i < c->n_listens; i++) {
		if (c->listens[i].port == 0)
			c->listens[i].port = (uint16_t)s->port;
		for (size_t j = 0; j < i; j++) {
			if (netaddr_equal(&c->listens[i], &c->listens[j]))
				diag_error(d, s->listen_lines[i], "listen", "%s is at %s already",
				    netaddr_format(&c->listens[i], text),
				    diag_line(d, s->listen_lines[j], s->listen_lines[i], line));
		}
	}
	complete_interfaces(s, d);
	if (s->listens_by_default)
		diag_notice(d, 0, "listen",
		    "no such line, so only this machine is served; to serve a "
		    "network add one with an address of this machine, or \"listen ::\" for all its "
		    "IPv6 "
		    "addresses");
	if (c->n_listens == 0 && s->listens.n_of == 0)
		diag_error(d, 0, "listen", "there is no address left to serve on");
	listens_complete(s);
}

/* A round of prefix-check is over before the next one begins. */
static void
check_rounds(const struct settings *s, struct diag *d)
{
	unsigned line = keywords_line(s, "prefix-check-timeout");

	if (s->check_timeout_ms <= s->check_interval_ms)
		return;
	if (line == 0)
		line = keywords_line(s, "prefix-check-interval");
	diag_error(d, line, "prefix-check-timeout",
	    "%g s are longer than prefix-check-interval, %g s; allowed is that at most",
	    s->check_timeout_ms / 1000.0, s->check_interval_ms / 1000.0);
}

/* Add the nameservers of resolv.conf, but not this daemon's own addresses. */
static void
add_system_nameservers(struct settings *s, const char *path, struct diag *d)
{
	struct conf_core *c = &s->conf.core;
	struct netaddr found[CONF_MAX_UPSTREAMS];
	char text[NETADDR_TEXT];
	size_t n;
	int rc = resolvconf_read(path, found, CONF_MAX_UPSTREAMS, &n);

	if (rc != 0) {
		diag_error(d, 0, "nameserver", "defaults: %s cannot be read: %s", path,
		    textfile_strerror(rc));
		return;
	}
	for (size_t i = 0; i < n && c->n_upstreams < CONF_MAX_UPSTREAMS; i++) {
		if (hostaddr_reaches(s->conf.io.listens, s->conf.io.n_listens, &found[i]) >= 0)
			diag_notice(d, 0, "nameserver",
			    "defaults: %s of %s is this daemon itself and left out",
			    netaddr_format(&found[i], text), path);
		else if (netaddr_lacks_scope(&found[i]) || netaddr_is_wildcard(&found[i]) ||
		    netaddr_is_group(&found[i]))
			diag_notice(d, 0, "nameserver",
			    "defaults: %s of %s cannot be asked and is left out (a link-local "
			    "address needs its %%INTERFACE)",
			    netaddr_format(&found[i], text), path);
		else if (conf_find_upstream(c, &found[i]) < 0)
			c->upstreams[c->n_upstreams++] = conf_upstream_at(&found[i]);
	}
	if (c->n_upstreams == 0)
		diag_error(d, 0, "nameserver",
		    "defaults: %s names no nameserver that could be asked", path);
}

static void
complete_upstreams(struct settings *s, const char *resolv_conf, struct diag *d)
{
	struct conf_core *c = &s->conf.core;
	char text[NETADDR_TEXT], own[NETADDR_TEXT];

	for (size_t i = 0; i < c->n_upstreams; i++) {
		int l = hostaddr_reaches(
		    s->conf.io.listens, s->conf.io.n_listens, &c->upstreams[i].addr);

		if (l >= 0)
			diag_error(d, s->upstream_lines[i], "nameserver",
			    "%s is served by this daemon (listen %s): it would ask itself; name "
			    "another "
			    "resolver, or another address or port to listen on",
			    netaddr_format(&c->upstreams[i].addr, text),
			    netaddr_format(&s->conf.io.listens[l], own));
	}
	if (s->nameserver_defaults) {
		s->nameserver_defaults = false;
		add_system_nameservers(s, resolv_conf, d);
	} else if (c->n_upstreams == 0 && keywords_line(s, "nameserver") == 0) {
		diag_error(d, 0, "nameserver",
		    "there is none to ask; add a line such as "
		    "\"nameserver 2001:db8::53\", or \"nameserver defaults\" for those of %s",
		    resolv_conf);
	}
}

/* Warn if the zones of L, lines of a block, have the name of health-name, which stands at LINE. */
static void
health_in_block(
    const struct settings *s, const struct policy_lines *l, unsigned line, struct diag *d)
{
	const uint8_t *health = s->conf.core.health.name;
	const struct policy_lines_zone *z = l->zones.items;
	char text[DIAG_LINE];

	for (size_t i = 0; i < l->zones.n; i++) {
		if (name_equal(z[i].name, health))
			diag_warning(d, line, "health-name",
			    "is a zone at %s, for which clients ask: none of them gets its records",
			    diag_line(d, z[i].line, line, text));
	}
	if (l->has_reverse_name && name_equal(l->reverse_name, health))
		diag_warning(d, line, "health-name",
		    "is a name that \"reverse local\" gives: nobody gets its addresses");
}

/* Warn of a health-name for whose records clients may ask. */
static void
check_health(const struct settings *s, struct diag *d)
{
	static const uint8_t *const reverse[] = { (const uint8_t *)"\7in-addr\4arpa",
		(const uint8_t *)"\3ip6\4arpa" };
	const struct conf_health *h = &s->conf.core.health;
	unsigned line = keywords_line(s, "health-name");

	if (h->len == 0)
		return;
	for (size_t i = 0; i < sizeof(reverse) / sizeof(reverse[0]); i++) {
		if (name_equal(h->name, reverse[i]) || name_is_below(h->name, reverse[i]))
			diag_warning(d, line, "health-name",
			    "is a reverse name: clients that ask for it do not get that of a host");
	}
	for (size_t i = 0; i < s->n_web_names; i++) {
		if (name_equal(h->name, s->web_names[i]))
			diag_warning(d, line, "health-name",
			    "is a web-name: whoever asks for it gets no address");
	}
	for (size_t i = 0; i < s->policy_lines->all.n; i++)
		health_in_block(s, policy_lines_at(s->policy_lines, i), line, d);
}

void
complete_settings(struct settings *s, const char *resolv_conf, struct diag *d)
{
	complete_listens(s, d);
	complete_upstreams(s, resolv_conf, d);
	check_health(s, d);
	check_rounds(s, d);
	if (strcmp(s->query_log, "none") == 0)
		s->conf.core.querylog.select = 0;
	if (strcmp(s->dnstap_socket, "none") == 0)
		s->conf.core.dnstap.types = 0;
}

void
complete_cookies(struct settings *s, const struct settings *now)
{
	struct conf_core *c = &s->conf.core;
	struct rng rng;

	c->unix_s = (uint64_t)time(NULL) - clock_s(clock_now_ns());
	if (c->cookies.n_secrets > 0)
		return;
	if (now != NULL && now->conf.core.cookies.n_secrets == 0) {
		memcpy(
		    c->cookies.secrets, now->conf.core.cookies.secrets, sizeof(c->cookies.secrets));
		return;
	}
	rng_init(&rng);
	rng_fill(&rng, c->cookies.secrets, sizeof(c->cookies.secrets));
}

void
complete_reach(const struct settings *s, struct diag *d)
{
	char text[NETADDR_TEXT];

	for (size_t i = 0; i < s->conf.core.n_upstreams; i++) {
		struct sockaddr_storage ss;
		const struct netaddr *a = &s->conf.core.upstreams[i].addr;
		socklen_t len = netaddr_to_sockaddr(a, &ss);
		int fd = socket(ss.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

		if (fd < 0 || connect(fd, (const struct sockaddr *)&ss, len) != 0)
			diag_warning(d, s->upstream_lines[i], "nameserver",
			    "%s cannot be reached now: %s", netaddr_format(a, text),
			    strerror(errno));
		if (fd >= 0)
			close(fd);
	}
}
