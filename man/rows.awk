# SPDX-License-Identifier: BSD-2-Clause
# rows: tables of the source, X(field, "text"), one behind the other as a list for mdoc(7).
#   awk -v tables='STATS_OF_LOOPS STATS_OF_THREADS' -f rows.awk stats.h
BEGIN {
	gsub(/ /, "|", tables)
	print ".Bl -tag -width \"upstream_unknown_id\" -compact"
}
$0 ~ "^#define (" tables ")\\(X\\)" {
	inside = 1
	next
}
!inside { next }
{
	more = /\\$/
	sub(/\\$/, "")
	gsub(/\/\*[^*]*\*\//, "")
	row = row $0
	# A row may go on in the next line.
	if (row ~ /\)[ \t]*$/) {
		item(row)
		row = ""
	}
	inside = more
}

END {
	print ".El"
}

function item(row, name, text)
{
	gsub(/"[ \t]+"/, "", row) # one string in two lines
	name = row
	sub(/^[ \t]*X\(/, "", name)
	sub(/,.*/, "", name)
	split(row, quoted, "\"")
	text = quoted[2]
	printf ".It Li %s\n%s%s.\n", name, toupper(substr(text, 1, 1)), substr(text, 2)
}
