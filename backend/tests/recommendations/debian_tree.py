# SPDX-License-Identifier: Apache-2.0
"""A folder with programs of Debian 13, in which forms are checked or applied."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from guest.debian import DEBIAN_13, Apt, unpack
from guest.folders import BUILD, alone, made_once


def debian_tree(name: str, packages: Sequence[str]) -> Path:
    """The folder of that name, made once. Errors: GuestError where packages cannot be fetched."""
    with alone():
        return made_once(BUILD / name, partial(_make, packages))


def _make(packages: Sequence[str], folder: Path) -> None:
    for name in ("bin", "sbin", "lib", "lib64"):
        (folder / "usr" / name).mkdir(parents=True)
        (folder / name).symlink_to(f"usr/{name}")
    unpack(Apt(BUILD, DEBIAN_13).download(packages), folder)
    (folder / "usr/bin/awk").symlink_to("mawk")
    (folder / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    (folder / "etc/group").write_text("root:x:0:\n")
    for name in ("proc", "sys"):
        (folder / name).mkdir(exist_ok=True)
