# SPDX-License-Identifier: BSD-2-Clause
"""asker: asks a server AAAA questions at given times, and checks each answer.

Names are those of fakedns(8): the number of a name is the end of its address, so the right answer
is known beforehand, and whether it is the name's own or a synthesized one.
"""

import collections
import heapq
import random
import select
import socket
import struct
import time

TIMEOUT = 10.0  # s, of a question
SOCKETS = 16
AAAA, IN = 28, 1
ZONE = b"\x09dns64perf\x04test\x00"
NATIVE = bytes.fromhex("20010db80006000400000000")
PREFIX = "2001:db8:64::/96"
SYNTHESIZED = bytes.fromhex("20010db80064000000000000")

# What comes before the address in a name of this kind, and the network of the right answer; None:
# the name is broken, and nothing is right.
KINDS = {
    "a": ("", SYNTHESIZED),  # A only
    "aaaa": ("aaaaonly-", NATIVE),
    "dual": ("both-", NATIVE),
    "mute": ("drop-", None),
    "servfail": ("servfail-", None),
}
# How many lookups of upstream a new name takes.
LOOKUPS = {"a": 2, "aaaa": 1, "dual": 1, "mute": 1, "servfail": 1}


class Question:
    """One question. at: when it is due, in s from the beginning. sent: when it was. outcome: None
    until it ends as "resolved", "wrong", "nodata", "rcodeN" or "lost". took: s until then.
    """

    __slots__ = ("at", "kind", "number", "group", "sent", "took", "outcome", "octets")

    def __init__(self, at, kind, number, group="all"):
        self.at, self.kind, self.number, self.group = at, kind, number, group
        self.sent = self.took = self.outcome = self.octets = None

    def address(self):
        return b"\x0a" + self.number.to_bytes(3, "big")

    def name(self):
        label = KINDS[self.kind][0].encode() + b"%03d-%03d-%03d-%03d" % tuple(self.address())
        return bytes([len(label)]) + label + ZONE

    def message(self, number):
        """The question with this ID; what follows the header stays in octets."""
        self.octets = self.name() + struct.pack("!HH", AAAA, IN)
        return struct.pack("!6H", number, 0x0100, 1, 0, 0, 0) + self.octets


def skip_name(message, offset):
    while message[offset] != 0:
        if message[offset] >= 0xC0:
            return offset + 2
        offset += 1 + message[offset]
    return offset + 1


def addresses(message, offset, count):
    """The AAAA records among so many records at the offset."""
    found = []
    for _ in range(count):
        offset = skip_name(message, offset)
        kind, _, _, length = struct.unpack_from("!HHIH", message, offset)
        offset += 10
        if offset + length > len(message):
            raise IndexError
        if kind == AAAA:
            found.append(message[offset : offset + length])
        offset += length
    return found


def outcome_of(question, reply):
    """What the reply makes of the question; None: it is no reply to it."""
    try:
        _, bits, _, count = struct.unpack_from("!4H", reply)
        end = 12 + len(question.octets)
        if bits & 0x8000 == 0 or reply[12:end].lower() != question.octets.lower():
            return None
        if bits & 15:
            return "rcode%d" % (bits & 15)
        found = addresses(reply, end, count)
    except (IndexError, struct.error):
        return None
    network = KINDS[question.kind][1]
    if not found:
        return "nodata"
    return "resolved" if network and found == [network + question.address()] else "wrong"


class Asker:
    """Asks at 127.0.0.1 and a port."""

    def __init__(self, port):
        self.poll = select.epoll()
        self.lanes = {}  # by descriptor: socket and open questions by ID
        for _ in range(SOCKETS):
            sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
            sock.connect(("127.0.0.1", port))
            sock.setblocking(False)
            self.lanes[sock.fileno()] = (sock, {})
            self.poll.register(sock.fileno(), select.EPOLLIN)
        self.turn = list(self.lanes.values())
        self.waiting = collections.deque()
        self.began = 0.0

    def now(self):
        return time.monotonic() - self.began

    def ask(self, question):
        sock, lane = self.turn[question.number % SOCKETS]
        number = random.randrange(65536)
        while number in lane:
            number = (number + 1) % 65536
        lane[number] = question
        octets = question.message(number)
        question.sent = self.now()
        self.waiting.append((question, lane, number))
        try:
            sock.send(octets)
        except OSError:  # nobody listens, or no room: it is lost
            pass

    def receive(self, descriptor):
        sock, lane = self.lanes[descriptor]
        while True:
            try:
                reply = sock.recv(4096)
            except BlockingIOError:
                return
            except OSError:
                continue
            now = self.now()
            number = int.from_bytes(reply[:2], "big")
            question = lane.get(number)
            outcome = question and outcome_of(question, reply)
            if outcome:
                question.outcome, question.took = outcome, now - question.sent
                del lane[number]

    def expire(self):
        """Forget the oldest questions that have ended, or whose time is over. Are some open?"""
        while self.waiting:
            question, lane, number = self.waiting[0]
            if question.outcome is None:
                if self.now() - question.sent < TIMEOUT:
                    return True
                question.outcome, question.took = "lost", TIMEOUT
                del lane[number]
            self.waiting.popleft()
        return False

    def run(self, questions, events):
        """Ask the questions, in order of time. events: (time, callable), called once when due."""
        questions = collections.deque(questions)
        events = [(at, i, call) for i, (at, call) in enumerate(events)]
        heapq.heapify(events)
        self.began = time.monotonic()
        while True:
            while events and events[0][0] <= self.now():
                heapq.heappop(events)[2]()
            # A burst after a pause must not keep replies waiting.
            for _ in range(64):
                if not questions or questions[0].at > self.now():
                    break
                self.ask(questions.popleft())
            is_open = self.expire()
            if not (is_open or questions or events):
                return
            due = self.now() + 0.1
            if questions:
                due = min(due, questions[0].at)
            if events:
                due = min(due, events[0][0])
            for descriptor, _ in self.poll.poll(max(0.0, due - self.now())):
                self.receive(descriptor)
