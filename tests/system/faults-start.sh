#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# faults-start: calls of the system and of libc fail (faults.c), each at its n-th time, while dns64d starts. It ends
# with a message or goes on and serves; then it ends well.
# limit: 900
. "${TOP_SRCDIR:-.}/tests/system/faulty.sh"

start_fakedns --ttl 300

# shellcheck disable=SC2119 # without further lines
settings
fault clear
begin
starts
end
check 'it starts and ends without a fault' test $status -eq 0
total=0 went_on=0
for call in $(fault list); do
	"$fault" "$file" new
	begin
	starts
	n=$(fault calls "$call")
	end
	bad=0 at=0
	step=$((n / 25 + 1))
	while [ $at -lt "$n" ]; do
		fault set "$call" $at 1 "$(errno_of "$call")"
		begin
		starts
		case $? in
		0)
			went_on=$((went_on + 1))
			fault clear
			end
			# On a busy machine a loop answers before the main thread has all it needs.
			[ $status -eq 0 ] || has_said_why ||
				{ bad=$((bad + 1)); echo "$call $at: served, then ended with $status"; }
			;;
		1) ;;
		*)
			bad=$((bad + 1))
			echo "$call $at: ended with $status, or does nothing"
			sed 's/^/  /' "$work/dns64d.log"
			[ ! -f "$work/dns64d.pid" ] || { kill -KILL "$(pid_of dns64d)"; wait "$(pid_of dns64d)"; }
			;;
		esac
		total=$((total + 1))
		at=$((at + step))
	done
	check "start: $call fails, at each of $n times (every $step.)" test $bad -eq 0
done
check "start: $total faults, of which $went_on let it go on" test $total -gt 100
finish
