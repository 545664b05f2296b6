# SPDX-License-Identifier: Apache-2.0
"""SIGTERM while several workers take uploads: they end, and what was acknowledged is there."""

import logging
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import httpx
import pytest
from coalescope.cli.commands import serve as serving
from timeouts import TIMEOUT_S, wait_until

from .test_workers import Serve, gone, workers_of

_LOG = logging.getLogger(__name__)
WORKERS, SENDERS, AT_LEAST = "3", 8, 24


class Upload(NamedTuple):
    """A file as it is sent."""

    name: str
    content: bytes

    def send(self, url: str) -> int:
        """The status of the answer."""
        words = {"filename": self.name, "experiment": "lab"}
        address = f"{url}/api/uploads"
        return httpx.post(
            address, params=words, content=self.content, timeout=TIMEOUT_S
        ).status_code


class Load:
    """Uploads, one after the other in each of several threads, until the server takes no more.

    Attributes:
        accepted: those that were acknowledged.
    """

    def __init__(self, url: str, uploads: Iterator[Upload]) -> None:
        self._url, self._uploads, self._lock = url, uploads, Lock()
        self.accepted: list[Upload] = []

    def __call__(self) -> None:
        """Send until it is over."""
        while True:
            with self._lock:
                upload = next(self._uploads)
            try:
                status = upload.send(self._url)
            except httpx.HTTPError:
                return  # it has ended, or ends
            if status == 503:
                return
            assert status == 201, upload.name
            with self._lock:
                self.accepted.append(upload)


def uploads(make_log: Callable[..., bytes]) -> Iterator[Upload]:
    """Logs and tables in turn, each of which is new."""
    for number in count():
        yield Upload(f"{number}.runlog", make_log(replicate=number))
        rows = "".join(f"{1000 + number},{replicate},1\n" for replicate in range(1, 1_001))
        yield Upload(f"{number}.csv", f"mtu_bytes,replicate,drops\n{rows}".encode())


def ended_under_load(
    serve: Serve, make_log: Callable[..., bytes]
) -> tuple[Sequence[Upload], float]:
    """What was acknowledged, and how long after SIGTERM all had ended, in seconds."""
    with (
        serve("--workers", WORKERS, COALESCOPE_DATASETS_DIR="") as (url, server),
        ThreadPoolExecutor(SENDERS) as pool,
    ):
        workers = workers_of(server.pid)
        load = Load(url, uploads(make_log))
        senders = [pool.submit(load) for _ in range(SENDERS)]
        wait_until(
            lambda: len(load.accepted) >= AT_LEAST or any(sender.done() for sender in senders),
            "too few are taken",
        )
        assert not any(sender.done() for sender in senders), "they go on until the end"
        began = time.monotonic()
        server.send_signal(signal.SIGTERM)
        assert server.wait(TIMEOUT_S) == 0
        took_s = time.monotonic() - began
        assert all(map(gone, workers))
        for sender in senders:
            sender.result(TIMEOUT_S)
    _LOG.info("%d were acknowledged; ended within %g s", len(load.accepted), took_s)
    return load.accepted, took_s


def test_what_they_acknowledged_is_there_whole(
    serve: Serve, run: Callable[..., Any], make_log: Callable[..., bytes], tmp_path: Path
) -> None:
    accepted, _ = ended_under_load(serve, make_log)
    done = run("verify", "--deep", data=tmp_path / "served")
    assert done.returncode == 0, done.stdout + done.stderr
    with serve(COALESCOPE_DATASETS_DIR="") as (url, _):
        assert {upload.send(url) for upload in accepted} == {200}, "the store has each"
        assert Upload("new.csv", b"mtu_bytes,replicate,drops\n1500,1,7\n").send(url) == 201, (
            "control"
        )


@pytest.mark.soak
def test_they_end_within_their_bound(serve: Serve, make_log: Callable[..., bytes]) -> None:
    """What looks after them ends when the last of them has."""
    _, took_s = ended_under_load(serve, make_log)
    assert took_s < serving._END_S + 0.5
