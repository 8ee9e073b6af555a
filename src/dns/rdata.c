/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/rdata.h"

#include "dns/name.h"
#include "dns/wire.h"

#define MX_NUMBERS 2   /* bytes in front of the name (RFC 1035 section 3.3.9) */
#define SRV_NUMBERS 6  /* likewise (RFC 2782) */
#define SVCB_NUMBERS 2 /* likewise (RFC 9460 section 2.2) */
#define PARAM_FIXED 4  /* key and length of a parameter */

/* Does a label of the question's name begin at offset AT? If so, the name there becomes the known
 * one. */
static bool
in_question(struct rdata_scan *scan, size_t at)
{
	size_t off = at - DNS_HEADER_LEN;

	if (at < DNS_HEADER_LEN || off >= scan->qname_len ||
	    !name_is_label(scan->bytes + DNS_HEADER_LEN, off))
		return false;
	scan->known_at = at;
	scan->known_len = scan->qname_len - off;
	return true;
}

/*
 * skip_sound for a name whose labels end at AT in a pointer that does not lead to the known name:
 * the name that it leads to becomes the known one.
 */
static __attribute__((noinline)) size_t
follow(struct rdata_scan *scan, size_t pos, size_t at)
{
	size_t behind;
	size_t len = name_measure(scan->bytes, scan->len, pos, &behind, &scan->n_steps);

	if (len == 0 || scan->n_steps > RDATA_STEPS_MAX)
		return 0;
	scan->known_at = name_pointee(scan->bytes + at);
	scan->known_len = len - (at - pos);
	return behind;
}

/*
 * Return the offset behind the name at POS, which must end before END; 0 when it is malformed. Most
 * names end in a pointer to the question's name, or to where the pointer before led.
 */
static inline size_t
skip_sound(struct rdata_scan *scan, size_t pos, size_t end)
{
	size_t at = name_skip_labels(scan->bytes, end, pos);
	size_t target;

	if (UNLIKELY(at >= end))
		return 0;
	if (scan->bytes[at] == 0)
		return at + 1;
	if (UNLIKELY(end - at < 2))
		return 0;
	target = name_pointee(scan->bytes + at);
	if (target >= pos || (target != scan->known_at && !in_question(scan, target)))
		return follow(scan, pos, at);
	return at - pos + scan->known_len <= DNS_NAME_MAX ? at + 2 : 0;
}

/* Is the RDATA of RR, from OFF bytes behind its start on, one sound name? */
static bool
is_name(struct rdata_scan *scan, const struct rr *rr, size_t off)
{
	return rr->rdlen > off && skip_sound(scan, rr->rdata + off, rr->end) == rr->end;
}

static bool
is_soa(struct rdata_scan *scan, const struct rr *rr)
{
	size_t at = skip_sound(scan, rr->rdata, rr->end);

	if (at > 0)
		at = skip_sound(scan, at, rr->end);
	return at > 0 && rr->end - at == DNS_SOA_NUMBERS;
}

/* Is it a number, a name that is not compressed, and parameters (RFC 9460 section 2.2)? */
static bool
is_svcb(const uint8_t *bytes, const struct rr *rr)
{
	size_t at = rr->rdata + SVCB_NUMBERS;

	if (at >= rr->end)
		return false;
	at = name_skip_labels(bytes, rr->end, at);
	if (at >= rr->end || bytes[at] != 0)
		return false;
	at++;
	while (rr->end - at >= PARAM_FIXED) {
		size_t size = wire_u16(bytes + at + 2) + (size_t)PARAM_FIXED;

		if (size > rr->end - at)
			return false;
		at += size;
	}
	return at == rr->end;
}

bool
rdata_names_sound(struct rdata_scan *scan, const struct rr *rr)
{
	switch (rr->type) {
	case DNS_TYPE_SOA:
		return is_soa(scan, rr);
	case DNS_TYPE_MX:
		return is_name(scan, rr, MX_NUMBERS);
	case DNS_TYPE_SRV:
		return rr->class != DNS_CLASS_IN || is_name(scan, rr, SRV_NUMBERS);
	case DNS_TYPE_SVCB:
	case DNS_TYPE_HTTPS:
		return rr->class != DNS_CLASS_IN || is_svcb(scan->bytes, rr);
	default:
		return is_name(scan, rr, 0);
	}
}
