# SPDX-License-Identifier: Apache-2.0
"""Exports for ad hoc questions, asked with DuckDB as docs/scaling.md shows it."""

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from coalescope.cli import main

ROWS = """mtu_bytes,delay_us,workload,replicate,throughput_mbps,drops
1500,0,tcp,1,900,0
1500,0,tcp,2,910.5,1
9000,40,tcp,1,980,
"""
MEANS = "mtu_bytes,factor.card,n,throughput_mbps,throughput_mbps_sd\n1500,82540,10,950,4.5\n"
DOCUMENTED = Path(__file__).parents[3] / "docs/scaling.md"


@pytest.fixture
def exported(
    client: Any, tmp_path: Path, stack: Any, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Path]:
    client.upload(ROWS.encode(), "a.csv", experiment="lab")
    client.upload(MEANS.encode(), "b.csv", experiment="means")
    empty = tmp_path / "none"
    empty.mkdir()
    monkeypatch.setenv("COALESCOPE_DATASETS_DIR", str(empty))
    for name, value in stack.environment(tmp_path / "data").items():
        monkeypatch.setenv(name, value)
    folder = tmp_path / "exported"
    folder.mkdir()

    def export(what: str) -> Path:
        for slug in ("lab", "means"):
            file = folder / f"{slug}.parquet"
            typed = ["export", slug, "--format", "parquet", "--what", what, "--output", str(file)]
            assert main([*typed, "--data", str(tmp_path / "data")]) == 0
        return folder

    return export


def test_runs_of_several_experiments_are_one_table(exported: Callable[..., Path]) -> None:
    files = f"{exported('runs')}/*.parquet"
    table = duckdb.read_parquet(files, union_by_name=True)
    assert table.aggregate("experiment, count(*), min(kind)", "experiment").order(
        "1"
    ).fetchall() == [
        ("lab", 3, "measured"),
        ("means", 1, "measured"),
    ]
    (lab,) = table.filter("drops = 1").fetchall()
    found = dict(zip(table.columns, lab, strict=True))
    assert (found["mtu_bytes"], found["workload"], found["replicate"]) == (1500.0, "tcp", 2)
    assert (found["throughput_mbps"], found["throughput_mbps_sd"]) == (910.5, None)
    mean = table.filter("experiment = 'means'")
    values = mean.project('"factor.card", throughput_mbps, throughput_mbps_sd, throughput_mbps_n')
    assert values.fetchall() == [(82540.0, 950.0, 4.5, 10)]


def test_cells_carry_their_summaries(exported: Callable[..., Path], client: Any) -> None:
    table = duckdb.read_parquet(f"{exported('cells')}/lab.parquet")
    shown = client.get("/api/experiments/lab/cells").json()["cells"]
    named = table.project("mtu_bytes, throughput_mbps, throughput_mbps_ci95_high, runs").fetchall()
    summaries = [cell["measures"]["throughput_mbps"] for cell in shown]
    assert named == [
        (cell["factors"]["mtu_bytes"], m["mean"], m["ci95"] and m["ci95"][1], cell["runs"])
        for cell, m in zip(shown, summaries, strict=True)
    ]


def test_the_documented_question(exported: Callable[..., Path]) -> None:
    (query,) = re.findall(r"```sql\n(.*?)```", DOCUMENTED.read_text(encoding="utf-8"), re.DOTALL)
    answer = duckdb.sql(query.replace("exported/", f"{exported('runs')}/")).fetchall()
    assert [row[:2] for row in answer] == [("lab", 9000.0), ("means", 1500.0), ("lab", 1500.0)]


@pytest.mark.fault("B15")
def test_without_pyarrow_the_advice_can_be_followed_by_who_installed_the_server(
    exported: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    typed = ["export", "lab", "--format", "parquet", "--output", str(tmp_path / "lab.parquet")]
    assert main([*typed, "--data", str(tmp_path / "data")]) == 1
    assert "pip install pyarrow; or export CSV or JSON" in capsys.readouterr().err
