#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# diagnostics: each warning and error of the log is in DIAGNOSTICS of dns64d(8), or here with why it is not.
set -u
cd "${TOP_SRCDIR:-.}" || exit 99
command -v python3 >/dev/null || {
	echo "no python3"
	exit 77
}

python3 tests/lint/diagnostics.py <<-'END_OF_TABLE'
	already running, process | ends the start, with the reason
	fork | ends the start, with the reason
	signals | ends the start, with the reason
	loops | ends the start, with the reason
	chroot | ends the start, with the reason
	does not exist | ends the start: control-group
	pidfile" names another place, or none | ends the start, with what to do
	not started; the reason is on standard error ("dns64d -f" shows it again | says itself what to do
	listen | ends the start or the reload, with the reason and what to do
	inside of the chroot | begins with "a reload will fail", which is there
	no memory to tell of upstreams | says itself that statistics are not whole
	libevent | the text is libevent's
END_OF_TABLE
