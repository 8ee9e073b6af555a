# SPDX-License-Identifier: BSD-2-Clause
"""scenes: upstreams, questions and faults, and what must come of them.

Unless a scene says otherwise an upstream takes 1 ms for an answer, and names are new: every other
one has AAAA records of its own, and the others have A records only.
"""

import figures
from asker import Question
from figures import Goal

FAST = ("--delay", "1")
MODES = ("random", "round-robin", "in-order", "fastest")
STALE_TTL = 1


class Numbers:
    """The numbers of names that were not used yet."""

    def __init__(self):
        self.last = 0

    def take(self):
        self.last += 1
        return self.last


def steady(numbers, kinds, rate, begin, end, group="all"):
    """Questions for new names at a rate, the kinds in turn."""
    count = int((end - begin) * rate)
    return [
        Question(begin + i / rate, kinds[i % len(kinds)], numbers.take(), group)
        for i in range(count)
    ]


class Scene:
    """A scene; subclasses have other questions, faults or figures. Times are s from the beginning.

    kinds: of the names asked for, in turn. rate: questions per s. seconds, short: of asking, in
    both forms. settle: the percentiles are of questions from then on. mode: the selection-mode of
    dns64d, None: its default. baseline: upstreams without the trouble, to be played first.
    """

    server_lines = {}  # more configuration by server
    is_heavy = False  # to be played alone
    for_peers = True

    def __init__(self, name, upstreams, goals, **more):
        self.name, self.upstreams, self.goals = name, upstreams, goals
        self.kinds = ("aaaa", "a")
        self.rate, self.seconds, self.short = 200, 30, 4
        self.settle, self.mode, self.baseline = 0, None, None
        self.__dict__.update(more)

    def good_questions(self, numbers, seconds):
        return steady(numbers, self.kinds, self.rate, 0, seconds)

    def questions(self, numbers, seconds):
        """In order of time."""
        return self.good_questions(numbers, seconds)

    def events(self, stage, seconds):
        """(time, callable)"""
        return []

    def learned(self, seconds):
        """From then until the end of asking the sends per lookup are counted."""
        return min(8.0, seconds / 2)

    def find(self, questions, stage, seconds):
        """The figures. stage.samples: (time, packets to each upstream until then); stage.log: what
        the server said."""
        asked = [q for q in questions if q.at >= self.settle]
        found = {
            "resolved": figures.share(questions),
            "wrong": sum(q.outcome == "wrong" for q in questions),
        }
        found.update(figures.times(asked))
        found["packets"] = sum(stage.samples[-1][1]) / len(questions)
        found["sends"] = self.sends(questions, stage.samples, seconds)
        found["down"] = sum(" no reply to " in line for line in stage.log)
        return found

    def sends(self, questions, samples, seconds):
        begin = self.learned(seconds)
        counted = [sum(packets) for at, packets in samples if begin <= at <= seconds]
        asked = figures.lookups([q for q in questions if q.at >= begin])
        return (counted[-1] - counted[0]) / asked if asked else None


class Compared(Scene):
    """The percentiles are compared with those of a run without the trouble."""

    def find(self, questions, stage, seconds):
        found = super().find(questions, stage, seconds)
        for name in ("p90", "p95"):
            found[name + "_times"] = found[name] / stage.baseline[name]
        return found


class Broken(Compared):
    """Some names are never answered; the figures are those of the good ones."""

    def __init__(self, name, upstreams, goals, percent, **more):
        super().__init__(name, upstreams, goals, **more)
        self.percent = percent

    def questions(self, numbers, seconds):
        good = self.good_questions(numbers, seconds)
        rate = self.rate * self.percent / (100 - self.percent)
        broken = steady(numbers, ("mute",), rate, 0, seconds, "broken")
        return sorted(good + broken, key=lambda q: q.at)

    def find(self, questions, stage, seconds):
        found = super().find([q for q in questions if q.group == "all"], stage, seconds)
        found["packets"] = sum(stage.samples[-1][1]) / len(questions)
        found.pop("sends", None)
        return found


