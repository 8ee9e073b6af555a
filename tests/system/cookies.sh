#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# cookies: the secrets of cookies for clients are changed while several loops run, as servers that share
# an address do it one step after the other (RFC 9018 section 5). Servers with one secret and one configuration give
# the same answers, and take each other's cookies.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need curl python3
control=$work/state/control
mkdir -m 755 "$work/state" && chown "$usual" "$work/state" || exit 99
old=000102030405060708090a0b0c0d0e0f
new=0f0e0d0c0b0a09080706050403020100
third=ffeeddccbbaa99887766554433221100

cat >"$work/ask.py" <<'END_OF_ASK'
# ask.py get SECRET: how many of 64 cookies, asked for from 64 ports, were made with SECRET (RFC 9018)
# ask.py keep FILE: ask for a cookie from each of 64 ports, and keep them
# ask.py show FILE: ask with these
# Port 5364 is asked, or what ASK_PORT names.
import os, socket, struct, sys

def rotl(x, b): return (x << b | x >> 64 - b) & 2 ** 64 - 1

def siphash(key, data):
    k = struct.unpack('<QQ', key)
    v = [k[0] ^ 0x736f6d6570736575, k[1] ^ 0x646f72616e646f6d, k[0] ^ 0x6c7967656e657261, k[1] ^ 0x7465646279746573]
    def rounds(n):
        for _ in range(n):
            v[0] = v[0] + v[1] & 2 ** 64 - 1; v[1] = rotl(v[1], 13) ^ v[0]; v[0] = rotl(v[0], 32)
            v[2] = v[2] + v[3] & 2 ** 64 - 1; v[3] = rotl(v[3], 16) ^ v[2]
            v[0] = v[0] + v[3] & 2 ** 64 - 1; v[3] = rotl(v[3], 21) ^ v[0]
            v[2] = v[2] + v[1] & 2 ** 64 - 1; v[1] = rotl(v[1], 17) ^ v[2]; v[2] = rotl(v[2], 32)
    whole = data[:len(data) // 8 * 8]
    last = data[len(whole):] + bytes(7 - len(data) % 8) + bytes([len(data) & 255])
    for i in range(0, len(whole) + 8, 8):
        m = struct.unpack('<Q', (whole + last)[i:i + 8])[0]
        v[3] ^= m
        rounds(2)
        v[0] ^= m
    v[2] ^= 255
    rounds(4)
    return struct.pack('<Q', v[0] ^ v[1] ^ v[2] ^ v[3])

def ask(s, cookie):
    name = b'\x08resolver\x04arpa\0'
    opt = b'\0' + struct.pack('>HHIH', 41, 1232, 0, 4 + len(cookie)) + struct.pack('>HH', 10, len(cookie)) + cookie
    s.send(struct.pack('>HHHHHH', 7, 0x100, 1, 0, 0, 1) + name + struct.pack('>HH', 1, 1) + opt)
    answer = s.recv(4096)
    at = answer.rfind(struct.pack('>HH', 10, 24))
    return answer[at + 4:at + 28] if at > 0 else b''

def port():
    s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    s.settimeout(20)
    s.connect(('::1', int(os.environ.get('ASK_PORT', 5364))))
    return s

if sys.argv[1] == 'get':
    key, n = bytes.fromhex(sys.argv[2]), 0
    for i in range(64):
        s = port()
        got = ask(s, bytes([i]) * 8)
        n += got[16:] == siphash(key, got[:16] + socket.inet_pton(socket.AF_INET6, '::1'))
    print(n)
elif sys.argv[1] == 'keep':
    with open(sys.argv[2], 'wb') as f:
        for i in range(64):
            f.write(ask(port(), bytes([i]) * 8))
else:
    with open(sys.argv[2], 'rb') as f:
        for i in range(64):
            ask(port(), f.read(24))
END_OF_ASK

cat >"$work/held.py" <<'END_OF_HELD'
# held.py PID SECRET: how often a process has it in memory, as text and as bytes
import re, sys
n = [0, 0]
with open('/proc/%s/maps' % sys.argv[1]) as maps, open('/proc/%s/mem' % sys.argv[1], 'rb', 0) as mem:
    for line in maps:
        at, end, mode = re.match('([0-9a-f]+)-([0-9a-f]+) (....)', line).groups()
        if mode[:2] != 'rw':
            continue
        try:
            mem.seek(int(at, 16))
            part = mem.read(int(end, 16) - int(at, 16))
        except (OSError, ValueError, OverflowError):
            continue
        n[0] += part.lower().count(sys.argv[2].encode())
        n[1] += part.count(bytes.fromhex(sys.argv[2]))
print('%d as text, %s as bytes' % (n[0], 'some' if n[1] > 0 else 'none'))
END_OF_HELD

# held SECRET: where the daemon has it
held()
{
	python3 "$work/held.py" "$(pid_of dns64d)" "$1"
}

# made SECRET: how many of 64 cookies are made with it
made()
{
	python3 "$work/ask.py" get "$1"
}

# good FILE: how many of the 64 cookies in FILE are taken
good()
{
	good_before=$(counted)
	python3 "$work/ask.py" show "$1" || return
	echo $(($(counted) - good_before))
}

counted()
{
	ctl --json stats | sed -n 's/.*"client_cookies_good": \([0-9]*\).*/\1/p'
}

keep()
{
	python3 "$work/ask.py" keep "$1"
}

settings()
{
	# With little memory, as all of it is looked through.
	configure 'nameserver 127.0.0.1 port 5300' 'num-threads 3' "control-socket $control" 'cache-size 1m' \
		'max-queries 256' 'max-tcp-clients 64' "$@"
}

echo "$new" >"$work/new.secret"
chmod 600 "$work/new.secret"
start_fakedns --ttl 300
settings "cookie-secret $old"
start_dns64d

# --- a farm changes its secret ---

equal 'made with the secret of the file' 64 "$(made "$old")"
keep "$work/old.cookies"
equal 'and taken' 64 "$(good "$work/old.cookies")"
check 'one secret' is '  configuration' ctl cookie-secret
active=$(ctl cookie-secret | awk '{ print $2 }')
check 'add' is 'accepted  ' ctl cookie-secret add "$work/new.secret"
equal 'the old one still signs, on all loops' 64 "$(made "$old")"
check 'activate' is 'active    ' ctl cookie-secret activate
equal 'the new one signs at once, on all loops' 64 "$(made "$new")"
equal 'fingerprints change places' "$active" "$(ctl cookie-secret | awk '/^accepted/ { print $2 }')"
keep "$work/new.cookies"
equal 'cookies of the old one are taken' 64 "$(good "$work/old.cookies")"
equal 'those of the new one, too' 64 "$(good "$work/new.cookies")"
check 'drop' is 'active' ctl cookie-secret drop
equal 'cookies of the old one are not taken any more' 0 "$(good "$work/old.cookies")"
equal 'those of the new one are' 64 "$(good "$work/new.cookies")"
equal 'and made' 64 "$(made "$new")"
check 'there is one' test "$(ctl cookie-secret | wc -l)" = 1

# --- by standard input; what cannot be ---

check 'add from standard input' is accepted sh -c "echo $third | $TOP_BUILDDIR/dns64ctl -s $control cookie-secret add -"
echo "$old" | ctl cookie-secret add - >"$work/said"
equal 'a third one: exit code' 1 $?
check 'a third one: why' is 'there are 2 secrets, the most; drop one before' cat "$work/said"
equal 'in memory it is as bytes only' '0 as text, some as bytes' "$(held "$third")"
check 'drop it' is active ctl cookie-secret drop
equal 'and is gone from memory' '0 as text, none as bytes' "$(held "$third")"
ctl cookie-secret drop >"$work/said"
equal 'the last one: exit code' 1 $?
check 'the last one: why' is 'which cannot be dropped' cat "$work/said"
ctl cookie-secret activate >"$work/said"
check 'nothing to activate' is 'add one before' cat "$work/said"
ctl cookie-secret add "$work/new.secret" >"$work/said"
check 'the same once more' is 'this secret is there already' cat "$work/said"
echo 0011 | ctl cookie-secret add - >"$work/said"
check 'too short' is 'secret is not 32 hexadecimal digits' cat "$work/said"
ctl cookie-secret add - </dev/null >"$work/said"
equal 'nothing: exit code' 2 $?
ctl cookie-secret add "$third" >"$work/said"
equal 'on the command line: exit code' 2 $?
check 'on the command line: why not' is 'never on the command line' cat "$work/said"
check 'JSON of another kind' is 400 curl -s -o /dev/null -w '%{http_code}' --unix-socket "$control" \
	-d '{"secret": 7}' http://d/cookie-secret/add
equal 'none of it changes anything' 64 "$(made "$new")"

# --- a reload undoes it, and says so ---

check 'reload' is 'undoes dns64ctl cookie-secret: the secrets of the configuration hold again' ctl reload
equal 'the old one signs again' 64 "$(made "$old")"
equal 'those of the new one are not taken' 0 "$(good "$work/new.cookies")"
check 'and nothing is left to undo' sh -c "! $TOP_BUILDDIR/dns64ctl -s $control reload | grep -q undoes"

# --- what was drawn signs until another one is activated ---

settings
check 'without a secret' is 'reload: done' ctl reload
check 'it is drawn' is 'drawn at the start' ctl cookie-secret
keep "$work/drawn.cookies"
equal 'and signs' 64 "$(good "$work/drawn.cookies")"
check 'add' is accepted ctl cookie-secret add "$work/new.secret"
equal 'what was drawn is taken' 64 "$(good "$work/drawn.cookies")"
equal 'and signs' 0 "$(made "$new")"
check 'activate' is accepted ctl cookie-secret activate
equal 'the new one signs' 64 "$(made "$new")"
equal 'what was drawn is still taken' 64 "$(good "$work/drawn.cookies")"
check 'drop' is active ctl cookie-secret drop
equal 'and not any more' 0 "$(good "$work/drawn.cookies")"
check 'reload' is 'a new secret was drawn' ctl reload
equal 'which signs' 0 "$(made "$new")"
keep "$work/drawn.cookies"
equal 'the same on all loops' 64 "$(good "$work/drawn.cookies")"

# --- under load, with a reload at the same time; nothing is lost, nothing told ---

start asking dnsperf -s ::1 -p 5364 -d "$(questions 100 >"$work/questions"; echo "$work/questions")" -l 4 -Q 2000
for _ in 1 2 3 4 5; do
	ctl cookie-secret add "$work/new.secret" >>"$work/changes" &
	changing=$!
	ctl reload >>"$work/changes"
	wait $changing
	ctl cookie-secret activate >>"$work/changes"
	ctl cookie-secret drop >>"$work/changes"
done
wait "$(pid_of asking)"
rm "$work/asking.pid"
check 'no answer was lost' logged asking 'Queries lost:         0 (0.00%)'
for secret in $old $new $third; do
	check 'the log has no secret' sh -c "! grep -qi '$secret' '$work/dns64d.log' '$work/changes'"
	check 'nobody is told one' sh -c "! { curl -s --unix-socket '$control' http://d/cookie-secret
		curl -s --unix-socket '$control' http://d/config; } | grep -qi '$secret'"
done
stop dns64d
equal 'exit status' 0 "$status"

# --- two servers with one secret and one configuration ---

cat >"$work/compare.py" <<'END_OF_COMPARE'
# compare.py PORT PORT CLIENT...: ask the servers at these ports the same as each of these clients, and print how often
# they answered with the same octets, but for the time in the server's cookie and the hash over it, of how many questions
import socket, struct, sys, time

QUESTIONS = [('%03d-%03d-000-001.dns64perf.test', t) for t in (28, 1, 65, 16, 255)] + [
    ('no-such-name-%d-%d.dns64perf.test', 28), ('%03d-%03d-000-002.DNS64perf.test', 28), ('ipv4only.arpa', 28), ('ipv4only.arpa', 1),
    ('1.0.0.0.a.0.a.0.0.0.0.0.0.0.0.0.0.0.0.0.4.6.0.0.8.b.d.0.1.0.0.2.ip6.arpa', 12), ('resolver.arpa', 64),
    ('health.invalid', 16), ('localhost', 28)]
OPTIONS = (b'', struct.pack('>HH8s', 10, 8, b'12345678'), struct.pack('>HH7s', 10, 7, b'1234567'))

def message(name, qtype, opt, do):
    labels = b''.join(struct.pack('B', len(l)) + l.encode() for l in name.split('.')) + b'\0'
    return struct.pack('>HHHHHH', 4711, 0x100, 1, 0, 0, 1) + labels + struct.pack('>HH', qtype, 1) + \
        b'\0' + struct.pack('>HHIH', 41, 1232, do << 15, len(opt)) + opt

def ask(kind, client, port, asked):
    with socket.socket(socket.AF_INET6, kind) as s:
        s.settimeout(20)
        s.bind((client, 0))
        s.connect(('::1', port))
        if kind == socket.SOCK_STREAM:
            s.sendall(struct.pack('>H', len(asked)) + asked)
            with s.makefile('rb') as f:
                answer = f.read(struct.unpack('>H', f.read(2))[0])
        else:
            s.send(asked)
            answer = s.recv(65535)
    at = answer.find(struct.pack('>HH8s', 10, 24, b'12345678'))
    return answer if at < 0 else answer[:at + 16] + answer[at + 28:]

n = same = 0
for i, client in enumerate(sys.argv[3:]):
    for kind in (socket.SOCK_DGRAM, socket.SOCK_STREAM):
        for name, qtype in QUESTIONS:
            for j, opt in enumerate(OPTIONS):
                asked = message(name % (n % 200, i) if '%' in name else name, qtype, opt, j & 1)
                n += 1
                # A TTL may change between two answers.
                for again in range(10):
                    answers = [ask(kind, client, int(port), asked) for port in sys.argv[1:3]]
                    if answers[0] == answers[1]:
                        same += 1
                        break
                    time.sleep(0.05)
                else:
                    print(client, name, qtype, answers[0].hex(), answers[1].hex(), file=sys.stderr)
print('%d of %d' % (same, n))
END_OF_COMPARE

# node NAME PORT: one of them
node()
{
	config "$1.conf" "listen ::1 port $2" "control-socket $work/state/$1" "include $work/node.conf" >/dev/null
	start "$1" "$DNS64D" -f -c "$work/$1.conf"
	wait_for 60 listens ::1 "$2" || give_up "$1 does not start"
}

config node.conf 'nameserver 127.0.0.1 port 5300' 'avoid-port 5300-5303' 'num-threads 2' 'cache-size 1m' 'max-queries 256' \
	'max-tcp-clients 64' "cookie-secret $old" 'health-name health.invalid' 'dns64-prefix 2001:db8:64::/96' \
	'dns64-prefix 2001:db8:65::/96' 'prefix-selection client-hash' 'client 2001:db8:1::/64 {' 'dns64-prefix 2001:db8:66::/96' '}' \
	'allow 2001:db8::/32' >/dev/null
own_addresses 2001:db8:1::1/64 2001:db8:2::1/64 2001:db8:3::1/64 2001:db8:4::1/64 || give_up 'no addresses'
node first 5365
node second 5366
export ASK_PORT=5366
keep "$work/old.cookies"
equal 'any server gives the same answer' '390 of 390' \
	"$(python3 "$work/compare.py" 5365 5366 ::1 2001:db8:1::1 2001:db8:2::1 2001:db8:3::1 2001:db8:4::1)"
ASK_PORT=5365 control=$work/state/first
equal 'one takes the cookies of the other' 64 "$(good "$work/old.cookies")"
for name in first second; do
	stop $name
	equal "exit status of the $name" 0 "$status"
done

finish
