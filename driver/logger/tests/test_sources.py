# SPDX-License-Identifier: Apache-2.0
"""Which source the logger takes, and what it says about those it does not take.

The kernel module as a source is tested where it is loaded, in a virtual machine:
driver/module/tests.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from coalescope.measures.run_log_measures import measure_run
from coalescope_host.run_log import read, window_counters
from timeouts import TIMEOUT_S

LOGGER = Path(__file__).resolve().parents[1]
WITHOUT_MODULE = pytest.mark.skipif(
    Path("/dev/coalescope").exists(), reason="the kernel module is loaded here"
)


def run(logger, *arguments):
    command = [logger, "-i", "lo", "-t", "10ms", "-d", "50ms", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.runlog"


@pytest.mark.fault("B16")
@WITHOUT_MODULE
def test_the_best_source_is_taken_and_why_is_said(logger, path):
    done = run(logger, "-o", path)
    assert done.returncode == 0, done.stderr
    environment = read(path).header["environment"]
    taken, refused = environment["counter_source"], environment["counter_sources_refused"]
    assert f"counters come from {taken}\n" in done.stderr
    assert refused["module"].startswith("the kernel module is not loaded: modprobe coalescope")
    assert "docs/kernel-module.md" in refused["module"]
    assert list(refused) == ["module", "ebpf"][: len(refused)]
    assert taken == ("proc" if "ebpf" in refused else "ebpf")
    for name, reason in refused.items():
        assert f"not from {name}: {reason}\n" in done.stderr


@WITHOUT_MODULE
def test_a_source_that_was_asked_for_and_is_not_there_is_an_error(logger, path):
    done = run(logger, "-o", path, "--source", "module")
    assert done.returncode == 1
    assert "--source module: the kernel module is not loaded: modprobe coalescope" in done.stderr
    assert not path.exists()


def test_proc_is_there_for_everybody_and_refuses_nothing(logger, path):
    done = run(logger, "-o", path, "--source", "proc")
    assert done.returncode == 0, done.stderr
    log = read(path)
    environment = log.header["environment"]
    assert environment["counter_source"] == "proc"
    assert "counter_sources_refused" not in environment
    sources = [source["name"] for source in log.header["sources"]]
    assert sources[:3] == ["clock", "netlink", "proc_stat"]
    assert not {"module", "ebpf"} & set(sources)
    assert [field.name for field in log.streams[0].fields[:2]] == [
        "t_monotonic_ns",
        "t_realtime_ns",
    ]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_without_permission_the_counters_come_from_proc(logger, tmp_path):
    program, folder = tmp_path / "logger", tmp_path / "logs"
    shutil.copy(logger, program)
    folder.mkdir()
    folder.chmod(0o777)
    for above in [tmp_path, *tmp_path.parents]:
        if not above.stat().st_mode & 0o001:
            above.chmod(above.stat().st_mode | 0o011)
    command = [program, "-i", "lo", "-t", "10ms", "-d", "50ms", "-o", folder / "a.runlog"]
    done = subprocess.run(
        command,
        user="nobody",
        group="nogroup",
        extra_groups=[],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "counters come from proc" in done.stderr
    assert read(folder / "a.runlog").header["environment"]["counter_source"] == "proc"


def test_an_interface_without_interrupts_is_said_once(logger, path):
    done = run(logger, "-o", path, "--source", "proc")
    assert done.stderr.count("no interrupts of lo") == 1
    assert read(path).field("rx_interrupts") is None


def lines_of(name):
    """Number → count of the lines of the interface's device, as the kernel's table has them."""
    folder = Path(f"/sys/class/net/{name}/device").resolve()
    listed = [folder / "msi_irqs", folder.parent / "msi_irqs"]
    numbers = {entry.name for path in listed if path.is_dir() for entry in path.iterdir()}
    table = [line.split() for line in Path("/proc/interrupts").read_text().splitlines()]
    cpus = len(table[0])
    counts = {words[0].rstrip(":"): words[1 : cpus + 1] for words in table[1:]}
    return {n: sum(map(int, counts[n])) for n in numbers if n in counts}


def test_interrupt_lines_count_as_the_kernels_table_does(logger, path):
    devices = [entry.parent.name for entry in Path("/sys/class/net").glob("*/device")]
    with_lines = [name for name in devices if lines_of(name)]
    if not with_lines:
        pytest.skip("no interface with message-signalled interrupts here")
    name = with_lines[0]
    before = lines_of(name)
    done = run(logger, "-i", name, "-o", path, "--source", "proc")
    after = lines_of(name)
    assert done.returncode == 0, done.stderr
    log = read(path)
    fields = {f.name.partition(".")[2]: f.name for f in log.streams[0].fields if ".q" not in f.name}
    numbers = set(fields) - {""}
    assert numbers == set(before)
    for number in numbers:
        column = log.streams[0].column(fields[number])
        assert 0 <= column[-1] - column[0] <= after[number] - before[number]
    assert "no interrupts of" not in done.stderr


def test_without_the_tools_for_ebpf_build_and_logs_name_the_packages(tmp_path, path):
    build = ("make", "-s", "-C", LOGGER, f"BUILD={tmp_path}", "CLANG=/none", "BPFTOOL=/none")
    made = subprocess.run(build, capture_output=True, text=True, check=True)
    assert "without eBPF" in made.stdout
    assert "sudo apt-get install clang bpftool && make logger" in made.stdout
    done = run(tmp_path / "coalescope-logger", "-o", path)
    environment = read(path).header["environment"]
    assert environment["ebpf_missing"] == "clang bpftool"
    assert "clang bpftool" in environment["counter_sources_refused"]["ebpf"]
    assert "built without eBPF, for want of clang bpftool" in done.stderr


def test_with_ebpf_nothing_is_said_to_be_missing(logger, path):
    run(logger, "-o", path)
    assert "ebpf_missing" not in read(path).header["environment"]


@pytest.fixture
def machine_of_lines(logger, tmp_path):
    """Records `lo` where the kernel's tables of interrupts are others: label, counts of each line.

    `advanced`: what is added to each count of /proc/stat while it is recorded. Nobody else uses
    this `lo`: the window would be where their traffic is.
    """
    if os.geteuid() != 0:
        pytest.skip("only root can show a program other files in /proc and /sys")

    def put(name, text):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(text)
        return path

    def stat(added):
        cpu, rest = Path("/proc/stat").read_text().split("\n", 1)
        others = [line for line in rest.splitlines() if not line.startswith("intr ")]
        counts = [0] * 48 + [7_000_000_000 % 2**32 + 10 * n + added for n in range(16)]
        return "\n".join([cpu, f"intr {sum(counts)} {' '.join(map(str, counts))}", *others, ""])

    def record(lines, advanced=0, change=None, window=()):
        cpus = max(len(counts) for _, counts in lines)
        table = [" " * 11 + "".join(f"CPU{cpu:<8}" for cpu in range(cpus))]
        for number, (label, counts) in enumerate(lines, 50):
            of_cpus = " ".join(f"{count:10}" for count in counts)
            table.append(f" {number}: {of_cpus}  PCI-MSIX-0000:00:05.0   0-edge      {label}")
            shown = ",".join(map(str, counts)) + "\n"
            put(f"irq/{number}/per_cpu_count", shown[:4095])  # as the kernel cuts it
        put("interrupts", "\n".join([*table, ""]))
        put("stat", stat(0))
        put("later", stat(advanced))
        shown = {"irq": "/sys/kernel/irq", "interrupts": "/proc/interrupts", "stat": "/proc/stat"}
        mounts = " && ".join(f"mount --bind {tmp_path / a} {b}" for a, b in shown.items())
        log = tmp_path / "lines.runlog"
        copy = ("dd", f"if={tmp_path / 'later'}", f"of={tmp_path / 'stat'}", "conv=notrunc")
        change = change or copy
        options = ("-i", "lo", "-t", "10ms", "-o", log, "--source", "proc", *window, "--", *change)
        inside = ("sh", "-c", f'{mounts} && exec "$0" "$@"', logger, *map(str, options))
        done = subprocess.run(
            ["unshare", "--mount", "--net", *inside], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return read(log)

    return record


def test_a_line_for_both_directions_is_known_by_its_label(machine_of_lines):
    labels = {
        "lo-Tx-Rx-0": "both",
        "lo-TxRx-1": "both",
        "lo-rx-0": "receive",
        "lo-tx-0": "transmit",
        "lo-input.0": "receive",
        "virtio_tx@lo-rx-2": "receive",
        "lo-mgmnt": "both",
        "lo-event": "other",
    }
    log = machine_of_lines([(label, [number]) for number, label in enumerate(labels)])
    fields = [log.field(f"interrupts.{number}") for number in range(50, 50 + len(labels))]
    found = {field.attributes["label"]: field.attributes["direction"] for field in fields}
    assert found == labels


def test_the_sum_of_lines_is_not_called_receive_interrupts(machine_of_lines):
    log = machine_of_lines([("lo-rx-0", [3]), ("lo-tx-0", [4])])
    assert log.field("rx_interrupts") is None
    assert log.field("tx_interrupts") is None
    assert log.field("rx_line_interrupts").attributes["direction"] == "receive"
    assert log.field("tx_line_interrupts").attributes["direction"] == "transmit"


def test_lines_that_serve_receiving_are_read_with_frames(machine_of_lines):
    """The others are read only as seldom as what surrounds the interface."""
    log = machine_of_lines([("lo-rx-0", [3]), ("lo-tx-0", [4]), ("lo-1", [5]), ("lo-event", [6])])
    lines = {f.name: f for f in log.streams[0].fields if "interrupts" in f.name}
    assert {field.read_every_ns for field in lines.values()} == {5_000_000_000}
    with_frames = {name for name, field in lines.items() if field.read_with_frames}
    assert with_frames == {"rx_line_interrupts", "interrupts.50", "interrupts.52"}
    assert with_frames <= set(window_counters(log))


# Interrupts with frames, and others without: each count stands before the frames that follow it.
COUNTED = """
import pathlib, socket, subprocess, sys, time
line = pathlib.Path(sys.argv[1])
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
def count(to, frames):
    time.sleep(0.1)
    with line.open("r+") as file: file.write(f"{to}\\n")
    if frames: out.sendto(b"x", ("127.0.0.1", 9))
