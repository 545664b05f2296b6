# SPDX-License-Identifier: Apache-2.0
"""SIGTERM in the middle of an upload: it is finished, and nobody new comes in."""

import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from timeouts import TIMEOUT_S, wait_until

from .conftest import Server, look

MakeLog = Callable[..., bytes]


def begin(server: Server, content: bytes) -> socket.socket:
    """Send the head of an upload and half of its body."""
    host, port = server.url.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)), timeout=TIMEOUT_S)
    head = f"POST /api/uploads?filename=x HTTP/1.1\r\nHost: {host}:{port}\r\n"
    head += f"Content-Length: {len(content)}\r\n\r\n"
    connection.sendall(head.encode() + content[: len(content) // 2])
    return connection


def wait_until_it_receives(data: Path) -> None:
    wait_until(lambda: list((data / "logs" / "tmp").iterdir()), "nothing is received")


def answer(connection: socket.socket) -> bytes:
    found = b""
    while chunk := connection.recv(65536):
        found += chunk
    return found


def refuses(server: Server) -> bool:
    """Whether nobody new gets in."""
    host, port = server.url.removeprefix("http://").split(":")
    try:
        socket.create_connection((host, int(port)), timeout=TIMEOUT_S).close()
    except ConnectionRefusedError:
        return True
    return False


def test_an_upload_under_way_is_finished(tmp_path: Path, make_log: MakeLog) -> None:
    server = Server(tmp_path / "data")
    content = make_log()
    try:
        with begin(server, content) as connection:
            wait_until_it_receives(server.data)
            assert not refuses(server), "control: until then others come in"
            server.process.send_signal(signal.SIGTERM)
            wait_until(lambda: refuses(server), "others still come in")
            time.sleep(0.5)  # the rest comes late
            connection.sendall(content[len(content) // 2 :])
            said = answer(connection)
        assert said.startswith(b"HTTP/1.1 201 "), said
        assert server.process.wait(TIMEOUT_S) == 0
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
            server.process.wait(TIMEOUT_S)
    finally:
        server.stop(signal.SIGKILL)
    Server(tmp_path / "data").stop()
    report = look(tmp_path / "data")
    assert (report.files, report.faults, report.leftovers) == (0, [], [])


def test_an_idle_server_ends_at_once(tmp_path: Path) -> None:
    server = Server(tmp_path / "data")
    start = time.monotonic()
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(TIMEOUT_S) == 0
    assert time.monotonic() - start < 5
    server.stop()
