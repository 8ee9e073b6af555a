/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/params.h"

#include <event2/buffer.h>
#include <event2/keyvalq_struct.h>
#include <stdio.h>
#include <string.h>
#include <sys/queue.h>

#include "base/secret.h"
#include "control/commands.h"
#include "control/reply.h"
#include "dns/name.h"
#include "dns/type.h"

/* The object in the body of R; an empty body is an empty object. *ERROR says where it is wrong. */
static json_t *
body(struct evhttp_request *r, json_error_t *error)
{
	struct evbuffer *in = evhttp_request_get_input_buffer(r);
	size_t len = evbuffer_get_length(in);

	if (len == 0)
		return json_object();
	return json_loadb(
	    (const char *)evbuffer_pullup(in, -1), len, JSON_REJECT_DUPLICATES, error);
}

/* The texts behind the "?" of R. NULL: that is no sound query. */
static json_t *
query(struct evhttp_request *r)
{
	const char *text = evhttp_uri_get_query(evhttp_request_get_evhttp_uri(r));
	const struct evkeyval *pair;
	struct evkeyvalq pairs;
	json_t *p = json_object();
	/* A zero would cut a text. */
	bool sound = text == NULL || strstr(text, "%00") == NULL;

	if (text == NULL)
		return p;
	TAILQ_INIT(&pairs);
	if (evhttp_parse_query_str(text, &pairs) != 0) {
		json_decref(p);
		return NULL;
	}
	TAILQ_FOREACH(pair, &pairs, next)
	{
		/* As in a body: each name once, and UTF-8. */
		if (json_object_get(p, pair->key) != NULL ||
		    json_object_set_new(p, pair->key, json_string(pair->value)) != 0)
			sound = false;
	}
	evhttp_clear_headers(&pairs);
	if (!sound)
		json_decref(p);
	return sound ? p : NULL;
}

static bool
is_among(const char *name, const char *const *allowed)
{
	for (; *allowed != NULL; allowed++) {
		if (strcmp(*allowed, name) == 0)
			return true;
	}
	return false;
}

/* What is wrong with P, to WRONG; an empty text: nothing. */
static void
check(json_t *p, const char *const *allowed, char *wrong, size_t cap)
{
	const char *name;
	json_t *value;

	if (!json_is_object(p)) {
		snprintf(wrong, cap, "the body is not a JSON object");
		return;
	}
	json_object_foreach(p, name, value)
	{
		if (!is_among(name, allowed))
			snprintf(wrong, cap, "'%.64s' is not known here", name);
		else if (!json_is_string(value))
			snprintf(wrong, cap, "%s is not a string", name);
	}
}

bool
params_posted(const struct evhttp_request *r)
{
	return evhttp_request_get_command(r) == EVHTTP_REQ_POST;
}

/* The texts of R, all of whose names are among ALLOWED; else as params_read. */
static json_t *
read_some(struct evhttp_request *r, const char *const *allowed)
{
	json_error_t error = { .text =
				   "what is behind the ? is no query of UTF-8, each name once" };
	bool posted = params_posted(r);
	json_t *p = posted ? body(r, &error) : query(r);
	char wrong[256] = "";

	/* Who writes "/flush/all?name=x" does not mean all. */
	if (posted && evhttp_uri_get_query(evhttp_request_get_evhttp_uri(r)) != NULL)
		snprintf(wrong, sizeof(wrong),
		    "what is behind the ? says nothing here; arguments of POST are in the body, a "
		    "JSON object");
	else if (p == NULL)
		snprintf(wrong, sizeof(wrong), "not understood: %s", error.text);
	else
		check(p, allowed, wrong, sizeof(wrong));
	if (wrong[0] == '\0')
		return p;
	json_decref(p);
	reply_error(r, HTTP_BADREQUEST, wrong, allowed);
	return NULL;
}

/* The names that the path of R takes by its method, to NAMES. */
static void
names_of(const struct evhttp_request *r, const char *names[static COMMANDS_NAMES + 1])
{
	commands_names(
	    evhttp_uri_get_path(evhttp_request_get_evhttp_uri(r)), params_posted(r), names);
}

json_t *
params_read(struct evhttp_request *r)
{
	const char *names[COMMANDS_NAMES + 1];

	names_of(r, names);
	return read_some(r, names);
}

void
params_missing(struct evhttp_request *r, json_t *p, const char *name)
{
	const char *names[COMMANDS_NAMES + 1];
	char text[64];

	names_of(r, names);
	(void)snprintf(text, sizeof(text), "%s is missing", name);
	json_decref(p);
	reply_error(r, HTTP_BADREQUEST, text, names);
}

bool
params_none(struct evhttp_request *r)
{
	static const char *const nothing[] = { NULL };
	json_t *p = read_some(r, nothing);

	json_decref(p);
	return p != NULL;
}

void
params_wipe(struct evhttp_request *r, json_t *p)
{
	struct evbuffer *in = evhttp_request_get_input_buffer(r);
	size_t len = evbuffer_get_length(in);
	unsigned char *bytes = evbuffer_pullup(in, -1);

	if (bytes != NULL)
		secret_wipe(bytes, len);
	json_decref(p); /* control_new sees to what jansson has */
}

const char *
params_text(const json_t *p, const char *name)
{
	return json_string_value(json_object_get(p, name));
}

size_t
params_name(struct evhttp_request *r, const json_t *p, uint8_t out[static DNS_NAME_MAX])
{
	const char *text = params_text(p, "name");
	size_t len = text == NULL ? 0 : name_from_text(text, out);

	if (len == 0)
		reply_error(r, HTTP_BADREQUEST,
		    text == NULL ? "name is missing"
				 : "name is not a domain name; allowed are labels of 1 to "
				   "63 characters with a dot between them, 253 in all",
		    NULL);
	else
		name_lower(out, out, len);
	return len;
}

bool
params_type(struct evhttp_request *r, const json_t *p, bool needed, uint16_t *type)
{
	const char *text = params_text(p, "type");

	*type = 0;
	if (text == NULL ? !needed : type_from_text(text, type))
		return true;
	reply_error(r, HTTP_BADREQUEST,
	    text == NULL
		? "type is missing"
		: "type is not an RR type; allowed is a name such as AAAA, or TYPE and a number",
	    NULL);
	return false;
}
