#!/usr/bin/env -S zsh -f
# SPDX-License-Identifier: BSD-2-Clause
# complete: print what zsh offers when TAB is typed behind a line, sorted.
#   complete.zsh COMPLETIONS PROGRAMS LINE    the directories of _dns64ctl and of dns64ctl
zmodload zsh/zpty || exit 77
inside=$(mktemp) || exit 99
trap 'rm -f $inside' EXIT
cat >$inside <<'INSIDE'
PROMPT= RPROMPT=
unset zle_bracketed_paste
autoload -Uz compinit
compinit -u -D
bindkey '^I' complete-word
bindkey '^M' undefined-key
bindkey '^J' undefined-key
# What would be offered is printed instead, between two lines of marks.
compadd()
{
	local -a hits
	if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
		builtin compadd "$@"
		return
	fi
	builtin compadd -A hits "$@"
	print -rl -- $hits
}
marks_first() { print; print BEGIN }
marks_last() { print END; exit }
compprefuncs=(marks_first)
comppostfuncs=(marks_last)
print READY
INSIDE
zpty shell "TERM=dumb zsh -f -i"
zpty -w shell "fpath=(${(q)1} \$fpath) path=(${(q)2} \$path); stty -echo; source ${(q)inside}"
zpty -r -m shell said '*READY*' || exit 1
zpty -w -n shell "$3"$'\t'
zpty -r -m shell said '*END*' || exit 1
zpty -d shell
said=${said##*BEGIN}
print -rl -- ${(ou)${(f)${${said%%END*}//$'\r'}}}
