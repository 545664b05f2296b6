# SPDX-License-Identifier: Apache-2.0
"""Every kind that hosts on cables can have, with the real programs."""

import json
import subprocess

import pytest
from coalescope_host.remote.path_mtu import own_address, probe
from timeouts import retried_if_disturbed

pytestmark = pytest.mark.network

PEER = "10.215.0.2"
SECOND = "10.215.1.2"
OVER_IPV6 = ("fd00:215:0::2", "fd00:215:1::2")


@pytest.fixture
def short(context, hosts):
    """A run of a second on the host under test."""

    def make(*addresses, **more):
        times = {"warmup_s": 0.2, "duration_s": 0.6}
        return context(*(addresses or [PEER]), interface=hosts.interface, **times, **more)

    return make


def counted(hosts, name):
    shown = subprocess.check_output(
        ["ip", "-n", hosts.here, "-j", "-s", "link", "show", hosts.interface]
    )
    return json.loads(shown)[0]["stats64"]["rx"][name]


def good(traffic, ran):
    status, out, said, _ = ran
    assert status == 0, (out, said)
    assert traffic.result(out) == []
    return json.loads(out)


@retried_if_disturbed
def test_udp_through_iperf3_has_rate_size_and_streams(hosts, short, traffic_of):
    around = short(streams=3, packet_rate_hz=3000, frame_bytes=1046)
    traffic = traffic_of("udp-fan-in", around)
    before = counted(hosts, "packets")
    report = good(traffic, hosts.run(traffic))
    assert traffic.needs() == ["iperf3"]
    assert len(report["end"]["streams"]) == 3
    assert report["start"]["test_start"]["blksize"] == 1000
    end = report["end"]["sum_received"]
    assert end["packets"] / end["seconds"] == pytest.approx(3000, rel=0.1)
    assert counted(hosts, "packets") - before == pytest.approx(end["packets"], rel=0.05)
    assert traffic.remarks(json.dumps(report).encode()) == []


def test_tcp_through_iperf3(hosts, short, traffic_of):
    traffic = traffic_of("tcp-fan-in", short(streams=2))
    report = good(traffic, hosts.run(traffic))
    assert len(report["end"]["streams"]) == 2
    assert counted(hosts, "bytes") > report["end"]["sum_received"]["bytes"] > 1_000_000


@retried_if_disturbed
def test_udp_from_several_peers(hosts, short, traffic_of):
    around = short(PEER, SECOND, streams=3, packet_rate_hz=3000, mtu_bytes=1500)
    traffic = hosts.inside(lambda: traffic_of("udp-fan-in", around))
    ran = hosts.run(traffic)
    report = good(traffic, ran)
    assert report["role"] == "udp sink"
    assert report["bytes"] == 1472 * report["operations"]
    sent = [json.loads(out) for out, _ in ran[3]]
    assert [one["role"] for one in sent] == ["udp source"] * 2
    rates = [one["operations"] / (one["seconds"] - one["behind_seconds"]) for one in sent]
    assert rates == [pytest.approx(2000, rel=0.03), pytest.approx(1000, rel=0.03)]


@retried_if_disturbed
def test_tcp_from_several_peers(hosts, short, traffic_of):
    around = short(PEER, SECOND, streams=3)
    traffic = hosts.inside(lambda: traffic_of("tcp-fan-in", around, window_bytes=65536))
    report = good(traffic, hosts.run(traffic))
    assert report["role"] == "tcp sink"
    assert report["connections"] == 3
    assert report["bytes"] > 1_000_000


@pytest.mark.parametrize("protocol", ["udp", "tcp"])
@retried_if_disturbed
def test_requests_to_servers_at_several_peers(hosts, short, traffic_of, protocol):
    around = short(PEER, SECOND, streams=3)
    options = {"protocol": protocol, "service_us": 2000.0, "response_bytes": 8000}
    traffic = traffic_of("request-response", around, small_every=4, **options)
    ran = hosts.run(traffic)
    report = good(traffic, ran)
    assert report["seconds"] == pytest.approx(0.6)
    assert 300 < report["operations"] <= 0.6 * 3 / 0.0015 * 1.1
    assert report["latency_us"]["p99"] > 2000
    served = [json.loads(out)["operations"] for out, _ in ran[3]]
    assert served[0] > served[1] > 0  # two clients ask the first peer, one the second


