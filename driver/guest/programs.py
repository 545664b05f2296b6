# SPDX-License-Identifier: Apache-2.0
"""Builds what guests run, and says where each belongs in the guest."""

import os
import subprocess
from pathlib import Path

from guest.debian import need
from guest.errors import GuestError
from guest.folders import BUILD, HERE
from guest.kernel import Kernel

_DRIVER = HERE.parent
_PROGRAMS = "/usr/local/bin"
SNAPSHOT_MODULE = "/coalescope.ko"
WIRE_MODULE = "/wire.ko"
_COUNTED, _COUNTED_TWICE = "return answered + met;", "return 2 * answered + met;"


def build_programs(kernel: Kernel, build: Path = BUILD) -> dict[str, Path]:
    """Build modules and programs where their sources have changed; path in the guest → file.

    Errors: GuestError with the compiler's words.
    """
    for program, package in (("make", "make"), ("gcc", "gcc"), ("strip", "binutils")):
        need(program, package)
    folder = build / "programs"
    built = {
        f"{_PROGRAMS}/{name}": _static(_DRIVER / source, folder / name, name)
        for name, source in (
            ("coalescope-logger", "logger"),
            ("coalescope-traffic", "traffic"),
            ("wire-control", "testbed/control"),
        )
    }
    built[SNAPSHOT_MODULE] = snapshot_module(kernel, folder / f"module-{kernel.abi}")
    built[WIRE_MODULE] = kernel.build(_DRIVER / "testbed/module", folder / f"wire-{kernel.abi}")[0]
    built[f"{_PROGRAMS}/testbed-workload"] = _DRIVER / "testbed/testbed-workload"
    return built


def tested_modules(kernel: Kernel, build: Path = BUILD) -> tuple[Path, Path]:
    """Build the module, and a mutant of it without its sequence counter, where sources changed."""
    folder = build / "programs"
    return (
        snapshot_module(kernel, folder / f"module-{kernel.abi}"),
        snapshot_module(kernel, folder / f"mutant-{kernel.abi}", "MUTANT=no-sequence"),
    )


def miscounting_logger(build: Path = BUILD) -> Path:
    """Build a mutant of the logger whose eBPF programs count each receive interrupt twice."""
    folder = build / "programs/mutant-logger"
    sources = folder / "bpf"
    sources.mkdir(parents=True, exist_ok=True)
    for path in (_DRIVER / "logger/bpf").iterdir():
        if path.is_file():
            _write_if_changed(sources / path.name, _planted(path))
    _make(_DRIVER / "logger", f"BUILD={folder}", f"BPF={sources}", "LDFLAGS=-static")
    return folder / "coalescope-logger"


def _planted(path: Path) -> str:
    text = path.read_text()
    if path.name != "coalescope.bpf.c":
        return text
    if text.count(_COUNTED) != 1:
        raise GuestError(f"{path} no longer has the line {_COUNTED!r}, which the mutant changes")
    return text.replace(_COUNTED, _COUNTED_TWICE)


def _write_if_changed(path: Path, text: str) -> None:
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def snapshot_module(kernel: Kernel, into: Path, *arguments: str) -> Path:
    """Build driver/module for a kernel; `arguments` go to its Makefile."""
    folders = (f"KERNEL={kernel.headers}", f"OUT={into}")
    _make(_DRIVER / "module", *folders, *arguments, kernel=kernel)
    whole, small = into / "coalescope.ko", into / "guest/coalescope.ko"
    if not small.exists() or small.stat().st_mtime <= whole.stat().st_mtime:  # else it is in use
        small.parent.mkdir(exist_ok=True)
        subprocess.run(["strip", "--strip-debug", "-o", str(small), str(whole)], check=True)
    return small


def _static(source: Path, into: Path, name: str) -> Path:
    _make(source, f"BUILD={into}", "LDFLAGS=-static")
    return into / name


def _make(folder: Path, *arguments: str, kernel: Kernel | None = None) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    command = ["make", "-s", f"-j{os.cpu_count()}", "-C", str(folder), *arguments]
    done = subprocess.run(
        command if kernel is None else kernel.command(*command),
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise GuestError(f"{folder} does not build:\n{done.stdout}{done.stderr}")
