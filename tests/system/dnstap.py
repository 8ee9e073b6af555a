#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Print a line for each dnstap message in a file of Frame Streams, decoded without any library of it.

A line has: type, socket family, protocol, query address and port, response address and port, both
times in seconds, question (name and type), rcode, number of answers, identity, version, extra; "-"
for what is not there. A file that ends within a frame is as good as one that ends before it. Words
after the file's name: fields to print, by number from 1, in place of all.
"""
import ipaddress
import struct
import sys

TYPES = {5: 'CQ', 6: 'CR', 7: 'FQ', 8: 'FR'}


def varint(b, at):
    value = shift = 0
    while True:
        value |= (b[at] & 127) << shift
        shift += 7
        at += 1
        if b[at - 1] < 128:
            return value, at


def fields(b):
    """The fields of a message of protobuf, by number; each at most once."""
    out, at = {}, 0
    while at < len(b):
        key, at = varint(b, at)
        number, kind = key >> 3, key & 7
        assert number not in out, 'field %d twice' % number
        if kind == 0:
            out[number], at = varint(b, at)
        elif kind == 2:
            n, at = varint(b, at)
            out[number], at = b[at:at + n], at + n
        elif kind == 5:
            out[number], at = struct.unpack_from('<I', b, at)[0], at + 4
        else:
            raise ValueError('wire type %d' % kind)
    assert at == len(b)
    return out


def frames(b):
    at = 0
    while at + 4 <= len(b):
        n, = struct.unpack_from('>I', b, at)
        at += 4
        if n == 0:  # a control frame
            n, = struct.unpack_from('>I', b, at)
            kind, = struct.unpack_from('>I', b, at + 4)
            if kind == 2:  # START
                assert b'protobuf:dnstap.Dnstap' in b[at + 8:at + 4 + n]
            at += 4 + n
        elif at + n > len(b):
            return
        else:
            yield b[at:at + n]
            at += n


def question(msg):
    labels, at = [], 12
    while msg[at] > 0:
        labels.append(msg[at + 1:at + 1 + msg[at]].decode('ascii', 'replace'))
        at += 1 + msg[at]
    return '%s/%d' % ('.'.join(labels).lower(), struct.unpack_from('>H', msg, at + 1)[0])


def line(frame):
    d = fields(frame)
    assert d[15] == 1 and not set(d) - {1, 2, 3, 14, 15}, sorted(d)
    m = fields(d[14])
    kind = TYPES[m[1]]
    asks = kind in ('CQ', 'FQ')
    assert (10 in m) == asks and (14 in m) != asks and (12 in m) != asks
    msg = m[10] if asks else m[14]
    assert bool(msg[2] & 128) != asks

    def time(sec, nsec):
        return '%d.%09d' % (m[sec], m[nsec]) if sec in m else '-'

    def address(n):
        return str(ipaddress.ip_address(m[n])) if n in m else '-'

    def text(n):
        return d[n].decode().replace(' ', '_') if n in d else '-'
    return [kind, {1: 'inet', 2: 'inet6'}[m[2]], {1: 'udp', 2: 'tcp'}[m[3]], address(4), m.get(6, '-'),
            address(5), m.get(7, '-'), time(8, 9), time(12, 13), question(msg), msg[3] & 15,
            struct.unpack_from('>H', msg, 6)[0], text(1), text(2), text(3)]


with open(sys.argv[1], 'rb') as f:
    for one in frames(f.read()):
        words = line(one)
        if len(sys.argv) > 2:
            words = [words[int(n) - 1] for n in sys.argv[2:]]
        print(*words)
