# SPDX-License-Identifier: Apache-2.0
"""Copies of /proc/interrupts: a line counts where each CPU has a number, of digits alone."""

import pytest
from coalescope.foreign.readers.proc_files import _interrupts

HEADER = "            CPU0       CPU1\n"


@pytest.mark.parametrize(
    ("line", "total"),
    [
        (" 24:         11         31  IR-PCI-MSI 1-edge      eth0", 42.0),
        (" 24:         11          x  IR-PCI-MSI 1-edge      eth0", None),
        (" 24:         -5      1_000  IR-PCI-MSI 1-edge      eth0", None),
        (" 24:         11  IR-PCI-MSI 1-edge      eth0", None),
        ("NMI:         11         31  Non-maskable interrupts", None),
    ],
)
def test_each_cpu_has_a_number(line: str, total: float | None) -> None:
    found = [counter.value for counter in _interrupts(HEADER + line) if counter.interface == "eth0"]
    assert found == ([] if total is None else [total])
