/* SPDX-License-Identifier: BSD-2-Clause */
/* A method of dns64bench and a fakedns for it to measure, in one process. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "bench/method/method.h"
#include "fakedns/server.h"

struct benchrig {
	struct fake_settings fake; /* set before benchrig_start what is to be different */
	struct bench_settings settings;
	struct bench_job job;
	struct fake_server *server; /* NULL: nobody answers */
	atomic_bool stop;
};

/* benchrig_init: fakedns for dns64perf.test on loopback, where all names have AAAA. */
void benchrig_init(struct benchrig *rig);

/* benchrig_start: it runs, and the job is that of "METHOD OPTIONS": words with spaces between. */
void benchrig_start(struct benchrig *rig, const char *words);

/* benchrig_watch: and watches this process. */
void benchrig_watch(struct benchrig *rig);

/* benchrig_stop: all ends; what fakedns has counted to *counters, unless NULL. */
void benchrig_stop(struct benchrig *rig, struct fake_counters *counters);

/* benchrig_rows: rows of the I-th table; 0 without it. benchrig_cell: one value there. */
size_t benchrig_rows(const struct benchrig *rig, size_t table);
double benchrig_cell(const struct benchrig *rig, size_t table, size_t row, const char *column);

/* benchrig_finding: its value; -1 if there is none. */
double benchrig_finding(const struct benchrig *rig, const char *name);

/* benchrig_failed: the I-th reason why the run has failed; NULL behind the last. */
const char *benchrig_failed(const struct benchrig *rig, size_t i);
