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
 * control_ctx_judge: tell the log and the service manager of the verdict, if it is another one than
 * before; the service manager, whose line counts upstreams, also of other counts. Called when
 * something has changed that it rests on.
 */
void control_ctx_judge(struct control_ctx *d);

#endif
