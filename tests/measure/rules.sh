#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# rules: the user instructions that the engine spends on a question without rules, and with 1,000
# client blocks and 10,000 zone rules, the same within a few in every run. A client is mostly in a block, a name
# in no zone that has a rule: at most 150 more then.
set -u
bench=${TOP_BUILDDIR:-.}/tests/measure/bench_engine
n=${QUESTIONS:-20000}
command -v valgrind >/dev/null || {
	echo "no valgrind"
	exit 77
}
[ -x "$bench" ] || {
	echo "no $bench"
	exit 99
}
work=$(mktemp -d /tmp/dns64d-rules.XXXXXX) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 99' HUP INT TERM
status=0

# instructions NAME OPTIONS...: those in the engine for one question; the profile is left in $PROFILES,
# if set, for callgrind_annotate
instructions()
{
	profile=${PROFILES:-$work}/$1
	shift
	valgrind -q --tool=callgrind --callgrind-out-file="$profile" --collect-atstart=no \
		--toggle-collect=engine_prepare --toggle-collect=engine_input \
		--toggle-collect=engine_next --toggle-collect=engine_tick \
		"$bench" -n "$n" "$@" >"$work/log" 2>&1 || {
		cat "$work/log" >&2
		exit 99
	}
	awk -v n="$n" '$1 == "totals:" { printf "%.0f\n", $2 / n }' "$profile"
}

# compare WHAT BUDGET NAME OPTIONS...
compare()
{
	what=$1
	budget=$2
	name=$3
	shift 3
	without=$(instructions "$name-without" "$@") || exit
	with=$(instructions "$name-with" -b 1000 -r 10000 "$@") || exit
	verdict=ok
	[ $((with - without)) -le "$budget" ] || {
		verdict=FAILED
		status=1
	}
	echo "$verdict: $what: $without instructions without rules, $with with," \
		"$((with - without)) more; at most $budget"
}

compare 'names in no zone of a rule' 150 none
# The A or the AAAA are not asked for then.
compare 'names in such zones' 150 match -m
# When that saves nothing: what it costs to know, bytes compared.
compare 'names in such zones, AAAA ignored in any case' 350 price -a -m
exit $status
