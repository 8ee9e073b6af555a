/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines: a query log of dns64d, as text or JSON (dns64d.conf(5)), or "NAME TYPE" (dnsperf(1)). */
#include "bench/load/replay.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/number.h"
#include "dns/name.h"
#include "dns/type.h"

#define BLANKS " \t\v\f\r"
#define WORDS_MAX 13 /* more count as so many */
#define LOG_WORDS 12 /* of a line of the query log */
#define LINE_MAX_BYTES 65536
#define US_MAX UINT64_C(3600000000) /* from question to answer: an hour */
#define NS_PER_US 1000
#define TIME_LEN 19 /* "2026-11-23T01:02:03" */

struct line {
	struct bench_input *in;
	char at[32]; /* "line 5" */
	uint64_t when_ns;
};

static bool
fail(struct line *l, const char *what)
{
	return bench_input_fail(l->in, "%s: %s", l->at, what);
}

/* "2026-11-23T01:02:03.456789Z", up to nine digits behind the point, nanoseconds since 1970. */
static bool
read_time(const char *text, uint64_t *ns)
{
	struct tm tm = { .tm_year = 0 };
	/* strptime would take blanks and fewer digits. */
	bool whole = strspn(text, "0123456789-T:") == TIME_LEN && text[TIME_LEN] == '.';
	const char *end = whole ? strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;
	uint64_t fraction_ns;

	if (end != text + TIME_LEN || tm.tm_sec > 60)
		return false;
	size_t n = number_prefix(++end, 9, UINT64_MAX, &fraction_ns);
	time_t seconds = timegm(&tm);
	if (n == 0 || strcmp(end + n, "Z") != 0 || seconds < 0 ||
	    (uint64_t)seconds > BENCH_SECONDS_MAX)
		return false;
	for (; n < 9; n++)
		fraction_ns *= 10;
	*ns = (uint64_t)seconds * NS_PER_SEC + fraction_ns;
	return true;
}

/* The line is of an answer that took US: when was the question asked? */
static bool
set_time(struct line *l, const char *time, uint64_t us)
{
	uint64_t ns;

	if (!read_time(time, &ns))
		return fail(l, "no time like 2026-11-23T01:02:03.456789Z");
	l->when_ns = ns > us * NS_PER_US ? ns - us * NS_PER_US : 0;
	return true;
}

/* "192.0.2.7#53" or without a port; what is no address is not known. */
static void
set_client(struct line *l, const char *text)
{
	size_t len = strcspn(text, "#");
	char addr[NETADDR_TEXT];

	if (len >= sizeof(addr))
		return;
	memcpy(addr, text, len);
	addr[len] = '\0';
	(void)!netaddr_parse(addr, 0, &l->in->client);
}

static bool
is_word(const char *text, const char *want)
{
	return text != NULL && strcmp(text, want) == 0;
}

/* NULL: that is not said. A log has lines without a sound question, and of other classes. */
static bool
add(struct line *l, const char *name, const char *class, const char *type)
{
	uint8_t wire[DNS_NAME_MAX];
	uint16_t number;

	if (name == NULL || type == NULL || is_word(name, "-") || is_word(type, "-") ||
	    (class != NULL && !is_word(class, "IN"))) {
		l->in->to->n_left_out++;
		return true;
	}
	size_t len = name_from_text(name, wire);
	if (len == 0)
		return bench_input_fail(l->in, "%s: \"%.100s\" is no domain name", l->at, name);
	if (!type_from_text(type, &number))
		return bench_input_fail(l->in, "%s: \"%.100s\" is no type", l->at, type);
	return bench_input_add(l->in, l->at, l->when_ns, wire, len, number);
}

/* TIME CLIENT TRANSPORT NAME CLASS TYPE RCODE REASON ADDRESSES UPSTREAM AGE MICROSECONDS */
static bool
take_log(struct line *l, char *const *words, size_t n)
{
	uint64_t us;

	if (n != LOG_WORDS || !number_parse(words[n - 1], strlen(words[n - 1]), US_MAX, &us))
		return fail(l, "no whole line of a query log");
	if (!set_time(l, words[0], us))
		return false;
	set_client(l, words[1]);
	return add(l, words[3], words[4], words[5]);
}

/* TEXT, of LEN bytes, is changed. */
static bool
take_words(struct line *l, char *text, size_t len)
{
	char *words[WORDS_MAX], *rest;
	bool is_text = strlen(text) == len;
	size_t n = 0;

	for (char *word = strtok_r(text, BLANKS, &rest); word != NULL && n < WORDS_MAX;
	     word = strtok_r(NULL, BLANKS, &rest))
		words[n++] = word;
	if (n > 0 ? strchr("#;", words[0][0]) != NULL : is_text)
		return true; /* a comment, or nothing */
	if (n == 2 && is_text)
		return add(l, words[0], NULL, words[1]);
	if (n > 2 && is_text && isdigit((unsigned char)words[0][0]))
		return take_log(l, words, n);
	return fail(l, "neither \"NAME TYPE\" nor a line of a query log");
}

static bool
take_object(struct line *l, const json_t *object)
{
	const char *time = json_string_value(json_object_get(object, "time"));
	const char *client = json_string_value(json_object_get(object, "client"));
	json_int_t us = json_integer_value(json_object_get(object, "us"));

	if (!json_is_object(object))
		return fail(l, "no JSON object");
	if (us < 0 || (uint64_t)us > US_MAX)
		return fail(l, "no whole line of a query log");
	if (time != NULL && !set_time(l, time, (uint64_t)us))
		return false;
	if (client != NULL)
		set_client(l, client);
	return add(l, json_string_value(json_object_get(object, "name")),
	    json_string_value(json_object_get(object, "class")),
	    json_string_value(json_object_get(object, "type")));
}

/* Each of them begins with nothing known. COPY has room for the LEN bytes and a zero. */
static bool
take_line(struct line *l, const char *text, size_t len, char *copy)
{
	l->when_ns = BENCH_NO_TIME;
	l->in->client = (struct netaddr){ .family = NETADDR_NONE };
	if (len > 0 && text[0] == '{') {
		json_t *object = json_loadb(text, len, 0, NULL);
		bool good = take_object(l, object);

		json_decref(object);
		return good;
	}
	memcpy(copy, text, len);
	copy[len] = '\0';
	return take_words(l, copy, len);
}

static bool
take_lines(struct bench_input *in, char *copy)
{
	const char *text = (const char *)in->bytes;
	struct line l = { .in = in };
	uint64_t number = 1;

	for (size_t at = 0, len; at < in->len; at += len + 1, number++) {
		const char *end = memchr(text + at, '\n', in->len - at);

		len = (end != NULL ? (size_t)(end - text) : in->len) - at;
		(void)snprintf(l.at, sizeof(l.at), "line %ju", (uintmax_t)number);
		if (len > LINE_MAX_BYTES)
			return bench_input_fail(
			    in, "%s: longer than %d bytes", l.at, LINE_MAX_BYTES);
		if (!take_line(&l, text + at, len, copy))
			return false;
	}
	return true;
}

bool
bench_input_text(struct bench_input *in)
{
	char *copy = malloc(LINE_MAX_BYTES + 1);
	bool good = copy != NULL ? take_lines(in, copy) : bench_input_fail(in, "out of memory");

	in->to->format = "text";
	free(copy);
	return good;
}
