# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2034,SC2154 # values come from and go to server
# fakedns, the upstream of all others
program=$FAKEDNS
probe=A

version()
{
	"$program" -V | awk 'NR == 1 { print $NF }'
}

configure()
{
	:
}

launch()
{
	# shellcheck disable=SC2086 # words
	on_core "$program" -l "$address" -p "$port" --zone "$zone" $extra
}
