# SPDX-License-Identifier: Apache-2.0
"""`make arm64-logger`: one static file, which records where an emulator runs it."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from coalescope_host.command_line import VERSION
from coalescope_host.run_log import check, read

ROOT = Path(__file__).parents[2]
NEEDED = ("aarch64-linux-gnu-gcc", "qemu-aarch64", "clang", "apt-get")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        any(shutil.which(name) is None for name in NEEDED), reason=f"needs {', '.join(NEEDED)}"
    ),
]


@pytest.fixture(scope="module")
def logger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, unpacked from the archive."""
    folder = tmp_path_factory.mktemp("arm64")
    environment = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    command = ["make", "arm64-logger", f"WHEELS={folder}"]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    name = f"coalescope-logger-{VERSION}-linux-aarch64"
    subprocess.run(["tar", "-xJf", folder / f"{name}.tar.xz", "-C", folder], check=True)
    assert (folder / name / "share/man/man1/coalescope-logger.1").is_file()
    return folder / name / "bin/coalescope-logger"


def test_it_is_of_that_processor_and_needs_no_library(logger: Path) -> None:
    said = subprocess.run(
        ["readelf", "--wide", "-hld", logger], check=True, capture_output=True, text=True
    ).stdout
    assert re.search(r"Machine: +AArch64", said)
    assert "INTERP" not in said
    assert "Shared library" not in said


def test_it_records_and_has_ebpf_inside(logger: Path, tmp_path: Path) -> None:
    log = tmp_path / "a.runlog"
    command = ["qemu-aarch64", logger, "-q", "-i", "lo", "-o", log, "-d", "300ms"]
    subprocess.run(command, check=True)
    assert check(log).complete
    environment = read(log.read_bytes()).header["environment"]
    assert environment["architecture"] == "aarch64"
    assert "built without eBPF" not in str(environment)
