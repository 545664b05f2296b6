# SPDX-License-Identifier: Apache-2.0
"""On one CPU whose clock counts instructions: every frame and byte, and every receive interrupt."""

from pathlib import Path

import pytest
from guest.machine import Guest
from guest.versions import VERSIONS

HERE = Path(__file__).parent
CARDS = ("e1000e", "e1000e", "e1000", "e1000", "e1000")
FCS, SHORTEST = 4, 60

pytestmark = [pytest.mark.guest, pytest.mark.parametrize("kernel", VERSIONS, indirect=True)]


@pytest.fixture(scope="module")
def run(kernel, built, tmp_path_factory):
    """Boot once; the tests look at what it left."""
    files = {
        "/coalescope.ko": built.module,
        "/bin/snapshots": built.snapshots,
        "/transfer.py": HERE / "transfer.py",
        "/busy_poll.py": HERE / "busy_poll.py",
    }
    guest = Guest(
        kernel=kernel,
        nics=CARDS,
        modules=("e1000e", "e1000"),
        on_board=("pktgen",),
        files=files,
        command_line="ipv6.disable=1",
    )
    script = (HERE / "counting.sh").read_text()
    return guest.run(script, tmp_path_factory.mktemp("counting"), timeout_s=900)


@pytest.fixture
def difference(run, read_fields):
    def of(name, first="before", last="after"):
        before, after = (read_fields(run.text(f"{state}-{name}")) for state in (first, last))
        numbers = (field for field, value in after.items() if isinstance(value, int))
        return {field: after[field] - before.get(field, 0) for field in numbers}

    return of


#: e1000's driver has the card interrupt, so that nothing stays in a ring (its watchdog task).
EVERY_NS = 2e9


def for_nothing(counted):
    """Interrupts whose poll delivered no frame: e1000 interrupts itself every two seconds, or a
    busy poll was faster."""
    return counted["polls"] - counted["rx_polls"]


@pytest.mark.parametrize("bytes_sent", [42, 60, 61, 1514, 9014])
def test_frames_of_known_size_are_counted_at_both_ends(difference, bytes_sent):
    wire_bytes = 500 * (max(bytes_sent, SHORTEST) + FCS)
    received, sent = difference(f"{bytes_sent}-rx"), difference(f"{bytes_sent}-tx")
    assert (received["rx_packets"], received["rx_bytes"]) == (500, wire_bytes)
    assert (sent["tx_packets"], sent["tx_bytes"]) == (500, wire_bytes)
    assert (received["rx_packets.0"], received["rx_bytes.0"]) == (500, wire_bytes)
    # of the driver and of the stack, which drops frames of a protocol that nobody takes
    assert (received["driver_rx_packets"], received["rx_dropped"]) == (500, 500)
    assert (sent["driver_tx_packets"], sent["tx_dropped"]) == (500, 0)


def test_cpu_times_are_those_of_proc_stat(run, read_fields):
    classes = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
    before, after = (run.text(f"stat-{when}").split()[1:] for when in ("before", "after"))
    seen = read_fields(run.text("stat"))
    for place, name in enumerate(classes):
        hundredths = seen[f"cpu_{name}_ns"] // 10_000_000
        assert int(before[place]) <= hundredths <= int(after[place]), name
    assert seen["cpu_system_ns"] > 0
    assert seen["cpu_softirq_ns"] > 0


@pytest.mark.parametrize("mtu", [1500, 9000])
def test_tcp_with_segmentation_and_merging_is_counted_as_sent(run, difference, mtu):
    near, far = (difference(f"tcp-{mtu}-{card}") for card in ("e0", "e1"))
    sent, received = int(run.text(f"tcp-{mtu}-sent")), int(run.text(f"tcp-{mtu}-received"))
    assert sent == received
    for one, other in ((near, far), (far, near)):
        assert one["tx_packets"] == other["rx_packets"] > 0
        assert one["tx_bytes"] == other["rx_bytes"] > 0
    # the card's own octet counters
    for card, end in (("e0", near), ("e1", far)):
        hardware = difference(f"tcp-{mtu}-{card}-card")
        assert (end["rx_packets"], end["rx_bytes"]) == (
            hardware["rx_packets"],
            hardware["rx_bytes"],
        )
    headers = 14 + 20 + 20 + 12 + FCS
    connecting = 2 * 8  # two more options of the SYN than timestamps, padded: 40 bytes, not 32
    payload = near["tx_bytes"] - near["tx_packets"] * headers
    assert sent <= payload <= sent + connecting
    assert difference(f"tcp-{mtu}-e0-card")["tx_packets"] < near["tx_packets"] / 3, (
        "no TSO was used"
    )
    for end, offload in (("near", "tcp-segmentation-offload"), ("far", "generic-receive-offload")):
        assert f"{offload}: on" in run.text(f"offloads-{end}")