class Fault(Scene):
    """The first of two upstreams fails, and comes back."""

    is_heavy = True

    def __init__(self, name, how, goals, **more):
        super().__init__(name, (FAST, FAST), goals, seconds=20, short=6)
        self.rate, self.how = 2000, how
        self.__dict__.update(more)

    def span(self, seconds):
        return seconds * 0.25, seconds * 0.65

    def events(self, stage, seconds):
        fault, end = self.span(seconds)
        upstream = stage.upstreams[0]
        return [(fault, lambda: upstream.fail(self.how)), (end, lambda: upstream.revive(self.how))]

    def find(self, questions, stage, seconds):
        fault, end = self.span(seconds)
        found = super().find(questions, stage, seconds)
        found.pop("sends", None)
        if self.how == "killed":  # which is told at once, so what counts is the second after it
            late = [q for q in questions if fault <= q.at < fault + 1 or end <= q.at < end + 1]
        else:
            late = [q for q in questions if q.at >= fault + 0.3]
        found.update(figures.times(late))
        # Its backlog is answered first.
        found["back"] = figures.returned(
            [(at, packets[0]) for at, packets in stage.samples], end + 0.05
        )
        return found


class Lossy(Scene):
    """The first of two upstreams loses every other packet for a while."""

    def span(self, seconds):
        return seconds * 0.15, seconds - 10.2

    def events(self, stage, seconds):
        begin, end = self.span(seconds)
        upstream = stage.upstreams[0]
        return [(begin, lambda: upstream.fail("lossy")), (end, lambda: upstream.revive("lossy"))]

    def find(self, questions, stage, seconds):
        begin, end = self.span(seconds)
        found = super().find(questions, stage, seconds)
        meanwhile = figures.shares(stage.samples, begin + 1, end)
        after = figures.shares(stage.samples, end, seconds)
        found["share"] = sum(meanwhile) / len(meanwhile)
        # Of its half it has half again.
        found["back"] = next((i + 1 for i, share in enumerate(after) if share >= 25), None)
        return found


class Dead(Scene):
    """Both upstreams fail, and after a while the first comes back. New names are asked for all the
    time, and stale ones, that were asked for before and have expired since."""

    server_lines = {
        "unbound": ["serve-expired: yes"],
        "bind": ["stale-cache-enable yes;", "stale-answer-enable yes;"],
    }

    def __init__(self, name, how, goals):
        words = FAST + ("--ttl", str(STALE_TTL))
        super().__init__(name, (words, words), goals, rate=20, seconds=26, short=14)
        self.how = how

    def times(self, seconds):
        """When they fail, are known to have failed, and when one comes back."""
        return 2.0, 9.0, seconds - 3.0

    def questions(self, numbers, seconds):
        fault, known, end = self.times(seconds)
        warm = steady(numbers, ("a", "aaaa"), 200, 0.2, fault - 0.8, "warm")
        asked = steady(numbers, ("a", "aaaa"), self.rate, fault, seconds, "new")
        again = []
        for i in range(int((end - known) * self.rate)):
            first = warm[i % len(warm)]
            again.append(Question(known + i / self.rate, first.kind, first.number, "stale"))
        return sorted(warm + asked + again, key=lambda q: q.at)

    def events(self, stage, seconds):
        fault, _, end = self.times(seconds)
        first, second = stage.upstreams
        return [
            (fault, lambda: first.fail(self.how)),
            (fault, lambda: second.fail(self.how)),
            (end, lambda: first.revive(self.how)),
        ]

    def find(self, questions, stage, seconds):
        _, known, end = self.times(seconds)
        stale = [q for q in questions if q.group == "stale"]
        new_names = [q for q in questions if q.group == "new"]
        new = [q for q in new_names if known <= q.at < end - 1.2]
        after = [q for q in new_names if q.at >= end + 0.5]
        found = {"resolved": figures.share(after), "packets": None}
        told = sorted(q.took for q in new)
        found["told"] = told[-1] * 1000
        for percent in (50, 90, 95, 99):
            found["p%d" % percent] = figures.percentile(told, percent) * 1000
        found["max"] = found["told"]
        found["stale"] = figures.share(stale)
        found["stale_p95"] = figures.times(stale)["p95"]
        answered = [q.sent + q.took for q in new_names if q.outcome == "resolved"]
        found["back"] = min((at - end for at in answered if at >= end), default=None)
        found["lines"] = sum(" upstream: " in line for line in stage.log)
        found["wrong"] = sum(q.outcome == "wrong" for q in questions)
        return found


