# SPDX-License-Identifier: Apache-2.0
"""Compiler and kernel tools of another release of Debian, unpacked beside the system.

A newer release's kernel wants that release's compiler, and its build tools want that release's C
library. So a build for it sees that release's /usr in place of this machine's; all else, and all
paths, are as they are here.
"""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from guest.debian import Apt, Release, need, unpack
from guest.folders import BUILD, made_once

_PACKAGES = (
    *("gcc", "make", "binutils", "sparse", "libelf1t64", "libssl3t64", "zlib1g", "libzstd1"),
    *("dash", "bash", "coreutils", "sed", "grep", "mawk", "findutils", "diffutils", "perl"),
    *("base-files", "dpkg", "kmod", "libc-bin", "pahole", "xz-utils"),
)
_MOUNTED = 'mount --bind "$0" /usr && exec "$@"'


@dataclass(frozen=True)
class Toolchain:
    """The /usr with which kernel modules are built."""

    usr: Path

    def command(self, *words: str) -> list[str]:
        """Return the command line that runs a program with this /usr, as root or not."""
        as_root = () if os.geteuid() == 0 else ("--map-root-user",)
        return ["unshare", "--mount", *as_root, "sh", "-c", _MOUNTED, str(self.usr), *words]


def debian_toolchain(release: Release, build: Path = BUILD) -> Toolchain:
    """Fetch a release's toolchain once; later calls return at once."""
    need("unshare", "util-linux")

    def make(folder: Path) -> None:
        unpack(Apt(build, release).download(_PACKAGES), folder)
        for unused in ("doc", "gcc", "gdb", "info", "locale", "man"):
            shutil.rmtree(folder / "usr/share" / unused, ignore_errors=True)
        (folder / "usr/bin/awk").symlink_to("mawk")  # as its installation would do

    return Toolchain(usr=made_once(build / f"toolchain-{release.name}", make) / "usr")
