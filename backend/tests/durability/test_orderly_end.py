# SPDX-License-Identifier: Apache-2.0
"""SIGTERM in the middle of an upload: it is finished, and nobody new comes in."""

import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Server, look

MakeLog = Callable[..., bytes]


def begin(server: Server, content: bytes) -> socket.socket:
    """Send the head of an upload and half of its body."""
    host, port = server.url.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)), timeout=20)
    head = f"POST /api/uploads?filename=x HTTP/1.1\r\nHost: {host}:{port}\r\n"
    head += f"Content-Length: {len(content)}\r\n\r\n"
    connection.sendall(head.encode() + content[: len(content) // 2])
    return connection


def wait_until_it_receives(data: Path) -> None:
    end = time.monotonic() + 10
    while not list((data / "logs" / "tmp").iterdir()):
        assert time.monotonic() < end
        time.sleep(0.01)


def answer(connection: socket.socket) -> bytes:
    found = b""
    while chunk := connection.recv(65536):
        found += chunk
    return found


def refused_from(server: Server, seconds: float) -> bool:
    """Whether nobody new gets in, soon."""
    host, port = server.url.removeprefix("http://").split(":")
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
        except ConnectionRefusedError:
            return True
        time.sleep(0.02)
    return False


def test_an_upload_under_way_is_finished(tmp_path: Path, make_log: MakeLog) -> None:
    server = Server(tmp_path / "data")
    content = make_log()
    try:
        with begin(server, content) as connection:
            wait_until_it_receives(server.data)
            assert not refused_from(server, 0.1), "control: until then others come in"
            server.process.send_signal(signal.SIGTERM)
            assert refused_from(server, 5)
            time.sleep(1)  # the rest comes late
            connection.sendall(content[len(content) // 2 :])
            said = answer(connection)
        assert said.startswith(b"HTTP/1.1 201 "), said
        assert server.process.wait(10) == 0
    finally:
        server.stop()
    report = look(tmp_path / "data")
    assert (report.files, report.runs, report.faults, report.leftovers) == (1, 1, [], [])


@pytest.mark.soak  # it waits as long as the server does
def test_one_that_stands_still_is_given_up(tmp_path: Path, make_log: MakeLog) -> None:
    """It was not acknowledged, and leaves nothing."""
    server = Server(tmp_path / "data")
    try:
        with begin(server, make_log()):
            wait_until_it_receives(server.data)
            server.process.send_signal(signal.SIGTERM)
            server.process.wait(20)
    finally:
        server.stop(signal.SIGKILL)
    Server(tmp_path / "data").stop()
    report = look(tmp_path / "data")
    assert (report.files, report.faults, report.leftovers) == (0, [], [])


def test_an_idle_server_ends_at_once(tmp_path: Path) -> None:
    server = Server(tmp_path / "data")
    start = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(10) == 0
    assert time.monotonic() - start < 5
    server.stop()