class Flapping(Scene):
    """The sole upstream is there for 1.5 s and away for 1.5 s, over and over; there at the end."""

    PERIOD = 1.5

    def __init__(self, name, how, goals):
        super().__init__(name, (FAST,), goals, rate=100, seconds=30, short=7.5)
        self.how = how

    def events(self, stage, seconds):
        upstream = stage.upstreams[0]
        fail, revive = lambda: upstream.fail(self.how), lambda: upstream.revive(self.how)
        count = int(seconds / self.PERIOD) & ~1
        return [(self.PERIOD * (i + 1), revive if i % 2 else fail) for i in range(count)]


class Unoptioned(Scene):
    """Nothing with EDNS options gets through over UDP to the sole upstream."""

    def events(self, stage, seconds):
        upstream = stage.upstreams[0]
        return [(0, lambda: upstream.fail("options"))]


def resolved(full=100.0, short=None):
    return Goal("resolved", ">=", full, short)


RIGHT = Goal("wrong", "=", 0)
QUICK = Goal("p99", "<=", 20, 100)


def loss(percent):
    return FAST + ("--loss", str(percent))


def at_loss():
    # p95 and p99 of the short form are those of some hundred questions.
    more = {1: (), 5: (Goal("p95", "<=", 60, 120),), 20: (), 30: (Goal("p99", "<=", 700, 1500),)}
    for percent in (1, 5, 20, 30):
        part = (resolved(99.9 if percent == 30 else 100.0, 99.0 if percent == 30 else 99.5),)
        yield Scene("loss-%d" % percent, (loss(percent),), part + more[percent] + (RIGHT,))
    yield Scene("loss-30-both", (loss(30), loss(30)), (resolved(100, 99.5), RIGHT))
    words = loss(5) + ("--loss-burst", "20")
    yield Scene("loss-5-bursts", (words,), (resolved(100, 99.5), RIGHT))


def at_distance():
    for ms in (300, 900, 1100, 2000):
        yield Scene(
            "delay-%d" % ms,
            (("--delay", str(ms)),),
            (resolved(), RIGHT, Goal("sends", "<=", 2.2, 2.5)),
            kinds=("aaaa", "a", "dual"),
            rate=100,
            short=6,
        )
    for ms, percent in ((1200, 100.0), (2500, 100.0), (3500, 95.0)):
        yield Scene(
            "first-%d" % ms,
            (FAST + ("--slow-first", str(ms)),),
            # The answers for both types come in the same moment, in any order.
            (resolved(percent), Goal("wrong", "<=", 3, 4)),
            kinds=("aaaa", "a", "dual"),
            rate=100,
            short=5,
        )


def beside():
    troubles = {
        "slow": ("--delay", "800"),
        "lossy": loss(30),
        "servfail": FAST + ("--rcode", "SERVFAIL"),
    }
    for name, words in troubles.items():
        yield Compared(
            "beside-" + name,
            (words, FAST),
            (resolved(), RIGHT, Goal("p90_times", "<=", 3, 8)),
            settle=2,
            baseline=(FAST,),
        )

    yield Lossy(
        "losing",
        (FAST, FAST),
        (resolved(), RIGHT, Goal("share", "<=", 10, 15), Goal("back", "<=", 10)),
        mode="random",
        short=15,
    )


def at_fault():
    for how in ("killed", "stopped", "silent"):
        for mode in MODES:
            # Round-robin stays with the upstream that answers.
            back = () if mode == "round-robin" else (Goal("back", "<=", 1.0, 1.5),)
            yield Fault(
                "%s-%s" % (how, mode),
                how,
                (resolved(), QUICK) + back + (RIGHT,),
                mode=mode,
                for_peers=mode == MODES[0],
            )


