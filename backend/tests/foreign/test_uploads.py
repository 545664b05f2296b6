# SPDX-License-Identifier: Apache-2.0
"""Files of other tools come in through the API, and stay as they came."""

import io
import json
import lzma
import tarfile
from collections.abc import Callable
from typing import Any

import pytest
from coalescope.foreign.bundle import bundle_into, is_bundle, read_bundle, write_bundle
from coalescope.untrusted.bounds import SETTINGS

from .conftest import corpus_file

CLIENT = "iperf3/joined-client.json"
GIVEN = ["mtu_bytes=9000", "delay_us=unknown"]
MakeClient = Callable[..., Any]
SET = {"set": ",".join(GIVEN)}


def post(client: Any, content: bytes, **query: object) -> Any:
    asked = {"filename": "iperf3.json", "experiment": "lab", **query}
    return client.post("/api/uploads", params=asked, content=content)


def test_the_api_asks_for_what_the_file_does_not_say(client: Any) -> None:
    answer = post(client, corpus_file(CLIENT))
    assert answer.status_code == 422
    problems = answer.json()["error"]["problems"]
    assert [problem["where"]["field"] for problem in problems] == ["mtu_bytes", "delay_us"]
    assert client.get("/api/experiments/lab").status_code == 404


def test_the_api_stores_a_file_with_what_was_set(client: Any) -> None:
    answer = post(client, corpus_file(CLIENT), **SET)
    assert answer.status_code == 201, answer.text
    receipt = answer.json()
    assert (receipt["content"], receipt["run_count"]) == ("foreign", 1)
    (run,) = receipt["runs"]
    assert run["factors"] == {"mtu_bytes": 9000, "workload": "tcp", "streams": 1}
    detail = client.get(f"/api/runs/{run['id']}").json()
    values = {name: found["value"] for name, found in detail["measures"].items()}
    assert values["goodput_mbps"] == pytest.approx(8325.903206)
    origin = detail["environment"]["imported_from"]
    assert origin["goodput_mbps"] == "iperf3.json: end.sum_received.bits_per_second"
    assert origin["workload"].startswith("iperf3.json: start.test_start.protocol")
    assert "mtu_bytes" not in origin
    assert detail["recorded_at"] == "2026-11-24T18:11:26.000Z"


def test_the_file_stays_byte_for_byte(client: Any) -> None:
    (run,) = post(client, corpus_file(CLIENT), **SET).json()["runs"]
    kept = client.get(f"/api/runs/{run['id']}/log")
    assert kept.status_code == 200
    assert read_bundle(io.BytesIO(kept.content)).files == {"iperf3.json": corpus_file(CLIENT)}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("20261128.0.xz", lzma.compress(corpus_file("pcp/6.0.3-archive.0"))),
        ("20261128.meta.zst", b"\x28\xb5\x2f\xfd packed"),
    ],
)
def test_a_packed_archive_of_pmlogger_is_refused_with_its_tool(
    client: Any, name: str, content: bytes
) -> None:
    answer = post(client, content, filename=name)
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert "an archive of pmlogger" in error["message"]
    assert "pcp2json -a ARCHIVE" in error["advice"]


def test_the_same_again_changes_nothing_and_the_other_end_is_no_second_run(client: Any) -> None:
    assert post(client, corpus_file(CLIENT), **SET).status_code == 201
    assert post(client, corpus_file(CLIENT), **SET).json()["outcome"] == "known"
    other = post(client, corpus_file("iperf3/joined-server.json"), **SET)
    assert (other.status_code, other.json()["error"]["code"]) == (409, "run_exists")


def test_a_run_with_another_setting_is_said_to_be_there_and_to_be_corrected(client: Any) -> None:
    """Nobody recorded a log, so that none can be recorded again."""
    assert post(client, corpus_file(CLIENT), **SET).status_code == 201
    error = post(client, corpus_file(CLIENT), set="mtu_bytes=1500,delay_us=0").json()["error"]
    assert error["code"] == "run_exists"
    assert "in experiment 'lab'" in error["message"]
    assert "correct the stored run" in error["advice"]
    assert "/experiments/lab/runs" in error["advice"]
    assert "log" not in error["advice"]


