# SPDX-License-Identifier: BSD-2-Clause
"""hostile.py ADDRESS PORT PATH N SECONDS: N requests that break rules, in turn to the HTTP server at ADDRESS and
PORT and to the one at the Unix socket PATH, some at a time; then a thousand connections at each for SECONDS,
beside which a good request has to be served. Ends with "all as it has to be", or with what was not."""

import os
import random
import resource
import socket
import struct
import sys
import threading
import time

ADDRESS, PORT, PATH, N, SECONDS = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4]), float(sys.argv[5])
AT_A_TIME = 16
CROWD = 1000
PATIENCE_S = 25  # longer than any connection may last

GET = b'GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n'
POST = b'POST /flush/name HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s'


def post(body):
    return POST % (len(body), body)


# What is sent at once and then read to its end. None of it may be answered with 200.
REFUSED = {
    'header of 1 MB': b'GET /metrics HTTP/1.1\r\nX: ' + b'x' * 1000000 + b'\r\n\r\n',
    'header of 1 MB in many lines': b'GET /metrics HTTP/1.1\r\n' + b'X: x\r\n' * 170000 + b'\r\n',
    'header of 1 MB, folded': b'GET /metrics HTTP/1.1\r\nX: x\r\n' + b' x\r\n' * 250000 + b'\r\n',
    'path of 1 MB': b'GET /' + b'p' * 1000000 + b' HTTP/1.1\r\n\r\n',
    'method of 1 MB': b'G' * 1000000 + b' / HTTP/1.1\r\n\r\n',
    'body of 1 MB': post(b' ' * 1000000),
    'body of 1 MB that is JSON': post(b'{"name": "' + b'a' * 1000000 + b'"}'),
    'no HTTP': b'hello\r\nare you there?\r\n\r\n',
    'zeros': b'\0' * 5000,
    'random': os.urandom(5000),
    'TLS': bytes.fromhex('16030100c8010000c40303') + os.urandom(200),
    'lines': b'\r\n' * 3000,
    'HTTP/2 preface': b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' + bytes(9),
    'HTTP/9': b'GET /metrics HTTP/9.9\r\n\r\n',
    'no version': b'GET\r\n\r\n',
    'DNS': struct.pack('!H', 29) + b'\x12\x34\1\0\0\1\0\0\0\0\0\0\1a\4test\0\0\x1c\0\1',
    'endless chunk line': b'POST /flush/name HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n' + b'0' * 1000000,
    'huge chunk': b'POST /flush/name HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\n' + b'x' * 99999,
    'huger chunk': b'POST /flush/name HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nx',
    'negative chunk': b'POST /flush/name HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nx',
    'many small chunks': b'POST /flush/name HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n' + b'1\r\nx\r\n' * 90000,
    'negative length': b'POST /flush/name HTTP/1.1\r\nContent-Length: -1\r\n\r\n{}',
    'huge length': b'POST /flush/name HTTP/1.1\r\nContent-Length: 9223372036854775807\r\n\r\n{}',
    'huger length': b'POST /flush/name HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n{}',
    'length that is none': b'POST /flush/name HTTP/1.1\r\nContent-Length: 0x10\r\n\r\n{}',
    'two lengths': b'POST /flush/name HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 70000\r\n\r\n{}',
    'length and chunks': b'POST /flush/name HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}',
    'bad JSON': post(b'{"name": '),
    'JSON of another kind': post(b'[1]'),
    'deep arrays': post(b'[' * 60000),
    'deep objects': post(b'{"a":' * 12000),
    'huge number': post(b'{"name": ' + b'9' * 60000 + b'}'),
    'huge exponent': post(b'{"name": 1e999999}'),
    'NUL in a string': post(b'{"name": "a\\u0000b"}'),
    'NUL in JSON': post(b'{"name": "a\0b"}'),
    'half a surrogate': post(b'{"name": "\\ud800"}'),
    'no UTF-8': post(b'{"name": "\xff\xfe"}'),
    'a key twice': post(b'{"name": "a", "name": "b"}'),
    'many keys': post(b'{' + b','.join(b'"%d": "x"' % i for i in range(5000)) + b'}'),
    '..': GET % b'/../../../etc/passwd',
    '.. within': GET % b'/metrics/../../etc/passwd',
    '.. encoded': GET % b'/%2e%2e/%2e%2e/etc/passwd',
    '.. encoded twice': GET % b'/%252e%252e/etc/passwd',
    '.. with backslashes': GET % b'/..\\..\\etc\\passwd',
    'NUL in a path': GET % b'/metrics%00.png',
    'NUL in a query': GET % b'/cache/lookup?name=a%00b',
    'bad escape': GET % b'/%zz%',
    'two slashes': GET % b'//metrics',
    'a path without slash': GET % b'metrics',
    'markup': GET % b'/<script>alert(1)</script>',
    'CR in a path': GET % b'/nothing%0d%0aX:%20y',
    'another place': GET % b'http://user:pass@[::1]:99999/etc/passwd',
    'bad address': GET % b'http://[::1/metrics',
    'a file': GET % b'file:///etc/passwd',
    'a number for an address': GET % b'http://999999999999999/nothing',
    'DELETE': b'DELETE /metrics HTTP/1.1\r\n\r\n',
    'PUT': b'PUT /metrics HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}',
    'PATCH': b'PATCH /metrics HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}',
    'OPTIONS': b'OPTIONS * HTTP/1.1\r\n\r\n',
    'TRACE': b'TRACE /metrics HTTP/1.1\r\nCookie: a\r\n\r\n',
    'CONNECT': b'CONNECT a.test:53 HTTP/1.1\r\n\r\n',
    'a method that is none': b'BREW /metrics HTTP/1.1\r\n\r\n',
    'methods in small letters': b'get /metrics HTTP/1.1\r\n\r\n',
    'no colon': b'GET /metrics HTTP/1.1\r\nno colon\r\n\r\n',
    'a header without a name': b'GET /metrics HTTP/1.1\r\n: x\r\n: y\r\nno colon\r\n\r\n',
}

