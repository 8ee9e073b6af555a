/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_DNSTAP_FRAME_H
#define DNS64D_DAEMON_DNSTAP_FRAME_H

/*
 * dnstap_frame: a captured message as dnstap's readers know it (dnstap.proto).
 *
 * Built with --with-dnstap only.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attr.h"
#include "engine/dnstap_tap.h"

#define DNSTAP_FRAME_NAME 256                   /* bytes of a name, with its zero */
#define DNSTAP_FRAME_MAX ((size_t)65535 + 1024) /* bytes of a frame */

/* What all frames say; empty: they do not. */
struct dnstap_about {
	char identity[DNSTAP_FRAME_NAME];
	char version[DNSTAP_FRAME_NAME];
};

/*
 * dnstap_frame: write the record R, whose message is at MSG, as a Dnstap message of protobuf to
 * OUT. SHIFT_NS, added to the times in R, makes them ns since 1970. Returns the number of bytes.
 */
MUST_USE size_t dnstap_frame(const struct dnstap_about *about, const struct dnstap_tap_record *r,
    const uint8_t *msg, uint64_t shift_ns, uint8_t out[static DNSTAP_FRAME_MAX]);

#endif
