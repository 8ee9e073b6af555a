#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# dnstap: what a real reader (fstrm_capture) gets of the running daemon's messages, read back by other
# means (dnstap.py); a reader that is not there, killed, stopped, slow, or no reader at all costs no
# answer and no time (D34), keeps no memory, and does not hold up the end.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
"$DNS64D" -V | grep -qx 'dnstap yes' || {
	echo 'built without dnstap (./configure --with-dnstap)'
	exit 77
}
need kdig python3 dnsperf fstrm_capture
here=${TOP_SRCDIR:-.}/tests/system
sock=$work/tap/sock
mkdir "$work/tap"
chmod 755 "$work/tap"

# start_reader NAME: fstrm_capture, which writes to $work/NAME.fstrm
start_reader()
{
	rm -f "$sock"
	start "$1" fstrm_capture -t protobuf:dnstap.Dnstap -u "$sock" -w "$work/$1.fstrm"
	wait_for 20 test -S "$sock" || give_up "fstrm_capture does not start"
	chmod 777 "$sock"
}

# told NAME FIELD...: these fields of what reader NAME got
told()
{
	name=$1
	shift
	python3 "$here/dnstap.py" "$work/$name.fstrm" "$@"
}

# is_whole NAME: all that reader NAME got can be read
is_whole()
{
	told "$1" 1 >"$work/all"
}

connected_are()
{
	[ "$(grep -c 'dnstap: .*: connected' "$work/dns64d.log")" -eq "$1" ]
}

count_of()
{
	ctl stats | sed -n "s/^$1  *\([0-9]*\) .*/\1/p" | grep . || echo 0
}

counts()
{
	[ "$(count_of "$1")" -ge "$2" ]
}

all_accounted()
{
	[ "$(count_of dnstap)" -eq $(($(count_of dnstap_frames) + $(count_of dnstap_lost))) ]
}

resident()
{
	sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$(pid_of dns64d)/status"
}

# ends_soon: stop dns64d; it has 2 seconds
ends_soon()
{
	began=$(milliseconds)
	stop dns64d
	took=$(($(milliseconds) - began))
	equal "$1: it ends well" 0 "$status"
	check "$1: within 2 s ($took ms)" test "$took" -lt "$(stretch 2000)"
}

# configured LINE...: a configuration with that reader
configured()
{
	configure 'nameserver 127.0.0.1 port 5300' 'sandbox strict' "control-socket $control" \
		"dnstap-socket $sock" "$@"
}

# in_time WHAT: no answer of steady took over 100 ms, but for what the machine adds
in_time()
{
	check "$1 ($longest ms)" test "$longest" -le "$(stretch 100)"
}

# --- what is told ---

watch_noise
start_fakedns --ttl 300
start_reader first
configured 'dnstap-identity here and now' 'num-threads 1'
start_dns64d
check 'it connects, in the strictest sandbox' wait_for 20 connected_are 1
answer 010-000-000-001.dns64perf.test AAAA >/dev/null
answer +tcp 010-000-000-001.dns64perf.test AAAA >/dev/null
answer dns64perf.test AXFR +notcp >/dev/null
check 'all is written' wait_for 20 counts dnstap_frames 10
equal 'nothing is lost' '0 0' "$(count_of dnstap_lost) $(count_of dnstap_dropped)"
ends_soon 'with a reader'
stop first
told first 1 2 3 10 11 12 13 15 >"$work/got"
equal 'every message, in order' 'CQ inet6 udp 010-000-000-001.dns64perf.test/28 0 0 here_and_now -
FQ inet udp 010-000-000-001.dns64perf.test/28 0 0 here_and_now -
FR inet udp 010-000-000-001.dns64perf.test/28 0 0 here_and_now -
FQ inet udp 010-000-000-001.dns64perf.test/1 0 0 here_and_now -
FR inet udp 010-000-000-001.dns64perf.test/1 0 1 here_and_now -
CR inet6 udp 010-000-000-001.dns64perf.test/28 0 1 here_and_now reason=synth-no-aaaa
CQ inet6 tcp 010-000-000-001.dns64perf.test/28 0 0 here_and_now -
CR inet6 tcp 010-000-000-001.dns64perf.test/28 0 1 here_and_now reason=synth-no-aaaa
CQ inet6 udp dns64perf.test/252 0 0 here_and_now -
CR inet6 udp dns64perf.test/252 5 0 here_and_now reason=refused-type' "$(cat "$work/got")"
equal 'with addresses, ports and the version' '3 from clients, 3 to them, 4 of an upstream' "$(told first 1 4 5 6 7 14 | awk '
	$6 !~ /^dns64d_[0-9]/ { next }
	/^C/ && $2 == "::1" && $3 > 1023 && $4 == "-" { n[$1]++ }
	/^F/ && $2 == "-" && $4 == "127.0.0.1" && $5 == 5300 { n["F"]++ }
	END { print n["CQ"], "from clients,", n["CR"], "to them,", n["F"], "of an upstream" }')"
now=$(date +%s)
equal 'with times of now, in order' 10 "$(told first 1 8 9 | awk -v now="$now" '
	{ n += $2 > now - 300 && $2 <= now + 1 && ($1 ~ /Q/ ? $3 == "-" : $3 >= $2) }
	END { print n }')"

# --- no reader, no socket ---

