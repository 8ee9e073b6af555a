#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# offsets: the places of fields in a message, and what a compression pointer looks like, are known in
# dns/ only. Others call dns/header, dns/edit, dns/msg or dns/name.
set -u
cd "${TOP_SRCDIR:-.}" || exit 99

# Bytes that are no message's.
reason()
{
	case $1 in
	src/base/netaddr.c) echo "0xc0: of fe80::/10" ;;
	esac
}

# A number added to the start of a message, or of what follows a record's owner; the start of the
# question; the first bits of a pointer, and the bits of its offset.
number='\b(bytes|msg|message|wire|buf|answer|question|reply|out|kept)[[:space:]]*\+[[:space:]]*[0-9]'
fixed='\bfixed[[:space:]]*\+'
header='[])a-z_0-9][[:space:]]*\+[[:space:]]*\(?DNS_(HEADER_LEN|RR_FIXED)|DNS_HEADER_LEN[[:space:]]*\+[[:space:]]*[(a-z]'
pointer='\b0[xX]([cC]0|[cC]000|3[fF]{3})[uU]?\b'

status=0
n=0
for file in src/*/*.[ch] src/*/*/*.[ch]; do
	case $file in src/dns/*) continue ;; esac
	n=$((n + 1))
	found=$(grep -nE "$number|$fixed|$header|$pointer" "$file")
	[ -n "$found" ] || {
		[ -z "$(reason "$file")" ] || { echo "$file: has an exception and no need of it"; status=1; }
		continue
	}
	[ -z "$(reason "$file")" ] || continue
	printf '%s\n' "$found" | sed "s|^|$file:|"
	status=1
done
[ $n -gt 0 ] || { echo "no source found"; status=1; }
exit $status
