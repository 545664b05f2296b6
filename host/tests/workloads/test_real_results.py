# SPDX-License-Identifier: Apache-2.0
"""What iperf3 3.12 and the traffic tool printed over a link that dropped packets.

driver/testdata/workloads, over a veth pair shaped to 500 Mb/s: `-reverse` with the command of a
sweep (2 streams, 2 s), `-server` with `iperf3 --server --one-off --json`, the recipe of the README.
"""

import json
from pathlib import Path

import pytest
from coalescope_host.workloads import iperf3, traffic_tool

RESULTS = Path(__file__).resolve().parents[3] / "driver" / "testdata" / "workloads"


def body(name):
    return (RESULTS / f"{name}.json").read_bytes()


@pytest.mark.fault("A4")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("tcp-reverse", ["its sender retransmitted 5742 segments"]),
        ("udp-reverse", ["21 datagrams were lost"]),
        ("tcp-server", []),  # the sender's retransmissions are not known to the receiver
        ("udp-server", ["3985 datagrams were lost"]),
    ],
)
def test_iperf3(name, said):
    document = json.loads(body(f"iperf3-{name}"))
    assert iperf3.faults(document) == []
    assert iperf3.remarks(document, None) == said


@pytest.mark.fault("A4")
def test_the_traffic_tool():
    sink = json.loads(body("traffic-udp-sink"))
    assert sink["lost"] == sum(flow["lost"] for flow in sink["flows"]) > 0
    assert sink["lost"] == sum(sink["intervals"]["lost"])
    said = traffic_tool.sink_remarks(body("traffic-udp-sink"))
    assert said[0] == f"{sink['lost']} datagrams were lost"
    assert traffic_tool.sink_faults(body("traffic-udp-sink")) == []
    assert traffic_tool.requests_faults(body("traffic-request-response-client")) == []
    assert traffic_tool.requests_remarks(body("traffic-request-response-client")) == []
