# SPDX-License-Identifier: Apache-2.0
"""Builds what guests run, and says where each belongs in the guest."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from guest.debian import need
from guest.errors import GuestError
from guest.folders import BUILD, HERE
from guest.kernel import Kernel

_DRIVER = HERE.parent
_PROGRAMS = "/usr/local/bin"
SNAPSHOT_MODULE = "/coalescope.ko"
WIRE_MODULE = "/wire.ko"
_COUNTED, _COUNTED_TWICE = "return answered + coalesced;", "return 2 * answered + coalesced;"
_SWITCH = "\tbegin(&cpu->soft_sequence);\n\tif (cpu->counting) {\n\t\tend_task(cpu, previous);"
_RECEIVED = "\tif (cpu)\n\t\tcount_received(cpu, received_frames(skb));"
_SOME_RECEIVED = _RECEIVED.replace("if (cpu)", "if (cpu && bpf_get_prandom_u32() % 5)")
_SENT = "\tbegin(&cpu->soft_sequence);\n\tcpu->tx_packets += cpu->sending_packets;"
_SOME_SENT = f"\tif (bpf_get_prandom_u32() % 5 == 0)\n\t\treturn 0;\n{_SENT}"
_SOME_SWITCHES = f"\tif (bpf_get_prandom_u32() % 100 == 0)\n\t\treturn 0;\n{_SWITCH}"


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
    return _mutant(build / "programs/mutant-logger", {_COUNTED: _COUNTED_TWICE}, "LDFLAGS=-static")


def forgetful_logger(folder: Path) -> Path:
    """Build a mutant of the logger whose eBPF programs do not see one task switch in a hundred."""
    return _mutant(folder, {_SWITCH: _SOME_SWITCHES})


def frame_skipping_logger(folder: Path) -> Path:
    """Build a mutant of the logger whose eBPF programs do not see one frame in five."""
    return _mutant(folder, {_RECEIVED: _SOME_RECEIVED, _SENT: _SOME_SENT})


def _mutant(folder: Path, changes: Mapping[str, str], *arguments: str) -> Path:
    sources = folder / "bpf"
    sources.mkdir(parents=True, exist_ok=True)
    originals = {
        path.name: path.read_text() for path in (_DRIVER / "logger/bpf").iterdir() if path.is_file()
    }
    for name, text in _planted(originals, changes).items():
        _write_if_changed(sources / name, text)
    _make(_DRIVER / "logger", f"BUILD={folder}", f"BPF={sources}", *arguments)
    return folder / "coalescope-logger"


def _planted(texts: Mapping[str, str], changes: Mapping[str, str]) -> Mapping[str, str]:
    for line, mutant in changes.items():
        if sum(text.count(line) for text in texts.values()) != 1:
            raise GuestError(f"logger/bpf no longer has {line!r} once: the mutant changes it")
        texts = {name: text.replace(line, mutant) for name, text in texts.items()}
    return texts


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
