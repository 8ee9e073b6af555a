# SPDX-License-Identifier: BSD-2-Clause
"""client: asks a server as a step of a case says."""

import random
import socket
import struct
import time

import wire

TIMEOUT = 12


def options_of(words):
    """(code, octets) of the words option=CODE:HEX."""
    found = []
    for word in words:
        if word.startswith("option="):
            code, _, octets = word[7:].partition(":")
            found.append((int(code), bytes.fromhex(octets)))
    return found


def value_of(words, key, default):
    for word in words:
        if word.startswith(key + "="):
            return word.partition("=")[2]
    return default


def opts_of(words):
    if "noedns" in words:
        return []
    size = int(value_of(words, "size", 1232))
    ttl = int(value_of(words, "version", 0)) << 16 | (0x8000 if "do" in words else 0)
    opt = wire.opt_record(size, ttl, options_of(words))
    if "badopt" in words:
        opt.rdata = b"\xfd\xe9\0\x40\0"
    if "ownedopt" in words:
        opt.owner = "a."
    return [opt, opt] if "twoopts" in words else [opt]


def question_of(step):
    """The question as octets."""
    words = step.words
    bits = 0 if "rd0" in words else 0x0100
    bits |= int(value_of(words, "opcode", 0)) << 11
    bits |= 0x0010 if "cd" in words else 0
    bits |= 0x0020 if "ad" in words else 0
    bits |= 0x0040 if "z" in words else 0
    rclass = wire.CLASSES[value_of(words, "class", "IN")]
    question = (step.name, wire.type_number(step.kind), rclass)
    questions = [question, question] if "twoquestions" in words else [question]
    return wire.message(random.randrange(65536), bits, questions, ad=opts_of(words))


def read_exactly(sock, count):
    octets = b""
    while len(octets) < count:
        more = sock.recv(count - len(octets))
        if not more:
            raise OSError("closed")
        octets += more
    return octets


def over_tcp(sock, octets):
    sock.sendall(struct.pack("!H", len(octets)) + octets)
    return read_exactly(sock, struct.unpack("!H", read_exactly(sock, 2))[0])


def over_udp(sock, octets):
    sock.send(octets)
    until = time.monotonic() + TIMEOUT
    while time.monotonic() < until:
        reply = sock.recv(65535)
        if reply[:2] == octets[:2]:
            return reply
    raise OSError("no answer")


def exchange(step, port):
    tcp = "tcp" in step.words
    family = socket.AF_INET6 if "ipv6" in step.words else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM if tcp else socket.SOCK_DGRAM) as sock:
        sock.settimeout(TIMEOUT)
        if family == socket.AF_INET6:
            sock.connect(("::1", port))
        else:
            sock.bind((value_of(step.words, "from", "127.0.0.1"), 0))
            sock.connect(("127.0.0.1", port))
        return (over_tcp if tcp else over_udp)(sock, question_of(step))


def ask(step, port):
    """The answer (None: none, or not a message), and the seconds that it took."""
    time.sleep(step.pause)
    began = time.monotonic()
    try:
        answer = wire.Message(exchange(step, port))
    except (OSError, wire.Bad, struct.error):
        answer = None
    return answer, time.monotonic() - began
