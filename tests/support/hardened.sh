#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# hardened PROGRAM...: each was built as configure has it by default: at random addresses (PIE), with
# full RELRO, stack protector, _FORTIFY_SOURCE and no executable stack; on x86 what is compiled has CET
# (src/daemon/main.o: the whole program has it only where libc has).
set -u
export LC_ALL=C
command -v readelf >/dev/null || { echo 'no readelf'; exit 77; }

failed=0
# has WHAT READELF-OPTIONS PATTERN
has()
{
	# shellcheck disable=SC2086 # options
	readelf -W $2 "$program" 2>/dev/null | grep -qE "$3" || {
		echo "$program: no $1"
		failed=1
	}
}

for program; do
	has 'PIE' -h 'Type: *DYN'
	has 'PIE' -d 'FLAGS_1.*PIE'
	has 'RELRO' -l 'GNU_RELRO'
	has 'RELRO before the start (BIND_NOW)' -d 'BIND_NOW|FLAGS_1.*NOW'
	has 'stack that is not executable' -l 'GNU_STACK.* RW +0x'
	has 'stack protector' '--dyn-syms' '__stack_chk_fail'
	# musl has its checks elsewhere.
	case $(readelf -W -l "$program") in
	*ld-musl*) ;;
	*) has '_FORTIFY_SOURCE' '--dyn-syms' '_chk@GLIBC' ;;
	esac
done
program=src/daemon/main.o
case $(readelf -h $program) in
*X86-64*) has 'CET' -n 'IBT.*SHSTK' ;;
esac
exit $failed
