/* SPDX-License-Identifier: BSD-2-Clause */
/* benchrig: a method of dns64bench and the fakedns that it measures, in one process. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "bench/method.h"
#include "fakedns/server.h"

struct benchrig {
	struct fake_settings fake; /* set by benchrig_init; may be changed before benchrig_start */
	struct bench_settings settings;
	struct bench_job job;
	struct fake_server *server; /* NULL: no server, so nothing answers */
	char pid[16];               /* of benchrig_watch */
	atomic_bool stop;
};

/* benchrig_init: settings of a fakedns for dns64perf.test on loopback, with AAAA for all names. */
void benchrig_init(struct benchrig *rig);

/* benchrig_start: start fakedns, and make the job of WORDS: "METHOD OPTIONS", spaces between. */
void benchrig_start(struct benchrig *rig, const char *words);

/* benchrig_begin: benchrig_init and benchrig_start, with nothing changed in between. */
void benchrig_begin(struct benchrig *rig, const char *words);

/* benchrig_watch: let the job watch this process as the server's. */
void benchrig_watch(struct benchrig *rig);

/* benchrig_stop: stop everything; the counters of fakedns go to *counters, unless NULL. */
void benchrig_stop(struct benchrig *rig, struct fake_counters *counters);

/* benchrig_rows: the number of rows of the table with this index; 0: there is no such table. */
size_t benchrig_rows(const struct benchrig *rig, size_t table);

/* benchrig_cell: one value in the table with this index. */
double benchrig_cell(const struct benchrig *rig, size_t table, size_t row, const char *column);

/* benchrig_finding: the value of the finding NAME; -1: there is none. */
double benchrig_finding(const struct benchrig *rig, const char *name);

/* benchrig_failed: reason I, from 0, why the run failed; NULL: there are no more. */
const char *benchrig_failed(const struct benchrig *rig, size_t i);