@pytest.mark.parametrize("delay_us", [0, 1500, 2500, 4500, 9500])
def test_receive_interrupts_are_those_of_the_delay(difference, delay_us):
    gap_us = 1000
    counted = difference(f"delay-{delay_us}")
    frames_per_interrupt = (
        1 + delay_us // gap_us
    )  # a trailing edge: the frame that starts it, and more
    assert counted["rx_packets"] == 1000
    assert counted["rx_interrupts"] == pytest.approx(1000 / frames_per_interrupt, rel=0.02, abs=1)
    assert counted["rx_interrupts"] <= counted["interrupts"] + 1


def test_a_shared_line_counts_for_the_card_that_it_was_for(run, difference):
    silent, busy = difference("shared-e0"), difference("shared-e4")
    assert silent["rx_interrupts"] == silent["rx_packets"] == 0
    assert silent["interrupts"] <= for_nothing(silent)
    assert busy["rx_interrupts"] == busy["rx_packets"] == 200
    assert 200 <= busy["interrupts"] <= 200 + for_nothing(busy)
    lines = run.text("shared-interrupts").splitlines()
    assert any("e0" in line and "e4" in line for line in lines), "they share no line"


def test_an_interrupt_whose_poll_runs_in_a_thread(difference):
    counted = difference("thread", first="middle")
    assert counted["rx_packets"] == counted["rx_interrupts"] == 200
    assert 200 <= counted["interrupts"] <= 200 + for_nothing(counted)
    assert counted["softirq_cycles"] > counted["polls"] * 1000, "the thread's cycles"


def test_polls_without_interrupts_invent_none(difference):
    counted = difference("timer")
    assert counted["rx_packets"] == 300
    assert counted["rx_polls"] > 100
    assert counted["rx_interrupts"] <= 1
    its_own = counted["t_monotonic_raw_ns"] / EVERY_NS + 1
    assert counted["interrupts"] <= 1 + its_own


@pytest.mark.parametrize("prefer", [0, 1])
def test_busy_polling_neither_invents_nor_consumes_interrupts(run, difference, prefer):
    counted = difference(f"busy-{prefer}")
    assert run.text(f"busy-{prefer}") == "received=200\n"
    assert counted["rx_packets"] == 200
    assert 0 <= counted["interrupts"] - counted["rx_interrupts"] <= for_nothing(counted)
    if prefer:  # some frames are fetched before they can interrupt
        assert counted["rx_interrupts"] < counted["rx_polls"]


def test_what_is_refused(run, read_fields):
    assert read_fields(run.text("refused")) == {
        "not_attached": "ENXIO",
        "no_interface": "ENODEV",
        "no_end": "EINVAL",
        "flags": "EINVAL",
        "unknown": "ENOTTY",
        "null": "EFAULT",
        "attach": 0,
        "small": "EMSGSIZE",
        "bad_buffer": "EFAULT",
        "detach": 0,
        "detached": "ENXIO",
        "no_capability": "EPERM",
        "no_permission": "EACCES",
    }


def test_a_file_moves_from_one_interface_to_another(run, read_fields):
    moved = read_fields(run.text("moved"))
    assert moved["missing"] == "ENODEV"
    assert moved["first"] == moved["still"] != moved["then"]
    assert (moved["sequence"], moved["sequence_then"]) == (2, 1)


def test_the_kernel_has_nothing_to_say(run):
    assert run.kernel_trouble() == []
    log = run.kernel_log.split("coalescope: loading out-of-tree module")[1]
    assert "coalescope" not in log
