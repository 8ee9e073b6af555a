/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_CONTROL_CONTROL_CTX_H
#define DNS64D_CONTROL_CONTROL_CTX_H

/*
 * control_ctx: what the handlers of the control socket work with.
 */

#include "control/ask.h"
#include "control/changes.h"
#include "control/explain_queue.h"
#include "control/host_ops.h"
#include "control/reloads.h"
#include "control/surveys.h"
#include "figures/host.h"

struct control_ctx {
	struct host host;
	struct ask ask;
	struct explain_queue explain_queue;
	struct reloads reloads;
	struct changes changes;
	struct surveys surveys;
	struct verdict verdict; /* the last that was told of */
};

/*
 * control_ctx_init: set up the zeroed *D for HOST, which is copied. False without memory;
 * control_ctx_fini is needed either way.
 */
MUST_USE bool control_ctx_init(struct control_ctx *d, const struct host *host);

/* control_ctx_refuse: the daemon ends: answer all requests that wait with 503. */
void control_ctx_refuse(struct control_ctx *d);

/* control_ctx_fini: free all; who waits has no answer. *D may be all zero. */
void control_ctx_fini(struct control_ctx *d);

/*
 * control_ctx_judge: tell the log and the service manager of the verdict, if it is another one than
 * before; the service manager, whose line counts upstreams, also of other counts. Called when
 * something has changed that it rests on.
 */
void control_ctx_judge(struct control_ctx *d);

#endif
