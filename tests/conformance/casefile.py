# SPDX-License-Identifier: BSD-2-Clause
"""casefile: reads the cases; the language is in README."""

import ipaddress
import re

import wire
import zones

NAME_FIELDS = {
    "CNAME": [0],
    "DNAME": [0],
    "NS": [0],
    "PTR": [0],
    "MX": [1],
    "SRV": [3],
    "SOA": [0, 1],
    "SVCB": [1],
    "HTTPS": [1],
    "RRSIG": [2],
    "NSEC": [0],
}
LEVELS = ("MUST", "SHOULD", "MAY", "decision")


class Step:
    """A question, and the answers of which one must come."""

    def __init__(self, name, kind, words):
        self.name, self.kind, self.words = name, kind, words
        self.pause = 0
        self.alternatives = [[]]


class Case:
    def __init__(self, name, rules, level, what):
        self.name, self.rules, self.level, self.what = name, rules.split(","), level, what
        self.setup, self.fresh, self.runs = "main", False, 1
        self.apex = name + ".example."
        self.zone = zones.Zone(self.apex)
        self.steps = []
        self.cannot = set()

    def absolute(self, name):
        if name == "@":
            return self.apex
        if name.startswith("ptr:"):
            return ipaddress.ip_address(name[4:]).reverse_pointer + "."
        return name if name.endswith(".") or name == "*" else name + "." + self.apex

    def record(self, words):
        """OWNER TTL TYPE RDATA..., the TTL as it is written."""
        owner, ttl, kind, *fields = words
        for i in NAME_FIELDS.get(kind, []):
            if fields and fields[0] not in ("*", "\\#"):
                fields[i] = self.absolute(fields[i])
        if fields == ["*"]:
            rdata = None
        elif kind == "RRSIG" and len(fields) == 1:
            rdata = None  # the type covered is told by the place
        else:
            rdata = wire.rdata_to_wire(kind, fields)
        return self.absolute(owner), ttl, wire.type_number(kind), rdata


def number_of(ttl):
    return int(ttl, 0)


def read_record(case, words):
    owner, ttl, kind, rdata = case.record(words)
    return wire.Record(owner, number_of(ttl), kind, rdata)


def do_zone(case, words):
    case.zone.records.append(read_record(case, words))


def do_many(case, words):
    """many NAME TTL COUNT: A records 192.0.2.1 and up."""
    owner, ttl, count = words
    for i in range(1, int(count) + 1):
        do_zone(case, [owner, ttl, "A", "192.0.2.%d" % i])


def do_reply(case, words):
    """reply NAME TYPE CONDITION...: ITEM; ITEM"""
    head, _, items = " ".join(words).partition(": ")
    name, kind, *conditions = head.split()
    parsed = []
    for item in items.split(";"):
        item = item.split()
        if item[0] in ("an", "au", "ad"):
            item = [item[0], read_record(case, item[1:])]
        parsed.append(item)
    case.zone.replies.append((case.absolute(name).lower(), kind, set(conditions), parsed))


def do_soa(case, words):
    case.zone.soa = None if words == ["none"] else (int(words[0]), int(words[1]))


def do_fresh(case, words):
    """fresh [N]: a server of its own; N of them, one after the other, where chance has a part."""
    case.fresh, case.runs = True, int(words[0]) if words else 1


def do_ask(case, words):
    case.steps.append(Step(case.absolute(words[0]), words[1], words[2:]))


DIRECTIVES = {
    "zone": do_zone,
    "many": do_many,
    "reply": do_reply,
    "soa": do_soa,
    "ask": do_ask,
    "apex": lambda case, words: case.zone.apexes.extend(map(case.absolute, words)),
    "signed": lambda case, words: setattr(case.zone, "signed", True),
    "setup": lambda case, words: setattr(case, "setup", words[0]),
    "fresh": do_fresh,
    "cannot": lambda case, words: case.cannot.update(words),
}


def read_expectation(case, words):
    if words[0] == "or":
        case.steps[-1].alternatives.append([])
        return
    if words[0] == "pause":
        case.steps[-1].pause = float(words[1])
        return
    if words[0] in ("an", "au", "ad") and words[1] != "-":
        words = [words[0], case.record(words[1:])]
    elif words[0] == "asked":
        words = words[:2] + [case.absolute(words[2])] + words[3:]
    case.steps[-1].alternatives[-1].append(words)


def read_line(case, line):
    words = line.split()
    if words[0] in DIRECTIVES and not (case.steps and words[0] == "soa"):
        DIRECTIVES[words[0]](case, words[1:])
    elif case.steps:
        read_expectation(case, words)
    else:
        raise ValueError("no such word: " + words[0])


def read(path):
    """The cases of a file."""
    cases = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = re.sub(r"(^|\s)# .*|^#$", "", line.rstrip("\n")).strip()
            head = re.fullmatch(r"case (\S+) (\S+) (\S+): (.+)", line)
            try:
                if head:
                    cases.append(Case(*head.groups()))
                    if head.group(3) not in LEVELS:
                        raise ValueError("no such level")
                elif line:
                    read_line(cases[-1], line)
            except (ValueError, IndexError, KeyError) as error:
                raise SystemExit("%s:%d: %s: %r" % (path, number, line, error)) from error
    return cases
