# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# steps: a long check in steps, for .ci/run and contrib/check-all. A step has a limit, goes on after
# another one failed, and is one line: result, name, seconds, CPU seconds, tests.
#
#	steps_begin MINUTES	before the first step; all of them may take so long
#	step NAME MINUTES COMMAND...
#				run it, its output in $work/NAME.log; a last line "N passed, N failed, N skipped"
#				is counted, else the step is one test
#	steps_end		the table of steps, the total; its exit code is that of the script
#
# $work is a directory of its own that is removed at the end. $only lists the names of the steps that
# run ("" for all); with $resume = yes a step whose name is in $done_file, of commit $done_commit, is not repeated. A step with a skipped
# test has failed: here all that is needed has been installed.
#
#	copy_tree DIRECTORY	a copy of the source without its build and history, in a new directory
#	add_builder		the unprivileged user dns64d-ci, who builds

copy_tree()
{
	mkdir -p "$1" && tar -c --exclude=./build --exclude=./.git . | tar -x -C "$1"
}

add_builder()
{
	id dns64d-ci >/dev/null 2>&1 || useradd --system --shell /bin/sh dns64d-ci
}

export -f copy_tree add_builder

steps_begin()
{
	work=$(mktemp -d /tmp/dns64d-steps.XXXXXX) || exit 1
	chmod 755 "$work"
	export work
	trap 'rm -rf "$work"' EXIT
	# What was interrupted ends its step first.
	trap 'steps_interrupt; exit 1' HUP INT TERM
	steps_passed=0 steps_failed=0 steps_skipped=0 steps_left=0 steps_table=
	steps_deadline=$((SECONDS + $1 * 60))
	step_pid=
}

# What runs has ten seconds to end its own children, which may be in groups of their own.
steps_interrupt()
{
	trap '' HUP INT TERM
	[ -n "${step_pid-}" ] || return
	kill -TERM -- "-$step_pid"
	for _ in {1..100}; do
		kill -0 -- "-$step_pid" 2>/dev/null || return
		sleep 0.1
	done
	kill -KILL -- "-$step_pid"
}

# CPU seconds of all children so far.
steps_cpu()
{
	times >"$work/times"
	awk 'NR == 2 { split($0, t, "[ms ]+"); printf "%d", t[1] * 60 + t[2] + t[3] * 60 + t[4] }' "$work/times"
}

step_wanted()
{
	[ -z "${only-}" ] || case " $only " in *" $1 "*) ;; *) return 1 ;; esac
	if [ "${resume-no}" = yes ] && [ -n "${done_file-}" ] && grep -qsx "$1" "$done_file"; then
		steps_left=$((steps_left + 1))
		return 1
	fi
}

# Note that the step has passed, if the tree is still the commit's.
step_note()
{
	[ -n "${done_file-}" ] && [ "$(git rev-parse HEAD)" = "${done_commit-}" ] || return 0
	[ -z "$(git status --porcelain --untracked-files=no)" ] || return 0
	grep -qx "$1" "$done_file" || echo "$1" >>"$done_file"
}

step()
{
	local name=$1 seconds=$(($2 * 60)) log=$work/$1.log start=$SECONDS cpu status count passed=0 failed=0 skipped=0
	shift 2
	step_wanted "$name" || return 0
	[ $((steps_deadline - SECONDS)) -gt "$seconds" ] || seconds=$((steps_deadline - SECONDS))
	[ "$seconds" -gt 0 ] || seconds=1
	steps_cpu >"$work/cpu"
	read -r cpu <"$work/cpu"
	timeout -k 10 "$seconds" "$@" >"$log" 2>&1 </dev/null &
	step_pid=$!
	wait "$step_pid"
	status=$?
	kill -KILL -- "-$step_pid" 2>/dev/null # what it left
	step_pid=
	steps_cpu >"$work/cpu"
	cpu=$(($(cat "$work/cpu") - cpu))
	count=$(tail -n 1 "$log" | grep -xE '[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped' | tr -d 'a-z,')
	if [ -n "$count" ]; then
		read -r passed failed skipped <<<"$count"
		[ "$passed" -gt 0 ] || failed=$((failed + 1)) # nothing ran
	elif [ $status = 0 ]; then
		passed=1
	fi
	[ $status = 0 ] || [ "$failed" -gt 0 ] || failed=1
	steps_passed=$((steps_passed + passed))
	steps_failed=$((steps_failed + failed))
	steps_skipped=$((steps_skipped + skipped))
	local result=ok
	[ $status = 0 ] && [ "$failed" = 0 ] && [ "$skipped" = 0 ] || result=FAILED
	local why=
	[ $status != 124 ] && [ $status != 137 ] || why=", ended after its limit of $seconds s"
	local line
	line=$(printf '%-7s %-14s %5d s %6d CPU s  %d passed, %d failed, %d skipped%s' "$result" "$name" $((SECONDS - start)) \
		"$cpu" "$passed" "$failed" "$skipped" "$why")
	echo "$line"
	steps_table=$steps_table$line$'\n'
	if [ "$result" = ok ]; then
		step_note "$name"
	else
		grep -nE '(^|[^[:alnum:]])(FAILED|FAIL|ERROR|NOT|not ok|[Ee]rror|skipped):? |\.c:[0-9]+:[FE]:' "$log" | tail -n 20
		echo ...
		tail -n 80 "$log"
	fi
}

steps_end()
{
	printf '\n%s' "$steps_table"
	steps_cpu >"$work/cpu" # here, as a subshell would count from 0
	echo "$SECONDS seconds, $(cat "$work/cpu") CPU seconds"
	[ "$steps_left" = 0 ] || echo "$steps_left steps had passed before"
	echo "$steps_passed passed, $steps_failed failed, $steps_skipped skipped"
	[ "$steps_failed" = 0 ] && [ "$steps_skipped" = 0 ] && [ $((steps_passed + steps_left)) -gt 0 ]
}
