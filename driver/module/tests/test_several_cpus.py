# SPDX-License-Identifier: Apache-2.0
"""Two CPUs and a card of several queues: snapshots of one instant, devices that come and go."""

from pathlib import Path

import pytest
from guest.errors import GuestError
from guest.machine import Guest
from guest.versions import VERSIONS

HERE = Path(__file__).parent
BOOTS = 3
#: QEMU's emulation of several CPUs may run code that another CPU has just patched, as it was, where
#: the kernel switches tracepoints: a fault of the emulation, also without the module.
STALE_CODE = "Oops: int3"
#: The emulated card has stopped, where its driver, too, receives nothing more.
SILENT_CARD = "The card is silent"

pytestmark = [pytest.mark.guest, pytest.mark.parametrize("kernel", VERSIONS, indirect=True)]


@pytest.fixture(scope="module")
def run(kernel, built, tmp_path_factory):
    """Boot once, again if the emulation failed; the tests look at what it left."""
    guest = Guest(
        kernel=kernel,
        nics=("e1000e", "igb"),
        modules=("e1000e", "igb"),
        on_board=("macvlan",),
        cpus=2,
        icount_shift=None,
        files={
            "/coalescope.ko": built.module,
            "/mutant.ko": built.mutant,
            "/bin/snapshots": built.snapshots,
        },
        command_line="ipv6.disable=1",
    )
    script = (HERE / "several_cpus.sh").read_text()
    for last in (False,) * (BOOTS - 1) + (True,):
        try:
            return guest.run(script, tmp_path_factory.mktemp("several-cpus"), timeout_s=600)
        except GuestError as error:
            if last or not any(fault in str(error) for fault in (STALE_CODE, SILENT_CARD)):
                raise
    raise AssertionError


@pytest.fixture
def read(run, read_fields):
    return lambda name: read_fields(run.text(name))


@pytest.fixture
def difference(read):
    def of(name):
        before, after = read(f"before-{name}"), read(f"after-{name}")
        return {field: after[field] - before.get(field, 0) for field in after}

    return of


def assert_all_counted(counted, *, sent):
    """Each frame that the driver received was counted; the emulated card may lose some."""
    assert counted["rx_packets"] == counted["driver_rx_packets"]
    assert sent / 4 < counted["rx_packets"] <= sent


@pytest.mark.fault("I9")
def test_it_has_no_way_to_stop_the_machine(built):
    assert b"stop_machine" not in built.module.read_bytes()


@pytest.mark.fault("I9")
def test_no_snapshot_under_load_is_torn(read):
    seen = read("torn-coalescope")
    assert seen["snapshots"] >= max(15_000, read("torn-mutant")["snapshots"])
    assert seen["torn"] == 0
    assert seen["frames"] > 1000
    assert seen["retries"] > 0, "nothing happened while it was read"
    assert seen["apart"] < seen["snapshots"] / 10, "too few were of one instant"
    assert seen["cpus"] == 2


def test_the_same_test_catches_a_module_without_its_sequence_counter(read):
    # How seldom one is depends on the machine beneath: read until ten were seen, or 300,000 read.
    assert read("torn-mutant")["torn"] > 0


def test_two_interfaces_and_two_readers_of_one(run, difference, read):
    first, second = sorted(run.text("interfaces").splitlines())  # any reader may be first
    assert first.startswith("e0 ") and " driver=e1000e readers=1 " in first
    assert second.startswith("e1 ") and " driver=igb readers=2 " in second
    assert difference("two-e0")["tx_packets"] == 1000
    assert_all_counted(difference("two-e1"), sent=1000)
    assert difference("two-e0")["rx_packets"] == difference("two-e1")["tx_packets"] == 0
    assert not (run.output / "unloaded-in-use").exists()
    queues = read("queues")
    for field in ("rx_packets", "rx_bytes", "rx_interrupts", "polls", "rx_polls", "poll_work"):
        total = sum(queues[f"{field}.{queue}"] for queue in range(queues["queue_count"]))
        assert total == queues[field]


def test_flows_are_counted_by_the_queues_that_the_card_spreads_them_over(run, read, difference):
    counted, after = difference("flows"), read("after-flows")
    queues = range(after["queue_count"])
    at_work = [queue for queue in queues if counted[f"rx_packets.{queue}"]]
    assert len(at_work) >= 2, run.text("lines")
    assert_all_counted(counted, sent=3200)
    assert sum(counted[f"rx_packets.{queue}"] for queue in queues) == counted["rx_packets"]
    for queue in at_work:
        frames = counted[f"rx_packets.{queue}"]
        assert counted[f"rx_bytes.{queue}"] == frames * 704
        assert 0 < counted[f"rx_interrupts.{queue}"] <= frames
        assert counted[f"poll_work.{queue}"] >= frames
    lines = {after[f"irq.{queue}"] for queue in at_work}
    assert len(lines) == len(at_work), "each queue has a line of its own"
    assert all(f"{line}:" in run.text("lines") for line in lines)


def test_threads_poll_on_another_cpu_than_the_interrupt(difference):
    counted = difference("thread")
    assert_all_counted(counted, sent=2000)
    assert counted["rx_bytes"] == counted["rx_packets"] * 704
    assert 0 < counted["rx_interrupts"] <= min(counted["interrupts"], counted["rx_packets"])


def test_cpus_come_and_go(read):
    seen = read("hotplug")
    assert seen["snapshots"] == 2000
    # a CPU may go and come back between two snapshots, which then cannot add up
    assert seen["torn"] == seen["cycles"] <= 6


def test_the_watch_follows_into_another_namespace_and_name(run, read, difference):
    line = next(line for line in run.text("interfaces-moved").splitlines() if "igb" in line)
    assert line.startswith(f"moved netns={run.text('inode').strip()} ")
    assert read("not-here") == {"error": "attach: ENODEV"}
    assert_all_counted(difference("moved"), sent=500)


def test_removal_under_traffic_and_a_busy_reader(run, read):
    assert read("gone") == {"error": "ENODEV", "read": 1, "attach": "ENODEV"}
    assert read("driver-gone") == {"error": "ENODEV", "read": 1, "attach": "ENODEV"}
    assert "e1" not in run.text("interfaces-gone").split()
    again = read("again")
    assert again["snapshots"] >= 500
    assert again["torn"] == 0
    assert again["frames"] > 0


def test_what_takes_the_place_of_a_busy_interface_inherits_nothing(read):
    quiet = read("quiet")
    counters = ("rx_packets", "interrupts", "polls", "irq_cycles", "softirq_cycles")
    assert {name: quiet[name] for name in counters} == dict.fromkeys(counters, 0)


def test_an_interface_that_receives_through_another_is_refused(read):
    assert read("upper") == {"error": "attach: EOPNOTSUPP"}


def test_unloads_and_the_kernel_has_nothing_to_say(run):
    assert run.text("end") == "done\n"
    assert run.kernel_trouble() == []
    log = run.kernel_log.split("coalescope: loading out-of-tree module")[1]
    assert "coalescope" not in log
