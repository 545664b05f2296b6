#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Make sure that the programs the tests drive are there: install them with apt where that is allowed, else say what is missing.
set -eu

missing=""
need() { # program, Debian package
	command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}

PATH="$PATH:/usr/sbin:/sbin"
command -v chromium >/dev/null 2>&1 || need chromium-headless-shell chromium-headless-shell # either will do
need iperf3 iperf3
need ip iproute2
need ethtool ethtool
need mpstat sysstat
need strace strace
need systemd-analyze systemd
need openssl openssl
need ssh openssh-client
need sshd openssh-server
need ping iputils-ping
need pkill procps
need mandoc mandoc
need gcc gcc
need make make
need rpmbuild rpm
need aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu
need qemu-aarch64 qemu-user
need depmod kmod
need strip binutils
need zstd zstd
need clang clang
need bpftool bpftool
PATH="$PATH:$(echo /usr/lib/postgresql/*/bin | tr ' ' ':')"
need initdb postgresql
[ -e /usr/aarch64-linux-gnu/include/stdio.h ] || missing="$missing libc6-dev-arm64-cross"
[ -e /usr/include/bpf/libbpf.h ] || missing="$missing libbpf-dev"
if [ "$(id -u)" = 0 ]; then # nobody else may build an image
	need buildah buildah
	need mmdebstrap mmdebstrap
fi

[ -z "$missing" ] && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
	echo "Installing what the tests drive:$missing"
	apt-get update -qq
	# shellcheck disable=SC2086  # a list of packages
	DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing >/dev/null
	exit 0
fi
echo "The tests drive programs that are not installed:$missing" >&2
echo "On Debian: sudo apt-get install$missing" >&2
exit 1
