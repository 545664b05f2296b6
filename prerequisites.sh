#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Say at once all that setting up a checkout still needs of the system: sh prerequisites.sh [python] [node] [compiler]
set -u
PYTHON=${PYTHON:-python3} CC=${CC:-cc}
missing="" packages=""

lacks() { # what, Debian's packages that bring it
	missing="$missing  $1
"
	packages="$packages${2:+ $2}"
}

python() {
	if ! command -v "$PYTHON" >/dev/null; then
		lacks "Python 3.11 or newer: $PYTHON is not found (PYTHON=/path/to/python3 names another)" "python3 python3-venv"
	elif ! "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
		lacks "Python 3.11 or newer: $PYTHON is $("$PYTHON" -V 2>&1) (PYTHON=/path/to/python3 names another)" ""
	elif ! "$PYTHON" -c 'import venv, ensurepip' 2>/dev/null; then
		lacks "Python's venv and ensurepip" python3-venv
	fi
}

node() {
	version=$(command node --version 2>/dev/null) || version=""
	number=${version#v}
	if [ -z "$version" ]; then
		lacks "Node 20 or newer" nodejs
	elif [ "${number%%.*}" -lt 20 ]; then
		lacks "Node 20 or newer: node is $version. Debian 12 and Ubuntu 24.04 have older ones; nodejs.org has archives for any Linux" ""
	fi
	command -v npm >/dev/null || lacks "npm" npm
}

compiler() {
	printf '#include <linux/ethtool.h>\nint main(void) { return 0; }\n' | $CC -x c -o /dev/null - 2>/dev/null ||
		lacks "a C compiler with the C library's headers ($CC)" "gcc libc6-dev"
}

for part in "$@"; do
	"$part"
done
[ -z "$missing" ] && exit 0
{
	printf 'Coalescope cannot be set up here yet. Missing:\n%s' "$missing"
	[ -z "$packages" ] || printf 'On Debian:\n  sudo apt-get install%s\n' "$packages"
} >&2
exit 1
