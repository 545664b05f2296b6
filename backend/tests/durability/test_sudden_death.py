# SPDX-License-Identifier: Apache-2.0
"""kill -9 in the middle of concurrent uploads: nothing acknowledged is lost, doubled or torn.

This does not test fsync: the kernel keeps what a dead process wrote. test_system_calls.py does.
"""

import hashlib
import random
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from timeouts import wait_until

from .conftest import Server, look

MakeLog = Callable[..., bytes]


def send_until_it_dies(server: Server, logs: list[bytes], acknowledged: set[str]) -> None:
    """Over one connection: to make one takes longer than an upload, and few would meet."""
    with httpx.Client() as client:
        for content in logs:
            try:
                answer = server.upload(content, through=client)
            except httpx.TransportError:
                return
            assert answer.status_code in (200, 201), answer.text
            acknowledged.add(hashlib.sha256(content).hexdigest())


def die_while_uploading(
    server: Server, logs: list[bytes], delay_s: float, *, answers_first: bool
) -> set[str]:
    """Send from four threads, two of them the same logs; returns what was acknowledged.

    answers_first: it does not die before an answer, however slow the machine is.
    """
    acknowledged: set[str] = set()
    shares = [logs[::2], logs[1::2], logs, logs[::-1]]
    senders = [
        threading.Thread(target=send_until_it_dies, args=(server, share, acknowledged))
        for share in shares
    ]
    for sender in senders:
        sender.start()
    if answers_first:
        wait_until(lambda: acknowledged, "nothing is acknowledged")
    time.sleep(delay_s)
    server.stop(signal.SIGKILL)
    for sender in senders:
        sender.join()
    return acknowledged


def stored(data: Path) -> list[str]:
    with closing(sqlite3.connect(data / "coalescope.sqlite")) as database:
        return [row[0] for row in database.execute("SELECT sha256 FROM uploads")]


@pytest.mark.parametrize("kills", [5, pytest.param(200, marks=pytest.mark.soak)])
def test_nothing_acknowledged_is_lost(tmp_path: Path, make_log: MakeLog, kills: int) -> None:
    die_and_look(tmp_path / "data", make_log, kills)


def test_answering_before_it_is_stored_is_caught(tmp_path: Path, make_log: MakeLog) -> None:
    """Control: of this server, uploads that it acknowledged are lost."""
    mutant = [sys.executable, str(Path(__file__).with_name("answering_too_early.py"))]
    with pytest.raises(AssertionError, match="an acknowledged upload is lost"):
        die_and_look(tmp_path / "data", make_log, 5, mutant)


def die_and_look(data: Path, make_log: MakeLog, kills: int, wrapped: Sequence[str] = ()) -> None:
    chance = random.Random(kills)
    acknowledged: set[str] = set()
    for kill in range(kills):
        logs = [make_log(replicate=kill * 100 + i + 1) for i in range(40)]
        server = Server(data, wrapped=wrapped)
        acknowledged |= die_while_uploading(
            server,
            logs,
            chance.uniform(0.05, 1.5),
            answers_first=kill % 2 == 0,
        )
        there = stored(data)
        assert acknowledged <= set(there), "an acknowledged upload is lost"
        assert len(there) == len(set(there)), "an upload is there twice"
        if kill % 20 == 4:
            report = look(data, deep=True)
            assert report.faults == []
    Server(data).stop()
    report = look(data, deep=True)
    assert report.faults == []
    assert acknowledged
    assert not list((data / "logs" / "tmp").iterdir()), "half-received files are cleared up"
