# SPDX-License-Identifier: BSD-2-Clause
"""unboundconf: reads an unbound.conf, with what it includes, into clauses and attributes."""

import glob
import os
import re

import migrate
from migrate import Where, printable

CLAUSES = set("""
    server forward-zone stub-zone auth-zone rpz view remote-control python dynlib dnscrypt
    cachedb dnstap ipset
    """.split())
# Attributes with more than one value.
VALUES = {
    "access-control": 2,
    "access-control-view": 2,
    "access-control-tag": 2,
    "access-control-tag-action": 3,
    "access-control-tag-data": 3,
    "interface-action": 2,
    "interface-view": 2,
    "interface-tag": 2,
    "interface-tag-action": 3,
    "interface-tag-data": 3,
    "local-zone": 2,
    "local-zone-tag": 2,
    "local-zone-override": 3,
    "response-ip": 2,
    "response-ip-data": 2,
    "response-ip-tag": 2,
    "ratelimit-for-domain": 2,
    "ratelimit-below-domain": 2,
    "wait-limit-netblock": 2,
    "wait-limit-cookie-netblock": 2,
    "tcp-connection-limit": 2,
    "edns-client-string": 2,
}
DEEPEST = 16  # levels of files that include others
WORD = re.compile(
    r"""[ \t\r\f]*(?:(?P<end>\#.*|$)|"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<word>[^\s"']+))"""
)
ATTRIBUTE = re.compile("([a-z][a-z0-9-]*):(.*)$")


class Attribute:
    def __init__(self, where, name, values):
        self.where, self.name, self.values = where, name, values

    def yes(self):
        if self.values[0] not in ("yes", "no"):
            self.where.refuse(
                "%s: yes or no must be there, not '%s'" % (self.name, printable(self.values[0]))
            )
        return self.values[0] == "yes"


class Clause:
    def __init__(self, where, name):
        self.where, self.name, self.attributes = where, name, []

    def first(self, name, default):
        """The first value of the first attribute of this name."""
        return next((a.values[0] for a in self.attributes if a.name == name), default)


def words_of(where, line):
    """The words of a line as pairs of text and whether it was quoted."""
    words, at = [], 0
    while True:
        found = WORD.match(line, at)
        if not found:
            where.refuse("a quote is not closed in this line")
        kind = found.lastgroup
        if kind == "end":
            return words
        words.append((found.group(kind), kind != "word"))
        at = found.end()


class Parser:
    def __init__(self):
        self.reader = migrate.Reader()
        self.clauses = []
        self.is_open = False  # a clause may be added to

    def file(self, path, asked_at=None, depth=0):
        if depth > DEEPEST:
            asked_at.refuse("files include each other more than %d deep" % DEEPEST)
        for count, line in enumerate(self.reader.read(path, asked_at).split("\n"), 1):
            where = Where(path, count)
            words = words_of(where, line)
            while words:
                words = self.attribute(where, words, depth)

    def attribute(self, where, words, depth):
        """Take an attribute and its values off the words of a line; returns the others."""
        text, is_quoted = words[0]
        found = None if is_quoted else ATTRIBUTE.match(text)
        if not found:
            where.refuse("'%s': a keyword that ends with : must be there" % printable(text)[:60])
        name, glued = found.groups()
        words = ([(glued, False)] if glued else []) + words[1:]
        if name in CLAUSES:
            self.clauses.append(Clause(where, name))
            self.is_open = True
            return words
        count = VALUES.get(name, 1)
        if len(words) < count:
            where.refuse(
                "%s: %s must be in the same line"
                % (name, "a value" if count == 1 else "%d values" % count)
            )
        values = [word for word, _ in words[:count]]
        if name in ("include", "include-toplevel"):
            self.include(where, values[0], name == "include-toplevel", depth)
        elif not self.is_open:
            where.refuse("%s: a clause such as server: must come first" % name)
        else:
            self.clauses[-1].attributes.append(Attribute(where, name, values))
        return words[count:]

    def include(self, where, pattern, is_top_level, depth):
        """Files in the order of their names; none is no error if the name is a pattern."""
        base = os.path.dirname(where.file)
        path = pattern if os.path.isabs(pattern) or not base else os.path.join(base, pattern)
        if is_top_level:
            self.is_open = False
        for name in sorted(glob.glob(path)) if glob.has_magic(path) else [path]:
            self.file(name, where, depth + 1)
        if is_top_level:
            self.is_open = False


def read(path):
    """The clauses of the file."""
    parser = Parser()
    parser.file(path)
    return parser.clauses
