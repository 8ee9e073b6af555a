#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# control: the control socket of the running daemon, asked by dns64ctl and curl, by those who keep to
# the rules and by those who do not.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need curl kdig python3 zsh
dns64ctl=$TOP_BUILDDIR/dns64ctl
control=$work/state/control
known=010-000-000-001.dns64perf.test
mkdir -m 755 "$work/state" && chown "$usual" "$work/state" || exit 99

# exits CODE WORD...: the exit code of dns64ctl, what it prints goes to $work/said
exits()
{
	expected_code=$1
	shift
	ctl "$@" >"$work/said"
	equal "dns64ctl $*: exit code" "$expected_code" $?
}

# http METHOD PATH [CURL-ARGUMENTS...]: the status line's code, then the body on one line
http()
{
	method=$1 path=$2
	shift 2
	curl -s -m 20 -X "$method" -w '\n%{http_code}' --unix-socket "$control" "$@" "http://dns64d$path" |
		tr -d '\n' | tr -s ' ' | sed 's/\(.*\)\(...\)$/\2 \1/'
}

# starts_not CODE TEXT: a start with the present configuration fails, and says why
starts_not()
{
	start second "$DNS64D" -f -c "$work/dns64d.conf"
	wait "$(pid_of second)"
	equal "no start: exit status" "$1" $?
	rm "$work/second.pid"
	check "and the reason: $2" logged second "$2"
}

# descriptors: how many it has open
descriptors()
{
	find "/proc/$(pid_of dns64d)/fd" -mindepth 1 | wc -l
}

# shellcheck disable=SC2317 # wait_for calls it
as_before()
{
	[ "$(descriptors)" -le "$before" ]
}

settings()
{
	configure 'nameserver 127.0.0.1 port 5300' "num-threads $threads" "control-socket $control" "$@"
}

threads=2
start_fakedns --ttl 300
settings 'cookie-secret 00112233445566778899aabbccddeeff'
start_dns64d

# --- the socket ---

# The account nobody is that of others, too.
owner=$usual
[ "$usual" != nobody ] || owner=root
equal 'its mode and owner' "660 $owner" "$(stat -c '%a %U' "$control")"
equal 'ping' pong "$(ctl ping)"
exits 0 ping
if [ -w /dev/full ]; then
	"$TOP_BUILDDIR/dns64ctl" -s "$control" config >/dev/full 2>"$work/said"
	equal 'output that cannot be written: exit code' 1 $?
	check 'and why' is 'No space left on device' cat "$work/said"
fi
check 'curl: ping' is '200 { "pong": true}' http GET /ping
exits 2
exits 2 nothing
exits 2 ping pong
exits 2 flush name
exits 2 flush type "$known"
exits 2 --rates ping
exits 2 --nothing
"$dns64ctl" -s "$work/nowhere" ping 2>"$work/said"
equal 'no daemon: exit code' 3 $?
check 'and why' is "there is no $work/nowhere: no daemon runs, or its control-socket is another one" cat "$work/said"
"$dns64ctl" -s "$work/dns64d.conf" ping 2>"$work/said"
equal 'no socket: exit code' 3 $?
check 'and why' is "nobody listens at $work/dns64d.conf" cat "$work/said"
"$dns64ctl" -s "$work/dns64d.conf/x" ping 2>"$work/said"
check 'a path that cannot be' is "$work/dns64d.conf/x: Not a directory" cat "$work/said"
if command -v setpriv >/dev/null; then
	cp "$dns64ctl" "$work/ctl" && chmod 755 "$work/ctl" || exit 99
	setpriv --reuid=4712 --regid=4712 --clear-groups "$work/ctl" -s "$control" ping 2>"$work/said"
	equal 'without permission: exit code' 3 $?
	check 'and why' is "$control: Permission denied; a daemon may well be there" cat "$work/said"
	check '  nobody is told that there is none' test "$(grep -c 'no daemon' "$work/said")" -eq 0
fi

# --- what it tells ---

