# SPDX-License-Identifier: Apache-2.0
"""One replicate of the design: a guest of its own, in which the sweep runs one block."""

import shutil
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from guest.emulator import debian_qemu
from guest.errors import GuestError
from guest.machine import Guest

from testbed.cost import Cost
from testbed.session import testbed_guest

HERE = Path(__file__).resolve().parent

HOST_TOOLS = HERE.parents[1] / "host/dist/coalescope-host.pyz"
PLAN = HERE / "plan.toml"
LOGS = "logs"
_TOOLS = "/opt/coalescope-host"
_LAUNCHER = f"""#!/bin/sh
exec python3 {_TOOLS} "$@"
"""
_LONGEST_S = 2 * 3600

#: What a guest does first. Logs are then best written to /tmp, where files are fast.
PREPARE = """
. /lib/testbed.sh
set -e
open_wire
load_card 10 1500
cd /tmp
"""
_BLOCK = """
status=0
coalescope-host sweep /plan.toml --replicates {replicate} --out /tmp/sweep || status=$?
cp -r /tmp/sweep/. /out/
exit $status
"""


def sweeping_guest(plan: str, files: Mapping[str, Path | bytes | str] | None = None) -> Guest:
    """Return a testbed guest with the host tools, and a plan as /plan.toml.

    Errors: GuestError if the host tools are not built.
    """
    if not HOST_TOOLS.exists():
        raise GuestError(f"{HOST_TOOLS} is missing: make host-tools")
    return testbed_guest({**_host_tools(), "/plan.toml": plan, **(files or {})})


def plan_with_versions(plan: Path = PLAN) -> str:
    """Return the plan with the emulator's version in each log's environment."""
    version = debian_qemu().version()
    return (
        f"{plan.read_text()}"
        f'emulator = "QEMU {version}, TCG, one CPU; e1000e under test, 82540EM at the far end"\n'
        "[environment.virtual_machine]\n"
        f'qemu_version = "{version}"\n'
    )


def run_block(guest: Guest, replicate: int, folder: Path, console: Path) -> Path:
    """Run one replicate; return the folder of its logs, which is there only if all are good.

    `guest`: of `sweeping_guest`; the replicate becomes its seed. Errors: GuestError.
    """
    if folder.is_dir():
        return folder
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    script = PREPARE + _BLOCK.format(replicate=replicate)
    seeded = replace(guest, seed=replicate)
    result = seeded.run(script, unfinished, timeout_s=_LONGEST_S, console=console)
    Cost(result.wall_s, result.cpu_s).write(unfinished)
    unfinished.replace(folder)
    return folder


def unzipped(archive: Path | BinaryIO, place: str) -> dict[str, Path | bytes | str]:
    """Return a zipapp's members as files of a guest, which would be slow to inflate them each time.

    Without the sources of compiled modules: beside them Python would compile anew each time.
    """
    with zipfile.ZipFile(archive) as opened:
        names = {name for name in opened.namelist() if not name.endswith("/")}
        needed = sorted(name for name in names if f"{name}c" not in names)
        return {f"{place}/{name}": opened.read(name) for name in needed}


def _host_tools() -> dict[str, Path | bytes | str]:
    return {**unzipped(HOST_TOOLS, _TOOLS), "/usr/local/bin/coalescope-host": _LAUNCHER}
