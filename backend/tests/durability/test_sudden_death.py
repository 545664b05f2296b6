# SPDX-License-Identifier: Apache-2.0
"""kill -9 in the middle of concurrent uploads: nothing acknowledged is lost, doubled or torn.

This does not test fsync: the kernel keeps what a dead process wrote. test_system_calls.py does.
"""

import hashlib
import os
import random
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import count
from pathlib import Path

import httpx
import pytest
from children import children_of
from coalescope.untrusted.processes import cpus
from timeouts import wait_until

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


def send_until(
    over: threading.Event, server: Server, new_log: Callable[[], bytes], acknowledged: set[str]
) -> int:
    """How often it was told to send again."""
    interrupted = 0
    with httpx.Client() as client:
        while not over.is_set():
            content = new_log()
            answer = server.upload(content, through=client)
            if answer.status_code == 201:
                acknowledged.add(hashlib.sha256(content).hexdigest())
            else:
                assert answer.json()["error"]["code"] == "interrupted", answer.text
                interrupted += 1
    return interrupted


# Another is begun ten seconds after the last at the soonest.
@pytest.mark.soak
@pytest.mark.skipif(cpus() <= 1, reason="no process is begun beside the server's")
def test_nothing_is_lost_as_the_process_beside_is_killed(tmp_path: Path, make_log: MakeLog) -> None:
    assert kill_beside_and_look(tmp_path / "data", make_log, 20) > 0, "none was killed as it stored"


@pytest.mark.soak
@pytest.mark.skipif(cpus() <= 1, reason="no process is begun beside the server's")
def test_a_process_that_stores_after_it_said_so_is_caught(
    tmp_path: Path, make_log: MakeLog
) -> None:
    """Control: of this one, uploads that it acknowledged are lost."""
    mutant = [sys.executable, str(Path(__file__).with_name("keeping_too_late.py"))]
    with pytest.raises(AssertionError, match="an acknowledged upload is lost"):
        kill_beside_and_look(tmp_path / "data", make_log, 5, mutant)


def kill_beside(server: Server, kills: int, chance: random.Random) -> None:
    killed: set[int] = set()

    def new() -> set[int]:
        return begun_by(server) - killed

    for _ in range(kills):
        wait_until(new, "none is begun again")
        time.sleep(chance.uniform(0, 4))  # as it comes up, or as it stores
        for process in new():
            os.kill(process, signal.SIGKILL)
            killed.add(process)


def kill_beside_and_look(
    data: Path, make_log: MakeLog, kills: int, wrapped: Sequence[str] = ()
) -> int:
    """Four senders, and one who kills; how many uploads were to be sent again."""
    chance, replicates = random.Random(kills), count(1)
    acknowledged: set[str] = set()
    over = threading.Event()
    server = Server(data, wrapped=wrapped)

    def new_log() -> bytes:
        return make_log(replicate=next(replicates))

    try:
        with ThreadPoolExecutor(4) as pool:
            senders = [
                pool.submit(send_until, over, server, new_log, acknowledged) for _ in range(4)
            ]
            try:
                kill_beside(server, kills, chance)
            finally:
                over.set()
    finally:
        server.stop()
    there = stored(data)
    assert acknowledged <= set(there), "an acknowledged upload is lost"
    assert len(there) == len(set(there)), "an upload is there twice"
    assert look(data, deep=True).faults == []
    interrupted = sum(sender.result() for sender in senders)
    print(f"{len(acknowledged)} acknowledged, {interrupted} to be sent again")  # noqa: T201
    return interrupted
