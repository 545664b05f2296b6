# SPDX-License-Identifier: Apache-2.0
"""A thread polls a card without end, as Linux 7 can; the card interrupts all the same."""

from pathlib import Path

import pytest
from guest.kernel import NEWEST
from guest.machine import Guest

HERE = Path(__file__).parent

pytestmark = [
    pytest.mark.guest,
    pytest.mark.parametrize("kernel", [NEWEST], indirect=True),
]


@pytest.fixture(scope="module")
def run(kernel, built, tmp_path_factory):
    guest = Guest(
        kernel=kernel,
        nics=("e1000e", "igb"),
        modules=("e1000e", "igb"),
        files={
            "/coalescope.ko": built.module,
            "/bin/snapshots": built.snapshots,
            "/poll_busily.py": HERE / "poll_busily.py",
        },
        command_line="ipv6.disable=1",
    )
    script = (HERE / "busy_thread.sh").read_text()
    return guest.run(script, tmp_path_factory.mktemp("busy-thread"), timeout_s=600)


@pytest.mark.fault("F6")
def test_an_interrupt_counts_whose_frame_a_busy_thread_delivered(run, read_fields):
    before, after = (read_fields(run.text(when)) for when in ("before", "after"))
    counted = {
        name: after[name] - before[name] for name in ("polls", "rx_packets", "rx_interrupts")
    }
    assert counted["rx_packets"] == 300
    assert counted["polls"] > 10 * 300, "it does not poll busily"
    # some frames are fetched before they interrupt, or two by one poll
    assert counted["rx_interrupts"] == pytest.approx(300, abs=15)
    assert after["rx_interrupts"] <= after["interrupts"]
    assert run.kernel_trouble() == []