check 'a question' is 'AAAA 2001:db8:64::a00:1' answer $known AAAA
check 'status: version' is "$("$DNS64D" -V | head -n 1 | cut -d ' ' -f 2), process $(pid_of dns64d)" ctl status
check 'status: addresses' is '::1#5364, 127.0.0.1#5364' ctl status
check 'status: prefixes' is "$prefix" ctl status
check 'status: no reload yet' is 'none yet' ctl status
check 'status by curl' is '"loops_silent": 0' http GET /status
check 'stats' is 'client_udp                          1  questions received over UDP' ctl stats
check 'stats of all counters, by curl' is '"bogus": 0' http GET /stats
ctl --json stats >"$work/stats.json"
python3 -c 'import json, sys; print("\n".join(json.load(open(sys.argv[1]))["counters"]))' "$work/stats.json" >"$work/counters"
while read -r counter; do
	grep -qx "\.It Li $counter" "$TOP_BUILDDIR/man/dns64ctl.8" || echo "$counter"
done <"$work/counters" >"$work/missing"
equal 'stats: the manual has every counter' '' "$(cat "$work/missing")"
curl -s --unix-socket "$control" http://d/metrics | sed -n 's/^# TYPE \([^ ]*\) .*/\1/p' >"$work/metrics"
sed -n '/^\.Sh COUNTERS/,/^\.El/p' "$TOP_BUILDDIR/man/dns64ctl.8" >"$work/renamed"
while read -r counter; do
	grep -qx "dns64d_${counter}_total" "$work/metrics" || grep -qw "$counter\|${counter%_*}_a and so on" "$work/renamed" ||
		echo "$counter"
done <"$work/counters" >"$work/missing"
sed -n 's/^\.It Li //p' "$work/renamed" | grep -vxFf "$work/metrics" >>"$work/missing"
equal 'stats: and the name that it has in the metrics' '' "$(cat "$work/missing")"
check 'upstreams' is '127.0.0.1#5300               good' ctl upstreams
check 'upstreams: guards' is '0x20 on, cookie not offered, edns on, udp_ids on' ctl upstreams
check 'upstreams: sockets' is ' sockets, 0 connections' ctl upstreams
check 'upstreams: all in 100 columns' sh -c "! $dns64ctl -s $control upstreams | grep -q '.\\{101\\}'"
start asking dnsperf -s ::1 -p 5364 -d "$(questions 100 >"$work/questions"; echo "$work/questions")" -l 7 -Q 100
sleep 0.5
check 'rates' is 'client_udp ' ctl stats --rates
check 'rates: some in a second' wait_for 7 is '/s  questions received over UDP' ctl --rates stats
exits 0 top 2
check 'top' is ' questions ' cat "$work/said"
equal 'top: a heading and two lines' 3 "$(wc -l <"$work/said")"
exits 2 top many

# completes WORD...: what bash offers for the last of these
completes()
{
	# shellcheck disable=SC2016 # expanded there
	PATH=$TOP_BUILDDIR:$PATH bash -c '. "$0"; COMP_WORDS=(dns64ctl "$@"); COMP_CWORD=$#; _dns64ctl
		printf "%s " "${COMPREPLY[@]}"' "$TOP_SRCDIR/contrib/completion/dns64ctl.bash" "$@"
}
equal 'bash completes a command' 'ping ' "$(completes pi)"
equal 'and its second word' 'active add del down drain ' "$(completes prefix '' | tr ' ' '\n' | sort -u | tr '\n' ' ' | sed 's/^ //')"
check 'and options' is '--json' completes --j
# tabbed LINE: what zsh offers behind it, in a line
tabbed()
{
	timeout 60 zsh -f "$TOP_SRCDIR/tests/system/complete.zsh" "$TOP_SRCDIR/contrib/completion" "$TOP_BUILDDIR" "$1" |
		tr '\n' ' '
}
equal 'zsh completes a command' 'ping ' "$(tabbed 'dns64ctl pi')"
equal 'and its second word' 'active add del down drain ' "$(tabbed 'dns64ctl prefix ')"
equal 'behind an option with a value' 'activate add drop ' "$(tabbed 'dns64ctl -s /none cookie-secret ')"
equal 'and all options for people' "$("$dns64ctl" -h | sed -n 's/^ .*\(--[a-z]*\) .*/\1/p' | sort | tr '\n' ' ')" \
	"$(tabbed 'dns64ctl --')"
