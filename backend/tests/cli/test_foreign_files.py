# SPDX-License-Identifier: Apache-2.0
"""import and check of files that other tools wrote."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CORPUS = Path(__file__).parents[1] / "foreign" / "corpus"
CLIENT = "iperf3/joined-client.json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("joined-client.json", "joined-server.json"):
        place = tmp_path / "results" / "mtu_bytes=1500"
        place.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes((CORPUS / "iperf3" / name).read_bytes())
    (tmp_path / "results" / "ethtool.txt").write_bytes(
        (CORPUS / "ethtool" / "6.1-c.txt").read_bytes()
    )
    (tmp_path / "results" / "sar.json").write_bytes(
        (CORPUS / "sysstat" / "12.6.1-sadf-all.json").read_bytes()
    )
    (tmp_path / "results" / "notes.txt").write_text("cable 3")
    return tmp_path / "results"


def test_the_command_line_joins_a_folder(run: Callable[..., Any], folder: Path) -> None:
    done = run("import", folder, "--experiment", "lab", "--json")
    assert done.returncode == 0, done.stderr
    (outcome,) = json.loads(done.stdout)
    (stored,) = outcome["receipt"]["runs"]
    assert stored["factors"] == {"mtu_bytes": 1500, "delay_us": 0, "workload": "tcp", "streams": 1}
    assert run("verify", "--deep").returncode == 0


def test_the_command_line_asks_with_the_option_to_type(run: Callable[..., Any]) -> None:
    done = run("import", CORPUS / CLIENT)
    assert done.returncode == 1
    assert "--set mtu_bytes=1500" in done.stderr
    assert "--set delay_us=0" in done.stderr


def test_set_without_such_a_file_is_refused(run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("mtu_bytes,replicate,throughput_mbps\n1500,1,941\n")
    done = run("import", tmp_path / "a.csv", "--set", "mtu_bytes=9000")
    assert done.returncode == 1
    assert "none of these is one" in done.stderr


def test_check_shows_what_a_file_says(run: Callable[..., Any]) -> None:
    done = run("check", CORPUS / CLIENT, CORPUS / "iperf3" / "3.12-refused.json")
    assert done.returncode == 1
    assert "goodput_mbps 8325.9 Mb/s (end.sum_received.bits_per_second)" in done.stdout
    assert "unable to connect to server" in done.stderr


def sampled(idle: list[float]) -> str:
    load = {"usr": 0.0, "nice": 0.0, "sys": 5.0, "iowait": 0.0, "irq": 0.0, "soft": 1.0}
    samples = [
        {"timestamp": f"10:00:0{n}", "cpu-load": [{"cpu": "all", **load, "idle": one}]}
        for n, one in enumerate(idle)
    ]
    host = {"nodename": "lab", "number-of-cpus": 2, "date": "2026-11-25", "statistics": samples}
    return json.dumps({"sysstat": {"hosts": [host]}})


def test_check_counts_runs_and_says_what_else_a_file_is(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "mpstat.json").write_text(sampled([90.0, 94.0, 92.5]))
    totals = CORPUS / "ethtool" / "6.1-S.txt"
    done = run("check", CORPUS / CLIENT, tmp_path / "mpstat.json", totals)
    assert done.returncode == 0, done.stderr
    assert "A file of iperf3, 1 run.\n" in done.stdout
    assert "A file of mpstat: of no run, but of what the host was or did meanwhile." in done.stdout
    assert done.stdout.count("idle_cpu_percent") == 1
    assert "idle_cpu_percent 90 to 94 %, 3 samples" in done.stdout
    assert "a run needs two such files, from before and after it" in done.stdout


def test_files_that_are_sent_together_are_called_by_their_names(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "mpstat.json").write_text(sampled([90.0, 94.0]))
    done = run("import", CORPUS / CLIENT, tmp_path / "mpstat.json")
    assert done.returncode == 1
    assert f"refused {CORPUS / CLIENT}, {tmp_path / 'mpstat.json'}: " in done.stderr


def test_a_measure_that_is_set_is_not_taken_for_an_unknown_factor(run: Callable[..., Any]) -> None:
    done = run("import", CORPUS / CLIENT, "--set", "elapsed_s=3")
    assert done.returncode == 1
    assert "'elapsed_s' is a measure, not a factor" in done.stderr
    assert "Did you mean" not in done.stderr
