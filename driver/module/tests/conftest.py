# SPDX-License-Identifier: Apache-2.0
"""The module, a mutant of it, and the program that reads its snapshots, built once."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from testbed.folders import alone
from testbed.kernel import Kernel, debian_kernel

MODULE = Path(__file__).resolve().parents[1]
INCLUDE = MODULE.parent / "include"


@dataclass(frozen=True)
class Built:
    """What the guests get."""

    module: Path
    mutant: Path
    """Without the check for torn snapshots."""
    snapshots: Path


def build_module(kernel: Kernel, into: Path, *arguments: str) -> Path:
    return kernel.build(MODULE, into, f"COALESCOPE_INCLUDE={INCLUDE}", *arguments)[0]


def build_snapshots(into: Path) -> Path:
    program = into / "snapshots"
    flags = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-static", f"-I{INCLUDE}/uapi"]
    source = Path(__file__).with_name("snapshots.c")
    subprocess.run(["gcc", *flags, "-o", program, source], check=True)
    return program


@pytest.fixture(scope="session")
def kernel():
    with alone():
        return debian_kernel()


@pytest.fixture(scope="session")
def built(kernel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("module")
    return Built(
        module=build_module(kernel, folder / "module"),
        mutant=build_module(kernel, folder / "mutant", "MUTANT=no-sequence"),
        snapshots=build_snapshots(folder),
    )


def fields(text: str) -> dict[str, int | str]:
    """name=value lines."""
    pairs = (line.split("=", 1) for line in text.splitlines() if "=" in line)
    return {name: int(value) if value.lstrip("-").isdigit() else value for name, value in pairs}


@pytest.fixture(scope="session")
def read_fields():
    return fields
