# SPDX-License-Identifier: Apache-2.0
"""The module, a mutant of it, and the program that reads its snapshots, built once for all."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from guest.folders import alone
from guest.kernel import OLDEST, debian_kernel
from guest.programs import tested_modules

MODULE = Path(__file__).resolve().parents[1]
INCLUDE = MODULE.parent / "include"


@dataclass(frozen=True)
class Built:
    """What the guests get."""

    module: Path
    mutant: Path
    """Without the check for torn snapshots."""
    snapshots: Path


def build_snapshots(into: Path) -> Path:
    program = into / "snapshots"
    flags = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-static", f"-I{INCLUDE}/uapi"]
    source = Path(__file__).with_name("snapshots.c")
    subprocess.run(["gcc", *flags, "-o", program, source], check=True)
    return program


@pytest.fixture(scope="session")
def kernel(request):
    """The oldest, unless a test names another by `parametrize("kernel", …, indirect=True)`."""
    with alone():
        return debian_kernel(getattr(request, "param", OLDEST))


@pytest.fixture(scope="session")
def built(kernel, tmp_path_factory):
    with alone():  # the first process builds, others find it there
        module, mutant = tested_modules(kernel)
    snapshots = build_snapshots(tmp_path_factory.mktemp("module"))
    return Built(module=module, mutant=mutant, snapshots=snapshots)


def fields(text: str) -> dict[str, int | str]:
    """name=value lines."""
    pairs = (line.split("=", 1) for line in text.splitlines() if "=" in line)
    return {name: int(value) if value.lstrip("-").isdigit() else value for name, value in pairs}


@pytest.fixture(scope="session")
def read_fields():
    return fields
