/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/rdata.h"

#include "dns/name.h"
#include "dns/wire.h"

#define SOA_NUMBERS 20 /* bytes of its five numbers, behind two names (RFC 1035 section 3.3.13) */
#define MX_NUMBERS 2   /* in front of the name */
#define SRV_NUMBERS 6  /* likewise (RFC 2782) */
#define SVCB_NUMBERS 2 /* likewise (RFC 9460 section 2.2) */
#define PARAM_FIXED 4  /* key and length of a parameter */

/* Does a label of the question's name, which is sound, begin at AT? Then that is known. */
static bool
in_question(const struct msg *m, size_t at, struct rdata_known *known)
{
	size_t end = DNS_HEADER_LEN + m->qname_len;
	size_t label = DNS_HEADER_LEN;

	if (at >= end)
		return false;
	while (label < at)
		label += m->bytes[label] + 1u;
	if (label != at)
		return false;
	known->at = at;
	known->len = end - at;
	return true;
}

/* The same as skip_sound for a name whose labels end at AT in a pointer that is not known yet. */
static __attribute__((noinline)) size_t
follow(const struct msg *m, size_t pos, size_t at, struct rdata_known *known)
{
	size_t behind;
	size_t len = name_measure(m->bytes, m->len, pos, &behind, &known->n_steps);

	if (len == 0 || known->n_steps > RDATA_STEPS_MAX)
		return 0;
	known->at = wire_u16(m->bytes + at) & 0x3fff;
	known->len = len - (at - pos);
	return behind;
}

/*
 * The offset behind the name at POS, which must end before END; 0 when it is malformed. Most end in
 * a pointer to the question's name, or to where the last one pointed.
 */
static inline size_t
skip_sound(const struct msg *m, size_t pos, size_t end, struct rdata_known *known)
{
	size_t at = name_skip_labels(m->bytes, end, pos);
	size_t target;

	if (UNLIKELY(at >= end))
		return 0;
	if (m->bytes[at] == 0)
		return at + 1;
	if (UNLIKELY(end - at < 2))
		return 0;
	target = wire_u16(m->bytes + at) & 0x3fff;
	if (target >= pos || (target != known->at && !in_question(m, target, known)))
		return follow(m, pos, at, known);
	return at - pos + known->len <= DNS_NAME_MAX ? at + 2 : 0;
}

/* Is there one name from OFF bytes behind the start to the end? */
static bool
is_name(const struct msg *m, const struct rr *rr, size_t off, struct rdata_known *known)
{
	return rr->rdlen > off && skip_sound(m, rr->rdata + off, rr->end, known) == rr->end;
}

static bool
is_soa(const struct msg *m, const struct rr *rr, struct rdata_known *known)
{
	size_t at = skip_sound(m, rr->rdata, rr->end, known);

	if (at > 0)
		at = skip_sound(m, at, rr->end, known);
	return at > 0 && rr->end - at == SOA_NUMBERS;
}

/* RFC 9460 section 2.2: a name that is not compressed, then parameters up to the end. */
static bool
is_svcb(const struct msg *m, const struct rr *rr)
{
	size_t at = rr->rdata + SVCB_NUMBERS;

	if (at >= rr->end)
		return false;
	at = name_skip_labels(m->bytes, rr->end, at);
	if (at >= rr->end || m->bytes[at] != 0)
		return false;
	at++;
	while (rr->end - at >= PARAM_FIXED) {
		size_t size = wire_u16(m->bytes + at + 2) + (size_t)PARAM_FIXED;

		if (size > rr->end - at)
			return false;
		at += size;
	}
	return at == rr->end;
}

bool
rdata_names_sound(const struct msg *m, const struct rr *rr, struct rdata_known *known)
{
	switch (rr->type) {
	case DNS_TYPE_SOA:
		return is_soa(m, rr, known);
	case DNS_TYPE_MX:
		return is_name(m, rr, MX_NUMBERS, known);
	case DNS_TYPE_SRV:
		return rr->class != DNS_CLASS_IN || is_name(m, rr, SRV_NUMBERS, known);
	case DNS_TYPE_SVCB:
	case DNS_TYPE_HTTPS:
		return rr->class != DNS_CLASS_IN || is_svcb(m, rr);
	default:
		return is_name(m, rr, 0, known);
	}
}
