# SPDX-License-Identifier: Apache-2.0
"""k8s-netperf and PerfKit Benchmarker write several runs into one file."""

import json
from collections.abc import Sequence

import pytest
from coalescope.errors import Problem
from coalescope.foreign.registry import ReadFile, read_file
from coalescope.foreign.runs import JoinedRun

from .conftest import Runs, corpus_file

SEVERAL = "k8s-netperf/fb9a2ec-several.csv"
ALL = "perfkit/946ea31-all.json"


def said(runs: Sequence[JoinedRun]) -> list[tuple[object, dict[str, float]]]:
    return [
        (run.factors["workload"], {name: record.value for name, record in run.values.items()})
        for run in runs
    ]


def test_each_row_of_a_csv_is_a_run(runs: Runs) -> None:
    """UDP of iperf3 is left out: without its loss it is not known what the figure is of."""
    found = runs(SEVERAL)
    assert said(found) == [
        ("udp", {"goodput_mbps": 61.43}),
        ("tcp-rr", {"request_rate_hz": 5484.87, "latency_p99_us": 4666.0}),
        (
            "tcp-rr",
            {
                "request_rate_hz": 12580.31,
                "measure.netperf_mean_p99_latency_us": pytest.approx(3942.3333333),
            },
        ),
        ("tcp-crr", {"request_rate_hz": 835.51, "latency_p99_us": 12300.0}),
    ]
    assert [run.factors["streams"] for run in found] == [1.0, 1.0, 2.0, 1.0]
    assert [run.values["request_rate_hz"].n for run in found[1:]] == [1, 3, 1]


def test_what_each_driver_does_not_measure_is_not_zero() -> None:
    """k8s-netperf writes 0 for it."""
    document = json.loads(corpus_file("k8s-netperf/fb9a2ec-tcp-stream.json"))
    document[0]["driver"] = "uperf"
    document[0]["tcpRetransmits"] = 0
    found = read_file("a", json.dumps(document).encode())
    assert isinstance(found, ReadFile)
    measured = [one for one in found.reading.runs[0].records if one.kind != "fact"]
    assert [one.quantity for one in measured] == ["measure.uperf_sent_mbps"]


@pytest.mark.parametrize("unit", ["MB/s", "Gb/s", "", None, 3])
def test_a_throughput_in_a_unit_that_is_not_known_is_none(unit: object) -> None:
    document = json.loads(corpus_file("k8s-netperf/fb9a2ec-tcp-stream.json"))
    document[0]["tputMetric"] = unit
    found = read_file("a", json.dumps(document).encode())
    assert isinstance(found, Problem)
    assert "Mb/s or OP/s" in found.message


def test_samples_that_follow_each_other_are_of_one_run(runs: Runs) -> None:
    """Its netperf took -d CRR as sending, so that there is no rate of connections to be had."""
    found = runs(ALL, given=["delay_us=unknown"])
    assert said(found) == [
        (
            "tcp-rr",
            {
                "request_rate_hz": 7240.87,
                "latency_p50_us": 16.0,
                "latency_p90_us": 22.0,
                "latency_p99_us": 3875.0,
                "latency_max_us": 33218.0,
            },
        ),
        ("tcp", {"goodput_mbps": 2622.95, "retransmitted_segments": 4.0}),
        ("tcp", {"goodput_mbps": 4654.48, "retransmitted_segments": 6.0}),
        ("ping", {"latency_us": 50.0, "latency_max_us": 74.0}),
        ("ping", {"latency_us": 50.0, "latency_max_us": 74.0}),
    ]


def test_retries_of_one_stream_are_not_those_of_two(runs: Runs) -> None:
    """Of two streams, iperf printed 742 and 45; the label has the first."""
    found = runs("perfkit/946ea31-iperf.json", given=["delay_us=unknown"])
    assert said(found) == [
        ("tcp", {"measure.iperf_sent_mbps": 2049.0, "retransmitted_segments": 1.0}),
        ("tcp", {"measure.iperf_sent_mbps": 6017.0}),
    ]


IPERF_UDP = "perfkit/05b68b6-iperf-tcp-udp.json"


def test_iperf_over_udp_is_no_run_over_tcp_and_says_what_was_lost(runs: Runs) -> None:
    found = runs(IPERF_UDP)
    loss = 100.0 / 10_700
    assert said(found) == [
        ("tcp", {"measure.iperf_sent_mbps": 1966.0, "retransmitted_segments": 0.0}),
        (
            "udp",
            {
                "measure.iperf_sent_mbps": 1.05,
                "datagrams_lost": 0.0,
                "datagram_loss_percent": 0.0,
                "measure.jitter_ms": 0.017,
            },
        ),
        (
            "udp",
            {
                "measure.iperf_sent_mbps": 2.1,
                "datagrams_lost": 1.0,
                "datagram_loss_percent": loss,
                "measure.jitter_ms": 0.0325,
            },
        ),
    ]


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        # one of two servers' reports did not come
        ("total_datagrams:10700", "total_datagrams:5350", {"datagrams_lost", "measure.jitter_ms"}),
        ("total_datagrams:10700", "total_datagrams:0", {"datagram_loss_percent"}),
        ("lost_datagrams:1|", "lost_datagrams:10701|", {"datagrams_lost"}),
        ("|jitter:0.0325|,|jitter_unit:ms|", "|jitter:0.0325|,|jitter_unit:us|",
         {"measure.jitter_ms"}),
        ("write_packet_count:10700", "write_packet_count:x", {"datagrams_lost"}),
    ],
)  # fmt: skip
def test_what_the_servers_of_iperf_did_not_all_report_is_not_known(
    old: str, new: str, lost: set[str]
) -> None:
    line = corpus_file(IPERF_UDP).decode().splitlines()[-1]
    assert old in line
    for content, known in (
        (corpus_file(IPERF_UDP), True),
        (line.replace(old, new).encode(), False),
    ):
        found = read_file("a", content)
        assert isinstance(found, ReadFile)
        quantities = {one.quantity for one in found.reading.runs[-1].records}
        assert (lost <= quantities) is known
        assert lost.isdisjoint(quantities) is not known
        assert "measure.iperf_sent_mbps" in quantities


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        ('"unit": "us"', '"unit": "ms"', "latency_p99_us"),
        ("transactions_per_second", "transactions", "request_rate_hz"),
        ("netperf_test_length:2|", "netperf_test_length:0|", "latency_p50_us"),
        ("vm_2_mtu:1500", "vm_2_mtu:1460", "mtu_bytes"),
    ],
)
def test_a_sample_in_another_unit_or_form_is_not_known(old: str, new: str, lost: str) -> None:
    text = corpus_file(ALL).decode()
    assert old in text
    for content, known in ((text, True), (text.replace(old, new), False)):
        found = read_file("a", content.encode())
        assert isinstance(found, ReadFile)
        quantities = {one.quantity for run in found.reading.runs for one in run.records}
        assert (lost in quantities) is known


def test_tests_that_are_not_read_are_named_beside_those_that_are() -> None:
    content = corpus_file(ALL) + corpus_file("perfkit/946ea31-cluster-boot.json")
    found = read_file("a", content)
    assert isinstance(found, ReadFile)
    assert found.reading.notes == ["The samples of cluster_boot are not read."]
