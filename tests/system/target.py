#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""target KIND PORT: a target of prefix-check at all IPv6 addresses, until SIGTERM.

accept: takes connections and keeps them; dns: answers A questions with REFUSED;
garbage: answers datagrams with noise, with what it was sent, and with half of it
"""
import signal
import socket
import struct
import sys


IPV6_FREEBIND = 78  # the address is on no interface: a route makes it local


def accept(port):
    listener = socket.create_server(("::", port), family=socket.AF_INET6, backlog=1000)
    kept = []
    while True:
        kept.append(listener.accept()[0])


def datagrams(port, answers):
    s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    # An answer leaves from the address that was asked.
    s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVPKTINFO, 1)
    s.setsockopt(socket.IPPROTO_IPV6, IPV6_FREEBIND, 1)
    s.bind(("::", port))
    while True:
        message, info, _, peer = s.recvmsg(2048, socket.CMSG_SPACE(20))
        for answer in answers(message):
            s.sendmsg([answer], [(socket.IPPROTO_IPV6, socket.IPV6_PKTINFO, info[0][2])], 0, peer)


def refuse(message):
    flags = struct.unpack("!H", message[2:4])[0]
    yield message[:2] + struct.pack("!H", flags | 0x8005) + message[4:]


def spoil(message):
    yield b"\xff" * 40
    yield message
    yield message[: len(message) // 2]


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    kind, port = sys.argv[1], int(sys.argv[2])
    if kind == "accept":
        accept(port)
    else:
        datagrams(port, {"dns": refuse, "garbage": spoil}[kind])


main()
