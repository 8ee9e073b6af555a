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
	mapfile -t COMPREPLY < <(compgen -W "$(dns64ctl --print-commands |
		awk -F '\t' -v said="$said" 'index($1, said) == 1 {
			split(substr($1, length(said) + 1), rest, " ")
			print rest[1]
		}')" -- "$word")
}
complete -F _dns64ctl dns64ctl
