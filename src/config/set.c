/* SPDX-License-Identifier: BSD-2-Clause */
#include "config/set.h"

#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "base/netaddr.h"
#include "cache/cache.h"
#include "config/diag.h"
#include "config/field.h"
#include "config/settings.h"
#include "config/values.h"

#define DNS_PORT 53
#define WEB_PORT 6464 /* that of totd */
#define COMMON_UDP_SIZE \
	1232 /* bytes: the usual EDNS size; a smaller one sends more over TCP (D12) */

static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff }; /* ::ffff:0:0/96 */

/* Write N to the field of K, which has 1, 2, 4 or 8 bytes. */
static void
store(struct settings *s, const struct keyword *k, uint64_t n)
{
	void *field = field_of(s, k);
	uint8_t n8 = (uint8_t)n;
	uint16_t n16 = (uint16_t)n;
	uint32_t n32 = (uint32_t)n;

	if (k->size == sizeof(n8))
		memcpy(field, &n8, sizeof(n8));
	else if (k->size == sizeof(n16))
		memcpy(field, &n16, sizeof(n16));
	else if (k->size == sizeof(n32))
		memcpy(field, &n32, sizeof(n32));
	else
		memcpy(field, &n, sizeof(n));
}

/* An error: the first value is out of the row's bounds. KIND: "a number", ... */
static void
out_of_bounds(const struct keyword *k, const struct words *w, struct diag *d, const char *kind)
{
	char bounds[FIELD_BOUNDS];

	diag_error(d, w->line, k->name, "'%s' is not %s from %s", w->word[1], kind,
	    field_bounds(k, bounds));
}

void
set_number(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	uint32_t n;

	if (value_number(w->word[1], (uint32_t)k->min, (uint32_t)k->max, &n))
		store(s, k, n);
	else
		out_of_bounds(k, w, d, "a number");
}

void
set_seconds(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	uint32_t ms;

	if (value_seconds(w->word[1], (uint32_t)k->min, (uint32_t)k->max, &ms))
		store(s, k, ms);
	else
		out_of_bounds(k, w, d, "a time");
}

void
set_bytes(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	uint64_t bytes;

	if (value_size(w->word[1], k->min, k->max, &bytes))
		store(s, k, bytes);
	else
		out_of_bounds(k, w, d, "a number of bytes");
}

int
set_place(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (int i = 0;; i++) {
		size_t n = strcspn(list, "|.");

		if (n == len && memcmp(list, word, n) == 0)
			return i;
		if (list[n] != '|')
			return -1;
		list += n + 1;
	}
}

void
set_choice(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	int i = set_place(k->args, w->word[1]);

	if (i >= 0)
		store(s, k, (uint32_t)i);
	else
		diag_error(d, w->line, k->name, "'%s' is not one of %s", w->word[1], k->args);
}

void
set_text(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	size_t len = strlen(w->word[1]);
	char *field = (char *)s + k->offset;

	if (len >= k->size) {
		diag_error(d, w->line, k->name, "is longer than %zu characters", k->size - 1);
		return;
	}
	memset(field, 0, k->size);
	memcpy(field, w->word[1], len);
}

void
set_short_text(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	char *field = field_of(s, k);
	size_t len = 0;

	memset(field, 0, k->size);
	if (w->n == 2 && strcmp(w->word[1], "none") == 0)
		return;
	for (size_t i = 1; i < w->n; i++) {
		size_t n = strlen(w->word[i]), blank = i > 1 ? 1 : 0;

		if (len + blank + n >= k->size) {
			diag_error(
			    d, w->line, k->name, "is longer than %zu characters", k->size - 1);
			return;
		}
		if (blank > 0)
			field[len++] = ' ';
		memcpy(field + len, w->word[i], n);
		len += n;
	}
}

void
set_path(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	const char *path = w->word[1];

	if (path[0] != '/' && set_place(k->args, path) < 0)
		diag_error(d, w->line, k->name, "'%s' does not begin with a slash; allowed is %s",
		    path, k->args);
	else
		set_text(s, k, w, d);
}

/* Is A, the first value, an address for a socket? If not that is an error. */
static bool
is_usable(const struct keyword *k, const struct words *w, const struct netaddr *a, struct diag *d)
{
	if (a->family == NETADDR_IPV6 && memcmp(a->addr, mapped, sizeof(mapped)) == 0)
		diag_error(d, w->line, k->name,
		    "'%s' is an IPv4 address in IPv6 clothes; write it as "
		    "%u.%u.%u.%u",
		    w->word[1], a->addr[12], a->addr[13], a->addr[14], a->addr[15]);
	else if (netaddr_lacks_scope(a))
		diag_error(d, w->line, k->name,
		    "'%s' is link-local and needs its interface; write it as %s%%INTERFACE",
		    w->word[1], w->word[1]);
	else if (netaddr_is_group(a))
		diag_error(d, w->line, k->name,
		    "'%s' is not the address of one machine; allowed is %s", w->word[1], k->args);
	else
		return true;
	return false;
}