wait "$(pid_of asking)"
rm "$work/asking.pid"
check 'json' is '"pong": true' ctl --json ping
check 'json of an error' is '"error"' ctl --json flush name a..b

# --- the configuration ---

check 'config: what stands in the file' is "# $work/dns64d.conf:" ctl config
check 'config: a default' is 'upstream-timeout 2.0 ' ctl config
check 'config: no secret' is '# cookie-secret (hidden)' ctl config
check 'config: nowhere' sh -c "! curl -s --unix-socket $control http://d/config | grep -q 00112233"
ctl config >"$work/again.conf"
chmod 644 "$work/again.conf"
check 'config: it can be read again' is 'configuration OK' ctl check-config "$work/again.conf"
echo 'prot 53' >>"$work/again.conf"
exits 1 check-config "$work/again.conf"
check 'check-config: the error' is 'did you mean port' cat "$work/said"

# --- policies of clients ---

settings 'client 127.0.0.0/8 {' 'hide-a yes' 'never-synthesize a.test b.test' '}'
check 'a block' is 'reload: done' ctl reload
clients()
{
	ctl clients | awk -v head="$1" '$1 == head { print $4 }'
}
block=$(grep -n '^client' "$work/dns64d.conf" | cut -d : -f 1)
others=$(clients 0)
for _ in 1 2 3 4 5 6 7 8 9 10; do
	answer_of 127.0.0.1 5364 $known AAAA >/dev/null
done
equal 'answers of its clients, repeated ones too' 10 "$(clients "$block")"
equal 'and no others' "$others" "$(clients 0)"
check 'its networks' is '  127.0.0.0/8' ctl clients
check 'its lines' is '    never-synthesize a.test b.test' ctl clients
check 'its zones' is "$block        1        2             10" ctl clients
settings 'hide-a yes' 'client 10.0.0.0/8 {' '}' 'client 127.0.0.0/8 {' '}'
check 'at another line' is 'reload: done' ctl reload
equal 'the count goes on' 10 "$(clients $((block + 3)))"
equal 'another block begins anew' 0 "$(clients $((block + 1)))"
settings
check 'without a block' is 'reload: done' ctl reload
answer_of 127.0.0.1 5364 $known AAAA >/dev/null
equal 'they are as others' $((others + 1)) "$(clients 0)"

# --- reload ---

exits 0 reload
check 'reload: done' is 'notice config: reload: done' cat "$work/said"
check 'status knows' is 'reload      done' ctl status
threads=3
settings 'hide-a yes' 'frobnicate 7'
exits 1 reload
check 'reload: the error, with its place' is "config: $work/dns64d.conf:" cat "$work/said"
check 'reload: refused' is 'the configuration before stays in force' cat "$work/said"
check 'status knows that, too' is 'reload      refused' ctl status
settings 'hide-a yes' 'listen 192.0.2.99 port 5364'
exits 0 reload
check 'reload: an address that there is not yet' is 'listen 192.0.2.99#5364: waiting for it' cat "$work/said"
check 'status waits for it' is 'waiting for 192.0.2.99#5364, this machine has no such address' ctl status
settings 'hide-a yes' "control-group 0"
exits 0 reload
check 'reload: what needs a restart' is 'num-threads was changed, which takes effect only with a restart' cat "$work/said"
check 'reload: the socket, too' is 'control-group was changed' cat "$work/said"
check 'config: as it is in force' is 'num-threads 2 ' ctl config
check 'config: what is new' is 'hide-a yes ' ctl config
threads=2
settings
kill -HUP "$(pid_of dns64d)"
check 'a reload by signal is told, too' wait_for 60 is 'reload      done' ctl status

# --- the cache ---

