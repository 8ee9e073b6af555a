# SPDX-License-Identifier: BSD-2-Clause
"""wire: DNS messages, from text to octets and back; no more than the conformance cases need."""

import ipaddress
import struct

TYPES = {
    "A": 1,
    "NS": 2,
    "CNAME": 5,
    "SOA": 6,
    "PTR": 12,
    "HINFO": 13,
    "MX": 15,
    "TXT": 16,
    "AAAA": 28,
    "SRV": 33,
    "NAPTR": 35,
    "DNAME": 39,
    "OPT": 41,
    "DS": 43,
    "RRSIG": 46,
    "NSEC": 47,
    "DNSKEY": 48,
    "SVCB": 64,
    "HTTPS": 65,
    "IXFR": 251,
    "AXFR": 252,
    "ANY": 255,
    "CAA": 257,
}
TYPE_NAMES = {number: name for name, number in TYPES.items()}
RCODES = {
    "NOERROR": 0,
    "FORMERR": 1,
    "SERVFAIL": 2,
    "NXDOMAIN": 3,
    "NOTIMP": 4,
    "REFUSED": 5,
    "YXDOMAIN": 6,
    "NOTAUTH": 9,
    "RCODE11": 11,
    "BADVERS": 16,
}
RCODE_NAMES = {number: name for name, number in RCODES.items()}
CLASSES = {"IN": 1, "CH": 3, "HS": 4, "CLASS1000": 1000}
FLAGS = {"qr": 15, "aa": 10, "tc": 9, "rd": 8, "ra": 7, "z": 6, "ad": 5, "cd": 4}
HAS_ONE_NAME = {2, 5, 12, 39}
SVCB_KEYS = {"mandatory": 0, "alpn": 1, "port": 3, "ipv4hint": 4, "ech": 5, "ipv6hint": 6}


class Bad(Exception):
    """The message is none."""


def type_number(text):
    if text in TYPES:
        return TYPES[text]
    if text.startswith("TYPE"):
        return int(text[4:])
    raise ValueError("no type: " + text)


def type_name(number):
    return TYPE_NAMES.get(number, "TYPE%d" % number)


# --- names: text with a final dot ---


def name_to_wire(name):
    octets = b""
    for label in name.rstrip(".").split("."):
        if label:
            octets += bytes([len(label)]) + label.encode("latin-1")
    return octets + b"\0"


def name_from_wire(message, offset):
    """The name at the offset, and where it ends."""
    labels = []
    end = None
    for _ in range(200):
        if offset >= len(message):
            raise Bad("name past the end")
        length = message[offset]
        if length == 0:
            end = offset + 1 if end is None else end
            return ".".join(labels) + ".", end
        if length >= 192:
            end = offset + 2 if end is None else end
            offset = struct.unpack_from("!H", message, offset)[0] & 0x3FFF
        else:
            labels.append(message[offset + 1 : offset + 1 + length].decode("latin-1"))
            offset += 1 + length
    raise Bad("name has no end")


# --- RDATA: text as in a zone file, octets without compression ---


def svcb_parameter(word):
    key, _, value = word.partition("=")
    if key == "alpn":
        octets = b"".join(bytes([len(v)]) + v.encode() for v in value.split(","))
    elif key == "port":
        octets = struct.pack("!H", int(value))
    elif key == "mandatory":
        octets = b"".join(struct.pack("!H", SVCB_KEYS[v]) for v in value.split(","))
    elif key == "ech":
        octets = bytes.fromhex(value)
    else:
        octets = b"".join(ipaddress.ip_address(v).packed for v in value.split(","))
    return struct.pack("!HH", SVCB_KEYS[key], len(octets)) + octets


def strings(words):
    """Character strings; *N is one of N letters."""
    words = ["a" * int(word[1:]) if word[0] == "*" else word for word in words]
    return b"".join(bytes([len(word)]) + word.encode() for word in words)


def rdata_to_wire(kind, words):
    """words: the fields, names absolute."""
    if words and words[0] == "\\#":
        return bytes.fromhex("".join(words[2:]))
    if kind in ("A", "AAAA"):
        return ipaddress.ip_address(words[0]).packed
    if type_number(kind) in HAS_ONE_NAME:
        return name_to_wire(words[0])
    if kind == "SOA":
        return (
            name_to_wire(words[0])
            + name_to_wire(words[1])
            + struct.pack("!5I", *map(int, words[2:7]))
        )
    if kind == "MX":
        return struct.pack("!H", int(words[0])) + name_to_wire(words[1])
    if kind == "SRV":
        return struct.pack("!3H", *map(int, words[:3])) + name_to_wire(words[3])
    if kind in ("TXT", "HINFO"):
        return strings(words)
    if kind == "CAA":
        return b"\0" + strings(words[:1]) + words[1].encode()
    if kind in ("SVCB", "HTTPS"):
        parameters = sorted(svcb_parameter(word) for word in words[2:])
        return struct.pack("!H", int(words[0])) + name_to_wire(words[1]) + b"".join(parameters)
    if kind == "RRSIG":
        return rrsig(words[0], int(words[1]), words[2])
    if kind == "NSEC":
        return name_to_wire(words[0]) + bytes.fromhex("000740000000000302")[:9]
    raise ValueError("cannot write " + kind)


