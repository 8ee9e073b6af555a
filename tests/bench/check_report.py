#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""check_report: dns64bench-report, from files of runs that are made here: what is refused, figures
and their comparison, text, charts and the script for gnuplot (and gnuplot, where it is there), the
page, histograms, one trial on several machines."""

import base64
import csv
import importlib.machinery
import importlib.util
import io
import json
import math
import os
import random
import re
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

sys.dont_write_bytecode = True
TOP = os.environ.get("TOP_SRCDIR") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
PROGRAM = os.path.join(TOP, "src/bench/dns64bench-report")
LOADER = importlib.machinery.SourceFileLoader("report", PROGRAM)
report = importlib.util.module_from_spec(importlib.util.spec_from_loader("report", LOADER))
LOADER.exec_module(report)

EVIL = "<script>alert('1')</script>&\""
SLOW, FAST = (1000, 1010, 990, 1005, 1002, 996), (1071, 1080, 1062, 1074, 1075, 1066)
DRAWN = shutil.which("gnuplot") is not None


def column(name, unit="", title=None, decimals=0):
    return {"name": name, "title": name if title is None else title, "unit": unit, "decimals": decimals}


def table(name, columns, rows, title="", **more):
    """COLUMNS is a list, or "name unit,name unit", whose titles are the names in brackets."""
    if isinstance(columns, str):
        pairs = [part.split(" ", 1) for part in columns.split(",")]
        columns = [column(part[0], part[1], f"[{part[0]}]") for part in pairs]
    return {"name": name, "title": title, "columns": columns, "rows": rows, **more}


def finding(name, value, unit=""):
    return {"name": name, "value": value, "unit": unit}


def tree(method="rate", findings=(), tables=(), settings=None, **more):
    machine = {"cpu": "c", "cpus": 2, "memory": "m", "kernel": "k", "os": "o"}
    return {"program": "dns64bench", "version": "1", "method": method, "date": "2026-01-02T03:04:05Z",
            "command": "dns64bench " + method, "machine": machine, "settings": settings or {},
            "findings": list(findings), "tables": list(tables), "complete": True, "failed": [], **more}


def search(rates, timeout=1, **more):
    """A search that found these rates."""
    columns = [column("repetition"), column("rate_passed", "1/s")]
    settings = {"timeout_s": timeout, "zone": "dns64perf.test", "restart": f"{'0' * 120}{timeout}"}
    rows = [[i, round(rate)] for i, rate in enumerate(rates, 1)]
    return tree("search", tables=[table("searches", columns, rows)], settings=settings, **more)


def spoilt_search(rates, places):
    """The same, of which the tester spoilt those at PLACES."""
    made = search(rates)
    made["tables"][0]["columns"].append(column("limit"))
    for i, row in enumerate(made["tables"][0]["rows"]):
        row.append("tester" if i in places else "server")
    return made


def rate(value, method="rate", unit="1/s", **more):
    return tree(method, [finding("valid per second", value, unit)], **more)


def run_of(made, name="", path=""):
    return report.Run(report.parse(json.dumps(made).encode(), "run"), name, path)


def charts(columns, rows, **more):
    return report.Charts(report.Table(table("t", columns, rows, **more)))


def column_of(made, name):
    """The values of the column NAME of a table."""
    return [row[made.index[name]] for row in made.rows]


class Scratch(unittest.TestCase):
    """A test with a directory of its own."""

    def setUp(self):
        self.dir = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.dir)

    def file(self, name, content):
        path = os.path.join(self.dir, name)
        if not isinstance(content, (str, bytes)):
            content = json.dumps(content)
        with open(path, "wb") as f:
            f.write(content.encode() if isinstance(content, str) else content)
        return path

    def program(self, body):
        path = self.file("program", body)
        os.chmod(path, stat.S_IRWXU)
        return path

    def call(self, *words, **env):
        """Exit code, output and errors of the program."""
        done = subprocess.run([sys.executable, PROGRAM, *words], capture_output=True, check=False,
                              env={**os.environ, **env}, cwd=self.dir)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def refused(self, *words, code=2):
        status, _, said = self.call(*words)
        self.assertEqual(status, code, said)
        self.assertNotIn("Traceback", said)
        return said


# --- Files ---------------------------------------------------------------------------------------


class Files(Scratch):
    def test_what_is_no_run_is_named_with_its_fault(self):
        good = json.dumps(rate(1), indent=2)
        for content, why in (
            ("{ \"program\": \"other\" }", "not a run of dns64bench"),
            ("[1]", "not a run of dns64bench"),
            ("", ":1: the file is cut short"),
            (good[:-1], "the file is cut short"),
            (good[: len(good) // 2], "the file is cut short"),
            ("<!DOCTYPE html>\n", ":1: "),
            ("{\n]", ":2: "),
            (b"{\"program\": \"\xff\"}", "'utf-8' codec"),
            ("[" * 100000, "recursion"),
            (good.replace('"rate"', '1e999'), "out of range"),
            (good.replace('"rate"', "NaN"), "NaN is out of range"),
            (good.replace("{", '{"method": "x", ', 1), "a key twice"),
            (json.dumps(rate(1, schema=2)), "its schema is 2, and that of this program 1"),
            (json.dumps(rate(1, schema="x")), "its schema is x"),
            (json.dumps(rate(1, complete=1)), "complete is missing, or of the wrong type"),
            (json.dumps(rate(1, failed=[1])), "failed 1 is missing, or of"),
            (json.dumps(rate([1])), "findings 1: value is missing, or of"),
            (json.dumps(tree(tables=[table("t", "n ", [[1, 2]])])), 'row 1 of table "t"'),
            (json.dumps(tree(tables=[table("t", [], [])])), "has no columns"),
            (json.dumps(tree(tables=[table("t", [{"name": "n"}], [])])), "tables 1: columns 1: title is missing, or of"),
            (json.dumps(tree(histograms=[{"name": "rtt", "unit": "ns", "buckets": [[2, 3, 1], [3, 4, 1]]}])),
             "not low, high, count in order"),
        ):  # fmt: skip
            path = self.file("bad.json", content)
            with self.subTest(why):
                said = self.refused("table", path)
                self.assertIn(path, said)
                self.assertIn(why, said)

    def test_files_of_before_have_no_schema(self):
        for made in (rate(1), rate(1, schema=1)):
            self.assertEqual(self.call("table", self.file("good.json", made))[0], 0)

    def test_a_file_that_is_not_there_is_named(self):
        self.assertIn("/nowhere.json: No such file", self.refused("page", "-o", "x.html", "/nowhere.json"))

    def test_a_full_disk_is_an_error(self):
        path = self.file("a.json", rate(1))
        self.assertIn("/dev/full: No space", self.refused("page", "-o", "/dev/full", path, code=1))

    def test_a_bad_file_leaves_no_page(self):
        self.refused("page", "-o", "x.html", self.file("a.json", rate(1)), self.file("b.json", "{"))
        self.assertFalse(os.path.exists(os.path.join(self.dir, "x.html")))

    def test_damaged_runs_give_results_or_a_message(self):
        """One octet is changed: never anything else."""
        odd, whole = b'"{}[]:,0-xn', json.dumps(evil_run(2)).encode()
        made = 0
        for i in range(len(whole)):
            octets = whole[:i] + odd[i % len(odd) :][:1] + whole[i + 1 :]
            try:
                run = report.Run(report.parse(octets, "x"), "x", "x")
            except report.Refused:
                continue
            made += 1
            report.text_run(run, run.tables)
            page = page_of([run])
            self.assertIn("</html>", page)
            self.assertNotIn("<script", page)
        self.assertGreater(made, 100)


# --- Statistics ----------------------------------------------------------------------------------


def normal_pairs(drawn, ratio, rounds, spread=0.03):
    """Rounds that do something to both of a pair, and each of it varies by itself."""
    pairs = []
    for _ in range(rounds):
        both = 35000 * (1 + 0.05 * drawn.gauss(0, 1))
        a, b = (both * (1 + spread * drawn.gauss(0, 1)) for _ in range(2))
        pairs.append((a, b * ratio))
    return pairs


class Statistics(unittest.TestCase):
    def test_the_mean_of_ratios_is_the_geometric_one(self):
        r = report.ratio_of([(100, 50), (30, 60)])
        self.assertAlmostEqual(r.value, 1)
        self.assertAlmostEqual(report.ratio_of([(1, 2), (10, 80)]).value, 4)
        self.assertEqual((r.n, r.low, report.differ(r)), (2, None, False))
        self.assertEqual(report.ratio_of([])[:4], (0, 0, None, None))

    def test_few_pairs_have_no_interval(self):
        pairs = [(10, 20), (10, 21), (10, 19), (10, 20), (10, 20.5)]
        self.assertIsNone(report.ratio_of(pairs[:4]).low)
        r = report.ratio_of(pairs)
        self.assertTrue(report.differ(r))
        self.assertTrue(r.low < r.value < r.high)

    def test_what_a_round_does_to_both_is_no_difference(self):
        for n in (8, 12):
            pairs = [(1000 * i, 900 * i) for i in range(1, n + 1)]
            r = report.ratio_of(pairs)
            self.assertTrue(report.differ(r))
            self.assertAlmostEqual(r.low, 0.9)
            self.assertAlmostEqual(r.high, 0.9)
            r = report.ratio_of([(a, a) for a, _ in pairs])
            self.assertFalse(report.differ(r))
            self.assertEqual((r.low, r.high), (1, 1))

    def test_the_other_way_around_it_is_the_inverse(self):
        for rounds in (7, 12):
            pairs = normal_pairs(random.Random(4), 1.05, rounds)
            r, t = report.ratio_of(pairs), report.ratio_of([(b, a) for a, b in pairs])
            self.assertAlmostEqual(t.value, 1 / r.value)
            self.assertAlmostEqual(t.low, 1 / r.high)

    def test_student_t_is_that_of_tables(self):
        for freedom, t in ((4, 2.776), (5, 2.571), (6, 2.447), (7, 2.365), (8, 2.306), (60, 2.000), (100, 1.984),
                           (10000, 1.960)):
            self.assertAlmostEqual(report.student_t(freedom), t, delta=6e-4)

    def test_the_interval_of_five_rounds_is_by_student(self):
        logs = [0.01, 0.02, 0.03, 0.04, 0.05]
        r = report.ratio_of([(1, math.exp(v)) for v in logs])
        margin = 2.7764 * 0.0158114 / math.sqrt(5)
        self.assertAlmostEqual(r.low, math.exp(0.03 - margin), places=5)
        self.assertAlmostEqual(r.high, math.exp(0.03 + margin), places=5)

    def test_the_interval_of_ranks_is_where_the_test_finds_nothing(self):
        """Wilcoxon's table: of 10 differences a sum of ranks of 8 is the last one at 5 %, of 20 it is 52."""
        for n, last in ((10, 8), (20, 52)):
            logs = [2.0**-i for i in range(n)]
            means = sorted((a + b) / 2 for i, a in enumerate(logs) for b in logs[i:])
            self.assertEqual(report.rank_interval(logs)[1:], (means[last], means[-1 - last]))

    def test_orders_are_counted_over_all_signs(self):
        self.assertEqual(report.rank_orders(3), [1, 1, 1, 2, 1, 1, 1])
        self.assertEqual(sum(report.rank_orders(12)), 2**12)

    def test_one_wild_round_moves_little(self):
        pairs = [(100, 100 + i) for i in range(11)] + [(1, 97138)]
        r = report.ratio_of(pairs)
        self.assertTrue(1 < r.low < r.value < r.high < 1.2)
        r = report.ratio_of(pairs[-6:])  # Student's t would say 0.1 to 8e5
        self.assertIsNone(r.low)
        self.assertGreater(r.most, 9e4)

    def test_the_interval_covers_what_it_says(self):
        """19 of 20 have the truth in them: of 1000 equal pairs 37 to 63 look different, unless one is
        unlucky once in twenty times; by ranks it is rather fewer."""
        for rounds in (5, 9, 12):
            drawn = random.Random(rounds)
            n = sum(report.differ(report.ratio_of(normal_pairs(drawn, 1, rounds))) for _ in range(1000))
            self.assertTrue(30 <= n <= 63, f"{rounds} rounds: {n} of 1000")

    def test_five_percent_are_found(self):
        drawn = random.Random(1)
        n = sum(report.differ(report.ratio_of(normal_pairs(drawn, 0.95, 12))) for _ in range(200))
        self.assertGreaterEqual(n, 180)

    def test_percentiles_need_as_many_values(self):
        for n, percent in ((100, 99), (1000, 99.9), (10, 90), (1, 0), (1, 100), (1, 50)):
            self.assertTrue(report.carries(n, percent))
            self.assertFalse(report.carries(n - 1, percent))


