#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# placed: each test is in one circle ("make circles" has the lists). .ci/run runs those of its circle by their
# names or makes their target ("ci:TARGET"), contrib/check-all makes the target that each of its own has ("all:TARGET").
set -u
cd "${TOP_SRCDIR:-.}" || exit 99
status=0
fail()
{
	echo "$*"
	status=1
}

circles=$(MAKEFLAGS='' make -s --no-print-directory -C "${TOP_BUILDDIR:-.}" circles) || exit 99
for file in $(git ls-files tests 2>/dev/null || find tests -type f); do
	test=$file
	case $file in
	tests/*/check_*.c | tests/fuzz/fuzz_*.c) test=${file%.c} ;;
	tests/sim/run.c) test=tests/sim/sim ;;
	tests/measure/bench_*.c) test=${file%.c} ;;
	tests/system/faulty.sh | tests/system/lib.sh | tests/system/networks.sh | tests/system/nodes.sh | tests/system/servers.sh | tests/measure/cachelib.sh | tests/package/tree.sh) continue ;;
	tests/support/check_*.sh | tests/*/check_*.py) ;;
	tests/support/*) continue ;;
	tests/*.sh | tests/*/run | tests/lint/*) ;;
	*) continue ;;
	esac
	case $(echo "$circles" | grep -c " $test\$") in
	0) fail "$test is in no circle: add it to a list of Makefile.am" ;;
	1) ;;
	*) fail "$test is in more than one circle:" "$(echo "$circles" | grep " $test\$")" ;;
	esac
done
for row in $(echo "$circles" | tr ' ' '='); do
	circle=${row%%=*} test=${row#*=}
	[ -f "$test" ] || [ -f "$test.c" ] || [ "$test" = tests/sim/sim ] || fail "$test, of circle $circle, is not there"
	case $circle in
	# The tarball has no .ci.
	ci | ci:*) [ -d .ci ] || continue ;;
	esac
	case $circle in
	ci) grep -qF "$test" .ci/run || fail "$test: .ci/run does not run it" ;;
	all:check-package) grep -q "^	.*(srcdir)/$test " Makefile.am || fail "$test: make check-package does not run it" ;;
	ci:*) grep -qE "^	make .* ${circle#*:}( |\$)" .ci/run || fail "$test: .ci/run does not make ${circle#*:}" ;;
	all:*) grep -qE "make .*-C build.* ${circle#*:}\$" contrib/check-all || fail "$test: contrib/check-all does not make ${circle#*:}" ;;
	esac
done
exit $status
