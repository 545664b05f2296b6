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
from children import children_of
from coalescope.processes import cpus
from patience import wait_until

from .conftest import Server, look

MakeLog = Callable[..., bytes]


def send_until_it_dies(
    server: Server, logs: list[bytes], acknowledged: set[str], *, kept: bool
) -> None:
    """kept: over one connection. To make one takes longer than an upload: few would meet."""
    with httpx.Client() as client:
        for content in logs:
            try:
                answer = server.upload(content, through=client if kept else None)
            except httpx.TransportError:
                return
            assert answer.status_code in (200, 201), answer.text
            acknowledged.add(hashlib.sha256(content).hexdigest())


def begun_by(server: Server) -> set[int]:
    """The processes beside the server's."""
    return children_of(server.process.pid)


def command_of(process: int) -> bytes:
    """b"" of one that ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except FileNotFoundError:
        return b""


def die_while_uploading(
    server: Server,
    logs: list[bytes],
    delay_s: float,
    beside: set[int],
    *,
    answers_first: bool,
    meets_first: bool,
) -> set[str]:
    """Send from four threads, two of them the same logs; returns what was acknowledged.

    beside: gets the processes that were beside it then.
    answers_first: it does not die before an answer, however slow the machine is.
    meets_first: nor before logs met, and a process beside it was begun, or all are sent.
    """
    acknowledged: set[str] = set()
    shares = [logs[::2], logs[1::2], logs, logs[::-1]]
    senders = [
        threading.Thread(
            target=send_until_it_dies,
            args=(server, share, acknowledged),
            kwargs={"kept": meets_first},
        )
        for share in shares
    ]
    for sender in senders:
        sender.start()
    if answers_first:
        wait_until(lambda: acknowledged, "nothing is acknowledged")
    if meets_first:
        wait_until(
            lambda: begun_by(server) or not any(sender.is_alive() for sender in senders),
            "logs do not meet",
        )
    time.sleep(delay_s)
    beside |= begun_by(server)
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
    beside: set[int] = set()
    for kill in range(kills):
        logs = [make_log(replicate=kill * 100 + i + 1) for i in range(40)]
        server = Server(data, wrapped=wrapped)
        acknowledged |= die_while_uploading(
            server,
            logs,
            chance.uniform(0.05, 1.5),
            beside,
            answers_first=kill % 2 == 0,
            meets_first=not beside and cpus() > 1 and not wrapped,
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
    assert beside or cpus() <= 1, "logs met, and a process beside the server's stored them"
    assert not any(map(command_of, beside)), "none outlives it"
    assert not list((data / "logs" / "tmp").iterdir()), "half-received files are cleared up"
