# SPDX-License-Identifier: BSD-2-Clause
"""namedconf: reads a named.conf, with the files that it includes, into statements; access lists."""

import glob
import os
import re

import migrate
from migrate import Where, printable

TOP = set("""
    acl controls dlz dnssec-policy dyndb http include key key-store logging lwres managed-keys
    masters options parental-agents plugin primaries remote-servers server statistics-channels
    template tls trust-anchors trusted-keys view zone
    """.split())
DEEPEST = 16  # levels of files that include others, of blocks, and of access lists
TOKEN = re.compile(
    r"""(?P<blank>[ \t\r\f]+|(?://|\#)[^\n]*)|(?P<lines>\n|/\*.*?\*/)|"(?P<quoted>(?:[^"\\]|\\.)*)"
    |(?P<mark>[{};!])|(?P<word>(?!/\*)[^\s{};"!]+)""",
    re.VERBOSE | re.DOTALL,
)


class Statement:
    """Words, of which each is a text or a block, a list of statements."""

    def __init__(self, where, words):
        self.where, self.words = where, words

    @property
    def name(self):
        return self.words[0] if isinstance(self.words[0], str) else ""

    def value(self, at=1):
        """The word at this place, which must be a text."""
        if at >= len(self.words) or not isinstance(self.words[at], str):
            self.where.refuse("%s: a value must be there" % (self.name or "{"))
        return self.words[at]

    def block(self):
        """The last word, which must be a block."""
        if isinstance(self.words[-1], str):
            self.where.refuse("%s: a block in { } must be there" % self.name)
        return self.words[-1]

    def yes(self):
        word = self.value().lower()
        if word not in ("yes", "no", "true", "false", "1", "0"):
            self.where.refuse(
                "%s: yes or no must be there, not '%s'" % (self.name, printable(word))
            )
        return word in ("yes", "true", "1")

    def after(self, word):
        """The text that follows this word, as in "port 53"; None if it is not there."""
        texts = [w for w in self.words if isinstance(w, str)]
        for i, text in enumerate(texts[:-1]):
            if i and text == word:
                return texts[i + 1]
        return None

    def text(self):
        """How it was written, but for blocks."""
        return " ".join(w if isinstance(w, str) else "{...}" for w in self.words)


class Parser:
    def __init__(self):
        self.reader = migrate.Reader()

    def tokens(self, path, asked_at):
        """Pairs of line and token, where a quoted text begins with a quote."""
        text = self.reader.read(path, asked_at)
        at, line = 0, 1
        while at < len(text):
            found = TOKEN.match(text, at)
            if not found:
                what = "comment" if text[at] == "/" else "quote"
                Where(path, line).refuse("the %s that begins here is not closed" % what)
            kind = found.lastgroup
            if kind in ("mark", "word"):
                yield line, found.group()
            elif kind == "quoted":
                yield line, '"' + found.group("quoted").replace("\\", "")
            at = found.end()
            line += found.group().count("\n")

    def file(self, path, asked_at=None, depth=0):
        """All statements of the file, which are those of the top if no block includes it."""
        if depth > DEEPEST:
            asked_at.refuse("files include each other more than %d deep" % DEEPEST)
        stack = []  # the blocks that are open: statements before it, words before it, its line
        done, words, first = [], [], 1
        line = 1
        for line, token in self.tokens(path, asked_at):
            if not words:
                first = line
            if token == "{":
                if len(stack) == DEEPEST:
                    Where(path, line).refuse("blocks in blocks, more than %d deep" % DEEPEST)
                stack.append((done, words, first))
                done, words = [], []
            elif token == "}":
                if not stack:
                    Where(path, line).refuse("a } without a {")
                if words:
                    Where(path, line).refuse("a ; is missing before the }")
                block = done
                done, words, first = stack.pop()
                words.append(block)
            elif token == ";":
                if not words:
                    continue
                self.statement(done, Statement(Where(path, first), words), not stack, depth)
                words = []
            else:
                words.append(token.lstrip('"') if token[0] == '"' else token)
                if not stack and len(words) == 1 and not asked_at and token not in TOP:
                    Where(path, line).refuse(
                        "'%s' is no statement of named.conf" % printable(token)[:60]
                    )
        if stack:
            Where(path, stack[-1][2]).refuse(
                "the block that begins here is not closed at the end of the file"
            )
        if words:
            Where(path, first).refuse("no ; ends this at the end of the file")
        return done

    def statement(self, done, statement, is_top, depth):
        if statement.name != "include":
            done.append(statement)
            return
        pattern = statement.value()
        base = os.path.dirname(statement.where.file)
        path = pattern if os.path.isabs(pattern) or not base else os.path.join(base, pattern)
        for name in sorted(glob.glob(path)) if glob.has_magic(path) else [path]:
            done += self.file(name, statement.where, depth + 1)


