#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# lameduck: a daemon that is to be stopped soon says that it is not to be asked any more, and answers
# everybody all the same (CoreDNS's health lameduck; exabgp issue 1383: who leaves first says so).
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need curl kdig python3
control=$work/state/control
web=http://127.0.0.1:6464
known=010-000-000-001.dns64perf.test
mkdir -m 755 "$work/state" && chown "$usual" "$work/state" || exit 99

# page PATH: the code, then what is there
page()
{
	curl -s -m 20 -w '\n%{http_code}' "$web$1" | tr -d '\n' | sed 's/\(.*\)\(...\)$/\2 \1/'
}

# idle: a connection that has asked and asks no more: the seconds until it is closed, at most 20
idle()
{
	python3 - <<'END_OF_IDLE'
import socket, struct, time
q = struct.pack('>HHHHHH', 1, 0x100, 1, 0, 0, 0) + b'\x08resolver\x04arpa\0' + struct.pack('>HH', 1, 1)
s = socket.create_connection(('::1', 5364))
s.sendall(struct.pack('>H', len(q)) + q)
s.settimeout(20)
assert s.recv(65536)
began = time.time()
try:
    s.recv(65536)
except socket.timeout:
    pass
print(int(time.time() - began))
END_OF_IDLE
}

start_fakedns --ttl 300
configure 'nameserver 127.0.0.1 port 5300' 'num-threads 2' "control-socket $control" 'web-listen 127.0.0.1' \
	'tcp-idle-timeout 15'
start_dns64d
equal 'at first it is none' off "$(ctl lameduck)"
equal '/ready' '200 ready' "$(page /ready)"
equal 'no time to live by TCP' '' "$(answer +tcp $known AAAA +edns | grep 'Option (11)')"
check 'idle connections are left alone' test "$(idle)" -ge 10

# --- on, under load ---

start asking dnsperf -s ::1 -p 5364 -d "$(questions 100 >"$work/questions"; echo "$work/questions")" -l 6 -Q 500
sleep 0.5
check 'on' is 'on, for 0m' ctl lameduck on
check '/ready' is '503 { "error": "lameduck"}' page /ready
equal '/health' '200 not ready: lameduck' "$(page /health)"
check 'status' is 'verdict     not ready: lameduck' ctl status
check '/status.json' is '"reason": "lameduck"' page /status.json
check 'the page' is 'not ready: lameduck' page /
check 'metrics' is 'dns64d_lameduck 1' page /metrics
check 'metrics: not ready' is 'dns64d_ready 0' page /metrics
check 'the log' logged dns64d 'control: lameduck on'
check 'a question' is 'AAAA 2001:db8:64::a00:1' answer $known AAAA
check 'over TCP, too' is 'AAAA 2001:db8:64::a00:1' answer +tcp $known AAAA
check 'which asks to end the connection' is 'Option (11): 0000' answer +tcp $known AAAA +edns
equal 'over UDP there is no such thing (RFC 7828 section 3.2.1)' '' \
	"$(answer $known AAAA +edns | grep 'Option (11)')"
check 'idle connections are closed soon' test "$(idle)" -le 4
check 'a reload' is 'done' ctl reload
check 'does not end it' is 'on, for' ctl lameduck
check 'it is said again at once' is 'on, for' ctl lameduck on
wait "$(pid_of asking)"
rm "$work/asking.pid"
check 'and no answer was lost' logged asking 'Queries lost:         0 (0.00%)'

# --- off ---

equal 'off' off "$(ctl lameduck off)"
equal '/ready again' '200 ready' "$(page /ready)"
check 'metrics' is 'dns64d_lameduck 0' page /metrics
equal 'nobody is asked to end' '' "$(answer +tcp $known AAAA +edns | grep 'Option (11)')"
ctl lameduck perhaps >"$work/said"
equal 'another word: exit code' 2 $?
check 'descriptors are counted from inside the sandbox' test \
	"$(curl -s "$web/metrics" | sed -n 's/^process_open_fds //p')" -ge \
	"$(find "/proc/$(pid_of dns64d)/fd" -mindepth 1 | wc -l)"

# --- until a restart; a stop of one is as any ---

check 'on once more' is 'on, for' ctl lameduck on
stop dns64d
equal 'exit status' 0 "$status"
start_dns64d
equal 'a restart ends it' off "$(ctl lameduck)"
stop dns64d
equal 'exit status' 0 "$status"

# --- before a stop (lameduck) ---

# began LINE...: anew, with these lines
began()
{
	configure 'nameserver 127.0.0.1 port 5300' 'num-threads 2' "control-socket $control" 'web-listen 127.0.0.1' \
		"cache-file $work/state/cache" 'health-name health.invalid' "$@"
	rm -f "$work/state/cache"
	start_dns64d
	answer $known AAAA >/dev/null
}

# ends BEGAN LEAST MOST: what was stopped at BEGAN ends so many milliseconds after it, with 0
ends()
{
	wait "$(pid_of dns64d)"
	status=$? took=$(($(milliseconds) - $1))
	rm -f "$work/dns64d.pid"
	[ "$status" -eq 0 ] && [ "$took" -ge "$2" ] && [ "$took" -le "$3" ] && return
	echo "exit code $status after $took ms"
	return 1
}

