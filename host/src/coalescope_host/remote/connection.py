# SPDX-License-Identifier: Apache-2.0
"""The agent on a peer, reached through the system's ssh: requests out, answers back.

One connection carries everything: the host tools as a zipapp first, then the conversation.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any, TypeVar

from ..plan.plan import PeerSpec
from ..program_environment import caller_environment
from ..run_log.bounded_json import JsonRefusedError, parse
from .bundle import bundle
from .deadlines import USUAL, Deadlines
from .errors import PeerError, PeerLostError
from .protocol import FEED_S, PROTOCOL, line_of
from .shapes import ShapeError, one_line, table, text
from .wire import CutError, SilentError, StrangeError, Wire

T = TypeVar("T")

NO_PASSWORD = ("-o", "BatchMode=yes")
SSH_OPTIONS = (  # after those of the plan: ssh takes the first that it is given
    *("-o", "ConnectTimeout=10"),
    *("-o", "ServerAliveInterval=5"),
    *("-o", "ServerAliveCountMax=3"),
    "-T",
)
MOST_VALUES = 50_000
DEEPEST = 16
OLDEST_PYTHON = (3, 9)

AGENT = """
import sys
sys.path.insert(0, sys.argv.pop(1))
import runpy
runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
"""
"""Runs a module of a zipapp."""

RECEIVE = '''
import hashlib, os, shutil, sys, tempfile
if sys.version_info < {oldest}:
    sys.exit("Python {words} or newer is needed, this is " + sys.version.split()[0])
folder = None
try:
    above = place = os.path.realpath(tempfile.gettempdir())
    while True:
        found = os.stat(above)
        writable = found.st_mode & 0o22 and not found.st_mode & 0o1000
        if writable or found.st_uid not in (0, os.geteuid()):
            sys.exit("others can replace what is in " + above + ": set TMPDIR to another folder")
        if above == os.path.dirname(above):
            break
        above = os.path.dirname(above)
    folder = tempfile.mkdtemp(prefix="coalescope-host-", dir=place)
    path = os.path.join(folder, "coalescope-host.pyz")
    left = {size}
    digest = hashlib.sha256()
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        while left:
            part = os.read(0, min(left, 1 << 16))
            if not part:
                sys.exit("the connection ended while the host tools were sent")
            digest.update(part)
            left -= file.write(part)
    if digest.hexdigest() != "{digest}":
        sys.exit("the host tools came changed: do its shell's start files read standard input?")
    python = [sys.executable, "{isolated}", "-c", """{agent}"""]
    os.execv(sys.executable, [*python, path, "coalescope_host.remote.agent", folder])
except BaseException as error:
    if folder:
        shutil.rmtree(folder, ignore_errors=True)
    if isinstance(error, OSError):
        sys.exit("the host tools cannot be kept there: " + str(error))
    raise
'''
"""Runs at the peer: takes so many bytes into a private file and becomes the agent in it.

No other account may replace the file: nobody else owns a folder above it, or may write to one that
is not sticky.
"""
ISOLATED = "-I"
"""No module is taken from the folder that the login is in, nor from where its environment says."""

HINTS = {
    "permission denied (": "its key is refused: `ssh-copy-id {ssh}` puts yours there",
    "host key verification failed": "its host key is unknown or changed: `ssh {ssh}` shows it",
    "could not resolve": "there is no host of this name",
    "connection refused": "it is up, but no sshd listens there",
    "timed out": "it does not answer: is it up, is the address right?",
    "no route to host": "there is no way to it: look at `ip route`",
    "network is unreachable": "there is no way to it: look at `ip route`",
    "not found": "Python is missing there; `python = …` of the peer in the plan names another",
}
HINTS_TO_ROOT = {
    "permission denied (": "ssh here is root's: `sudo ssh-copy-id {ssh}` puts its key there, after "
    "`sudo ssh-keygen` where it has none",
    "host key verification failed": "ssh here is root's, which does not know this host key: "
    "`sudo ssh {ssh}` shows it and asks",
}
"""Who typed sudo has keys and known hosts of their own, which root's ssh does not look at."""


