# SPDX-License-Identifier: Apache-2.0
"""Processes that the server starts: what they are given, room for them, and its own code in them.

In one process one thread of Python runs at a time; the work of such a process goes on beside it.
"""

import gc
import logging
import math
import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread
from typing import Any

_LOG = logging.getLogger("coalescope")
# Where Python and its libraries are; settings, which hold secrets, are not among it.
_KEPT = ("PATH", "PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "LANG")
# A container sees its own group here.
_CGROUP = Path("/sys/fs/cgroup")
# One thread: others would be counted as memory that the work takes.
_THREADS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
_READY = "ready"
# Longer than Python takes to import what it needs, on the slowest machine.
UP_WITHIN_S = 60.0
# One that ends as it comes up would do so again: it is started no more often than this.
AGAIN_AFTER_S = 10.0


class WorkerDiedError(Exception):
    """A process ended over what it was asked, or was ended as it took too long.

    Attributes:
        has_answered: whether it had said anything before it was dead, read in time or not.

    """

    def __init__(self, reason: str, *, has_answered: bool = False) -> None:
        super().__init__(reason)
        self.has_answered = has_answered


def python(code: str, *given: str) -> tuple[str, ...]:
    """The command of a process of our own code; it runs no file of the folder it starts in."""
    return (sys.executable, "-P", "-c", code, *given)


def plain_environment() -> dict[str, str]:
    """The environment of a process that has to know nothing of the server."""
    return {name: os.environ[name] for name in _KEPT if name in os.environ} | _THREADS


def cpus() -> float:
    """Processors that this process may use: those it is bound to, and what its group may take."""
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    with suppress(OSError, ValueError):  # no such group, or "max": no limit
        quota_us, period_us = (_CGROUP / "cpu.max").read_text(encoding="ascii").split()
        return min(float(bound or 1), int(quota_us) / int(period_us))
    return float(bound or 1)


class WorkerProcess:
    """A process that runs `main` of a module, from when it is first wanted until `close`.

    Attributes:
        process: the one that was begun, if it is there.

    """

    def __init__(self, module: str, *given: str) -> None:
        self._command = python(f"from {module} import main; main()", *given)
        self._lock = Lock()
        self._allowed = False
        self._again_from_s = -math.inf
        self.process: RpcProcess | None = None

    def start(self) -> None:
        """Allow the process, if there is a CPU for it."""
        self._allowed = cpus() > 1

    def close(self) -> None:
        """End it, and begin no other."""
        with self._lock:
            self._allowed = False
            process, self.process = self.process, None
        if process is not None:
            process.close()

    def _begin(self) -> None:
        """Have it come up, which nobody waits for."""
        if self._up() is not None:
            return
        with self._lock:
            now_s = time.monotonic()
            if self._allowed and self.process is None and now_s >= self._again_from_s:
                self._again_from_s = now_s + AGAIN_AFTER_S
                try:
                    self.process = RpcProcess(self._command)
                except OSError as error:
                    _LOG.warning("a process could not be begun: %s", error)

    def _up(self) -> "RpcProcess | None":
        process = self.process
        if process is None:
            return None
        if process.has_ended:
            if process.is_up:
                _LOG.warning("a process beside the server's ended while nobody asked it anything")
            self._drop(process)
            return None
        return process if process.is_up else None

    def _drop(self, process: "RpcProcess") -> None:
        """Another may take the place of one that ended."""
        with self._lock:
            if self.process is process:
                self.process = None
        process.close()


class RpcProcess:
    """One that answers in turn, from when it has come up."""

    def __init__(self, command: tuple[str, ...]) -> None:
        self._turn = Lock()
        self.is_up = False
        # not pipes: what is said through a socket, either way, can be bounded in time
        self._line, theirs = socket.socketpair()
        self._answers = self._line.makefile("rb")
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603  (nothing of it comes from outside)
                command,
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                env=plain_environment(),
                start_new_session=True,
            )
        Thread(target=self._await, daemon=True).start()

    @property
    def has_ended(self) -> bool:
        """Whether it is known to have ended: then nothing is done of what it is asked."""
        return self._process.poll() is not None

    def ask(self, question: object, *within_s: float) -> list[Any]:
        """What it answers: one thing after another, each within its time.

        Errors: WorkerDiedError, if it ended or was silent for longer; it is killed then, and
        whether it did what was asked is not known.
        """
        asked = pickle.dumps(question, pickle.HIGHEST_PROTOCOL)
        with self._turn:
            if not self.is_up:
                raise WorkerDiedError("it is ended")
            answers: list[Any] = []
            try:
                self._line.settimeout(within_s[0])
                self._line.sendall(asked)
                for each_s in within_s:
                    self._line.settimeout(each_s)
                    answers.append(self._answer())
                return answers
            except Exception as error:
                # a late answer must not go to the next caller
                self.is_up = False
                self._process.kill()
                self._process.wait()
                _LOG.warning("a process beside the server's ended over a question: %r", error)
                has_answered = bool(answers) or self._has_said_more()
                raise WorkerDiedError(repr(error), has_answered=has_answered) from error

    def close(self) -> None:
        """End it; what it has not answered then was not done, or not said to be."""
        self._process.kill()
        with self._turn:
            self.is_up = False
            self._process.wait()
            self._answers.close()
            self._line.close()

    def _await(self) -> None:
        with self._turn:
            try:
                self._line.settimeout(UP_WITHIN_S)
                self.is_up = self._answer() == _READY
            except Exception as error:
                _LOG.warning("a process beside the server's did not come up: %r", error)
            finally:
                if not self.is_up:  # known to have ended: another may take its place
                    self._process.kill()
                    self._process.wait()

    def _has_said_more(self) -> bool:
        with suppress(OSError):
            return bool(self._line.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
        return False

    def _answer(self) -> Any:
        return pickle.load(self._answers)  # noqa: S301  (our own code wrote it)


def serve_requests(answers_to: Callable[[Any], Iterable[object]]) -> None:
    """What such a process does until nobody asks any more."""
    # It ends with its caller, which may have work to finish: stopping a service signals both.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    questions, answers = sys.stdin.buffer, sys.stdout.buffer
    gc.freeze()  # what is here now stays: not to be looked through again
    found: Iterable[object] = [_READY]
    while True:
        for answer in found:
            pickle.dump(answer, answers, pickle.HIGHEST_PROTOCOL)
            answers.flush()
        try:
            question = pickle.load(questions)  # noqa: S301  (the server wrote it)
        except EOFError:
            return
        found = answers_to(question)