# These may be served or not; what counts is that they end.
ODD = {
    'HTTP/0.9': b'GET /metrics\r\n\r\n',
    'many hosts': b'GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\nHost: \xff\r\n\r\n',
    'no host': b'GET /health HTTP/1.1\r\n\r\n',
    'a host that is none': b'GET /health HTTP/1.1\r\nHost: ../../etc:99999999/\r\n\r\n',
    'other host': b'GET http://evil.test/health HTTP/1.1\r\nHost: evil.test\r\n\r\n',
    'pipelined': GET % b'/health' * 2000,
    'pipelined behind a wait': GET % b'/metrics' + b'x' * 100000,
    'upgrade': b'GET /health HTTP/1.1\r\nUpgrade: h2c, websocket\r\nConnection: Upgrade, HTTP2-Settings\r\n\r\n',
    'continue': b'POST /flush/name HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n{',
    'ranges': b'GET /metrics HTTP/1.1\r\nRange: bytes=' + b'0-0,' * 900 + b'0-1\r\n\r\n',
    'a body where none is': b'GET /metrics HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n' + b'x' * 1000000,
    'a long query': GET % (b'/cache/lookup?' + b'a=b&' * 900),
}

random.seed(1)
failures = []
codes = {}


def connect(place):
    if place == 'control':
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(PATIENCE_S)
        s.connect(PATH)
    else:
        s = socket.socket()
        s.settimeout(PATIENCE_S)
        s.connect((ADDRESS, PORT))
    return s


def read_all(s):
    answer = b''
    while True:
        try:
            part = s.recv(65536)
        except ConnectionError:
            return answer
        if not part:
            return answer
        answer += part


def send(s, data):
    try:
        s.sendall(data)
    except ConnectionError:
        pass  # they have heard enough


def code_of(answer):
    return answer[9:12].decode('ascii', 'replace') if answer.startswith(b'HTTP/1') else 'none'


