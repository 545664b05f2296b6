# SPDX-License-Identifier: Apache-2.0
"""The logger with the real kernel module, in a virtual machine."""

from pathlib import Path

import pytest
from coalescope_host.run_log import check, read
from guest.folders import alone
from guest.kernel import debian_kernel
from guest.machine import Guest
from guest.programs import SNAPSHOT_MODULE, build_programs
from guest.versions import VERSIONS

HERE = Path(__file__).parent
GOLDEN = HERE.parents[1] / "testdata" / "module.runlog"
FRAMES, FRAME_BYTES = 200, 1000 + 8 + 20 + 14 + 4

pytestmark = pytest.mark.guest

SEND = f"""
import socket, time
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
time.sleep(0.2)
for _ in range({FRAMES}):
    out.sendto(b"x" * 1000, ("10.9.0.2", 9)); time.sleep(0.005)
time.sleep(0.2)
"""


@pytest.fixture(
    scope="module",
    params=VERSIONS,
)
def run(request, tmp_path_factory):
    """Boot each kernel once; the tests look at what it left."""
    with alone():
        kernel = debian_kernel(request.param)
        programs = build_programs(kernel)
    wanted = (SNAPSHOT_MODULE, "/usr/local/bin/coalescope-logger")
    guest = Guest(
        nics=("e1000e", "e1000e"),
        modules=("e1000e",),
        on_board=("veth",),
        files={path: programs[path] for path in wanted} | {"/send.py": SEND},
        command_line="ipv6.disable=1",
        kernel=kernel,
    )
    script = (HERE / "guest.sh").read_text()
    return guest.run(script, tmp_path_factory.mktemp("logger"), timeout_s=900)


def counted(log, name):
    column = log.streams[0].column(name)
    return column[-1] - column[0]


def test_every_frame_and_byte_is_in_the_log(run):
    log = read(run.output / "counted.runlog")
    assert counted(log, "rx_packets") == FRAMES
    assert counted(log, "rx_bytes") == FRAMES * FRAME_BYTES
    assert log.field("rx_bytes").bytes_include == ("link_header", "fcs")
    assert 0 < counted(log, "rx_interrupts") <= FRAMES
    assert counted(log, "rx_interrupts") <= counted(log, "interrupts")
    assert check(run.output / "counted.runlog").ok


def test_a_queue_that_is_at_work_at_the_start_has_its_own_counters(run):
    log = read(run.output / "queues.runlog")
    assert counted(log, "rx_packets.q0") == counted(log, "rx_packets") > 0
    assert log.field("rx_packets.q0").attributes["queue"] == 0
    assert read(run.output / "counted.runlog").field("rx_packets.q0") is None


def test_every_cycle_has_one_owner(run):
    log = read(run.output / "counted.runlog")
    owners = ("idle", "task", "other_task", "irq", "softirq", "other_irq")
    cycles = sum(counted(log, f"{owner}_cycles") for owner in owners)
    assert cycles == pytest.approx(counted(log, "t_tsc"), rel=1e-6)


def test_the_lines_of_the_card_are_a_cross_check(run):
    log = read(run.output / "counted.runlog")
    lines = [f.name for f in log.streams[0].fields if f.name.startswith("interrupts.")]
    assert lines
    within = counted(log, "interrupts")
    assert sum(counted(log, line) for line in lines) == pytest.approx(within, abs=2)


@pytest.mark.fault("I6")
def test_interrupts_are_absent_where_they_cannot_be_seen_and_0_where_there_were_none(run):
    """A virtual interface has no line; a quiet card has one, and no interrupt yet."""
    of_interrupts = ("interrupts", "rx_interrupts", "schedules", "irq_cycles")
    virtual, quiet = (read(run.output / f"{name}.runlog") for name in ("virtual", "quiet"))
    assert virtual.field("rx_packets").source == "module"
    assert [name for name in of_interrupts if virtual.field(name)] == []
    assert all(quiet.field(name) for name in of_interrupts)
    assert counted(quiet, "rx_interrupts") == 0


def test_the_fields_of_the_golden_log_are_still_there(run):
    log, golden = read(run.output / "counted.runlog"), read(GOLDEN)

    def described(of):
        return {
            field.name: (field.unit, field.kind, field.source, field.bytes_include)
            for field in of.streams[0].fields
            if not field.name.startswith(("interrupts.", "driver_")) and ".q" not in field.name
        }

    assert described(log).items() >= described(golden).items()
    atomic = {source["name"]: source["atomic"] for source in log.header["sources"]}
    earlier = {source["name"]: source["atomic"] for source in golden.header["sources"]}
    assert atomic.items() >= earlier.items()


def test_the_header_says_where_it_was_made(run):
    log = read(run.output / "counted.runlog")
    environment = log.header["environment"]
    assert environment["counter_source"] == "module"
    assert environment["module_version"]
    assert environment["virtual_machine"]["hypervisor"] == "qemu-tcg"
    assert environment["virtual_machine"]["icount_shift"] == 3
    assert log.time_dilation == 12.5
    names = [result.name for result in log.results]
    assert names == ["ethtool_statistics_start", "ethtool_statistics_end", "workload"]
    start, end = (result.json()["rx_packets"] for result in log.results[:2])
    assert end - start == FRAMES


def test_auto_takes_the_module_and_says_so(run):
    first, *_, status = run.text("best.said").splitlines()
    assert (first, status) == ("coalescope-logger: counters come from module", "0")
    environment = read(run.output / "best.runlog").header["environment"]
    assert "counter_sources_refused" not in environment
    proc = read(run.output / "proc.runlog")
    assert proc.field("rx_packets").source == "netlink"


def test_without_the_module_or_the_permission_it_says_what_to_do(run):
    assert "the kernel module is not loaded: modprobe coalescope" in run.text("without-module.said")
    assert "run as root" in run.text("nobody.said")


def test_a_card_that_is_removed_ends_the_log_properly(run):
    assert "e1 can no longer be observed: module: No such device" in run.text("removed.said")
    log = read(run.output / "removed.runlog")
    assert log.complete
    assert log.footer["ended"] == "source lost"
    assert log.records > 5


def test_a_snapshot_costs_few_instructions(run):
    """8 ns each in this guest: 100 µs of a processor of 10⁹ instructions a second is 100,000."""
    before, after = (int(run.text(f"cost-{when}").split()[0]) for when in ("before", "after"))
    assert (after - before) / 8 / 20 < 100_000
