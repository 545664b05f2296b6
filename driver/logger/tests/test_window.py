# SPDX-License-Identifier: Apache-2.0
"""The measurement window begins and ends with the command's traffic."""

import json
import statistics
import subprocess
import time

import pytest
from coalescope_host.run_log import read
from timeouts import TIMEOUT_S, wait_until

pytestmark = pytest.mark.network

RECEIVER = "10.214.0.2"
LATE_S = 3
STRAY = """
import socket, time
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(20):
    out.sendto(b"x" * 60, ("10.214.0.2", 9)); time.sleep(0.1)
"""


def inside(namespace, *command):
    return ["ip", "netns", "exec", namespace, *map(str, command)]


def listens(namespace):
    question = inside(namespace, "ss", "-Hltn", "sport = :5201")
    return bool(subprocess.run(question, capture_output=True, check=True).stdout.strip())


def received(logger, namespaces, path, *options, traffic=("-t", 3), late_s=LATE_S):
    """Records `iperf3 -s -1` whose client comes late; the log, and what the logger said."""
    command = [logger, "-i", "probe0", "-o", path, *options, "--", "iperf3", "-s", "-1", "-J"]
    with subprocess.Popen(
        inside(namespaces[1], *command), stderr=subprocess.PIPE, text=True
    ) as process:
        wait_until(lambda: listens(namespaces[1]), "iperf3 does not listen")
        subprocess.run(inside(namespaces[0], "python3", "-c", STRAY), check=True)
        time.sleep(max(0, late_s - 2))
        client = ["iperf3", "-c", RECEIVER, "-b", "200M", *traffic]
        subprocess.run(inside(namespaces[0], *client), check=True, capture_output=True)
        _, said = process.communicate(timeout=TIMEOUT_S)
    assert process.returncode == 0, said
    return read(path), said


def advance(log, name):
    start, end = log.window
    times, values = log.streams[0].column("t_monotonic_ns"), log.streams[0].column(name)
    seconds = (end - start) / 1e9
    return (values[times.index(end)] - values[times.index(start)]), seconds


def arrived_bps(interval):
    """What reached this host, datagrams that its socket had no room for included."""
    if "packets" not in interval:
        return interval["bits_per_second"]
    return interval["packets"] * 1000 * 8 / interval["seconds"]


@pytest.mark.fault("A2")
@pytest.mark.parametrize("udp", [False, True], ids=["tcp", "udp"])
def test_a_late_client_does_not_lower_the_rate(logger, namespaces, tmp_path, udp):
    traffic = ("-t", 3, *(("-u", "-l", 1000) if udp else ()))
    log, _ = received(logger, namespaces, tmp_path / "a.runlog", traffic=map(str, traffic))
    octets, seconds = advance(log, "rx_bytes")
    packets, _ = advance(log, "rx_packets")
    intervals = json.loads(bytes(log.result.body))["intervals"]
    goodput = statistics.mean(arrived_bps(one["sum"]) for one in intervals[1:3])
    assert 2.5 < seconds < 3.1
    headers = packets * (42 if udp else 66)
    assert (octets - headers) * 8 / seconds == pytest.approx(goodput, rel=0.02)
    start, _ = log.window
    assert start - log.streams[0].column("t_monotonic_ns")[0] > (LATE_S - 0.5) * 1e9
    assert log.header["window"] == {"start": "traffic", "warmup_ns": 0}
    names = [mark.name for mark in log.marks]
    assert names == ["command_start", "window_start", "window_end", "command_end"]


def test_warmup_and_duration_count_from_the_traffic(logger, namespaces, tmp_path):
    options = ("-w", "500ms", "-d", "1s", "-t", "50ms")
    log, _ = received(logger, namespaces, tmp_path / "a.runlog", *options)
    octets, seconds = advance(log, "rx_bytes")
    assert 1 <= seconds < 1.3
    assert octets * 8 / seconds == pytest.approx(200e6, rel=0.1)


def test_on_request_it_begins_at_once(logger, namespaces, tmp_path):
    log, _ = received(logger, namespaces, tmp_path / "a.runlog", "--start", "now")
    _, seconds = advance(log, "rx_bytes")
    assert seconds > LATE_S + 2.9
    assert log.window[0] == log.streams[0].column("t_monotonic_ns")[0]


def test_it_follows_what_is_sent_too(logger, namespaces, tmp_path):
    """Traffic that is sent, with silence before and after it: only acknowledgements come back."""
    path = tmp_path / "a.runlog"
    server = inside(namespaces[1], "iperf3", "-s", "-1")
    with subprocess.Popen(server, stdout=subprocess.DEVNULL) as receiving:
        wait_until(lambda: listens(namespaces[1]), "iperf3 does not listen")
        script = f"sleep 1; iperf3 -c {RECEIVER} -t 2 -b 200M; sleep 1"
        command = [logger, "-i", "probe0", "-o", path, "--", "sh", "-c", script]
        done = subprocess.run(inside(namespaces[0], *command), check=False, timeout=TIMEOUT_S)
        assert receiving.wait(TIMEOUT_S) == 0
    assert done.returncode == 0
    octets, seconds = advance(read(path), "tx_bytes")
    assert 1.5 < seconds < 2.1
    assert octets * 8 / seconds == pytest.approx(200e6, rel=0.1)


