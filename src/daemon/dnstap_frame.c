/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/dnstap_frame.h"

#ifdef HAVE_DNSTAP

#include <dnstap.pb-c.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "core/reason.h"

#define EXTRA 64 /* bytes of "reason=NAME" */

/* LEN bytes at P, which are only read. */
static ProtobufCBinaryData
bytes(const void *p, size_t len)
{
	return (ProtobufCBinaryData){ .len = len, .data = (uint8_t *)(uintptr_t)p };
}

static ProtobufCBinaryData
address(const struct netaddr *a)
{
	return bytes(a->addr, a->family == NETADDR_IPV4 ? 4 : 16);
}

static void
set_asker(Dnstap__Message *m, const struct netaddr *a)
{
	m->query_address = address(a);
	m->query_port = a->port;
	m->has_query_address = true;
	m->has_query_port = true;
}

static void
set_asked(Dnstap__Message *m, const struct netaddr *a)
{
	m->response_address = address(a);
	m->response_port = a->port;
	m->has_response_address = a->family != NETADDR_NONE;
	/* The port is not known of an address that a datagram was sent to. */
	m->has_response_port = a->family != NETADDR_NONE && a->port != 0;
}

static void
set_query_time(Dnstap__Message *m, uint64_t ns)
{
	m->query_time_sec = ns / NS_PER_SEC;
	m->query_time_nsec = (uint32_t)(ns % NS_PER_SEC);
	m->has_query_time_sec = true;
	m->has_query_time_nsec = true;
}

static void
set_query(
    Dnstap__Message *m, const struct dnstap_tap_record *r, const uint8_t *msg, uint64_t shift_ns)
{
	set_query_time(m, r->at_ns + shift_ns);
	m->query_message = bytes(msg, r->len);
	m->has_query_message = true;
}

static void
set_response(
    Dnstap__Message *m, const struct dnstap_tap_record *r, const uint8_t *msg, uint64_t shift_ns)
{
	uint64_t ns = r->at_ns + shift_ns;

	set_query_time(m, r->asked_ns + shift_ns);
	m->response_time_sec = ns / NS_PER_SEC;
	m->response_time_nsec = (uint32_t)(ns % NS_PER_SEC);
	m->has_response_time_sec = true;
	m->has_response_time_nsec = true;
	m->response_message = bytes(msg, r->len);
	m->has_response_message = true;
}

size_t
dnstap_frame(const struct dnstap_about *about, const struct dnstap_tap_record *r,
    const uint8_t *msg, uint64_t shift_ns, uint8_t out[static DNSTAP_FRAME_MAX])
{
	Dnstap__Message m = DNSTAP__MESSAGE__INIT;
	Dnstap__Dnstap d = DNSTAP__DNSTAP__INIT;
	char extra[EXTRA];

	m.socket_family = r->peer.family == NETADDR_IPV4 ? DNSTAP__SOCKET_FAMILY__INET
							 : DNSTAP__SOCKET_FAMILY__INET6;
	m.has_socket_family = true;
	m.socket_protocol = (Dnstap__SocketProtocol)transport_traits[r->transport].dnstap;
	m.has_socket_protocol = true;
	if (r->type & CONF_DNSTAP_CLIENT) {
		set_asker(&m, &r->peer);
		/* A proxy may ask by one family for a client of the other; the message has one. */
		if (r->local.family == r->peer.family)
			set_asked(&m, &r->local);
	} else {
		set_asked(&m, &r->peer);
	}
	if (r->type & (CONF_CLIENT_QUERY | CONF_FORWARDER_QUERY)) {
		m.type = r->type == CONF_CLIENT_QUERY ? DNSTAP__MESSAGE__TYPE__CLIENT_QUERY
						      : DNSTAP__MESSAGE__TYPE__FORWARDER_QUERY;
		set_query(&m, r, msg, shift_ns);
	} else {
		m.type = r->type == CONF_CLIENT_RESPONSE
		    ? DNSTAP__MESSAGE__TYPE__CLIENT_RESPONSE
		    : DNSTAP__MESSAGE__TYPE__FORWARDER_RESPONSE;
		set_response(&m, r, msg, shift_ns);
	}
	if (r->type == CONF_CLIENT_RESPONSE) {
		(void)snprintf(
		    extra, sizeof(extra), "reason=%s", reason_row((enum reason)r->reason)->name);
		d.extra = bytes(extra, strlen(extra));
		d.has_extra = true;
	}
	d.identity = bytes(about->identity, strlen(about->identity));
	d.has_identity = d.identity.len > 0;
	d.version = bytes(about->version, strlen(about->version));
	d.has_version = d.version.len > 0;
	d.type = DNSTAP__DNSTAP__TYPE__MESSAGE;
	d.message = &m;
	return dnstap__dnstap__pack(&d, out);
}

#endif