watch_noise
start_manager
began 'lameduck 12'
start asking dnsperf -s ::1 -p 5364 -d "$work/questions" -l 3 -Q 500
sleep 0.2
first=$(milliseconds)
kill -TERM "$(pid_of dns64d)"
check 'SIGTERM makes it a lame duck' wait_for 3 is '503 { "error": "lameduck, to stop"}' page /ready
check 'why and for how long is in the log' logged dns64d 'server: SIGTERM: a lame duck for 12.000 s before the stop'
check 'health-name' is 'SERVFAIL' answer health.invalid A
check 'with the reason' is "14 (Not Ready): 'lameduck, to stop'" answer health.invalid TXT +edns
check 'over TCP, too' is 'SERVFAIL' answer +tcp HEALTH.invalid AAAA
check 'the time that is left' is '; it stops in 0m' ctl lameduck
check 'status' is 'verdict     not ready: lameduck, to stop' ctl status
check 'status: the time that is left' is '; it stops in 0m' ctl status
equal '/health' '200 not ready: lameduck, to stop' "$(page /health)"
check 'metrics' is 'dns64d_lameduck 1' page /metrics
check 'it does not stop yet' is 'dns64d_stopping 0' page /metrics
check 'a question' is 'AAAA 2001:db8:64::a00:1' answer $known AAAA
check 'over TCP it asks to end the connection' is 'Option (11): 0000' answer +tcp $known AAAA +edns
ctl lameduck off >"$work/said.log" 2>&1
equal 'off is refused' 1 $?
check 'and why' logged said 'the daemon is to stop'
check 'on changes nothing' is '; it stops in 0m' ctl lameduck on
check 'a reload' is 'done' ctl reload
kill -USR1 "$(pid_of dns64d)"
check 'statistics' wait_for 3 logged dns64d 'stats: in flight'
wait "$(pid_of asking)"
rm "$work/asking.pid"
check 'no answer was lost' logged asking 'Queries lost:         0 (0.00%)'
check 'then it ends' ends "$first" 12000 "$(stretch 14000)"
check 'which is in the log' logged dns64d 'server: lame duck no longer: finishing what is in flight'
check 'the cache was saved' test -s "$work/state/cache"
if [ -f "$work/manager.pid" ]; then
	check 'systemd gives it more time' logged manager '^STOPPING=1 STATUS=not ready: lameduck, to stop.*EXTEND_TIMEOUT_USEC=8[12]'
	equal 'and it is not started anew' 0 "$(sed '1,/^STOPPING/d' "$work/manager.log" | grep -c '^READY')"
	stop manager KILL
	unset NOTIFY_SOCKET
fi

began 'lameduck 60'
check 'dns64ctl stop' is 'a lame duck first; it stops in ' ctl stop
first=$(milliseconds)
check 'a second time' ctl stop
check 'it ends at once' ends "$first" 0 "$(stretch 2000)"
check 'without the cache' test ! -e "$work/state/cache"
check 'as the log has it' logged dns64d 'dns64ctl stop again: not waiting any longer'

began 'lameduck 60'
kill -INT "$(pid_of dns64d)"
check 'SIGINT, too' wait_for 3 logged dns64d 'SIGINT: a lame duck for 60.000 s'
kill -HUP "$(pid_of dns64d)"
check 'SIGHUP reloads' wait_for 9 logged dns64d 'reload: done'
first=$(milliseconds)
kill -TERM "$(pid_of dns64d)"
check 'another signal ends it' ends "$first" 0 "$(stretch 2000)"

began 'lameduck 1'
check 'a lame duck already' is 'on, for' ctl lameduck on
sleep 1
first=$(milliseconds)
check 'stops at once' ctl stop
check 'and ends' ends "$first" 0 "$(stretch 2000)"
check 'with the cache' test -s "$work/state/cache"

# --- health-name: neither logged nor limited ---

began 'rate-limit 1' 'rate-limit-burst 1' 'rate-limit-slip 0' "query-log $work/state/log" 'lameduck 0' 'max-amplification 1'
check 'it is ready' is 'an health.invalid. 0 IN TXT "ready"' answer health.invalid TXT
for i in 1 2 3 4 5 6 7 8 9; do
	check 'it is not limited' is 'NOERROR' answer health.invalid A
done
check 'others are' test "$(answer +timeout=1 $known AAAA; answer +timeout=1 $known AAAA)" != \
	"$(answer +tcp $known AAAA; answer +tcp $known AAAA)"
check 'explain' is 'health-name' ctl explain health.invalid
check 'it is counted' is 'reason="health"' page /metrics
stop fakedns
for i in 1 2 3 4 5 6 7 8; do
	ctl flush all >/dev/null
	answer +tcp "010-000-000-00$i.dns64perf.test" AAAA >/dev/null &
done
check 'no upstream answers' wait_for 30 is "14 (Not Ready): 'no upstream answers'" answer health.invalid A +edns
start_fakedns --ttl 300
answer +tcp "010-000-001-001.dns64perf.test" AAAA >/dev/null
check 'it does again' wait_for 30 is 'NOERROR' answer health.invalid A
stop dns64d
check 'others are in the query log' grep -q dns64perf.test "$work/state/log"
equal 'it is not' 0 "$(grep -c health.invalid "$work/state/log")"

for value in 3600.5 -1 ten; do
	configure 'nameserver 127.0.0.1' "lameduck $value"
	"$DNS64D" -t -f -c "$work/dns64d.conf" >"$work/said.log" 2>&1
	equal "lameduck $value: exit code" 1 $?
	check 'the line is named' logged said 'dns64d.conf:6: .*lameduck'
done

finish
