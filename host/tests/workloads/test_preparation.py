# SPDX-License-Identifier: Apache-2.0
"""What command lines come of plans and cells, and what cannot be had."""

import json
import math
import subprocess

import pytest
from coalescope_host.plan.plan import PeerSpec, WorkloadSpec
from coalescope_host.plan.workload_options import KINDS as KINDS_OF_PLANS
from coalescope_host.protocols import RunContext
from coalescope_host.workloads import KINDS, WorkloadError, iperf3, nfs, prepare, traffic_tool
from coalescope_host.workloads.demand import Demand, shares
from coalescope_host.workloads.local_address import address_towards, hardware_address
from hypothesis import given
from hypothesis import strategies as st


def option(argv, name):
    return argv[argv.index(name) + 1]


def test_every_kind_of_the_plan_can_be_prepared():
    assert set(KINDS) == set(KINDS_OF_PLANS)


def test_no_such_kind(traffic_of):
    with pytest.raises(WorkloadError, match="no kind “quic”; known are udp-fan-in"):
        traffic_of("quic")


def test_levels_go_before_options(context, traffic_of):
    argv = traffic_of("tcp-fan-in", context(streams=5), streams=2).command
    assert option(argv, "--parallel") == "5"
    assert option(traffic_of("tcp-fan-in", streams=2).command, "--parallel") == "2"


@pytest.mark.parametrize(
    ("peer", "levels", "options", "payload"),
    [
        ("127.0.0.1", {}, {}, 1472),
        ("127.0.0.1", {"mtu_bytes": 9000}, {}, 8972),
        ("127.0.0.1", {"mtu_bytes": 9000}, {"payload_bytes": 100}, 100),
        ("127.0.0.1", {"mtu_bytes": 9000, "frame_bytes": 64}, {"payload_bytes": 100}, 18),
        ("::1", {}, {}, 1452),
        ("::1", {"mtu_bytes": 9000}, {}, 8952),
        ("::1", {"mtu_bytes": 9000, "frame_bytes": 100}, {}, 34),
    ],
)
def test_the_size_of_datagrams(context, traffic_of, peer, levels, options, payload):
    around = context(peer, **levels)
    argv = traffic_of("udp-fan-in", around, **options).command
    assert option(argv, "--length") == str(payload)
    own = traffic_of("udp-fan-in", around, tool="coalescope-traffic", **options)
    headers = 66 if ":" in peer else 46
    assert option(own.servers[0][1], "--frame-bytes") == str(payload + headers)
    assert ("--bind" in own.command) == (":" in peer)


@pytest.mark.parametrize(
    ("streams", "duration_s", "interval_s"),
    [(1, 10.0, "0.1"), (10, 10.0, "0.1"), (128, 10.0, "1"), (128, 3600.0, "60")],
)
def test_iperf3_reports_short_intervals_but_not_too_many(
    context, traffic_of, streams, duration_s, interval_s
):
    traffic = traffic_of("tcp-fan-in", context(streams=streams, duration_s=duration_s))
    assert option(traffic.command, "--interval") == interval_s
    ((_, server),) = traffic.servers
    assert option(server, "--interval") == interval_s
    assert "--json" in server
    assert "--get-server-output" in traffic.command


def test_a_command_runs_on_the_processors_that_are_asked_for(context, traffic_of):
    plain = traffic_of("tcp-fan-in")
    assert plain.cpus is None
    traffic = traffic_of("tcp-fan-in", context(workload_cpus="0"))
    assert list(traffic.command) == ["taskset", "--cpu-list", "0", *plain.command]
    assert list(traffic.needs()) == ["taskset", "iperf3"]
    assert traffic.cpus == "0"
    spec = WorkloadSpec("one", "command", {"command": ["nproc"]}, cpus="0")
    assert subprocess.check_output(prepare(spec, context()).command) == b"1\n"
    with pytest.raises(WorkloadError, match="cannot run on CPUs 0,4000: those online are 0"):
        traffic_of("tcp-fan-in", context(workload_cpus="0,4000"))


def test_rates_are_those_of_all_streams(context, traffic_of):
    argv = traffic_of("udp-fan-in", streams=4, rate_mbps=100.0).command
    assert option(argv, "--bitrate") == "25000000"
    argv = traffic_of("udp-fan-in", context(packet_rate_hz=1000, frame_bytes=146)).command
    assert option(argv, "--bitrate") == str(1000 * 100 * 8)
    assert option(traffic_of("udp-fan-in").command, "--bitrate") == "0"
    own = traffic_of("udp-fan-in", context("127.0.0.1", "127.0.0.2", packet_rate_hz=999), streams=3)
    rates = [option(argv, "--packet-rate") for _, argv in own.servers]
    assert rates == ["666", "333"]