def over_tcp():
    """Answers over UDP are truncated."""
    words = FAST + ("--truncate", "100")
    goals = (resolved(), Goal("p99", "<=", 50, 200), RIGHT)
    yield Scene("tcp", (words,), goals)
    yield Scene("tcp-closing", (words + ("--tcp-close", "7"),), goals)
    yield Scene("tcp-resetting", (words + ("--tcp-reset", "7"),), goals)
    # TCP that is refused says nothing about UDP.
    refusing = loss(20) + ("--tcp-reset", "0")
    # Nothing comes through over UDP: after some questions they go over TCP at once.
    yield Scene(
        "tcp-alone",
        (("--loss", "100"),),
        (resolved(98, 90), Goal("p95", "<=", 60, 200), Goal("down", "=", 0), RIGHT),
        settle=5,
        short=8,
    )
    yield Scene("tcp-refusing", (refusing,), (resolved(98, 97), Goal("down", "=", 0), RIGHT))
    for how in ("killed", "stopped", "silent"):
        yield Fault(
            "tcp-" + how,
            how,
            goals,
            upstreams=(words, words),
            rate=200,
            is_heavy=False,
        )


def when_dead():
    # Who is killed refuses, which ends a question at once; the others are waited for, a second.
    for how, told in (("killed", (100, 150)), ("stopped", (1100, 1300)), ("silent", (1100, 1300))):
        yield Dead(
            "dead-" + how,
            how,
            (
                Goal("told", "<=", *told),
                Goal("stale", "=", 100),
                Goal("stale_p95", "<=", 5, 20),
                Goal("back", "<=", 0.5, 0.8),
                resolved(),
                # Each of both is down and back, none is left, and upstreams reply again.
                Goal("lines", "<=", 6),
                RIGHT,
            ),
        )


def with_broken_names():
    for percent, rate in ((10, 180), (95, 20)):
        for lost in (0, 20):
            words = loss(lost) if lost else FAST
            yield Broken(
                "broken-%d%s" % (percent, "-loss-%d" % lost if lost else ""),
                (words,),
                (resolved(100, 99.0), Goal("p90_times", "<=", 1.5, 4), Goal("down", "=", 0), RIGHT),
                percent,
                rate=rate,
                short=6,
                baseline=(words,),
            )


def with_pairs():
    """Two faults at a time, as "tests/sim/sim -p" plays them with a clock of its own."""

    def failing(rcode):
        return ("--rcode", rcode)

    cut = ("--truncate", "100")
    pairs = {
        "servfail-slow": ((failing("SERVFAIL"), ("--delay", "600")), Goal("p99", "<=", 1400, 1600)),
        "refused-loss": ((failing("REFUSED"), loss(20)), Goal("p95", "<=", 250, 500)),
        "formerr-slow": ((failing("FORMERR"), ("--delay", "300")), Goal("p99", "<=", 800, 1000)),
        "refused-tcp": ((failing("REFUSED"), cut), Goal("p99", "<=", 50, 200)),
        "tc-slow": (
            (cut + ("--delay", "1200", "--delay-tcp"),),
            Goal("p99", "<=", 2600, 3000),
        ),
        "aaaa-slow": (
            (("--delay", "900", "--delay-type", "AAAA"),) * 2,
            Goal("p99", "<=", 1000, 1200),
        ),
        "aaaa-silent": (
            (("--broken", "100", "--broken-type", "AAAA"), FAST),
            Goal("p95", "<=", 60, 200),
        ),
    }
    kinds = ("aaaa", "a", "dual")
    for name, (upstreams, goal) in pairs.items():
        yield Scene("pair-" + name, upstreams, (resolved(), goal, RIGHT), kinds=kinds)
    yield Unoptioned(
        "pair-options-tcp",
        (FAST + ("--tcp-reset", "0"),),
        (resolved(), QUICK, RIGHT),
        kinds=kinds,
        settle=2,
    )


def all_scenes():
    plain = (resolved(), Goal("sends", "<=", 1.02), RIGHT)
    yield Scene("healthy", (FAST,), plain, rate=500)
    # Answers come out of order, some twice, and hedging has its reasons and its limit.
    messy = FAST + ("--jitter", "9", "--reorder", "5", "--reorder-delay", "50", "--duplicate", "20")
    goals = (resolved(), Goal("sends", "<=", 1.07, 1.12), RIGHT)
    yield Scene("healthy-two", (messy, messy), goals, rate=500)
    yield from at_loss()
    yield from at_distance()
    yield from beside()
    yield from at_fault()
    yield from over_tcp()
    yield from when_dead()
    yield from with_broken_names()
    yield from with_pairs()
    for how in ("killed", "stopped", "silent"):
        yield Flapping("flapping-" + how, how, (resolved(99.9, 99.0), RIGHT))


SCENES = {scene.name: scene for scene in all_scenes()}
