#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""check_garbage: what is no configuration of its server is refused by contrib/migrate with the line,
exit 2 and nothing on the standard output, within seconds, whatever its size; so are broken ones."""

import glob
import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import converter  # noqa: E402
from converter import PROGRAMS  # noqa: E402

# Other programs' files
FOREIGN = {
    "nginx.conf": """user www-data;
http {
server { listen 80; server_name "example.com"; }
}
""",
    "dnsmasq.conf": """# dnsmasq
server=192.0.2.1
no-resolv
""",
    "some.yaml": """---
version: "3"
services:
  dns: { image: unbound }
""",
    "some.json": """{ "dns64": { "prefix": "64:ff9b::/96" } }
""",
    "some.ini": """[Unit]
Description=Unbound
""",
    "some.xml": """<?xml version="1.0"?>
<options><dns64 prefix="64:ff9b::/96"/></options>
""",
    "Corefile": """. {
    dns64 64:ff9b::/96
    forward . 192.0.2.1
}
""",
    "resolv.conf": """nameserver 192.0.2.1
search example.com
""",
    "main.c": "int main(void) { return 0; }\n",
}
FOREIGN_HERE = ("contrib/migrate/bind", "README", "tests/lint/shell.sh")

# Program, what must be said, and the file
BROKEN = (
    (
        "bind",
        ":1: the block that begins here is not closed",
        "options { forwarders { 192.0.2.1; };\n",
    ),
    ("bind", ":2: a } without a {", "options { };\n};\n"),
    ("bind", ":2: no ; ends this", "options { };\nacl a { any; }\n"),
    ("bind", ":1: a ; is missing before the }", "options { recursion yes };\n"),
    (
        "bind",
        ":3: the quote that begins here",
        'options {\n\tdirectory "/";\n\tversion "x;\n};\n',
    ),
    ("bind", ":2: the comment that begins here", "options { };\n/* no end\n"),
    ("bind", "'dns65' is no statement", "dns65 { };\n"),
    (
        "bind",
        ":2: dns64 2001:db8::/95: the length must be",
        "options {\n\tdns64 2001:db8::/95 { };\n};\n",
    ),
    ("bind", "bits 64 to 71 must be zero", "options { dns64 2001:db8:0:0:ff00::/96 { }; };\n"),
    ("bind", ":1: dns64: a prefix such as", "options { dns64 64:ff9b::1/96 { }; };\n"),
    (
        "bind",
        ":2: suffix ::1: the first 128 bits must be zero",
        "options { dns64 2001:db8:64::/96 {\n\tsuffix ::1; }; };\n",
    ),
    (
        "bind",
        "'friends' is no network, and no acl has this name",
        "options { allow-recursion { friends; }; };\n",
    ),
    (
        "bind",
        "access lists name each other",
        "acl a { b; }; acl b { a; };\noptions { allow-recursion { a; }; };\n",
    ),
    (
        "bind",
        "access lists name each other",
        "acl a { b; }; acl b { 192.0.2.1; a; };\noptions { listen-on { a; }; };\n",
    ),
    ("bind", ":2: a { where a name must be", "options {\n\t{ any; };\n};\n"),
    (
        "bind",
        ":1: access list: a network must be there",
        "options { allow-recursion { 10.0.0.0/33; }; };\n",
    ),
    (
        "bind",
        ":2: options: there is one block of options already",
        "options { };\noptions { };\n",
    ),
    ("bind", ":1: max-cache-ttl: a time such as", "options { max-cache-ttl soon; };\n"),
    (
        "bind",
        ":1: forwarders: an IP address must be there",
        "options { forwarders { one.example; }; };\n",
    ),
    (
        "bind",
        ":1: port: a number from 1 to 65535",
        "options { forwarders { 192.0.2.1 port 70000; }; };\n",
    ),
    ("bind", ":2: none.inc: No such file", 'options { };\ninclude "none.inc";\n'),
    ("bind", "files include each other", 'include "broken.conf";\n'),
    ("bind", ":1: minimal-any: yes or no", "options { minimal-any perhaps; };\n"),
    ("unbound", ":2: port: a value must be in the same line", "server:\n  port:\n"),
    ("unbound", ":2: 'port': a keyword that ends with :", "server:\n  port 53\n"),
    ("unbound", ":1: port: a clause such as server:", "port: 53\n"),
    ("unbound", ":2: access-control: 2 values", "server:\n  access-control: 10.0.0.0/8\n"),
    (
        "unbound",
        ":2: access-control: 'permit' is no action",
        "server:\n  access-control: 10.0.0.0/8 permit\n",
    ),
    ("unbound", ":2: a quote is not closed", 'server:\n  version: "x\n'),
    (
        "unbound",
        ":3: dns64-prefix 2001:db8::/95: the length",
        'server:\n  module-config: "dns64 iterator"\n  dns64-prefix: 2001:db8::/95\n',
    ),
    (
        "unbound",
        ":3: dns64-ignore-aaaa: a name must be there, not 'a # b'",
        'server:\n  module-config: "dns64 iterator"\n  dns64-ignore-aaaa: "a # b"\n',
    ),
    ("unbound", ":2: prefetch: yes or no", "server:\n  prefetch: maybe\n"),
    ("unbound", ":2: num-threads: a number", "server:\n  num-threads: four\n"),
    ("unbound", ":1: none.conf: No such file", 'include: "none.conf"\n'),
    (
        "unbound",
        ":3: forward-addr: an IP address",
        'forward-zone:\n  name: "."\n  forward-addr: resolver.example\n',
    ),
    (
        "totd",
        ":2: forwarder ADDRESS [port N]",
        "port 53\nforwarder 192.0.2.1 prot 53\n",
    ),
    ("totd", ":1: prefix: an IPv6 address", "prefix 2001:db8::/96\n"),
    (
        "totd",
        "'trick' is no keyword of totd; these are: forwarder",
        "trick on\n",
    ),
    (
        "totd",
        ":1: forwarder: the link-local address fe80::1 needs its interface",
        "forwarder fe80::1\n",
    ),
    ("totd", ":1: port: a number from 1 to 65535", "port 0\n"),
    ("totd", "must be a multiple of 8", "scoped 2001:db8:: fec0:: 47\n"),
)

ARGUMENTS = (
    ["none.conf"],
    ["."],
    [],
    ["one", "two"],
    ["--nonsense", "one"],
    ["--nameserver", "x", "one"],
    ["--nameserver", "192.0.2.1#x", "one"],
)


def source(name):
    return os.path.join(converter.SRCDIR, name)


def first_sample(program):
    (file,) = glob.glob(os.path.join(converter.SAMPLES, program, "01-*.conf"))
    return file


def write(name, data):
    with open(name, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def repeated(text, size):
    """The text again and again, as much as size bytes."""
    data = text.encode()
    return (data * (size // len(data) + 1))[:size]


class Garbage(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory(prefix="dns64d-migrate.")
        self.addCleanup(work.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(work.name)

    def refused(self, program, file, words=""):
        """With a line, and these words."""
        with self.subTest("%s %s" % (program, file), words=words):
            outcome = converter.run(program, file)
            self.assertEqual(outcome.code, 2, outcome.err)
            self.assertEqual(outcome.out, "", "a half result")
            self.assertEqual(outcome.err.count("\n"), 1, outcome.err)
            self.assertRegex(outcome.err, "^%s: [^ ]*:[0-9]+: ." % program)
            self.assertIn(words, outcome.err)
            self.assertLess(len(outcome.err.encode()), 600)

    def test_files_of_other_programs(self):
        for name, text in FOREIGN.items():
            write(name, text)
        with open(source("etc/dns64d.conf"), "rb") as file:
            write("sample.conf", file.read() + b"nameserver 192.0.2.1\n")
        for program in PROGRAMS:
            for name in (*FOREIGN, "sample.conf", *map(source, FOREIGN_HERE)):
                self.refused(program, name)
            for other in PROGRAMS:
                if other != program:
                    self.refused(program, first_sample(other))

    def test_binaries(self):
        built = os.path.join(converter.BUILDDIR, "dns64d")
        with open(built, "rb") as file:
            write("binary", file.read(3000))
        write("control", "server:\n  port: 53\n\001\n")
        write("zero", 'options {\n  version "a\0b";\n};\n')
        write("random", os.urandom(10000))
        for program in PROGRAMS:
            self.refused(program, "binary", "not a text file")
            self.refused(program, "control")
            self.refused(program, "zero")
            self.refused(program, "random")
            self.refused(program, built, "not a text file")
        self.refused("unbound", "control", r":3: the character \x01")
        self.refused("bind", "zero", r":2: the character \x00")

    def test_ten_megabytes_and_more(self):
        write("digits", repeated("0" * 1024 + "\n", 10000000))
        write("one-line", repeated("0", 9990244))
        write("braces", repeated("{\n", 10000000))
        write("quotes", repeated('"', 5000001))
        write("comments", repeated("/* ", 7500000))
        write("long", repeated("# nothing\n", 20000000))
        for program in PROGRAMS:
            for name in ("digits", "one-line", "braces", "quotes", "comments", "long"):
                self.refused(program, name)

    def test_the_last_of_many_lines(self):
        write("acls", "acl a { 10.0.0.0/8; };\n" * 150000 + "}\n")
        write("clauses", "server:\n" * 500000 + "port\n")
        write("forwarders", "forwarder 192.0.2.1\n" * 500000 + "forwarder\n")
        self.refused("bind", "acls", ":150001: ")
        self.refused("unbound", "clauses", ":500001: ")
        self.refused("totd", "forwarders", ":500001: ")

    def test_lists_of_lists_are_looked_at_once_each(self):
        lines = ["acl a0 { 10.0.0.0/8; !192.0.2.1; key x; };"]
        for i in range(1, 15):
            inner = "".join(" %sa%d;" % ("!" if j % 2 else "", i - 1) for j in range(10))
            lines.append("acl a%d {%s };" % (i, inner))
        lines.append("options { allow-recursion { a14; }; listen-on { a14; };")
        lines.append("dns64 64:ff9b::/96 { clients { a14; }; mapped { a14; }; }; };")
        write("lists.conf", "\n".join(lines) + "\n")
        write("lists", "\n".join(lines) + "\nend;\n")
        self.refused("bind", "lists", ":18: 'end' is no statement")
        self.assertEqual(converter.run("bind", "lists.conf", limit=20).code, 1)

    def test_broken_configurations(self):
        for program, words, text in BROKEN:
            write("broken.conf", text)
            self.refused(program, "broken.conf", words)


class Arguments(unittest.TestCase):
    def test_no_file_or_wrong_arguments_are_refused(self):
        for program in PROGRAMS:
            for arguments in ARGUMENTS:
                with self.subTest(program, arguments=arguments):
                    outcome = converter.process(converter.path(program), *arguments)
                    self.assertEqual((outcome.code, outcome.out), (2, ""))
                    self.assertTrue(outcome.err)
                    self.assertNotIn("Traceback", outcome.err)

    def test_a_full_disk_is_told(self):
        for program in PROGRAMS:
            with self.subTest(program), open("/dev/full", "wb") as full:
                ran = subprocess.run(
                    [converter.path(program), first_sample(program)],
                    stdout=full,
                    stderr=subprocess.DEVNULL,
                    timeout=60,
                )
                self.assertEqual(ran.returncode, 2)


if __name__ == "__main__":
    unittest.main()
