/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_DAEMON_NOTIFY_H
#define DNS64D_DAEMON_NOTIFY_H

/*
 * notify: tell the service manager how we are (sd_notify(3)). Without systemd nothing happens;
 * with it nothing happens either unless it started us so. Main thread only.
 */

#include <stdint.h>

#ifdef HAVE_SYSTEMD

/* notify_ready: serving. STATUS: one line for `systemctl status`. */
void notify_ready(const char *status);

/* notify_reloading, notify_stopping: a reload, the end has begun. */
void notify_reloading(void);
void notify_stopping(void);

/* notify_watchdog: a sign of life. */
void notify_watchdog(void);

/* notify_watchdog_ms: the time within which a sign of life is expected; 0: none is. */
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
notify_stopping(void)
{
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