def test_a_peer_without_a_server_is_a_failure_that_is_said(hosts, short, traffic_of):
    missing = traffic_of("request-response", short())
    status, out, said, _ = hosts.run(type(missing)(missing.command))
    assert status == 1
    assert "not one response" in said
    assert missing.result(out) == ["not one request was answered: do the servers run?"]
    missing = traffic_of("tcp-fan-in", short())
    _, out, _, _ = hosts.run(type(missing)(missing.command))  # iperf3 3.12 ends with 0
    assert "Connection refused" in missing.result(out)[0]


def test_a_sender_slower_than_asked_is_remarked(hosts, short, traffic_of):
    traffic = traffic_of("udp-fan-in", short(), rate_mbps=100_000.0)
    status, out, said, _ = hosts.run(traffic)
    assert status == 0, (out, said)
    assert traffic.result(out) == []
    assert "where 100000.0 were asked for" in traffic.remarks(out)[-1]


@pytest.mark.parametrize("program", ["iperf3", "coalescope-traffic"])
def test_datagrams_over_ipv6_fill_the_mtu(hosts, short, traffic_of, program):
    around = short(OVER_IPV6[0], streams=2, packet_rate_hz=2000, mtu_bytes=1500)
    traffic = hosts.inside(lambda: traffic_of("udp-fan-in", around, tool=program))
    before = [counted(hosts, name) for name in ("packets", "bytes")]
    report = good(traffic, hosts.run(traffic))
    packets, octets = (
        counted(hosts, name) - was for name, was in zip(("packets", "bytes"), before, strict=True)
    )
    assert octets / packets > 1400  # full, and in one packet each, of 1514 with their headers
    if program == "iperf3":
        assert report["start"]["test_start"]["blksize"] == 1452
    else:
        assert report["bytes"] == 1452 * report["operations"]
        assert len(report["flows"]) == 2
        assert report["lost"] == 0


@pytest.mark.parametrize(
    ("kind", "peers"), [("tcp-fan-in", 1), ("tcp-fan-in", 2), ("request-response", 2)]
)
def test_streams_and_requests_over_ipv6(hosts, short, traffic_of, kind, peers):
    around = short(*OVER_IPV6[:peers], streams=2)
    traffic = hosts.inside(lambda: traffic_of(kind, around))
    report = good(traffic, hosts.run(traffic))
    assert report.get("operations", report.get("connections", 2)) >= 2


@pytest.mark.fault("A3")
def test_iperf3_says_what_came_when_and_what_the_peer_retransmitted(hosts, short, traffic_of):
    traffic = traffic_of("tcp-fan-in", short(streams=2))
    report = good(traffic, hosts.run(traffic))
    came = [interval["sum"] for interval in report["intervals"]]
    assert not any(one["sender"] for one in came)
    assert len(came) >= 15
    assert came[-1]["end"] > 0.2 + 0.6 + 0.5  # warm-up and window lie within
    total = report["end"]["sum_received"]["bytes"]
    assert sum(one["bytes"] for one in came) == pytest.approx(total, rel=0.2)
    sent = [interval["sum"] for interval in report["server_output_json"]["intervals"]]
    resent = sum(one["retransmits"] for one in sent)
    assert resent == report["end"]["sum_sent"]["retransmits"]


def test_the_way_over_ipv6_is_tried_with_packets_of_the_mtu(hosts):
    peer = OVER_IPV6[0]
    assert own_address(peer, hosts.here) == "fd00:215::1"
    assert probe(peer, 1500, hosts.here) is None
    assert probe(peer, 1501, hosts.here) is not None
    hosts.ip("-n", hosts.here, "link", "set", hosts.interface, "mtu", "9000")
    try:
        assert "a black hole: packets up to 1" in probe(peer, 9000, hosts.here)
    finally:
        hosts.ip("-n", hosts.here, "link", "set", hosts.interface, "mtu", "1500")


def test_without_ping_no_way_is_called_bad(hosts, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    assert "not tried: ping is not installed" in probe(OVER_IPV6[0], 1500, hosts.here)
