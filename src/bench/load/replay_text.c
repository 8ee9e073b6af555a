/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines: a query log of dns64d, as text or JSON (dns64d.conf(5)), or "NAME TYPE" (dnsperf(1)). */
#include "bench/load/replay.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/number.h"
#include "dns/name.h"
#include "dns/type.h"

#define WORDS_MAX 13
#define LOG_WORDS 12 /* of a line of the query log */
#define LINE_MAX_BYTES 65536
#define US_MAX UINT64_C(3600000000) /* from question to answer: an hour */
#define NS_PER_US 1000

struct word {
	const char *text; /* borrowed, not zero-terminated */
	size_t len;
};

/* A line, and what it says. */
struct line {
	struct bench_input *in;
	char at[32]; /* "line 5" */
	uint64_t when_ns;
	const char *name, *class, *type; /* NULL: not said */
	char texts[3][NAME_TEXT];
};

/* --- Times ------------------------------------------------------------------------------------ */

/* Read N digits at *at, which moves behind them and a byte AFTER. */
static bool
take_digits(const char **at, size_t n, char after, int *v)
{
	uint64_t number;

	if (!number_parse(*at, n, UINT16_MAX, &number) || (*at)[n] != after)
		return false;
	*v = (int)number;
	*at += n + 1;
	return true;
}

/* Up to nine digits behind the point, and "Z". */
static bool
take_fraction(const char *at, uint64_t *ns)
{
	size_t n = strspn(at, "0123456789");

	if (n == 0 || n > 9 || !number_parse(at, n, UINT64_MAX, ns) || strcmp(at + n, "Z") != 0)
		return false;
	for (; n < 9; n++)
		*ns *= 10;
	return true;
}

/* "2026-11-23T01:02:03.456789Z", nanoseconds since 1970 to *ns. */
static bool
read_time(const char *text, uint64_t *ns)
{
	struct tm tm = { .tm_year = 0 };
	uint64_t fraction_ns;

	if (strlen(text) < 20 || !take_digits(&text, 4, '-', &tm.tm_year) ||
	    !take_digits(&text, 2, '-', &tm.tm_mon) || !take_digits(&text, 2, 'T', &tm.tm_mday) ||
	    !take_digits(&text, 2, ':', &tm.tm_hour) || !take_digits(&text, 2, ':', &tm.tm_min) ||
	    !take_digits(&text, 2, '.', &tm.tm_sec) || !take_fraction(text, &fraction_ns))
		return false;
	if (tm.tm_mon < 1 || tm.tm_mon > 12 || tm.tm_mday < 1 || tm.tm_mday > 31 ||
	    tm.tm_hour > 23 || tm.tm_min > 59 || tm.tm_sec > 60)
		return false;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	time_t seconds = timegm(&tm);
	if (seconds < 0 || (uint64_t)seconds > BENCH_SECONDS_MAX)
		return false;
	*ns = (uint64_t)seconds * NS_PER_SEC + fraction_ns;
	return true;
}

/* The line is of an answer that took US: when was the question asked? */
static bool
set_time(struct line *l, const char *time, uint64_t us)
{
	uint64_t ns;

	if (!read_time(time, &ns))
		return bench_input_fail(
		    l->in, "%s: no time like 2026-11-23T01:02:03.456789Z", l->at);
	l->when_ns = ns > us * NS_PER_US ? ns - us * NS_PER_US : 0;
	return true;
}

/* --- What a line asks ------------------------------------------------------------------------- */

static bool
is_word(const char *text, const char *want)
{
	return text != NULL && strcmp(text, want) == 0;
}

/* A log has lines without a sound question, and of other classes. */
static bool
add(struct line *l)
{
	uint8_t name[DNS_NAME_MAX];
	size_t len;
	uint16_t type;

	if (l->name == NULL || l->type == NULL || is_word(l->name, "-") || is_word(l->type, "-") ||
	    (l->class != NULL && !is_word(l->class, "IN"))) {
		l->in->to->n_left_out++;
		return true;
	}
	len = name_from_text(l->name, name);
	if (len == 0)
		return bench_input_fail(l->in, "%s: \"%.100s\" is no domain name", l->at, l->name);
	if (!type_from_text(l->type, &type))
		return bench_input_fail(l->in, "%s: \"%.100s\" is no type", l->at, l->type);
	return bench_input_add(l->in, l->at, l->when_ns, name, len, type);
}

static bool
copy(struct line *l, unsigned to, const struct word *w)
{
	if (w->len >= NAME_TEXT || memchr(w->text, '\0', w->len) != NULL)
		return bench_input_fail(l->in, "%s: no text, or too long a word", l->at);
	memcpy(l->texts[to], w->text, w->len);
	l->texts[to][w->len] = '\0';
	return true;
}

/* --- Lines of words --------------------------------------------------------------------------- */

