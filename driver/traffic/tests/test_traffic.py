# SPDX-License-Identifier: Apache-2.0
"""Real traffic over the loopback interface."""

import json
import os
import re
import signal
import socket
import struct
import subprocess
import threading
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from timeouts import TIMEOUT_S, retried_if_disturbed, wait_until

MAGIC = 0x52513132


def run(*command, seconds=TIMEOUT_S):
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=seconds, check=False
    )


def sockets_at(port, protocol):
    """Lines of /proc/net of the sockets of both families that are bound to a port."""
    lines = []
    for table in (protocol, f"{protocol}6"):
        lines += Path(f"/proc/net/{table}").read_text(encoding="ascii").splitlines()[1:]
    return [line.split() for line in lines if line.split()[1].endswith(f":{port:04X}")]


LISTENING, WAITING = "0A", "06"  # states of the table


def listening(port, protocol):
    return any(set(line[2].split(":")[0]) == {"0"} for line in sockets_at(port, protocol))


def taken(port):
    """Whether a socket has given all that came to its program."""
    return [line[4] for line in sockets_at(port, "udp")] == ["00000000:00000000"]


def closed(port):
    """Whether a server's connections have all come to their end."""
    return all(line[3] in {LISTENING, WAITING} for line in sockets_at(port, "tcp"))


