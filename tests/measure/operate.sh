#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# operate: what it costs to be looked at. With one loop, hits of the cache, on two CPUs, at full load:
#	asked	/metrics and /status.json once a second each, control ten times a second, beside none of it: CPU
#		time of an answer at most 1 % more, none lost. A ratio of two runs is not that exact on a busy
#		machine, so what the main thread uses is told too: all of it is for who asks
#	logged	all answers to a file: the loop's CPU time at most 1.5 us more for each; and how many were dropped,
#		as the writer has no CPU of its own here
#
#	operate.sh [ROUNDS [SECONDS [RATE]]]	9 rounds of 4 s each, 100,000 a second for the log
. "${TOP_SRCDIR:-.}/tests/measure/cachelib.sh"
need python3
rounds=${1:-9} seconds=${2:-4} rate=${3:-100000}
names=1000

# cpu_of NAME main|loops: what the main thread used, or the loops did, in us
cpu_of()
{
	cpu_pid=$(pid_of "$1")
	for cpu_task in /proc/"$cpu_pid"/task/*; do
		case $(cat "$cpu_task/comm") in
		dns64d/[0-9]*) cpu_kind=loops ;;
		dns64d) cpu_kind=main ;;
		*) cpu_kind=other ;;
		esac
		[ $cpu_kind != "$2" ] || cat "$cpu_task/schedstat"
	done | awk '{ n += $1 } END { printf "%.0f\n", n / 1000 }'
}

cat >"$work/asker.py" <<'END'
import socket, sys, time

def get(family, where, path):
    with socket.socket(family) as s:
        s.connect(where)
        s.sendall(b'GET %s HTTP/1.1\r\n\r\n' % path)
        while s.recv(1 << 20):
            pass

due, turn = time.time(), 0
while True:
    get(socket.AF_UNIX, sys.argv[1], [b'/status', b'/stats'][turn % 2])
    if turn % 10 == 0:
        get(socket.AF_INET, ('127.0.0.1', 6464), b'/metrics')
        get(socket.AF_INET, ('127.0.0.1', 6464), b'/status.json')
    turn += 1
    due += 0.1
    print(turn, flush=True)
    time.sleep(max(0, due - time.time()))
END

# measure KIND NAME PORT METHOD...
measure()
{
	measure_kind=$1 measure_name=$2 measure_port=$3
	shift 3
	measure_main=$(cpu_of "$measure_name" main) measure_loop=$(cpu_of "$measure_name" loops)
	bench "$measure_port" "$(pid_of "$measure_name")" "$@" -d "$seconds" --hits 100 --hot $names --prefix $prefix
	measure_main=$(($(cpu_of "$measure_name" main) - measure_main))
	measure_loop=$(($(cpu_of "$measure_name" loops) - measure_loop))
	measure_n=$(finding received)
	quotient $((1000 * (measure_main + measure_loop))) "$measure_n" 1 >>"$work/$measure_kind.cost"
	quotient $((1000 * measure_loop)) "$measure_n" 1 >>"$work/$measure_kind.loop"
	quotient $((100 * measure_main)) $((measure_main + measure_loop)) >>"$work/$measure_kind.share"
	quotient "$measure_n" "$seconds" 0 >>"$work/$measure_kind.rate"
	echo "$(finding lost) $measure_n" >>"$work/$measure_kind.lost"
}

# figures KIND FILE: the median and the spread
figures()
{
	echo "$(median "$work/$1.$2") ($(spread "$work/$1.$2"))"
}

lost()
{
	awk '{ lost += $1; n += $2 } END { print lost " of " n + lost }' "$work/$1.lost"
}

cat /proc/loadavg
upstream 5300 --ttl 3600
mkdir -m 777 "$work/log"
dns64d plain 5371 'web-listen 127.0.0.1' "control-socket $control"
dns64d logged 5372 "query-log $work/log/file" "control-socket $work/log/control"
# The writer is another thread, which may have the other CPU.
taskset -a -p -c 0,1 "$(pid_of logged)" >/dev/null
for task in /proc/"$(pid_of logged)"/task/*; do
	case $(cat "$task/comm") in dns64d/[0-9]*) taskset -p -c 0 "${task##*/}" >/dev/null ;; esac
done
questions $names >"$work/names"
fill 5371 "$work/names"
fill 5372 "$work/names"

round=0
while [ $round -lt "$rounds" ]; do
	round=$((round + 1))
	for kind in quiet asked; do
		[ $kind = quiet ] || start asker taskset -c 1 python3 "$work/asker.py" "$control"
		measure $kind plain 5371 closed --clients 4 --window 250
		[ $kind = quiet ] || {
			stop asker
			tail -n 1 "$work/asker.log" >>"$work/asked.turns"
		}
	done
	measure silent plain 5371 rate -r "$rate"
	measure logged logged 5372 rate -r "$rate"
	rm -f "$work/log/file"
	ctl -s "$work/log/control" log reopen >/dev/null
done
counters logged

echo "asked: $(figures asked cost) ns an answer, not: $(figures quiet cost); $(figures asked rate)/s, $(figures quiet rate)/s"
check "asked: $(figures asked turns) times a round" holds "$(median "$work/asked.turns") >= 8 * $seconds"
share=$(quotient "$(median "$work/asked.cost")" "$(median "$work/quiet.cost")")
more=$(awk -v a="$(median "$work/asked.share")" -v b="$(median "$work/quiet.share")" 'BEGIN { printf "%.3f", a - b }')
echo "asked: $share times the CPU time of an answer"
check "asked: the main thread takes $more % of the CPU time for it, at most 1" holds "$more <= 1"
equal 'asked: none lost' 0 "$(lost asked | cut -d ' ' -f 1)"
echo "logged: $(figures logged loop) ns of the loop an answer, not: $(figures silent loop); $(figures logged rate)/s"
more=$(awk -v a="$(median "$work/logged.loop")" -v b="$(median "$work/silent.loop")" 'BEGIN { printf "%.0f", a - b }')
check "logged: $more ns more on the loop, at most 1500" holds "$more <= 1500"
echo "logged: $(count logged query_log) answers handed over, $(count logged query_log_dropped) dropped; not answered by either: $(lost logged), not logged $(lost silent)"
cat /proc/loadavg
conclude
