/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DNS_TYPE_ROWS_H
#define DNS64D_DNS_TYPE_ROWS_H

/*
 * type_rows: the table of RR types. What dns64d knows of a type is its row: enum dns_type
 * (dns/proto.h), the texts, the check of RDATA, the copying of names in it, what is counted and
 * whose answers get addresses follow from it. Other types have a number and opaque RDATA (RFC
 * 3597).
 */

/*
 * X(KIND, name, "label"): what questions are counted as, by type; NAME as in cache_hits_NAME
 * (core/stats.h), the label that of the metrics.
 */
#define TYPE_KINDS(X) \
	X(OTHER, other, "other") \
	X(A, a, "A") \
	X(AAAA, aaaa, "AAAA") \
	X(HTTPS, https, "HTTPS") \
	X(PTR, ptr, "PTR")

#define TYPE_REST 255 /* as many as there are */

/*
 * X(FORM, before, strings, names, after): the parts of RDATA in their order: bytes, how many
 * character-strings, how many names, which are expanded (they are sent compressed only in types of
 * RFC 1035), bytes.
 */
#define TYPE_FORMS(X) \
	X(OPAQUE, 0, 0, 0, TYPE_REST) \
	X(ADDRESS, 0, 0, 0, TYPE_REST) /* of A and AAAA, each of its length */ \
	X(STRINGS, 0, 0, 0, TYPE_REST) /* character-strings alone */ \
	X(NAME, 0, 0, 1, 0) \
	X(NAMES, 0, 0, 2, 0) \
	X(NAME_REST, 0, 0, 1, TYPE_REST) \
	X(SOA, 0, 0, 2, DNS_SOA_NUMBERS) \
	X(MX, 2, 0, 1, 0) \
	X(PX, 2, 0, 2, 0) \
	X(SRV, 6, 0, 1, 0) \
	X(SIG, 18, 0, 1, TYPE_REST) \
	X(NAPTR, 4, 3, 1, 0) \
	X(SVCB, 2, 0, 0, TYPE_REST) /* a name, never compressed, and parameters (RFC 9460) */

#define TYPE_NUMBERED 258 /* one more than the highest number of a row; raise it with that */

/*
 * X(TYPE, number, FORM, CHECK, KIND, ADDED)
 *
 * CHECK: RDATA that does not have the form is malformed (RULES D25): NEVER, in class IN, or in ANY
 * class. ADDED: answers to a question for it get ADDRESSES of the targets, the names behind the
 * first bytes of RDATA (RULES D18), or NOTHING.
 */
#define TYPE_ROWS(X) \
	X(A, 1, ADDRESS, IN, A, NOTHING) \
	X(NS, 2, NAME, ANY, OTHER, NOTHING) \
	X(MD, 3, NAME, NEVER, OTHER, NOTHING) \
	X(MF, 4, NAME, NEVER, OTHER, NOTHING) \
	X(CNAME, 5, NAME, ANY, OTHER, NOTHING) \
	X(SOA, 6, SOA, ANY, OTHER, NOTHING) \
	X(MB, 7, NAME, NEVER, OTHER, NOTHING) \
	X(MG, 8, NAME, NEVER, OTHER, NOTHING) \
	X(MR, 9, NAME, NEVER, OTHER, NOTHING) \
	X(PTR, 12, NAME, ANY, PTR, NOTHING) \
	X(HINFO, 13, OPAQUE, NEVER, OTHER, NOTHING) \
	X(MINFO, 14, NAMES, NEVER, OTHER, NOTHING) \
	X(MX, 15, MX, ANY, OTHER, NOTHING) \
	X(TXT, 16, STRINGS, NEVER, OTHER, NOTHING) \
	X(RP, 17, NAMES, NEVER, OTHER, NOTHING) \
	X(AFSDB, 18, MX, NEVER, OTHER, NOTHING) \
	X(RT, 21, MX, NEVER, OTHER, NOTHING) \
	X(SIG, 24, SIG, NEVER, OTHER, NOTHING) \
	X(PX, 26, PX, NEVER, OTHER, NOTHING) \
	X(AAAA, 28, ADDRESS, IN, AAAA, NOTHING) \
	X(NXT, 30, NAME_REST, NEVER, OTHER, NOTHING) \
	X(SRV, 33, SRV, IN, OTHER, NOTHING) \
	X(NAPTR, 35, NAPTR, NEVER, OTHER, NOTHING) \
	X(KX, 36, MX, NEVER, OTHER, NOTHING) \
	X(DNAME, 39, NAME, ANY, OTHER, NOTHING) \
	X(OPT, 41, OPAQUE, NEVER, OTHER, NOTHING) \
	X(DS, 43, OPAQUE, NEVER, OTHER, NOTHING) \
	X(SSHFP, 44, OPAQUE, NEVER, OTHER, NOTHING) \
	X(RRSIG, 46, OPAQUE, NEVER, OTHER, NOTHING) \
	X(NSEC, 47, OPAQUE, NEVER, OTHER, NOTHING) \
	X(DNSKEY, 48, OPAQUE, NEVER, OTHER, NOTHING) \
	X(NSEC3, 50, OPAQUE, NEVER, OTHER, NOTHING) \
	X(NSEC3PARAM, 51, OPAQUE, NEVER, OTHER, NOTHING) \
	X(TLSA, 52, OPAQUE, NEVER, OTHER, NOTHING) \
	X(CDS, 59, OPAQUE, NEVER, OTHER, NOTHING) \
	X(CDNSKEY, 60, OPAQUE, NEVER, OTHER, NOTHING) \
	X(OPENPGPKEY, 61, OPAQUE, NEVER, OTHER, NOTHING) \
	X(SVCB, 64, SVCB, IN, HTTPS, ADDRESSES) \
	X(HTTPS, 65, SVCB, IN, HTTPS, ADDRESSES) \
	X(TKEY, 249, OPAQUE, NEVER, OTHER, NOTHING) \
	X(TSIG, 250, OPAQUE, NEVER, OTHER, NOTHING) \
	X(IXFR, 251, OPAQUE, NEVER, OTHER, NOTHING) \
	X(AXFR, 252, OPAQUE, NEVER, OTHER, NOTHING) \
	X(ANY, 255, OPAQUE, NEVER, OTHER, NOTHING) \
	X(URI, 256, OPAQUE, NEVER, OTHER, NOTHING) \
	X(CAA, 257, OPAQUE, NEVER, OTHER, NOTHING)

#endif
