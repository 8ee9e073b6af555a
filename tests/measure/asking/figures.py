# SPDX-License-Identifier: BSD-2-Clause
"""figures: what a scene's questions and counters come to, and whether that meets a goal."""

import math
import operator

from asker import LOOKUPS, TIMEOUT


class Goal:
    """A bound on a figure; short is the one of the short form, which leaves room for noise."""

    OPERATORS = {"<=": operator.le, ">=": operator.ge, "=": operator.eq}

    def __init__(self, figure, sign, bound, short=None):
        self.figure, self.sign, self.bound = figure, sign, bound
        self.short = bound if short is None else short

    def limit(self, is_short):
        return self.short if is_short else self.bound

    def is_met(self, figures, is_short):
        """A figure that the run does not have fails its goal."""
        value = figures.get(self.figure)
        return value is not None and self.OPERATORS[self.sign](value, self.limit(is_short))

    def text(self, is_short):
        return "%s %s %s" % (self.figure, self.sign, number(self.limit(is_short)))


def number(value):
    """For a table: as short as it can be told."""
    if value is None:
        return "-"
    if value == int(value):
        return "%d" % value
    if abs(value) < 10 or 99 < abs(value) < 100:  # 99.998 % is not all
        return "%.3f" % value
    return ("%.2f" if abs(value) < 100 else "%.0f") % value


def percentile(sorted_values, percent):
    """Nearest rank; None of nothing."""
    if not sorted_values:
        return None
    return sorted_values[max(0, math.ceil(len(sorted_values) * percent / 100) - 1)]


def times(questions):
    """Percentiles in ms. A question that was not resolved took as long as a client waits."""
    took = sorted(q.took if q.outcome == "resolved" else TIMEOUT for q in questions)
    found = {"p%d" % p: percentile(took, p) for p in (50, 90, 95, 99)}
    found["max"] = took[-1] if took else None
    return {name: None if value is None else value * 1000 for name, value in found.items()}


def share(questions, outcome="resolved"):
    """Percentage of the questions with that outcome; None of none."""
    if not questions:
        return None
    return 100 * sum(q.outcome == outcome for q in questions) / len(questions)


def lookups(questions):
    return sum(LOOKUPS[q.kind] for q in questions)


def outcomes(questions):
    """How many ended how, apart from the resolved ones."""
    found = {}
    for q in questions:
        if q.outcome != "resolved":
            found[q.outcome] = found.get(q.outcome, 0) + 1
    return found


def shares(samples, begin, end):
    """The percentage of all packets that the first upstream got, second by second of that time.
    samples: (time, packets to each upstream until then)."""
    found = []
    at = begin
    while at + 1 <= end:
        counts = [packets for when, packets in samples if at <= when <= at + 1]
        got = [last - first for first, last in zip(counts[0], counts[-1])] if counts else [0]
        found.append(100 * got[0] / sum(got) if sum(got) else 0)
        at += 1
    return found


def returned(samples, since, least=5):
    """s from a time until an upstream is asked again, by more than probes: the first of the samples
    (time, packets until then) with so many more than the one before."""
    before = None
    for at, packets in samples:
        if at >= since and before is not None and packets - before >= least:
            return at - since
        before = packets if at >= since else before
    return None
