#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# rates: who asks too often over UDP (D26), by all loops together: TC, BADCOOKIE, or nothing; a reload changes what
# is permitted, and forgets nobody.
. "${TOP_SRCDIR:-.}/tests/system/lib.sh"
need kdig ip
start_upstream || {
	echo "no upstream"
	exit 99
}

for address in 192.0.2.53/32 2001:db8::53/128 10.1.0.1/32 10.1.0.2/32 10.2.0.1/32 10.3.0.1/32 2001:db8:1::1/128 \
	2001:db8:1::2/128; do
	ip addr add "$address" dev lo
done

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

# many CLIENT N: how many of N questions are answered at once over UDP, from a port of its own each
many()
{
	many_n=0 many_i=0
	while [ $many_i -lt "$2" ]; do
		case $(flags_as "$1" a.test A) in
		'' | *tc*) ;;
		*) many_n=$((many_n + 1)) ;;
		esac
		many_i=$((many_i + 1))
	done
	echo $many_n
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
wait_for 60 is NOERROR ask 127.0.0.1 53 a.test A

# 40 questions take some seconds, a second gives one more.
begin=$(date +%s)
n=$(many 10.1.0.1 40)
most=$((21 + $(date +%s) - begin))
check "4 loops together answer 20 questions at once, and one a second ($n, at most $most)" \
	test "$n" -ge 20 -a "$n" -le $most
check "the one over it gets TC" is tc flags_as 10.1.0.1 a.test A
check "and its answer over TCP" is 192.0.2.1 ask_as 10.1.0.1 a.test A
check "one with a cookie gets BADCOOKIE" is BADCOOKIE ask_as 10.1.0.1 +cookie +nobadcookie a.test A
check "and its answer over UDP with the cookie it got" is 192.0.2.1 ask_as 10.1.0.1 +cookie +badcookie +ignore a.test A
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

# What was counted outlives a reload: nothing more at once, and now nothing at all.
many 10.1.0.1 10 >/dev/null
settings 'rate-limit 1' 'rate-limit-burst 15' 'rate-limit-slip 0'
reload 1
check "after a reload it gets nothing" test -z "$(flags_as 10.1.0.1 a.test A)"
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
