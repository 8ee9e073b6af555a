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

finish
