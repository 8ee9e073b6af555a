# SPDX-License-Identifier: BSD-2-Clause
"""converter: runs the programs of contrib/migrate in this process, as starting Python costs more time
than what they do. Their modules are loaded once; the program itself is run anew each time."""

import contextlib
import io
import os
import signal
import subprocess
import sys

SRCDIR = os.path.abspath(os.environ.get("TOP_SRCDIR", "."))
BUILDDIR = os.path.abspath(os.environ.get("TOP_BUILDDIR", "."))
PROGRAMS = ("totd", "bind", "unbound")
SAMPLES = os.path.join(SRCDIR, "tests/migrate")


def path(program):
    return os.path.join(SRCDIR, "contrib/migrate", program)


def compiled(program):
    with open(path(program), encoding="utf-8") as file:
        return compile(file.read(), path(program), "exec")


CODE = {program: compiled(program) for program in PROGRAMS}


class Outcome:
    """What a run came to: its exit code, and what it wrote."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


def too_long(*_):
    raise TimeoutError("the conversion does not end")


@contextlib.contextmanager
def within(seconds):
    """Seconds of CPU, so that a busy machine does not matter."""
    signal.signal(signal.SIGPROF, too_long)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def run(program, *arguments, stdin=b"", limit=60):
    """The program with these arguments. What it does not catch comes out of here."""
    kept = sys.argv, sys.path[:], sys.stdin, sys.stdout, sys.stderr
    files = [io.TextIOWrapper(io.BytesIO(data), "utf-8") for data in (stdin, b"", b"")]
    sys.argv = [path(program), *arguments]
    sys.stdin, sys.stdout, sys.stderr = files
    code = None
    try:
        with within(limit):
            exec(CODE[program], {"__name__": "__main__", "__file__": path(program)})
    except SystemExit as ended:
        code = ended.code
    finally:
        sys.argv, sys.path[:], sys.stdin, sys.stdout, sys.stderr = kept
    for file in files[1:]:
        file.flush()
    return Outcome(code, *(file.buffer.getvalue().decode() for file in files[1:]))


def process(*command, stdin=b""):
    """What a process of its own came to."""
    ran = subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=60)
    return Outcome(ran.returncode, ran.stdout.decode(), ran.stderr.decode())