def test_sparse_requests_are_traffic(logger, namespaces, tmp_path):
    """A packet now and then is all of the traffic, and none of it is taken for background."""
    script = STRAY.replace("time.sleep(0.1)", "time.sleep(0.25)").replace("range(20)", "range(12)")
    path = tmp_path / "a.runlog"
    command = [logger, "-i", "probe0", "-o", path, "--", "python3", "-c", script]
    subprocess.run(inside(namespaces[0], *command), check=True, timeout=TIMEOUT_S)
    packets, seconds = advance(read(path), "tx_packets")
    assert 2 < seconds < 3.2
    assert 8 <= packets <= 14  # with ARP


LOSING = """
import socket, time
inbox = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
inbox.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
inbox.bind(("127.0.0.1", 0))
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
time.sleep(4)
until = time.monotonic() + 5
while time.monotonic() < until: out.sendto(b"x" * 100, inbox.getsockname()); time.sleep(0.002)
time.sleep(2)
"""


def test_it_begins_and_ends_with_samples_for_which_losses_were_read(logger, namespaces, tmp_path):
    """Each datagram is lost, so losses and packets agree if both are of the window's samples."""
    path = tmp_path / "a.runlog"
    command = [logger, "-i", "lo", "-o", path, "--", "python3", "-c", LOSING]
    subprocess.run(inside(namespaces[0], *command), check=True, timeout=TIMEOUT_S)
    log = read(path)
    packets, seconds = advance(log, "rx_packets")
    lost, _ = advance(log, "udp_rcvbuf_errors")
    assert lost == pytest.approx(packets, abs=5)  # one is read after the other
    assert 4.4 < seconds < 5.1
    stands_still = log.streams[0].column("cpu_idle_ns")
    assert len(set(stands_still)) < log.records * 3 / 4  # and it was not read for each


def test_a_burst_of_one_interval_is_whole(logger, namespaces, tmp_path):
    script = STRAY.replace("time.sleep(0.1)", "0")
    path = tmp_path / "a.runlog"
    quiet = f"import time; time.sleep(0.55){script}time.sleep(0.5)"
    command = [logger, "-i", "probe0", "-o", path, "--", "python3", "-c", quiet]
    subprocess.run(inside(namespaces[0], *command), check=True, timeout=TIMEOUT_S)
    packets, seconds = advance(read(path), "tx_packets")
    assert packets >= 20
    assert seconds < 0.35


def said_in(namespace, *command):
    """What a command said there, whatever it ended with."""
    return subprocess.run(
        inside(namespace, *command),
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


@pytest.mark.parametrize("options", [("-d", "200ms"), ("--", "sleep", "0.3")])
def test_silence_is_said(logger, namespaces, tmp_path, options):
    path = tmp_path / "a.runlog"
    command = [logger, "-i", "lo", "-o", path, *options]
    done = said_in(namespaces[0], *command)
    assert done.returncode == 0
    assert "no packet passed lo" in done.stderr
    assert None not in read(path).window
    ping = ("ping", "-c2", "-i0.1", "127.0.0.1")
    heard = said_in(namespaces[0], *command[:5], "--force", "--", *ping)
    assert "no packet passed" not in heard.stderr


def test_an_interface_that_nothing_passes_is_named_when_recording_begins(
    logger, namespaces, tmp_path
):
    for sides, said in ((("down", "down"), "is down"), (("up", "down"), "has no carrier")):
        for namespace, state in zip(namespaces, sides, strict=True):
            subprocess.run(["ip", "-n", namespace, "link", "set", "probe0", state], check=True)
        command = [logger, "-i", "probe0", "-o", tmp_path / f"{said}.runlog", "-d", "20ms"]
        done = said_in(namespaces[0], *command)
        assert f"probe0 {said}: nothing passes it" in done.stderr


def test_a_link_is_there_before_the_kernel_flags_it(logger, namespaces, tmp_path):
    """Its flag follows later, of a virtual interface by up to a second."""
    for state in ("down", "up"):
        change = ["ip", "-n", namespaces[0], "link", "set", "probe0", state]
        subprocess.run(change, check=True)
    done = said_in(namespaces[0], logger, "-i", "probe0", "-o", tmp_path / "a", "-d", "20ms")
    assert "nothing passes it" not in done.stderr


def test_what_has_no_experiment_says_so(logger, tmp_path):
    asked = [logger, "-i", "lo", "-o", tmp_path / "a.runlog", "--force", "-d", "20ms"]
    without = subprocess.run(asked, capture_output=True, text=True, check=True)
    assert "--experiment" in without.stderr
    named = subprocess.run([*asked, "-e", "named"], capture_output=True, text=True, check=True)
    assert "--experiment" not in named.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--start", "late"], "now or with traffic"),
        (["--start", "now", "--start-on-traffic", "3"], "in one way only"),
        (["--start", "traffic"], "without one"),
    ],
)
def test_what_it_can_begin_with_is_checked(logger, arguments, message):
    done = subprocess.run(
        [logger, "-i", "lo", "-o", "x", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert message in done.stderr
