/* SPDX-License-Identifier: BSD-2-Clause */
#include "dns/rdata.h"

#include "dns/name.h"
#include "dns/wire.h"

#define PARAM_FIXED 4 /* key and length of a parameter */

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

/* Are there, from AT on, a name that is not compressed, and parameters (RFC 9460 section 2.2)? */
static bool
is_svcb(const uint8_t *bytes, const struct rr *rr, size_t at)
{
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

static bool
is_soa(struct rdata_scan *scan, const struct rr *rr)
{
	size_t at = skip_sound(scan, rr->rdata, rr->end);

	if (at > 0)
		at = skip_sound(scan, at, rr->end);
	return at > 0 && rr->end - at == DNS_SOA_NUMBERS;
}

/* Does the RDATA of RR, whose type has ROW, have its parts? */
static __attribute__((noinline)) bool
has_parts(struct rdata_scan *scan, const struct rr *rr, const struct type_row *row)
{
	const struct type_parts *parts = &row->parts;
	size_t at = rdata_first_name(scan->bytes, rr, parts);

	if (row->check == TYPE_CHECK_IN && rr->class != DNS_CLASS_IN)
		return true;
	if (row->form == TYPE_FORM_SVCB)
		return is_svcb(scan->bytes, rr, at);
	for (unsigned i = 0; i < parts->names; i++) {
		at = skip_sound(scan, at, rr->end);
		if (at == 0)
			return false;
	}
	return at <= rr->end && (rr->end - at == parts->after || parts->after == TYPE_REST);
}

/* Shortcuts of rdata_parts_sound that a row does not permit. */
#define UNFIT(type, number, form, check, kind, added) \
	+(TYPE_FORM_##form == TYPE_FORM_NAME && TYPE_CHECK_##check == TYPE_CHECK_IN) + \
	    ((number) == DNS_TYPE_SOA && \
		(TYPE_FORM_##form != TYPE_FORM_SOA || TYPE_CHECK_##check != TYPE_CHECK_ANY))
_Static_assert(0 TYPE_ROWS(UNFIT) == 0, "SOA and types with one name have what is checked");

bool
rdata_parts_sound(struct rdata_scan *scan, const struct rr *rr)
{
	/* Most that is checked is an SOA or one name: by themselves they cost less. */
	if (rr->type == DNS_TYPE_SOA)
		return is_soa(scan, rr);

	const struct type_row *row = &type_rows[rr->type];
	if (row->form == TYPE_FORM_NAME)
		return skip_sound(scan, rr->rdata, rr->end) == rr->end;
	return has_parts(scan, rr, row);
}
