# SPDX-License-Identifier: Apache-2.0
"""Processes beside the server's: an answer belongs to its question, whatever hangs or ends."""

import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from coalescope.untrusted.processes import RpcProcess, WorkerDiedError, plain_environment, python
from timeouts import TIMEOUT_S, wait_until

Begin = Callable[[str], RpcProcess]
ECHO = (
    "from coalescope.untrusted.processes import serve_requests as turns; "
    "turns(lambda asked: [asked])"
)
# asked for a number of seconds, it answers after them
LATE = ECHO.replace("[asked]", "[__import__('time').sleep(asked) or asked]")
TWICE = """
import time
from coalescope.untrusted.processes import serve_requests
def answers_to(asked):
    yield "begun"
    time.sleep(asked)
    yield asked
serve_requests(answers_to)
"""
# what cannot be put together again where it is read
STRANGE = """
from coalescope.untrusted.processes import serve_requests
class Unknown: ...
serve_requests(lambda asked: [Unknown()])
"""
# Begins one, says which, and stays.
OWNER = f"""
import time
from coalescope.untrusted.processes import RpcProcess, python
process = RpcProcess(python({ECHO!r}))
while not process.is_up:
    time.sleep(0.01)
print(process._process.pid, flush=True)
time.sleep(600)
"""


@pytest.fixture
def begin() -> Iterator[Begin]:
    begun = []

    def up(code: str) -> RpcProcess:
        process = RpcProcess(python(code))
        begun.append(process)
        wait_until(lambda: process.is_up, "it did not come up")
        return process

    yield up
    for process in begun:
        process.close()


def test_each_answer_is_that_of_its_question(begin: Begin) -> None:
    process = begin(ECHO)
    large = bytes(2**20)
    for asked in ("a", large, None):
        assert process.ask(asked, TIMEOUT_S) == [asked]


def test_answers_come_one_after_another_each_within_its_time(begin: Begin) -> None:
    process = begin(TWICE)
    assert process.ask(0.0, TIMEOUT_S, TIMEOUT_S) == ["begun", 0.0]
    with pytest.raises(WorkerDiedError, match="Time") as error:
        process.ask(60.0, TIMEOUT_S, 0.1)
    assert error.value.has_answered


def test_what_it_said_as_it_was_given_up_is_known(
    begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    for says in (True, False):
        process = begin(ECHO if says else LATE)

        def give_up(process: RpcProcess = process, says: bool = says) -> None:
            if says:
                process._line.recv(1, socket.MSG_PEEK)
            raise TimeoutError

        monkeypatch.setattr(process, "_answer", give_up)
        with pytest.raises(WorkerDiedError) as error:
            process.ask(60.0, TIMEOUT_S)
        assert error.value.has_answered == says


def test_an_answer_that_comes_too_late_is_nobody_elses(begin: Begin) -> None:
    process = begin(LATE)
    with pytest.raises(WorkerDiedError, match="Time"):
        process.ask(60.0, 0.1)
    with pytest.raises(WorkerDiedError):  # not 60.0
        process.ask(0.0, TIMEOUT_S)
    assert process._process.wait(TIMEOUT_S) == -signal.SIGKILL


def test_who_asks_one_that_takes_nothing_does_not_wait_for_ever(begin: Begin) -> None:
    process = begin(ECHO)
    os.kill(process._process.pid, signal.SIGSTOP)
    with pytest.raises(WorkerDiedError, match="Time"):
        process.ask(bytes(2**22), 0.3)  # more than waits on the way


def test_an_answer_that_cannot_be_read_is_the_last(begin: Begin) -> None:
    process = begin(STRANGE)
    for _ in range(2):
        with pytest.raises(WorkerDiedError):
            process.ask("what?", TIMEOUT_S)


def test_what_stops_a_service_is_left_to_its_server(begin: Begin) -> None:
    """It is signalled to all processes of a service at once."""
    process = begin(ECHO)
    for number in (signal.SIGTERM, signal.SIGINT):
        os.kill(process._process.pid, number)
    assert process.ask("still there?", TIMEOUT_S) == ["still there?"]


def test_files_of_the_folder_are_not_run(
    begin: Begin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pickle.py").write_text("raise SystemExit('not this one')")
    monkeypatch.chdir(tmp_path)
    assert begin(ECHO).ask("here", TIMEOUT_S) == ["here"]


def test_it_ends_with_a_server_that_is_killed() -> None:
    with subprocess.Popen(
        python(OWNER), stdout=subprocess.PIPE, env=plain_environment(), text=True
    ) as owner:
        assert owner.stdout is not None
        begun = int(owner.stdout.readline())
        assert runs(begun)
        owner.kill()
    wait_until(lambda: not runs(begun), "it is still there")


def runs(process: int) -> bool:
    """Whether it has not ended; its number may be there until somebody looks after that."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes() != b""
    except FileNotFoundError:
        return False
