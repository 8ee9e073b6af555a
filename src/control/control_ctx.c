/* SPDX-License-Identifier: BSD-2-Clause */
#include "control/control_ctx.h"

#include "base/log.h"
#include "control/facts.h"

void
control_ctx_judge(struct control_ctx *d)
{
	const struct verdict v = facts_verdict_now(&d->host, &d->ask.views);
	char text[VERDICT_TEXT];

	if (verdict_same(&v, &d->verdict))
		return;
	d->verdict = v;
	if (d->host.stopping)
		return; /* it says so itself */
	if (v.state == VERDICT_READY)
		log_notice(LOG_SERVER, "ready again");
	else
		log_warn(LOG_SERVER, "%s", verdict_text(&v, text));
	d->host.ops->judged(d->host.arg, &v);
}
