#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# docs: every function that a header declares or defines has a docstring of its own there: a comment
# in which a line or sentence begins with its name and a colon. One that is trivial, static inline with
# one statement, needs none.
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
	# LINE of a header, whose functions are formatted as clang-format does it.
	function body(line) {
		if (line ~ /^[^ \t]/ && match(line, /^[a-z_0-9]+\(/))
			name = substr(line, 1, RLENGTH - 1)
		if (line ~ /^(MUST_USE )?static inline /)
			is_inline = 1
		else if (line ~ /^{/)
			statements = 0
		else if (line ~ /^}/) {
			if (is_inline && statements == 1)
				trivial[name] = 1
			is_inline = 0
		} else if (line ~ /^\t/)
			statements += gsub(/;/, ";", line) + (line ~ /^\t(if|for|while|switch) /)
	}
	function read_comments(header,    line, at, inside) {
		split("", documented)
		split("", trivial)
		while ((getline line < header) > 0) {
			body(line)
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
	!($3 in documented) && !($3 in trivial) { print $1 ":" $2 ": " $3 ": no docstring"; missing++ }
	END {
		if (NR == 0) { print "no function found"; exit 1 }
		exit missing > 0
	}'
