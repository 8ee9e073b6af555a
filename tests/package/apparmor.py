#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""apparmor: does a profile permit what a trace of the daemon shows?

    apparmor.py PROFILE TRACE PROGRAM

PROFILE is what "apparmor_parser -p" prints, TRACE what "strace -f -e trace=file" wrote. Each path that PROGRAM, once it
runs, opened, made, renamed or removed and that no rule permits is printed. AppArmor asks neither for stat and access,
nor for what is opened with O_PATH.
"""
import os
import re
import sys

WRITES = {"mkdir", "unlink", "rename", "renameat", "renameat2", "unlinkat", "mkdirat", "chmod", "fchmodat", "chown",
          "lchown", "truncate"}


def pattern(glob):
    """The regular expression of AppArmor's GLOB: * is within a directory, ** is not, {a,b} is one of them."""
    parts = {"**": ".*", "*": "[^/]*", "?": "[^/]", "{": "(?:", "}": ")", ",": "|"}
    glob = re.sub(r"@\{PROC\}/?", "/proc/", glob)
    glob = re.sub(r"@\{(pids?|tid)\}", "[0-9]*", glob)
    glob = glob.replace("@{run}", "{,/var}/run").replace("@{sys}", "/sys").replace("@{multiarch}", "*-linux-gnu*")
    glob = glob.replace("@{etc_ro}", "{,/usr}/etc").replace("@{etc_rw}", "/etc")
    return "".join(parts.get(t, t if t.startswith("[") else re.escape(t))
                   for t in re.findall(r"\*\*|\[[^]]*\]|.", re.sub("//+", "/", glob)))


def rules(path):
    found = []
    with open(path, encoding="utf-8") as text:
        for line in text:
            m = re.match(r'\s*(?:audit\s+|owner\s+)*"?((?:/|@\{)[^\s"]*)"?\s+([a-zA-Z]+),', line)
            if m:
                found.append((re.compile(pattern(m[1]) + r"\Z"), m[2]))
    return found


def events(path, program):
    """(path, r or w) of each thing that PROGRAM did, as the trace tells."""
    running = False
    with open(path, encoding="utf-8", errors="replace") as text:
        for line in text:
            m = re.match(r'\d+ +(\w+)\((.*)', line)
            if not m or re.search(r"= -1 (ENOENT|EEXIST)", line):
                continue
            call, rest = m.groups()
            names = re.findall(r'"((?:[^"\\]|\\.)*)"', rest)
            if call == "execve":
                running = running or names[:1] == [program]
            elif not running or not names:
                continue
            elif call in ("open", "openat") and "O_PATH" not in rest:
                name = os.path.normpath(names[0]) + ("/" if "O_DIRECTORY" in rest and names[0] != "/" else "")
                if "O_WRONLY" not in rest:
                    yield name, "r"
                if re.search("O_WRONLY|O_RDWR|O_CREAT", rest):
                    yield name, "w"
            elif call in WRITES:
                for name in names[:2 if call.startswith("rename") else 1]:
                    yield name + ("/" if call.startswith("mkdir") else ""), "w"
            elif call in ("bind", "connect") and "sun_path=\"" in rest:
                yield names[0], "w"


def main():
    known, asked, bad = rules(sys.argv[1]), set(events(sys.argv[2], sys.argv[3])), 0
    for name, what in sorted(asked):
        name = re.sub(r"^/proc/(self|thread-self)(?=/|$)", "/proc/1", name)
        if not any(p.match(n) and what in perms for p, perms in known for n in (name, name.rstrip("/") + "/")):
            print(f"no rule: {name} {what}")
            bad += 1
    print(f"{len(asked)} accesses, {len(known)} rules, {bad} not permitted")
    sys.exit(bad > 0 or len(asked) < 20)


main()