def test_traffic_outlasts_the_window(context, traffic_of):
    around = context(warmup_s=1.5, duration_s=7.25)
    assert int(option(traffic_of("tcp-fan-in", around).command, "--time")) >= 1.5 + 7.25 + 0.5
    argv = traffic_of("request-response", around).command
    times = [float(option(argv, name)) for name in ("--warmup", "--duration", "--cooldown")]
    assert times[:2] == [1.5, 7.25]
    assert times[2] >= 0.5
    several = context("127.0.0.1", "127.0.0.2", warmup_s=1.5, duration_s=7.25)
    assert float(option(traffic_of("tcp-fan-in", several).command, "--duration")) >= 9.25


def test_more_peers_than_streams(context, traffic_of):
    around = context("127.0.0.1", "127.0.0.2", "127.0.0.3")
    assert [where for where, _ in traffic_of("udp-fan-in", around, streams=2).servers] == [0, 1]
    assert [where for where, _ in traffic_of("request-response", around).servers] == [0]


@given(total=st.integers(0, 1000), parts=st.integers(1, 50))
def test_shares_are_even_and_whole(total, parts):
    divided = shares(total, parts)
    assert sum(divided) == total
    assert len(divided) == parts
    assert max(divided) - min(divided) <= 1


@pytest.mark.parametrize(
    ("kind", "options", "said"),
    [
        ("udp-fan-in", {"payload_bytes": 70000}, "cannot hold 70000 bytes"),
        ("udp-fan-in", {"streams": 200}, "iperf3 takes 128 streams"),
        ("udp-fan-in", {"tool": "netperf"}, "is not iperf3 or coalescope-traffic"),
        ("request-response", {"protocol": "sctp"}, "is not udp or tcp"),
        ("request-response", {"streams": 65}, "1 to 64 can be had"),
        ("request-response", {"response_bytes": 4096.5}, "is not a whole number"),
        ("pktgen", {"frame_bytes": 1519}, "with this MTU, 64 to 1518 can be"),
        ("nfs", {"server": "nas:/never/exported"}, "as root: mount -t nfs -o ro nas:/never"),
        ("command", {"command": []}, "command is empty"),
        ("command", {"command": "ping"}, "is a list of texts"),
    ],
)
def test_what_cannot_be_had_is_said(traffic_of, kind, options, said):
    with pytest.raises(WorkloadError, match=r"\[workloads\.one\]: ") as raised:
        traffic_of(kind, **options)
    assert said in str(raised.value)


@pytest.mark.parametrize("kind", ["udp-fan-in", "tcp-fan-in", "request-response", "pktgen"])
def test_traffic_needs_a_peer(kind):
    alone = RunContext("lo", {}, 1, 1, 1.0, 1.0, (), None)
    with pytest.raises(WorkloadError, match=r"needs a peer: add \[\[peers\]\]"):
        KINDS[kind](WorkloadSpec("one", kind, {}), alone)


def test_iperf3_takes_one_peer(context, traffic_of):
    with pytest.raises(WorkloadError, match="iperf3 takes one peer, and there are 2"):
        traffic_of("udp-fan-in", context("127.0.0.1", "127.0.0.2"), tool="iperf3")


# --- commands ---


def test_a_command_is_filled_in(context, traffic_of):
    around = context("192.0.2.9", mtu_bytes=9000, **{"offload.gro": True})
    command = ["tool", "{mtu_bytes}", "x{seed}-{replicate}", "{offload.gro}", "{duration_s}"]
    command += ["{interface}", "{peer}", "{print}", "{{seed}}"]
    traffic = traffic_of("command", around, command=command, server=["serve", "{mtu_bytes}"])
    filled = ["tool", "9000", "x7-2", "on", "10", "lo", "192.0.2.9", "{print}", "{7}"]
    assert traffic.command == filled
    assert traffic.servers == [(0, ["serve", "9000"])]
    assert traffic.needs() == ["tool"]
    assert traffic.user == "nobody"
    assert traffic.result(b"whatever") == traffic.remarks(b"") == []


def test_a_value_is_not_filled_in_again(context, traffic_of):
    around = context(**{"factor.note": "{seed}"})
    assert traffic_of("command", around, command=["x", "{factor.note}"]).command[1] == "{seed}"


# --- nfs ---