# --- Figures -------------------------------------------------------------------------------------

FIGURES = {figure.name: figure for figure in report.FIGURES}


class Figures(unittest.TestCase):
    def check(self, run, values):
        found = report.observations(run)
        for (name, i), value in values.items():
            self.assertEqual(report.values_of(run, found, FIGURES[name])[i], value, f"{name} {i}")

    def fit(self, run, other):
        return [what for what, _ in report.observations(run)] == [what for what, _ in report.observations(other)]

    def test_a_search_has_its_repetitions(self):
        """The trial that passed at the rate of its repetition has the other figures, no other."""
        columns = "repetition ,rate ,verdict ,rtt_p50 ,rtt_p99 ,server_cpu_per_answer "
        trials = [[0, 200, "passed", 1, 1, None], [1, 100, "passed", 2, 2, 2],
                  [1, 200, "passed", 30, 40, 5.5], [1, 300, "failed", 9, 9, 9],
                  [2, 300, "tester", 8, 8, 8], [2, 300, "passed", 31, None, 5.6],
                  [2, 300, "cached", 6, 6, 6], [2, 400, "failed", 7, 7, 7]]
        run = run_of(tree("search", [finding("highest rate", 7, "1/s")], [
            table("searches", "repetition ,rate_passed 1/s", [[1, 200], [2, 300], [3, 0]]),
            table("trials", columns, trials)]))
        self.assertEqual(len(report.observations(run)), 3)
        self.check(run, {
            ("rate", 0): 200, ("rate", 1): 300, ("rate", 2): None, ("rtt-median", 0): 30, ("rtt-median", 1): 31,
            ("rtt-p99", 0): 40, ("rtt-p99", 1): None, ("cpu", 1): 5.6, ("memory", 0): None})

    def test_a_search_that_the_tester_spoilt_has_no_figures(self):
        run = run_of(tree("search", tables=[
            table("searches", "repetition ,rate_passed 1/s,limit ", [[1, 9, "server"], [2, 5, "tester"], [3, 9, "high"]]),
            table("trials", "repetition ,verdict ,rtt_p50 ", [[1, "passed", 20], [2, "passed", 1], [3, "passed", 21]])]))
        found = report.observations(run)
        self.assertEqual(report.values_of(run, found, FIGURES["rate"]), [9, None, 9])
        self.assertEqual(report.values_of(run, found, FIGURES["rtt-median"]), [20, None, 21])
        self.assertEqual([figures.get("bound") for _, figures in found], [False, None, True])

    def test_cells_are_told_apart(self):
        def cells(hits):
            return run_of(tree("matrix", tables=[
                table("searches", "hits ,repetition ,rate_passed ", [[hits, 1, 200], [50, 1, 200]]),
                table("trials", "hits ,repetition ,verdict ,rtt_p50 ",
                      [[0, 1, "passed", 10], [0, 1, "passed", 11], [0, 1, "failed", 12], [50, 1, "passed", 20]])]))

        self.check(cells(0), {("rtt-median", 0): 11, ("rtt-median", 1): 20})
        self.assertTrue(self.fit(cells(0), cells(0)))
        self.assertFalse(self.fit(cells(0), cells(20)))

    def test_a_sweep_has_its_trials(self):
        """In any order: by rate, then by repetition. Its rate is no figure."""
        def sweep(second):
            return run_of(tree("sweep", settings={"rates": f"100,{second}"}, tables=[
                table("trials", "repetition ,rate ,verdict ,rtt_p50 ",
                      [[1, 200, "passed", 21], [1, 100, "passed", 11], [2, 100, "failed", 12],
                       [2, 200, "tester", 9], [2, 200, "cached", 8]])]))

        self.assertEqual(len(report.observations(sweep(200))), 4)
        self.check(sweep(200), {("rtt-median", 0): 11, ("rtt-median", 1): 12, ("rtt-median", 2): 21,
                                ("rtt-median", 3): None, ("rate", 0): None})
        self.assertFalse(self.fit(sweep(200), sweep(300)))

    def test_a_rate_has_findings(self):
        run = run_of(tree(findings=[
            finding("sent", 9), finding("valid per second", 1000.5, "1/s"), finding("rtt median", 25, "us"),
            finding("rtt p99", "no", "us"), finding("server RSS", 12, "MiB"), finding("at least", "x")]))
        self.check(run, {("rate", 0): 1000.5, ("rtt-median", 0): 25, ("rtt-p99", 0): None, ("cpu", 0): None,
                         ("memory", 0): 12})
        self.assertEqual([(what, figures["bound"]) for what, figures in report.observations(run)], [((), True)])

    def test_clients_have_their_best_step(self):
        """Of steps the one with the highest rate; of experiments the table of RTTs."""
        run = run_of(tree("closed", [finding("highest rate", 70, "1/s")], [
            table("steps", "clients ,rate 1/s,rtt_p50 us", [[1, 50, 3], [2, 70, 4], [4, 60, 5]]),
            table("rtt", "percentile ,rtt us", [[50.0, 6], [99, 8], [99.9, 9]])]))
        self.check(run, {("rate", 0): 70, ("rtt-median", 0): 4, ("rtt-p99", 0): 8})
        self.assertEqual(report.value_at(run, report.RTT, 99.9), 9)
        self.assertIsNone(report.value_at(run, report.RTT, 99.99))
        self.assertEqual(report.value_at(run, ("steps", "clients", "rate"), 2), 70)
        self.assertIsNone(report.value_at(run, ("steps", "clients", "time"), 2))

    def test_the_memory_of_a_process_is_one_observation(self):
        def run(**settings):
            return run_of(tree("search", settings=settings, tables=[
                table("searches", "repetition ,rate_passed 1/s", [[1, 9], [2, 9]]),
                table("trials", "repetition ,rate ,verdict ,server_rss ",
                      [[1, 9, "passed", 12.5], [2, 9, "passed", 13.5]])]))

        for settings, values in (({}, [13.5, None]), ({"restart": "none"}, [13.5, None]), ({"restart": "x"}, [12.5, 13.5])):
            made = run(**settings)
            self.assertEqual(report.values_of(made, report.observations(made), FIGURES["memory"]), values)


# --- Tables that are made ------------------------------------------------------------------------


def matrix(hits, aaaa):
    """Of the searches in four cells one each did not count, and one has not ended all of its own."""
    rows = [[0, 0, 1, 400, "server"], [0, 0, 2, 300, "tester"], [0, 0, 3, 500, "server"],
            [50, 0, 1, 300, "server"], [50, 0, 2, 310, "server"],
            [0, 50, 1, 410, "high"], [0, 50, 2, 410, "high"], [0, 50, 3, 200, "server"]]
    return tree("matrix", settings={"hits_percent": hits, "aaaa_percent": aaaa, "repetitions": 3}, tables=[
        table("searches", "hits ,aaaa ,repetition ,rate_passed ,limit ", rows),
        table("trials", "repetition ,rate ,verdict ", [[1, 400, "passed"]])])


