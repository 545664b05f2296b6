# SPDX-License-Identifier: Apache-2.0
"""Module and eBPF on Debian's kernels count the same on emulated cards, begun also under traffic.

Both record the same frames at once. They are read at different moments, 20 ms apart at most, so
what each counted from one moment to another is known from the records around those two. While the
card is quiet, all records around a moment say the same, and the two have to agree exactly; under
traffic, to within the frames that came between the records around the first moment.
"""

import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from coalescope_host.run_log import probe_cpu_s, read
from guest.folders import alone
from guest.kernel import debian_kernel
from guest.machine import Guest
from guest.programs import SNAPSHOT_MODULE, build_programs, miscounting_logger
from guest.versions import VERSIONS

pytestmark = pytest.mark.guest

HERE = Path(__file__).parent
LOGGER = HERE.parents[1]
FRAMES, FRAME_BYTES = 600, 1000 + 8 + 20 + 14 + 4
#: The last one's interrupt line can be shared, the others have lines of their own.
DRIVERS = {
    "e1000e": "e1000e",
    "igb": "igb",
    "virtio_net": "virtio-net-pci,mq=on",
    "vmxnet3": "vmxnet3",
    "e1000": "e1000",
}
FAR = {"virtio_net": "virtio-net-pci"}
BEGINNINGS = ("silence", "traffic")
SOURCES = ("module", "ebpf")
MUTANT_ON = "e1000e"
COMPARED = (
    *("rx_packets", "rx_bytes", "tx_packets", "tx_bytes"),
    *("interrupts", "rx_interrupts", "schedules", "polls", "rx_polls", "poll_work"),
)
SELF_MADE = ("interrupts", "schedules", "polls")


def script():
    """First come all the near cards, then all the far ones: an igb needs room for its functions."""
    settings = f"FRAMES={FRAMES} MUTANT_ON={MUTANT_ON}\n. /cards.sh\n"
    return settings + "".join(
        f"record {driver} {4 + k:02x} {4 + len(DRIVERS) + k:02x}\n"
        for k, driver in enumerate(DRIVERS)
    )


@pytest.fixture(
    scope="module",
    params=VERSIONS,
)
def logs(request, tmp_path_factory):
    """Boot each kernel once; where its logs are."""
    would = ["make", "-n", "-C", str(LOGGER), "LDFLAGS=-static"]
    said = subprocess.run(would, capture_output=True, text=True, check=True).stdout
    assert "without eBPF" not in said, "sh e2e/require-tools.sh installs what is missing"
    with alone():
        kernel = debian_kernel(request.param)
        programs = build_programs(kernel)
        mutant = miscounting_logger()
    guest = Guest(
        nics=(*DRIVERS.values(), *(FAR.get(name, card) for name, card in DRIVERS.items())),
        modules=tuple(DRIVERS),
        files={
            "/logger": programs["/usr/local/bin/coalescope-logger"],
            "/mutant": mutant,
            SNAPSHOT_MODULE: programs[SNAPSHOT_MODULE],
            "/cards.sh": HERE / "cards.sh",
            "/traffic.py": HERE / "traffic.py",
        },
        kernel=kernel,
    )
    done = guest.run(script(), tmp_path_factory.mktemp("cards"), timeout_s=900)
    return done.output


class Counted:
    """A log of one source: how far its counters advanced."""

    def __init__(self, path, driver):
        self.log = read(path)
        assert self.log.header["environment"]["driver"] == driver
        self.times = [int(t) for t in self.log.streams[0].column("t_monotonic_ns")]

    def __call__(self, name):
        """From the first record to the last."""
        values = self.log.streams[0].column(name)
        return int(values[-1] - values[0])

    def between(self, name, start_ns, end_ns):
        """From one moment to another: at least, at most."""
        values = [int(value) for value in self.log.streams[0].column(name)]
        (least_start, most_start), (least_end, most_end) = (
            self._around(values, moment) for moment in (start_ns, end_ns)
        )
        return least_end - most_start, most_end - least_start

    def _around(self, values, moment):
        for (before, value), (after, next_value) in pairwise(zip(self.times, values, strict=True)):
            if before <= moment < after:
                return value, next_value
        raise AssertionError(f"nothing was recorded at {moment}")

    @property
    def of_lines(self):
        return sum(self(name) for name in self._named("interrupts."))

    @property
    def queues_at_work(self):
        return [name for name in self._named("rx_packets.q") if self(name)]

    def _named(self, start):
        fields = [field["name"] for field in self.log.header["fields"]]
        return [name for name in fields if name.startswith(start)]


@pytest.fixture
def pair(logs):
    """The logs of both sources, and when the card was quiet before and after the bursts."""

    def of(driver, name):
        sources = [Counted(logs / f"{name}.{source}.runlog", driver) for source in SOURCES]
        return *sources, *map(int, (logs / f"{name}.quiet").read_text().split())

    return of


def disagreements(module, programs, start_ns, end_ns):
    """Counters → what either source counted, where that cannot be the same."""
    found = {}
    for name in COMPARED:
        one, other = (log.between(name, start_ns, end_ns) for log in (module, programs))
        if one[0] > other[1] or other[0] > one[1]:
            found[name] = (one, other)
    return found


