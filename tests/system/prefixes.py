# SPDX-License-Identifier: BSD-2-Clause
"""prefixes: questions flow while dns64ctl changes prefixes.

	prefixes.py ADDRESS PORT DNS64CTL SOCKET N

N changes, one after the other: a second prefix is added, drained, made active, the first one deleted
and added again, and so on. Each answer must have the addresses of a whole set of prefixes: those
before the change that goes on, or those after it. There may be none where the upstream did not reply:
SERVFAIL, and dns64d counts why. Prints for each change how long dns64ctl took, and
for how long after its return an answer came that was made before; times are those at which the kernel
had the packet, so that this program may be late. Then the median and the longest of these.
"""

import os
import select
import socket
import struct
import subprocess
import sys
import time

ADDRESS, PORT, CTL, SOCKET, N = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4], int(sys.argv[5])
SO_TIMESTAMPNS = 35
A, B = '2001:db8:64::/96', '2001:db8:65::/96'
SERVFAIL = 2
TC = 0x0200
HOT, N_HOT = 0xff0000, 16  # names that are asked again and again: their number is first, and how many

# What is done, and which prefixes are used then.
STEPS = [
    (['add', B], {A, B}),
    (['drain', A], {B}),
    (['active', A], {A, B}),
    (['down', B], {A}),
    (['active', B], {A, B}),
    (['del', A], {B}),
    (['add', A], {A, B}),
    (['del', B], {A}),
]


def question(number, ident):
    # Half of the names are asked again and again, so that their answers are in the cache, finished.
    label = '%03d-%03d-%03d-%03d' % (10, number >> 16 & 255, number >> 8 & 255, number & 255)
    name = b''.join(bytes([len(x)]) + x.encode() for x in (label, 'dns64perf', 'test')) + b'\0'
    return struct.pack('!6H', ident, 0x0100, 1, 0, 0, 0) + name + struct.pack('!HH', 28, 1)


def prefixes_of(answer):
    """Those of its AAAA; None for SERVFAIL."""
    ident, flags, _, count, _, _ = struct.unpack('!6H', answer[:12])
    if flags & 15 == SERVFAIL:
        return None
    assert flags & (TC | 15) == 0, 'an answer with the flags %04x' % flags
    at = answer.index(b'\0', 12) + 5
    found = set()
    for _ in range(count):
        at += 2 if answer[at] >= 192 else answer.index(b'\0', at) - at + 1
        kind, _, _, length = struct.unpack('!HHIH', answer[at:at + 10])
        if kind == 28:
            found.add(socket.inet_ntop(socket.AF_INET6, answer[at + 10:at + 22] + bytes(4)) + '/96')
        at += 10 + length
    return found


def now():
    return time.clock_gettime(time.CLOCK_REALTIME)


class Clients:
    def __init__(self):
        self.sockets = []
        for _ in range(16):
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            s.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
            s.connect((ADDRESS, PORT))
            s.setblocking(False)
            self.sockets.append(s)
        self.poll = select.poll()
        self.by_fd = {s.fileno(): s for s in self.sockets}
        for s in self.sockets:
            self.poll.register(s, select.POLLIN)
        self.sent = self.number = 0
        self.failed = 0  # SERVFAIL
        self.seen = []  # (time, set of prefixes)

    def warm(self):
        """Have the hot names answered once: while a busy upstream does not reply, as many wait for one
        of them as may, and the next get TC."""
        s = self.sockets[0]
        for i in range(N_HOT):
            ident = -1
            while ident != i:
                s.send(question(HOT + i, i))
                select.select([s], [], [], 1)
                try:
                    data = s.recv(2048)
                    ident = i if prefixes_of(data) and data[:2] == struct.pack('!H', i) else -1
                except BlockingIOError:
                    pass

    def turn(self):
        """Send a few, read what has come."""
        for s in self.sockets:
            self.sent += 1
            if self.sent % 2:
                self.number += 1
                data = question(self.number, self.sent & 0xffff)
            else:
                data = question(HOT + self.sent // 2 % N_HOT, self.sent & 0xffff)
            try:
                s.send(data)
            except BlockingIOError:
                pass
        for fd, _ in self.poll.poll(1):
            while True:
                try:
                    data, extra, _, _ = self.by_fd[fd].recvmsg(2048, 64)
                except BlockingIOError:
                    break
                s, ns = struct.unpack('qq', extra[0][2])
                found = prefixes_of(data)
                if found is None:
                    self.failed += 1
                else:
                    self.seen.append((s + ns / 1e9, found))

    def run(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.turn()

    def take(self):
        seen, self.seen = self.seen, []
        return seen


def main():
    clients = Clients()
    old = {A}
    late = []
    n_old = n_new = 0
    clients.warm()
    clients.run(0.3)
    assert all(p == old for _, p in clients.take()), 'before the first change'
    for i in range(N):
        words, new = STEPS[i % len(STEPS)]
        began = now()
        done, out = os.pipe()
        child = subprocess.Popen([CTL, '-s', SOCKET, 'prefix'] + words, stdout=out, stderr=out)
        os.close(out)
        while child.poll() is None:
            clients.turn()
        # The time of its last words, not that at which we look.
        returned = now()
        text = os.read(done, 4096).decode()
        os.close(done)
        assert child.returncode == 0, text
        seen = []
        while not any(p == new for _, p in seen):
            assert now() < began + 60, 'the change to %s does not come' % new
            clients.run(0.15)
            seen += clients.take()
        for at, p in seen:
            assert p in (old, new), 'an answer with %s between %s and %s' % (p, old, new)
        last_old = max((at for at, p in seen if p == old), default=began)
        first_new = min(at for at, p in seen if p == new)
        n_old += sum(p == old for _, p in seen)
        n_new += sum(p == new for _, p in seen)
        late.append(max(0.0, last_old - returned))
        print('%-26s took %5.1f ms, first new after %5.1f ms, last old %5.2f ms after its return' % (
            ' '.join(words), (returned - began) * 1e3, (first_new - began) * 1e3, late[-1] * 1e3))
        old = new
    late.sort()
    assert n_old > 100 and n_new > 1000, (n_old, n_new)
    assert clients.failed < n_old + n_new, (clients.failed, n_old, n_new)
    print('answers: %d old, %d new, none mixed, %d SERVFAIL' % (n_old, n_new, clients.failed))
    print('last old answer: median %.2f ms, longest %.2f ms' % (late[len(late) // 2] * 1e3, late[-1] * 1e3))
    assert late[len(late) // 2] < 0.010, 'too late'
    print('all as it has to be')


main()
