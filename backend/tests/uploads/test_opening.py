# SPDX-License-Identifier: Apache-2.0
"""A table that is only opened: the same experiment, cells and faults as the store's."""

import json
import subprocess
import sys
from pathlib import Path

import coalescope
import coalescope_host
import coalescope_models
import pytest
from coalescope.uploads.opening import open_table

RUNS = (
    "mtu_bytes,delay_us,workload,factor.cable,replicate,throughput_mbps,rx_packets,rx_interrupts\n"
    "9000,10,udp,short,1,990.0,822000,411000\n"
    "1500,10.0,udp,short,1,986.7,4878043,2439021\n"
    "1500,10,udp,short,2,986.5,4877054,2438527\n"
    "1500,40,tcp,long,1,940.25,,\n"
)
MEANS = (
    "mtu_bytes,delay_us,n,throughput_mbps,throughput_mbps_sd,drops\n"
    "3000,10,10,993.1,,12\n"
    "1500,10,10,986.7,0.4,\n"
)
# of the store alone: its row ids, names and versions
STORED = ("slug", "title", "data_version", "updated_at")


IN_A_ROW = "delay_us,replicate,order,throughput_mbps\n" + "".join(
    f"{10 * (k // 3)},{1 + k % 3},{k},{500 + k * 7 % 5}\n" for k in range(36)
)


@pytest.mark.parametrize("text", [RUNS, MEANS, IN_A_ROW])
def test_an_opened_table_is_what_it_would_be_in_the_store(client, text):
    content = text.encode()
    assert client.upload(content, "opened.csv").status_code == 201
    stored = client.get("/api/experiments/opened").json()
    found = client.get("/api/experiments/opened/cells").json()
    cells = found["cells"]

    opened = json.loads(json.dumps(open_table(content, "folder/Opened.csv")))

    assert opened["experiment"]["title"] == "Opened"
    assert {k: v for k, v in opened["experiment"].items() if k not in STORED} == {
        k: v for k, v in stored.items() if k not in STORED
    }
    assert len({cell.pop("id") for cell in opened["cells"]}) == len(cells)
    for cell in cells:
        del cell["id"]
    assert opened["cells"] == cells
    assert opened["independence"] == found["independence"]


def test_its_faults_are_those_of_an_upload(client):
    content = b"mtu_bytes,delay_ms,replicate,throughput_mbps\n1500,1,1,ten\n"
    answer = client.upload(content, "wrong.csv").json()
    opened = open_table(content, "wrong.csv")
    assert opened["error"]["code"] == "wrong_unit"
    assert opened["error"]["where"]["column"] == "delay_ms"
    assert answer["error"]["message"] == opened["error"]["message"]


PROGRAM = """
import sys

THERE = {*sys.stdlib_module_names, "coalescope", "coalescope_host", "coalescope_models"}

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in THERE:
            raise ImportError(f"{name} is not in the browser")

sys.meta_path.insert(0, Refuse())
sys.path[:0] = sys.argv[1:]
"""


def in_the_browser(body: str) -> subprocess.CompletedProcess[str]:
    """Run a program with what frontend/build/readers.ts packs: the standard library and our own."""
    sources = [
        Path(package.__file__ or "").parents[1]
        for package in (coalescope, coalescope_host, coalescope_models)
    ]
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", PROGRAM + body, *sources],
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_runs_without_the_servers_libraries():
    body = (
        f"from coalescope.uploads.opening import open_table\nopen_table({RUNS.encode()!r}, 'x.csv')"
    )
    done = in_the_browser(body)
    assert done.returncode == 0, done.stderr


def test_that_check_can_fail():
    assert "is not in the browser" in in_the_browser("import coalescope.uploads.service").stderr