@pytest.mark.fault("F1")
@pytest.mark.parametrize("begun", BEGINNINGS)
@pytest.mark.parametrize("driver", DRIVERS)
def test_module_and_programs_agree(pair, driver, begun):
    module, programs, quiet_ns, end_ns = pair(driver, f"{driver}-{begun}")
    assert disagreements(module, programs, quiet_ns, end_ns) == {}
    for log in (module, programs):
        assert log.between("rx_packets", quiet_ns, end_ns) == (FRAMES, FRAMES)
        assert log.between("rx_bytes", quiet_ns, end_ns) == (FRAMES * FRAME_BYTES,) * 2
    recording_ns = sum(programs.times[:2]) // 2  # both are, under traffic if it began so
    assert disagreements(module, programs, recording_ns, end_ns) == {}
    whole = programs("rx_packets")
    assert whole == FRAMES if begun == "silence" else whole > FRAMES + 100


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("driver", DRIVERS)
def test_agreement_is_exact_over_the_bursts(pair, driver, source):
    """Else the test above would let pass what it should not.

    What receives nothing may come between two records: e1000, e1000e and igb interrupt themselves
    every two seconds, igb up to eight times.
    """
    *logs, quiet_ns, end_ns = pair(driver, f"{driver}-traffic")
    log = dict(zip(SOURCES, logs, strict=True))[source]
    for name in COMPARED:
        least, most = log.between(name, quiet_ns, end_ns)
        assert most - least <= (8 if name in SELF_MADE else 0), name


def test_programs_that_count_an_interrupt_twice_do_not_agree(pair):
    module, programs, quiet_ns, end_ns = pair(MUTANT_ON, "mutant")
    assert list(disagreements(module, programs, quiet_ns, end_ns)) == ["rx_interrupts"]


def test_both_queues_of_a_card_that_has_several_received(pair):
    module, *_ = pair("virtio_net", "virtio_net-traffic")
    by_queue = [module(f"rx_packets.q{queue}") for queue in range(2)]
    assert all(by_queue)
    assert sum(by_queue) == module("rx_packets")


@pytest.mark.fault("F4")
@pytest.mark.parametrize("driver", DRIVERS)
def test_frames_and_interrupts_of_a_card(pair, driver):
    _, counted, *_ = pair(driver, f"{driver}-silence")
    assert counted.log.field("rx_packets").source == "ebpf"
    assert (counted("rx_packets"), counted("rx_bytes")) == (FRAMES, FRAMES * FRAME_BYTES)
    assert (counted("tx_packets"), counted("tx_bytes")) == (0, 0)
    assert counted("rx_skbs") == counted("driver_rx_packets") == FRAMES
    assert counted("missed_events") == 0
    assert counted("interrupts") == counted.of_lines
    assert FRAMES / 4 <= counted("rx_interrupts") <= FRAMES  # bursts of three
    assert counted("rx_interrupts") <= counted("interrupts")
    assert counted("rx_polls") <= counted("polls")
    assert counted("poll_work") == FRAMES
    assert counted("irq_ns") > 0
    assert counted("softirq_ns") > counted("irq_ns")
    assert counted("unknown_ns") == 0


#: At least and at most, of any part, in instructions, which take 8 ns each here.
INSTRUCTIONS = {"module": (10, 1000), "ebpf": (100, 2000)}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("driver", DRIVERS)
def test_what_counting_costs_is_measured_and_recorded(pair, driver, source):
    *logs, _, _ = pair(driver, f"{driver}-silence")
    log = dict(zip(SOURCES, logs, strict=True))[source]
    cost = log.log.header["environment"]["probe_cost"]
    least, most = INSTRUCTIONS[source]
    assert cost.keys() == {"irq_ns", "poll_ns", "frame_ns"}
    assert all(least <= ns / 8 <= most for ns in cost.values()), cost
    assert cost["frame_ns"] < cost["poll_ns"]


@pytest.mark.parametrize("driver", DRIVERS)
def test_probes_are_part_of_the_interfaces_time(pair, driver):
    _, counted, *_ = pair(driver, f"{driver}-silence")
    cost = counted.log.header["environment"]["probe_cost"]
    names = ("interrupts", "polls", "rx_skbs", "tx_skbs")
    probes_s = probe_cpu_s({name: counted(name) for name in names}, cost)
    assert 0 < probes_s < (counted("irq_ns") + counted("softirq_ns")) / 1e9


@pytest.mark.fault("F1")
@pytest.mark.parametrize("driver", DRIVERS)
def test_receive_interrupts_are_right_when_recording_begins_under_traffic(pair, driver):
    """Each poll that finds frames has its interrupt; there may be others that met it.

    In each queue a poll may be under way when recording begins, whose interrupt was before. An
    interrupt for which the poll that it met has no frame makes NAPI poll again, without one.
    """
    module, counted, *_ = pair(driver, f"{driver}-traffic")
    queues = max(1, len(module.queues_at_work))
    met = counted("interrupts") - counted("schedules")
    assert abs(counted("rx_interrupts") - counted("rx_polls")) <= met + queues
    assert counted("driver_rx_packets") == pytest.approx(counted("rx_packets"), abs=2)
