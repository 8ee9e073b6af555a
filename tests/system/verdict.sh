#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# verdict: whether the daemon can do its work is told in one way, in all six places: /ready, /health, the page,
# dns64ctl status, the service manager and the log. (RULES D31)
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need curl kdig python3
control=$work/state/control
web=http://127.0.0.1:6464
mkdir -m 755 "$work/state" && chown "$usual" "$work/state" || exit 99

# page PATH: the code, then what is there
page()
{
	curl -s -m 20 -w '\n%{http_code}' "$web$1" | tr -d '\n' | sed 's/\(.*\)\(...\)$/\2 \1/'
}

# told VERDICT CODE [HEALTH]: is it this one, everywhere? CODE: that of /ready; HEALTH: that of /health
told()
{
	is "$2 " page /ready && is "${1#not ready: }" page /ready && is "${3:-200} $1" page /health &&
		is "dns64d_ready $([ "$2" = 200 ] && echo 1 || echo 0)" page /metrics &&
		is "dns64d_degraded $([ "${1%%:*}" = degraded ] && echo 1 || echo 0)" page /metrics &&
		is "id=\"state\">$1</span>" page / && is "\"verdict\": \"${1%%:*}\"" page /status.json &&
		is "verdict     $1" ctl status || return 1
	[ ! -f "$work/manager.log" ] || tail -n 1 "$work/manager.log" | grep -qF "STATUS=$1 (" || return 1
	[ "$1" = ready ] || logged dns64d "server: $1\$"
}

# ask_one NAME: a question that one loop gets; the other one is not asked anything
ask_one()
{
	python3 - "$1" <<'END'
import socket, struct, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(('127.0.0.1', 41000))
s.settimeout(5)
name = b''.join(bytes([len(l)]) + l.encode() for l in sys.argv[1].split('.')) + b'\0'
s.sendto(struct.pack('>HHHHHH', 1, 0x100, 1, 0, 0, 0) + name + struct.pack('>HH', 28, 1), ('127.0.0.1', 5364))
try:
    print(s.recv(4096)[3] & 15)
except socket.timeout:
    print('none')
END
}

start_manager

start_fakedns --ttl 1
configure 'nameserver 127.0.0.1 port 5300' 'num-threads 2' "control-socket $control" 'web-listen 127.0.0.1' \
	'cache-size 0' 'client 127.0.0.9 {' 'dns64-prefix 2001:db8:64::/96' '}'
start_dns64d
check 'ready' wait_for 60 told ready 200

# --- a total outage, of which one loop never hears ---

for i in 1 2 3; do
	ask_one "010-000-000-00$i.dns64perf.test" >/dev/null
done
asked=$(curl -s -m 20 "$web/status.json" | python3 -c '
import json, sys
print(sum(l["questions"] > 0 for l in json.load(sys.stdin)["loops"]))')
equal 'one of two loops is asked' 1 "$asked"
stop fakedns
down()
{
	ask_one "010-000-000-$1.dns64perf.test" >/dev/null
	told 'not ready: no upstream answers' 503
}
check 'an outage is told everywhere' wait_for 60 down 009
check 'the metrics' is 'dns64d_ready 0' page /metrics
start_fakedns --ttl 1
check 'and its end' wait_for 60 told ready 200
check 'in the log, too' logged dns64d 'server: ready again'

# --- an upstream that has nothing but SERVFAIL ---

stop fakedns
start_fakedns --ttl 1 --rcode SERVFAIL --rcode-percent 100
erring()
{
	n=$((n + 1))
	ask_one "010-000-001-$n.dns64perf.test" >/dev/null
	told 'not ready: no upstream answers, or only with errors' 503
}
n=100
check 'errors are no answers' wait_for 60 erring
check 'nor is such an upstream good' is 'only errors' ctl upstreams
check 'nor up' is 'dns64d_upstream_up{upstream="127.0.0.1#5300"} 0' page /metrics
stop fakedns
start_fakedns --ttl 1
mended()
{
	ask_one 010-000-000-001.dns64perf.test >/dev/null
	told ready 200
}
check 'and it is told when it has answers again' wait_for 60 mended

# --- a reload that is refused ---

cp "$work/dns64d.conf" "$work/good.conf"
echo 'nonsense yes' >>"$work/dns64d.conf"
ctl reload >/dev/null 2>&1
check 'a refused reload is told' wait_for 60 told 'degraded: the last reload was refused' 200
check 'the metric' is 'dns64d_degraded 1' page /metrics
cp "$work/good.conf" "$work/dns64d.conf"
ctl reload >/dev/null 2>&1
check 'one that is done ends that' wait_for 60 told ready 200

# --- prefixes, and two things at once ---

ctl prefix down 2001:db8:64::/96 client 127.0.0.9 >/dev/null
check 'a block without a prefix' wait_for 60 told 'degraded: no prefix is active in 1 client block' 200
echo 'nonsense yes' >>"$work/dns64d.conf"
ctl reload >/dev/null 2>&1
check 'and a refused reload' wait_for 60 \
	told 'degraded: no prefix is active in 1 client block; the last reload was refused' 200
stop fakedns
down_too()
{
	ask_one "010-000-002-$1.dns64perf.test" >/dev/null
	told 'not ready: no upstream answers; no prefix is active in 1 client block; the last reload was refused' 503
}
check 'and an outage' wait_for 60 down_too 009
start_fakedns --ttl 1
ctl prefix down 2001:db8:64::/96 >/dev/null
check 'no prefix for anybody' wait_for 60 told 'not ready: no prefix is active; the last reload was refused' 503
cp "$work/good.conf" "$work/dns64d.conf"
ctl reload >/dev/null 2>&1
check 'a reload ends both' wait_for 60 told ready 200

# --- all loops stand still ---

# halt: the loops' threads stand still until this is ended
halt()
{
	exec python3 -u - "$1" <<'END'
import ctypes, os, sys, time
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long] * 4
ATTACH, DETACH = 16, 17
pid = sys.argv[1]
tids = [t for t in os.listdir(f'/proc/{pid}/task') if open(f'/proc/{pid}/task/{t}/comm').read().strip()[-1:].isdigit()]
for tid in tids:
    if libc.ptrace(ATTACH, int(tid), 0, 0) != 0:
        sys.exit(f'ptrace: {os.strerror(ctypes.get_errno())}')
    os.waitpid(int(tid), 0x40000000)
print('halted', len(tids))
time.sleep(25)
for tid in tids:
    libc.ptrace(DETACH, int(tid), 0, 0)
END
}
(halt "$(pid_of dns64d)") >"$work/halt.log" 2>&1 &
halter=$!
if wait_for 20 logged halt 'halted 2'; then
	check 'loops that stand still: all of them' wait_for 60 told 'not ready: 2 of 2 loops do not go round' 503 503
	check 'the metric' is 'dns64d_loops_stuck 2' page /metrics
	wait $halter
	check 'and their end' wait_for 60 told ready 200
else
	wait $halter
	echo 'no ptrace here: loops that stand still are not tried'
	cat "$work/halt.log"
fi

# --- a stop ---

complaints()
{
	grep -cE 'server: not ready: (stopping|.*go round)' "$work/dns64d.log"
}
before=$(complaints)
stop dns64d
equal 'exit status' 0 "$status"
check 'which is no reason to complain' test "$(complaints)" = "$before"

finish