def plain(place, what, data):
    with connect(place) as s:
        send(s, data)
        s.shutdown(socket.SHUT_WR) if random.random() < 0.5 and len(data) < 5000 else None
        code = code_of(read_all(s))
    codes[code] = codes.get(code, 0) + 1
    if what in REFUSED and code == '200':
        failures.append('%s: %s was served' % (place, what))


def reset(place, data):
    s = connect(place)
    send(s, data)
    if place == 'web':
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    s.close()


def never_read(place):
    with connect(place) as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        send(s, GET % b'/metrics')
        time.sleep(0.05)


def half(place, data):
    with connect(place) as s:
        send(s, data[:random.randrange(len(data))])
        try:
            s.shutdown(socket.SHUT_WR)
        except OSError:
            pass
        read_all(s)


def one(n):
    place = 'control' if n % 2 else 'web'
    kind = n // 2 % 8
    if kind < 5:
        what = random.choice(list(REFUSED) + list(ODD)) if n > 200 else (list(REFUSED) + list(ODD))[n // 2 % 76]
        plain(place, what, (REFUSED.get(what) or ODD.get(what)))
    elif kind == 5:
        reset(place, random.choice([b'', GET % b'/metrics', GET % b'/', b'GET /me', post(b'{')[:-1]]))
    elif kind == 6:
        never_read(place)
    else:
        half(place, random.choice([GET % b'/metrics', post(b'{"name": "a"}')]))


class Turns:
    def __init__(self):
        self.n = 0
        self.lock = threading.Lock()

    def run(self):
        while True:
            with self.lock:
                n = self.n
                self.n += 1
            if n >= N:
                return
            try:
                one(n)
            except Exception as e:  # a thread must not end unseen
                failures.append('%d: %r' % (n, e))


def served(place):
    """How long a good request took, in s; None: it was not served."""
    began = time.time()
    with connect(place) as s:
        send(s, GET % b'/health')
        return time.time() - began if code_of(read_all(s)) == '200' else None


def crowd():
    """A thousand at each who send a byte now and then, or who never read what they asked for."""
    socks = []
    for i in range(2 * CROWD):
        s = socket.socket(socket.AF_UNIX if i % 2 else socket.AF_INET)
        s.setblocking(False)
        try:
            s.connect(PATH if i % 2 else (ADDRESS, PORT))
        except BlockingIOError:
            pass  # on its way, or the queue is full
        socks.append(s)
    began = time.time()
    turn = 0
    while time.time() - began < SECONDS:
        for i, s in enumerate(socks):
            data = GET % b'/' if i % 4 > 1 and turn == 0 else b'GET /x HTTP/1.1\r\nX: '[turn:turn + 1] or b'x'
            try:
                s.send(data)
            except OSError:
                pass
        turn += 1
        time.sleep(0.5)
    for s in socks:
        s.close()


def main():
    resource.setrlimit(resource.RLIMIT_NOFILE, (4 * CROWD, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    turns = Turns()
    threads = [threading.Thread(target=turns.run) for _ in range(AT_A_TIME)]
    # As many as there is room for by far, of whom each is there until it is sent away.
    slow = [connect(place) for place in ('web', 'control') for _ in range(10)]
    for i, s in enumerate(slow):
        send(s, [b'GET /met', POST % (10, b'{'), b'', GET % b'/metrics'][i % 4])
    began = time.time()
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for s in slow:
        read_all(s)
        s.close()
    print('%d requests in %.1f s, by code: %s' % (N, time.time() - began, ' '.join('%s %d' % c for c in sorted(codes.items()))))
    t = threading.Thread(target=crowd)
    t.start()
    time.sleep(SECONDS / 3)
    if served('web') is None:
        failures.append('beside the crowd nobody is served')
    t.join()
    time.sleep(1.5)
    for place in 'web', 'control':
        took = served(place)
        if took is None or took > 1.5:
            failures.append('%s: a good one took %s s afterwards' % (place, took))
    for f in sorted(set(failures))[:20]:
        print(f)
    if failures:
        sys.exit('%d failures' % len(failures))
    print('all as it has to be')


main()