MOUNTS = [
    "proc /proc proc rw 0 0",
    "nas:/data /mnt/with\\040space nfs4 ro,vers=4.2 0 0",
    "nas:/other /other nfs rw 0 0",
    "nas:/fake /fake ext4 rw 0 0",
]


def folder(**options):
    context = RunContext("lo", {}, 1, 1, 1.0, 1.0, (), None)
    return nfs.folder(Demand(WorkloadSpec("one", "nfs", options), context), MOUNTS)


def test_where_a_server_is_mounted():
    assert folder(server="nas:/data") == "/mnt/with space"
    assert folder(server="nas:/data/") == "/mnt/with space"
    assert folder(server="nas:/other", directory="/other/below") == "/other/below"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"server": "nas:/more"}, "mount -t nfs -o ro nas:/more /mnt"),
        (
            {"server": "nas:/more", "options": "ro,vers=3", "directory": "/d"},
            "ro,vers=3 nas:/more /d",
        ),
        ({"server": "nas:/fake"}, "is not mounted"),
        ({"server": "nas:/other", "directory": "/otherwise"}, "does not lie on nas:/other"),
    ],
)
def test_a_server_that_is_not_mounted(options, said):
    with pytest.raises(WorkloadError) as raised:
        folder(**options)
    assert said in str(raised.value)


# --- pktgen ---


def test_pktgen_gets_its_lines(context, traffic_of):
    around = context("127.0.0.1", "127.0.0.2", streams=3, packet_rate_hz=30_000, frame_bytes=64)
    first, second = (argv for _, argv in traffic_of("pktgen", around).servers)
    assert first[:2] == ["sh", "-c"]
    assert first[4] == "eth9"
    lines = first[5:]
    assert "pkt_size 60" in lines
    assert "ratep 20000" in lines
    assert "ratep 10000" in second
    assert "udp_src_max 10002" in lines
    assert "dst_mac 00:00:00:00:00:00" in lines  # of the loopback interface
    assert "delay 0" in traffic_of("pktgen").servers[0][1]


def test_pktgen_over_ipv6(context, traffic_of):
    traffic = traffic_of("pktgen", context("::1", frame_bytes=82))
    ((_, server),) = traffic.servers
    assert {"dst6 ::1", "src6 ::1", "flag UDPCSUM", "pkt_size 78"} <= set(server)
    assert option(traffic.command, "--bind") == "::"
    with pytest.raises(WorkloadError, match="with this MTU, 82 to 1518 can be"):
        traffic_of("pktgen", context("::1", frame_bytes=81))