class Made(unittest.TestCase):
    def test_tables_are_those_that_dns64bench_made(self):
        """Runs of a version that had these tables: what is made of their trials is the same."""
        with open(os.path.join(TOP, "tests/data/bench-runs.json"), encoding="utf-8") as f:
            runs = json.load(f)
        compared = []
        for one in runs:
            run = run_of(one)
            for was in map(report.Table, one["tables"]):
                if was.name not in report.MADE[run.method][0]:
                    continue
                made = run.table(was.name)
                shown = [i for i, c in enumerate(made.columns) if not c.name.endswith("_bound")]
                self.assertEqual([made.columns[i] for i in shown], was.columns)
                self.assertEqual((made.title, made.axis, made.mark, len(made.rows)),
                                 (was.title, was.axis, was.mark, len(was.rows)))
                for row, before in zip(made.rows, was.rows):
                    for i, value in zip(shown, before):
                        self.assertAlmostEqual(row[i], value, 6, f"{was.name}: {made.columns[i].name}")
                compared.append(was.name)
        self.assertEqual(compared, ["sweep", "spread", "rates", "matrix"])

    def test_tables_of_before_are_not_read(self):
        trials = table("trials", "repetition ,rate ,verdict ,sent ,valid ", [[1, 100, "passed", 5, 5]])
        for tables, names in (([trials], ["sweep", "spread", "trials"]), ([], [])):
            run = run_of(tree("sweep", tables=[table("sweep", "rate ", [[7]]), *tables], settings={"rates": "100"}))
            self.assertEqual([t.name for t in run.tables], names)
        self.assertEqual(run_of(tree("compare", tables=[table("sweep", "rate ", [[7]])])).tables[0].rows, [[7]])

    def test_only_trials_of_the_server_with_a_verdict_count(self):
        columns = "repetition ,rate ,verdict ,sent ,valid ,rtt_p50 ,rtt_p99 ,server_cpu "
        rows = [[0, 200, "passed", 9, 9, 1, 1, None], [1, 200, "failed", 100, 50, 10, 30, 4],
                [2, 200, "passed", 300, 300, 20, None, 6], [2, 200, "tester", 9, 1, 99, 99, 99],
                [2, 100, "cached", 9, 9, 9, 9, 9], [1, 50, "passed", 0, 0, None, None, None]]
        for method, name, settings, wanted in (
            ("search", "rates", {}, [[50, None, None, None, None, None, None, None],
                                     [200, 87.5, 15, 30, 5, None, None, math.sqrt(2)]]),
            ("sweep", "sweep", {"rates": "50,100,200"}, [
                [50, 1, None, *[None] * 3, *[None] * 3, None], [100, 0, None, *[None] * 3, *[None] * 3, None],
                [200, 2, 75, 15, 10, 20, 30, 30, 30, 5]]),
        ):  # fmt: skip
            made = run_of(tree(method, settings=settings, tables=[table("trials", columns, rows)])).table(name)
            self.assertEqual(made.rows, wanted)

    def test_percentiles_need_a_procedure_of_the_rfc(self):
        names = [c.name for c in run_of(matrix("0,50", "0")).table("matrix").columns]
        self.assertEqual(names, ["hits", "rate_aaaa0_median", "rate_aaaa0_min", "rate_aaaa0_max"])
        made = matrix("0", "0")
        for repetitions, duration, end in ((20, 60, "p1"), (19, 60, "min"), (20, 59.5, "min")):
            made["settings"].update(repetitions=repetitions, duration_s=duration)
            self.assertEqual(run_of(made).table("matrix").columns[2].name, f"rate_aaaa0_{end}")

    def test_a_matrix_has_its_longer_list_down(self):
        """A cell without all of its searches has no rate; what the tester spoilt is no rate of it."""
        t = run_of(matrix("0,50", "0,50")).table("matrix")
        self.assertEqual(t.rows, [[0, 450, 400, 500, 410, 200, 410, "high"], [50, *[None] * 7]])
        t = run_of(matrix("0", "0,50,100")).table("matrix")
        self.assertEqual((t.columns[0].title, t.columns[1].title), ("AAAA", "hits 0 %"))
        self.assertEqual([row[:2] for row in t.rows], [[0, 450], [50, 410], [100, None]])

    def test_ranks_are_those_of_the_rfc(self):
        for n, percent, rank in ((1, 25, 1), (4, 25, 1), (5, 25, 2), (4, 75, 3), (100, 1, 1), (101, 1, 2), (99, 99, 99)):
            self.assertEqual(report.nearest_rank(list(range(1, n + 1)), percent), rank)


# --- Comparison ----------------------------------------------------------------------------------


class Compare(Scratch):
    def compare(self, *words, bounds=()):
        self.result = report.compare(words, [report.limit_of(b) for b in bounds])
        return self.result

    def found(self, name):
        f = self.result.finding(name)
        return f["value"] if f else ""

    def files(self, a, b):
        return self.file("a.json", a), self.file("b.json", b)

    def test_a_faster_run_is_told_with_its_interval(self):
        a, b = self.files(search(SLOW), search(FAST))
        run = self.compare(f"A={a}", f"B={b}")
        self.assertIn("B is 7.1 % above A (95 % interval 6.", self.found("rate"))
        self.assertEqual(run.settings["settings"], "the same in all of them")
        self.assertIn("not measured in turn", self.found("note"))
        self.assertEqual(run.end(), "good")
        self.compare(f"B={b}", f"A={a}")
        self.assertIn("A is 6.6 % below B (95 % interval 6.", self.found("rate"))
        report.check(self.result.tree)

    def test_a_rate_that_is_a_lower_bound_is_told(self):
        why = "--high passed in 1 of 1 searches"
        a, b = self.files(tree(findings=[finding("valid per second", 1000.0, "1/s"), finding("at least", why)]),
                          rate(500))
        run = self.compare(a, b)
        self.assertEqual(self.found("at least"), f"{a}: {why}: its server may do more")
        self.assertEqual(column_of(run.table("figures"), "bounds"), [1, None])
        self.assertEqual(self.found("rate"),
                         "ratio 0.500, but the rate of a is only the highest tried: the server may do more")
        self.compare(a, a)
        self.assertIn("but the rates are only the highest tried", self.found("rate"))

    def test_the_same_run_shows_no_difference(self):
        a = self.file("a.json", search(SLOW))
        self.compare(a, a)
        self.assertEqual(self.found("rate"), "no difference seen: ratio 1.000 (95 % interval 1.000 to 1.000)")

    def test_a_difference_of_nothing_is_none(self):
        rates = [1000000 * i for i in range(1, 7)]
        a, b = self.files(search(rates), search([r * 0.9999 for r in rates]))
        self.compare(a, b)
        self.assertEqual(self.found("rate"), "no difference seen that counts: ratio 0.99990")

    def test_few_repetitions_have_no_interval(self):
        a, b = self.files(search(SLOW[:4]), search(FAST))
        self.compare(a, b)
        self.assertRegex(self.found("rate"),
                         r"^ratio 1\.07. in 4 rounds, which are from 1\.06. to 1\.07.: too few rounds for an interval$")

    def test_rounds_that_differ_too_much_have_no_interval(self):
        a, b = self.files(search([1000] * 6), search([900, 950, 1, 97138532, 1000, 900]))
        self.compare(a, b)
        self.assertIn("they differ too much for an interval", self.found("rate"))

    def test_settings_that_differ_are_told(self):
        a, b = self.files(search(SLOW), search(FAST, 2.5))
        settings = self.compare(a, b).settings
        self.assertEqual(settings["settings.timeout_s"], "a: 1; b: 2.5")
        self.assertIn("settings.restart", settings)
        self.assertNotIn("settings.zone", settings)
        self.assertNotIn("settings", settings)

    def test_files_are_rounds(self):
        """One that is missing has its partner left out."""
        a, b = self.files(search(SLOW), search(FAST))
        self.compare(f"A=,{a}", b)  # the second file of the one, the first of the other
        self.assertIn("have no round in common", self.found("rate"))
        run = self.compare(f"A={a},,{a}", b)
        self.assertIn("A: 3 files from ", run.settings["run 1"])
        self.assertEqual(self.found("note"), "")
        self.assertIn(" 7.1 % above A", self.found("rate"))

    def test_rounds_of_other_settings_do_not_belong_together(self):
        a, b = self.files(search(SLOW), search(SLOW, 2))
        said = self.refused("compare", f"A={a},{b}", b)
        self.assertIn(f"{a} and {b} do not belong together: timeout_s is 1 and 2; restart is ", said)
        rounds = [tree(findings=[finding("valid per second", 1, "1/s")], settings={"first": i, "pid": str(i)})
                  for i in (1, 2)]
        a, b = self.files(*rounds)
        self.assertEqual(self.compare(f"A={a},{b}").settings["settings.first"], "A: 1 or 2")
        c, d = self.files(*[{**rounds[0], "settings": {"first": i, "pid": "1"}} for i in (3, 4)])
        a, b = (self.file(f"{i}.json", made) for i, made in enumerate(rounds))
        self.assertEqual(self.compare(f"A={a},{b},{c},{d}").settings["settings.first"], "A: changing")

    def test_a_list_alone_is_told(self):
        a = self.file("a.json", search(SLOW))
        figures = self.compare(f"A={a},").table("figures")
        self.assertEqual([column_of(figures, name) for name in ("median", "ratio")], [[1001], [None]])
        self.assertEqual(self.found("rate"), "")

    def test_curves_are_overlaid(self):
        """At the points that both have."""
        columns = [column("percentile", "%", decimals=3), column("rtt", "us", "RTT", 1)]
        made = [tree(findings=[finding("valid per second", 1, "1/s")],
                     tables=[table("rtt", columns, [[50.0, 20.0 + i], [99.0 if i == 0 else 99.9, 30.0]])])
                for i in range(2)]
        t = self.compare(*self.files(*made)).table("rtt")
        self.assertEqual(t.rows, [[50.0, 20.0, 21.0], [99.0, 30.0, None]])
        self.assertEqual((t.columns[2].name, t.columns[2].title, t.columns[2].unit), ("rtt_2", "b", "us"))
        self.assertEqual(self.found("RTT median"), "ratio 1.050 in 1 round: too few rounds for an interval")
        made[1]["tables"][0]["rows"][0][1] = 50.0
        a, b = self.files(*made)
        self.assertEqual(self.compare(f"A={a},{b},{a}").table("rtt").rows[0], [50.0, 20.0])  # the median of rounds

    def test_names_may_have_any_octets(self):
        a, b = self.files(search(SLOW), search(SLOW, 2))
        run = self.compare(os.fsdecode(b"\303=" + a.encode()), b)
        self.assertEqual(run.end(), "good")
        self.assertTrue(run.settings["settings.timeout_s"].startswith("?: 1; "))

    def test_bounds_are_judged(self):
        a, b = self.files(search(SLOW), search(FAST))
        for bounds, end in ((["rate < 1.08"], "failed"), (["rate>1.05"], "failed"),
                            (["rate < 1.06", "rate > 1.08"], "good"), (["cpu > 1"], "failed")):
            self.assertEqual(self.compare(a, b, bounds=bounds).end(), end, bounds)
        status, out, _ = self.call("compare", "--fail-if", "rate < 1.08", a, b)
        self.assertEqual(status, 1)
        self.assertIn("\nFAILED: rate < 1.08: b has 1.07", out)
        for bad in ("rates<1", "rate", "rate < x", "rate < 0", "rate = 1"):
            self.assertIn(f'"{bad}" is not like "rate < 0.97"', self.refused("compare", "--fail-if", bad, a, b))

    def test_nothing_found_breaks_a_bound(self):
        """A round in which the server found no rate is no round less: it is worse than any bound."""
        half, bound = (1071, 0, 1062, 0, 1075, 0), ["rate < 0.97"]
        a, b = self.files(search(SLOW), search(half))
        run = self.compare(a, b, bounds=bound)
        self.assertIn("rate < 0.97: in 3 rounds ", run.failed[0])
        a, b = self.files(search(SLOW), search(()))  # nothing at all, in a round of its own
        self.assertEqual(self.compare(f"A={a},{a}", f"B={a},{b}", bounds=bound).end(), "failed")
        a, b = self.files(search(SLOW), search(FAST[:4]))  # fewer repetitions are no fault
        self.assertEqual(self.compare(a, b, bounds=bound).end(), "good")

    def test_what_the_tester_spoilt_does_not_count(self):
        """Neither as a value nor against the server; but if nothing else is there, nothing is known."""
        a, b = self.files(search(SLOW), spoilt_search((*FAST[:5], 1), [5]))
        run = self.compare(a, b, bounds=["rate < 1.06"])
        self.assertEqual(run.end(), "good")
        self.assertEqual(self.found("spoilt by the tester"), f"{b}: 1 of 6 searches, which do not count")
        self.assertEqual([column_of(run.table("figures"), n)[1] for n in ("n", "median", "min")], [5, 1074, 1062])
        self.assertEqual(run.table("rate").rows[5], [6, 996, None])
        a, b = self.files(search(SLOW), spoilt_search(FAST, range(6)))
        self.assertIn("have no figure in common", self.refused("compare", a, b))

    def test_runs_that_are_not_good_are_told(self):
        a, b = self.files(rate(1, failed=["the pace was not kept"]), rate(2, complete=False))
        self.compare(a, b)
        self.assertEqual(self.found("not a good run"), f"{a}: the pace was not kept")
        self.assertIn(finding("not a good run", f"{b}: it was interrupted"), self.result.findings)

    def test_what_cannot_be_compared_is_refused(self):
        a, b = self.files(rate(1), rate(1, "soak"))
        said = self.refused("compare", a, b)
        self.assertIn(" is a run of rate, and ", said)
        self.assertIn(" one of soak", said)
        a, b = self.files(rate(1), rate(1, unit="1/min"))
        self.assertIn(f"{b}: rate is in 1/min, and must be in 1/s", self.refused("compare", a, b))
        self.assertIn("2 to 8 runs", self.refused("compare", a))
        swept = [tree("sweep", tables=[table("trials", "repetition ,rate ,verdict ,rtt_p50 ", [[1, r, "passed", 9]])])
                 for r in (100, 200)]
        self.assertIn("have searched for other things", self.refused("compare", *self.files(*swept)))
        self.assertIn("have no figure in common", self.refused("compare", *self.files(tree(), tree())))

    def test_results_are_written(self):
        a, b = self.files(search(SLOW), search(FAST))
        status, out, _ = self.call("compare", "--json", "c.json", "--csv", "c.csv", a, b)
        self.assertEqual(status, 0)
        self.assertIn("Figures, and their ratio to the first", out)
        with open(os.path.join(self.dir, "c.csv"), encoding="utf-8") as f:
            rows = list(csv.reader(f))
        self.assertEqual(rows[0][:5], ["figure", "run", "unit", "n", "median"])
        self.assertEqual([row[1] for row in rows[1:]], ["a", "b"])
        self.assertEqual(self.call("table", os.path.join(self.dir, "c.json"))[0], 0)
        self.assertEqual(json.loads(self.call("compare", "--json", "-", a, b)[1])["method"], "compare")

    def shares(self, draw, ratio, pattern, n=40):
        """Of N pairs of servers, the second RATIO as fast: how many are said to be like PATTERN, and how
        many have RATIO in their interval. DRAW makes the rounds of equal ones."""
        drawn, found, covered = random.Random(8219), 0, 0
        for _ in range(n):
            pairs = draw(drawn)
            a, b = self.files(search([p[0] for p in pairs]), search([p[1] * ratio for p in pairs]))
            figures = self.compare(a, b).table("figures")
            found += re.search(pattern, self.found("rate")) is not None
            covered += column_of(figures, "ratio_low")[1] <= ratio <= column_of(figures, "ratio_high")[1]
        return found, covered

    def test_equal_servers_rarely_differ(self):
        """Of 40 pairs with the same server 2 look different; more than 4 would be once in 20 times."""
        found, covered = self.shares(lambda drawn: normal_pairs(drawn, 1, 12), 1, "^no difference seen")
        self.assertGreaterEqual(min(found, covered), 36)

    def test_slower_servers_mostly_differ(self):
        found, covered = self.shares(lambda drawn: normal_pairs(drawn, 1, 12), 0.95, " % below ")
        self.assertGreaterEqual(min(found, covered), 36)

    def test_intervals_of_real_trials_cover_the_truth(self):
        """160 trials of a quarter of a second one after the other, on a machine whose two processors
        were busy with something else: neighbours are a pair, in any order, and a comparison has 12 pairs
        that are drawn. They spread by 30 to 50 %, and far from normally, so 5 % are rarely seen; but the
        interval has the truth in it as often as it should: of 4,000 comparisons in 95.5 to 95.8 % (of 7
        pairs, by Student's t, in 96.5 to 97.5 %)."""
        with open(os.path.join(TOP, "tests/data/bench-trials.json"), encoding="utf-8") as f:
            trials = json.load(f)
        counts = {}
        for name, values in trials.items():
            rates = [1e9 / v for v in values]

            def draw(drawn, pairs=tuple(zip(rates[::2], rates[1::2]))):
                chosen = sorted(pairs, key=lambda _: drawn.random())[:12]
                return [pair if drawn.random() < 0.5 else pair[::-1] for pair in chosen]

            for ratio in (1, 0.95):
                counts[name, ratio] = self.shares(draw, ratio, "^(?!no difference)")
        # How many of 40 look different, and how many intervals have the truth in them.
        self.assertEqual(counts, {("cpu", 1): (3, 37), ("cpu", 0.95): (6, 37),
                                  ("rtt-median", 1): (1, 39), ("rtt-median", 0.95): (5, 39)})


