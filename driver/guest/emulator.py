# SPDX-License-Identifier: Apache-2.0
"""QEMU 10 of Debian's backports, unpacked beside the system.

Debian 12's own 7.2 will not do: its e1000e never clears a pending interrupt flag.
"""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from guest.architecture import AMD64, Architecture
from guest.debian import DEBIAN_12, Apt, unpack
from guest.errors import GuestError
from guest.folders import BUILD, made_once

_LIBRARIES = ("usr/lib/x86_64-linux-gnu", "lib/x86_64-linux-gnu")


@dataclass(frozen=True)
class Emulator:
    """A QEMU that is not installed: how to run it."""

    program: Path
    firmware: tuple[Path, ...]
    environment: Mapping[str, str]

    def command(self) -> list[str]:
        """Return the first words of the command line."""
        return [str(self.program), *(word for path in self.firmware for word in ("-L", str(path)))]

    def version(self) -> str:
        """Return the version as QEMU states it, for example 10.0.2."""
        shown = subprocess.run(
            [str(self.program), "--version"],
            env=dict(self.environment),
            capture_output=True,
            text=True,
            check=False,
        )
        if shown.returncode:
            raise GuestError(f"{self.program} does not run: {shown.stderr.strip()}")
        return shown.stdout.split("version ")[1].split()[0]


def debian_qemu(build: Path = BUILD, architecture: Architecture = AMD64) -> Emulator:
    """Fetch QEMU once; later calls return at once."""

    def make(folder: Path) -> None:
        apt, backports = Apt(build), DEBIAN_12.backports
        names = (*architecture.qemu_packages, "qemu-system-common", "qemu-system-data")
        packages = [f"{name}/{backports}" for name in names]
        unpack(apt.download(packages, beside_system=True), folder)

    own = "" if architecture == AMD64 else f"-{architecture.debian}"
    folder = made_once(build / f"qemu{own}", make)
    share = folder / "usr/share"
    libraries = ":".join(str(folder / place) for place in _LIBRARIES)
    return Emulator(
        program=folder / f"usr/bin/qemu-system-{architecture.qemu}",
        firmware=(share / "qemu", share / "seabios", Path("/usr/share/seabios")),
        environment={**os.environ, "LD_LIBRARY_PATH": libraries},
    )
