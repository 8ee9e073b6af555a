/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes are a configuration file. */
#include <ctype.h>
#include <string.h>

#include "config/conffile.h"
#include "config/policies.h"
#include "fuzz/fuzz.h"

static void
check_text(void *ctx, enum diag_kind kind, const char *text)
{
	(void)ctx;
	(void)kind;
	FUZZ_CHECK(text[0] != '\0' && strlen(text) < DIAG_TEXT);
	for (; *text != '\0'; text++)
		FUZZ_CHECK(!iscntrl((unsigned char)*text));
}

/* They are made, or there is something wrong with them. */
static void
check_policies(struct settings *s, struct diag *d)
{
	struct policies *ps = policies_make(s, d);

	FUZZ_CHECK((ps == NULL) == (d->n_errors > 0));
	for (size_t i = 0; ps != NULL && i < ps->n; i++) {
		const struct policy *p = &ps->table[i];

		FUZZ_CHECK(p->synth.n_prefixes >= 1 && p->synth.n_prefixes <= POLICY_MAX_PREFIXES);
		FUZZ_CHECK(p->reverse != POLICY_REVERSE_LOCAL || p->reverse_name != NULL);
		FUZZ_CHECK(p->synth.v4 != NULL && p->synth.excluded != NULL);
	}
	s->conf.core.policies = ps;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct diag d = { .file = "fuzz.conf", .sink = check_text };
	static struct settings s; /* too large for a stack */
	char *text = malloc(len > 0 ? len : 1);

	FUZZ_CHECK(text != NULL);
	if (len > 0)
		memcpy(text, data, len);
	conffile_parse(text, len, &s, &d);
	free(text);
	FUZZ_CHECK(s.conf.core.n_upstreams <= CONF_MAX_UPSTREAMS);
	FUZZ_CHECK(s.conf.io.n_listens <= CONF_MAX_LISTENS);
	FUZZ_CHECK(s.conf.io.n_avoid_ports <= CONF_MAX_AVOID_PORTS);
	if (d.n_errors == 0)
		FUZZ_CHECK(s.conf.core.udp_size_client >= 512 && s.conf.core.timeout_ms >= 1);
	if (d.n_errors == 0)
		check_policies(&s, &d);
	settings_fini(&s);
	return 0;
}
