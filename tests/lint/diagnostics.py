#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""diagnostics: each warning and error that the daemon logs is in DIAGNOSTICS of dns64d(8): a piece of
some length that is no value. Else it is in EXCUSED, by its longest piece. Prints what is missing, and
rows of EXCUSED that nothing needs."""

import glob
import os
import re
import sys

os.chdir(os.environ.get("TOP_SRCDIR", "."))

CALL = re.compile(
    r"\b(log_error|log_warn\)?|log_seldom|diag_warning|lacking)"
    r"\(((?:\"(?:[^\"\\]|\\.)*\"|[^;\"{])*)\);",
    re.S,
)
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"|\b(PRI[a-zX0-9]+)\b')
VALUE = re.compile(r"%[-+ #0-9.*]*(?:hh|h|ll|l|z|j|t)?[a-zA-Z]")

EXCUSED = {
    "already running, process": "ends the start, with the reason",
    "fork": "ends the start, with the reason",
    "signals": "ends the start, with the reason",
    "loops": "ends the start, with the reason",
    "chroot": "ends the start, with the reason",
    "does not exist": "ends the start: control-group",
    'pidfile" names another place, or none': "ends the start, with what to do",
    'not started; the reason is on standard error ("dns64d -f" shows it again': "says itself what to do",
    "listen": "ends the start or the reload, with the reason and what to do",
    "inside of the chroot": 'begins with "a reload will fail", which is there',
    "no memory to tell of upstreams": "says itself that statistics are not whole",
    "libevent": "the text is libevent's",
}


def plain(text):
    """Words only, divided by single blanks."""
    return " ".join(re.sub(r"\s+", " ", text).split())


def manual():
    """What a reader sees of the section, about."""
    text = open("man/dns64d.8.in").read()
    text = text[text.index("\n.Sh DIAGNOSTICS") : text.index("\n.Sh SEE ALSO")]
    text = text.replace("\\(dq", '"').replace("\\&", "")
    text = re.sub(r"(?m)^\.(?:It |Dq |Ql |Ic |Cm |Pa |Xr |Dv |Li |Ar )+", "", text)
    return plain(text)


def format_of(call, arguments):
    """The format among the arguments: strings beside each other, without the keyword before it."""
    text, end = "", None
    strings = list(STRING.finditer(arguments))
    if call == "diag_warning" and len(strings) > 1:
        if arguments[strings[0].end() :].lstrip()[:1] == ",":
            del strings[0]
    for found in strings:
        if end is not None and arguments[end : found.start()].strip() not in ("", "CACHEFILE_KEY"):
            break
        text += found.group(1) if found.group(1) is not None else "u"
        end = found.end()
    return text.replace('\\"', '"')


def messages():
    """For each its place and its pieces."""
    for name in sorted(glob.glob("src/*/*.c")):
        if name.split("/")[1] in ("bench", "dns64bench", "dns64ctl", "fakedns", "tools"):
            continue
        source = open(name).read()
        for call in CALL.finditer(source):
            parts = [
                plain(part).strip(" :;,()'\"")
                for whole in VALUE.split(format_of(*call.groups()))
                for part in [whole] + re.split("[:;(]", whole)
            ]
            parts = [part for part in parts if re.search("[a-z]{2}", part)]
            if parts:
                yield "%s:%d" % (name, source.count("\n", 0, call.start()) + 1), parts


told, used, n, is_good = manual(), set(), 0, True
for place, parts in messages():
    n += 1
    longest = max(parts, key=len)
    if longest in EXCUSED:
        used.add(longest)
    elif not any(part in told for part in parts if len(part) >= 9):
        print("%s: not in DIAGNOSTICS of man/dns64d.8.in: %s" % (place, longest))
        is_good = False
for piece in sorted(set(EXCUSED) - used):
    print("tests/lint/diagnostics.py: no message needs: %s" % piece)
    is_good = False
if n < 40:
    print("src: only %d messages found" % n)
    is_good = False
sys.exit(not is_good)
