# SPDX-License-Identifier: Apache-2.0
"""What the module waits for before it frees what probes look at, seen on the newest kernel."""

import re
from pathlib import Path

import pytest
from guest.kernel import NEWEST
from guest.machine import Guest

HERE = Path(__file__).parent

pytestmark = [
    pytest.mark.guest,
    pytest.mark.parametrize("kernel", [NEWEST], indirect=True),
]


@pytest.mark.fault("F7")
def test_who_gives_an_interface_back_waits_for_probes_of_tracepoints(
    kernel, built, tmp_path, read_fields
):
    """They run under SRCU since Linux 7; RCU's own grace period does not wait for them."""
    guest = Guest(
        kernel=kernel,
        modules=("veth",),
        files={"/coalescope.ko": built.module, "/bin/snapshots": built.snapshots},
        command_line="ipv6.disable=1",
    )
    run = guest.run((HERE / "detach.sh").read_text(), tmp_path, timeout_s=600)
    assert "rx_packets" in read_fields(run.text("shown"))
    calls = re.findall(r": (synchronize_\w+) <-(?:monitor_put|wait_for_probes)", run.text("trace"))
    assert set(calls) == {"synchronize_srcu", "synchronize_rcu"}, run.text("trace")
    assert run.kernel_trouble() == []
