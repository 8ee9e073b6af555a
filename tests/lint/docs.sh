#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# docs: every function that a header declares or defines has a docstring of its own there: a comment
# in which a line or sentence begins with its name and a colon.
set -u
cd "${TOP_SRCDIR:-.}" || exit 99
ctags --version 2>/dev/null | grep -q 'Universal Ctags' || {
	echo "no Universal Ctags (Debian: universal-ctags)"
	exit 77
}

# Prints "header line name" for each function; ctags takes _Alignas for one.
functions() {
	ctags --sort=no --languages=C --langmap=C:.c.h --kinds-C=pf -x --_xformat='%F %n %N' \
		src/*/*.h src/*/*/*.h | awk '$3 !~ /^_/'
}

functions | awk '
	# The sentences of LINE, a comment or a line of one.
	function note(line,    n, i, sentence) {
		sub(/^[ \t]*\*?[ \t]*/, "", line)
		gsub(/[.;:?!)][ \t]+/, "&\n", line)
		n = split(line, sentence, "\n")
		for (i = 1; i <= n; i++)
			if (match(sentence[i], /^[A-Za-z_][A-Za-z0-9_]*:/))
				documented[substr(sentence[i], 1, RLENGTH - 1)] = 1
	}
	function read_comments(header,    line, at, inside) {
		split("", documented)
		while ((getline line < header) > 0) {
			for (;;) {
				if (!inside) {
					at = index(line, "/*")
					if (at == 0)
						break
					line = substr(line, at + 2)
				}
				at = index(line, "*/")
				inside = at == 0
				note(inside ? line : substr(line, 1, at - 1))
				if (inside)
					break
				line = substr(line, at + 2)
			}
		}
		close(header)
	}
	$1 != header { header = $1; read_comments(header) }
	!($3 in documented) { print $1 ":" $2 ": " $3 ": no docstring"; missing++ }
	END {
		if (NR == 0) { print "no function found"; exit 1 }
		exit missing > 0
	}'
