# SPDX-License-Identifier: Apache-2.0
"""Commands of the manuals, typed as they stand there, on what their readers have: a store, files.

What stands for a reader's own is given: numbers of runs, a folder to back up into, an interface.
"""

import json
import shutil

import pytest

from .conftest import FENCES, ROOT, Reader

pytestmark = pytest.mark.folder_stack

CORPUS = ROOT / "backend/tests/foreign/corpus"
TABLE = """mtu_bytes,delay_us,replicate,throughput_mbps
1500,0,1,941.2
1500,0,2,940.1
9000,0,3,989.5
9000,0,4,990.3
"""
OWN_NAMES = "mtu,rx-usecs,cpu,Gbps\n1500,0,31.5,0.9412\n9000,50,24.25,0.9895\n"
LATENCIES = "mtu_bytes,delay_us,replicate,latency_us\n" + "".join(
    f"{mtu},{delay},{number},{8 * (mtu + 18) / 1000 + 25 + 0.4 * delay + number}\n"
    for mtu in (1500, 9000)
    for delay in (80, 100, 150)
    for number in (1, 2, 3)
)


def fences(document: str, kind: str = "sh") -> list[str]:
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    return [fence for of_kind, fence in FENCES.findall(text) if of_kind == kind]


def with_a_table(reader: Reader, name: str = "my-lab", text: str = TABLE) -> None:
    """A store that has it."""
    (reader.folder / f"{name}.csv").write_text(text)
    reader.run("coalescope", "import", f"{name}.csv", "--experiment", name)


def test_a_store_is_kept(reader: Reader) -> None:
    with_a_table(reader)
    check, runs, experiments, copies, _to_servers = fences("store.md")
    reader.type(check)
    listed = json.loads(reader.run("coalescope", "runs", "list", "my-lab", "--json"))["runs"]
    one, other = (str(run["id"]) for run in listed[:2])
    said = reader.type(runs.replace("ID ID", f"{one} {other}").replace(" ID ", f" {one} "))
    for reason in ("The switch was rebooting.", "It was another switch.", "noted wrong."):
        assert reason in said
    found = json.loads(reader.run("coalescope", "runs", "list", "my-lab", "--json"))["runs"]
    changed = {str(run["id"]): run for run in found}
    assert changed[other]["status"] == "retracted"
    assert [run["factors"]["mtu_bytes"] for run in found].count(9000) == 3
    assert "my-lab" in reader.type(experiments)
    reader.type(copies.replace("/mnt/", ""))
    again = reader.run("coalescope", "experiments", "--data", "new-folder")
    assert "Two hosts, new cable" in again


def test_tokens_come_and_go(reader: Reader) -> None:
    (tokens,) = (text for text in fences("operation.md") if text.startswith("coalescope token"))
    said = reader.type(tokens)
    assert "bench 3" in said
    assert "revoked" in said


def test_a_table_is_sent_with_its_own_names_too(reader: Reader) -> None:
    (reader.folder / "my-table.csv").write_text(TABLE)
    (reader.folder / "lab.csv").write_text(OWN_NAMES)
    reader.serve("coalescope serve")
    for text in fences("tidy-csv.md"):
        reader.type(text)
    said = json.loads(reader.run("coalescope", "surface", "lab", "throughput_mbps", "--json"))
    assert [cell["mean"] for cell in said["cells"]] == [941.2, 989.5]


def test_files_of_other_tools_are_joined(reader: Reader) -> None:
    for name, file in (
        ("iperf3.json", "iperf3/joined-server.json"),
        ("sar.json", "sysstat/12.6.1-sadf-all.json"),
        ("ethtool.txt", "ethtool/6.1-c.txt"),
    ):
        shutil.copy(CORPUS / file, reader.folder / name)
    (typed,) = fences("imported-formats.md")
    reader.type(typed)
    listed = json.loads(reader.run("coalescope", "runs", "list", "my-lab", "--json"))
    assert [run["factors"]["mtu_bytes"] for run in listed["runs"]] == [9000]


def test_a_model_is_traced_and_fitted(reader: Reader) -> None:
    with_a_table(reader, "latencies", LATENCIES)
    (model,) = fences("workshop.md", "python")
    (reader.folder / "model.py").write_text(model)
    (typed,) = fences("workshop.md")
    said = reader.type(typed.replace("EXPERIMENT", "latencies"))
    assert "wait_us" in said
    assert "share" in said


def test_each_experiment_is_a_file_for_other_programs(reader: Reader) -> None:
    with_a_table(reader, "lab-1")
    with_a_table(reader, "lab-2")
    (export,) = (text for text in fences("scaling.md") if "parquet" in text)
    reader.type(export)
    written = sorted((reader.folder / "exported").iterdir())
    assert [path.name for path in written] == ["lab-1.parquet", "lab-2.parquet"]


def test_an_error_is_the_document_that_is_shown(reader: Reader) -> None:
    with_a_table(reader, "lab")
    (shown,) = fences("command-answers.md", "json")
    said = reader.run("coalescope", "runs", "list", "lap", "--json", status=1)
    assert json.loads(said) == json.loads(shown)


def test_two_snapshots_are_compared(reader: Reader) -> None:
    (typed,) = fences("snapshots.md")
    reader.type(typed.replace("eth1", "lo"))
    assert json.loads((reader.folder / "after.json").read_text())["format"] == "coalescope-snapshot"
