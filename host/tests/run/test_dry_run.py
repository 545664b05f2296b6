# SPDX-License-Identifier: Apache-2.0
"""A dry run finds what the run would find, says it first and briefly, and changes nothing."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from .conftest import BEFORE, Files
from .hosts_on_a_cable import TOOL

TWO_BY_TWO = "mtu_bytes = [1500, 9000]\nring_rx = [128, 501]"
PLAN = """
experiment = "dry"
interface = "{interface}"
duration_s = 1
[factors]
mtu_bytes = [1500]
[workloads.udp]
kind = "{kind}"
"""


@pytest.mark.fault("B7")
def test_the_verdict_comes_first_and_is_short(files: Files) -> None:
    files.plan(TWO_BY_TWO)
    done = files.sweep("--dry-run")
    assert done.returncode == 0, done.stderr
    first, *rest = done.stdout.splitlines()
    assert first.startswith("on-files can be done: 4 cells, 8 runs, about ")
    assert len(rest) <= 3
    assert files.settings == BEFORE
    assert sorted(path.name for path in files.folder.iterdir()) == ["plan.toml", "settings.json"]


@pytest.mark.fault("D5")
def test_all_shows_every_change_and_the_order(files: Files) -> None:
    files.plan(TWO_BY_TWO)
    done = files.sweep("--dry-run", "--all")
    assert done.returncode == 0, done.stderr
    assert "set mtu_bytes 9000" in done.stdout
    assert len(re.findall(r"^Plan [0-9a-f]{12}$", done.stdout, re.MULTILINE)) == 1
    assert [f"{order:7}  replicate" in done.stdout for order in range(1, 9)] == [True] * 8
    assert files.settings == BEFORE


def test_a_cell_that_cannot_be_done_is_said_once_with_its_count(files: Files) -> None:
    files.plan("mtu_bytes = [1500, 16000]\nring_rx = [128, 501]")
    done = files.sweep("--dry-run")
    assert done.returncode == 1
    assert done.stdout.startswith("on-files cannot be done: 4 cells, 8 runs")
    assert done.stdout.count("mtu_bytes = 16000 is beyond the device (2 of 4 cells)") == 1


def test_that_the_interface_is_missing_is_said_once(files: Files) -> None:
    files.plan(TWO_BY_TWO)
    (files.folder / "settings.json").unlink()
    done = files.sweep("--dry-run", "--all")
    assert done.returncode == 1
    assert done.stdout.count("there is no interface") == 1


def test_without_a_seed_the_order_is_another(files: Files) -> None:
    files.plan("mtu_bytes = [1500, 9000]")
    assert "In this order:" in files.sweep("--dry-run", "--all").stdout
    plan = files.folder / "plan.toml"
    plan.write_text(plan.read_text().replace("seed = 7\n", ""))
    done = files.sweep("--dry-run", "--all")
    assert "the sweep draws another, since the plan has no seed" in done.stdout
    assert "In this order:" not in done.stdout


def test_what_the_logger_would_refuse_is_found(files: Files) -> None:
    files.plan(TWO_BY_TWO, logger='{ options = ["--no-such-option"] }')
    done = files.sweep("--dry-run")
    assert done.returncode == 1
    assert "cannot be done: workload udp: the logger says: " in done.stdout


def test_a_delay_of_interrupts_that_are_not_there_is_found(files: Files) -> None:
    files.plan("delay_us = [0, 10]")
    done = files.sweep("--dry-run")
    assert done.returncode == 1
    assert "no interrupts of lo can be found, so nothing shows what delay_us did" in done.stdout


def dry(folder: Path, logger: Path, text: str, *before: str) -> subprocess.CompletedProcess[str]:
    """A dry run of the real command."""
    (folder / "plan.toml").write_text(text)
    return subprocess.run(
        [*before, *TOOL, "sweep", str(folder / "plan.toml"), "--dry-run"],
        env={**os.environ, "PATH": f"{logger.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.fault("A6")
def test_an_interface_that_the_sweep_refuses_and_a_missing_peer(
    tmp_path: Path, logger: Path
) -> None:
    done = dry(tmp_path, logger, PLAN.format(interface="lo", kind="udp-fan-in"))
    assert done.returncode == 1
    assert "lo is refused: lo is the loopback interface" in done.stdout
    assert "needs a peer: add [[peers]] to the plan" in done.stdout
    assert "can be done" not in done.stdout.splitlines()[0]


def test_what_holds_for_all_levels_of_a_factor_is_said_once(tmp_path: Path, logger: Path) -> None:
    plan = PLAN.format(interface="lo", kind="udp-fan-in")
    levels = "mtu_bytes = [1500, 3000]\ndelay_us = [0, 25, 50]"
    done = dry(tmp_path, logger, plan.replace("mtu_bytes = [1500]", levels))
    said = [line for line in done.stdout.splitlines() if "rx-usecs" in line]
    assert said == [
        "  cannot be done: lo: delay_us = 0, 25, 50: its driver has no rx-usecs (`ethtool -c`) "
        "(6 of 6 cells)"
    ]


@pytest.mark.fault("B7")
@pytest.mark.network
def test_without_root_it_says_what_can_be_read(tmp_path: Path, logger: Path) -> None:
    bare = ("setpriv", "--bounding-set=-all", "--inh-caps=-all")
    if os.geteuid():
        pytest.skip("this is without root anyway")
    done = dry(tmp_path, logger, PLAN.format(interface="lo", kind="udp-fan-in"), *bare)
    assert done.returncode == 1, done.stderr
    assert "lo is refused" in done.stdout
    assert "The sweep needs sudo." in done.stdout


@pytest.mark.fault("C8")
def test_programs_are_answered_with_what_people_read(files: Files) -> None:
    files.plan(TWO_BY_TWO)
    told = files.sweep("--dry-run", "--all", "-j")
    said = files.sweep("--dry-run", "--all").stdout.splitlines()
    answer = json.loads(told.stdout)
    assert (answer["command"], answer["status"], answer["error"]) == ("sweep", 0, None)
    assert answer["possible"]
    assert answer["verdict"] == said[: len(answer["verdict"])]
    assert len(answer["verdict"]) + len(answer["details"]) == len(said)


@pytest.mark.fault("C8")
def test_programs_are_answered_with_the_cells_of_a_sweep(files: Files) -> None:
    files.plan("mtu_bytes = [1500, 9000]")
    done = files.sweep("--replicates", "1", "-j")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert [cell["levels"]["mtu_bytes"] for cell in answer["cells"]] == [1500, 9000]
    assert all(cell["measures"]["throughput_mbps"]["mean"] > 0 for cell in answer["cells"])
    assert (answer["folder"], answer["page"]) == (str(files.folder / "out"), None)