# --- Text ----------------------------------------------------------------------------------------


RAMP_FOUND = [finding("most answers", 9200.0, "1/s"), finding("answers fall behind", 9500.0, "1/s"),
              finding("behind after", 3, "s")]


class Text(Scratch):
    def test_cells_are_formatted_by_their_type(self):
        for value, decimals, text in (
            (None, 2, "-"), (True, 0, "yes"), (False, 0, "no"), ("w", 3, "w"), (12, 0, "12"), (12, 2, "12.00"),
            (-(1 << 63), 0, "-9223372036854775808"), (1.0049, 2, "1.00"), (1.5e3, 0, "1500"), (12, None, "12"),
            (35341.5678, None, "35341.6"), (0.25, None, "0.25"), (2.0, None, "2"), (100.0, None, "100"),
            (12345678.9, None, "12345679"), (-0.125, None, "-0.125"), ([1, 2], 0, "[1, 2]"),
            ({"a": "b"}, 0, '{"a": "b"}'), ([1.5] * 500, 0, "..."),
        ):  # fmt: skip
            self.assertEqual(report.cell(value, decimals), text)

    def text(self, columns, rows, title="T"):
        return report.text_table(report.Table(table("t", columns, rows, title)))

    def test_columns_are_aligned_by_width(self):
        """Words left, numbers right, a character is as wide as it looks, nothing trails."""
        columns = [column("a", title="who"), column("b", "µs", "time", 1), column("c", title="n"),
                   column("d", title="why")]
        rows = [["été", 1, 123, "x"], ["longer", 22.25, None, "words"], [None, 0, 5, ""]]
        self.assertEqual(self.text(columns, rows),
                         "\nT\nwho     time    n  why\n          µs\nété      1.0  123  x\n"
                         "longer  22.2    -  words\n-        0.0    5\n")

    def test_no_line_is_empty(self):
        self.assertEqual(self.text([column("a")], [[1]]), "\nT\na\n1\n")

    def test_control_characters_are_not_printed(self):
        text = self.text([column("", title="")], [["\x7f\r"]], "a\x1b[2Jb\n")
        self.assertIn("\na?[2Jb?\n", text)
        self.assertIn("\n??\n", text)

    def test_csv_has_rows_only(self):
        made = table("t", [column("x"), column("a, b")],
                     [[1, 0.30000000000000004], [None, ""], [True, 'say "no"'], [1.5e9, "#1\nx"]])
        self.assertEqual(report.csv_runs([run_of(tree(tables=[made]))], None),
                         'x,"a, b"\n1,0.3\n,\nyes,"say ""no"""\n1500000000,"#1\nx"\n')

    def test_tables_of_runs_are_printed(self):
        a = self.file("a.json", tree(findings=[finding("rcode SERVFAIL", 7)], tables=[
            table("t", "n ,rate 1/s", [[1, 2]], "One"), table("u", "n ", [[5]], "Other")]))
        status, out, _ = self.call("table", a)
        self.assertEqual(status, 0)
        for part in ("dns64bench 1 rate, 2026-01-02T03:04:05Z\n", "\nOne\n", "\nOther\n", "rcode SERVFAIL  7\n"):
            self.assertIn(part, out)
        out = self.call("table", "-t", "u", "-f", "csv", a)[1]
        self.assertEqual(out, "n\n5\n")
        self.assertEqual(self.call("table", "-f", "csv", f"x={a}", a)[1], "run,n,rate\nx,1,2\na,1,2\n")
        self.assertIn('there is no table "z"; there are: t, u', self.refused("table", "-t", "z", a))

    def test_verdicts_are_one_sentence(self):
        """What a run was for comes first, in an order of its own; the rest is among the findings."""
        asked = [finding("rtt p99", 12000.0, "us"), finding("sent", 2000), finding("valid", 2000), finding("lost", 0),
                 finding("valid per second", 999.6, "1/s"), finding("rtt median", 25.3, "us")]
        found = [finding("searches", 20), finding("median", 35341.0, "1/s"), finding("min", 34900, "1/s"),
                 finding("max", 35800, "1/s")]
        for made, text in (
            (tree(findings=asked), "Sent 2,000; valid 2,000; valid per second 1,000/s; rtt median 25.3 µs; rtt p99 12 ms."),
            (tree("search", found + [finding("searches spoilt by the tester", "2 of 22, which do not count")]),
             "Searches 20; median 35,341/s; min 34,900/s; max 35,800/s; searches spoilt by the tester: 2 of 22, which "
             "do not count."),
            (tree("closed", [finding("highest rate", 5, "1/s")]), "Highest rate 5/s."),
            (tree("sweep", [finding("knee", "above the highest rate")]), "Knee: above the highest rate."),
            (tree("ramp", RAMP_FOUND), "Most answers 9,200/s; answers fall behind 9,500/s."),
            (matrix("0,50", "0,50"), "410/s to 450/s in 2 cells."),
            (tree("compare", [finding("rate", "b is 7 % above a")]), "Rate: b is 7 % above a."),
            (rate("5", failed=["too slow", "x"]), "Failed: too slow (and 1 more); valid per second: 5."),
            (tree(complete=False), "Interrupted; it found nothing."),
        ):  # fmt: skip
            self.assertEqual(report.verdict(run_of(made)), text)


# --- Charts --------------------------------------------------------------------------------------

