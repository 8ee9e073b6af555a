/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/greeting.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "bench/exchange.h"

#define NONCE 32                  /* bytes */
#define DIGEST 32                 /* of SHA-256 */
#define HEX BENCH_GREETING_NUMBER /* bytes of either of them as text, with the zero */
#define GREET_S 5                 /* for each answer */

#define OURS "dns64bench " PACKAGE_VERSION

bool
bench_secret_read(const char *path, struct bench_secret *s, char error[static BENCH_CHANNEL_ERROR])
{
	char line[BENCH_SECRET_MOST + 2] = "";
	FILE *f = path != NULL ? fopen(path, "re") : NULL;

	s->len = 0;
	if (path == NULL)
		return true;
	if (f == NULL || (fgets(line, sizeof(line), f) == NULL && ferror(f))) {
		(void)snprintf(error, BENCH_CHANNEL_ERROR, "%.100s: %s", path, strerror(errno));
		if (f != NULL)
			(void)fclose(f);
		return false;
	}
	(void)fclose(f);
	s->len = strcspn(line, "\r\n");
	if (s->len < BENCH_SECRET_LEAST || s->len > BENCH_SECRET_MOST) {
		(void)snprintf(error, BENCH_CHANNEL_ERROR,
		    "%.100s: the first line must have %d to %d bytes", path, BENCH_SECRET_LEAST,
		    BENCH_SECRET_MOST);
		return false;
	}
	memcpy(s->bytes, line, s->len);
	return true;
}

/* --- Numbers and proofs ----------------------------------------------------------------------- */

static void
to_hex(const uint8_t *bytes, char out[static HEX])
{
	for (unsigned i = 0; i < NONCE; i++)
		(void)snprintf(out + (size_t)2 * i, 3, "%02x", bytes[i]);
}

static void
draw(char out[static HEX])
{
	uint8_t bytes[NONCE];
	struct rng rng;

	rng_init(&rng);
	rng_fill(&rng, bytes, sizeof(bytes));
	to_hex(bytes, out);
}

/* What ROLE ('A' or 'C') proves of the numbers of agent and controller. False: no libcrypto. */
static bool
prove(const struct bench_secret *s, char role, const char *agent, const char *controller,
    char out[static HEX])
{
	char both[2 * HEX + 2];
	uint8_t digest[EVP_MAX_MD_SIZE];
	unsigned len = 0;
	int n = snprintf(both, sizeof(both), "%c %s %s", role, agent, controller);

	if (HMAC(EVP_sha256(), s->bytes, (int)s->len, (const uint8_t *)both, (size_t)n, digest,
		&len) == NULL ||
	    len != DIGEST)
		return false;
	to_hex(digest, out);
	return true;
}

/* The text KEY of MESSAGE if it is a number or a proof, else NULL. */
static const char *
hex_of(const json_t *message, const char *key)
{
	const char *text = json_string_value(json_object_get(message, key));

	return text != NULL && strlen(text) == HEX - 1 ? text : NULL;
}

static bool
is_proof(const json_t *message, const char *expected)
{
	const char *proof = hex_of(message, "proof");

	return proof != NULL && CRYPTO_memcmp(proof, expected, HEX) == 0;
}

/* --- Both sides ------------------------------------------------------------------------------- */

/* Is the other side what we are? */
static bool
same_version(struct bench_channel *c, const json_t *message)
{
	const char *program = json_string_value(json_object_get(message, "program"));
	const char *error = json_string_value(json_object_get(message, "error"));
	json_int_t format = json_integer_value(json_object_get(message, "format"));

	if (error != NULL)
		return bench_channel_fail(c, "%.120s", error);
	if (program == NULL)
		return bench_channel_fail(c, "who is there is no dns64bench");
	if (strcmp(program, OURS) == 0 && format == BENCH_EXCHANGE_FORMAT)
		return true;
	return bench_channel_fail(c,
	    "versions differ: %.40s (exchange %" JSON_INTEGER_FORMAT ") there, " OURS
	    " (exchange %d) here",
	    program, format, BENCH_EXCHANGE_FORMAT);
}

static json_t *
hello(const char *number)
{
	return json_pack(
	    "{s:s,s:i,s:s}", "program", OURS, "format", BENCH_EXCHANGE_FORMAT, "number", number);
}

