# SPDX-License-Identifier: Apache-2.0
"""The processors that guests can have, and what differs between them."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Architecture:
    """A kind of processor, as Debian, QEMU and Linux name what belongs to it."""

    debian: str
    qemu: str
    qemu_packages: tuple[str, ...]
    """Beside what all of QEMU's programs need."""
    machine: tuple[str, ...]
    """Options of the emulator."""
    cpu_model: str
    command_line: str
    """Words for the kernel."""


AMD64 = Architecture(
    debian="amd64",
    qemu="x86_64",
    qemu_packages=("qemu-system-x86", "seabios"),
    machine=(),
    cpu_model="qemu64",
    command_line="console=ttyS0 tsc=reliable clocksource=tsc",
)
ARM64 = Architecture(
    debian="arm64",
    qemu="aarch64",
    qemu_packages=("qemu-system-arm",),
    machine=("-machine", "virt"),
    cpu_model="cortex-a72",
    command_line="console=ttyAMA0",
)
