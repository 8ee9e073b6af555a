#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Ask as a balancer does that speaks the PROXY protocol, version 2, and print the answer.

    proxy.py [--from ADDRESS] [--at ADDRESS] [--port N] [--tcp] [--bytes N] [--hex] [--times N] [--cookie HEX] [--bufsize N]
             [--signed] [--wait SECONDS] [--header TEXT]... [--second TEXT] NAME TYPE

A header is a client's address, "local", "unspec", "v1", "long" (of 64 KiB), "cut" (over TCP the connection
ends with it), or "none". Printed is "nothing", "closed", or the rcode, "tc" if it is set, the addresses, and
the server's cookie; with --hex all octets; with --times a line with how many got which.
"""
import argparse
import collections
import socket
import struct
import time

SIGNATURE = b'\r\n\r\n\0\r\nQUIT\n'
RCODES = {0: 'NOERROR', 1: 'FORMERR', 2: 'SERVFAIL', 3: 'NXDOMAIN', 4: 'NOTIMP', 5: 'REFUSED'}
TYPES = {'A': 1, 'TXT': 16, 'AAAA': 28, 'MX': 15}


def family(text):
    return socket.AF_INET6 if ':' in text else socket.AF_INET


def header(text):
    if text == 'none':
        return b''
    if text == 'v1':
        return b'PROXY TCP4 192.0.2.1 127.0.0.1 4000 53\r\n'
    if text == 'local':
        return SIGNATURE + b'\x20\0\0\0'
    if text == 'unspec':
        return SIGNATURE + b'\x21\0\0\3\4\0\0'
    if text == 'long':
        return SIGNATURE + b'\x21\x11\xff\xff' + bytes(2000)
    if text == 'cut':  # the question is not enough for what is missing
        return SIGNATURE + b'\x21\x11\3\0\xc0\0'
    addr = socket.inet_pton(family(text), text)
    body = addr + bytes(len(addr)) + struct.pack('>HH', 4000, 53) + b'\x04\0\3abc'
    return SIGNATURE + bytes([0x21, 0x22 if len(addr) == 16 else 0x12]) + struct.pack('>H', len(body)) + body


def question(o):
    name = b''.join(bytes([len(p)]) + p.encode() for p in o.name.split('.') if p) + b'\0'
    extra = b''
    if o.cookie is not None or o.bufsize:
        cookie = bytes.fromhex(o.cookie or '')
        options = struct.pack('>HH', 10, len(cookie)) + cookie if cookie else b''
        extra = b'\0' + struct.pack('>HHIH', 41, o.bufsize or 1232, 0, len(options)) + options
    if o.signed:  # it is passed on as it is, whatever the MAC
        rdata = b'\4hmac\0' + struct.pack('>HIHH', 0, 0, 300, 4) + b'fake' + struct.pack('>HHH', 7, 0, 0)
        extra += b'\3key\0' + struct.pack('>HHIH', 250, 255, 0, len(rdata)) + rdata
    n = (1 if o.cookie is not None or o.bufsize else 0) + o.signed
    return struct.pack('>HHHHHH', 7, 0x100, 1, 0, 0, n) + name + struct.pack('>HH', TYPES[o.type], 1) + extra


def skip_name(m, at):
    while m[at] and m[at] < 192:
        at += m[at] + 1
    return at + (2 if m[at] else 1)


def text_of(m, o):
    if not isinstance(m, bytes):
        return m
    if o.hex:
        return m.hex()
    flags, qd, an, ns, ar = struct.unpack_from('>HHHHH', m, 2)
    words = [RCODES.get(flags & 15, str(flags & 15))] + (['tc'] if flags & 0x200 else [])
    at = 12
    for _ in range(qd):
        at = skip_name(m, at) + 4
    for _ in range(an + ns + ar):
        at = skip_name(m, at)
        kind, _, _, n = struct.unpack_from('>HHIH', m, at)
        rdata = m[at + 10:at + 10 + n]
        at += 10 + n
        if kind in (1, 28):
            words.append(socket.inet_ntop(socket.AF_INET if kind == 1 else socket.AF_INET6, rdata))
        while kind == 41 and rdata:
            code, n = struct.unpack_from('>HH', rdata)
            words += [rdata[4:4 + n].hex()] if code == 10 else []
            rdata = rdata[4 + n:]
    return ' '.join(words)


def connect(o, kind):
    s = socket.socket(family(o.server), kind)
    s.settimeout(20)
    s.bind((o.source, 0))
    s.connect((o.server, o.port))
    return s


def exactly(s, n):
    got = b''
    while len(got) < n:
        more = s.recv(n - len(got))
        if not more:
            return None
        got += more
    return got


def by_tcp(s, sent, piece, ends):
    try:
        for at in range(0, len(sent), piece or len(sent)):
            s.sendall(sent[at:at + piece] if piece else sent)
            if piece:
                time.sleep(0.001)
        if ends:
            s.shutdown(socket.SHUT_WR)
        n = exactly(s, 2)
        m = exactly(s, struct.unpack('>H', n)[0]) if n else None
        return m if m else 'closed'
    except ConnectionError:
        return 'closed'


def by_udp(s, sent, wait):
    s.send(sent)
    s.settimeout(wait)
    try:
        return s.recv(65535)
    except (socket.timeout, BlockingIOError):
        return 'nothing'


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--from', dest='source', default='')
    p.add_argument('--at', dest='server', default='127.0.0.1')
    p.add_argument('--port', type=int, default=5364)
    p.add_argument('--tcp', action='store_true')
    p.add_argument('--bytes', type=int, default=0)
    p.add_argument('--hex', action='store_true')
    p.add_argument('--times', type=int, default=1)
    p.add_argument('--cookie')
    p.add_argument('--bufsize', type=int, default=0)
    p.add_argument('--signed', action='store_true')
    p.add_argument('--wait', type=float, default=10)
    p.add_argument('--header', action='append', default=[])
    p.add_argument('--second')
    p.add_argument('name')
    p.add_argument('type')
    o = p.parse_args()
    before, q = b''.join(header(h) for h in o.header), question(o)
    answers = []
    s = connect(o, socket.SOCK_STREAM if o.tcp else socket.SOCK_DGRAM)
    for _ in range(o.times):
        if o.tcp:
            answers.append(text_of(by_tcp(s, before + struct.pack('>H', len(q)) + q, o.bytes, 'cut' in o.header), o))
            before = header(o.second) if o.second else b''
        else:
            answers.append(text_of(by_udp(s, before + q, o.wait), o))
    if o.times > 1 and not o.tcp:
        counts = collections.Counter(answers)
        print(', '.join('%d %s' % (counts[a], a) for a in sorted(counts)))
    else:
        print('; '.join(answers))


main()