for at in ((20, False), (30, True), (45, False), (61, True), (62, True), (70, False)): count(*at)
time.sleep(0.1)
"""


def test_interrupts_are_in_the_record_of_their_frames_others_at_most_five_seconds_later(
    machine_of_lines, tmp_path
):
    """A line that is not read for a record stands still; the last one has all."""
    change = (sys.executable, "-c", COUNTED, tmp_path / "irq/50/per_cpu_count")
    stream = machine_of_lines(
        [("lo-rx-0", [10])], change=change, window=("--start", "now")
    ).streams[0]
    packets, line = stream.column("rx_packets"), stream.column("rx_line_interrupts")
    moved = [k for k in range(1, len(packets)) if packets[k] > packets[k - 1]]
    assert [line[k] - line[0] for k in moved] == [20, 51, 52]
    stepped = [k for k in range(1, len(line)) if line[k] > line[k - 1]]
    assert stepped == [*moved, len(line) - 1]
    assert line[-1] - line[0] == 60


def test_lines_are_counted_where_the_cpus_fill_more_than_a_page(machine_of_lines):
    """The kernel cuts a file of /sys at a page: with 600 CPUs and large counts, say."""
    counts = [4_000_000_000] * 600
    log = machine_of_lines([("lo-rx-0", counts), ("lo-rx-1", counts)], advanced=12)
    for name, advanced in (("interrupts.50", 12), ("interrupts.51", 12)):
        column = log.streams[0].column(name)
        assert column[-1] - column[0] == advanced
    column = log.streams[0].column("rx_line_interrupts")
    assert column[-1] - column[0] == 24


def test_lines_of_a_table_with_hundreds_of_cpus_are_counted(machine_of_lines, tmp_path):
    """A line is longer than a page there, and its label stands at the end."""
    lines = [(f"lo-Tx-Rx-{n}", [1000 * n] * 511 + [7]) for n in range(14)]
    (tmp_path / "next").write_text(",".join(["13001"] * 511 + ["9"]) + "\n")
    counts = tmp_path / "irq/63/per_cpu_count"
    advance = ("dd", f"if={tmp_path / 'next'}", f"of={counts}", "conv=notrunc")
    log = machine_of_lines(lines, change=advance)
    field = log.field("interrupts.63")
    assert (field.attributes["label"], field.attributes["direction"]) == ("lo-Tx-Rx-13", "both")
    assert log.field("rx_line_interrupts").attributes["direction"] == "both"
    for name in ("interrupts.63", "rx_line_interrupts"):
        column = log.streams[0].column(name)
        assert column[-1] - column[0] == 511 + 2


def test_of_a_line_that_vanishes_nothing_is_known(machine_of_lines, tmp_path):
    """As when the driver asks for its interrupts anew: that is no line that is idle."""
    vanish = ("sh", "-c", f"sleep 0.1; : > {tmp_path / 'irq/50/per_cpu_count'}; sleep 0.1")
    log = machine_of_lines([("lo-rx-0", [3]), ("lo-tx-0", [4])], change=vanish)
    counters = window_counters(log)
    assert not {"interrupts.50", "rx_line_interrupts"} & counters.keys()
    assert counters["interrupts.51"] == 0
    values = measure_run(log)
    assert "rx_line_interrupts" not in values.values
    assert "counter_reset" in [warning.code for warning in values.warnings]


def test_no_name_is_there_twice(logger, path):
    run(logger, "-o", path)
    names = [field.name for field in read(path).streams[0].fields]
    assert len(names) == len(set(names))
    assert names[0] == "t_monotonic_ns"
