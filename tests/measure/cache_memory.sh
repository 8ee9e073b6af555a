#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# cache_memory: how many entries a cache holds, and that it stays as large as it is (bench_engine: one engine fed
# from memory, so that many names are asked for in little time).
#
#	cache_memory.sh [NAMES]		50,000,000 by default, of which each is asked for once
#
# First 5 million A answers (60 bytes each) in 1.2 GB, all of which must be there in the end; then NAMES through
# the default cache: in its time, most of them come to their end there. Prints entries and resident memory.
. "${TOP_SRCDIR:-.}/tests/measure/cachelib.sh"

names=${1:-50000000}
[ -x "$engine" ] || {
	echo "no $engine"
	exit 99
}

# 1,144 MiB are 1.2 GB.
taskset -c 0 "$engine" -A -c 1144 -n 5000000 -s 2500000 >"$work/fill" || give_up "bench_engine failed"
cat "$work/fill"
entries=$(sed -n 's/^5000000 questions: .* kB, \([0-9]*\) entries.*/\1/p' "$work/fill")
resident=$(sed -n 's/^5000000 questions: RSS \([0-9]*\) kB.*/\1/p' "$work/fill")
check "5,000,000 small entries in 1.2 GB: $entries" test "$entries" -eq 5000000
echo "with them the engine has $resident kB"

taskset -c 0 "$engine" -A -c 64 -n "$names" -s $((names / 20)) >"$work/churn" || give_up "bench_engine failed"
sed -n '1p;2p;5p;10p;15p;20p;21p' "$work/churn"
early=$(sed -n '2s/.*RSS \([0-9]*\) kB.*/\1/p' "$work/churn")
late=$(sed -n '20s/.*RSS \([0-9]*\) kB.*/\1/p' "$work/churn")
check "$names names: RSS $early kB after a tenth, $late kB in the end" test $((late - early)) -le 256
n=$(sed -n '20s/.* kB, \([0-9]*\) entries of.*/\1/p' "$work/churn")
bytes=$(sed -n '20s/.*entries of \([0-9]*\) bytes.*/\1/p' "$work/churn")
check "beside its message an entry has $((64 * 1048576 / n - bytes / n)) bytes, at most 64" \
	test $((64 * 1048576 / n - bytes / n)) -le 64
conclude
