/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/cookie.h"

#include <inttypes.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "dns/wire.h"

#define HASH_LEN 8
#define HASH_AT 16      /* offset: behind client cookie, version, reserved and timestamp */
#define TIMESTAMP_AT 12 /* offset: behind client cookie, version and reserved */
#define VERSION 1

bool
cookies_init(struct cookies *c)
{
	size_t size = HASH_LEN;
	const OSSL_PARAM params[] = { OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &size),
		OSSL_PARAM_construct_end() };
	EVP_MAC *mac = EVP_MAC_fetch(NULL, "SIPHASH", NULL);

	memset(c, 0, sizeof(*c));
	if (mac != NULL)
		c->mac = EVP_MAC_CTX_new(mac);
	EVP_MAC_free(mac);
	if (c->mac != NULL && EVP_MAC_CTX_set_params(c->mac, params) != 1)
		cookies_fini(c);
	return c->mac != NULL;
}

void
cookies_fini(struct cookies *c)
{
	EVP_MAC_CTX_free(c->mac);
	c->mac = NULL;
}

static bool
hash(struct cookies *c, const uint8_t *secret, const uint8_t *data, size_t len,
    uint8_t out[static HASH_LEN])
{
	size_t n;

	return EVP_MAC_init(c->mac, secret, CONF_SECRET_LEN, NULL) == 1 &&
	    EVP_MAC_update(c->mac, data, len) == 1 &&
	    EVP_MAC_final(c->mac, out, &n, HASH_LEN) == 1 && n == HASH_LEN;
}

/* Derive the secret of DAY from MASTER: two hashes in a row. */
static bool
derive(struct cookies *c, const uint8_t *master, uint32_t day, uint8_t *out)
{
	uint8_t data[5] = { 0 };

	wire_set_u32(data + 1, day);
	for (uint8_t half = 0; half < 2; half++) {
		data[0] = half;
		if (!hash(c, master, data, sizeof(data), out + (size_t)half * HASH_LEN))
			return false;
	}
	return true;
}

void
cookies_forget(struct cookies *c)
{
	c->derived = false;
}

bool
cookie_derived(const struct conf_core *conf, uint32_t unix_s, uint8_t out[static CONF_SECRET_LEN])
{
	struct cookies c;
	bool ok;

	if (!cookies_init(&c))
		return false;
	ok = derive(&c, conf->cookies.secrets[0], unix_s / COOKIE_DAY, out);
	cookies_fini(&c);
	return ok;
}

char *
cookie_fingerprint(
    const uint8_t secret[static CONF_SECRET_LEN], char text[static COOKIE_FINGERPRINT])
{
	/* Longer than what is hashed for a day's secret, shorter than for a cookie. */
	static const uint8_t label[] = "fingerprint";
	uint8_t out[HASH_LEN];
	struct cookies c;
	bool ok = cookies_init(&c);

	strcpy(text, "-");
	if (ok && hash(&c, secret, label, sizeof(label), out))
		snprintf(text, COOKIE_FINGERPRINT, "%08" PRIx32, wire_u32(out));
	if (ok)
		cookies_fini(&c);
	return text;
}

/* Find the secrets that are valid at UNIX_S, the one to sign with first. Returns their number. */
static unsigned
find_secrets(struct cookies *c, const struct conf_core *conf, uint32_t unix_s,
    const uint8_t (**secrets)[CONF_SECRET_LEN])
{
	uint32_t day = unix_s / COOKIE_DAY;

	*secrets = conf->cookies.secrets;
	if (c->mac == NULL || conf->cookies.n_secrets > 0)
		return c->mac == NULL ? 0 : conf->cookies.n_secrets;
	if (!c->derived || c->day != day)
		c->derived = derive(c, conf->cookies.secrets[0], day, c->secrets[0]) &&
		    derive(c, conf->cookies.secrets[0], day - 1, c->secrets[1]);
	c->day = day;
	*secrets = (const uint8_t(*)[CONF_SECRET_LEN])c->secrets;
	return c->derived ? 2 : 0;
}

/*
 * RFC 9018 section 4.4: hash client cookie, version, reserved, timestamp and the client's address.
 */
static bool
hash_cookie(struct cookies *c, const uint8_t *secret, const uint8_t *cookie,
    const struct netaddr *client, uint8_t out[static HASH_LEN])
{
	uint8_t data[HASH_AT + 16];
	size_t n = client->family == NETADDR_IPV6 ? 16 : 4;

	memcpy(data, cookie, HASH_AT);
	memcpy(data + HASH_AT, client->addr, n);
	return hash(c, secret, data, HASH_AT + n, out);
}

bool
cookie_make(struct cookies *c, const struct conf_core *conf, uint32_t unix_s,
    const struct netaddr *client, uint8_t cookie[static COOKIE_LEN])
{
	const uint8_t(*secrets)[CONF_SECRET_LEN];

	if (find_secrets(c, conf, unix_s, &secrets) == 0)
		return false;
	wire_set_u32(cookie + DNS_COOKIE_CLIENT, (uint32_t)VERSION << 24);
	wire_set_u32(cookie + TIMESTAMP_AT, unix_s);
	return hash_cookie(c, secrets[0], cookie, client, cookie + HASH_AT);
}

bool
cookie_check(struct cookies *c, const struct conf_core *conf, uint32_t unix_s,
    const struct netaddr *client, const uint8_t cookie[static COOKIE_LEN])
{
	const uint8_t(*secrets)[CONF_SECRET_LEN];
	unsigned n = find_secrets(c, conf, unix_s, &secrets);
	/* Serial number arithmetic: timestamps wrap in 2106 (RFC 9018 section 4.3). */
	uint32_t age = unix_s - wire_u32(cookie + TIMESTAMP_AT) + COOKIE_AHEAD;
	uint8_t wanted[HASH_LEN];

	if (cookie[DNS_COOKIE_CLIENT] != VERSION || age > COOKIE_OLD + COOKIE_AHEAD)
		return false;
	for (unsigned i = 0; i < n; i++) {
		if (hash_cookie(c, secrets[i], cookie, client, wanted) &&
		    CRYPTO_memcmp(wanted, cookie + HASH_AT, HASH_LEN) == 0)
			return true;
	}
	return false;
}