class Running:
    """A tool in the background."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def result(self, *, status=0, seconds=TIMEOUT_S):
        out, said = self.process.communicate(timeout=seconds)
        assert self.process.returncode == status, said
        return json.loads(out)

    def end(self, **expected):
        self.process.send_signal(signal.SIGTERM)
        return self.result(**expected)


@contextmanager
def background(*command, port=None, protocol="udp"):
    one = Running(command)
    try:

        def is_up():
            assert one.process.poll() is None, one.process.communicate()
            return listening(port, protocol)

        if port is not None:
            wait_until(is_up, "nobody listens")
        yield one
    finally:
        if one.process.poll() is None:
            one.process.kill()
        one.process.communicate()


def server(traffic, port, *more, protocol="udp"):
    command = [traffic, "request-response", "server", "--port", port, "--transport", protocol]
    return background(*command, *more, port=port, protocol=protocol)


def client(traffic, port, *more, protocol="udp", status=0):
    command = [traffic, "request-response", "client", "--to", "127.0.0.1", "--port", port]
    done = run(*command, "--transport", protocol, *more)
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout), done.stderr


@pytest.mark.parametrize("protocol", ["udp", "tcp"])
def test_every_request_is_answered_once(traffic, port, protocol):
    command = [traffic, "request-response", "client", "--to", "127.0.0.1", "--port", port]
    command += ["--clients", 3, "--outstanding", 2, "--response-bytes", 4224, "--small-every", 4]
    command += ["--timeout", 60]  # where nothing is lost, nothing is asked for again
    with server(traffic, port, "--servers", 3, protocol=protocol) as serving:
        with background(*command, "--transport", protocol) as asking:
            time.sleep(0.5)
            found = asking.end()
        served = serving.end()
    assert found["tool"] == served["tool"] == "coalescope-traffic"
    assert (found["role"], served["role"]) == ("request-response client", "request-response server")
    assert found["timeouts"] == found["late_replies"] == 0
    assert found["operations"] > 100
    # all but those that were on their way in the end
    assert 0 <= served["operations"] - found["operations"] <= 6
    small = (found["operations"] * 4224 - found["bytes"]) / (4224 - 128)
    assert small == pytest.approx(found["operations"] / 4, abs=3)
    assert sum(found["histogram"]["counts"]) == found["operations"]
    slices = found["latency_slices"]
    assert slices["t_start_monotonic_ns"] == found["t_start_monotonic_ns"]
    assert sum(map(sum, slices["counts"])) == found["operations"]
    assert 0.1 < found["seconds"] < 5


@retried_if_disturbed
def test_latency_is_the_service_time_and_a_little(traffic, port):
    with server(traffic, port, "--service-us", 20000):
        found, _ = client(traffic, port, "--small-every", 2, "--duration", 1)
    latency = found["latency_us"]
    order = [latency[name] for name in ("min", "p50", "p90", "p95", "p99", "p999", "max")]
    assert order == sorted(order)
    assert latency["p90"] * (1 + 1 / 128) >= 20000
    assert latency["p90"] < 40000
    assert latency["min"] < 10000  # the small ones need no service
    assert 60 < found["operations"] <= 102
    assert latency["mean"] == pytest.approx(1e6 / found["operations"], rel=0.1)


@retried_if_disturbed
def test_servers_work_one_at_a_time(traffic, port):
    with server(traffic, port, "--service-us", 10000):
        found, _ = client(
            traffic, port, "--clients", 4, "--servers", 1, "--outstanding", 2, "--duration", 1
        )
    assert found["operations"] <= 101
    assert found["latency_us"]["p50"] > 70000  # seven others are served before


@retried_if_disturbed
def test_exponential_service_times_have_their_mean(traffic, port):
    with server(traffic, port, "--service-exponential-us", 10_000, "--seed", 5):
        found, _ = client(traffic, port, "--duration", 3)
    latency = found["latency_us"]
    assert latency["mean"] == pytest.approx(10_000, rel=0.3)
    assert latency["min"] < 0.2 * latency["mean"]
    assert latency["p50"] < 0.85 * latency["mean"]  # ln 2 of it
    assert latency["p99"] > 2.5 * latency["mean"]


@retried_if_disturbed
def test_a_schedule_counts_the_wait_that_a_closed_loop_omits(traffic, port):
    """One stall of 300 ms: a closed loop sees it once, an open one in all that were due then."""
    with background(traffic, "request-response", "server", "--port", port, port=port) as serving:

        def stall():
            time.sleep(0.5)
            serving.process.send_signal(signal.SIGSTOP)
            time.sleep(0.3)
            serving.process.send_signal(signal.SIGCONT)

        found = {}
        for name, more in {"closed": [], "open": ["--rate", 1000]}.items():
            staller = threading.Thread(target=stall)
            staller.start()
            found[name], _ = client(traffic, port, "--duration", 1.5, *more)
            staller.join()
    assert not found["closed"]["open_loop"]
    assert found["closed"]["latency_us"]["max"] > 250e3
    assert found["closed"]["latency_us"]["p99"] < 100e3
    assert found["open"]["operations"] == pytest.approx(1500, abs=75)
    assert found["open"]["latency_us"]["p90"] > 50e3
    assert found["open"]["latency_us"]["p99"] > 250e3


def test_what_is_lost_is_asked_for_again_with_the_same_id(traffic, port):
    """A server that drops every third datagram and answers one in ten twice."""
    inbox = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    inbox.bind(("127.0.0.1", port))
    inbox.settimeout(3)
    asked = []

    def serve():
        for number in range(10**9):
            try:
                request, origin = inbox.recvfrom(2000)
            except TimeoutError:
                return
            magic, identity, wanted = struct.unpack("<3I", request[:12])
            assert (len(request), magic) == (120, MAGIC)
            asked.append(identity)
            if number % 3 == 2:
                continue
            for _ in range(2 if number % 10 == 0 else 1):
                inbox.sendto(request.ljust(wanted, b"\0"), origin)

    serving = threading.Thread(target=serve)
    serving.start()
    with inbox:
        found, _ = client(traffic, port, "--timeout", 0.2, "--duration", 2.5)
        serving.join()
    repeated = len(asked) - len(set(asked))
    assert repeated > 2
    assert abs(found["timeouts"] - repeated) <= 1
    assert abs(found["operations"] - len(set(asked))) <= 1
    assert found["late_replies"] > 1
    assert found["latency_us"]["max"] > 200e3  # from the first time it was sent


@retried_if_disturbed
def test_a_server_that_is_killed_is_noticed(traffic, port):
    with server(traffic, port) as serving:
        threading.Timer(0.3, serving.process.kill).start()
        found, said = client(traffic, port, "--timeout", 0.1, "--duration", 1, status=1)
    assert "stopped answering 0." in said
    assert found["operations"] > 100
    assert 4 <= found["timeouts"] <= 8


@retried_if_disturbed
def test_a_connection_that_breaks_is_noticed(traffic, port):
    with server(traffic, port, protocol="tcp") as serving:
        threading.Timer(0.3, serving.process.kill).start()
        found, said = client(traffic, port, "--duration", 5, protocol="tcp", status=1)
    assert "Connection reset" in said or "Broken pipe" in said
    assert found["seconds"] < 3


@pytest.mark.parametrize("protocol", ["udp", "tcp"])
def test_no_server_is_an_error(traffic, port, protocol):
    more = ["--timeout", 0.1, "--duration", 0.4]
    found, said = client(traffic, port, *more, protocol=protocol, status=1)
    assert found["operations"] == 0
    assert "latency_us" not in found
    assert "not one response" in said or "Connection refused" in said


def test_where_nobody_listens_is_tried_again_and_named(traffic, port):
    done = run(traffic, "source", "tcp", "--to", "127.0.0.1", "--port", port, "--bytes", 1)
    assert done.returncode == 1
    said = rf"cannot reach 127\.0\.0\.1 port {port}, tried for 2\.\d s: Connection refused\n"
    assert re.fullmatch(f"coalescope-traffic: {said}", done.stderr)


@retried_if_disturbed
def test_warm_up_and_cool_down_are_not_counted(traffic, port):
    begun = time.monotonic()
    with server(traffic, port, "--service-us", 10000) as serving:
        more = ["--warmup", 0.4, "--cooldown", 0.3, "--duration", 0.5]
        found, _ = client(traffic, port, *more)
        served = serving.end()
    assert time.monotonic() - begun > 1.2
    assert found["seconds"] == pytest.approx(0.5, abs=1e-6)
    assert 20 <= found["operations"] <= 50
    assert served["operations"] > 1.5 * found["operations"]


def test_servers_at_consecutive_addresses(traffic, port):
    answered = []
    inboxes = []
    for number in range(3):
        inbox = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        inbox.bind((f"127.0.0.{11 + number}", port + number))
        inbox.settimeout(1.5)
        inboxes.append(inbox)

    def serve(number):
        try:
            while True:
                request, origin = inboxes[number].recvfrom(2000)
                inboxes[number].sendto(request.ljust(4096, b"\0"), origin)
                answered.append(number)
        except TimeoutError:
            return

    threads = [threading.Thread(target=serve, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    command = [traffic, "request-response", "client", "--to", "127.0.0.11", "--port", port]
    done = run(*command, "--clients", 3, "--servers-at-consecutive-addresses", "--duration", 0.3)
    for thread in threads:
        thread.join()
    for inbox in inboxes:
        inbox.close()
    assert done.returncode == 0, done.stderr
    assert set(answered) == {0, 1, 2}


def test_every_datagram_is_counted(traffic, port):
    with background(traffic, "sink", "udp", "--port", port, port=port) as sinking:
        more = ["--streams", 3, "--frame-bytes", 1000, "--packet-rate", 5000, "--count", 2000]
        sent = run(traffic, "source", "udp", "--to", "127.0.0.1", "--port", port, *more)
        wait_until(lambda: taken(port), "some still wait")
        got = sinking.end()
    source = json.loads(sent.stdout)
    assert source["role"] == "udp source"
    assert source["operations"] == got["operations"] == 2000
    assert source["bytes"] == got["bytes"] == 2000 * (1000 - 46)
    assert got["role"] == "udp sink"
    assert got["dropped"] == 0
    assert 0.38 < got["seconds"] < source["seconds"] + 0.2


def test_a_sink_that_does_not_keep_up_says_what_it_dropped(traffic, port):
    with background(traffic, "sink", "udp", "--port", port, port=port) as sinking:
        sinking.process.send_signal(signal.SIGSTOP)
        more = ["--frame-bytes", 9000, "--count", 20000]
        sent = run(traffic, "source", "udp", "--to", "127.0.0.1", "--port", port, *more)
        sinking.process.send_signal(signal.SIGCONT)
        wait_until(lambda: taken(port), "some still wait")
        got = sinking.end()
    assert json.loads(sent.stdout)["operations"] == 20000
    assert got["dropped"] > 0
    assert got["operations"] + got["dropped"] == 20000


@retried_if_disturbed
def test_a_source_keeps_its_rate(traffic, port):
    with background(traffic, "sink", "udp", "--port", port, port=port) as sinking:
        more = ["--packet-rate", 2000, "--jitter", 0.5, "--seed", 3, "--duration", 1]
        sent = run(traffic, "source", "udp", "--to", "127.0.0.1", "--port", port, *more)
        sinking.end()
    found = json.loads(sent.stdout)
    assert found["operations"] <= 2000 * 1.02
    on_schedule = found["seconds"] - found["behind_seconds"]
    assert found["operations"] == pytest.approx(2000 * on_schedule, rel=0.02)


def test_sending_to_where_nobody_listens_is_counted(traffic, port):
    more = ["--packet-rate", 1000, "--count", 200]
    sent = run(traffic, "source", "udp", "--to", "127.0.0.1", "--port", port, *more)
    found = json.loads(sent.stdout)
    assert sent.returncode == 0
    assert found["operations"] == 200
    assert found["refused"] > 100


def test_every_byte_of_streams_is_counted_and_the_sink_ends_with_them(traffic, port):
    command = [traffic, "sink", "tcp", "--port", port, "--connections", 4]
    with background(*command, port=port, protocol="tcp") as sinking:
        more = ["--streams", 4, "--bytes", 3_000_001, "--write-bytes", 10_000]
        sent = run(traffic, "source", "tcp", "--to", "127.0.0.1", "--port", port, *more)
        got = sinking.result()
    assert json.loads(sent.stdout)["bytes"] == got["bytes"] == 4 * 3_000_001
    assert got["connections"] == 4
    assert got["role"] == "tcp sink"


def offered_window(port):
    """What the receiver at that port last offered, as the sender's kernel knows it."""
    shown = run("ss", "-Htin", f"dport = :{port}").stdout
    return int(re.search(r"snd_wnd:(\d+)", shown).group(1))


