#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# garbage: whatever comes from either side, dns64d gives the right rcode or none, counts it by its kind
# and goes on. (Upstreams that are lying.)
. "${TOP_SRCDIR:-.}/tests/system/servers.sh"
need kdig

ok=010-000-000-001.dns64perf.test
start_fakedns --ttl 300
configure 'nameserver 127.0.0.1 port 5300' 'num-threads 1' 'tcp-idle-timeout 1'
start_dns64d

udp()
{
	"$wire" udp ::1 5364 "$@" 2>&1
}

good()
{
	equal "it goes on $*" '9 0 1' "$(udp ask 9 $ok AAAA get 1 3000)"
}

# --- one fault at a time ---

# Header: ID, flags, counts. Question: name.test A IN.
question=046e616d650474657374000001 class=0001
opt=0000290200000000000000
answered()
{
	equal "$1" "$3" "$(udp hex "$2" get 1 3000)"
	equal "$1, over TCP" "$3" "$("$wire" tcp ::1 5364 hex "$2" get 1 3000)"
}
dropped()
{
	equal "$1" '' "$(udp hex "$2" quiet 300)"
}

answered 'opcode STATUS' "00021000000100000000000004${question#04}$class" '2 4 0'
answered 'opcode NOTIFY' "00032400000100000000000004${question#04}$class" '3 4 0'
answered 'opcode UPDATE' "00042800000100000000000004${question#04}$class" '4 4 0'
answered 'no question' 000501000000000000000000 '5 1 0'
answered 'two questions' "000601000002000000000000$question$class$question$class" '6 1 0'
answered 'a question without its class' "000701000001000000000000$question" '7 1 0'
answered 'a label that is too long' 00080100000100000000000041616161 '8 1 0'
answered 'a compression loop' 000901000001000000000000c00c00010001 '9 1 0'
answered 'two OPT' "000a01000001000000000002$question$class$opt$opt" '10 1 0'
answered 'an OPT with another name' "000b01000001000000000001$question${class}0474657374${opt}" '11 1 0'
answered 'an OPT that is longer than the message' "000c01000001000000000001$question${class}00002902000000000000ff" '12 1 0'
answered 'an option longer than its OPT' "000d01000001000000000001$question${class}0000290200000000000004000a00ff" '13 1 0'
answered 'more records than there are' "000e01000001000000000005$question$class" '14 1 0'
answered 'EDNS version 7' "000f01000001000000000001$question${class}0000290200000700000000" '15 0 0'
known=0f3031302d3030302d3030302d303031 # $ok
known=${known}09646e733634706572660474657374000001 # type A
answered 'unknown EDNS flags' "001001000001000000000001$known${class}0000290200000040000000" '16 0 1'
answered 'class CH' "001101000001000000000000${question}0003" '17 5 0'
answered 'class ANY, passed on' "001301000001000000000000${known}00ff" '19 0 1'
dropped 'a response' "001281800001000000000000$question$class"
dropped '11 octets' 0012010000010000000000
dropped 'one octet' 00
good 'after single faults'
tell_statistics
check 'other opcodes were counted' test "$(statistic client_notimp)" -ge 6
check 'malformed questions were counted' test "$(statistic client_formerr)" -ge 16
equal 'EDNS versions were counted' 2 "$(statistic client_badvers)"
check 'responses were counted' test "$(statistic client_response)" -ge 1
check 'short messages were counted' test "$(statistic client_short)" -ge 2

# --- noise from clients ---

for seed in 1 2 3; do
	check "5000 datagrams of noise, $seed" udp noise 5000 $seed
	# Questions that are dropped are waited for in vain for 10 s.
	check "a connection of noise, $seed" "$wire" tcp 127.0.0.1 5364 noise 60000 $seed half end 40000
done
good 'after noise'
tell_statistics
check 'noise was counted' test "$(statistic client_formerr)" -gt 1000
check 'also as responses' test "$(statistic client_response)" -gt 100
stop dns64d
equal 'SIGTERM: exit status' 0 "$status"

# --- noise from the upstream ---

start noise "$upstream" 5303 noise
configure 'nameserver 127.0.0.1 port 5303' 'num-threads 1'
start_dns64d

# ask_all udp|tcp FIRST: 500 questions, ten at a time; prints ID, rcode and number of records of each answer
ask_all()
{
	all_way=$1 all_n=$2 all_last=$(($2 + 500))
	while [ "$all_n" -lt $all_last ]; do
		set --
		for all_i in 0 1 2 3 4 5 6 7 8 9; do
			set -- "$@" ask $((all_n + all_i)) "$all_way-$((all_n + all_i)).test" AAAA
		done
		"$wire" "$all_way" ::1 5364 "$@" get 10 20000
		all_n=$((all_n + 10))
	done
}

for way in udp tcp; do
	ask_all $way 1 >"$work/answers"
	equal "$way: each question gets its answer" 500 "$(cut -d' ' -f1 "$work/answers" | sort -u | wc -l)"
	most=$(grep -c ' 0 1$' "$work/answers")
	check "$way: most get the right one ($most of 500)" test "$most" -ge 350
	equal "$way: the others SERVFAIL" 500 $((most + $(grep -c ' 2 0$' "$work/answers")))
done
tell_statistics
for kind in upstream_short upstream_not_reply upstream_unknown_id upstream_mismatch upstream_malformed; do
	check "$kind was counted ($(statistic $kind))" test "$(statistic $kind)" -gt 0
done
stop dns64d
equal 'SIGTERM: exit status' 0 "$status"

finish