BOTH = [[1, 1], [2, 2]]
CHOSEN = [
    # Counts are not drawn, neither are words.
    ("n ,valid ", [[1, 2], [2, 3]], ""), ("n ,who 1/s", [[1, "x"], [2, "y"]], ""),
    ("n ,valid 1/s", [[1, None], [2, None]], ""), ("n ,valid 1/s", [[None, 1], [None, 2]], ""),
    ("n ,valid 1/s", [], ""), ("n ,valid 1/s", [[1, 2]], "[valid] 1/s 1"),
    ("n ,valid 1/s", [[1, 2], [2, None]], "[valid] 1/s 1"),
    ("who ,rate 1/s", [["a", 2], ["b", 3]], "[rate] 1/s 1"),
    # The same unit and first word: one chart.
    ("n ,rtt_p50 ms,cpu_user %,rtt_p99 ms,cpu_system %,loss %", [[1] * 6, [2] * 6],
     "RTT ms 1 3; cpu % 2 4; [loss] % 5"),
    ("n ,throughput_a 1/s,throughput_b 1/s", [[1] * 3, [2] * 3], "rate 1/s 1 2"),
    ("n ,throughput_a bit/s,throughput_b bit/s", [[1] * 3, [2] * 3], "throughput bit/s 1 2"),
    ("n ,RTT-p99_1 us,RTT-p99_2 us", [[1] * 3, [2] * 3], "RTT p99 µs 1 2"),
    ("n ,CPU-per-answer_1 us,CPU-per-answer_2 us", [[1] * 3, [2] * 3], "CPU per answer µs 1 2"),
    ("n ,server_cpu %,server_cpu_per_loop %", [[1] * 3, [2] * 3], "server % 1 2"),
    ("n ,server_cpu %,server_cpus %", [[1] * 3, [2] * 3], "server % 1 2"),
    # Spread: the best that there is, and has values.
    ("n ,r_median 1/s,r_p1 1/s,r_p99 1/s", [[1] * 4, [2] * 4], "[r_median] 1/s 1:2:3"),
    ("n ,r_p1 1/s,r_p99 1/s,r 1/s", [[1] * 4, [2] * 4], "[r] 1/s 3:1:2"),
    ("n ,time_mean s,time_deviation s", [[1] * 3, [2] * 3], "[time_mean] s 1:2:2"),
    ("n ,t s,t_deviation s,t_p1 s,t_p99 s,t_min s,t_max s", [[1] * 7, [2] * 7], "[t] s 1:3:4"),
    ("n ,t s,t_deviation s,t_p1 s,t_p99 s,t_min s,t_max s",
     [[1, 1, 1, None, None, 1, 1], [2, 2, 2, None, None, 2, 2]], "[t] s 1:2:2"),
    ("n ,t_median s,t_min ,t_max ", [[1] * 4, [2] * 4], "[t_median] s 1:2:3"),
    # An end alone is a curve like any other.
    ("n ,rtt_mean us,rtt_p99 us", [[1] * 3, [2] * 3], "RTT µs 1 2"),
    ("n ,rtt_p50 us,rtt_max us", [[1] * 3, [2] * 3], "RTT µs 1 2"),
    ("n ,rtt_deviation us", BOTH, "[rtt_deviation] µs 1"),
    # Large values have a larger unit.
    ("n ,rtt us", [[1, 9999], [2, 9999]], "[rtt] µs 1"), ("n ,rtt us", [[1, 9999], [2, 10000]], "[rtt] ms 1"),
    ("n ,rtt ms,memory KiB", [[1, 12000, 20480], [2, 12000, 20480]], "[rtt] s 1; [memory] MiB 2"),
    ("n ,rate 1/s", [[1, 99999], [2, 100000]], "[rate] 1/s 1"),
    # Times that span much, but not from zero; rates only over a logarithmic axis.
    ("n ,rtt_p50 ms,rtt_p99 ms", [[1, 1, 10], [2, 2, 50]], "RTT ms log 1 2"),
    ("n ,rtt_p50 ms,rtt_p99 ms", [[1, 1, 10], [2, 2, 49]], "RTT ms 1 2"),
    ("n ,rtt_p50 ms,rtt_p99 ms", [[1, 0, 10], [2, 2, 50]], "RTT ms 1 2"),
    ("n ,rate 1/s", [[1, 1], [2, 1000]], "[rate] 1/s 1"),
    ("n ,rate 1/s", [[1, 1], [2, 3], [4, 7], [8, 10]], "[rate] 1/s log 1"),
    ("n ,rtt_mean us,rtt_deviation us,rtt_p99 us", [[1, 1, 2, 10], [2, 2, 1, 99]], "RTT µs log 1:2:2 3"),
    ("n ,rate 1/s,share %", [[1, 1, 1], [2, 3, 3], [4, 7, 7], [8, 9, 10]], "[rate] 1/s 1; [share] % 2"),
    ("who ,rtt_p50 ms,rtt_p99 ms", [["a", 1, 10], ["b", 2, 50]], "RTT ms 1 2"),
    # As many as can be told apart.
    ("n ," + ",".join(f"a_{i} s" for i in range(1, 10)), [[1] * 10, [2] * 10], "a s 1 2 3 4 5 6 7 8"),
]  # fmt: skip

AXES = [
    ("clients ", [1, 2, 3, 4], "lines", False, 1, ""), ("clients ", [1, 2, 4, 8, 16, 32, 64], "lines", True, 1, ""),
    ("clients ", [0, 2, 4, 8, 16, 32, 64], "lines", False, 1, ""), ("clients ", [1, 2, 4], "lines", False, 1, ""),
    ("time s", [0, 599], "lines", False, 1, "s"), ("time s", [0, 600], "lines", False, 60, "min"),
    ("time s", [0, 14400], "lines", False, 3600, "h"), ("percentile %", [50, 99], "percentiles", True, 1, "%"),
    ("who ", ["a", "b"], "bars", False, 1, ""), ("clients ", [1], "bars", False, 1, ""),
    ("who ", ["a"], "", False, 1, ""), ("clients ", [3, 3], "bars", False, 1, ""), ("clients ", [], "", False, 1, ""),
]  # fmt: skip

# The ticks of an x axis: at words and percentiles, at few whole numbers, or where gnuplot has them.
TICKS = [
    ("clients ", [1, 2, 4], "1"), ("clients ", [1, 2, 4, 8], "('1' 1, '2' 2, '4' 4, '8' 8)"),
    ("clients ", [1, 2, 100], "autofreq"), ("time s", [0, 1.5, 2], "autofreq"), ("time s", [0, 7200], "autofreq"),
    ("rate ", [10**i for i in range(1, 9)], "autofreq"), ("who ", ["it's", "b"], "('it''s' 0, 'b' 1)"),
    ("who ", ["a" * 30, "b" * 30], f"rotate by 30 right ('{'a' * 24}' 0, '{'b' * 24}' 1)"),
]


class Chosen(unittest.TestCase):
    def test_charts_are_chosen_by_the_columns(self):
        """For each chart label, unit, "log" and curves "value:low:high"."""
        for columns, rows, wanted in CHOSEN:
            parts = []
            for chart in charts(columns, rows).all:
                text = f"{chart.label} {chart.unit.replace('us', 'µs')}{' log' if chart.logarithmic else ''}"
                for c in chart.curves:
                    text += f" {c.i}" + (f":{c.ends[0]}:{c.ends[1]}" if c.spread else "")
                parts.append(text)
            self.assertEqual("; ".join(parts), wanted, columns)

    def test_the_axis_is_chosen_by_the_values(self):
        for name, values, kind, logarithmic, divisor, unit in AXES:
            f = charts(f"{name},rate 1/s", [[v, 1] for v in values])
            self.assertEqual((f.kind, f.logarithmic, f.divisor, f.unit), (kind, logarithmic, divisor, unit))

    def test_ticks_stand_at_the_values_if_they_have_room(self):
        for name, values, ticks in TICKS:
            self.assertEqual(report.x_ticks(charts(f"{name},rate 1/s", [[v, 1] for v in values])), ticks)

    def test_categories_are_made_of_numbers_on_wish(self):
        rows = [[1, 100], [2, 101], [5, 102]]
        f = charts("n ,rate 1/s", rows, axis="categories")
        # The axis is about the values, and they do not look more different than they are.
        self.assertEqual((f.kind, f.place(rows[2], 0, 1), f.all[0].range), ("points", 5, "[*<95.95:106.05<*]"))
        self.assertEqual([f.place(rows[2], i, 2) for i in range(2)], [4.9, 5.1])
        self.assertIn("101 with lines", report.references(f, f.all[0])[1][0])
        f = charts("n ,rate_a 1/s", rows, axis="bars")
        self.assertEqual((f.kind, f.words, f.all[0].label, f.all[0].range), ("bars", ["1", "2", "5"], "rate", "[*<0:0<*]"))

    def test_error_bars_do_not_cross_zero(self):
        f = charts("n ,rtt us,rtt_deviation us", [[1, 1, 3], [2, 5, 3]])
        self.assertEqual([f.all[0].curves[0].dot(row) for row in f.all[0].curves[0].rows], [(1, 0, 4), (5, 2, 8)])

    def test_a_logarithmic_axis_does_not_go_down_with_a_bar(self):
        f = charts("n ,rtt us,rtt_min us,rtt_max us", [[1, 10, 1e-5, 20], [2, 5000, 1, 6000]])
        self.assertEqual((f.all[0].logarithmic, f.all[0].range), (True, "[5<*:*]"))
        self.assertIn("1 10 5 20", report.curve_parts(f, f.all[0], 0)[0])


# --- The script, and gnuplot ---------------------------------------------------------------------

STEPS = [column("clients"), column("rate_median", "1/s", "rate"), column("rate_p1", "1/s", "p1"),
         column("rate_p99", "1/s", "p99"), column("rtt_mean", "us", "mean", 1),
         column("rtt_deviation", "us", "deviation", 1), column("rtt_p99", "us", "it's '<p99>'\n", 1)]
DRAWN_TABLES = [
    table("steps", STEPS, [[1, 100, 90, 110, 50.5, 2.0, 80.0], [2, None, None, None, 60.5, 3.0, 90.0],
                           [3, 300, 290, 310, 70.5, 4.0, 99.0]], "Steps"),
    table("rtt", [column("percentile", "%"), column("rtt", "ms", "RTT")], [[50, 0.1], [99.9, 0.5], [100, 1.5]],
          "Distribution"),
    table("servers", [column("server"), column("rate_median", "1/s", "rate"), column("rate_p1", "1/s", "p1"),
                      column("rate_p99", "1/s", "p99"), column("rate_hits", "1/s", "hits")],
          [["one's", 10, 9, 11, 20], ["$t; !touch x", 5, 4, 6, 9]], "Servers"),
    table("counts", [column("clients")], [[1], [2]], "Counts"),
]  # fmt: skip


def script(*which, titles=False):
    """The script for the tables WHICH of those above."""
    every = [report.Charts(report.Table(DRAWN_TABLES[i])) for i in which]
    return report.script([(f, chart) for f in every for chart in f.all], ".svg", titles)