def read(path):
    """The statements of the file."""
    statements = Parser().file(path)
    for statement in statements:
        if statement.name not in TOP:
            statement.where.refuse(
                "'%s' is no statement of named.conf" % printable(statement.name)[:60]
            )
    return statements


# --- access lists ---


class Acl:
    """Networks, and other lists, in their order; the first that matches counts."""

    def __init__(self):
        self.networks = {}  # triple of migrate: (place, is it positive?), the first only
        self.lists = []  # (place, is it positive?, Acl)
        self.count = 0
        self.has_localnets = False
        self.excludes_localnets = False  # behind a !
        self.has_negative = False
        self.unknown = {}  # statements that cannot be known here, such as keys
        self.all_networks = None  # named, once it was asked for; nothing is added then
        self.matches = {}  # has, likewise

    def add(self, is_positive, element):
        """A network or an Acl."""
        self.count += 1
        self.has_negative |= not is_positive
        if isinstance(element, Acl):
            self.lists.append((self.count, is_positive, element))
            self.has_localnets |= element.has_localnets
            self.excludes_localnets |= element.excludes_localnets
            self.excludes_localnets |= element.has_localnets and not is_positive
            self.has_negative |= element.has_negative
            self.unknown.update(element.unknown)
        else:
            self.networks.setdefault(element, (self.count, is_positive))

    def named(self):
        """All networks in it, for migrate.classes."""
        if self.all_networks is None:
            self.all_networks = set(self.networks).union(*(l.named() for _, _, l in self.lists))
        return self.all_networks

    def is_everybody(self):
        """Whether it is any, and nothing else."""
        return not self.has_negative and all(self.has(root) for root in migrate.ROOTS)

    def is_only_local(self):
        """Whether it is localnets, with this machine or without."""
        return (
            self.has_localnets
            and not self.excludes_localnets
            and self.named() <= migrate.LOCALHOST
        )

    def has(self, net):
        """Whether the addresses of this network match that are in no smaller one of named()."""
        if net not in self.matches:
            self.matches[net] = self.look_up(net)
        return self.matches[net]

    def look_up(self, net):
        """has, for the first time."""
        best = min(
            (self.networks[n] for n in migrate.around(net) if n in self.networks), default=None
        )
        for place, is_positive, other in self.lists:
            if best and best[0] < place:
                break
            # What a list inside excludes is no match, whether it is negated or not.
            if other.has(net):
                return is_positive
        return bool(best and best[1])


class Acls:
    """The access lists of a configuration; those with names are made once."""

    def __init__(self, statements):
        self.texts = {s.value(): s for s in statements if s.name == "acl"}
        self.made = {"localhost": Acl(), "localnets": Acl()}
        for net in sorted(migrate.LOCALHOST):
            self.made["localhost"].add(True, net)
        self.made["localnets"].has_localnets = True
        self.usual = Acl()  # who may ask if nothing is said
        for name in ("localhost", "localnets"):
            self.usual.add(True, self.made[name])

    def make(self, statement, block=None, depth=0):
        """The list that is the statement's block."""
        if depth > DEEPEST:
            statement.where.refuse("access lists name each other more than %d deep" % DEEPEST)
        acl = Acl()
        for element in statement.block() if block is None else block:
            words = element.words
            is_positive = True
            while words and words[0] == "!":
                is_positive, words = not is_positive, words[1:]
            if not words:
                element.where.refuse("nothing follows the !")
            if not isinstance(words[0], str):
                acl.add(is_positive, self.make(element, words[0], depth + 1))
            elif words[0] in ("key", "geoip", "ecs"):
                acl.unknown[element] = True
            else:
                self.add_word(acl, is_positive, element, words[0], depth)
        return acl

    def add_word(self, acl, is_positive, element, word, depth):
        if word in ("any", "none"):
            for root in migrate.ROOTS:
                acl.add(is_positive == (word == "any"), root)
        elif word in self.texts:
            if word not in self.made:
                self.made[word] = self.make(self.texts[word], None, depth + 1)
            acl.add(is_positive, self.made[word])
        elif word in self.made:
            acl.add(is_positive, self.made[word])
        else:
            acl.add(is_positive, migrate.key(network(element.where, word)))


def network(where, text):
    """A network, of which BIND lets the last numbers of an IPv4 address be left out (10/8)."""
    found = re.match(r"([0-9]{1,3}(?:\.[0-9]{1,3}){0,2})(/[0-9]+)?$", text)
    if found:
        text = found.group(1) + ".0" * (3 - found.group(1).count(".")) + (found.group(2) or "/32")
    if not re.match(r"[0-9a-fA-F:.]+(/[0-9]+)?(%\w+)?$", text):
        where.refuse("'%s' is no network, and no acl has this name" % printable(text)[:60])
    return migrate.network(where, "access list", text)
