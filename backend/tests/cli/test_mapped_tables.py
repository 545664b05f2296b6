# SPDX-License-Identifier: Apache-2.0
"""Tables as people have them, from the command line: what was seen, and what to type."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

LAB = """# measured on lab-07
mtu;rx-usecs;cpu;Gbps;notes
1500;10;71,4;8,61;
1500;50;58,9;9,37;
9000;10;38,2;9,88;
9000;50;31,0;9,90;backup was running
"""
MAP = (
    "--map", "mtu=mtu_bytes", "--map", "rx-usecs=delay_us",
    "--map", "cpu=system_cpu_percent", "--map", "Gbps=throughput_mbps:Gb/s",
)  # fmt: skip


@pytest.fixture
def lab(tmp_path: Path) -> str:
    (tmp_path / "lab.csv").write_text(LAB)
    return "lab.csv"


def test_without_a_map_it_is_said_what_was_seen_and_what_to_type(run: Run, lab: str) -> None:
    done = run("import", lab)
    assert done.returncode == 1
    said = " ".join(done.stderr.split())
    assert "Seen: 4 rows, separated by semicolons, decimal comma, 1 remark passed over" in said
    assert "throughput_mbps from Gb/s (× 1000) ? Gb/s by the name; throughput or goodput?" in said
    assert "cpu 71,4; 58,9; 38,2 QUANTITY: system_cpu_percent, host_cpu_percent" in said
    assert "notes backup was running left out: 1 of 4 filled" in said
    typed = done.stderr.splitlines()[-1].strip()
    assert typed == (
        "coalescope import lab.csv --map mtu=mtu_bytes --map rx-usecs=delay_us --map cpu=QUANTITY "
        "--map Gbps=throughput_mbps:Gb/s"
    )
    with pytest.raises(SystemExit):  # QUANTITY is to be chosen
        run(*shlex.split(typed)[1:])
    chosen = typed.replace("QUANTITY", "system_cpu_percent")
    done = run(*shlex.split(chosen)[1:])
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "stored  lab.csv: lab, 4 runs")


@pytest.mark.fault("C12")
def test_values_come_in_the_units_of_the_glossary(run: Run, lab: str) -> None:
    assert run("import", lab, *MAP).returncode == 0
    again = run("import", lab, *MAP)
    assert again.stdout.startswith("known   lab.csv: lab, 4 runs")
    cells = json.loads(run("export", "lab", "--format", "json").stdout)["cells"]
    means = [cell["measures"]["throughput_mbps"]["mean"] for cell in cells]
    assert means == [8610, 9370, 9880, 9900]
    assert run("verify", "--deep").returncode == 0


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("cpu=speed", "there is no quantity 'speed'"),
        ("cpu", "not of the form COLUMN=QUANTITY[:UNIT]"),
        ("Gbps=throughput_mbps:ms", "cannot be given in 'ms'"),
    ],
)
def test_what_is_typed_wrongly_is_said(process: Run, lab: str, typed: str, says: str) -> None:
    done = process("import", lab, "--map", typed)
    assert done.returncode == 2
    assert says in " ".join(done.stderr.split())


def test_a_column_that_is_not_there_is_said(run: Run, lab: str) -> None:
    done = run("import", lab, "--map", "speed=delay_us")
    assert done.returncode == 1
    assert "The file has no column 'speed'." in done.stderr
    assert "mtu, rx-usecs, cpu, Gbps, notes" in done.stderr


def test_a_decimal_sign_that_may_be_either_is_typed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("mtu;drops\n1500;1,234\n9000;2,345\n")
    columns = ("--map", "mtu=mtu_bytes", "--map", "drops=drops")
    assert "--decimal comma" in run("import", "t.csv", *columns).stderr
    assert run("import", "t.csv", *columns, "--decimal", "point").returncode == 0
    done = run("import", "t.csv", "--decimal", "point")
    assert done.returncode == 1
    assert "--map" in done.stderr


@pytest.mark.fault("C12")
def test_a_workbook_is_read(run: Run, tmp_path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    assert book.active is not None
    for row in (["mtu", "rx-usecs", "Gbps"], [1500, 10, 8.61], [9000, 10, 9.88]):
        book.active.append(row)
    book.save(tmp_path / "lab.xlsx")
    done = run("import", "lab.xlsx")
    assert "2 rows, sheet 'Sheet'" in done.stderr
    typed = shlex.split(done.stderr.splitlines()[-1])
    assert run(*typed[1:]).stdout.startswith("stored  lab.xlsx: lab, 2 runs")


def test_a_refusal_of_another_kind_stays_as_it_is(run: Run, tmp_path: Path) -> None:
    (tmp_path / "tidy.csv").write_text("mtu_bytes,drops\n12,5\n")
    done = run("import", "tidy.csv")
    assert "mtu_bytes = 12 is not possible" in done.stderr
    assert "--map" not in done.stderr