def test_pktgen_is_a_script_that_a_shell_takes():
    from coalescope_host.workloads.pktgen import SCRIPT

    checked = subprocess.run(["sh", "-n", "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert checked.stderr == ""


def test_pktgen_needs_an_interface_of_the_peer():
    around = RunContext("lo", {}, 1, 1, 1.0, 1.0, (PeerSpec("root@p", "127.0.0.1"),), None)
    with pytest.raises(WorkloadError, match="write that of the peer root@p"):
        KINDS["pktgen"](WorkloadSpec("one", "pktgen", {}), around)


# --- addresses ---


def test_addresses():
    assert address_towards("127.0.0.1") == "127.0.0.1"
    assert address_towards("::1") == "::1"
    with pytest.raises(WorkloadError, match="no way to the peer fe80::1"):
        address_towards("fe80::1")
    assert hardware_address("lo") == "00:00:00:00:00:00"
    with pytest.raises(WorkloadError, match="nowhere0 has no hardware address"):
        hardware_address("nowhere0")


# --- results ---


def iperf3_report(received=1000, seconds=(1.0, 1.0, 1.0), octets=(9, 9, 9), **end):
    intervals = [
        {"sum": {"seconds": one, "bytes": count}}
        for one, count in zip(seconds, octets, strict=True)
    ]
    return {"intervals": intervals, "end": {"sum_received": {"bytes": received}, **end}}


@pytest.mark.parametrize(
    ("report", "said"),
    [
        (iperf3_report(), None),
        (iperf3_report(octets=(9, 0, 9)), "nothing came in 1.0 of 3.0 s"),
        (iperf3_report(seconds=(0.5,) * 8, octets=(9, 0, 9, 0, 9, 0, 9, 0)), None),  # a low rate
        (iperf3_report(seconds=(0.5,) * 6, octets=(9, 0, 0, 0, 0, 9)), "nothing came in 2.0 of 3"),
        (iperf3_report(received=0), "received nothing"),
        ({"error": "unable to connect"}, "iperf3 says: unable to connect"),
        ({"end": {}}, "without a report"),
        ({}, "without a report"),
        ({"end": {"sum": {"bytes": 10, "lost_percent": 100}}}, "received nothing"),
        ({"end": {"sum": {"bytes": 10, "lost_percent": 20}}}, None),
    ],
)
def test_faults_of_iperf3(report, said):
    found = iperf3.faults(report)
    assert found == [] if said is None else said in found[0]


def test_remarks_on_iperf3():
    sent = {"retransmits": 3, "bits_per_second": 90e6}
    said = iperf3.remarks(iperf3_report(sum_sent=sent), 100.0)
    assert said == [
        "its sender retransmitted 3 segments",
        "the peer sent 90.0 Mb/s where 100.0 were asked for",
    ]
    assert iperf3.remarks(iperf3_report(sum_sent={**sent, "retransmits": 0}), None) == []


@pytest.mark.fault("A4")
def test_loss_is_remarked_once():
    lost = {"lost_packets": 12, "lost_percent": 3.0}
    assert iperf3.remarks(iperf3_report(sum=lost), None) == ["12 datagrams were lost"]
    later = {"bytes": 1000, **lost}
    assert iperf3.remarks({"end": {"sum": lost, "sum_received": later}}, None) == [
        "12 datagrams were lost"
    ]
    assert iperf3.remarks(iperf3_report(sum={**lost, "lost_packets": 0}), None) == []
    sink = {"operations": 10, "bytes": 100, "lost": 5, "dropped": 4}
    assert traffic_tool.sink_remarks(json.dumps(sink).encode()) == [
        "5 datagrams were lost",
        "4 datagrams found the socket's buffer full",
    ]


def test_senders_slower_than_asked_are_remarked(context, traffic_of):
    around = context(packet_rate_hz=1000)
    for kind in ("udp-fan-in", "pktgen"):
        tool = {"tool": "coalescope-traffic"} if kind == "udp-fan-in" else {}
        traffic = traffic_of(kind, around, **tool)
        report = {"operations": 1800, "bytes": 9, "seconds": 2.0, "lost": 0}
        assert traffic.remarks(json.dumps(report).encode()) == [
            "the peers sent 900 a second where 1000 were asked for"
        ]
        report["lost"] = 199  # they were sent
        assert traffic.remarks(json.dumps(report).encode()) == ["199 datagrams were lost"]


@pytest.mark.parametrize(
    ("report", "said"),
    [
        ({"operations": 1000, "timeouts": 0}, None),
        ({"operations": 1000, "timeouts": 10}, None),
        ({"operations": 1000, "timeouts": 11}, "traffic stalled"),
        ({"operations": 0, "timeouts": 5}, "not one request"),
        ({}, "not one request"),
    ],
)
def test_faults_of_requests(report, said):
    found = traffic_tool.requests_faults(json.dumps(report).encode())
    assert found == [] if said is None else said in found[0]


def test_remarks_on_requests():
    report = {"operations": 900, "seconds": 1.0, "timeouts": 2, "intended_rate_hz": 1000}
    assert traffic_tool.requests_remarks(json.dumps(report).encode()) == [
        "2 requests were asked again after a timeout",
        "900 requests a second where 1000 were asked for",
    ]


JUDGES = [
    traffic_tool.sink_faults,
    traffic_tool.requests_faults,
    lambda body: KINDS["tcp-fan-in"](
        WorkloadSpec("one", "tcp-fan-in", {}),
        RunContext("lo", {}, 1, 1, 1.0, 1.0, (PeerSpec("p", "127.0.0.1"),), None),
    ).result(body),
]


@pytest.mark.parametrize("judge", JUDGES)
@pytest.mark.parametrize("body", [b"", b" \n", b"oops", b"[1]", b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_report_is_a_fault(judge, body):
    assert "printed" in judge(body)[0]


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists, max_leaves=5))
def test_no_report_breaks_a_judge(value):
    names = ["error", "end", "intervals", "bytes", "operations", "timeouts", "seconds"]
    for document in (dict.fromkeys(names, value), {"end": {"sum_received": value}}):
        body = json.dumps(document).encode()
        for judge in JUDGES:
            assert all(isinstance(fault, str) for fault in judge(body))
        traffic_tool.requests_remarks(body)
        traffic_tool.sink_remarks(body)
        iperf3.remarks(document, 1.0)


def test_a_number_is_written_as_the_tool_reads_it():
    assert traffic_tool.number_text(3000.0) == "3000"
    assert math.isclose(float(traffic_tool.number_text(1 / 3)), 1 / 3, rel_tol=1e-11)