@pytest.mark.parametrize("window", [None, 32768])
def test_the_receive_window_is_a_bound(traffic, port, window):
    limit = [] if window is None else ["--receive-window", window]
    command = [traffic, "sink", "tcp", "--port", port, *limit]
    with background(*command, port=port, protocol="tcp"), socket.socket() as sender:
        sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 1400)  # loopback's exceeds 32768
        sender.connect(("127.0.0.1", port))
        offered = []
        for _ in range(20):
            for _ in range(100):
                sender.sendall(b"x" * 4096)
            offered.append(offered_window(port))
    most = max(offered[10:])  # what was offered before it was accepted is not taken back
    assert most > 40000 if window is None else 16384 <= most <= window, offered


def test_a_duration_ends_a_sink(traffic, port):
    done = run(traffic, "sink", "tcp", "--port", port, "--duration", 0.2)
    assert done.returncode == 0
    assert json.loads(done.stdout)["bytes"] == 0


def test_a_port_that_is_taken_is_an_error(traffic, port):
    with background(traffic, "sink", "udp", "--port", port, port=port):
        done = run(traffic, "sink", "udp", "--port", port)
    assert done.returncode == 1
    assert f"UDP port {port}: Address already in use" in done.stderr


@pytest.mark.fault("D2")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "no role is named"),
        (["sink"], "no role is named"),
        (["sink", "sctp", "--port", "1"], "no such thing to do: sink sctp"),
        (["sink", "udp"], "no port is named: --port is missing"),
        (["sink", "udp", "--port", "70000"], "--port takes a whole number from 1 to 65535"),
        (["sink", "udp", "--port", "9.5"], "whole number"),
        (["sink", "udp", "--port", "0x50"], "whole number"),
        (["sink", "udp", "--port", "9", "--clients", "2"], "not an option here: clients"),
        (["read", "files"], "no path is named: --path is missing"),
        (["read", "files", "--path", "/", "--read-bytes", "1000"], "not a multiple of 4096"),
        (["sink", "udp", "--port", "9", "more"], "not understood: more"),
        (["sink", "udp", "--prot", "9"], "unrecognized option"),
        (["source", "udp", "--port", "9"], "no address is named: --to is missing"),
        (["source", "udp", "--port", "9", "--to", "localhost"], "IPv6 address: localhost"),
        (["source", "udp", "--port", "9", "--to", "fe80::1%nowhere0"], "not an IPv4 or IPv6"),
        (["source", "udp", "--port", "9", "--to", "::1", "--frame-bytes", "65"], "at least 66"),
        (["sink", "udp", "--port", "9", "--bind", "everywhere"], "IPv6 address: everywhere"),
        (["source", "udp", "--port", "9", "--to", "::1", "--bind", "::1"], "not an option here"),
        (["source", "udp", "--port", "9", "--to", "127.0.0.1", "--jitter", "1"], "--packet-rate"),
        (["source", "udp", "--port", "9", "--to", "127.0.0.1", "--packet-rate", "nan"], "number"),
        (["request-response", "server", "--port", "65530", "--servers", "9"], "ports end at"),
        (["request-response", "server", "--port", "9", "--transport", "ip"], "udp or tcp"),
        (
            ["request-response", "client", "--port", "9", "--to", "127.0.0.1", "--warmup", "1"],
            "--warmup and --cooldown need: --duration",
        ),
    ],
)
def test_bad_arguments(traffic, arguments, said):
    done = run(traffic, *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stdout == ""


def test_help_names_every_option(traffic):
    text = run(traffic, "--help").stdout
    source = (Path(__file__).parents[1] / "options.c").read_text(encoding="utf-8")
    names = re.findall(r'\{"([a-z-]+)", [A-Z_]+', source)
    assert len(names) > 20
    assert [name for name in names if f"--{name}" not in text] == []
    assert run(traffic, "--version").stdout.startswith("coalescope-traffic ")


def test_the_manual_names_every_option_that_help_does(traffic):
    manual = (Path(__file__).parents[1] / "coalescope-traffic.1").read_text(encoding="utf-8")
    named = set(re.findall(r"Fl -([a-z-]+)", manual))
    helped = set(re.findall(r"--([a-z][a-z-]+)", run(traffic, "--help").stdout))
    assert helped - named == {"help", "version"}
    assert named <= helped


def test_it_can_be_linked_statically(make_in, tmp_path, port):
    static = make_in(tmp_path, "LDFLAGS=-static") / "coalescope-traffic"
    assert b"INTERP" not in subprocess.check_output(["readelf", "-l", str(static)])
    with server(str(static), port):
        found, _ = client(str(static), port, "--duration", 0.1)
    assert found["operations"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("sanitizer", ["address,undefined", "thread"])
@pytest.mark.parametrize("protocol", ["udp", "tcp"])
def test_sanitizers_find_nothing(make_in, tmp_path, port, sanitizer, protocol):
    checked = make_in(tmp_path, f"CFLAGS=-O1 -g -fsanitize={sanitizer} -fno-sanitize-recover=all")
    traffic = str(checked / "coalescope-traffic")
    with server(traffic, port, "--servers", 2, "--service-us", 50, protocol=protocol) as serving:
        more = ["--clients", 3, "--servers", 2, "--outstanding", 3, "--duration", 0.4]
        found, said = client(traffic, port, *more, "--small-every", 3, protocol=protocol)
        serving.end()
    assert said == ""
    assert found["operations"] > 10
    with background(traffic, "sink", protocol, "--port", port, port=port, protocol=protocol) as one:
        more = ["--streams", 3, "--duration", 0.2]
        sent = run(traffic, "source", protocol, "--to", "127.0.0.1", "--port", port, *more)
        assert (sent.returncode, sent.stderr) == (0, "")
        one.end()


def test_clients_spread_over_the_addresses(traffic, port):
    """Server i is at the address i mod 2, so that 127.0.0.1 has ports 0 and 2, 127.0.0.2 port 1."""
    answered = []

    def serve(inbox):
        try:
            while True:
                request, origin = inbox.recvfrom(2000)
                inbox.sendto(request.ljust(4096, b"\0"), origin)
                answered.append(inbox.getsockname())
        except TimeoutError:
            inbox.close()

    threads = []
    for number, address in enumerate(["127.0.0.1", "127.0.0.2", "127.0.0.1"]):
        inbox = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        inbox.bind((address, port + number))
        inbox.settimeout(1)
        threads.append(threading.Thread(target=serve, args=(inbox,)))
        threads[-1].start()
    found, _ = client(traffic, port, "--to", "127.0.0.2", "--clients", 3, "--duration", 0.3)
    for thread in threads:
        thread.join()
    assert found["operations"] > 0
    assert len(set(answered)) == 3


@pytest.fixture
def files(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    for name, size in {"a": 1_000_000, "b": 5000, "empty": 0}.items():
        (folder / name).write_bytes(b"x" * size)
    return folder


def test_files_are_read_again_and_again(traffic, files):
    more = ["--streams", 2, "--read-bytes", 8192, "--warmup", 0.1, "--duration", 0.3]
    done = run(traffic, "read", "files", "--path", files, *more)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["role"] == "file-reading client"
    assert found["seconds"] == pytest.approx(0.3)
    assert sum(found["histogram"]["counts"]) == found["operations"] > 10
    assert 5000 * found["operations"] / 2 < found["bytes"] <= 8192 * found["operations"]


def test_files_that_cannot_be_read_are_an_error(traffic, files):
    assert "No such file" in run(traffic, "read", "files", "--path", files / "c").stderr
    (files / "a").unlink()
    (files / "b").unlink()
    nothing = run(traffic, "read", "files", "--path", files)
    assert nothing.returncode == 1
    assert "no files that hold anything" in nothing.stderr


# --- results that can be true of a window ---


def raw_ns():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)


def counted_in(found, column):
    """The sum of a column, once it was seen that the times are those of the report."""
    series = found["intervals"]
    assert {len(series[name]) for name in ("bytes", "operations")} == {len(series[column])}
    ends = series["t_start_monotonic_ns"] + len(series["bytes"]) * series["interval_ns"]
    assert series["t_start_monotonic_ns"] <= found["t_start_monotonic_ns"]
    assert found["t_end_monotonic_ns"] <= ends
    seconds = (found["t_end_monotonic_ns"] - found["t_start_monotonic_ns"]) / 1e9
    assert found["seconds"] == pytest.approx(seconds)
    return sum(series[column])


@pytest.mark.fault("A3")
@pytest.mark.parametrize("protocol", ["udp", "tcp"])
def test_what_came_in_a_window_can_be_added_up(traffic, port, protocol):
    """Times are of the logger's clock; a pause of the sender lies where it was."""
    begun = raw_ns()
    command = [traffic, "sink", protocol, "--port", port]
    command += ["--connections", 2] if protocol == "tcp" else []
    to = [traffic, "source", protocol, "--to", "127.0.0.1", "--port", port, "--duration", 0.45]
    rate = ["--packet-rate", 2000] if protocol == "udp" else []
    with background(*command, port=port, protocol=protocol) as sinking:
        first = json.loads(run(*to, *rate).stdout)
        time.sleep(0.6)
        second = json.loads(run(*to, *rate).stdout)
        got = sinking.result() if protocol == "tcp" else sinking.end()
    assert begun < got["t_start_monotonic_ns"] < got["t_end_monotonic_ns"] < raw_ns()
    assert counted_in(got, "bytes") == got["bytes"] == first["bytes"] + second["bytes"]
    series = got["intervals"]
    assert series["interval_ns"] == 100_000_000
    middle = (first["t_end_monotonic_ns"] + second["t_start_monotonic_ns"]) // 2
    place = (middle - series["t_start_monotonic_ns"]) // series["interval_ns"]
    assert series["bytes"][place] == 0
    assert sum(series["bytes"][:place]) == first["bytes"]
    for sent in (first, second):
        assert counted_in(sent, "bytes") == sent["bytes"]
    if protocol == "udp":
        assert counted_in(got, "operations") == got["operations"]


def test_requests_before_and_after_what_counts_are_in_the_intervals(traffic, port):
    with server(traffic, port, "--service-us", 2000) as serving:
        more = ["--warmup", 0.4, "--duration", 0.5, "--cooldown", 0.3]
        found, _ = client(traffic, port, *more)
        served = serving.end()
    assert counted_in(found, "operations") > found["operations"] > 0
    assert 0 <= served["operations"] - counted_in(found, "operations") <= 1
    assert counted_in(found, "timeouts") == found["timeouts"]
    assert counted_in(served, "operations") == served["operations"]
    before = found["t_start_monotonic_ns"] - found["intervals"]["t_start_monotonic_ns"]
    assert 0.2e9 < before < 0.6e9


# --- loss ---


def numbered(flow, sequence, length=100):
    return struct.pack(">IIQ", 0x436C7366, flow, sequence).ljust(length, b"\0")


def of_pktgen(sequence):
    return struct.pack(">IIII", 0xBE9BE955, sequence, 0, 0).ljust(60, b"\0")


def sunk(traffic, port, datagrams, family=socket.AF_INET):
    """What a sink says of datagrams that came in that order."""
    bound = ["--bind", "::"] if family == socket.AF_INET6 else []
    to = "::1" if family == socket.AF_INET6 else "127.0.0.1"
    with background(traffic, "sink", "udp", "--port", port, *bound, port=port) as sinking:
        with socket.socket(family, socket.SOCK_DGRAM) as sender:
            for datagram in datagrams:
                sender.sendto(datagram, (to, port))
        wait_until(lambda: taken(port), "some still wait")
        return sinking.end()


FAR = list(range(3000, 5000))


@pytest.mark.fault("A4")
@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
@pytest.mark.parametrize(
    ("sequences", "lost", "duplicates", "out_of_order"),
    [
        ([0, 1, 2, 3], 0, 0, 0),
        ([7, 8, 9], 0, 0, 0),  # the sink came later than the source
        ([0, 1, 5, 6], 3, 0, 0),
        ([0, 2, 1, 3], 0, 0, 1),
        ([0, 1, 1, 2, 0], 0, 2, 0),
        ([5, 2, 6], 2, 0, 1),  # 3 and 4
        ([0, *FAR, 4500], 2999, 1, 0),
        ([0, 5000, 1], 4998, 0, 1),
    ],
)
def test_numbers_show_what_was_lost(
    traffic, port, family, sequences, lost, duplicates, out_of_order
):
    got = sunk(traffic, port, [numbered(1, one) for one in sequences], family)
    (flow,) = got["flows"]
    expected = {"lost": lost, "duplicates": duplicates, "out_of_order": out_of_order}
    assert flow == {"received": len(sequences), **expected}
    assert {name: got[name] for name in expected} == expected
    assert counted_in(got, "lost") == lost
    assert "unnumbered" not in got


@pytest.mark.fault("A4")
def test_flows_are_counted_apart_and_pktgen_numbers_too(traffic, port):
    wrapping = [of_pktgen(n % 2**32) for n in (2**32 - 2, 2**32 - 1, 0, 3)]
    mine = [numbered(1, 0), numbered(2, 40), numbered(1, 2), numbered(2, 41)]
    got = sunk(traffic, port, [*mine, *wrapping])
    assert [flow["received"] for flow in got["flows"]] == [2, 2, 4]
    assert [flow["lost"] for flow in got["flows"]] == [1, 0, 2]
    assert got["lost"] == 3


def test_datagrams_without_numbers_are_not_known_to_be_whole(traffic, port):
    got = sunk(traffic, port, [b"x" * 100, b"", numbered(1, 0, 16)[:15]])
    assert (got["operations"], got["unnumbered"]) == (3, 3)
    assert {"lost", "flows"}.isdisjoint(got)
    assert "lost" not in got["intervals"]


@pytest.mark.fault("A4")
def test_a_sink_that_does_not_keep_up_shows_its_loss_in_the_numbers(traffic, port):
    with background(traffic, "sink", "udp", "--port", port, port=port) as sinking:
        sinking.process.send_signal(signal.SIGSTOP)
        to = [traffic, "source", "udp", "--to", "127.0.0.1", "--port", port]
        run(*to, "--frame-bytes", 9000, "--count", 20000)
        sinking.process.send_signal(signal.SIGCONT)
        wait_until(lambda: taken(port), "some still wait")
        got = sinking.end()
    # the end of a flow is not seen if its last datagram was lost
    assert got["lost"] == 0
    assert got["dropped"] > 0


@pytest.mark.parametrize("protocol", ["udp", "tcp"])
def test_over_ipv6(traffic, port, protocol):
    command = [traffic, "sink", protocol, "--port", port, "--bind", "::"]
    more = ["--frame-bytes", 1000, "--count", 5000] if protocol == "udp" else ["--bytes", 10**6]
    with background(*command, port=port, protocol=protocol) as sinking:
        for to in ("::1", "127.0.0.1"):
            sent = run(traffic, "source", protocol, "--to", to, "--port", port, *more)
            assert sent.returncode == 0, sent.stderr
            ended = taken if protocol == "udp" else closed
            wait_until(partial(ended, port), "some still wait")
        got = sinking.end()
    if protocol == "udp":
        assert got["operations"] + got["dropped"] == 10_000
        assert got["bytes"] <= 5000 * (1000 - 66 + 1000 - 46)
    else:
        assert got["bytes"] == 2 * 10**6
    with server(traffic, port, "--bind", "::1", protocol=protocol):
        asked = [traffic, "request-response", "client", "--to", "::1", "--port", port]
        done = run(*asked, "--transport", protocol, "--duration", 0.2)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["operations"] > 10


def test_an_address_of_a_link_needs_its_interface(traffic, port):
    with background(
        traffic, "sink", "tcp", "--port", port, "--bind", "::", port=port, protocol="tcp"
    ):
        to = [traffic, "source", "tcp", "--port", port, "--bytes", 10, "--to"]
        assert run(*to, "::1%lo").returncode == 0


@pytest.fixture
def lossy():
    """A namespace whose loopback interface drops what is more than a short queue."""
    name = f"coalescope-traffic-{os.getpid()}"
    try:
        queue = "rate 200mbit burst 20k limit 20k"
        for command in (
            f"ip netns add {name}",
            f"ip -n {name} link set lo mtu 1500 up",
            f"tc -n {name} qdisc add dev lo root tbf {queue}",
        ):
            run(*command.split()).check_returncode()
        yield ["ip", "netns", "exec", name]
    finally:
        run("ip", "netns", "del", name)


def retransmitted(inside):
    lines = run(*inside, "grep", "Tcp:", "/proc/net/snmp").stdout.splitlines()
    return int(dict(zip(*(line.split() for line in lines), strict=True))["RetransSegs"])


@pytest.mark.network
@pytest.mark.fault("A4")
def test_retransmissions_are_those_that_the_kernel_counts(traffic, port, lossy):
    with background(*lossy, traffic, "sink", "tcp", "--port", port, "--connections", 3):
        to = [traffic, "source", "tcp", "--to", "127.0.0.1", "--port", port]
        sent = run(*lossy, *to, "--streams", 3, "--bytes", 2_000_000, "--duration", 20)
        assert sent.returncode == 0, sent.stderr
        wait_until(lambda: not run(*lossy, "ss", "-Htn", "state", "fin-wait-1").stdout, "unsent")
    found = json.loads(sent.stdout)["retransmits"]
    # what is retransmitted after a stream has closed is the kernel's alone
    assert 0 < found <= retransmitted(lossy)
    assert found > 0.5 * retransmitted(lossy)