def over_ssh(spec: PeerSpec) -> list[str]:
    """The system's ssh to a peer."""
    return ["ssh", *NO_PASSWORD, *spec.ssh_options, *SSH_OPTIONS, "--", spec.ssh]


class Connection:
    """A conversation with the agent of one peer."""

    def __init__(self, spec: PeerSpec, shell: Sequence[str], deadlines: Deadlines = USUAL) -> None:
        """`shell`: what runs a command line of the peer's shell when that is added to it."""
        self.name = spec.ssh
        self.deadlines = deadlines
        self._number = 0
        self._unanswered: set[int] = set()
        self._writing = threading.Lock()
        self._closed = threading.Event()
        self._lost_for: str | None = None
        self._goodbye_s = deadlines.goodbye_s
        self._ssh = self._start(spec, shell)
        self._wire = Wire(*map(_file_of, (self._ssh.stdin, self._ssh.stdout, self._ssh.stderr)))
        self._feeder = threading.Thread(target=self._feed, daemon=True)
        try:
            deadline = time.monotonic() + deadlines.hello_s
            with self._lost_where_it_is("the host tools"):
                self._wire.write(bundle(), deadline)
            left_s = deadline - time.monotonic()
            hello = self.ask("hello", table, seconds=left_s, interface=spec.interface)
            if hello.get("protocol") != PROTOCOL:
                raise PeerError(f"{self.name}: its agent is of another version")
        except BaseException:
            self.close()
            raise
        self._feeder.start()

    def ask(
        self,
        what: str,
        shape: Callable[[object], T],
        *,
        seconds: float | None = None,
        **content: Any,
    ) -> T:
        """Request something and wait for the answer; `shape` checks it.

        Args:
            seconds: for all of it; None: as long as an answer may usually take.

        Raises:
            PeerError: what the peer could not do.
            PeerLostError: if the connection is gone, no answer comes in time, or what comes is no
                answer; the peer stays lost then.
        """
        if self.closed:
            raise PeerLostError(f"{self.name}: the connection was closed")
        if self._lost_for is not None:
            raise PeerLostError(self._lost_for)
        within_s = self.deadlines.answer_s if seconds is None else seconds
        deadline = time.monotonic() + within_s
        self._number += 1
        self._unanswered.add(self._number)
        with self._lost_where_it_is(f"“{what}”"):
            self._send({"id": self._number, "do": what, **content}, deadline)
            answer = self._answer(self._number, deadline)
            if "error" not in answer:
                return shape(answer.get("value"))
            complaint = text(answer["error"])
        raise PeerError(f"{self.name}: {complaint}")

    @property
    def closed(self) -> bool:
        """Whether the conversation was ended from this side."""
        return self._closed.is_set()

    def close(self) -> None:
        """End the conversation; the agent puts back what was not, and goes."""
        if self._closed.is_set():
            return
        self._closed.set()
        stdin, stdout, stderr = self._ssh.stdin, self._ssh.stdout, self._ssh.stderr
        assert stdin is not None
        assert stdout is not None
        assert stderr is not None
        with self._writing:
            stdin.close()
        self._end()
        stdout.close()
        stderr.close()
        if self._feeder.is_alive():
            self._feeder.join()

    def _end(self) -> None:
        """Wait until ssh ends; then nothing that it started is left, and neither is it."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._ssh.wait(self._goodbye_s)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._ssh.pid, signal.SIGKILL)
        self._ssh.wait()

    def _start(self, spec: PeerSpec, shell: Sequence[str]) -> subprocess.Popen[bytes]:
        words = ".".join(map(str, OLDEST_PYTHON))
        code = RECEIVE.format(
            oldest=OLDEST_PYTHON,
            words=words,
            size=len(bundle()),
            digest=hashlib.sha256(bundle()).hexdigest(),
            isolated=ISOLATED,
            agent=AGENT,
        )
        remote = f"exec {spec.python} {ISOLATED} -c {shlex.quote(code)}"
        try:
            return subprocess.Popen(  # noqa: S603
                [*shell, remote],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env=caller_environment(),
                start_new_session=True,  # Ctrl-C is for the sweep, which then closes this
            )
        except OSError as error:
            raise PeerError(
                f"{self.name}: {shell[0]} cannot be started: {error.strerror}"
            ) from None

    def _send(self, message: dict[str, Any], deadline: float) -> None:
        assert self._ssh.stdin is not None
        if not self._writing.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise SilentError
        try:
            if self._ssh.stdin.closed:
                raise CutError
            self._wire.write(line_of(message), deadline)
        finally:
            self._writing.release()

    def _answer(self, number: int, deadline: float) -> dict[str, object]:
        """The answer to the request of that number; those to earlier ones were given up."""
        while True:
            answer = parse(self._wire.line(deadline), depth=DEEPEST, values=MOST_VALUES)
            if not isinstance(answer, dict) or not answer.keys() <= {"id", "value", "error"}:
                raise ShapeError
            answered = answer.get("id")
            if type(answered) is not int or answered not in self._unanswered:
                raise StrangeError("is to a question that was not asked")
            self._unanswered.remove(answered)
            if answered == number:
                return answer

    def _feed(self) -> None:
        """Say from time to time that the sweep lives."""
        while not self._closed.wait(FEED_S):
            try:
                with self._lost_where_it_is("the sign of life"):
                    self._send({"do": "feed"}, time.monotonic() + self.deadlines.answer_s)
            except PeerLostError:
                return

    @contextlib.contextmanager
    def _lost_where_it_is(self, what: str) -> Iterator[None]:
        """Turn all that can be wrong with the other end in an exchange into a lost peer.

        Raises:
            PeerLostError: and so from now on.
        """
        try:
            yield
        except CutError:
            said = self._words_of_the_end()
        except SilentError:
            said = f"no answer to {what} in time"
        except StrangeError as error:
            said = self._stranger(f"its answer to {what} {error}")
        except JsonRefusedError as error:
            said = self._stranger(f"its answer to {what} is none of an agent: {error}")
        except ValueError:
            said = self._stranger(f"its answer to {what} is none of an agent: it has another shape")
        else:
            return
        self._lost_for = self._lost_for or f"{self.name}: {said}"
        raise PeerLostError(self._lost_for)

    def _stranger(self, said: str) -> str:
        self._goodbye_s = self.deadlines.stranger_goodbye_s
        return said

    def _words_of_the_end(self) -> str:
        """Why the connection is gone, in the words of ssh and of the peer."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._ssh.wait(self.deadlines.cut_s)
        lines = self._wire.complaints().strip().splitlines()
        said = one_line("\n".join(lines[-3:]))
        hint = _hint(said, self.name)
        if hint is None and not said:
            said = "the connection was cut"
        return f"{said}{f' — {hint}' if hint else ''}"


def _hint(said: str, ssh: str) -> str | None:
    """What to do about what ssh said on the way to that destination."""
    hints = {**HINTS, **HINTS_TO_ROOT} if os.geteuid() == 0 else HINTS
    lower = said.lower()
    return next((hint.format(ssh=ssh) for sign, hint in hints.items() if sign in lower), None)


def _file_of(pipe: IO[bytes] | None) -> int:
    assert pipe is not None
    return pipe.fileno()


class NoConnection:
    """A conversation that could not begin."""

    closed = True
    deadlines = USUAL

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def ask(
        self,
        what: str,
        shape: Callable[[object], T],
        *,
        seconds: float | None = None,
        **content: Any,
    ) -> T:
        """Nothing can be asked.

        Raises:
            PeerLostError: always.
        """
        raise PeerLostError(self._reason)

    def close(self) -> None:
        """Nothing is open."""