/* "192.0.2.7#53" or without a port; what is no address is not known. */
static void
take_client(struct line *l, const char *text, size_t len)
{
	const char *hash = memchr(text, '#', len);
	char addr[NETADDR_TEXT];

	len = hash != NULL ? (size_t)(hash - text) : len;
	if (len >= sizeof(addr))
		return;
	memcpy(addr, text, len);
	addr[len] = '\0';
	(void)!netaddr_parse(addr, 0, &l->in->client);
}

/* TIME CLIENT TRANSPORT NAME CLASS TYPE RCODE REASON ADDRESSES UPSTREAM AGE MICROSECONDS */
static bool
take_log(struct line *l, const struct word *words, size_t n)
{
	uint64_t us;

	if (n != LOG_WORDS || !number_parse(words[n - 1].text, words[n - 1].len, US_MAX, &us))
		return bench_input_fail(l->in, "%s: no whole line of a query log", l->at);
	if (!copy(l, 0, &words[0]) || !set_time(l, l->texts[0], us) || !copy(l, 0, &words[3]) ||
	    !copy(l, 1, &words[4]) || !copy(l, 2, &words[5]))
		return false;
	l->name = l->texts[0];
	l->class = l->texts[1];
	l->type = l->texts[2];
	take_client(l, words[1].text, words[1].len);
	return add(l);
}

static bool
take_pair(struct line *l, const struct word *words)
{
	if (!copy(l, 0, &words[0]) || !copy(l, 2, &words[1]))
		return false;
	l->name = l->texts[0];
	l->type = l->texts[2];
	return add(l);
}

/* Split the line into words; more than WORDS_MAX count as so many. */
static size_t
split(const char *text, size_t len, struct word words[static WORDS_MAX])
{
	size_t n = 0, at = 0;

	while (n < WORDS_MAX) {
		while (at < len && isspace((unsigned char)text[at]))
			at++;
		if (at == len)
			break;
		words[n].text = text + at;
		while (at < len && !isspace((unsigned char)text[at]))
			at++;
		words[n].len = (size_t)(text + at - words[n].text);
		n++;
	}
	return n;
}

static bool
take_words(struct line *l, const char *text, size_t len)
{
	struct word words[WORDS_MAX];
	size_t n = split(text, len, words);

	if (n == 0 || words[0].text[0] == '#' || words[0].text[0] == ';')
		return true; /* a comment */
	if (n == 2)
		return take_pair(l, words);
	if (n > 2 && isdigit((unsigned char)words[0].text[0]))
		return take_log(l, words, n);
	return bench_input_fail(
	    l->in, "%s: neither \"NAME TYPE\" nor a line of a query log", l->at);
}

/* --- Lines of JSON ---------------------------------------------------------------------------- */

static bool
take_object(struct line *l, const json_t *object)
{
	const char *time = json_string_value(json_object_get(object, "time"));
	json_int_t us = json_integer_value(json_object_get(object, "us"));

	if (!json_is_object(object))
		return bench_input_fail(l->in, "%s: no JSON object", l->at);
	if (us < 0 || (uint64_t)us > US_MAX)
		return bench_input_fail(l->in, "%s: no whole line of a query log", l->at);
	if (time != NULL && !set_time(l, time, (uint64_t)us))
		return false;
	l->name = json_string_value(json_object_get(object, "name"));
	l->class = json_string_value(json_object_get(object, "class"));
	l->type = json_string_value(json_object_get(object, "type"));
	const char *client = json_string_value(json_object_get(object, "client"));
	if (client != NULL)
		take_client(l, client, strlen(client));
	return add(l);
}

static bool
take_json(struct line *l, const char *text, size_t len)
{
	json_t *object = json_loadb(text, len, 0, NULL);
	bool good = take_object(l, object);

	json_decref(object);
	return good;
}

/* --- All lines -------------------------------------------------------------------------------- */

bool
bench_input_text(struct bench_input *in)
{
	const char *text = (const char *)in->bytes;
	struct line l = { .in = in };
	uint64_t number = 1;

	in->to->format = "text";
	for (size_t at = 0, len; at < in->len; at += len + 1, number++) {
		const char *end = memchr(text + at, '\n', in->len - at);

		len = (end != NULL ? (size_t)(end - text) : in->len) - at;
		(void)snprintf(l.at, sizeof(l.at), "line %ju", (uintmax_t)number);
		if (len > LINE_MAX_BYTES)
			return bench_input_fail(
			    in, "%s: longer than %d bytes", l.at, LINE_MAX_BYTES);
		l.when_ns = BENCH_NO_TIME;
		l.name = l.class = l.type = NULL;
		in->client = (struct netaddr){ .family = NETADDR_NONE };
		if (len > 0 && text[at] == '{' ? !take_json(&l, text + at, len)
					       : !take_words(&l, text + at, len))
			return false;
	}
	return true;
}
