# SPDX-License-Identifier: Apache-2.0
"""The archive's logger on Debian's kernels for arm64, in an emulated machine of that processor.

Pings go from one card to the other; the log, the interface's counters and /proc/interrupts, both
read while nothing is sent, have to say the same.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from coalescope_host.run_log import check, read
from guest.architecture import ARM64
from guest.folders import alone
from guest.kernel import KERNELS, debian_kernel
from guest.machine import Guest

pytestmark = [pytest.mark.guest, pytest.mark.soak]

HERE = Path(__file__).parent
ROOT = HERE.parents[3]
PINGS, PING_BYTES = 200, 1000
HEADERS_BYTES, FCS_BYTES = 8 + 20 + 14, 4
COUNTERS = ("rx_packets", "rx_bytes", "tx_packets", "tx_bytes")
WITHOUT_FENTRY = ("6.1",)  # kernels for arm64 that refuse such programs


@pytest.fixture(scope="module")
def logger(tmp_path_factory):
    needed = ("clang", "bpftool", "aarch64-linux-gnu-gcc", "apt-get")
    if missing := [name for name in needed if shutil.which(name) is None]:
        pytest.skip(f"needs {', '.join(missing)}")
    folder = tmp_path_factory.mktemp("archive")
    environment = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    done = subprocess.run(
        ["make", "archive", f"WHEELS={folder}", "MACHINE=aarch64"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (archive,) = folder.glob("*.tar.xz")
    subprocess.run(["tar", "-xJf", archive, "-C", folder], check=True)
    (program,) = folder.glob("*/bin/coalescope-logger")
    return program


class Recorded:
    """A log, and what the kernel said before and after the traffic."""

    def __init__(self, folder):
        self.report = check(folder / "runlog")
        self.log = read(folder / "runlog")
        self._folder = folder

    def __call__(self, name):
        """How far a counter of the log advanced."""
        values = self.log.streams[0].column(name)
        return int(values[-1] - values[0])

    def counter(self, name):
        """How far a counter of the interface did."""
        before, after = (
            int(re.search(rf"^{name}:(\d+)$", self._said(when, "statistics"), re.MULTILINE)[1])
            for when in ("before", "after")
        )
        return after - before

    def lines(self):
        """How far the interface's lines of /proc/interrupts did, by number, and their labels."""
        found = {}
        for field in self.log.header["fields"]:
            if field["name"].startswith("interrupts."):
                line = rf"^ *{field['irq']}: +(\d+) .* {re.escape(field['label'])}$"
                before, after = (
                    int(re.search(line, self._said(when, "interrupts"), re.MULTILINE)[1])
                    for when in ("before", "after")
                )
                found[field["name"]] = after - before
        return found

    def receiving(self):
        """The names of the lines that serve receiving."""
        fields = self.log.header["fields"]
        return [
            field["name"]
            for field in fields
            if field["name"].startswith("interrupts.") and field["direction"] == "receive"
        ]

    def _said(self, when, what):
        return (self._folder / f"{when}.{what}").read_text()


@pytest.fixture(scope="module", params=KERNELS)
def booted(request, logger, tmp_path_factory):
    """Boot each kernel once: its version, and the log of each source."""
    with alone():
        kernel = debian_kernel(request.param, architecture=ARM64)
    guest = Guest(
        nics=("virtio-net-pci",) * 2,
        modules=("virtio_net",),
        files={"/logger": logger},
        kernel=kernel,
        command_line=f"PINGS={PINGS} PING_BYTES={PING_BYTES}",
    )
    script = (HERE / "arm64.sh").read_text()
    done = guest.run(script, tmp_path_factory.mktemp(f"arm64-{request.param}"))
    return request.param, {name: Recorded(done.output / name) for name in ("ebpf", "proc")}


@pytest.mark.parametrize("source", ["ebpf", "proc"])
def test_the_log_says_what_the_kernel_says(booted, source):
    version, logs = booted
    recorded = logs[source]
    assert recorded.report.complete
    environment = recorded.log.header["environment"]
    assert environment["architecture"] == "aarch64"
    assert environment["kernel_version"].startswith(f"{version}.")
    assert recorded.log.field("rx_packets").source == {"ebpf": "ebpf", "proc": "netlink"}[source]
    fcs = FCS_BYTES if source == "ebpf" else 0
    for name in COUNTERS:
        each = PING_BYTES + HEADERS_BYTES if name.endswith("bytes") else 1
        assert recorded.counter(name) == PINGS * each
        counted_beside = fcs * PINGS if name.endswith("bytes") else 0
        assert recorded(name) == recorded.counter(name) + counted_beside
    lines = recorded.lines()
    assert {name: recorded(name) for name in lines} == lines
    (receiving,) = recorded.receiving()
    assert PINGS / 4 <= lines[receiving] <= PINGS
    assert recorded("rx_line_interrupts") == lines[receiving]


def test_programs_see_each_frame_and_each_interrupt(booted):
    version, logs = booted
    recorded = logs["ebpf"]
    lines = recorded.lines()
    assert recorded("interrupts") == sum(lines.values())
    assert recorded("rx_skbs") == recorded("tx_skbs") == recorded("poll_work") == PINGS
    assert recorded("missed_events") == recorded("missed_switches") == 0
    assert recorded("rx_polls") <= recorded("polls")
    names = [field["name"] for field in recorded.log.header["fields"]]
    if version in WITHOUT_FENTRY:
        assert "rx_interrupts" not in names
        assert "schedules" not in names
    else:
        (receiving,) = recorded.receiving()
        assert recorded("rx_interrupts") == lines[receiving]
        assert recorded("schedules") <= recorded("interrupts")
