/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_FAKEDNS_COUNTERS_H
#define DNS64D_FAKEDNS_COUNTERS_H

/* fake_counters: what fakedns counts, in each thread and in all. */

#include <stdint.h>

struct fake_counters {
	uint64_t questions; /* all that came in */
	uint64_t answers;
	uint64_t lost;   /* questions ignored by loss */
	uint64_t outage; /* questions ignored in an outage */
	uint64_t mute;   /* names that never get a reply */
	uint64_t malformed;
	uint64_t held;    /* answers that were held back to come out of order */
	uint64_t twice;   /* answers sent once more, which answers counts too */
	uint64_t damaged; /* answers that were damaged */
	uint64_t forged;  /* forged answers, which answers counts too */
	uint64_t ended;   /* connections that had all their answers */
	uint64_t unsent;  /* answers that were not sent, or questions that found no room to wait */
};

#endif