check 'lookup' is 'AAAA       nodata' ctl cache lookup $known
check 'lookup of a type' is 'A          answer' ctl cache lookup $known A
check 'lookup of nothing' is 'is not in the cache' ctl cache lookup nothing.test
check 'cache stats' is ' entries, ' ctl cache stats
check 'flush type' is ' entries' ctl flush type $known A
check 'it is forgotten' is "$known. AAAA" sh -c "printf '$known. '; $dns64ctl -s $control cache lookup $known | awk 'NR > 1 { print \$1 }' | sort -u"
check 'flush below' is ' entries' ctl flush below test
check 'all is forgotten' is 'is not in the cache' ctl cache lookup $known
check 'flush name' is ' entries' ctl flush name $known
check 'flush all' is ' entries' ctl flush all
exits 1 cache save
check 'cache save: there is no file' is 'there is no cache-file' cat "$work/said"
exits 1 flush name a..b
exits 1 cache lookup a b
check 'what is allowed is told' is 'allowed is a name such as AAAA, or TYPE and a number' cat "$work/said"
flushes=$(grep -c 'flush all' "$work/dns64d.log")
exits 0 log level error
exits 0 flush all
equal 'log level error: no notices' "$flushes" "$(grep -c 'flush all' "$work/dns64d.log")"
exits 1 log level loud
check 'which levels there are is told' is 'allowed: error, warn, notice, info, debug' cat "$work/said"
exits 1 log level cash debug
check 'which categories, too' is 'allowed: config, upstream, ' cat "$work/said"
exits 0 log level upstream debug
exits 0 log level
check 'log level tells each' is 'cache       error, until a reload makes it notice' cat "$work/said"
check 'and that of which alone was set' is 'upstream    debug, until a reload makes it notice' cat "$work/said"
exits 0 reload
check 'a reload tells what it undoes' logged dns64d 'notice config: the log level of upstream is notice again, after debug'
exits 0 log level
check 'and nothing is left of it' is 'upstream    notice' cat "$work/said"
exits 0 flush all
equal 'a reload sets it back' $((flushes + 1)) "$(grep -c 'flush all' "$work/dns64d.log")"
exits 0 log reopen
kill -USR2 "$(pid_of dns64d)"
check 'SIGUSR2' wait_for 60 sh -c "[ \$(grep -c 'the log was opened again' '$work/dns64d.log') = 2 ]"

# --- what is refused ---

check 'an unknown path' is '404 { "error"' http GET /nothing
check 'what is allowed is told' is '"/ping"' http GET /nothing
check 'traversal' is '404' http GET '/../../etc/passwd' --path-as-is
check 'a wrong method' is '405 { "error"' http POST /ping
check 'which are right is told' is '[ "GET", "HEAD" ]' http POST /ping
check 'GET changes nothing' is '405' http GET /stop
check 'JSON that is cut' is '400 { "error": "not understood' http POST /flush/name -d '{"name": '
check 'JSON of another kind' is '400' http POST /flush/name -d '[1]'
check 'a word too much' is "400 { \"error\": \"'type' is not known here\"" http POST /flush/name -d '{"name": "a", "type": "A"}'
check 'a long body' is '413' http POST /flush/name --data-binary "@$DNS64D"

before=$(descriptors)
python3 - "$control" <<'END' >"$work/hostile.log" 2>&1
import os, socket, sys, time

def call(data, wait=True):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(20)
    s.connect(sys.argv[1])
    try:
        s.sendall(data)
        if not wait:
            return s
        answer = b''
        while True:
            part = s.recv(65536)
            if not part:
                return answer
            answer += part
    except (BrokenPipeError, ConnectionResetError):
        return b''

# A header of a megabyte, in one line and in many.
assert b' 200 ' not in call(b'GET /ping HTTP/1.1\r\nX: ' + b'x' * 1000000 + b'\r\n\r\n')[:20]
assert b' 200 ' not in call(b'GET /ping HTTP/1.1\r\n' + b'X: x\r\n' * 170000 + b'\r\n')[:20]
assert b' 200 ' not in call(b'GET /' + b'p' * 1000000 + b' HTTP/1.1\r\n\r\n')[:20]
# No HTTP at all.
for data in b'\0' * 5000, os.urandom(5000), b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', b'\r\n' * 3000:
    call(data)
# Half a request, a body that does not come, one who reads nothing: ended after a while.
began = time.time()
half = [call(b'GET /pi', wait=False), call(b'', wait=False),
        call(b'POST /flush/all HTTP/1.1\r\nContent-Length: 10\r\n\r\n{', wait=False)]
mute = [call(b'GET /stats HTTP/1.1\r\n\r\n', wait=False) for _ in range(20)]
# Others are served meanwhile.
assert b'"pong"' in call(b'GET /ping HTTP/1.1\r\n\r\n')
assert time.time() - began < 3
for s in half:
    assert b' 200 ' not in s.recv(65536)
