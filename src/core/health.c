/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/health.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/told.h"

bool
health_recover(struct upstreams *us, unsigned u, struct wheel *wheel, uint64_t now_ns)
{
	struct upstream *up = &us->table[u];
	bool was_down = up->down;
	char text[NETADDR_TEXT];

	up->n_failures = 0;
	up->probing = false;
	up->doubted = false;
	if (was_down) {
		up->down = false;
		up->cost.ns = 0; /* what it cost before says nothing any more */
		up->revived_ns = now_ns;
		wheel_clear(wheel, &up->probe);
		if (told_end(us->told, TOLD_DOWN, &up->addr))
			log_notice(
			    "upstream", "%s: replies again", netaddr_format(&up->addr, text));
	}
	return was_down;
}

/* The name of RCODE for the log. */
static const char *
rcode_text(uint16_t rcode)
{
	switch (rcode) {
	case DNS_FORMERR:
		return "FORMERR";
	case DNS_SERVFAIL:
		return "SERVFAIL";
	case DNS_NOTIMP:
		return "NOTIMP";
	case DNS_REFUSED:
		return "REFUSED";
	default:
		return "another error";
	}
}

void
health_on_error(
    struct upstreams *us, unsigned u, enum upstream_over over, uint16_t rcode, uint64_t now_ns)
{
	struct upstream *up = &us->table[u];
	char text[NETADDR_TEXT];

	choice_on_failure(us, u, over, false, now_ns);
	if (up->n_errors++ == 0)
		up->errors_ns = now_ns;
	if (up->erring || !up->active || up->n_errors < HEALTH_ERRORS ||
	    now_ns - up->errors_ns < HEALTH_ERRORS_MS * NS_PER_MS)
		return;
	up->erring = true;
	if (told_begin(us->told, TOLD_ERRORS, &up->addr))
		log_warn("upstream", "%s: every reply for %u s was an error (last %s)",
		    netaddr_format(&up->addr, text), clock_s(now_ns - up->errors_ns),
		    rcode_text(rcode));
}

void
health_on_good(struct upstreams *us, unsigned u)
{
	struct upstream *up = &us->table[u];
	char text[NETADDR_TEXT];

	up->n_errors = 0;
	if (!up->erring)
		return;
	up->erring = false;
	if (told_over(us->told, TOLD_ERRORS, &up->addr))
		log_notice(
		    "upstream", "%s: replies without error again", netaddr_format(&up->addr, text));
}

enum health
health_on_failure(struct upstreams *us, unsigned u, enum upstream_over over, uint64_t now_ns)
{
	struct upstream *up = &us->table[u];

	choice_on_failure(us, u, over, true, now_ns);
	if (up->n_failures == 0)
		up->failing_ns = now_ns;
	up->n_failures++;
	if (up->active && up->n_failures >= HEALTH_FAILURES)
		up->doubted = true;
	/* At most one probe per timeout. */
	if (!up->active || up->down || up->n_failures < HEALTH_FAILURES ||
	    now_ns - up->probed_ns < us->timeout_ns)
		return HEALTH_AS_BEFORE;
	up->probing = true;
	up->probed_ns = now_ns;
	return HEALTH_IN_DOUBT;
}

static enum health
go_down(struct upstreams *us, struct upstream *up, struct wheel *wheel, uint64_t now_ns)
{
	char text[NETADDR_TEXT];

	up->down = true;
	up->probing = false;
	wheel_set(wheel, &up->probe, now_ns + HEALTH_PROBE_MS * NS_PER_MS);
	if (told_begin(us->told, TOLD_DOWN, &up->addr))
		log_warn("upstream",
		    "%s: no reply to %u questions in a row, nor to a probe: asked only if no other "
		    "is left",
		    netaddr_format(&up->addr, text), up->n_failures);
	return HEALTH_WENT_DOWN;
}

enum health
health_on_refused(struct upstreams *us, unsigned u, struct wheel *wheel, uint64_t now_ns)
{
	struct upstream *up = &us->table[u];
	bool probing = up->probing;
	enum health health = health_on_failure(us, u, UPSTREAM_OVER_UDP, now_ns);

	return probing && up->active ? go_down(us, up, wheel, now_ns) : health;
}

enum health
health_on_probe_lost(struct upstreams *us, unsigned u, struct wheel *wheel, uint64_t now_ns)
{
	struct upstream *up = &us->table[u];
	bool probing = up->probing;

	up->probing = false;
	return probing && up->active ? go_down(us, up, wheel, now_ns) : HEALTH_AS_BEFORE;
}