/* Tell the other side why not, and end. */
static bool
refuse(struct bench_channel *c, const char *why)
{
	/* This is the reason, even if it cannot be told since the other side has gone. */
	(void)snprintf(c->error, sizeof(c->error), "refused: %s", why);
	(void)bench_channel_send(c, json_pack("{s:s}", "error", why));
	bench_channel_close(c);
	return false;
}

/* The agent's turn, after the controller's MESSAGE. */
static bool
judge(
    struct bench_channel *c, const struct bench_secret *s, const json_t *message, const char *agent)
{
	const char *controller = hex_of(message, "number");
	char theirs[HEX], ours[HEX] = "";

	if (!same_version(c, message))
		return false;
	if (controller == NULL)
		return refuse(c, "that was no greeting");
	if (s->len == 0 && hex_of(message, "proof") != NULL)
		return refuse(c, "there is a secret there, and none here");
	if (s->len > 0 && (!prove(s, 'C', agent, controller, theirs) || !is_proof(message, theirs)))
		return refuse(c, "the secrets differ");
	if (s->len > 0 && !prove(s, 'A', agent, controller, ours))
		return refuse(c, "no HMAC-SHA-256 here");
	return bench_channel_send(c, json_pack("{s:b,s:s}", "welcome", 1, "proof", ours));
}

void
bench_guest_greet(struct bench_guest *g, int fd, const struct bench_secret *s)
{
	bench_channel_init(&g->c, fd, BENCH_CHANNEL_FIRST);
	draw(g->number);
	g->until_ns = clock_now_ns() + GREET_S * NS_PER_SEC;
	json_t *mine = hello(g->number);
	(void)json_object_set_new(mine, "secret", json_boolean(s->len > 0));
	(void)bench_channel_send(&g->c, mine);
}

bool
bench_guest_known(struct bench_guest *g, const struct bench_secret *s)
{
	json_t *message = bench_channel_take(&g->c);
	bool known = message != NULL && judge(&g->c, s, message, g->number);

	if (message == NULL && clock_now_ns() > g->until_ns)
		(void)bench_channel_fail(&g->c, "no answer for %d s", GREET_S);
	json_decref(message);
	return known;
}

void
bench_guest_refuse(struct bench_guest *g, const char *why)
{
	(void)refuse(&g->c, why);
}

/* The controller's turn, after the agent's hello. */
static bool
reply(struct bench_channel *c, const struct bench_secret *s, const json_t *message,
    const char *controller, char theirs[static HEX])
{
	bool wanted = json_is_true(json_object_get(message, "secret"));
	const char *agent = hex_of(message, "number");
	json_t *mine;
	char ours[HEX];

	if (json_object_get(message, "error") != NULL)
		return same_version(c, message);
	mine = hello(controller);

	/* Our version is told even if it is another one: the agent then says so, too. */
	if (s->len > 0 && agent != NULL && prove(s, 'C', agent, controller, ours) &&
	    prove(s, 'A', agent, controller, theirs))
		(void)json_object_set_new(mine, "proof", json_string(ours));
	if (!bench_channel_send(c, mine) || !same_version(c, message))
		return false;
	if (agent == NULL)
		return bench_channel_fail(c, "that was no greeting");
	if (wanted != (s->len > 0))
		return bench_channel_fail(c,
		    wanted ? "it wants a secret (--secret)" : "it has no secret, and we have one");
	return s->len == 0 || theirs[0] != '\0' || bench_channel_fail(c, "no HMAC-SHA-256 here");
}

bool
bench_greeting_ask(struct bench_channel *c, const struct bench_secret *s, const atomic_bool *stop)
{
	char controller[HEX], theirs[HEX] = "";
	json_t *message = bench_channel_wait(c, GREET_S, stop);
	bool good;

	draw(controller);
	good = message != NULL && reply(c, s, message, controller, theirs);
	json_decref(message);
	if (!good)
		return false;
	message = bench_channel_wait(c, GREET_S, stop);
	if (message == NULL)
		return false;
	const char *error = json_string_value(json_object_get(message, "error"));
	if (error != NULL)
		good = bench_channel_fail(c, "refused: %.120s", error);
	else if (s->len > 0 && !is_proof(message, theirs))
		good = bench_channel_fail(c, "the secrets differ: it does not know ours");
	json_decref(message);
	return good;
}
