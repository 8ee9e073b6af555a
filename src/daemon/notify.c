/* SPDX-License-Identifier: BSD-2-Clause */
#include "daemon/notify.h"

#ifdef HAVE_SYSTEMD

#include <inttypes.h>
#include <systemd/sd-daemon.h>
#include <time.h>

/* Failures are ignored: a service manager that gets no message acts by itself. */

void
notify_ready(const char *status)
{
	(void)sd_notifyf(0, "READY=1\nSTATUS=%s", status);
}

void
notify_reloading(void)
{
	struct timespec now;

	/* systemd compares the time with its own monotonic clock (Type=notify-reload). */
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	(void)sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRId64 "\nSTATUS=Reloading",
	    (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000);
}

void
notify_stopping(const char *status, uint64_t ms)
{
	(void)sd_notifyf(
	    0, "STOPPING=1\nSTATUS=%s\nEXTEND_TIMEOUT_USEC=%" PRIu64, status, ms * 1000);
}

void
notify_watchdog(void)
{
	(void)sd_notify(0, "WATCHDOG=1");
}

uint32_t
notify_watchdog_ms(void)
{
	uint64_t us = 0;

	if (sd_watchdog_enabled(0, &us) <= 0)
		return 0;
	us /= 1000;
	return us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
}

#endif
