# SPDX-License-Identifier: BSD-2-Clause
"""stage: what a scene is played on: fakedns as upstreams, their faults, and what they are sent.

Everything listens on 127.0.0.N in a network namespace of the scene's own. Needs root.
"""

import ctypes
import os
import signal
import socket
import struct
import subprocess

PORT = 5300
SERVER_PORT = 5364
SO_ATTACH_FILTER, SO_DETACH_FILTER = 26, 27
SOL_PACKET, PACKET_STATISTICS = 263, 6
ETH_P_IP = 0x0800
SYS_PIDFD_GETFD = 438
DROP, TAKE = (0x06, 0, 0, 0), (0x06, 0, 0, 0xFFFFFFFF)
RANDOM = 0xFFFFF000 + 56  # where a filter reads 32 random bits
LOSSY = [(0x20, 0, 0, RANDOM), (0x35, 1, 0, 1 << 31), DROP, TAKE]  # every other packet
# A question ends with an OPT record of length 0, or without one with its class, IN; a cookie is noise.
OPTIONS = [
    (0x80, 0, 0, 0),  # length
    (0x14, 0, 0, 2),
    (0x07, 0, 0, 0),
    (0x48, 0, 0, 0),  # the last two bytes
    (0x35, 0, 1, 2),
    DROP,
    TAKE,
]


def attach_filter(sock, program):
    """program: classic BPF (code, jump if true, jump if false, k)."""
    octets = b"".join(struct.pack("HBBI", *line) for line in program)
    keep = ctypes.create_string_buffer(octets)
    sock.setsockopt(
        socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HP", len(program), ctypes.addressof(keep))
    )


class Counter:
    """Counts what is sent to an address and port, heard or not: datagrams, TCP with data."""

    def __init__(self, address, port):
        self.total = 0
        self.sock = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0)
        to = int.from_bytes(socket.inet_aton(address), "big")
        attach_filter(
            self.sock,
            [
                (0x20, 0, 0, 16),  # destination
                (0x15, 0, 6, to),
                (0x28, 0, 0, 22),  # its port
                (0x15, 0, 4, port),
                (0x30, 0, 0, 9),  # protocol
                (0x15, 3, 0, socket.IPPROTO_UDP),
                (0x30, 0, 0, 33),  # flags
                (0x45, 1, 0, 0x08),  # PSH
                DROP,
                TAKE,
            ],
        )
        # The kernel counts what it would hand over; nobody reads it. For one protocol it shows what
        # is received and not what is sent, so loopback counts once.
        self.sock.bind(("lo", ETH_P_IP))

    def read(self):
        packets, _ = struct.unpack("II", self.sock.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
        self.total += packets
        return self.total


class Upstream:
    """A fakedns."""

    def __init__(self, program, number, words, where):
        self.address = "127.0.0.%d" % (1 + number)
        self.command = [program, "-l", self.address, "-p", str(PORT), "--seed", str(1 + number), *words]
        self.log_path = os.path.join(where, "fakedns%d" % number)
        self.process = None
        self.filtered = []
        self.counter = Counter(self.address, PORT)

    def start(self):
        with open(self.log_path, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    def is_ready(self):
        if self.process.poll() is not None:
            return False
        with open(self.log_path, encoding="utf-8") as log:
            return "listening on" in log.read()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def filter(self, program, udp_only=False):
        """Its sockets get only what the filter takes, and nobody is told."""
        libc = ctypes.CDLL(None, use_errno=True)
        of_process = os.pidfd_open(self.process.pid)
        directory = "/proc/%d/fd" % self.process.pid
        for number in os.listdir(directory):
            if not os.readlink(os.path.join(directory, number)).startswith("socket:"):
                continue
            descriptor = libc.syscall(SYS_PIDFD_GETFD, of_process, int(number), 0)
            if descriptor >= 0:
                sock = socket.socket(fileno=descriptor)
                if udp_only and sock.type != socket.SOCK_DGRAM:
                    sock.close()
                    continue
                attach_filter(sock, program)
                self.filtered.append(sock)
        os.close(of_process)

    def unfilter(self):
        for sock in self.filtered:
            sock.setsockopt(socket.SOL_SOCKET, SO_DETACH_FILTER, 0)
            sock.close()
        self.filtered = []

    def fail(self, how):
        """The fault of this name; revive ends it."""
        if how == "killed":
            self.kill()
        elif how == "stopped":
            self.stop()
        elif how == "options":
            self.filter(OPTIONS, udp_only=True)
        else:
            self.filter({"silent": [DROP], "lossy": LOSSY}[how])

    def revive(self, how):
        {"killed": self.start, "stopped": self.go_on}.get(how, self.unfilter)()
