/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_NOTIFY_H
#define DNS64D_DAEMON_NOTIFY_H

/*
 * notify: tell the service manager the state of the daemon (sd_notify(3)). Built without
 * libsystemd, or started by anything else than systemd, the functions do nothing. Main thread only.
 */

#include <stdint.h>

#ifdef HAVE_SYSTEMD

/* notify_ready: the daemon serves. STATUS: one line for `systemctl status`, borrowed. */
void notify_ready(const char *status);

/* notify_reloading: a reload has begun; notify_ready ends it. */
void notify_reloading(void);

/*
 * notify_stopping: the daemon has begun to stop, and wants MS milliseconds from now for that, if it
 * has less. STATUS: as above.
 */
void notify_stopping(const char *status, uint64_t ms);

/* notify_watchdog: give a sign of life. */
void notify_watchdog(void);

/* notify_watchdog_ms: milliseconds within which systemd expects a sign of life; 0: never. */
uint32_t notify_watchdog_ms(void);

#else

static inline void
notify_ready(const char *status)
{
	(void)status;
}

static inline void
notify_reloading(void)
{
}

static inline void
notify_stopping(const char *status, uint64_t ms)
{
	(void)status;
	(void)ms;
}

static inline void
notify_watchdog(void)
{
}

static inline uint32_t
notify_watchdog_ms(void)
{
	return 0;
}

#endif
#endif