/* Read the [port N] behind the first value; without it *PORT stays as it is. */
static bool
read_port(const struct keyword *k, const struct words *w, uint16_t *port, struct diag *d)
{
	uint32_t n = *port;

	if (w->n == 3 || (w->n == 4 && strcmp(w->word[2], "port") != 0)) {
		diag_error(d, w->line, k->name, "'%s' is not understood; allowed is %s", w->word[2],
		    k->args);
		return false;
	}
	if (w->n == 4 && !value_number(w->word[3], 1, UINT16_MAX, &n)) {
		diag_error(
		    d, w->line, k->name, "port '%s' is not a number from 1 to 65535", w->word[3]);
		return false;
	}
	*port = (uint16_t)n;
	return true;
}

/* Read ADDRESS [port N]; without port N the port is PORT. */
static bool
address(const struct keyword *k, const struct words *w, uint16_t port, struct netaddr *a,
    struct diag *d)
{
	if (!read_port(k, w, &port, d))
		return false;
	if (!netaddr_parse(w->word[1], port, a)) {
		diag_error(d, w->line, k->name,
		    "'%s' is not an IPv4 or IPv6 address (a link-local one ends in %%INTERFACE, "
		    "which "
		    "must exist); allowed is %s",
		    w->word[1], k->args);
		return false;
	}
	return is_usable(k, w, a, d);
}

void
set_nameserver(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	struct conf_core *c = &s->conf.core;
	struct words rest = *w;
	char line[DIAG_LINE];
	struct netaddr a;
	int at;

	if (w->n > 2 && strcmp(w->word[w->n - 1], "trusted") == 0)
		rest.n--;
	/* As mtd64-ng, which compares the first seven letters only. */
	if (strncmp(w->word[1], "default", 7) == 0 && w->n == 2) {
		s->nameserver_defaults = true;
		return;
	}
	if (!address(k, &rest, DNS_PORT, &a, d))
		return;
	if (netaddr_is_wildcard(&a)) {
		diag_error(d, w->line, k->name, "'%s' stands for any address and cannot be asked",
		    w->word[1]);
		return;
	}
	at = conf_find_upstream(c, &a);
	if (at >= 0) {
		diag_error(d, w->line, k->name, "'%s' is at %s already", w->word[1],
		    diag_line(d, s->upstream_lines[at], w->line, line));
		return;
	}
	if (c->n_upstreams == CONF_MAX_UPSTREAMS) {
		diag_error(d, w->line, k->name, "there can be %d at most", CONF_MAX_UPSTREAMS);
		return;
	}
	c->any_trusted |= rest.n < w->n;
	s->upstream_lines[c->n_upstreams] = w->line;
	c->upstreams[c->n_upstreams] = conf_upstream_at(&a);
	c->upstreams[c->n_upstreams++].trusted = rest.n < w->n;
}

/*
 * Read what stands for an interface's addresses: NAME, or a link-local address with %NAME, where
 * NAME need not exist yet. What looks like an address is none. False if TEXT is neither.
 */
static bool
read_interface(const char *text, struct settings_interface *i)
{
	const char *percent = strchr(text, '%'), *name = percent == NULL ? text : percent + 1;
	char address[INET6_ADDRSTRLEN];
	uint32_t index;

	if (percent != NULL) {
		snprintf(address, sizeof(address), "%.*s", (int)(percent - text), text);
		if ((size_t)(percent - text) >= sizeof(address) ||
		    !netaddr_parse(address, 0, &i->addr) || !netaddr_lacks_scope(&i->addr))
			return false;
		if (value_number(name, 1, INT32_MAX, &index))
			return if_indextoname(index, i->name) != NULL;
	}
	if (name[0] == '\0' || strlen(name) >= sizeof(i->name) || strpbrk(name, ":/%") != NULL ||
	    name[strspn(name, ".0123456789")] == '\0')
		return false;
	memcpy(i->name, name, strlen(name) + 1);
	return true;
}

static void
set_listen_interface(struct settings *s, const struct keyword *k, const struct words *w,
    const struct settings_interface *i, struct diag *d)
{
	struct settings_listens *l = &s->listens;

	if (l->n_of == SETTINGS_INTERFACES) {
		diag_error(
		    d, w->line, k->name, "there can be %d interfaces at most", SETTINGS_INTERFACES);
		return;
	}
	l->of[l->n_of] = *i;
	l->of[l->n_of++].line = w->line;
}

void
set_include(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	(void)s;
	(void)k;
	(void)w;
	(void)d;
}

/* Is TEXT a word by which other programs mean all addresses? It would be waited for as a name. */
static bool
means_all(const char *text)
{
	return strcmp(text, "any") == 0 || strcmp(text, "all") == 0 || strcmp(text, "*") == 0;
}

void
set_listen(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	struct settings_interface i = { .line = 0 };
	struct conf_io *c = &s->conf.io;
	struct netaddr a;

	if (means_all(w->word[1])) {
		diag_error(d, w->line, k->name,
		    "'%s' is not understood; all addresses of this machine are two lines, "
		    "listen :: and listen 0.0.0.0",
		    w->word[1]);
		return;
	}
	/* Port 0 for now: the keyword port may come later in the file. */
	if (read_interface(w->word[1], &i)) {
		if (read_port(k, w, &i.addr.port, d))
			set_listen_interface(s, k, w, &i, d);
		return;
	}
	if (!address(k, w, 0, &a, d))
		return;
	if (c->n_listens == CONF_MAX_LISTENS) {
		diag_error(d, w->line, k->name, "there can be %d at most", CONF_MAX_LISTENS);
		return;
	}
	s->listen_lines[c->n_listens] = w->line;
	c->listens[c->n_listens++] = a;
}

