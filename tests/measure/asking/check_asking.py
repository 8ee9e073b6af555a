#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""check_asking: how questions are made, their answers judged and their figures found."""

import os
import struct
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import asker  # noqa: E402
import figures  # noqa: E402
import scenes  # noqa: E402
from asker import NATIVE, SYNTHESIZED, Question  # noqa: E402


def answered(took, outcome="resolved", kind="a"):
    question = Question(0.0, kind, 1)
    question.took, question.outcome = took, outcome
    return question


def reply(question, addresses, bits=0x8180, octets=None):
    message = question.message(7)
    head = struct.pack("!6H", 7, bits, 1, len(addresses), 0, 0)
    records = b"".join(b"\xc0\x0c" + struct.pack("!HHIH", 28, 1, 60, len(a)) + a for a in addresses)
    return head + (octets or message[12:]) + records


class Answers(unittest.TestCase):
    def setUp(self):
        self.only_a, self.dual = Question(0, "a", 0x010203), Question(0, "dual", 0x010203)
        self.address = b"\x0a\x01\x02\x03"

    def outcome(self, question, *addresses, **more):
        return asker.outcome_of(question, reply(question, addresses, **more))

    def test_a_name_spells_its_kind_and_number(self):
        self.assertIn(b"\x14both-010-001-002-003\x09dns64perf\x04test\x00", self.dual.message(1))

    def test_the_right_address_resolves(self):
        self.assertEqual(self.outcome(self.only_a, SYNTHESIZED + self.address), "resolved")
        self.assertEqual(self.outcome(self.dual, NATIVE + self.address), "resolved")

    def test_a_synthesized_address_is_wrong_where_there_is_a_native_one(self):
        self.assertEqual(self.outcome(self.dual, SYNTHESIZED + self.address), "wrong")
        self.assertEqual(self.outcome(self.only_a, NATIVE + self.address), "wrong")

    def test_failures_have_their_name(self):
        self.assertEqual(self.outcome(self.dual), "nodata")
        self.assertEqual(self.outcome(self.dual, bits=0x8182), "rcode2")

    def test_what_is_no_reply_to_it_is_ignored(self):
        self.assertIsNone(self.outcome(self.dual, bits=0x0100))
        other = Question(0, "dual", 5).message(7)[12:]
        self.assertIsNone(self.outcome(self.dual, octets=other))
        self.assertIsNone(
            asker.outcome_of(self.dual, reply(self.dual, [NATIVE + self.address])[:-3])
        )
        self.assertIsNone(asker.outcome_of(self.dual, b"\0"))


class Figures(unittest.TestCase):
    def test_percentiles_are_of_the_nearest_rank(self):
        values = list(range(1, 101))
        self.assertEqual([figures.percentile(values, p) for p in (50, 99, 100)], [50, 99, 100])
        self.assertEqual(figures.percentile([3], 1), 3)
        self.assertIsNone(figures.percentile([], 50))

    def test_what_is_not_resolved_takes_as_long_as_a_client_waits(self):
        found = figures.times([answered(0.002), answered(0.001, "rcode2")])
        self.assertEqual((found["p50"], found["max"]), (2, 10000))

    def test_shares_and_lookups(self):
        questions = [answered(1), answered(1, "lost"), answered(1, kind="aaaa"), answered(1)]
        self.assertEqual(figures.share(questions), 75)
        self.assertEqual(figures.lookups(questions), 7)
        self.assertEqual(figures.outcomes(questions), {"lost": 1})

    def test_probes_alone_are_no_return(self):
        samples = [(0.0, 10), (0.1, 30), (1.0, 30), (1.1, 31), (1.2, 33), (1.3, 50)]
        self.assertAlmostEqual(figures.returned(samples, 0.9), 0.4)
        self.assertIsNone(figures.returned(samples[:-1], 0.9))

    def test_shares_are_of_each_second(self):
        samples = [(0.0, [0, 0]), (1.0, [10, 30]), (2.0, [10, 50]), (3.0, [20, 50])]
        self.assertEqual(figures.shares(samples, 0, 3), [25, 0, 100])
        self.assertEqual(figures.shares(samples[:1], 0, 1), [0])

    def test_numbers_are_short_and_say_when_something_lacks(self):
        told = [figures.number(value) for value in (None, 3.0, 1.23456, 99.9984, 55.5555, 1603.2)]
        self.assertEqual(told, ["-", "3", "1.235", "99.998", "55.56", "1603"])

    def test_a_goal_without_its_figure_is_not_met(self):
        goal = figures.Goal("p95", "<=", 60, 120)
        self.assertTrue(goal.is_met({"p95": 60}, False))
        self.assertFalse(goal.is_met({"p95": 61}, False))
        self.assertTrue(goal.is_met({"p95": 61}, True))
        self.assertFalse(goal.is_met({}, True))
        self.assertFalse(goal.is_met({"p95": None}, True))


class Stage:
    """Of a scene that nobody plays."""

    def __init__(self, packets):
        self.samples = [(at / 10, [packets * at, packets * at]) for at in range(200)]
        self.upstreams, self.log, self.baseline = [None, None], [], {"p90": 1.0, "p95": 1.0}


class Scenes(unittest.TestCase):
    def test_questions_are_in_order_and_new(self):
        for scene in scenes.SCENES.values():
            questions = scene.questions(scenes.Numbers(), scene.short)
            times = [q.at for q in questions]
            self.assertEqual(times, sorted(times), scene.name)
            numbers = [q.number for q in questions if q.group != "stale"]
            self.assertEqual(len(set(numbers)), len(numbers), scene.name)

    def test_every_goal_has_its_figure(self):
        for scene in scenes.SCENES.values():
            questions = scene.questions(scenes.Numbers(), scene.short)
            for q in questions:
                q.sent, q.took, q.outcome = q.at, 0.001, "resolved"
            found = scene.find(questions, Stage(10), scene.short)
            for goal in scene.goals:
                self.assertIsNotNone(found.get(goal.figure), "%s: %s" % (scene.name, goal.figure))

    def test_sends_are_those_of_the_lookups_meanwhile(self):
        scene = scenes.SCENES["healthy"]
        questions = scene.questions(scenes.Numbers(), 4)
        lookups = 1.5 * scene.rate
        self.assertAlmostEqual(scene.sends(questions, Stage(lookups / 20).samples, 4), 1, places=2)


if __name__ == "__main__":
    unittest.main()