def test_runs_of_a_cell_are_numbered_in_turn(client: Any) -> None:
    post(client, corpus_file(CLIENT), **SET)
    files = {name: corpus_file(f"iperf3/{name}") for name in ("3.12-tcp.json", "3.7-tcp.json")}
    answer = post(client, write_bundle(GIVEN, files), filename="two.tar")
    assert answer.status_code == 201, answer.text
    assert sorted(run["replicate"] for run in answer.json()["runs"]) == [2, 3]


def test_units_of_own_measures_are_kept(client: Any) -> None:
    post(client, corpus_file("iperf3/3.12-udp.json"), **SET)
    shown = client.get("/api/experiments/lab").json()
    measures = {one["name"]: one["unit"] for one in shown["measures"]}
    assert measures["measure.jitter_ms"] == "ms"
    assert measures["measure.iperf3_client_cpu_percent"] == "%"
    assert "system_cpu_percent" not in measures


@pytest.mark.parametrize(
    "content",
    [
        b"",
        json.dumps({"format": 2, "set": []}).encode(),
        b'{"format": 1, "set": [1]}',
        b"[" * 100_000,
    ],
)
def test_an_archive_that_does_not_say_its_form_is_refused(client: Any, content: bytes) -> None:
    kept = io.BytesIO()
    with tarfile.open(fileobj=kept, mode="w") as archive:
        member = tarfile.TarInfo("given.json")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    answer = post(client, kept.getvalue(), filename="a.tar")
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "bad_bundle")


def test_archives_are_the_same_for_the_same_files() -> None:
    files = {"b": b"2", "a": b"1"}
    one, other = write_bundle(["x=1", "a=2"], files), write_bundle(["a=2", "x=1"], files)
    assert one == other
    assert is_bundle(one)


class Counted(io.BytesIO):
    """A file that notes the most that is read of it at once."""

    most = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.most = max(self.most, len(data))
        return data


def test_a_server_makes_the_archive_piece_by_piece() -> None:
    content = bytes(range(256)) * 4096
    kept, file = io.BytesIO(), Counted(content)
    bundle_into(kept, ["a=1"], {"x": file})
    assert kept.getvalue() == write_bundle(["a=1"], {"x": content})
    assert 0 < file.most <= 2**16


def test_a_large_file_takes_no_more_memory_than_it_may(make_client: MakeClient) -> None:
    content = b"Coalesce parameters for eth0:\n" + b"a: 1\n" * 50_000
    answer = post(make_client(reading_mib=4), content, **SET)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "took_too_much_memory")
    whole = post(make_client(), content, **SET)  # which is read, and measures nothing
    assert whole.json()["error"]["code"] != "took_too_much_memory"


@pytest.mark.parametrize("more", [0, 1])
def test_a_text_of_settings_without_end_is_read_no_further(client: Any, more: int) -> None:
    """As large as one may be, it took 16 s."""
    content = b"Coalesce parameters for eth0:\n" + b"a: 1\n" * (SETTINGS + more)
    refused = post(client, content, **SET)
    assert ("more than 20,000 settings" in refused.text) is bool(more)


def test_a_large_file_is_the_same_as_a_small_one(make_client: MakeClient) -> None:
    """It is read in a process of its own."""
    client = make_client()
    large = post(client, corpus_file(CLIENT) + b" " * 100_000, **SET).json()
    (run,) = large["runs"]
    assert run["factors"] == {"mtu_bytes": 9000, "workload": "tcp", "streams": 1}
    detail = client.get(f"/api/runs/{run['id']}").json()
    assert detail["measures"]["goodput_mbps"]["value"] == pytest.approx(8325.903206)
