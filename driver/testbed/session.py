# SPDX-License-Identifier: Apache-2.0
"""A guest with the whole testbed in it: wire, snapshot module, card under test, logger, traffic."""

from collections.abc import Mapping
from pathlib import Path

from guest.folders import alone
from guest.kernel import debian_kernel
from guest.machine import Guest
from guest.programs import build_programs

HERE = Path(__file__).resolve().parent

#: How many times slower everything passes in the guest than in the system that it stands for.
DILATION = 12.5
_LIBRARY = "/lib/testbed.sh"


def testbed_guest(files: Mapping[str, Path | bytes | str] | None = None) -> Guest:
    """Return a guest whose script may begin with `. /lib/testbed.sh` (see testbed.sh)."""
    with alone():
        kernel = debian_kernel()
        programs = build_programs(kernel)
    return Guest(
        kernel=kernel,
        nics=("e1000", "e1000e"),
        on_board=("e1000e",),
        files={**programs, _LIBRARY: HERE / "testbed.sh", **(files or {})},
        command_line=f"DILATION={DILATION:g}",
    )


testbed_guest.__test__ = False  # type: ignore[attr-defined]  # pytest: not a test
