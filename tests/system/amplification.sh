#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# amplification: small questions with large answers, over UDP, from an address that may be forged: ten octets for
# each of its own and a mebibyte a second, all further answers are TC alone. Who has a cookie, or comes over TCP, gets
# all (RULES D26). Figures are told.
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"

big=txt-3000.dns64perf.test
allowance=1048576
questions=6000
rate=3000 # a second

start_fakedns --ttl 300
set_up()
{
	configure 'nameserver 127.0.0.1 port 5300' 'num-threads 2' 'udp-size-client 4096' 'udp-size-upstream 4096' \
		'client-cookies yes' "$@"
}

# begin: with that; what is asked for is known, as else max-same-question may make some answers TC
begin()
{
	start_dns64d
	check 'what is asked for is known' "$wire" tcp 127.0.0.1 5364 ask 1 $big TXT get 1 20000
}

# amplify ADDRESS none|cookie: ask; $sent and $came in octets, $n answers, $tc of them with TC, within $ms
amplify()
{
	began=$(milliseconds)
	# shellcheck disable=SC2046 # its words
	set -- $("$wire" udp "$1" 5364 amplify $questions $big TXT 5000 $rate "$2" 2>&1)
	ms=$(($(milliseconds) - began))
	sent=${1:-0} came=${3:-0} n=${5:-0} tc=${7:-0}
	told="$sent octets sent, $came came in $ms ms, $((came * 10 / sent)) tenths of them, $tc of $n answers TC"
}

# counted: answers_amplified since it was last asked for
counted()
{
	tell_statistics
	counted_now=$(statistic answers_amplified)
	echo $((counted_now - counted_before))
}

set_up
begin
counted_before=0
amplify 127.0.0.1 none
# A mebibyte is there at the beginning.
most=$((10 * sent + allowance + allowance * ms / 1000))
equal 'each question has its answer' $questions "$n"
check "no more than ten octets for one, and the allowance: $most ($told)" test "$came" -le $most
least=$((allowance + allowance * ms * 9 / 10000))
check "and not much less than the allowance: $least" test "$came" -ge $least
check "else $((n * 3000)) octets would have come" test "$came" -lt $((n * 3000 / 2))
equal 'what is TC is counted' "$tc" "$(counted)"
check 'it is logged' logged dns64d '127.0.0.1/32 gets longer answers than max-amplification permits'
check 'another address has its own account' is ', 1 answers, 0 TC' "$wire" udp ::1 5364 amplify 1 $big TXT 5000 1 none
sleep 1.1
amplify 127.0.0.1 none
most=$((10 * sent + allowance + allowance * ms / 1000))
least=$((allowance + allowance * ms * 9 / 10000))
check "a second later the same again ($told)" test "$came" -le $most -a "$came" -ge $least
tell_statistics
counted_before=$(statistic answers_amplified)
amplify 127.0.0.1 cookie
check "with a cookie but one all are whole ($told)" test "$n" -eq $questions -a "$tc" -le 1
equal 'over TCP too' 500 "$("$wire" tcp 127.0.0.1 5364 flood 500 $big TXT get 500 5000 | grep -c ' 0 1$')"
check 'none of these is counted' test "$(counted)" -le 1
stop dns64d
equal 'SIGTERM: exit status' 0 "$status"

# --- what is configured ---

set_up 'max-amplification 0'
begin
amplify 127.0.0.1 none
check "max-amplification 0: all are whole ($told)" test "$n" -eq $questions -a "$tc" -eq 0
stop dns64d
set_up 'rate-limit-dry-run yes'
begin
counted_before=0
amplify 127.0.0.1 none
check "rate-limit-dry-run: all are whole ($told)" test "$n" -eq $questions -a "$tc" -eq 0
dry=$(counted)
check "and $dry counted" test "$dry" -gt $((questions / 2))
stop dns64d
set_up 'rate-limit-exempt 127.0.0.0/8'
begin
amplify 127.0.0.1 none
check "rate-limit-exempt: all are whole ($told)" test "$n" -eq $questions -a "$tc" -eq 0
stop dns64d
equal 'SIGTERM: exit status' 0 "$status"
finish
