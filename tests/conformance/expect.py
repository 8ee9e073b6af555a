# SPDX-License-Identifier: BSD-2-Clause
"""expect: is an answer the one that a case wants? Each check returns what is wrong, or None."""

import wire

RRSIG = wire.TYPES["RRSIG"]
TTL_SLACK = 3  # a cache may count some seconds between the question upstream and the answer


def ttl_fits(spec, ttl):
    if spec == "*":
        return True
    for sign, fits in (("<=", ttl.__le__), (">=", ttl.__ge__), ("=", ttl.__eq__)):
        if spec.startswith(sign):
            return fits(int(spec[len(sign) :]))
    return int(spec) - TTL_SLACK <= ttl <= int(spec)


def count_fits(spec, count):
    """N, <=N or >=N"""
    return ttl_fits(spec if spec[0] in "<>" else "=" + spec, count)


def lowered(record_owner, kind, rdata):
    """Names compare without case."""
    with_name = kind in wire.HAS_ONE_NAME or kind in (6, 15)
    return record_owner.lower(), kind, rdata.lower() if with_name and rdata else rdata


def in_runs(items):
    """The order of records is kept, but not that within an RRset."""
    runs = []
    for item in items:
        key = (item[0], item[1])
        if not runs or runs[-1][0] != key:
            runs.append((key, []))
        runs[-1][1].append(item)
    return [item for _, run in runs for item in sorted(run, key=lambda i: i[2] or b"")]


def section_fits(wanted, records):
    """wanted: (owner, ttl, kind, rdata or None)"""
    if len(wanted) != len(records):
        return "%d records, not %d" % (len(records), len(wanted))
    want = in_runs([lowered(o, k, r) + (t,) for o, t, k, r in wanted])
    have = in_runs([lowered(r.owner, r.kind, r.rdata) + (r.ttl,) for r in records])
    for expected, got in zip(want, have):
        if expected[:2] != got[:2] or (expected[2] is not None and expected[2] != got[2]):
            return "%s %s" % (got[0], wire.type_name(got[1]))
        if not ttl_fits(expected[3], got[3]):
            return "TTL %d, not %s" % (got[3], expected[3])
    return None


def check_soa(answer, words):
    """soa [TTL]: a negative answer's authority; whether it is there twice is a case of its own."""
    soas = [record for record in answer.au if record.kind == 6]
    others = [record for record in answer.au if record.kind not in (6, 46, 47, 50)]
    if len(set(map(str, soas))) != 1 or others:
        return "authority is not one SOA"
    if words and not ttl_fits(words[0], soas[0].ttl):
        return "SOA's TTL %d, not %s" % (soas[0].ttl, words[0])
    return None


def check_no(answer, words):
    """no opt | ede | option N | TYPE..."""
    if words[0] == "opt":
        return "has an OPT" if answer.opts else None
    if words[0] == "ede":
        return "has EDE %s" % answer.edes() if answer.edes() else None
    if words[0] == "option":
        found = int(words[1]) in [code for code, _ in answer.options()]
        return "has option " + words[1] if found else None
    for record in answer.an + answer.au + answer.ad:
        if record.type in words:
            return "has " + record.type
    return None


def check_flags(answer, words):
    for word in words:
        name, _, value = word.partition("=")
        if answer.flag(name) != int(value):
            return "flag %s is %d" % (name, answer.flag(name))
    return None


def check_count(answer, words):
    """count SECTION TYPE NUMBER"""
    section, kind, spec = words
    found = sum(record.type == kind for record in getattr(answer, section))
    return None if count_fits(spec, found) else "%d of %s" % (found, kind)


def check_opt(answer, words):
    """opt [version=N]: there is one."""
    if len(answer.opts) != 1:
        return "%d OPTs" % len(answer.opts)
    version = answer.opts[0].ttl >> 16 & 255
    return "version %d" % version if version else None


CHECKS = {
    "soa": check_soa,
    "no": check_no,
    "flags": check_flags,
    "count": check_count,
    "opt": check_opt,
    "ede": lambda answer, words: (
        None if int(words[0]) in answer.edes() else "EDE %s" % answer.edes()
    ),
    "size": lambda answer, words: (
        None if answer.size <= int(words[0]) else "%d octets" % answer.size
    ),
    "spelled": lambda answer, words: (
        None if answer.questions and answer.questions[0][0] == words[0] else "question's spelling"
    ),
}


def check_asked(log, words):
    """asked COUNT NAME TYPE WORD...: so many went upstream; *.NAME is all below, and the name"""
    count, name, kind, *rest = words
    found = 0
    for question in log:
        if name.startswith("*."):
            same = ("." + question.name).endswith(name[1:].lower())
        else:
            same = question.name == name.lower()
        if same and kind in ("any", question.type) and set(rest) <= question.words:
            found += 1
    return None if count_fits(count, found) else "asked upstream %d times" % found


def sections_wrong(answer, lines):
    for section in ("an", "au", "ad"):
        wanted = [words[1] for words in lines if words[0] == section]
        if not wanted:
            continue
        if wanted == ["-"]:
            wanted = []
        wrong = section_fits(wanted, getattr(answer, section))
        if wrong:
            return "%s: %s" % (section, wrong)
    return None


def rcode_fits(words, answer):
    return words == ["any"] or (len(words) == 1 and answer.rcode_name in words[0].split("|"))


def wrong_in(answer, lines, log, seconds):
    """What of one alternative does not hold, or None."""
    for words in lines:
        if words[0] in ("an", "au", "ad"):
            continue
        if words[0] == "asked":
            wrong = check_asked(log, words[1:])
        elif words[0] == "within":
            wrong = None if seconds <= float(words[1]) else "after %.1f s" % seconds
        elif words[0] in CHECKS:
            wrong = CHECKS[words[0]](answer, words[1:])
        else:
            wrong = None if rcode_fits(words, answer) else "rcode " + answer.rcode_name
        if wrong:
            return wrong
    return sections_wrong(answer, lines)


def wrong_with(answer, step, log, seconds):
    """What is wrong with an answer: of the first alternative, if none fits."""
    if answer is None:
        return "no answer"
    if not answer.flag("qr"):
        return "not a reply"
    found = [wrong_in(answer, lines, log, seconds) for lines in step.alternatives]
    return None if None in found else found[0]
