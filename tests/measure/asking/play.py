# SPDX-License-Identifier: BSD-2-Clause
"""play: one scene with one server. Only in a network namespace of its own."""

import os
import subprocess
import tempfile
import time

import figures
import servers
import stage
from asker import PREFIX, Asker
from scenes import Numbers

SAMPLE = 0.05  # s between two counts of packets
TAIL = 2.0  # s that packets are counted after the last question
LINES = {
    "dns64d": ["dns64-prefix " + PREFIX],
    "unbound": [
        "dns64-prefix: " + PREFIX,
        'local-zone: "test." nodefault',
        "outgoing-range: 16384",
        "num-queries-per-thread: 8192",
        "so-rcvbuf: 4m",
    ],
    "bind": ["dns64 %s { clients { any; }; };" % PREFIX, "recursive-clients 20000;"],
}
UPSTREAM = {
    "dns64d": "nameserver 127.0.0.%d port %d",
    "unbound": "forward-addr: 127.0.0.%d@%d",
    "bind": "forwarder 127.0.0.%d port %d",
}


class Failed(Exception):
    """A scene that could not be played."""


class Stage:
    """The upstreams of a scene, and what was counted and logged."""

    def __init__(self, build, upstreams, where):
        os.makedirs(where)
        program = os.path.join(build, "fakedns")
        self.upstreams = [
            stage.Upstream(program, i, words, where) for i, words in enumerate(upstreams)
        ]
        self.samples, self.log, self.baseline = [], [], None

    def start(self):
        for upstream in self.upstreams:
            upstream.start()
        until = time.monotonic() + 5
        while not all(upstream.is_ready() for upstream in self.upstreams):
            if time.monotonic() > until:
                raise Failed("fakedns does not start")
            time.sleep(0.01)

    def end(self):
        for upstream in self.upstreams:
            upstream.kill()

    def sample(self, at):
        self.samples.append((at, [upstream.counter.read() for upstream in self.upstreams]))


def configuration(scene, server, upstreams):
    lines = LINES[server] + scene.server_lines.get(server, [])
    lines += [UPSTREAM[server] % (i + 1, stage.PORT) for i in range(1, upstreams)]
    if server == "dns64d" and scene.mode:
        lines.append("selection-mode " + scene.mode)
    return lines


def perform(scene, server, upstreams, questions, events, build, where, seconds):
    """Play it: the stage, with the questions answered."""
    played = Stage(build, upstreams, where + "-stage")
    played.start()
    lines = configuration(scene, server, len(upstreams))
    kind = next(s for s in servers.ALL if s.name == server)
    with servers.Running(kind, where, stage.SERVER_PORT, stage.PORT, lines) as running:
        if not running.up:
            raise Failed("%s does not start:\n%s" % (server, running.log()[-2000:]))
        asker = Asker(stage.SERVER_PORT)
        samples = [
            (SAMPLE * i, lambda at=SAMPLE * i: played.sample(at))
            for i in range(int((seconds + TAIL) / SAMPLE))
        ]
        told = len(running.log())
        asker.run(questions, samples + events(played))
        if running.process.poll() is not None:
            raise Failed("%s has ended:\n%s" % (server, running.log()[-2000:]))
        played.log = running.log()[told:].splitlines()
    played.end()
    return played


def play(scene, server, build, seconds):
    """The figures of a scene, how many questions were not resolved, and what the server logged."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    # Runs of datagrams (UDP_SEGMENT) are taken apart before they are counted and filtered, as a network has them.
    subprocess.run(["ethtool", "-K", "lo", "tx-udp-segmentation", "off"], check=True)
    os.environ["DNS64D"] = os.path.join(build, "dns64d")
    with tempfile.TemporaryDirectory(prefix="dns64d-asking.") as work:
        numbers = Numbers()
        baseline = None
        if scene.baseline:
            brief = max(2.0, seconds / 3)
            asked = scene.good_questions(numbers, brief)
            perform(
                scene, server, scene.baseline, asked, lambda _: [], build, work + "/before", brief
            )
            baseline = figures.times([q for q in asked if q.at >= 0.5])
        asked = scene.questions(numbers, seconds)
        played = perform(
            scene,
            server,
            scene.upstreams,
            asked,
            lambda on: scene.events(on, seconds),
            build,
            work + "/scene",
            seconds,
        )
        played.baseline = baseline
        return {
            "figures": scene.find(asked, played, seconds),
            "outcomes": figures.outcomes(asked),
            "log": played.log[:40],
        }
