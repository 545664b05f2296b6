# SPDX-License-Identifier: Apache-2.0
"""What a server that ends waits for no longer is answered, and logs no traceback."""

import logging
import socket
from collections.abc import Iterator
from threading import Event, Thread

import httpx
import pytest
import uvicorn
from coalescope.web.leaving import AnswersAtTheEnd
from fastapi import FastAPI
from timeouts import TIMEOUT_S


class Slow:
    """A server with one address, which computes until it is let go."""

    def __init__(self, listener: socket.socket, *, answers: bool) -> None:
        self.computes, self.let_go = Event(), Event()
        app = FastAPI()
        app.add_api_route("/slow", self._compute, methods=["POST"])
        if answers:
            app.add_middleware(AnswersAtTheEnd)
        self._server = uvicorn.Server(
            uvicorn.Config(app, timeout_graceful_shutdown=1, log_config=None)
        )
        self._thread = Thread(target=self._server.run, args=([listener],), daemon=True)
        self.url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        self._thread.start()

    def _compute(self) -> None:
        self.computes.set()
        self.let_go.wait(TIMEOUT_S)

    def end(self) -> None:
        assert self.computes.wait(TIMEOUT_S)
        self._server.should_exit = True

    def join(self) -> None:
        self.let_go.set()
        self._thread.join(TIMEOUT_S)


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening


def tracebacks(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    return [record for record in caplog.records if record.exc_info]


def test_it_is_answered_in_words(listener: socket.socket, caplog: pytest.LogCaptureFixture) -> None:
    slow = Slow(listener, answers=True)
    ending = Thread(target=slow.end)
    ending.start()
    answer = httpx.post(f"{slow.url}/slow", timeout=TIMEOUT_S)
    slow.join()
    ending.join()
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "server_ends")
    assert not tracebacks(caplog)


def test_control_without_it_there_is_a_traceback_and_no_reason(
    listener: socket.socket, caplog: pytest.LogCaptureFixture
) -> None:
    slow = Slow(listener, answers=False)
    ending = Thread(target=slow.end)
    ending.start()
    try:
        said = httpx.post(f"{slow.url}/slow", timeout=TIMEOUT_S).text
    except httpx.TransportError:
        said = ""
    slow.join()
    ending.join()
    assert "server_ends" not in said
    assert tracebacks(caplog)
