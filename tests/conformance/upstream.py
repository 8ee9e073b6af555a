# SPDX-License-Identifier: BSD-2-Clause
"""upstream: two addresses that answer from the cases' zones over UDP and TCP, and note it."""

import socket
import struct
import threading

import wire
import zones

QR_RA = 0x8080


class Upstream:
    """At 127.0.0.1 and 127.0.0.2, both at the same port; threads end with the program."""

    def __init__(self, world, port):
        self.world, self.port = world, port
        self.log = []
        for address, which in (("127.0.0.1", "first"), ("127.0.0.2", "second")):
            for transport, target in (
                (socket.SOCK_DGRAM, self._udp),
                (socket.SOCK_STREAM, self._tcp),
            ):
                sock = socket.socket(socket.AF_INET, transport)
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                sock.bind((address, port))
                if transport == socket.SOCK_STREAM:
                    sock.listen(64)
                threading.Thread(target=target, args=(sock, which), daemon=True).start()

    def _udp(self, sock, which):
        while True:
            octets, peer = sock.recvfrom(65535)
            reply = self.answer(octets, "udp", which)
            if reply:
                sock.sendto(reply, peer)

    def _tcp(self, listener, which):
        while True:
            sock, _ = listener.accept()
            threading.Thread(target=self._session, args=(sock, which), daemon=True).start()

    def _session(self, sock, which):
        sock.settimeout(30)
        try:
            with sock, sock.makefile("rb") as stream:
                while True:
                    head = stream.read(2)
                    if len(head) < 2:
                        return
                    reply = self.answer(stream.read(struct.unpack("!H", head)[0]), "tcp", which)
                    if reply:
                        sock.sendall(struct.pack("!H", len(reply)) + reply)
        except OSError:
            return

    def answer(self, octets, transport, which):
        """The reply to a question, or None."""
        try:
            query = wire.Message(octets)
        except (wire.Bad, struct.error):
            return None
        if len(query.questions) != 1 or query.flag("qr"):
            return None
        question = zones.Question(query, transport, which)
        self.log.append(question)
        answer = self.world.lookup(question)
        if "silent" in answer.words:
            return None
        return write(query, question, answer, transport)


def write(query, question, answer, transport):
    """The reply as octets, within the size that the transport and the question allow."""
    bits = QR_RA | query.opcode << 11 | query.bits & 0x0110 | answer.rcode & 15
    if "adflag" in answer.words:
        bits |= 0x0020
    opt = []
    if query.opts and "noopt" not in answer.words:
        ttl = answer.rcode >> 4 << 24 | (0x8000 if question.do else 0)
        opt = [wire.opt_record(4096, ttl, answer.options)]
    questions = [] if "noquestion" in answer.words else query.questions
    limit = 65535
    if transport == "udp":
        limit = max(512, query.opts[0].rclass) if query.opts else 512
    octets = wire.message(query.id, bits, questions, answer.an, answer.au, answer.ad + opt)
    if len(octets) > limit or "tc" in answer.words:
        octets = wire.message(query.id, bits | 0x0200, questions, ad=opt)
    return octets[:-6] if "cut" in answer.words else octets
