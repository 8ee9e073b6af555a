#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# fairness: upstream is silent, and one network asks far more than there is room for. Another one gets what is
# known at once, and its own questions wait on (RULES D26).
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need python3 ip

# The longest wait for what is known, in ms: what a busy machine adds to nothing.
most_ms=${FAIRNESS_MS:-500}

# flood FIRST N: ::1 asks for N names
flood()
{
	"$wire" udp ::1 5364 burst "$1" "$2" dns64perf.test 10000
}

# known: 127.0.0.1 asks for 2,000 names that the cache has
known()
{
	"$wire" udp 127.0.0.1 5364 burst 1 2000 dns64perf.test 10000
}

# all_known: has the cache all of them? A busy machine may lose some on their way to upstream.
# shellcheck disable=SC2317 # wait_for calls it
all_known()
{
	known | grep -q '^2000 answers, 0 SERVFAIL'
}

# --- a flood while upstream is silent ---

watch_noise
start_fakedns --ttl 300
configure 'nameserver 127.0.0.1 port 5300' 'num-threads 1' 'max-queries 1024' 'max-waiting-per-client 0' 'allow any' 'user none'
start_dns64d
wait_for 60 all_known || give_up 'the cache does not get to know them'
stop fakedns
start mute "$upstream" 5300 mute
flood 10000 30000 >"$work/flood" &
flood=$!
"$wire" udp 127.0.0.1 5364 ask 1 010-002-000-001.dns64perf.test A get 1 10000 >"$work/other" &
other=$!
n=0
while [ $n -lt 8 ]; do
	known
	n=$((n + 1))
done >"$work/known"
got=$(awk '{ n += $1 } END { print n }' "$work/known")
wait $flood
wait $other
echo "the flood: $(cat "$work/flood"); known names meanwhile, 2,000 each time:"
cat "$work/known"
longest=$(sed 's/.* \([0-9]*\) ms.*/\1/' "$work/known" | sort -n | tail -1)
tell_statistics
late=$(n_late)
check "another network gets all that is known ($got, $late too late)" \
	test $((got + late)) -ge 16000 -a "$(grep -c ' 0 SERVFAIL' "$work/known")" -eq 8 -a "$got" -ge 8000
check "without waiting ($longest ms)" test "$longest" -le "$(stretch "$most_ms")"
check 'its own question has its whole time' grep -q '^1 2 0' "$work/other"
check "the flood gave way to itself ($(statistic queries_evicted))" test $(($(statistic queries_evicted) + late)) -gt 20000
equal 'nothing was dropped for want of room' 0 "$(statistic client_dropped)"

# --- the same question again and again, and then all is well ---

# shellcheck disable=SC2046 # 200 steps
"$wire" udp ::1 5364 $(yes 'ask 1 010-003-000-001.dns64perf.test A' | head -n 200) get 184 5000 >"$work/same"
equal 'few of one address wait for the same' 184 "$(grep -c TC "$work/same")"
stop mute
start_fakedns --ttl 300
check 'a moment later all is well' wait_for 20 "$wire" udp ::1 5364 persist dns64perf.test 5000
check 'and all are answered' test "$(flood 50000 500 | cut -d' ' -f1-4)" = '500 answers, 0 SERVFAIL,'

# --- D30: 200 hosts of one /64 ask for one cold name at once ---

lan()
{
	python3 - <<-'END'
		import select, socket
		poll, hosts, wrong = select.poll(), {}, {}
		for i in range(1, 201):
		    s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
		    s.setsockopt(socket.IPPROTO_IP, 15, 1)  # IP_FREEBIND
		    s.bind(("2001:db8:7::%x" % i, 0))
		    s.connect(("::1", 5364))
		    hosts[s.fileno()] = s
		    poll.register(s, select.POLLIN)
		name = b"".join(bytes([len(l)]) + l for l in (b"010-004-000-001", b"dns64perf", b"test", b""))
		for s in hosts.values():
		    s.send(b"\0\7\1\0\0\1\0\0\0\0\0\0" + name + b"\0\1\0\1")
		while hosts and (ready := poll.poll(8000)):
		    for fd, _ in ready:
		        answer = hosts.pop(fd).recv(512)
		        poll.unregister(fd)
		        if answer[2] & 2 or answer[7] != 1:
		            what = answer[2:8].hex()
		            wrong[what] = wrong.get(what, 0) + 1
		print(len(hosts), "without an answer, wrong headers:", wrong)
	END
}

stop fakedns
start_fakedns --ttl 300 --delay 100
for n in $(seq 1 200); do
	own_addresses "2001:db8:7::$(printf %x "$n")/128"
done
equal '200 hosts of one /64 are answered' '0 without an answer, wrong headers: {}' "$(lan)"
finish
