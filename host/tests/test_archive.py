# SPDX-License-Identifier: Apache-2.0
"""`make archive`: static programs with eBPF inside, which run where they are unpacked."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from coalescope_host.command_line import VERSION
from coalescope_host.run_log import check, read

ROOT = Path(__file__).parents[2]
HERE = os.uname().machine
PROGRAMS = ("coalescope-logger", "coalescope-traffic")

pytestmark = pytest.mark.slow


class Made(NamedTuple):
    """A machine's archive, unpacked, and what runs its programs here."""

    machine: str
    folder: Path
    emulator: Sequence[str]


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}


@pytest.fixture(scope="module", params=[HERE, "aarch64"], ids=["this machine", "arm64"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    machine = request.param
    crossed = () if machine == HERE else (f"{machine}-linux-gnu-gcc", f"qemu-{machine}", "apt-get")
    missing = [name for name in ("clang", *crossed) if shutil.which(name) is None]
    if missing:
        pytest.skip(f"needs {', '.join(missing)}")
    folder = tmp_path_factory.mktemp(machine)
    command = ["make", "archive", f"WHEELS={folder}", f"MACHINE={machine}"]
    if not crossed:  # what is built for arm64 keeps the libraries that were fetched
        command += [f"ARCHIVED={folder / 'build'}"]
    done = subprocess.run(
        command, cwd=ROOT, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    name = f"coalescope-host-{VERSION}-linux-{machine}"
    subprocess.run(["tar", "-xJf", folder / f"{name}.tar.xz", "-C", folder], check=True)
    return Made(machine, folder / name, [f"qemu-{machine}"] if crossed else [])


def test_programs_are_of_that_processor_and_need_no_library(made: Made) -> None:
    of = {"aarch64": "AArch64", "x86_64": "Advanced Micro Devices X86-64"}[made.machine]
    for program in PROGRAMS:
        said = subprocess.run(
            ["readelf", "--wide", "-hld", made.folder / "bin" / program],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        assert re.search(rf"Machine: +{of}\n", said)
        assert "INTERP" not in said
        assert "Shared library" not in said


def test_the_logger_records_and_has_ebpf_inside(made: Made, tmp_path: Path) -> None:
    log = tmp_path / "a.runlog"
    logger = made.folder / "bin/coalescope-logger"
    subprocess.run([*made.emulator, logger, "-q", "-i", "lo", "-o", log, "-d", "300ms"], check=True)
    assert check(log).complete
    recorded = read(log.read_bytes()).header["environment"]
    assert recorded["architecture"] == made.machine
    assert "built without eBPF" not in str(recorded)
    assert b"coalescope_bpf" in logger.read_bytes()


def test_the_programs_run_in_a_root_with_nothing_else(made: Made, tmp_path: Path) -> None:
    """So that the age of a host's C library says nothing."""
    if os.geteuid() != 0 or made.emulator:
        pytest.skip("needs root, and this machine's programs")
    for program in PROGRAMS:
        shutil.copy(made.folder / "bin" / program, tmp_path)
        done = subprocess.run(
            ["chroot", tmp_path, f"/{program}", "--help"], capture_output=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert program.encode() in done.stdout


def test_its_tools_are_those_of_the_same_version(made: Made, tmp_path: Path) -> None:
    host = [sys.executable, made.folder / "bin/coalescope-host"]
    said = subprocess.run([*host, "--version"], check=True, capture_output=True, text=True).stdout
    assert VERSION in said
    if not made.emulator:
        programs = {"PATH": f"{made.folder / 'bin'}:/usr/bin:/bin", "HOME": str(tmp_path)}
        snapshot = subprocess.run(
            [*host, "snapshot", "lo"], check=True, capture_output=True, env=programs
        ).stdout
        assert json.loads(snapshot)["environment"]["interface"] == "lo"


def test_without_what_ebpf_needs_nothing_is_built(tmp_path: Path) -> None:
    command = ["make", "-C", ROOT / "driver/logger", f"BUILD={tmp_path}", "EBPF=1"]
    done = subprocess.run(
        [*command, "CLANG=no-such-clang"],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "eBPF cannot be built: missing are clang;" in done.stderr
    assert not (tmp_path / "coalescope-logger").exists()
