/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/api_explain.h"

#include <string.h>

#include "control/control_ctx.h"
#include "control/explain_json.h"
#include "control/params.h"
#include "control/reply.h"
#include "dns/build.h"
#include "dns/wire.h"

#define BUFSIZE 1232 /* bytes of a datagram that the client takes */

/* Read the word KEY of P, 0 or 1, to *on; it stays as it is if it is missing. False: R was
 * answered. */
static bool
read_bit(struct evhttp_request *r, const json_t *p, const char *key, bool *on)
{
	static const char *const allowed[] = { "0", "1", NULL };
	const char *text = params_text(p, key);

	if (text == NULL)
		return true;
	*on = strcmp(text, "1") == 0;
	if (*on || strcmp(text, "0") == 0)
		return true;
	reply_error(r, HTTP_BADREQUEST, "ask, tcp, do and cd are 0 or 1", allowed);
	return false;
}

static bool
read_client(struct evhttp_request *r, const json_t *p, struct netaddr *client)
{
	const char *text = params_text(p, "client");

	if (netaddr_parse(text != NULL ? text : "::1", 0, client))
		return true;
	reply_error(r, HTTP_BADREQUEST,
	    "client is not an address; allowed is an IPv4 or IPv6 address, such as 192.0.2.1",
	    NULL);
	return false;
}

/* TKEY makes the message a signed one, which is none to be explained: only who signs can ask it. */
static bool
read_type(struct evhttp_request *r, const json_t *p, uint16_t *type)
{
	if (!params_type(r, p, false, type))
		return false;
	if (*type == 0)
		*type = DNS_TYPE_AAAA;
	if (*type != DNS_TYPE_TKEY && *type != DNS_TYPE_TSIG && *type != DNS_TYPE_OPT)
		return true;
	reply_error(r, HTTP_BADREQUEST,
	    "type is not one that can be asked for; allowed is the type of a record, such as AAAA",
	    NULL);
	return false;
}

/* As over what transport the client asks: UDP, or TCP if "tcp" is set. */
static bool
read_transport(struct evhttp_request *r, const json_t *p, enum transport *transport)
{
	bool tcp = false;

	if (!read_bit(r, p, "tcp", &tcp))
		return false;
	*transport = tcp ? TRANSPORT_TCP : TRANSPORT_UDP;
	return true;
}

/* The flags of a question. */
struct flags {
	bool ask, do_bit, cd;
};

static void
write_message(struct explain_job *a, const uint8_t *name, uint16_t type, const struct flags *f)
{
	const struct build_opt opt = {
		.present = true, .do_bit = f->do_bit, .bufsize = BUFSIZE, .ede = DNS_EDE_NONE
	};
	const struct build_question q = {
		.qname = name, .qtype = type, .qclass = DNS_CLASS_IN, .flags = f->cd ? DNS_CD : 0
	};

	a->len = build_query(a->msg, sizeof(a->msg), &q, &opt);
	/* Not that AD is set: that is for whom we ask (RULES D9). */
	header_clear_flags(a->msg, DNS_AD);
}

/* Fill A with what R says. False: R was answered. */
static bool
read_question(struct evhttp_request *r, const json_t *p, struct explain_job *a)
{
	struct flags f = { .ask = true };
	uint8_t name[DNS_NAME_MAX];
	enum transport transport;
	uint16_t type;

	if (params_name(r, p, name) == 0 || !read_type(r, p, &type) ||
	    !read_client(r, p, &a->client) || !read_bit(r, p, "ask", &f.ask) ||
	    !read_transport(r, p, &transport) || !read_bit(r, p, "do", &f.do_bit) ||
	    !read_bit(r, p, "cd", &f.cd))
		return false;
	a->transport = (uint8_t)transport;
	a->explanation.dry = !f.ask;
	write_message(a, name, type, &f);
	return true;
}

void
api_explain(struct evhttp_request *r, void *arg)
{
	struct control_ctx *d = arg;
	json_t *p = params_read(r);
	struct explain_job *a;

	if (p == NULL)
		return;
	a = explain_job_new();
	if (a == NULL)
		reply_json(r, HTTP_INTERNAL, NULL);
	else if (read_question(r, p, a))
		explain_queue_begin(&d->explain_queue, r, a, explain_json);
	else
		explain_job_unref(a);
	json_decref(p);
}
