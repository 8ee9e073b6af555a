#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# rates: who asks too often over UDP (D26), by all loops together: TC, BADCOOKIE, or nothing; a reload changes what
# is permitted, and forgets nobody.
. "${TOP_SRCDIR:-.}/tests/system/lib.sh"
need kdig ip python3
start_upstream || {
	echo "no upstream"
	exit 99
}

own_addresses 192.0.2.53/32 2001:db8::53/128 10.1.0.1/32 10.1.0.2/32 10.2.0.1/32 10.3.0.1/32 2001:db8:1::1/128 \
	2001:db8:1::2/128 || exit 99

settings()
{
	config dns64d.conf 'nameserver 127.0.0.1 port 5300' 'listen 192.0.2.53' 'listen 2001:db8::53' \
		'listen 127.0.0.1' 'allow any' 'num-threads 4' 'dns64-prefix 2001:db8:64::/96' \
		'rate-limit-exempt 10.2.0.0/16' 'client 10.3.0.0/16 {' '	rate-limit-factor 0' '}' "$@" >/dev/null
}

# ask_as CLIENT KDIG-ARGUMENTS...
ask_as()
{
	client=$1
	shift
	case $client in
	*:*) ask 2001:db8::53 53 -b "$client" "$@" ;;
	*) ask 192.0.2.53 53 -b "$client" "$@" ;;
	esac
}

# flags_as CLIENT KDIG-ARGUMENTS...: the flags of the answer over UDP
flags_as()
{
	flags_client=$1
	shift
	kdig "@$([ "${flags_client#*:}" = "$flags_client" ] && echo 192.0.2.53 || echo 2001:db8::53)" -b "$flags_client" \
		+timeout=1 +retry=0 +ignore "$@" 2>&1 | sed -n 's/^;; Flags: \([^;]*\);.*/\1/p'
}

# many CLIENT N: how many of N questions at once over UDP, from a port of its own each, are answered without TC; with
# TC: in $work/truncated
many()
{
	python3 - "$@" 2>"$work/truncated" <<-'END'
		import select, socket, sys, time
		client, n = sys.argv[1], int(sys.argv[2])
		at = '2001:db8::53' if ':' in client else '192.0.2.53'
		ports = {}
		for i in range(n):
		    s = socket.socket(socket.AF_INET6 if ':' in client else socket.AF_INET, socket.SOCK_DGRAM)
		    s.bind((client, 0))
		    s.connect((at, 53))
		    ports[s.fileno()] = s
		for s in ports.values():
		    s.send(b'\0\7\1\0\0\1\0\0\0\0\0\0\1a\4test\0\0\1\0\1')
		answers, poll = [0, 0], select.poll()
		for fd in ports:
		    poll.register(fd, select.POLLIN)
		# Who is dropped waits in vain.
		while ports and (ready := poll.poll(5000)):
		    for fd, _ in ready:
		        answers[bool(ports.pop(fd).recv(512)[2] & 2)] += 1
		        poll.unregister(fd)
		print(answers[0])
		print(answers[1], file=sys.stderr)
	END
}

# beyond COMMAND...: it succeeds when 10.1.0.1 has used up what it may ask. A busy machine may need the second in
# between that gives it one more.
beyond()
{
	wait_for 60 used_up "$@"
}

used_up()
{
	many 10.1.0.1 21
	"$@"
}

# reload N: the N-th time
reload()
{
	kill -HUP "$(pid_of dns64d)"
	wait_for 60 reloaded "$1"
}

reloaded()
{
	[ "$(grep -c 'reload: done' "$work/dns64d.log")" -eq "$1" ]
}

settings 'rate-limit 1' 'rate-limit-burst 20' 'rate-limit-slip 1'
start dns64d "$DNS64D" -f -c "$work/dns64d.conf"
wait_for 60 resolves 127.0.0.1 53 a.test A

# A second gives one more.
begin=$(date +%s)
n=$(many 10.1.0.1 40)
most=$((21 + $(date +%s) - begin))
check "4 loops together answer 20 questions at once, and one a second ($n, at most $most)" \
	test "$n" -ge 20 -a "$n" -le $most
check "those over it get TC" test "$(cat "$work/truncated")" -eq $((40 - n))
check "the one over it gets TC" beyond is tc flags_as 10.1.0.1 a.test A
check "and its answer over TCP" is 192.0.2.1 ask_as 10.1.0.1 a.test A
check "one with a cookie gets BADCOOKIE" beyond is BADCOOKIE ask_as 10.1.0.1 +cookie +nobadcookie a.test A
# The second in between may have given it one more: of several at least one is beyond.
for n in 1 2 3 4; do
	check "and its answer over UDP with the cookie it got ($n)" \
		beyond is 192.0.2.1 ask_as 10.1.0.1 +cookie +badcookie +ignore a.test A
done
check "another address is answered" is 192.0.2.1 ask_as 10.1.0.2 +ignore a.test A
n=$(many 10.2.0.1 30)
check "an exempt network has no limit ($n of 30)" test "$n" -eq 30
n=$(many 10.3.0.1 30)
check "nor has one with a factor of 0 ($n of 30)" test "$n" -eq 30
begin=$(date +%s)
n=$(many 2001:db8:1::1 40)
most=$((21 + $(date +%s) - begin))
check "IPv6 has one too ($n of 40, at most $most)" test "$n" -ge 20 -a "$n" -le $most
check "it is logged with its network" logged dns64d '10.1.0.1/32 asks more often than rate-limit permits'

# What was counted outlives a reload: nothing but one more a second, and now nothing at all.
begin=$(date +%s)
many 10.1.0.1 21 >/dev/null
settings 'rate-limit 1' 'rate-limit-burst 15' 'rate-limit-slip 0'
reload 1
n=$(many 10.1.0.1 100)
most=$((2 + $(date +%s) - begin))
check "after a reload it gets nothing but one a second ($n of 100, at most $most)" test "$n" -le $most
check "the others no answer at all" test "$(cat "$work/truncated")" -eq 0
settings 'rate-limit 1' 'rate-limit-burst 15' 'rate-limit-slip 0' 'rate-limit-dry-run yes'
reload 2
n=$(many 10.1.0.1 20)
check "when it is only told all are answered ($n of 20)" test "$n" -eq 20
kill -USR1 "$(pid_of dns64d)"
wait_for 60 logged dns64d 'rate_dropped'
for counter in rate_limited rate_cookies rate_slipped rate_dropped; do
	check "$counter is counted" logged dns64d "$counter [1-9]"
done
settings 'rate-limit 0'
reload 3
n=$(many 10.1.0.1 20)
check "without a limit all are answered ($n of 20)" test "$n" -eq 20
stop dns64d
check "it ends" test "$status" -eq 0
finish
