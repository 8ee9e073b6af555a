# SPDX-License-Identifier: BSD-2-Clause
# rows: a table of the source, X(field, "text"), as a list for mdoc(7).
#   awk -v table=STATS_COUNTERS -f rows.awk stats.h
$0 ~ "^#define " table "\\(X\\)" {
	inside = 1
	print ".Bl -tag -width \"upstream_unknown_id\" -compact"
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
	if (!more)
		exit
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
