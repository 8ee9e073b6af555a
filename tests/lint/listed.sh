#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# listed: Makefile.am names every file of git, so a tarball has them all; git has no file that
# something makes.
set -u
cd "${TOP_SRCDIR:-.}" || exit 99

status=0
tracked()
{
	# A tarball, or a copy of the tree, has no git to ask.
	[ ! -e .git ] || git -c safe.directory='*' ls-files "$@" 2>/dev/null
}

{
	tracked | grep -vxE '\.clang-tidy|\.editorconfig|\.git[a-z]+|\.ci/.*|Makefile\.am|configure\.ac'
	# What git does not have yet.
	for file in src/*/*.[ch] src/*/*/*.[ch] tests/*/*.[ch] tests/*/*/*.[ch] tests/support/*.sh tests/support/driver tests/support/summary tests/lint/*.sh tests/lint/*.py \
		tests/migrate/*.py tests/contrib/*.py tests/contrib/*.sh tests/system/* \
		man/*.[158] man/*.in etc/dns64d.conf etc/init.d/* contrib/* contrib/*/*; do
		case $file in *.o | *.a | *.log | *.trs | *.gc??) continue ;; esac
		echo "$file"
	done
} | sort -u | while read -r file; do
	[ ! -f "$file" ] || echo "$file"
done | awk '
	FNR == NR && /^[[:space:]]*#/ { next }
	FNR == NR { for (i = 1; i <= NF; i++) listed[$i] = 1; next }
	{
		# By its name or with a directory; a test program without its suffix, as its one source has its name.
		name = $0
		found = name in listed || name ~ "^tests/.*/(check|fuzz|bench)_[^/]*[.]c$" && substr(name, 1, length(name) - 2) in listed
		while (!found && sub("/[^/]*$", "", name) && name ~ "/")
			found = name in listed
		if (!found) {
			print "Makefile.am: " $0 " is missing"
			status = 1
		}
	}
	END { exit status }' Makefile.am - || status=1

# Nothing that .gitignore names is in git.
made=$(tracked --cached --ignored --exclude-standard)
[ -z "$made" ] || {
	printf '%s\n' "$made" | sed 's/$/: is generated, and git has it/'
	status=1
}
exit $status
