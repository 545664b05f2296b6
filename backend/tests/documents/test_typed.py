# SPDX-License-Identifier: Apache-2.0
"""Commands of the manuals, typed as they stand there, on what their readers have: a store, files.

What stands for a reader's own is given: numbers of runs, a folder to back up into, an interface.
"""

import hashlib
import json
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from manuals import fence, fences
from timeouts import TIMEOUT_S

from ..datasets.converters.test_nic_tuning import SAMPLE
from .conftest import ROOT, Reader

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

COUNTED = "delay_us,replicate,rx_bytes,rx_packets,rx_interrupts,system_cpu_s\n" + "".join(
    f"{delay},{number},1e9,{packets},{interrupts + number},{packets / 3e5 + interrupts / 2e5}\n"
    for delay, packets, interrupts in ((0, 7e5, 7e5), (50, 7.5e5, 2e4), (200, 1e6, 5e3))
    for number in (1, 2)
)


def with_a_table(reader: Reader, name: str = "my-lab", text: str = TABLE) -> None:
    """A store that has it."""
    (reader.folder / f"{name}.csv").write_text(text)
    reader.run("coalescope", "import", f"{name}.csv", "--experiment", name)


def test_a_store_is_kept(reader: Reader) -> None:
    with_a_table(reader)
    reader.type(fence("docs/store.md", "coalescope verify"))
    runs = fence("docs/store.md", "coalescope runs list")
    listed = json.loads(reader.run("coalescope", "runs", "list", "my-lab", "--json"))["runs"]
    one, other = (str(run["id"]) for run in listed[:2])
    said = reader.type(runs.replace("ID ID", f"{one} {other}").replace(" ID ", f" {one} "))
    for reason in ("The switch was rebooting.", "It was another switch.", "noted wrong."):
        assert reason in said
    found = json.loads(reader.run("coalescope", "runs", "list", "my-lab", "--json"))["runs"]
    changed = {str(run["id"]): run for run in found}
    assert changed[other]["status"] == "retracted"
    assert [run["factors"]["mtu_bytes"] for run in found].count(9000) == 3
    assert "my-lab" in reader.type(fence("docs/store.md", "coalescope experiments"))
    copies = fence("docs/store.md", "coalescope backup /mnt/backup")
    reader.type(copies.replace("/mnt/", ""))
    again = reader.run("coalescope", "experiments", "--data", "new-folder")
    assert "Two hosts, new cable" in again


def test_tokens_come_and_go(reader: Reader) -> None:
    said = reader.type(fence("docs/operation.md", "coalescope token"))
    assert "bench 3" in said
    assert "revoked" in said


class Quiet(SimpleHTTPRequestHandler):
    """Answers with files, and writes no log."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def elsewhere(folder: Path) -> Iterator[str]:
    """The address of a server that has a folder's files, of other people."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_data_set_comes_from_its_authors(reader: Reader) -> None:
    """Theirs is played by a few lines in its format, which are at another address."""
    (reader.folder / "file.csv").write_bytes(SAMPLE)
    with elsewhere(reader.folder) as address:
        recipe = reader.folder / "shipped/nic-tuning-2022/source.toml"
        recipe.parent.mkdir()
        text = (ROOT / "datasets/nic-tuning-2022/source.toml").read_text(encoding="utf-8")
        head, _, fetched = text.partition("[fetch]")
        fetched = re.sub(r'url = ".*"', f'url = "{address}/file.csv"', fetched)
        fetched = re.sub(r'"[0-9a-f]{64}"', f'"{hashlib.sha256(SAMPLE).hexdigest()}"', fetched)
        fetched = re.sub(r"bytes = \d+", f"bytes = {len(SAMPLE)}", fetched)
        recipe.write_text(f"{head}[fetch]{fetched}", encoding="utf-8")
        said = reader.type(fence("docs/operation.md", "coalescope datasets list"))
    assert said.count("3 rows are in the experiment nic-tuning-2022") == 2
    assert said.index("licence: None is stated") < said.index("3 rows")


def test_a_server_s_store_is_asked_and_changed_from_elsewhere(reader: Reader) -> None:
    (reader.folder / ".coalescope-token").write_text("a-secret-of-the-test")
    reader.environment |= {"HOME": str(reader.folder), "COALESCOPE_TOKEN": "a-secret-of-the-test"}
    reader.serve("coalescope serve")
    del reader.environment["COALESCOPE_TOKEN"]
    token = {"Authorization": "Bearer a-secret-of-the-test"}
    with httpx.Client(base_url=reader.address, headers=token) as client:
        sent = client.post("/api/uploads?filename=my-lab.csv", content=COUNTED, timeout=TIMEOUT_S)
        assert sent.status_code == 201, sent.text
        listed = client.get("/api/experiments/my-lab/runs").json()["runs"]
    typed = fence("docs/command-answers.md", "coalescope runs retract ID")
    typed = typed.replace(" ID ", f" {listed[0]['id']} ").replace("100000", "100")
    said = reader.type(typed.replace("https://lab.example", reader.address))
    assert "retracted 1 run" in said
    assert "done" in said.splitlines()[-1]


def test_a_table_is_sent_with_its_own_names_too(reader: Reader) -> None:
    (reader.folder / "my-table.csv").write_text(TABLE)
    (reader.folder / "lab.csv").write_text(OWN_NAMES)
    reader.serve("coalescope serve")
    for text in fences("docs/tidy-csv.md"):
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
    (typed,) = fences("docs/imported-formats.md")
    reader.type(typed)
    listed = json.loads(reader.run("coalescope", "runs", "list", "my-lab", "--json"))
    assert [run["factors"]["mtu_bytes"] for run in listed["runs"]] == [9000]


def test_a_model_is_traced_and_fitted(reader: Reader) -> None:
    with_a_table(reader, "latencies", LATENCIES)
    (model,) = fences("docs/workshop.md", "python")
    (reader.folder / "model.py").write_text(model)
    (typed,) = fences("docs/workshop.md")
    said = reader.type(typed.replace("EXPERIMENT", "latencies"))
    assert "wait_us" in said
    assert "share" in said


def test_each_experiment_is_a_file_for_other_programs(reader: Reader) -> None:
    with_a_table(reader, "lab-1")
    with_a_table(reader, "lab-2")
    reader.type(fence("docs/scaling.md", "mkdir exported"))
    written = sorted((reader.folder / "exported").iterdir())
    assert [path.name for path in written] == ["lab-1.parquet", "lab-2.parquet"]


def test_an_error_is_the_document_that_is_shown(reader: Reader) -> None:
    with_a_table(reader, "lab")
    (shown,) = fences("docs/command-answers.md", "json")
    said = reader.run("coalescope", "runs", "list", "lap", "--json", status=1)
    assert json.loads(said) == json.loads(shown)


def test_two_snapshots_are_compared(reader: Reader) -> None:
    (typed,) = fences("docs/snapshots.md")
    reader.type(typed.replace("eth1", "lo"))
    assert json.loads((reader.folder / "after.json").read_text())["format"] == "coalescope-snapshot"
