#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""check_convert: each configuration in tests/migrate becomes what is beside it, NAME.expected, and
dns64d takes it; those of this machine's packages do as well. With UPDATE=yes the expected is written
anew."""

import glob
import os
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import converter  # noqa: E402
from converter import process  # noqa: E402

DNS64D = os.environ.get("DNS64D", os.path.join(converter.BUILDDIR, "dns64d"))
PACKAGED = (  # what Debian's packages bring
    ("bind", "/etc/bind/named.conf"),
    ("bind", "/usr/share/doc/bind9/examples/named.conf"),
    ("unbound", "/etc/unbound/unbound.conf"),
    ("unbound", "/usr/share/doc/unbound/examples/unbound.conf"),
)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def squeezed(text):
    """The text without what wrapping changes."""
    return re.sub("[# \n]", "", text)


def as_expected(outcome):
    """The text of a file NAME.expected."""
    errors = "".join("stderr: %s\n" % line for line in outcome.err.splitlines())
    made = re.sub(r"of dns64d [0-9.]*\.$", "of dns64d VERSION.", outcome.out, flags=re.M)
    return "exit %d\n%s%s" % (outcome.code, errors, made)


class Conversions(unittest.TestCase):
    maxDiff = None

    def taken(self, made):
        """dns64d takes the result. What the machine lacks for a start is no matter here."""
        with tempfile.NamedTemporaryFile("w", prefix="dns64d-migrate.") as file:
            file.write(made)
            file.flush()
            os.chmod(file.name, 0o644)
            said = process(DNS64D, "-t", "-c", file.name)
        self.assertEqual(said.code, 0, "dns64d -t refuses the result: " + said.out + said.err)

    def told(self, outcome):
        """Exit 0 if there is no remark, else 1; each remark is in the result as well, which has
        lines of 1023 at most."""
        lines = outcome.err.splitlines()
        remarks = [line for line in lines if not line.startswith("note: ")]
        self.assertEqual(outcome.code, 1 if remarks else 0, "with %d remarks" % len(remarks))
        comments = " ".join(re.findall("^# *(.*)", outcome.out, re.M))
        for line in lines:
            self.assertIn(line.removeprefix("note: "), comments)
        self.assertLessEqual(max(map(len, outcome.out.splitlines())), 1000)

    def same_of_stdin(self, file, outcome, piped):
        """The standard input becomes the same, with another name in places."""
        lines = [
            line.replace(" the standard input ", " %s " % file, 1).replace(" -:", " %s:" % file, 1)
            for line in piped.out.splitlines()
        ]
        self.assertEqual(squeezed("".join(lines)), squeezed(outcome.out))
        self.assertEqual(piped.code, outcome.code)

    def each(self, program):
        os.chdir(os.path.join(converter.SAMPLES, program))
        files = sorted(glob.glob("*.conf"))
        self.assertGreaterEqual(len(files), 20)
        for file in files:
            expected = file.removesuffix(".conf") + ".expected"
            with self.subTest(program + " " + file):
                outcome = converter.run(program, file)
                if os.environ.get("UPDATE", "no") != "no":
                    with open(expected, "w", encoding="utf-8") as into:
                        into.write(as_expected(outcome))
                self.assertEqual(as_expected(outcome), read(expected))
                self.taken(outcome.out)
                self.told(outcome)
                with open(file, "rb") as stdin:
                    piped = converter.run(program, "-", stdin=stdin.read())
                self.same_of_stdin(file, outcome, piped)

    def test_configurations_of_totd(self):
        self.each("totd")

    def test_configurations_of_bind(self):
        self.each("bind")

    def test_configurations_of_unbound(self):
        self.each("unbound")

    def test_those_of_packages(self):
        for program, file in PACKAGED:
            if os.access(file, os.R_OK):
                with self.subTest(program + " " + file):
                    outcome = converter.run(program, file)
                    print("%s:%s: exit %s" % (program, file, outcome.code))
                    self.taken(outcome.out)
                    self.told(outcome)


class Programs(unittest.TestCase):
    """As they are started by an operator."""

    def compare(self, program, argument, stdin=b""):
        inside = converter.run(program, argument, stdin=stdin)
        outside = process(converter.path(program), argument, stdin=stdin)
        self.assertEqual(vars(outside), vars(inside))

    def test_a_process_does_the_same(self):
        for program in converter.PROGRAMS:
            os.chdir(os.path.join(converter.SAMPLES, program))
            file = min(glob.glob("*.conf"))
            with self.subTest(program):
                self.compare(program, file)
                with open(file, "rb") as stdin:
                    self.compare(program, "-", stdin.read())

    def test_version_and_help(self):
        version = process(DNS64D, "-V").out.splitlines()[0]
        for program in converter.PROGRAMS:
            with self.subTest(program):
                said = process(converter.path(program), "--version")
                self.assertEqual(said.out, "%s of %s\n" % (program, version))
                self.assertIn("Exit code:", process(converter.path(program), "--help").out)


if __name__ == "__main__":
    unittest.main()
