# SPDX-License-Identifier: Apache-2.0
"""Logs reach a real store as a sweep goes; a store that is away stops nothing."""

import json
import os
import re
import signal
import socket
import ssl
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from coalescope_host import wrong_scheme
from coalescope_host.run import upload
from coalescope_host.run.upload import Outcome, answered, send
from https_servers import https_server, redirecting, server_context
from timeouts import TIMEOUT_S, wait_until

from .conftest import Files

SECRET = "the-token-of-this-test"
TOOL = [sys.executable, "-m", "coalescope_host", "upload"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def store(folder: Path, port: int = 0) -> Iterator[str]:
    """A server with a token and an empty store."""
    program = str(Path(sys.executable).with_name("coalescope"))
    process = subprocess.Popen(
        [program, "serve", "--data", str(folder / "store"), "--port", str(port)],
        env={**os.environ, "COALESCOPE_TOKEN": SECRET, "COALESCOPE_DATASETS_DIR": str(folder)},
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found, "the server did not come up"
        yield found[0]
    finally:
        process.terminate()
        process.wait(TIMEOUT_S)
        process.stdout.close()


def received(url: str) -> list[str]:
    """Ids of the runs that the store has."""
    request = Request(f"{url}/api/uploads", headers={"Authorization": f"Bearer {SECRET}"})
    with urlopen(request) as answer:
        return [run["id"] for receipt in json.load(answer) for run in receipt["runs"]]


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    path = tmp_path / "token"
    path.write_text(f"{SECRET}\n")
    return path


def test_logs_are_sent_as_they_come_and_what_waits_is_sent_later(
    files: Files, token_file: Path
) -> None:
    files.plan("mtu_bytes = [1500, 9000]")
    port = free_port()
    arguments = ("--server", f"http://127.0.0.1:{port}", "--token-file", str(token_file))
    away = files.sweep("--replicates", "1", *arguments)
    assert away.returncode == 1
    assert "2 of 2 runs done, 0 failed." in away.stderr
    assert "2 logs are not uploaded" in away.stderr
    assert f"0 logs are at http://127.0.0.1:{port}." in away.stderr
    assert "cannot be reached" in away.stderr
    with store(files.folder, port) as url:
        there = files.sweep(*arguments)
        assert there.returncode == 0, there.stderr
        assert sorted(received(url)) == sorted(files.done())
        assert len(files.entries("upload")) == 4
        assert f"4 logs are at {url}." in there.stderr
        logs = str(files.folder / "out")
        again = subprocess.run(
            [*TOOL, logs, "--server", url, "--token-file", str(token_file)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert again.returncode == 0, again.stderr
        assert again.stdout.count("known") == 4
        assert len(received(url)) == 4
    assert SECRET not in files.journal.read_text() + there.stderr + away.stderr


def sweeps(url: str, slug: str) -> list[dict[str, Any]]:
    """What the store knows of the sweeps of an experiment."""
    headers = {"Authorization": f"Bearer {SECRET}"}
    with urlopen(Request(f"{url}/api/experiments/{slug}/sweeps", headers=headers)) as answer:
        return json.load(answer)["sweeps"]


def test_the_store_knows_what_is_planned_and_how_far_it_is(files: Files, token_file: Path) -> None:
    files.plan("mtu_bytes = [1500, 9000]\nring_rx = [128, 256]")
    with store(files.folder) as url:
        arguments = ("--server", url, "--token-file", str(token_file))
        assert files.sweep("--replicates", "1", *arguments).returncode == 0
        (first,) = sweeps(url, "on-files")
        assert (first["state"], first["runs_planned"], first["runs_done"]) == ("ended", 4, 4)
        assert {"mtu_bytes": 9000, "factor.ring_rx": 256, "workload": "udp"} in first["cells"]
        assert len(first["cells"]) == 4
        assert files.sweep(*arguments).returncode == 0
        (both,) = sweeps(url, "on-files")
        assert both["id"] == first["id"]
        assert (both["state"], both["runs_planned"], both["runs_done"]) == ("ended", 8, 8)
        assert both["left_s"] == 0


def test_a_sweep_that_is_interrupted_says_so(files: Files, token_file: Path) -> None:
    files.plan("mtu_bytes = [1500, 9000]", replicates=20)
    with store(files.folder) as url:
        process = files.start("--server", url, "--token-file", str(token_file))

        def some_done() -> list[dict[str, Any]]:
            return [sweep for sweep in sweeps(url, "on-files") if sweep["runs_done"]]

        found = wait_until(some_done, "no run is done")
        assert found[0]["state"] == "running"
        assert found[0]["left_s"] > 0
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=TIMEOUT_S)
        (stopped,) = sweeps(url, "on-files")
        assert stopped["state"] == "stopped"
        assert 0 < stopped["runs_done"] < 40


def test_without_the_right_token_nothing_is_lost_and_the_way_is_said(files: Files) -> None:
    files.plan("mtu_bytes = [1500]", replicates=1)
    with store(files.folder) as url:
        refused = files.sweep("--server", url)
        assert refused.returncode == 1
        assert "Set COALESCOPE_TOKEN, or name a file that holds the token" in refused.stderr
        assert len(files.done()) == 1
        assert received(url) == []


def test_what_the_store_refuses_is_said_and_not_sent_again(files: Files, token_file: Path) -> None:
    files.plan("mtu_bytes = [1500]", replicates=1)
    assert files.sweep().returncode == 0
    (log,) = (files.folder / "out" / "logs").glob("*.runlog")
    log.write_bytes(log.read_bytes()[:100])
    with store(files.folder) as url:
        arguments = ("--server", url, "--token-file", str(token_file))
        refused = files.sweep(*arguments)
        assert refused.returncode == 1
        assert f"not taken: logs/{log.name}: " in refused.stderr
        assert [entry["outcome"] for entry in files.entries("upload")] == ["refused"]
        files.sweep(*arguments)
        assert len(files.entries("upload")) == 1


def test_a_token_file_that_is_not_there_ends_it_before_anything_is_changed(files: Files) -> None:
    files.plan("mtu_bytes = [1500]", replicates=1)
    done = files.sweep("--server", "http://127.0.0.1:1", "--token-file", "/nowhere/token")
    assert done.returncode == 1
    assert "/nowhere/token" in done.stderr
    assert files.done() == []


def test_what_is_no_token_is_refused_without_showing_it(files: Files, token_file: Path) -> None:
    files.plan("mtu_bytes = [1500]", replicates=1)
    token_file.write_text(f"{SECRET}\nand more\n")
    arguments = ("--server", "http://127.0.0.1:1", "--token-file", str(token_file))
    command = [*TOOL, str(files.folder), *arguments]
    for done in (
        files.sweep(*arguments),
        subprocess.run(command, capture_output=True, text=True, check=False),
    ):
        assert done.returncode == 1
        assert f"{token_file} holds no token" in done.stderr
        assert SECRET not in done.stderr + done.stdout
    assert files.done() == []


@pytest.mark.parametrize("server", ["localhost:8000", "http://localhost:port"])
def test_what_is_no_server_is_refused_before_anything_is_changed(files: Files, server: str) -> None:
    files.plan("mtu_bytes = [1500]", replicates=1)
    command = [*TOOL, str(files.folder), "--server", server]
    for done in (
        files.sweep("--server", server),
        subprocess.run(command, capture_output=True, text=True, check=False),
    ):
        assert done.returncode == 2
        assert "--server must be a URL" in done.stderr
    assert not (files.folder / "out").exists()


def test_a_folder_without_logs(tmp_path: Path) -> None:
    done = subprocess.run(
        [*TOOL, str(tmp_path), "--server", "http://127.0.0.1:1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "no run log" in done.stderr


TOO_LARGE = b'{"error": {"message": "The file is larger than this server accepts."}}'
REFUSAL = b"HTTP/1.1 413 Too large\r\nContent-Length: %d\r\n\r\n%s" % (len(TOO_LARGE), TOO_LARGE)


@contextmanager
def refusing(answer: bytes, tls: ssl.SSLContext | None = None) -> Iterator[int]:
    """A server that answers the start of a request and hangs up; the port it listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor(1) as pool:

        def refuse() -> None:
            connection, _ = listener.accept()
            listener.close()
            # as servers set it: else an answer may wait, and be lost with the connection
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with tls.wrap_socket(connection, server_side=True) if tls else connection as client:
                client.recv(1 << 16)
                client.sendall(answer)

        refused = pool.submit(refuse)
        yield listener.getsockname()[1]
        refused.result(TIMEOUT_S)


@pytest.fixture
def large(tmp_path: Path) -> Path:
    path = tmp_path / "large.runlog"
    with path.open("wb") as file:
        file.truncate(32 << 20)
    return path


@pytest.fixture
def tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """What a server of this machine needs for https; its certificate is trusted."""
    context = server_context(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
    return context


@pytest.mark.parametrize(
    ("answer", "outcome", "reason"),
    [(REFUSAL, "refused", "larger than this server accepts"), (b"", "failed", "cannot be reached")],
)
def test_what_a_server_says_before_it_has_the_whole_file_is_heard(
    large: Path, answer: bytes, outcome: str, reason: str
) -> None:
    """It closes with most of the file unread: the rest meets a broken pipe."""
    with refusing(answer) as port:
        found = send(f"http://127.0.0.1:{port}", large, None)
    assert found.outcome == outcome, found
    assert reason in found.reason


def test_what_a_proxy_says_before_it_has_the_whole_file_is_heard(
    large: Path, tls: ssl.SSLContext
) -> None:
    """What ends within TLS is no broken pipe."""
    with refusing(REFUSAL, tls) as port:
        found = send(f"https://127.0.0.1:{port}", large, None)
    assert found.outcome == "refused", found
    assert "larger than this server accepts" in found.reason


# Python leaves a socket whose handshake was cut off to the collector
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_who_hangs_up_before_anything_is_said_cannot_be_reached(tmp_path: Path) -> None:
    log = tmp_path / "x.runlog"
    log.write_bytes(b"x")
    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor(1) as pool:

        def hang_up() -> None:
            connection, _ = listener.accept()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()

        hung_up = pool.submit(hang_up)
        found = send(f"https://127.0.0.1:{listener.getsockname()[1]}", log, None)
        hung_up.result(TIMEOUT_S)
    assert found.outcome == "failed"
    assert "reset by peer" in found.reason


def test_who_takes_https_for_http_is_told_the_address_to_try(tmp_path: Path) -> None:
    log = tmp_path / "x.runlog"
    log.write_bytes(b"x")
    with store(tmp_path) as url:
        typed = url.replace("http:", "https:")
        found = send(typed, log, SECRET)
    assert found == Outcome("failed", f"{typed} speaks http, not https: try {url}")


@pytest.mark.parametrize("tells", [True, False])
def test_who_takes_http_for_https_is_told_the_address_to_try(tmp_path: Path, tells: bool) -> None:
    log = tmp_path / "x.runlog"
    log.write_bytes(b"x")
    with https_server(tmp_path, tells=tells) as port:
        found = send(f"http://127.0.0.1:{port}/lab", log, None)
        untrusted = send(f"https://127.0.0.1:{port}", log, None)
    there = f"127.0.0.1:{port}/lab"
    assert found == Outcome("failed", f"http://{there} speaks https, not http: try https://{there}")
    assert "certificate verify failed" in untrusted.reason


def test_who_is_sent_on_is_told_where(tmp_path: Path) -> None:
    log = tmp_path / "x.runlog"
    log.write_bytes(b"x")
    with redirecting("https://lab.example.org/api/uploads?filename=x") as port:
        found = send(f"http://127.0.0.1:{port}", log, None)
    assert found.reason.endswith("sends on to another address: try https://lab.example.org")


def test_a_file_that_is_not_there_is_named_once(tmp_path: Path) -> None:
    done = subprocess.run(
        [*TOOL, "none", "--server", "http://127.0.0.1:9"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "refused none: there is no such file\n")


REFUSED = {"code": "cut_off", "message": "It ends in its header.", "advice": "Copy it again."}


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (REFUSED, "It ends in its header. Copy it again."),
        (
            {**REFUSED, "problems": [REFUSED, {"message": "It is old.", "advice": None}, 7]},
            "It ends in its header. Copy it again. It is old.",
        ),
        ({"message": ["no text"], "problems": None}, "without a reason"),
        ("no object", "without a reason"),
    ],
)
def test_all_that_a_server_says_against_a_log_is_told(error: object, said: str) -> None:
    outcome = answered("http://a", 422, json.dumps({"error": error}).encode())
    assert outcome == Outcome("refused", f"http://a answered 422: {said}")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"[" * 100_000, "not as Coalescope does"),
        (b'{"outcome": "' + b"x" * 100_000 + b'"}', "without saying what became of it"),
        (b'{"outcome": ["stored"]}', "without saying what became of it"),
        (b"{}", "without saying what became of it"),
    ],
)
def test_an_answer_that_is_none_is_a_failure(body: bytes, said: str) -> None:
    found = answered("http://a", 200, body)
    assert found.outcome == "failed"
    assert said in found.reason
    assert len(found.reason) < 200


@pytest.mark.parametrize("start", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"])
def test_a_store_that_answers_byte_by_byte_holds_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: bytes
) -> None:
    monkeypatch.setattr(upload, "LONGEST_S", 0.5)
    monkeypatch.setattr(wrong_scheme, "_TIMEOUT_S", 0.1)
    log = tmp_path / "a.runlog"
    log.write_bytes(b"x")
    began = time.monotonic()
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as pool:

        def trickle() -> None:
            connection, _ = server.accept()
            with connection, suppress(OSError):
                connection.sendall(start)
                for byte in b"HTTP/1.1 200 OK\r\nX: " + b"x" * 1000:
                    connection.sendall(bytes([byte]))
                    time.sleep(0.05)

        answering = pool.submit(trickle)
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        found = send(url, log, None)
        answering.result(TIMEOUT_S)
    assert found.outcome == "failed"
    assert time.monotonic() - began < 10
