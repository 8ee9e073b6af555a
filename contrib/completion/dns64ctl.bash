# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
# Completion of dns64ctl for bash: the commands are those that the installed one knows.

_dns64ctl()
{
	local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} said='' i
	case $previous in
	-s | --socket | check-config)
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		return
		;;
	esac
	if [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W \
			"$(dns64ctl -h | sed -n 's/^ .*\(--[a-z-]*\).*/\1/p')" -- "$word")
		return
	fi
	# The words of the command so far, without options.
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		-s | --socket) i=$((i + 1)) ;;
		-*) ;;
		*) said+="${COMP_WORDS[i]} " ;;
		esac
	done
	if [[ $said == 'cookie-secret add ' ]]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		return
	fi
	if [[ $said == 'explain '?* ]]; then
		mapfile -t COMPREPLY < <(compgen -W 'client tcp do cd --ask --dry' -- "$word")
		return
	fi
	mapfile -t COMPREPLY < <(compgen -W "$(dns64ctl --print-commands |
		awk -F '\t' -v said="$said" 'index($1, said) == 1 {
			split(substr($1, length(said) + 1), rest, " ")
			print rest[1]
		}
		# Arguments that are one of some words; those in brackets may be left out.
		index(said, $1 " ") == 1 {
			given = split(substr(said, length($1) + 2), done, " ")
			n = split($2, arg, " ")
			for (i = given + 1; i <= n; i++) {
				if (arg[i] !~ /^\[?[a-z0-9]+\|/)
					break
				optional = gsub(/[][]/, "", arg[i])
				gsub(/\|/, "\n", arg[i])
				print arg[i]
				if (!optional)
					break
			}
		}')" -- "$word")
}
complete -F _dns64ctl dns64ctl
