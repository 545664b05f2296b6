#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sh host/packaging/arm64_libraries.sh DIR: unpack what the static logger for arm64 is linked with into DIR, from
# Debian's packages for arm64. apt keeps what it knows of them in DIR, so that this machine's own lists stay as they are.
set -eu
DIR=$(realpath -m "$1")
rm -rf "$DIR"
mkdir -p "$DIR/lists/partial" "$DIR/cache/archives/partial" "$DIR/packages" "$DIR/root"
apt() {
	apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User=root \
		-o Dir::State::lists="$DIR/lists" -o Dir::Cache="$DIR/cache" -o Dir::State::status=/dev/null "$@"
}
apt update
cd "$DIR/packages"
apt download libbpf-dev libelf-dev zlib1g-dev libzstd-dev
for package in *.deb; do
	dpkg-deb -x "$package" "$DIR/root"
done
rm -rf "$DIR/lists" "$DIR/cache"
