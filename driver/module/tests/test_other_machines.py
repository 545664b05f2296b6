# SPDX-License-Identifier: Apache-2.0
"""On a machine that the module is not for, its build says so, once; elsewhere it says nothing.

Kbuild alone, with what the kernel's configuration would say: that needs no other machine's headers.
"""

import subprocess
from pathlib import Path

import pytest

MODULE = Path(__file__).resolve().parents[1]
PROGRAM = "include $(KBUILD)\nall:\n\t@echo $(obj-m)\n"


def read_with(tmp_path: Path, *configuration: str) -> "subprocess.CompletedProcess[str]":
    """What make makes of the file."""
    makefile = tmp_path / "Makefile"
    makefile.write_text(PROGRAM)
    settings = [f"{name}=y" for name in configuration]
    command = [
        "make",
        "-s",
        "--no-print-directory",
        "-f",
        makefile,
        f"KBUILD={MODULE}/Kbuild",
        f"src={MODULE}",
        *settings,
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("machine", ["CONFIG_ARM64", "CONFIG_RISCV", "CONFIG_X86_32"])
def test_another_machine_is_one_error_before_anything_is_compiled(machine, tmp_path):
    done = read_with(tmp_path, "CONFIG_MODULES", machine)
    assert done.returncode
    (said,) = done.stderr.splitlines()
    assert "coalescope is for x86-64 only" in said
    assert "The logger's eBPF source needs no module" in said


@pytest.mark.parametrize("configuration", [("CONFIG_MODULES", "CONFIG_X86_64"), ()])
def test_its_own_machine_and_cleaning_are_no_error(configuration, tmp_path):
    done = read_with(tmp_path, *configuration)
    assert (done.returncode, done.stdout, done.stderr) == (0, "coalescope.o\n", "")