class Script(Scratch):
    def has(self, text, *parts):
        for part in parts:
            self.assertIn(part, text)

    def test_curves_are_drawn_by_rate(self):
        text = script(0)
        self.has(
            text, "set terminal svg size 333,423 noenhanced ", "layout 2,1",
            # A value and its bar; where there is none, nothing.
            "$d1 << END\n1 100 90 110\n2 NaN NaN NaN\n3 300 290 310\nEND\n",
            "plot $d1 using 1:2 with linespoints lt 1 title 'rate', \\\n    $d1 using 1:3:(0):($4-$3) with vectors heads",
            # Few clients: a tick for each. The axis of rates has a zero.
            "set xtics 1\n", "set yrange [*<0:0<*]\n",
            "set ylabel 'rate (1/s)'", "title 'bars: p1 to p99'", "set ylabel 'RTT (µs)'",
            "title 'bars: standard deviation'", "title 'it''s ''<p99>'' '")
        self.assertNotIn("'Steps'", text)
        # What is along the x axis stands below the last chart only.
        self.assertEqual(text.count("set xlabel 'clients'"), 1)
        self.assertGreater(text.index("\nset xlabel"), text.index("'rate (1/s)'"))
        self.assertEqual(script(0, 1, titles=True).count("set title "), 2)

    def test_long_curves_are_lines_with_a_band(self):
        made = table("t", "n ,r 1/s,r_min 1/s,r_max 1/s", [[i, 5, 4, 6] for i in range(61)])
        f = report.Charts(report.Table(made))
        self.has(report.script([(f, f.all[0])], ".svg"), "plot $d1 using 1:3:4 with filledcurves lt 1", "with lines lt 1")

    def test_percentiles_have_a_stretched_axis(self):
        self.has(script(1), "\n2 0.1 0.1 0.1\n1000 0.5 0.5 0.5\nNaN 1.5 ", "set logscale x\n",
                 "('0' 1, '50' 2, '90' 10, '99' 100, '99.9' 1000, ", "set xlabel 'percentile (%)'", "set ylabel 'RTT (ms)'")

    def test_words_become_bars(self):
        text = script(2)
        self.has(text, "$d1 << END\n-0.2 10 9 11\n0.8 5 4 6\nEND\n", "set xrange [-0.7:1.7]",
                 "('one''s' 0, '$t; !touch x' 1)\n", "plot $d1 using 1:2:(0.3680) with boxes lc '#0072b2'",
                 "    $d2 using 1:2:(0.3680) with boxes lc '#d55e00'", "title 'hits'")
        self.assertNotIn("'server'", text)

    def test_a_table_without_figures_is_not_drawn(self):
        self.assertEqual(script(0, 1, 2, 3).count("\nplot "), 4)
        self.assertIn("nothing to draw", self.refused("plot", "-o", "x.svg", self.file("a.json", rate(1))))

    def test_one_curve_needs_no_legend(self):
        f = charts("n ,rate 1/s", BOTH)
        self.has(report.script([(f, f.all[0])], ".svg"), "unset key")
        self.has(script(0), "set key tmargin")

    def test_a_mark_is_a_line_across_each_chart(self):
        def text(at, **more):
            made = table("t", "time s,rtt_p50 us,rtt_p99 us,valid %", [[0, 1, 2, 9], [1200, 1, 2, 9]],
                         mark={"at": at, "name": "it's here"}, **more)
            f = report.Charts(report.Table(made))
            return report.script([(f, chart) for chart in f.all], ".svg")

        one = text(600)
        line = "set arrow from first 10, graph 0 to first 10, graph 1 nohead back lc '#555555'"
        self.assertEqual(one.count(line), 2)
        self.assertIn("title 'it''s here'", one)
        self.assertNotIn("it''s", text(1300))
        self.assertNotIn("set arrow from first", text(600, axis="bars"))

    def test_what_is_only_a_bound_has_an_arrow(self):
        columns = [column("repetition"), column("rate_passed", "1/s"), column("limit")]
        rows = [[1, 100, "server"], [2, 100, "high"], [3, 90, "self-test"], [4, 0, "low"]]
        f = report.Charts(report.Table(table("searches", columns, rows)))
        text = report.script([(f, f.all[0])], ".svg")
        arrow = "set arrow from first {}, first {} rto graph 0, graph {} head filled"
        self.has(text, arrow.format(2, 100, 0.09), arrow.format(3, 90, 0.09), arrow.format(4, 0, -0.09),
                 "title 'arrow: at least'", "title 'arrow: at most'", "graph 0.1, 0\n")
        self.assertEqual(text.count(" rto "), 3)
        self.assertNotIn("arrow:", script(0, 1, 2))
        columns = "round ,rate_1 1/s,rate_1_bound ,rate_2 1/s,rate_2_bound "
        f = charts(columns, [[1, 5, "at least", 6, None], [2, 5, None, 6, None]], axis="categories")
        self.assertEqual(len(report.bounds(f, f.all[0])[0]), 1)

    def test_searches_that_the_tester_spoilt_are_not_drawn(self):
        made = spoilt_search([100, 101, 1, 102], [2])
        run = run_of(made)
        f = dict(report.charts_of(run))["searches"]
        self.assertEqual((f.values, len(run.table("searches").rows)), ([1, 2, 4], 4))
        self.has(report.script([(f, f.all[0])], ".svg"), "set xlabel 'repetition (spoilt, left out: 1)'", "101 with lines")
        self.assertEqual(list(report.charts_of(run_of(spoilt_search([1, 2], [0, 1])))), [])

    def test_a_ramp_shows_what_is_asked_and_valid_and_where_it_falls_behind(self):
        columns = "elapsed s,asked 1/s,valid 1/s,rtt_p50 us,rtt_p99 us,wrong ,overdue ,taken_out "
        rows = [[1, 10.5, 10.5, 20.5, 90.5, 0, 0, 0], [2, 30.5, 30.5, 21.5, 99.5, 0, 0, 0],
                [3, 50.5, 31.5, None, 99.5, 0, 19, 0], [4, 70.5, 30.5, 1000.5, None, 0, 40, 0]]
        run = run_of(tree("ramp", RAMP_FOUND, [table("ramp", columns, rows)]))
        f = dict(report.charts_of(run))["ramp"]
        self.assertEqual([[c.i for c in chart.curves] for chart in f.all], [[1, 2], [3, 4]])
        text = report.script([(f, chart) for chart in f.all], ".svg")
        self.has(text, "set ylabel 'rate (1/s)'", "title '[asked]'", "title '[valid]'", "title 'behind'",
                 "set arrow from first 3, graph 0", "set ylabel 'RTT (")

    def test_seconds_are_drawn_as_rates(self):
        """They are not quite a second long; gaps between questions are of the tester and not drawn."""
        columns = "elapsed s,asked ,valid ,wrong ,overdue ,rtt_p50 us"
        made = table("seconds", columns, [[0.5, 500, 400, 100, 0, 20.5], [1.5, 900, None, 0, 0, 21.5],
                                          [1.5, 7, 7, 0, 0, 20.5]])
        gaps = table("gaps", "percentile ,gap ", [[0.0, 0.0], [50.0, 999.4]])
        run = run_of(tree(tables=[made, gaps]))
        (_, f), = report.charts_of(run)
        self.assertEqual([[c.i for c in chart.curves] for chart in f.all], [[1, 2], [5]])
        drawn = f.all[0].curves[0].rows
        self.assertEqual([row[1:3] for row in drawn], [[1000, 800], [900, None], [None, None]])
        self.assertEqual(run.table("seconds").rows[0][1], 500)
        self.has(report.text_run(run, run.tables), "[gap]", "999")

    def test_the_bounds_of_a_matrix_are_those_of_its_cells(self):
        f = dict(report.charts_of(run_of(matrix("0,50", "0,50"))))["matrix"]
        self.assertEqual([[curve.bound(row) for row in curve.rows] for curve in f.all[0].curves], [[0, 0], [1, 0]])
        self.has(report.script([(f, f.all[0])], ".svg"), "from first 0.2, first 410 rto graph 0, graph 0.09 head",
                 "title 'arrow: at least'")

    def test_names_of_files_give_the_format(self):
        for path in ("png", "a.eps", "a.svg.eps"):
            self.assertIn(f"{path}: pictures end in .png, .svg or .pdf",
                          self.refused("plot", "-o", path, self.file("a.json", rate(1))))

    def test_without_gnuplot_there_is_a_message(self):
        a = self.file("a.json", tree(tables=DRAWN_TABLES))
        status, _, said = self.call("plot", "-o", "x.svg", a, PATH="/nowhere")
        self.assertEqual((status, os.listdir(self.dir)), (1, ["a.json"]))
        self.assertIn("there is no gnuplot", said)

    def test_the_script_reaches_gnuplot(self):
        self.assertEqual(report.draw("the script", self.program('#!/bin/sh\necho "$@"\nexec cat\n')),
                         b"-d -\nthe script")

    def test_a_failing_gnuplot_is_told_in_its_words(self):
        for body, why in (
            ("echo half\necho 'plot x' >&2\necho '     ^' >&2\necho '  no such thing' >&2\necho >&2\nexit 3\n",
             "exit code 3.: no such thing"),
            ("exit 1\n", "exit code 1.: it printed no message"), ("echo half\nkill -9 $$\n", "exit code -9"),
            ("exit 0\n", "drew nothing"),
        ):  # fmt: skip
            with self.assertRaisesRegex(report.Failed, why):
                report.draw("", self.program("#!/bin/sh\n" + body))
        with self.assertRaisesRegex(report.Failed, "there is no /nowhere/gnuplot"):
            report.draw("", "/nowhere/gnuplot")

    @unittest.skipUnless(DRAWN, "there is no gnuplot")
    def test_pictures_are_written(self):
        a = self.file("a.json", tree(tables=DRAWN_TABLES))
        for name, head in (("x.png", b"\x89PNG\r\n"), ("x.pdf", b"%PDF-1"), ("x.svg", b"<?xml")):
            status, _, said = self.call("plot", "-o", name, a)
            self.assertEqual(status, 0, said)
            with open(os.path.join(self.dir, name), "rb") as f:
                octets = f.read()
            self.assertTrue(octets.startswith(head))
        text = octets.decode()
        self.has(text, "</svg>", ">RTT (µs)<", ">it's '&lt;p99")
        self.assertNotIn("<p99>", text)
        self.assertEqual(len(os.listdir(self.dir)), 4)
        self.assertIn("No such file", self.refused("plot", "-o", "no/x.png", a, code=1))

    @unittest.skipUnless(DRAWN, "there is no gnuplot")
    def test_panels_are_files_called_by_what_they_show(self):
        a = self.file("a.json", tree(tables=DRAWN_TABLES))
        self.assertEqual(self.call("plot", "--panels", "-o", "x.y.svg", a)[0], 0)
        self.assertEqual(sorted(os.listdir(self.dir)), [
            "a.json", "x.y-rtt.svg", "x.y-servers.svg", "x.y-steps-rate.svg", "x.y-steps-rtt.svg"])


# --- The page ------------------------------------------------------------------------------------


