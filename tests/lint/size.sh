#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# size: the budgets of the source: 1,000 lines a file, 60 lines a function, 30 fields a struct, 35 units
# a room, where x.c and x.h together are a unit. Fields of structs and unions inside count as the outer
# one's; those that a macro makes do not count.
set -u
cd "${TOP_SRCDIR:-.}" || exit 99
ctags --version 2>/dev/null | grep -q 'Universal Ctags' || {
	echo "no Universal Ctags (Debian: universal-ctags)"
	exit 77
}

# What may be larger, and why; to be taken off as soon as it is not.
exceptions()
{
	cat <<-'END'
		struct src/bench/settings.h:bench_settings a field for each option of dns64bench
		struct src/config/settings.h:settings a field for each keyword of the configuration
	END
}

tags()
{
	ctags --sort=no --languages=C --langmap=C:.c.h -D '_Atomic(x)=x' -D '_Alignas(x)=' --kinds-C="$1" -x --_xformat="$2" src/*/*.[ch] src/*/*/*.[ch]
}

# Lines of "KIND WHAT SIZE".
sizes()
{
	wc -l src/*/*.[ch] src/*/*/*.[ch] | awk '$2 != "total" { print "file", $2, $1 }'
	tags f '%F:%N %n %{end}' | awk '{ print "function", $1, $3 - $2 + 1 }'
	tags m '%F:%{scope} %N' | awk '{ sub(/::.*/, "", $1); n[$1]++ } END { for (name in n) print "struct", name, n[name] }'
	printf '%s\n' src/*/*.[ch] src/*/*/*.[ch] | sed 's/\.[ch]$//' | sort -u | sed 's,/[^/]*$,,' | sort | uniq -c |
		awk '{ print "room", $2, $1 }'
}

{
	exceptions | sed 's/^/except /'
	sizes | sort -k 3n
} | awk '
	BEGIN {
		most["file"] = 1000
		most["function"] = 60
		most["struct"] = 30
		most["room"] = 35
	}
	$1 == "except" {
		if (NF < 4) { print "tests/lint/size.sh: no reason for " $3; n_bad++ }
		excepted[$2, $3] = 1
		next
	}
	{ sorted[$1, ++n[$1]] = $3 }
	$3 <= most[$1] { next }
	($1, $2) in excepted { delete excepted[$1, $2]; next }
	{ print $2 ": " $3 ", and a " $1 " may have " most[$1]; n_bad++ }
	END {
		for (left in excepted) {
			split(left, part, SUBSEP)
			print "tests/lint/size.sh: needs no exception: " part[1] " " part[2]
			n_bad++
		}
		for (kind in most) {
			if (n[kind] == 0) { print "no " kind " found"; exit 1 }
			print n[kind] " " kind "s: median " sorted[kind, int((n[kind] + 1) / 2)] ", p90 " \
			    sorted[kind, int(n[kind] * 0.9 + 0.999)] ", max " sorted[kind, n[kind]]
		}
		exit n_bad > 0
	}'