rm -f "$sock"
configured 'num-threads 2'
start_dns64d
check 'without a socket: it is told' wait_for 20 logged dns64d 'dnstap: .*/sock: there is no such socket'
steady 1 200
equal 'and answers are given' 200 "$came"
least=$longest
in_time 'in time'
: >"$sock"
chmod 777 "$sock"
check 'a file in its place: it is told' wait_for 20 logged dns64d 'dnstap: .*/sock: this is no socket'
check 'what is lost is counted' counts dnstap_lost 400
start_reader second
check 'a reader is found when it comes' wait_for 20 connected_are 1
lost=$(count_of dnstap_lost)
steady 300 100
check 'and gets what comes then' wait_for 20 counts dnstap_frames 600
equal 'and all of it' "$lost" "$(count_of dnstap_lost)"

# --- a reader that is killed ---

kill -KILL "$(pid_of second)"
rm -f "$work/second.pid"
check 'a reader that is killed: it is told' wait_for 20 logged dns64d 'the reader has gone'
steady 400 200
equal 'a killed reader costs no answer' 200 "$came"
in_time 'nor time'
start_reader third
check 'the next one is found' wait_for 60 connected_are 2
lost=$(count_of dnstap_lost)
before=$(count_of dnstap_frames)
steady 600 100
check 'and gets what comes then, too' wait_for 20 counts dnstap_frames $((before + 600))
equal 'all of it' "$lost" "$(count_of dnstap_lost)"

# --- a reader that is stopped, under load ---

questions 1000 >"$work/questions"
# full_load: questions for 3 s, as many as go; how many were answered is in $completed, the rest in $unanswered
full_load()
{
	dnsperf -s 127.0.0.1 -p 5364 -d "$work/questions" -l 3 -c 8 -q 200 >"$work/dnsperf" 2>&1
	completed=$(sed -n 's/.*Queries completed: *\([0-9]*\).*/\1/p' "$work/dnsperf")
	unanswered=$(sed -n 's/.*Queries lost: *\([0-9]*\).*/\1/p' "$work/dnsperf")
}
full_load
echo "# a reader that reads: $completed answers in 3 s, $(count_of dnstap_frames) written, $(count_of dnstap_dropped) dropped, $(count_of dnstap_lost) lost"
equal 'a reader that reads: no question is unanswered' 0 "$unanswered"
kill -STOP "$(pid_of third)"
# How many questions fill all the room is one thing, how many of them a busy machine asks in 3 s another.
loads=1
full_load
while [ "$unanswered" = 0 ] && [ "$(count_of dnstap_dropped)" -eq 0 ] && [ $loads -lt 20 ]; do
	loads=$((loads + 1))
	full_load
done
full=$(resident)
dropped=$(count_of dnstap_dropped)
check 'a stopped reader: what has no room is counted' test "$dropped" -gt 0
equal 'no question is unanswered' 0 "$unanswered"
echo "# a stopped reader: $completed answers in 3 s, the $loads. time, $dropped dropped, $full kB"
full_load
more=$(resident)
check "and it takes no more memory, $more kB" test "$more" -lt $((full + 2048))
steady 800 200
equal 'single questions are answered' 200 "$came"
in_time 'in time'
echo "# longest: $longest ms with a stopped reader, $least ms without one"
written=$(count_of dnstap_frames)
kill -CONT "$(pid_of third)"
check 'it goes on when the reader does' wait_for 20 counts dnstap_frames $((written + 1))
check 'each message is written, lost, or was not taken' wait_for 20 all_accounted

# --- a reload while it is stopped; the end ---

kill -STOP "$(pid_of third)"
full_load
configured 'num-threads 2' 'dnstap-messages client-response' 'dnstap-sample 10'
kill -HUP "$(pid_of dns64d)"
check 'a reload is not held up' wait_for 60 logged dns64d 'reload: done'
steady 1000 100
equal 'nor are answers' 100 "$came"
ends_soon 'with a stopped reader'
kill -CONT "$(pid_of third)"
stop third
check 'what a reader got is whole' is_whole third

# --- a reader that takes no connection, and one that says nothing ---

cat >"$work/dumb.py" <<'EOF'
import socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen(0)
held = [s.accept()[0] for _ in range(int(sys.argv[2]))]
time.sleep(600)
EOF
for n in 0 1; do
	rm -f "$sock"
	start dumb python3 "$work/dumb.py" "$sock" $n
	wait_for 20 test -S "$sock"
	chmod 777 "$sock"
	configured
	start_dns64d
	steady $((1200 + n * 200)) 200
	equal "a dumb reader ($n): answers are given" 200 "$came"
	in_time 'in time'
	check 'and it is told' wait_for 20 logged dns64d 'does not take dnstap, or does not answer'
	ends_soon "with a dumb reader ($n)"
	stop dumb KILL
done

# --- a sample ---

start_reader sample
configured 'dnstap-messages client-query client-response' 'dnstap-sample 4'
start_dns64d
check 'with a sample' wait_for 20 connected_are 1
steady 2000 400
ends_soon 'with a sample'
stop sample
asked=$(told sample 1 4 6 10 | grep -c CQ)
check "a fourth is told of: $asked of 400" test "$asked" -gt 50 -a "$asked" -lt 160
equal 'each question with its response' "$(told sample 1 6 10 | sed -n 's/^CQ //p' | sort)" \
	"$(told sample 1 6 10 | sed -n 's/^CR //p' | sort)"
finish
