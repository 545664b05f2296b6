# SPDX-License-Identifier: Apache-2.0
"""The kernel's simulated network device: Debian does not build it, so guests build it themselves.

It has nearly all that ethtool can set. From Debian's package of the kernel's sources, for tests.
"""

import tempfile
from pathlib import Path

from guest.debian import Apt, extract, unpack
from guest.folders import BUILD, made_once
from guest.kernel import KERNELS, NEWEST, debian_kernel

NEEDS = ("psample",)
"""Modules that are loaded before it."""
_PLACE = "drivers/net/netdevsim"


def netdevsim(version: str = NEWEST, build: Path = BUILD) -> Path:
    """Return the module for `debian_kernel(version)`, built once.

    Errors: GuestError with the words of apt or of the compiler.
    """
    kernel = debian_kernel(version, build)

    def make(folder: Path) -> None:
        (package,) = Apt(build, KERNELS[version]).download_only([f"linux-source-{version}"])
        with tempfile.TemporaryDirectory(prefix="source-", dir=build) as name:
            source = Path(name)
            unpack([package], source, "*.tar.xz")
            (tree,) = source.rglob("*.tar.xz")
            extract(tree, source, f"*/{_PLACE}/*")
            (place,) = source.glob(f"*/{_PLACE}")
            (built,) = kernel.build(place, source / "built", "CONFIG_NETDEVSIM=m")
            built.rename(folder / built.name)

    return made_once(build / f"netdevsim-{kernel.abi}", make) / "netdevsim.ko"
