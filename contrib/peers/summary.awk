# SPDX-License-Identifier: BSD-2-Clause
# summary: of the files ROUND-SERVER.json that dns64bench wrote: each finding's median, minimum and
# maximum by server, and the ratio to the first of them, as tables and as CSV.
#	-v servers="dns64d unbound" -v runs=FILE.csv -v summary=FILE.csv

# text KEY: the string of that key in the object o
function text(key)
{
	if (!match(o, "\"" key "\": *\"[^\"]*\""))
		return ""
	s = substr(o, RSTART, RLENGTH - 1)
	sub(/^"[^"]*": *"/, "", s)
	return s
}

# number KEY: the number of that key in the object o, or nothing
function number(key)
{
	if (!match(o, "\"" key "\": *-?[0-9][0-9.eE+-]*"))
		return ""
	s = substr(o, RSTART, RLENGTH)
	sub(/^"[^"]*": */, "", s)
	return s
}

# take: the findings of one file
function take(    part, n, i)
{
	split(run, part, "-")
	round = part[1]
	server = substr(run, length(round) + 2)
	n_runs[server]++
	if (match(json, /"failed": *\[ *"/))
		n_failed[server]++
	if (!match(json, /"findings": *\[[^]]*\]/))
		return
	n = split(substr(json, RSTART, RLENGTH), part, "}")
	for (i = 1; i <= n; i++) {
		o = part[i]
		name = text("name")
		value = number("value")
		if (name == "at least")
			n_least[server]++
		if (name == "" || value == "")
			continue
		if (!(name in unit)) {
			names[++n_names] = name
			unit[name] = text("unit")
		}
		values[name, server, ++count[name, server]] = value
		printf "%s,%s,\"%s\",%s,\"%s\"\n", round, server, name, value, unit[name] >runs
	}
}

# sort NAME SERVER: sets n and sorted[1..n]
function sort(name, server,    i, j, v)
{
	n = count[name, server]
	for (i = 1; i <= n; i++) {
		v = values[name, server, i] + 0
		for (j = i; j > 1 && sorted[j - 1] > v; j--)
			sorted[j] = sorted[j - 1]
		sorted[j] = v
	}
}

# shown V: whole, or with four digits that count
function shown(v)
{
	return v == int(v) || v >= 10000 || v <= -10000 ? sprintf("%.0f", v) : sprintf("%.4g", v)
}

function line(name, server)
{
	sort(name, server)
	if (n == 0)
		return
	median = (sorted[int((n + 1) / 2)] + sorted[int(n / 2) + 1]) / 2
	if (!have_base++)
		base = median
	ratio = base == 0 ? "" : sprintf("%.3f", median / base)
	printf "  %-12s %14s %14s %14s %10s\n", server, shown(median), shown(sorted[1]), shown(sorted[n]), ratio
	printf "\"%s\",\"%s\",%s,%d,%.10g,%.10g,%.10g,%s\n", \
	    name, unit[name], server, n, median, sorted[1], sorted[n], ratio >summary
}

BEGIN {
	n_servers = split(servers, list, " ")
	print "round,server,finding,value,unit" >runs
	print "finding,unit,server,runs,median,minimum,maximum,ratio" >summary
}

FNR == 1 {
	if (run != "")
		take()
	run = FILENAME
	sub(/.*\//, "", run)
	sub(/\.json$/, "", run)
	json = ""
}

{
	json = json " " $0
}

END {
	if (run != "")
		take()
	for (i = 1; i <= n_names; i++) {
		name = names[i]
		printf "\n%s%s\n", name, unit[name] == "" ? "" : " (" unit[name] ")"
		printf "  %-12s %14s %14s %14s %10s\n", "", "median", "minimum", "maximum", "to " list[1]
		have_base = 0
		for (j = 1; j <= n_servers; j++)
			line(name, list[j])
	}
	print ""
	for (j = 1; j <= n_servers; j++)
		printf "%s: %d runs%s%s\n", list[j], n_runs[list[j]], \
		    (n_failed[list[j]] ? ", of which " n_failed[list[j]] " failed" : ""), \
		    (n_least[list[j]] ? ", of which " n_least[list[j]] \
		    " passed at --high: their limit is higher" : "")
}
