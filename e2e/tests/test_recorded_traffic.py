# SPDX-License-Identifier: Apache-2.0
"""Real traffic across two namespaces, from the logger to the surface, beside iperf3's report."""

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from .conftest import COALESCOPE, ROOT, Console, Server

pytestmark = [
    pytest.mark.browser,
    pytest.mark.network,
    pytest.mark.slow,
    pytest.mark.stores,
]

EXPERIMENT = "veth-iperf3"
MTUS = [1500, 3000, 4500, 6000, 9000]
REPLICATES = 2
TOLERANCE = 0.01


@dataclass(frozen=True)
class Recording:
    """The logs, and what iperf3 said of each: receive rate at the link [Mb/s]."""

    logs: list[Path]
    iperf_mbps: dict[str, float]


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    out = tmp_path_factory.mktemp("recording")
    command = [sys.executable, ROOT / "e2e/lab/record.py", out]
    recorder = subprocess.run(
        [*command, "--replicates", str(REPLICATES), "--seconds", "1", "--rate-mbps", "16"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert recorder.returncode == 0, recorder.stdout + recorder.stderr
    summary = json.loads((out / "summary.json").read_text())
    logs = sorted(out.glob("*.runlog"))
    assert len(logs) == len(MTUS) * 2 * REPLICATES
    return Recording(logs, {name: run["iperf_mbps"] for name, run in summary.items()})


@pytest.fixture(scope="module")
def halves(recording: Recording) -> tuple[list[Path], list[Path]]:
    """TCP goes through the page, UDP through the command line."""
    tcp = [log for log in recording.logs if "-tcp-" in log.name]
    return tcp, [log for log in recording.logs if log not in tcp]


def fetch(page: Page, path: str) -> dict[str, object]:
    answer = page.request.get(path)
    assert answer.ok, answer.text()
    body: dict[str, object] = answer.json()
    return body


def test_logs_go_through_the_page(
    page: Page, halves: tuple[list[Path], list[Path]], tmp_path: Path, console: Console
) -> None:
    """Many at once; one is damaged and refused with its place, the others go in."""
    console.expected.append("422")
    logs, _ = halves
    damaged = tmp_path / "damaged.runlog"
    octets = bytearray(logs[0].read_bytes())
    octets[len(octets) // 2] ^= 0x10
    damaged.write_bytes(octets)

    page.goto("/upload")
    page.locator("input[type=file]").first.set_input_files([*logs, damaged])
    total = f"{len(logs)} of {len(logs) + 1} files on disk"
    expect(page.get_by_text(total, exact=True)).to_be_visible()
    refused = page.get_by_role("listitem").filter(has_text="damaged.runlog")
    expect(refused).to_contain_text(re.compile("Refused: Block .* is damaged: its checksum"))
    expect(refused).to_contain_text(re.compile(r"byte\s*[\d\s]+ \(0x"))

    page.reload()
    page.locator("input[type=file]").first.set_input_files(logs)
    expect(page.get_by_text(re.compile("known")).first).to_be_visible()
    runs = fetch(page, f"/api/experiments/{EXPERIMENT}/runs")
    assert runs["total"] == len(logs)


def test_logs_go_through_the_command_line(
    server: Server, halves: tuple[list[Path], list[Path]]
) -> None:
    _, logs = halves
    command = [COALESCOPE, "upload", *logs, "--server", server.url, "--json"]
    for outcome in ("stored", "known"):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert [file["outcome"] for file in json.loads(done.stdout)] == [outcome] * len(logs)


def test_the_surface_is_what_iperf3_reports(page: Page, recording: Recording) -> None:
    """Within 1 % in each cell: iperf3's payload plus headers for each packet."""
    cells = fetch(page, f"/api/experiments/{EXPERIMENT}/cells")["cells"]
    assert isinstance(cells, list)
    assert len(cells) == len(MTUS) * 2
    for cell in cells:
        factors, measured = cell["factors"], cell["measures"]["throughput_mbps"]
        prefix = f"{EXPERIMENT}-{factors['workload']}-mtu{factors['mtu_bytes']}-r"
        reported = [rate for name, rate in recording.iperf_mbps.items() if name.startswith(prefix)]
        assert len(reported) == measured["n"] == REPLICATES
        expected = sum(reported) / len(reported)
        assert measured["mean"] == pytest.approx(expected, rel=TOLERANCE)
        assert measured["ci95"][0] < measured["mean"] < measured["ci95"][1]
        # the negative control: without the headers the two would not agree
        assert cell["measures"]["goodput_mbps"]["mean"] != pytest.approx(expected, rel=2e-3)


def test_the_page_shows_the_recording(page: Page) -> None:
    page.goto(f"/explorer/{EXPERIMENT}")
    rail = page.get_by_role("complementary", name="Data")
    expect(rail.get_by_text("measured", exact=True).first).to_be_visible()
    expect(page.get_by_role("radio", name=re.compile("^Throughput"))).to_be_enabled()
    table = page.get_by_role("table").first
    for mtu_bytes in MTUS:
        expect(table).to_contain_text(str(mtu_bytes))


def test_interrupts_read_not_available_there(page: Page) -> None:
    """A veth has no interrupt line: absent is not zero."""
    page.goto(f"/explorer/{EXPERIMENT}")
    radio = page.get_by_role("radio", name=re.compile("^Packets per interrupt"))
    expect(radio).to_be_disabled()
    expect(radio).to_have_accessible_name(re.compile("not available"))
    cells = fetch(page, f"/api/experiments/{EXPERIMENT}/cells")["cells"]
    assert isinstance(cells, list)
    for cell in cells:
        assert not {"rx_interrupts", "packets_per_interrupt"} & cell["measures"].keys()


def test_a_fit_without_interrupts_says_what_is_missing(server: Server) -> None:
    done = subprocess.run(
        [COALESCOPE, "fit", EXPERIMENT, "cpu-overhead", "--data", server.data],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "rx_interrupts" in done.stderr
    assert "Traceback" not in done.stderr