def rrsig(covered, ttl, signer):
    """Well-formed, and by nobody."""
    fixed = struct.pack("!HBBIIIH", type_number(covered), 13, 3, ttl, 0xF0000000, 0x60000000, 4711)
    return fixed + name_to_wire(signer) + b"\x5a" * 64


def rdata_from_wire(message, kind, offset, length):
    """Octets without compression; names keep their case."""
    end = offset + length
    if kind in HAS_ONE_NAME:
        return name_to_wire(name_from_wire(message, offset)[0])
    if kind == 15:
        return message[offset : offset + 2] + name_to_wire(name_from_wire(message, offset + 2)[0])
    if kind == 6:
        first, offset = name_from_wire(message, offset)
        second, offset = name_from_wire(message, offset)
        return name_to_wire(first) + name_to_wire(second) + message[offset:end]
    return message[offset:end]


def rdata_text(kind, octets):
    """For the eye."""
    if kind in (1, 28) and len(octets) in (4, 16):
        return str(ipaddress.ip_address(octets))
    if kind in HAS_ONE_NAME:
        return name_from_wire(octets, 0)[0]
    if kind == 6:
        first, offset = name_from_wire(octets, 0)
        second, offset = name_from_wire(octets, offset)
        return " ".join(
            [first, second] + [str(n) for n in struct.unpack_from("!5I", octets, offset)]
        )
    return "\\# %d %s" % (len(octets), octets[:40].hex())


class Record:
    """A resource record; rdata are octets without compression."""

    def __init__(self, owner, ttl, kind, rdata, rclass=1):
        self.owner, self.ttl, self.kind, self.rdata, self.rclass = owner, ttl, kind, rdata, rclass

    @property
    def type(self):
        return type_name(self.kind)

    def wire(self):
        head = struct.pack("!HHIH", self.kind, self.rclass, self.ttl, len(self.rdata))
        return name_to_wire(self.owner) + head + self.rdata

    def __str__(self):
        return "%s %d %s %s" % (self.owner, self.ttl, self.type, rdata_text(self.kind, self.rdata))


class Message:
    """A message taken apart: its OPT stands beside the additional section."""

    def __init__(self, octets):
        self.size = len(octets)
        if self.size < 12:
            raise Bad("no header")
        self.id, self.bits, n_questions, *counts = struct.unpack_from("!6H", octets)
        self.questions, offset = [], 12
        for _ in range(n_questions):
            name, offset = name_from_wire(octets, offset)
            self.questions.append((name,) + struct.unpack_from("!HH", octets, offset))
            offset += 4
        self.opts = []
        self.an, offset = self._section(octets, offset, counts[0])
        self.au, offset = self._section(octets, offset, counts[1])
        self.ad, offset = self._section(octets, offset, counts[2])
        if offset != self.size:
            raise Bad("octets after the end")

    def _section(self, octets, offset, count):
        records = []
        for _ in range(count):
            owner, offset = name_from_wire(octets, offset)
            if offset + 10 > self.size:
                raise Bad("record past the end")
            kind, rclass, ttl, length = struct.unpack_from("!HHIH", octets, offset)
            offset += 10
            if offset + length > self.size:
                raise Bad("RDATA past the end")
            record = Record(owner, ttl, kind, rdata_from_wire(octets, kind, offset, length), rclass)
            offset += length
            (self.opts if kind == 41 else records).append(record)
        return records, offset

    def flag(self, name):
        return self.bits >> FLAGS[name] & 1

    @property
    def opcode(self):
        return self.bits >> 11 & 15

    @property
    def rcode(self):
        high = self.opts[0].ttl >> 24 if self.opts else 0
        return high << 4 | self.bits & 15

    @property
    def rcode_name(self):
        return RCODE_NAMES.get(self.rcode, "RCODE%d" % self.rcode)

    def options(self):
        """(code, octets) of the OPT."""
        found = []
        rdata = self.opts[0].rdata if self.opts else b""
        while len(rdata) >= 4:
            code, length = struct.unpack_from("!HH", rdata)
            found.append((code, rdata[4 : 4 + length]))
            rdata = rdata[4 + length :]
        return found

    def edes(self):
        return [
            struct.unpack_from("!H", octets)[0] for code, octets in self.options() if code == 15
        ]

    @property
    def do(self):
        return bool(self.opts) and self.opts[0].ttl >> 15 & 1

    def __str__(self):
        flags = " ".join(name for name in FLAGS if self.flag(name))
        lines = ["%s (%s) %d octets" % (self.rcode_name, flags, self.size)]
        for section in ("an", "au", "ad"):
            lines += ["%s %s" % (section, record) for record in getattr(self, section)]
        for opt in self.opts:
            lines.append("opt size %d ede %s" % (opt.rclass, self.edes()))
        return "\n".join(lines)


def opt_record(size=1232, ttl=0, options=()):
    """options: (code, octets)."""
    rdata = b"".join(struct.pack("!HH", code, len(octets)) + octets for code, octets in options)
    return Record(".", ttl, 41, rdata, size)


def message(number, bits, questions, an=(), au=(), ad=()):
    octets = struct.pack("!6H", number, bits, len(questions), len(an), len(au), len(ad))
    for name, kind, rclass in questions:
        octets += name_to_wire(name) + struct.pack("!HH", kind, rclass)
    return octets + b"".join(record.wire() for section in (an, au, ad) for record in section)