void
set_web_listen(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	struct netaddr a;

	if (!address(k, w, WEB_PORT, &a, d))
		return;
	if (netaddr_in_list(s->web.addr, s->web.n, &a))
		diag_error(d, w->line, k->name, "'%s' stands there twice", w->word[1]);
	else if (s->web.n == SETTINGS_WEB_LISTENS)
		diag_error(d, w->line, k->name, "there can be %d at most", SETTINGS_WEB_LISTENS);
	else
		s->web.addr[s->web.n++] = a;
}

void
set_udp_size(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	uint32_t n;

	set_number(s, k, w, d);
	if (value_number(w->word[1], (uint32_t)k->min, COMMON_UDP_SIZE - 1, &n))
		diag_notice(d, w->line, k->name,
		    "%u is less than the usual %d: more answers will need TCP", n, COMMON_UDP_SIZE);
}

void
set_number_or(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	size_t len = strcspn(k->args, "|");
	char what[64];
	uint32_t n;

	snprintf(what, sizeof(what), "%.*s or a number", (int)len, k->args);
	if (strlen(w->word[1]) == len && strncmp(w->word[1], k->args, len) == 0)
		store(s, k, 0);
	else if (value_number(w->word[1], (uint32_t)k->min, (uint32_t)k->max, &n))
		store(s, k, n);
	else
		out_of_bounds(k, w, d, what);
}

void
set_batch_delay(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	uint32_t us;

	if (strcmp(w->word[1], "auto") == 0)
		store(s, k, CONF_BATCH_AUTO);
	else if (strcmp(w->word[1], "off") == 0)
		store(s, k, 0);
	else if (value_number(w->word[1], (uint32_t)k->min, (uint32_t)k->max, &us))
		store(s, k, us);
	else
		out_of_bounds(k, w, d, "auto, off or a number of microseconds");
}

void
set_synthesized_ttl(
    struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	uint32_t ttl;

	if (strcmp(w->word[1], "auto") == 0)
		store(s, k, POLICY_TTL_AUTO);
	else if (value_number(w->word[1], (uint32_t)k->min, (uint32_t)k->max, &ttl))
		store(s, k, ttl);
	else
		out_of_bounds(k, w, d, "auto or a number of seconds");
}

void
set_affinity(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	if (strcmp(w->word[1], "auto") == 0)
		return;
	if (value_cpus(w->word[1], &s->affinity.set))
		s->affinity.given = true;
	else
		diag_error(d, w->line, k->name,
		    "'%s' is not auto or a list of CPU numbers as 0-3,8", w->word[1]);
}

void
set_avoid_port(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	struct conf_io *c = &s->conf.io;
	uint32_t r[2];

	if (!value_range(w->word[1], (uint32_t)k->min, (uint32_t)k->max, r)) {
		out_of_bounds(k, w, d, "a port or a range of ports");
		return;
	}
	if (r[1] - r[0] >= CONF_MAX_AVOID_PORTS - c->n_avoid_ports) {
		diag_error(d, w->line, k->name, "there can be %d ports at most in all",
		    CONF_MAX_AVOID_PORTS);
		return;
	}
	for (uint32_t port = r[0]; port <= r[1]; port++)
		c->avoid_ports[c->n_avoid_ports++] = (uint16_t)port;
}

void
set_cookie_secret(
    struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	struct conf_core *c = &s->conf.core;

	/* auto: complete_cookies draws it, so that reading a file twice gives the same. */
	c->cookies.n_secrets = 0;
	if (w->n == 2 && strcmp(w->word[1], "auto") == 0)
		return;
	for (size_t i = 1; i < w->n; i++) {
		/* The word is a secret: do not log it. */
		if (!value_hex(w->word[i], c->cookies.secrets[i - 1], CONF_SECRET_LEN)) {
			diag_error(d, w->line, k->name, "value %zu is not auto or %d hex digits", i,
			    2 * CONF_SECRET_LEN);
			return;
		}
	}
	c->cookies.n_secrets = (uint8_t)(w->n - 1);
}

void
set_cache_size(struct settings *s, const struct keyword *k, const struct words *w, struct diag *d)
{
	uint64_t bytes = 0;

	set_bytes(s, k, w, d);
	/* set_bytes has reported what is out of bounds. */
	if (!value_size(w->word[1], 1, k->max, &bytes))
		return;
	if (bytes < CACHE_MIN)
		diag_error(d, w->line, k->name,
		    "'%s' is too little: a cache has 1m at least, and 0 is none", w->word[1]);
	else if (bytes > SIZE_MAX)
		diag_error(
		    d, w->line, k->name, "'%s' is more than this machine can address", w->word[1]);
}
