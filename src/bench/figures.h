/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DNS64D_BENCH_FIGURES_H
#define DNS64D_BENCH_FIGURES_H

/*
 * bench_figures: the main figures of a run, whatever its method calls them, for bench_compare. They
 * are read from the run's tree (bench_run has its form). Pure.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "bench/result/run.h"

enum bench_figure_name {
	BENCH_FIGURE_RATE,       /* the highest found, or that of valid answers */
	BENCH_FIGURE_RTT_MEDIAN, /* at that rate */
	BENCH_FIGURE_RTT_P99,
	BENCH_FIGURE_CPU, /* of the server, for an answer */
	BENCH_FIGURE_MEMORY,
	BENCH_FIGURES
};

/* What is told of a figure: "B VERB 7.1 % MORE NOUN than A". */
struct bench_figure_words {
	const char *name;  /* of options and columns */
	const char *title; /* of tables */
	const char *verb, *more, *less, *noun;
};

/* bench_figures_words: how to tell figure F. */
MUST_USE const struct bench_figure_words *bench_figures_words(enum bench_figure_name f);

/* bench_figures_find: the figure called NAME (LEN bytes); BENCH_FIGURES if there is none. */
MUST_USE enum bench_figure_name bench_figures_find(const char *name, size_t len);

/* A value that a run has, in a unit of its own choice (the run's text). */
struct bench_figure_value {
	double value;
	const char *unit;
};

/*
 * bench_figures_repetitions: how often RUN did what it does: a search as often as it searched, a
 * sweep as often as there are trials, any other once.
 */
MUST_USE size_t bench_figures_repetitions(const json_t *run);

/*
 * bench_figures_fit: are the repetitions of RUN and OTHER of the same things: does each search of a
 * matrix, and each rate of a sweep, stand where the other run has it?
 */
MUST_USE bool bench_figures_fit(const json_t *run, const json_t *other);

/*
 * bench_figures_read: figure F of repetition I (from 0) of RUN, to *v. False if it has none, or
 * none above zero: there is no ratio to that.
 */
MUST_USE bool bench_figures_read(
    const json_t *run, enum bench_figure_name f, size_t i, struct bench_figure_value *v);

/* A curve that runs have: a column of a table by another one. */
struct bench_figure_curve {
	const char *table, *x, *y;
};

/*
 * bench_figures_at: the y of curve C of RUN where its x is X, to *v. False if there is none above
 * zero.
 */
MUST_USE bool bench_figures_at(
    const json_t *run, const struct bench_figure_curve *c, double x, struct bench_figure_value *v);

/* bench_figures_column: the column NAME of TABLE; without title and unit if there is none. */
MUST_USE struct bench_column bench_figures_column(const json_t *table, const char *name);

/* bench_figures_cell: the value in the column NAME of row I of TABLE; NULL if there is none. */
MUST_USE const json_t *bench_figures_cell(const json_t *table, size_t i, const char *name);

#endif
