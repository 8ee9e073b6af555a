#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# restart: start and stop with a full cache in cache-file.
#
#	restart.sh [ENTRIES [DNS64D...]]	600,000 of them; the programs in turns, ROUNDS (7) of them
#
# fakedns and dnsperf fill the cache of the first program with as many A, and it saves them. Then in each round
# each program is started with that file: how long until the first answer, a question being sent every half
# millisecond; until all is loaded; and, SIGTERM sent, until the last answer, one being asked for every 2 ms, and
# until the process has ended. Goals: 30 ms, and 300 ms in all.
. "${TOP_SRCDIR:-.}/tests/measure/cachelib.sh"
need python3

entries=${1:-600000}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- "$DNS64D"
ROUNDS=${ROUNDS:-7}
mkdir "$work/state" && chown "$usual" "$work/state" || exit 99

cat >"$work/turn" <<'PYTHON'
import os, signal, socket, subprocess, sys, time

program, conf, log = sys.argv[1:]
question = b'\x12\x34\x01\0\0\1\0\0\0\0\0\0\x09localhost\0\0\1\0\1'
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)


def ask(wait):
    s.settimeout(wait)
    try:
        s.sendto(question, ('127.0.0.1', 5400))
        s.recv(512)
    except OSError:
        return False
    return True


with open(log, 'wb') as out:
    began = time.monotonic()
    p = subprocess.Popen([program, '-f', '-c', conf], stderr=out)
while not ask(0.0005):
    pass
first = time.monotonic()
while b'entries read' not in open(log, 'rb').read():
    time.sleep(0.002)
loaded = time.monotonic()
time.sleep(0.3)
last = stopped = time.monotonic()
p.send_signal(signal.SIGTERM)
while True:
    if ask(0.001):
        last = time.monotonic()
    pid, _, used = os.wait4(p.pid, os.WNOHANG)
    if pid:
        break
    time.sleep(0.002)
print(*('%.0f' % (1000 * t) for t in (first - began, loaded - began, last - stopped, time.monotonic() - stopped,
                                      used.ru_utime + used.ru_stime)))
PYTHON

upstream 5300 --ttl 86400
dns64d fills 5400 'cache-size 256m' "cache-file $work/state/cache"
awk -v n="$entries" 'BEGIN { for (i = 0; i < n; i++)
	printf "010-%03d-%03d-%03d.dns64perf.test A\n", i / 65536 % 256, i / 256 % 256, i % 256 }' >"$work/questions"
fill 5400 "$work/questions"
stop fills
grep 'entries saved' "$work/fills.log"

round=0
while [ $round -lt "$ROUNDS" ]; do
	round=$((round + 1))
	n=0
	for program; do
		n=$((n + 1))
		# On the CPUs that there are, as the daemon's main thread has its own.
		python3 "$work/turn" "$program" "$work/fills.conf" "$work/turn.log" >>"$work/turns.$n" || give_up "$program"
	done
done

# turns N FILE: median and spread of column N
turns()
{
	cut -d ' ' -f "$1" "$2" >"$work/column"
	echo "$(median "$work/column") ms ($(spread "$work/column"))"
}

n=0
for program; do
	n=$((n + 1))
	echo "$program: first answer $(turns 1 "$work/turns.$n"), loaded $(turns 2 "$work/turns.$n");" \
		"last answer $(turns 3 "$work/turns.$n") after SIGTERM, ended $(turns 4 "$work/turns.$n");" \
		"CPU $(turns 5 "$work/turns.$n")"
done
cut -d ' ' -f 1 "$work/turns.1" >"$work/column"
check 'first answer within 30 ms of the start' test "$(median "$work/column")" -le 30
cut -d ' ' -f 4 "$work/turns.1" >"$work/column"
check 'ended within 300 ms of SIGTERM' test "$(median "$work/column")" -le 300
conclude
