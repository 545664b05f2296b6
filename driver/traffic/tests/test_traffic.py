# SPDX-License-Identifier: Apache-2.0
"""Real traffic over the loopback interface."""

import json
import re
import signal
import socket
import struct
import subprocess
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from patience import PATIENCE_S, measured_again, wait_until

MAGIC = 0x52513132


def run(*command, seconds=PATIENCE_S):
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, timeout=seconds, check=False
    )


def listening(port, protocol):
    wanted = f":{port:04X} "
    lines = Path(f"/proc/net/{protocol}").read_text(encoding="ascii").splitlines()
    return any(line.split(":", 1)[1].lstrip().startswith(f"00000000{wanted}") for line in lines[1:])


def taken(port):
    """Whether a socket has given all that came to its program."""
    lines = Path("/proc/net/udp").read_text(encoding="ascii").splitlines()[1:]
    waiting = [line.split()[4] for line in lines if line.split()[1].endswith(f":{port:04X}")]
    return waiting == ["00000000:00000000"]


class Running:
    """A tool in the background."""

    def __init__(self, command):
        self.process = subprocess.Popen(
            list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def result(self, *, status=0, seconds=PATIENCE_S):
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
    assert found["timeouts"] == found["strays"] == 0
    assert found["operations"] > 100
    # all but those that were on their way in the end
    assert 0 <= served["operations"] - found["operations"] <= 6
    small = (found["operations"] * 4224 - found["bytes"]) / (4224 - 128)
    assert small == pytest.approx(found["operations"] / 4, abs=3)
    assert sum(found["histogram"]["counts"]) == found["operations"]
    assert 0.1 < found["seconds"] < 5


@measured_again
def test_latency_is_the_service_time_and_a_little(traffic, port):
    with server(traffic, port, "--service-us", 20000):
        found, _ = client(traffic, port, "--small-every", 2, "--duration", 1)
    latency = found["latency_us"]
    order = [latency[name] for name in ("min", "p50", "p90", "p99", "p999", "max")]
    assert order == sorted(order)
    assert latency["p90"] * (1 + 1 / 128) >= 20000
    assert latency["p90"] < 40000
    assert latency["min"] < 10000  # the small ones need no service
    assert 60 < found["operations"] <= 102
    assert latency["mean"] == pytest.approx(1e6 / found["operations"], rel=0.1)


@measured_again
def test_servers_work_one_at_a_time(traffic, port):
    with server(traffic, port, "--service-us", 10000):
        found, _ = client(
            traffic, port, "--clients", 4, "--servers", 1, "--outstanding", 2, "--duration", 1
        )
    assert found["operations"] <= 101
    assert found["latency_us"]["p50"] > 70000  # seven others are served before


@measured_again
def test_exponential_service_times_have_their_mean(traffic, port):
    with server(traffic, port, "--service-exponential-us", 10_000, "--seed", 5):
        found, _ = client(traffic, port, "--duration", 3)
    latency = found["latency_us"]
    assert latency["mean"] == pytest.approx(10_000, rel=0.3)
    assert latency["min"] < 0.2 * latency["mean"]
    assert latency["p50"] < 0.85 * latency["mean"]  # ln 2 of it
    assert latency["p99"] > 2.5 * latency["mean"]


@measured_again
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
    assert found["strays"] > 1
    assert found["latency_us"]["max"] > 200e3  # from the first time it was sent


@measured_again
def test_a_server_that_is_killed_is_noticed(traffic, port):
    with server(traffic, port) as serving:
        threading.Timer(0.3, serving.process.kill).start()
        found, said = client(traffic, port, "--timeout", 0.1, "--duration", 1, status=1)
    assert "stopped answering 0." in said
    assert found["operations"] > 100
    assert 4 <= found["timeouts"] <= 8


@measured_again
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


@measured_again
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


@measured_again
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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "what to do?"),
        (["sink"], "what to do?"),
        (["sink", "sctp", "--port", "1"], "no such thing to do: sink sctp"),
        (["sink", "udp"], "--port is missing"),
        (["sink", "udp", "--port", "70000"], "--port takes a whole number from 1 to 65535"),
        (["sink", "udp", "--port", "9.5"], "whole number"),
        (["sink", "udp", "--port", "0x50"], "whole number"),
        (["sink", "udp", "--port", "9", "--clients", "2"], "not an option here: clients"),
        (["read", "files"], "read what?: --path is missing"),
        (["read", "files", "--path", "/", "--read-bytes", "1000"], "not a multiple of 4096"),
        (["sink", "udp", "--port", "9", "more"], "not understood: more"),
        (["sink", "udp", "--prot", "9"], "unrecognized option"),
        (["source", "udp", "--port", "9"], "--to is missing"),
        (["source", "udp", "--port", "9", "--to", "localhost"], "not an IPv4 address: localhost"),
        (["source", "udp", "--port", "9", "--to", "::1"], "not an IPv4 address"),
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
    names = re.findall(r'\{"([a-z-]+)", (?:WHOLE|REAL|FLAG|ADDRESS|TRANSPORT|TEXT)', source)
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
