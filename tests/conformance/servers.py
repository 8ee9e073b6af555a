# SPDX-License-Identifier: BSD-2-Clause
"""servers: how dns64d and its peers are configured for a setup of setups.py, started and ended."""

import os
import shutil
import socket
import subprocess
import threading
import time

STARTS_WITHIN = 15
ALIVE = set()  # processes
STARTING = threading.Lock()  # taken for good by end_all


class Server:
    """One kind of server. Its subclasses write the configuration."""

    name = ""
    program = ""
    version_words = ("-V",)

    def find(self):
        return shutil.which(
            self.program, path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin"
        )

    def version(self):
        output = subprocess.run(
            [self.find(), *self.version_words],
            stdout=subprocess.PIPE,
            check=False,
            stderr=subprocess.STDOUT,
            text=True,
        ).stdout
        words = output.replace("(", " ").replace(",", " ").split()
        return next((word for word in words if word[0].isdigit() and word.count(".") > 0), "?")

    def write(self, where, port, upstream, lines):
        raise NotImplementedError

    def command(self, where):
        raise NotImplementedError


def save(where, name, text):
    path = os.path.join(where, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


class Dns64d(Server):
    name = "dns64d"

    def find(self):
        path = os.environ.get("DNS64D", os.path.join(os.environ.get("TOP_BUILDDIR", "."), "dns64d"))
        return os.path.abspath(path) if os.access(path, os.X_OK) else None

    def write(self, where, port, upstream, lines):
        listen = ["listen 127.0.0.1 port %d" % port]
        if has_ipv6():
            listen.append("listen ::1 port %d" % port)
        text = listen + ["nameserver 127.0.0.1 port %d" % upstream, "num-threads 1", *lines]
        save(where, "conf", "\n".join(text).replace("@UPSTREAM@", str(upstream)) + "\n")

    def command(self, where):
        return [self.find(), "-f", "-c", os.path.join(where, "conf")]


class Unbound(Server):
    name = program = "unbound"

    def write(self, where, port, upstream, lines):
        forward = [line for line in lines if line.startswith("forward-addr")]
        listen = "  interface: ::1@%d\n" % port if has_ipv6() else ""
        text = (
            'server:\n  directory: "%s"\n  chroot: ""\n  username: ""\n  pidfile: ""\n'
            "  use-syslog: no\n"
            "  interface: 127.0.0.1@%d\n%s  do-daemonize: no\n  num-threads: 1\n"
            '  module-config: "dns64 iterator"\n  do-not-query-localhost: no\n  ede: yes\n'
            "  access-control: 127.0.0.0/8 allow\n  unblock-lan-zones: yes\n"
            "  insecure-lan-zones: yes\n"
        ) % (where, port, listen)
        text += "".join("  %s\n" % line for line in lines if line not in forward)
        text += "forward-zone:\n  name: .\n  forward-addr: 127.0.0.1@%d\n" % upstream
        text += (
            "".join("  %s\n" % line for line in forward) + "remote-control:\n  control-enable: no\n"
        )
        save(where, "conf", text.replace("@UPSTREAM@", str(upstream)))

    def command(self, where):
        return [self.find(), "-d", "-p", "-c", os.path.join(where, "conf")]


class Bind(Server):
    name, program, version_words = "bind", "named", ("-v",)

    def write(self, where, port, upstream, lines):
        more = [line for line in lines if line.startswith("forwarder ")]
        forwarders = "".join(line[10:] + "; " for line in more)
        text = (
            'options {\n directory "%s"; pid-file none; session-keyfile none; notify no;\n'
            " listen-on port %d { 127.0.0.1; }; listen-on-v6 port %d { %s; };\n"
            " recursion yes; allow-query { any; }; allow-recursion { any; };\n"
            " dnssec-validation no;\n"
            " empty-zones-enable no; forward only;\n"
            " forwarders { 127.0.0.1 port %d; %s};\n%s\n};\ncontrols { };\n"
        ) % (
            where,
            port,
            port,
            "::1" if has_ipv6() else "none",
            upstream,
            forwarders,
            "\n".join(" " + line for line in lines if line not in more),
        )
        # Where all is "forward only" BIND leaves out its own ipv4only.arpa and reverse names.
        for name in ("ipv4only.arpa", "0.0.192.in-addr.arpa"):
            text += (
                'zone "%s" { type forward; forward first; forwarders { 127.0.0.1 port %d; }; };\n'
                % (name, upstream)
            )
        save(where, "conf", text.replace("@UPSTREAM@", str(upstream)))

    def command(self, where):
        return [self.find(), "-g", "-n", "1", "-c", os.path.join(where, "conf")]


class Pdns(Server):
    name, program, version_words = "pdns", "pdns_recursor", ("--version",)

    def write(self, where, port, upstream, lines):
        more = [line[10:] for line in lines if line.startswith("forwarder ")]
        forward = ";".join(["127.0.0.1:%d" % upstream] + more)
        listen = "127.0.0.1" + (",::1" if has_ipv6() else "")
        text = (
            "local-address=%s\nlocal-port=%d\nforward-zones-recurse=.=%s\n"
            "dnssec=process-no-validate\n"
            "daemon=no\nsocket-dir=%s\nsecurity-poll-suffix=\ndont-query=\n"
            "allow-from=127.0.0.0/8,::1\nthreads=1\n"
            "serve-rfc1918=no\nextended-resolution-errors=yes\nexport-etc-hosts=off\nwrite-pid=no\n"
            "disable-syslog=yes\nconfig-dir=%s\n"
        ) % (listen, port, forward, where, where)
        text += "\n".join(line for line in lines if not line.startswith("forwarder ")) + "\n"
        save(where, "recursor.conf", text.replace("@UPSTREAM@", str(upstream)))

    def command(self, where):
        return [self.find(), "--config-dir=" + where]


class Knot(Server):
    name, program = "knot", "kresd"

    def write(self, where, port, upstream, lines):
        more = [line[10:] for line in lines if line.startswith("forwarder ")]
        forward = ", ".join("'%s'" % address for address in ["127.0.0.1@%d" % upstream] + more)
        text = ["net.listen('127.0.0.1', %d, { kind = 'dns' })" % port]
        if has_ipv6():
            text.append("net.listen('::1', %d, { kind = 'dns' })" % port)
        for module in (
            "ta_update",
            "ta_signal_query",
            "ta_sentinel",
            "priming",
            "detect_time_skew",
        ):
            text.append("modules.unload('%s')" % module)
        text += [
            "trust_anchors.remove('.')",
            "cache.size = 20 * MB",
            "modules.load('policy')",
            *[line for line in lines if not line.startswith("forwarder ")],
            "policy.add(policy.all(policy.FORWARD({ %s })))" % forward,
        ]
        save(where, "conf", "\n".join(text).replace("@UPSTREAM@", str(upstream)) + "\n")

    def command(self, where):
        return [self.find(), "-n", "-c", os.path.join(where, "conf"), where]


ALL = [Dns64d(), Unbound(), Bind(), Pdns(), Knot()]


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as sock:
            sock.bind(("::1", 0))
        return True
    except OSError:
        return False


def is_free(port):
    """Can it be had, on all addresses and over both transports?"""
    for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
        with socket.socket(socket.AF_INET, kind) as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, kind == socket.SOCK_STREAM)
            try:
                sock.bind(("", port))
            except OSError:
                return False
    return True


def end_all():
    STARTING.acquire()
    for process in list(ALIVE):
        process.kill()


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


class Running:
    """A server that runs in a directory of its own, until the end of "with"; up tells whether."""

    def __init__(self, server, where, port, upstream, lines):
        self.port = port
        self.log_path = os.path.join(where, "log")
        with STARTING:
            os.makedirs(where)
            server.write(where, port, upstream, lines)
            with open(self.log_path, "w", encoding="utf-8") as log:
                self.process = subprocess.Popen(
                    server.command(where), cwd=where, stdin=subprocess.DEVNULL, stdout=log, stderr=log
                )
            ALIVE.add(self.process)
        self.up = self.wait()

    def wait(self):
        until = time.monotonic() + STARTS_WITHIN
        while time.monotonic() < until and self.process.poll() is None:
            if listens(self.port):
                return True
            time.sleep(0.05)
        return False

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        ALIVE.discard(self.process)
