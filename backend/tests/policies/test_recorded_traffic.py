# SPDX-License-Identifier: Apache-2.0
"""Policies over the traffic that experiments recorded."""

import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

HEADER = "workload,mtu_bytes,delay_us,replicate,elapsed_s,rx_packets,rx_bytes,rx_interrupts"


def store(client: Any, rows: Sequence[str], name: str = "lab") -> None:
    content = "\n".join([HEADER, *rows]).encode()
    assert client.upload(content, f"{name}.csv").status_code < 300


def ask(client: Any, experiment: str = "lab", policy: str = "dim", **more: Any) -> Any:
    costs = {name: more.pop(name) for name in tuple(more) if name not in ("where", "clients")}
    traffic = {"kind": "recorded", "experiment": experiment, "duration_us": 50_000, **more}
    body = {"policy": policy, "traffic": traffic, **costs}
    return client.post("/api/policies/trials", json=body)


@pytest.fixture
def lab(client: Any) -> Any:
    """A stream that does not care, and clients that do: 20 µs alone, 120 µs with a delay of 100."""
    store(
        client,
        [
            "udp,1500,10,1,2,160000,240000000,80000",
            "udp,1500,10,2,2,160000,240000000,80000",
            "udp,1500,100,1,2,160000,240000000,20000",
            "nfs,1500,10,1,2,100000,100000000,100000",
            "nfs,1500,100,1,2,20000,20000000,20000",
        ],
    )
    return client


def test_a_stream_is_played_at_its_rate_beside_the_delays_that_were_measured(lab: Any) -> None:
    found = ask(lab, where={"workload": "udp"}).json()
    recorded = found["recorded"]
    assert recorded["packet_rate_hz"] == pytest.approx(80_000)
    assert (recorded["frame_bytes"], recorded["clients"]) == (1500, None)
    assert [each["interval_us"] for each in found["fixed"]] == [10, 100]
    short, long = (each["measured"] for each in found["fixed"])
    assert (short["n"], short["packets_per_interrupt"]) == (2, pytest.approx(2))
    assert long["packets_per_interrupt"] == pytest.approx(8)
    assert found["adaptive"]["packet_rate_hz"] == pytest.approx(80_000, rel=0.02)


def test_other_intervals_can_be_asked_for(lab: Any) -> None:
    found = ask(lab, where={"workload": "udp"}, intervals_us=[0, 10]).json()
    assert [bool(each["measured"]) for each in found["fixed"]] == [False, True]


def test_a_delay_whose_interrupts_were_not_counted_is_left_out_and_named(lab: Any) -> None:
    store(lab, ["udp,1500,40,1,2,160000,240000000,", "udp,1500,40,2,2,160000,240000000,40000"])
    found = ask(lab, where={"workload": "udp"}).json()
    assert [each["interval_us"] for each in found["fixed"]] == [10, 100]
    assert found["recorded"]["uncounted_us"] == [40]
    tried = ask(lab, where={"workload": "udp"}, intervals_us=[40, 100]).json()["fixed"]
    assert [bool(each["measured"]) for each in tried] == [False, True]


def test_where_all_were_counted_no_delay_is_left_out(lab: Any) -> None:
    store(lab, ["udp,1500,40,1,2,160000,240000000,40000"])
    found = ask(lab, where={"workload": "udp"}).json()
    assert [each["interval_us"] for each in found["fixed"]] == [10, 40, 100]
    assert found["recorded"]["uncounted_us"] == []


def test_waiting_clients_get_the_rate_of_the_shortest_delay(lab: Any) -> None:
    found = ask(lab, where={"workload": "nfs"}, clients=3, intervals_us=[0, 100]).json()
    assert found["recorded"]["rtt_min_us"] == pytest.approx(3 * 20 - 3.0 - 1.5)
    alone, delayed = found["fixed"]
    assert alone["packet_rate_hz"] == pytest.approx(50_000, rel=0.02)
    assert delayed["packet_rate_hz"] < 0.7 * alone["packet_rate_hz"]