assert 4 < time.time() - began < 9, time.time() - began
# As many as there is room for, and more: they wait, and are served when there is room.
many = [call(b'', wait=False) for _ in range(64)]
time.sleep(0.2)
late = call(b'GET /ping HTTP/1.1\r\n\r\n', wait=False)
late.settimeout(0.4)
try:
    late.recv(100)
    sys.exit('there was room for another one')
except socket.timeout:
    pass
for s in many:
    s.close()
late.settimeout(20)
assert b'"pong"' in late.recv(65536)
print('all as it has to be')
END
check 'hostile clients' logged hostile 'all as it has to be'
check 'nothing of them is left' wait_for 60 as_before
equal 'it serves on' pong "$(ctl ping)"
check 'DNS, too' is 'AAAA 2001:db8:64::a00:1' answer $known AAAA

# --- another daemon, and what is at the path ---

starts_not 3 "control-socket $control: somebody answers there already"
equal 'the first one still has it' pong "$(ctl ping)"
exits 0 stop
wait "$(pid_of dns64d)"
equal 'stop: exit status' 0 $?
rm "$work/dns64d.pid"
check 'stop: the log says so' logged dns64d 'server: dns64ctl stop'
check 'the socket is gone' test ! -e "$control"

start_dns64d
stop dns64d KILL
check 'one who is killed leaves it' test -S "$control"
exits 3 ping
check 'and why' is "nobody listens at $control: its daemon is gone" cat "$work/said"
start_dns64d
equal 'it is replaced' pong "$(ctl ping)"
stop dns64d
equal 'exit status' 0 "$status"

echo precious >"$control"
starts_not 3 "control-socket $control: something is there already that is no socket"
equal 'what was there still is' precious "$(cat "$control")"
rm "$control"
ln -s elsewhere "$control"
starts_not 3 'that is no socket'
check 'a link, too' test -L "$control"
rm "$control"
long=$work/state/$(printf '%0100d' 0)
settings "control-socket $long"
sed -i "/^control-socket .*control$/d" "$work/dns64d.conf"
starts_not 3 'longer than 107 characters'
exits 1 check-config "$work/dns64d.conf"
check '-t says so, too' is 'longer than 107 characters' cat "$work/said"
there=$control
control=$work/nowhere/control
settings
starts_not 3 "control-socket $control: No such file or directory"
exits 1 check-config "$work/dns64d.conf"
check '-t says so, too' is 'No such file or directory' cat "$work/said"
control=$work/state/strange
python3 -c 'import socket, sys, time; s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind(sys.argv[1]); time.sleep(900)' \
	"$control" &
echo $! >"$work/strange.pid"
wait_for 20 test -S "$control"
settings
starts_not 3 "control-socket $control: somebody answers there already"
stop strange
check 'what is theirs stays' test -S "$control"
control=$there
settings 'control-group no-such-group'
starts_not 3 "control-group: 'no-such-group' does not exist"

# --- its group, strict (libevent-getnameinfo), a chroot ---

settings 'control-group 4711' 'sandbox strict'
start_dns64d
equal 'control-group' '660 4711' "$(stat -c '%a %g' "$control")"
for command in ping status stats upstreams config reload 'cache lookup a.test' 'flush all' 'log reopen'; do
	# shellcheck disable=SC2086 # several words
	exits 0 $command
done
exits 0 stop
wait "$(pid_of dns64d)"
equal 'strict: exit status' 0 $?
rm "$work/dns64d.pid"
check 'strict: the socket is gone' test ! -e "$control"

mkdir "$work/root" || exit 99
settings "chroot $work/root"
# The leak checker needs /proc.
export ASAN_OPTIONS=detect_leaks=0
start_dns64d
equal 'from outside of a chroot' pong "$(ctl ping)"
exits 0 status
stop dns64d
equal 'exit status' 0 "$status"
unset ASAN_OPTIONS

configure 'nameserver 127.0.0.1 port 5300' 'control-socket none'
start_dns64d
stop dns64d
equal 'without a control socket' 0 "$status"

finish
