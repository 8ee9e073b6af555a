#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# rules: tests/RULES and the tests that name its rules; prints the table of both ("make rules").
#
# A test names a rule as "rule 9", "rules 13 and 14", "rules 19-21" or "D16": a scenario in the
# comment that it begins with, a Check test in the comment right above START_TEST or as START_TEST
# (rule9_...) or (d16_...), a system test in any comment. A rule that holds, even partly, must have
# a test; a test may name no rule that is not there.
set -u
cd "${TOP_SRCDIR:-.}" || exit 99

# Lines of "TEST<tab>COMMENT", the comment on one line.
comments()
{
	awk 'FNR == 1 { head = 1 }
		head && /^;/ { sub(/.*\//, "", FILENAME); print FILENAME "\t" $0; next }
		{ head = 0 }' tests/scenarios/*.scn
	awk 'FNR == 1 { said = ""; inside = 0; file = FILENAME; sub(/.*\//, "", file); sub(/\.c$/, "", file) }
		/^\/\*/ { said = ""; inside = 1 }
		inside { said = said " " $0; if (/\*\//) inside = 0; next }
		/^START_TEST\(/ {
			name = $0
			gsub(/^START_TEST\(|\).*/, "", name)
			id = name
			if (id ~ /^d[0-9]+_/) { sub(/^d0*/, "D", id); sub(/_.*/, "", id) }
			else if (id ~ /^rule[0-9]+_/) { sub(/^rule0*/, "rule ", id); sub(/_.*/, "", id) }
			else id = ""
			print file ":" name "\t" said " " id
		}
		{ said = "" }' tests/*/check_*.c tests/*/*/check_*.c
	awk '/^[ \t]*#[^!]/ { file = FILENAME; sub(/.*tests\//, "", file); print file "\t" $0 }' tests/system/*.sh
}

# Lines of "RULE<tab>TEST" from those.
named()
{
	awk -F '\t' '
	function say(id) { if (!((id, $1) in seen)) { seen[id, $1] = 1; print id "\t" $1 } }
	function span(letter, text,	from, to) {
		from = text + 0
		to = from
		if (match(text, /(-D?| to D?)[0-9]+$/)) {
			to = substr(text, RSTART)
			gsub(/[^0-9]/, "", to)
		}
		for (; from <= to + 0; from++)
			say(letter from)
	}
	{
		text = " " $2 " "
		while (match(text, /[^A-Za-z0-9]D[0-9]+(-D[0-9]+)?[^A-Za-z0-9]/)) {
			id = substr(text, RSTART + 2, RLENGTH - 3)
			text = substr(text, RSTART + RLENGTH - 1)
			span("D", id)
		}
		text = " " $2 " "
		while (match(text, /[^A-Za-z][Rr]ules? [0-9]+((-| to |, and | and |, )[0-9]+)*[^0-9A-Za-z]/)) {
			list = substr(text, RSTART + 1, RLENGTH - 2)
			text = substr(text, RSTART + RLENGTH - 1)
			plural = list ~ /^[Rr]ules/
			sub(/^[Rr]ules? /, "", list)
			n = split(list, part, /, and | and |, /)
			for (i = 1; i <= (plural ? n : 1); i++)
				span("", part[i])
		}
	}'
}

{
	awk '/^[^#]/ { print "rule\t" $0 }' tests/RULES
	comments | named | awk '{ print "test\t" $0 }'
} | awk -F '\t' '
	function bad(text) { problems = problems text "\n" }
	$1 == "rule" {
		n++
		split($2, word, " ")
		id[n] = word[1]
		state[n] = word[2]
		place[word[1]] = n
		line[n] = $2
		if (word[2] !~ /^(holds|partly|deviates)$/)
			bad("RULES: " word[1] ": state " word[2])
		if (word[2] != "holds" && $2 !~ / -- ./)
			bad("RULES: " word[1] ": it " word[2] ", and nothing says why")
		if (word[1] != (n > numbered ? "D" n - numbered : n) && word[1] == "D1")
			numbered = n - 1
		if (word[1] != (numbered ? "D" n - numbered : n))
			bad("RULES: " word[1] " stands where another is due")
		next
	}
	!($2 in place) { bad($3 ": there is no rule " $2); next }
	{
		at = place[$2]
		count[at]++
		if (length(tests[at]) - cut[at] + length($3) > 90) {
			cut[at] = length(tests[at])
			tests[at] = tests[at] "\n\t"
		} else
			tests[at] = tests[at] " "
		tests[at] = tests[at] $3
	}
	END {
		for (i = 1; i <= n; i++) {
			print line[i]
			if (tests[i] != "")
				print "\t" substr(tests[i], 2)
			else if (state[i] != "deviates")
				bad("RULES: " id[i] " " state[i] ", but no test names it")
		}
		if (n == 0)
			bad("RULES: empty")
		for (i = 1; i <= n; i++)
			sum[state[i]]++
		print n " rules: " sum["holds"] + 0 " hold, " sum["partly"] + 0 " partly, " \
		    sum["deviates"] + 0 " not"
		printf "%s", problems
		exit problems != ""
	}'
