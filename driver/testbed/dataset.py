# SPDX-License-Identifier: Apache-2.0
"""The data set datasets/virtual-testbed: one archive of all run logs, and where they come from."""

import io
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from coalescope_host.run_log import RunLog, read
from guest.errors import GuestError

from testbed.block import LOGS
from testbed.measured import factors_of

HERE = Path(__file__).resolve().parent

DATASET = HERE.parents[1] / "datasets/virtual-testbed"
ARCHIVE = "raw/run-logs.tar.xz"
_SOURCE = HERE / "source.toml.in"
_LARGEST_BYTES = 15_000_000


def pack(blocks: Iterable[Path], dataset: Path = DATASET) -> Path:
    """Pack the logs of all blocks, in the same order and bytes each time; return the archive.

    Errors: GuestError if a log is not whole, or the archive becomes too large.
    """
    logs: dict[str, Path] = {}
    for path in sorted(path for block in blocks for path in (block / LOGS).glob("*.runlog")):
        name = member_name(_whole(path))
        if name in logs:
            raise GuestError(f"{path} and {logs[name]} are logs of the same run: {name}")
        logs[name] = path
    archive = dataset / ARCHIVE
    archive.parent.mkdir(parents=True, exist_ok=True)
    unfinished = archive.with_suffix(".unfinished")
    with tarfile.open(unfinished, "w:xz", preset=9) as output:
        for name in sorted(logs):
            content = logs[name].read_bytes()
            member = tarfile.TarInfo(name)
            member.size = len(content)
            member.mode = 0o644
            output.addfile(member, io.BytesIO(content))
    if unfinished.stat().st_size > _LARGEST_BYTES:
        raise GuestError(f"{unfinished} has more than {_LARGEST_BYTES:,} bytes")
    unfinished.replace(archive)
    return archive


def member_name(log: RunLog) -> str:
    """Return a log's name in the archive: workload/MTU-delay-replicate.runlog."""
    factors = factors_of(log)
    replicate = cast(dict[str, Any], log.header["run"])["replicate"]
    cell = f"{factors['mtu_bytes']}-{factors['delay_ticks']}-{replicate}"
    return f"{factors['workload']}/{cell}.runlog"


def _whole(path: Path) -> RunLog:
    log = read(path)
    if not log.complete:
        raise GuestError(f"{path} is cut off: {log.problems[0].message}")
    return log


def describe(archive: Path) -> Path:
    """Write the data set's source.toml, with the versions that the logs themselves state."""
    environment = _first_environment(archive)
    machine = environment["virtual_machine"]
    text = _SOURCE.read_text().format(
        kernel=environment["kernel_version"],
        emulator=machine["qemu_version"],
        command="make testbed",
    )
    path = archive.parents[1] / "source.toml"
    path.write_text(text)
    return path


def _first_environment(archive: Path) -> dict[str, Any]:
    with tarfile.open(archive) as opened:
        for member in opened:
            file = opened.extractfile(member)
            if file is not None:
                return cast(dict[str, Any], read(file.read()).header["environment"])
    raise GuestError(f"{archive} holds no log")