def evil_run(n, **more):
    """A run with a table of N rows, and an evil mind in all its texts."""
    columns = [column("clients"), column("rtt_p50", "ms", "p50 " + EVIL, 3), column("who", title=EVIL)]
    made = tree("rate" + EVIL, [finding("highest " + EVIL, EVIL, EVIL), finding("loss", 12.5, "%")],
                [table(EVIL, columns, [[i, 1 / i, EVIL] for i in range(1, n + 1)], "Table " + EVIL)],
                {EVIL: EVIL, "list": [EVIL, 1]}, **more)
    made["command"] = "dns64bench '" + EVIL + "'"
    return made


def page_of(runs, drawn=False):
    """The page, without gnuplot if it is not needed."""
    real = report.draw
    if not drawn:
        report.draw = no_gnuplot
    try:
        return report.page(runs)
    finally:
        report.draw = real


def no_gnuplot(*_):
    raise report.Failed("there is no gnuplot")


class Page(Scratch):
    def page(self, *made, drawn=False):
        names = ["old", "new", "<b>"]
        self.text = page_of([run_of(m, name) for m, name in zip(made, names)], drawn)
        return self.text

    def has(self, *parts):
        for part in parts:
            self.assertIn(part, self.text)

    def test_text_is_escaped(self):
        self.assertEqual(report.esc("<a href='x' title=\"y\">&amp;\n\x01\x7fé"),
                         "&lt;a href=&#39;x&#39; title=&quot;y&quot;&gt;&amp;amp;   é")

    def test_a_picture_gets_identifiers_of_its_own(self):
        svg = ('<?xml version="1.0"?>\n<svg \n width="1">\n<title>Gnuplot</title>\n'
               "<g id=\"a\" ><title>b</title><use xlink:href='#gpDot' id='c'/></g>\n"
               '<g fill="url(#d)"/><text>id=1</text>\n</svg>\n')
        self.assertEqual(report.embedded(svg, 7),
                         '<svg \n width="1">\n\n<g id="p7-a" ><use xlink:href=\'#p7-gpDot\' id=\'p7-c\'/></g>\n'
                         '<g fill="url(#p7-d)"/><text>id=1</text>\n</svg>\n')
        self.assertEqual(report.embedded("something else\n<title>\n", 1), "")

    def test_text_of_a_run_cannot_be_markup(self):
        text = self.page(evil_run(3, failed=["reason " + EVIL, "more " + EVIL]))
        self.assertNotIn("<script", text)
        self.assertNotIn("</script", text)
        self.has("Content-Security-Policy\" content=\"default-src 'none';", "Failed</span>: reason &lt;script&gt;",
                 "<li>more &lt;script&gt;", "<h3>Table &lt;script&gt;", "<th>p50 &lt;script&gt;",
                 '<td class="word">&lt;script&gt;', "<th>highest &lt;script&gt;",
                 "dns64bench &#39;&lt;script&gt;alert(")
        for other in ("src=", "@import", 'href="http'):
            self.assertNotIn(other, text)

    def test_verdict_and_charts_come_first_and_the_rest_is_folded(self):
        text = self.page(evil_run(3))
        self.has('<span class="good">Good.</span> ', "<tr><th>loss</th><td>12.5 %</td></tr>",
                 "<tr><td>2</td><td>0.500</td>", "<tr><th>list</th>", "<tr><th>kernel</th>",
                 "<tr><th>command</th><td>dns64bench ", "<small>ms</small>", "</body>\n</html>\n")
        self.assertNotIn("<a href", text)
        body = text[text.index("<body>"):]
        places = [body.index(part) for part in (
            'class="verdict"', "No picture", "<summary>Findings", "<summary>Settings and machine", "<summary>Tables")]
        self.assertEqual(places, sorted(places))
        self.assertLess(body.index("<details>"), body.index("<table"))

    def test_several_runs_stand_one_below_the_other(self):
        """Their sentences come first, in common."""
        runs = [evil_run(41, complete=False), evil_run(1, failed=["too slow"]), evil_run(0)]
        text = self.page(*runs)
        self.has("<b>old</b>: <span class=\"bad\">Interrupted</span>; ", '<span class="bad">Failed</span>: too slow; ',
                 # Long tables are folded; those without rows are not there.
                 "<details><summary>41 rows</summary>")
        places = [text.index(part) for part in (
            "<b>old</b>", "<b>new</b>", "<b>&lt;b&gt;</b>", "<h2>old</h2>", "<h2>new</h2>", "<h2>&lt;b&gt;</h2>")]
        self.assertEqual(places, sorted(places))
        self.assertEqual(text.count("<h3>Table "), 2)
        self.assertEqual(text.count("<tr><th>kernel</th><td>k</td>"), 3)

    def test_without_gnuplot_there_is_a_note(self):
        self.page(evil_run(3))
        self.has('<p class="note">No picture: there is no gnuplot', "<td>0.500</td>")
        self.assertNotIn("<svg", self.text)

    @unittest.skipUnless(DRAWN, "there is no gnuplot")
    def test_pictures_are_of_all_runs(self):
        text = self.page(evil_run(3), evil_run(4), evil_run(1), drawn=True)
        self.assertEqual(text.count("<figure>"), 2)  # a single row needs no picture
        self.has("<figure>\n<svg", "id='p1-gpDot'", "id='p2-gpDot'")
        # It has no ground of its own: by dark the page's is seen.
        for other in ("id='gpDot'", "<?xml", "No picture", 'fill="#ffffff"'):
            self.assertNotIn(other, text)

    def test_runs_are_called_as_wished(self):
        a = self.file("a.json", evil_run(2))
        self.assertEqual(self.call("page", "-o", "x.html", f"mine={a}", a, a, PATH="/nowhere")[0], 0)
        with open(os.path.join(self.dir, "x.html"), encoding="utf-8") as f:
            self.assertEqual(re.findall("<h2>(.*)</h2>", f.read()), ["mine", "a", "a (3)"])


# --- Histograms ----------------------------------------------------------------------------------


def decoded(text):
    """The counts by index of a compressed HdrHistogram (V2), read as its description says."""
    octets = base64.b64decode(text)
    cookie, size = struct.unpack(">2i", octets[:8])
    assert cookie == 0x1C849304 | 0x10 and size == len(octets) - 8
    octets = zlib.decompress(octets[8:])
    head = struct.unpack(">4i2qd", octets[:40])
    assert head[0] == 0x1C849303 | 0x10 and head[1] == len(octets) - 40
    counts, index, at = {}, 0, 40
    while at < len(octets):
        value = shift = 0
        while True:
            octet, at = octets[at], at + 1
            value |= (octet if shift == 56 else octet & 0x7F) << shift
            shift += 7
            if octet < 0x80 or shift > 56:
                break
        value = (value >> 1) ^ -(value & 1)
        if value < 0:
            index -= value
        else:
            counts[index] = value
            index += 1
    return counts, head


def histogram(buckets):
    return [{"name": "rtt", "unit": "ns", "buckets": buckets}]


class Histograms(Scratch):
    def test_zigzag_has_seven_bits_an_octet(self):
        for value, octets in ((0, b"\0"), (-1, b"\1"), (1, b"\2"), (63, b"\x7e"), (64, b"\x80\x01"),
                              (-64, b"\x7f"), (-65, b"\x81\x01")):
            self.assertEqual(report.zigzag(value), octets)

    def test_indices_are_those_of_three_digits(self):
        for value, index in ((0, 0), (1, 1), (2047, 2047), (2048, 2048), (2049, 2048), (2050, 2049), (4095, 3071),
                             (4096, 3072)):
            self.assertEqual(report.hdr_index(value), index)

    def test_a_log_has_the_counts(self):
        buckets = [[5, 5, 2], [1000, 1007, 300], [262144, 264191, 70000], [900000000, 903000000, 1]]
        a = self.file("a.json", rate(1, histograms=histogram(buckets), settings={"duration_s": 10.0}))
        status, out, _ = self.call("hdr", a)
        self.assertEqual(status, 0)
        lines = out.splitlines()
        self.assertEqual(lines[1], "#[Histogram log format version 1.3]")
        self.assertEqual(lines[3], '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"')
        start, length, most, text = lines[4].split(",")
        self.assertEqual((float(start), length, most), (1767323045, "10.000", "903.000"))
        counts, head = decoded(text)
        self.assertEqual(counts, {report.hdr_index(b[1]): b[2] for b in buckets})
        self.assertEqual(head[2:], (0, 3, 1, report.HDR_HIGHEST, 1.0))

    def test_a_run_without_a_histogram_is_refused(self):
        a = self.file("a.json", rate(1))
        self.assertIn(f"{a}: it has no histogram", self.refused("hdr", a))

    def test_percentiles_are_ends_of_buckets(self):
        buckets = [[10, 19, 50], [20, 29, 49], [30, 39, 1]]
        for percent, value in ((0, 10), (1, 19), (50, 19), (51, 29), (99, 29), (99.5, 35), (100, 35)):
            self.assertEqual(report.percentile_of(buckets, percent, 35), value)

    def test_histograms_are_added(self):
        a, b = [[1, 1, 5], [4, 7, 2]], [[1, 1, 1], [8, 15, 3]]
        self.assertEqual(report.merged_buckets([a, b]), [[1, 1, 6], [4, 7, 2], [8, 15, 3]])
        for other in ([5, 6, 1], [7, 9, 1]):
            with self.assertRaises(report.Refused):
                report.merged_buckets([a, [other]])


# --- Several testers -----------------------------------------------------------------------------

# What stands in for dns64bench: it puts its words into what it finds.
PLAYED = """#!{python}
import json, sys
words = sys.argv[1:]
rate, start = int(words[words.index("--rate") + 1]), float(words[words.index("--start-at") + 1])
assert words[0] == "rate" and words[-2:] == ["--json", "-"]
run = json.load(open("{template}"))
run["settings"] = {{"rate": rate, "first": int(words[words.index("--first") + 1]), "threads": 1, "start_at": start,
                   "timeout_s": 1.0}}
run["findings"] = [{{"name": n, "value": v, "unit": u}} for n, v, u in (
    ("sent", 10 * rate, ""), ("valid", 10 * rate, ""), ("valid per second", rate + 0.5, "1/s"),
    ("rtt mean", 100.0 + rate, "us"), ("rtt median", 1.0, "us"), ("rtt max", rate / 1000, "us"),
    ("largest burst", rate, ""), ("rcode SERVFAIL", 2, ""),
    ("from elsewhere", 1, ""))]
run["histograms"][0]["buckets"] = [[10, 19, 10 * rate]]
print(json.dumps(run))
"""