def test_one_delay_of_waiting_clients_is_a_stream(lab: Any) -> None:
    found = ask(lab, where={"workload": "nfs", "delay_us": 100}).json()
    assert found["recorded"]["packet_rate_hz"] == pytest.approx(10_000)


def test_the_virtual_testbeds_traffic(client: Any, datasets: Path) -> None:
    """Its requests slow down with the delay; its datagrams come anyhow."""
    with tarfile.open(datasets / "virtual-testbed/raw/run-logs.tar.xz") as bundle:
        for member in bundle:
            if member.name.endswith(("/1500-10-1.runlog", "/1500-640-1.runlog")):
                log = bundle.extractfile(member)
                assert log is not None
                assert client.upload(log.read(), "some.runlog").status_code < 300
    slug = "virtual-testbed"
    refused = ask(client, slug, where={"workload": "request_response"}).json()["error"]
    assert (refused["code"], refused["where"]) == ("rate_follows_delay", {"field": "clients"})
    waiting = ask(client, slug, where={"workload": "request_response"}, clients=3).json()
    assert waiting["fixed"][0]["packet_rate_hz"] > 3 * waiting["fixed"][1]["packet_rate_hz"]
    found = ask(client, slug, "dynamic-throttle", where={"workload": "udp"}).json()
    assert found["recorded"]["packet_rate_hz"] == pytest.approx(81_274, rel=0.01)
    long = found["fixed"][1]
    assert long["packets_per_interrupt"] == pytest.approx(
        long["measured"]["packets_per_interrupt"], rel=0.05
    )


def test_the_papers_table_has_no_time(client: Any, datasets: Path) -> None:
    client.upload((datasets / "geist-2005-nfs/data.csv").read_bytes(), "nfs.csv")
    error = ask(client, "nfs", where={"mtu_bytes": 1500}).json()["error"]
    assert error["code"] == "not_available"
    assert "elapsed_s" in error["advice"]


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({}, 422, "traffic_varies"),
        ({"where": {"workload": "nfs"}}, 422, "rate_follows_delay"),
        ({"where": {"workload": "nfs"}, "clients": 1, "packet_cost_us": 30}, 422, "no_round_trip"),
        ({"where": {"workload": "tcp"}}, 422, "no_such_cells"),
        ({"experiment": "lob"}, 404, "not_found"),
    ],
)
def test_what_cannot_be_played_is_refused(lab: Any, change: Any, status: int, code: str) -> None:
    answer = ask(lab, **change)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"]) == (status, code)
    assert error["advice"]


def test_a_profile_is_proposed_where_no_shipped_one_fits(client: Any) -> None:
    rows = [f"udp,1500,{delay},1,2,400000,600000000,80000" for delay in (8, 14, 128)]
    store(client, rows, "fast")
    found = ask(client, "fast", where={"workload": "udp"}, propose=True).json()
    proposal = found["proposal"]
    assert [each["policy"] for each in proposal["shipped"]] == ["dim", "dim-completions"]
    least = min(each["cost_percent"] for each in proposal["shipped"])
    assert least > 5
    assert proposal["cost_percent"] < least
    levels = proposal["profile_us"]
    assert len(levels) == 5
    assert levels == sorted(set(levels))
    assert proposal["rx_profile"] == "_".join(f"{us},n,n" for us in levels)
    assert [each["load"] for each in proposal["wrong"]] == [0.5, 2]
    assert ask(client, "fast", where={"workload": "udp"}).json()["proposal"] is None


def test_no_profile_is_proposed_where_a_shipped_one_fits(lab: Any) -> None:
    waiting = {"where": {"workload": "nfs"}, "clients": 2, "wait_weight": 0.0}
    found = ask(lab, **waiting, intervals_us=[0, 1], propose=True).json()["proposal"]
    assert min(each["cost_percent"] for each in found["shipped"]) <= 5
    assert (found["profile_us"], found["wrong"]) == (None, [])
