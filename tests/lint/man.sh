#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# man: the manual pages are sound.
set -u
cd "${TOP_SRCDIR:-.}" || exit 99
command -v mandoc >/dev/null || {
	echo "no mandoc"
	exit 77
}

mandoc -T lint -W warning man/*.[158] man/*.in