class Testers(Scratch):
    def setUp(self):
        super().setUp()
        rows = [[1.0, 100, 5.0], [2.0, 100, 7.0]]
        template = self.file("template.json", tree(
            histograms=histogram([[1, 1, 1]]), tables=[
                table("seconds", "elapsed s,asked ,rtt_p50 us", rows),
                table("rtt", "percentile %,rtt us", [[50.0, 1.0]])]))
        self.bench = self.program(PLAYED.format(python=sys.executable, template=template))
        self.ssh = self.file("ssh", "#!/bin/sh\necho \"$1\" >>hosts\nexport HOST=$1\nshift\nexec sh -c \"$*\"\n")
        os.chmod(self.ssh, stat.S_IRWXU)

    def run_all(self, *words, hosts="one,two,three"):
        return self.call("run", "--hosts", hosts, "--ssh", self.ssh, "--ahead", "0.1", *words)

    def test_a_trial_of_several_is_as_of_one(self):
        status, out, said = self.run_all("-o", "all.json", "--", self.bench, "rate", "-r1000", "-s", "::1")
        self.assertEqual(status, 0, said)
        self.assertIn("Testers", out)
        with open(os.path.join(self.dir, "hosts"), encoding="utf-8") as f:
            self.assertEqual(sorted(f.read().split()), ["one", "three", "two"])
        run = report.read_run(os.path.join(self.dir, "all.json"))
        found = {f["name"]: f["value"] for f in run.findings}
        self.assertEqual((found["sent"], found["valid"], found["valid per second"]), (10000, 10000, 1001.5))
        self.assertAlmostEqual(found["rtt mean"], 100 + (334 * 334 + 2 * 333 * 333) / 1000)
        self.assertEqual((found["rtt max"], found["rtt median"]), (0.334, 0.019))
        self.assertEqual((found["largest burst"], found["rcode SERVFAIL"], found["from elsewhere"]), (334, 6, 3))
        self.assertEqual((run.settings["rate"], run.settings["threads"]), (1000, 3))
        self.assertEqual(run.settings["testers"], "one, two, three")
        self.assertEqual(report.histogram_of(run), [[10, 19, 10000]])
        self.assertEqual(run.table("seconds").rows, [[1.0, 300, 5.0], [2.0, 300, 7.0]])
        self.assertEqual(run.table("rtt").rows[0], [0, 0.01])
        self.assertEqual([row[:2] for row in run.table("testers").rows],
                         [["one", 3340], ["two", 3330], ["three", 3330]])
        self.assertEqual(self.call("hdr", "all.json")[0], 0)

    def test_rate_and_names_are_divided(self):
        words = list(report.divided(["dns64bench", "rate", "-s", "::1", "--rate=10", "-n", "7", "--first", "5",
                                     "-N", "11.0.0.0/8", "--spin"], 3))
        rest = ["dns64bench", "rate", "-s", "::1", "--spin"]
        self.assertEqual([w[:5] for w in words], [rest] * 3)
        third = (1 << 24) // 3
        self.assertEqual([w[5:] for w in words], [
            ["--rate", r, "--count", n, "--namespace", "11.0.0.0/8", "--first", str(5 + i * third)]
            for i, (r, n) in enumerate((("4", "3"), ("3", "2"), ("3", "2")))])
        with self.assertRaises(report.Refused):
            list(report.divided(["dns64bench", "rate", "-r", "2"], 3))
        with self.assertRaises(report.Refused):
            list(report.divided(["dns64bench", "rate", "-r", "x"], 3))
        self.assertNotIn("--first", list(report.divided(["dns64bench", "rate", "-r9", "--replay", "x"], 3))[0])

    def test_arrivals_by_chance_are_others_on_each_host(self):
        """Of one seed all would ask at the same times; what else is asked is the same."""
        words = ["dns64bench", "rate", "-r9", "--mix", "A=40,AAAA=60", "--arrivals", "poisson"]
        for more, seeds in (([], ("1", "2")), (["--seed=7"], ("7", "8"))):
            made = list(report.divided(words + more, 2))
            self.assertEqual([w[w.index("--seed") + 1] for w in made], list(seeds))
            self.assertTrue(all(w[2:4] == ["--mix", "A=40,AAAA=60"] for w in made))
        self.assertNotIn("--seed", list(report.divided(words[:-2], 2))[0])
        runs = [run_of(tree(settings={"arrivals": "poisson", "seed": i}), n) for i, n in enumerate("ab")]
        self.assertEqual(report.merge(runs)["settings"]["testers"], "a, b")

    def test_seconds_that_one_host_has_alone_count(self):
        rows = [[1.0, 10, 5.0], [2.0, 10, 7.0], [2.5, 3, 9.0]]
        runs = [run_of(tree(tables=[table("seconds", "elapsed s,asked ,rtt_p50 us", r)]), n)
                for n, r in (("a", rows[:2]), ("b", rows))]
        self.assertEqual(run_of(report.merge(runs)).table("seconds").rows,
                         [[1.0, 20, 5.0], [2.0, 20, 7.0], [2.5, 3, 9.0]])

    def test_a_host_without_results_is_named(self):
        status, _, said = self.run_all("--", "/nowhere/bench", "rate", "-r", "9", hosts="one")
        self.assertEqual(status, 1)
        self.assertIn("one: no results, exit code 127: ", said)

    def wait_for(self, condition):
        end = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def waiting(self, at_end):
        """A tester that has results only when it is ended, or none after half a minute; it writes its process
        ID to pid.HOST."""
        self.file("stopped.json", tree(findings=[finding("sent", 7)], complete=False))
        return self.program(f"#!/bin/sh\ntrap '{at_end}' TERM\necho $$ >pid.$HOST\n"
                            "n=0; while [ $n -lt 600 ]; do n=$((n + 1)); sleep 0.05; done\n")

    def pids(self):
        texts = []
        for name in os.listdir(self.dir):
            if name.startswith("pid."):
                with open(os.path.join(self.dir, name), encoding="utf-8") as f:
                    texts.append(f.read())
        return [int(text) for text in texts if text.endswith("\n")]

    def ended(self):
        return not any(os.path.exists(f"/proc/{pid}") for pid in self.pids())

    def test_a_host_that_writes_much_blocks_no_other(self):
        """The first has results only after the second one has written more than a pipe holds."""
        self.file("good.json", tree(findings=[finding("sent", 7)]))
        body = """#!/bin/sh
case $HOST in
one) n=0; while [ ! -e written ] && [ $n -lt 600 ]; do n=$((n + 1)); sleep 0.05; done; [ -e written ] ;;
two) head -c 300000 /dev/zero >&2; : >written ;;
esac && cat good.json
"""
        status, out, said = self.run_all("-o", "all.json", "--", self.program(body), "rate", hosts="one,two")
        self.assertEqual(status, 0, said)
        self.assertRegex(out, "sent +14")

    def test_signals_end_the_testers(self):
        for number, at_end, says in ((signal.SIGINT, "cat stopped.json; exit 3", "INTERRUPTED"),
                                     (signal.SIGTERM, "cat stopped.json; exit 3", "INTERRUPTED"),
                                     (signal.SIGTERM, "exit 3", "")):
            bench = self.waiting(at_end)
            words = ["run", "--hosts", "one,two", "--ssh", self.ssh, "-o", "all.json", "--", bench, "rate"]
            # Who runs the tests in the background may have SIGINT ignored.
            with subprocess.Popen([sys.executable, PROGRAM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  cwd=self.dir, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as child:
                self.wait_for(lambda: len(self.pids()) == 2)
                # A Ctrl-C of the terminal does not get to ssh.
                self.assertTrue(all(os.getsid(pid) != os.getsid(child.pid) for pid in self.pids()))
                child.send_signal(number)
                out, said = map(bytes.decode, child.communicate())
            self.assertEqual(child.returncode, 3, said)
            self.assertIn("interrupted: the testers are ended\n", said)
            self.assertIn(says, out)
            self.assertTrue(self.ended())
            if says:
                run = report.read_run(os.path.join(self.dir, "all.json"))
                self.assertEqual((run.complete, run.value("sent")), (False, 14))
            else:
                self.assertIn("one: no results, exit code 3", said)
            for name in ("pid.one", "pid.two"):
                os.unlink(os.path.join(self.dir, name))

    def test_testers_end_when_the_report_is_gone(self):
        bench = self.waiting("exit 3")
        with subprocess.Popen([sys.executable, PROGRAM, "run", "--hosts", "one,two", "--ssh", self.ssh, "--", bench,
                               "rate"], stderr=subprocess.DEVNULL, cwd=self.dir) as child:
            self.wait_for(lambda: len(self.pids()) == 2)
            child.kill()
        self.wait_for(self.ended)

    def test_a_host_that_fails_ends_the_others(self):
        bench = self.waiting("exit 3")
        self.file("ssh", '#!/bin/sh\n[ "$1" != two ] || { while [ ! -s pid.one ]; do sleep 0.05; done; exit 7; }\n'
                         'export HOST=$1\nshift\nexec sh -c "$*"\n')
        status, _, said = self.run_all("--", bench, "rate", hosts="one,two")
        self.assertEqual(status, 1)
        self.assertIn("two: no results, exit code 7: it printed no message", said)
        self.assertTrue(self.ended())

    def test_what_makes_no_sense_is_refused(self):
        for words, why in ((("--", "dns64bench", "search"), "one of rate, soak, closed"), (("--",), "after -- write"),
                           (("--", "dns64bench", "rate", "--json", "x"), "not for the hosts")):
            status, _, said = self.run_all(*words)
            self.assertEqual(status, 2)
            self.assertIn(why, said)
        self.assertEqual(self.run_all("--", "dns64bench", "rate", hosts="a,,b")[0], 2)

    def test_clients_are_those_of_all_hosts(self):
        made = [tree("closed", [finding("highest rate", r, "1/s"), finding("clients at the highest rate", n)],
                     [table("steps", "clients ,rate 1/s,rtt_p50 us", rows)])
                for r, n, rows in ((50, 1, [[1, 50, 3], [2, 40, 4]]), (60, 2, [[1, 20, 5], [2, 60, 4]]))]
        merged = run_of(report.merge([run_of(m, n) for m, n in zip(made, "ab")]))
        self.assertEqual(merged.table("steps").rows, [[2, 70, 5], [4, 100, 4]])
        self.assertEqual((merged.value("highest rate"), merged.value("clients at the highest rate")), (100, 4))

    def test_runs_of_different_settings_are_not_merged(self):
        one, other = (run_of(tree(settings={"timeout_s": t}), n, n) for t, n in ((1, "a"), (2, "b")))
        with self.assertRaisesRegex(report.Refused, "a and b do not belong together: timeout_s is 1 and 2"):
            report.merge([one, other])


class CommandLine(Scratch):
    def test_help_has_an_example_for_each_command(self):
        first = self.call("-h")[1]
        for name, _, text, example, _ in report.COMMANDS:
            self.assertIn(f"  {name:8} {text}\n           dns64bench-report {example}\n", first)
            status, out, _ = self.call(name, "-h")
            self.assertEqual(status, 0)
            self.assertIn(f"dns64bench-report {name}", re.sub(r"\s+", " ", out))
            self.assertTrue(example.startswith(name))

    def test_wrong_words_are_refused(self):
        for words in ((), ("nonsense",), ("table",), ("page", "a"), ("table", "--nonsense", "a")):
            self.refused(*words)


if __name__ == "__main__":
    unittest.main()
