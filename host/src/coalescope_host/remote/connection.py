# SPDX-License-Identifier: Apache-2.0
"""The agent on a peer, reached through the system's ssh: requests out, answers back.

One connection carries everything: the host tools as a zipapp first, then the conversation.
"""

import contextlib
import json
import os
import select
import shlex
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from typing import Any

from ..plan.plan import PeerSpec
from .bundle import bundle
from .errors import PeerError, PeerLostError
from .protocol import FEED_S, PROTOCOL, send

NO_PASSWORD = ("-o", "BatchMode=yes")
SSH_OPTIONS = (  # after those of the plan: ssh takes the first that it is given
    *("-o", "ConnectTimeout=10"),
    *("-o", "ServerAliveInterval=5"),
    *("-o", "ServerAliveCountMax=3"),
    "-T",
)
HELLO_S = 60.0
ANSWER_S = 120.0
GOODBYE_S = 60.0
OLDEST_PYTHON = (3, 11)

RECEIVE = """
import os, sys, tempfile
if sys.version_info < {oldest}:
    sys.exit("Python {words} or newer is needed, this is " + sys.version.split()[0])
folder = tempfile.mkdtemp(prefix="coalescope-host-")
path = os.path.join(folder, "coalescope-host.pyz")
left = {size}
with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
    while left:
        part = os.read(0, min(left, 1 << 16))
        if not part:
            sys.exit("the connection ended while the host tools were sent")
        left -= file.write(part)
os.environ["PYTHONPATH"] = path
os.execv(sys.executable, [sys.executable, "-m", "coalescope_host.remote.agent", folder])
"""
"""Runs at the peer: takes so many bytes into a private file and becomes the agent in it."""

HINTS = {
    "permission denied": "its key is refused: `ssh-copy-id` puts yours there, `ssh-add` loads it",
    "host key verification failed": "its host key is unknown or has changed: log in once by hand",
    "could not resolve": "there is no host of this name",
    "connection refused": "it is up, but no sshd listens there",
    "timed out": "it does not answer: is it up, is the address right?",
    "no route to host": "there is no way to it: look at `ip route`",
    "network is unreachable": "there is no way to it: look at `ip route`",
    "not found": "Python is missing there; `python = …` of the peer in the plan names another",
}


def over_ssh(spec: PeerSpec) -> list[str]:
    """The system's ssh to a peer."""
    return ["ssh", *NO_PASSWORD, *spec.ssh_options, *SSH_OPTIONS, "--", spec.ssh]


class Connection:
    """A conversation with the agent of one peer."""

    def __init__(self, spec: PeerSpec, shell: Sequence[str]) -> None:
        """`shell`: what runs a command line of the peer's shell when that is added to it."""
        self.name = spec.ssh
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed with the connection
        self._received = b""
        self._number = 0
        self._writing = threading.Lock()
        self._closed = threading.Event()
        self._ssh = self._start(spec, shell)
        self._feeder = threading.Thread(target=self._feed, daemon=True)
        try:
            self._send_bundle()
            hello = self.ask("hello", seconds=HELLO_S, interface=spec.interface)
            if hello["protocol"] != PROTOCOL:
                raise PeerError(f"{self.name}: its agent is of another version ({hello})")
        except BaseException:
            self.close()
            raise
        self._feeder.start()

    def ask(self, what: str, *, seconds: float = ANSWER_S, **content: Any) -> Any:
        """Request something and wait for the answer.

        Raises:
            PeerError: what the peer could not do.
            PeerLostError: if the connection is gone, or no answer comes in time.
        """
        if self.closed:
            raise PeerLostError(f"{self.name}: the connection was closed")
        self._number += 1
        number = self._number
        try:
            self._send({"id": number, "do": what, **content})
        except OSError:
            raise self._lost() from None
        deadline = time.monotonic() + seconds
        while True:
            answer = json.loads(self._line(deadline, what))
            if answer["id"] == number:  # one before was given up
                break
        if "error" in answer:
            raise PeerError(f"{self.name}: {answer['error']}")
        return answer.get("value")

    @property
    def closed(self) -> bool:
        """Whether the conversation was ended from this side."""
        return self._closed.is_set()

    def close(self) -> None:
        """End the conversation; the agent puts back what was not, and goes."""
        if self._closed.is_set():
            return
        self._closed.set()
        if self._ssh.stdin is not None:
            with self._writing, contextlib.suppress(OSError):
                self._ssh.stdin.close()
        try:
            self._ssh.wait(GOODBYE_S)
        except subprocess.TimeoutExpired:
            self._ssh.kill()
            self._ssh.wait()
        if self._ssh.stdout is not None:
            self._ssh.stdout.close()
        if self._feeder.is_alive():
            self._feeder.join()
        self._errors.close()

    def _start(self, spec: PeerSpec, shell: Sequence[str]) -> subprocess.Popen[bytes]:
        words = ".".join(map(str, OLDEST_PYTHON))
        code = RECEIVE.format(oldest=OLDEST_PYTHON, words=words, size=len(bundle()))
        remote = f"exec {spec.python} -c {shlex.quote(code)}"
        try:
            return subprocess.Popen(  # noqa: S603
                [*shell, remote],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                bufsize=0,
                start_new_session=True,  # Ctrl-C is for the sweep, which then closes this
            )
        except OSError as error:
            raise PeerError(
                f"{self.name}: {shell[0]} cannot be started: {error.strerror}"
            ) from None

    def _send_bundle(self) -> None:
        assert self._ssh.stdin is not None
        content = memoryview(bundle())
        try:
            while content:
                content = content[os.write(self._ssh.stdin.fileno(), content) :]
        except OSError:
            raise self._lost() from None

    def _send(self, message: dict[str, Any]) -> None:
        assert self._ssh.stdin is not None
        with self._writing:
            if self._ssh.stdin.closed:
                raise BrokenPipeError
            send(self._ssh.stdin.fileno(), message)

    def _line(self, deadline: float, what: str) -> bytes:
        assert self._ssh.stdout is not None
        while b"\n" not in self._received:
            left = max(0.0, deadline - time.monotonic())
            readable, _, _ = select.select([self._ssh.stdout], [], [], left)
            if not readable:
                raise PeerLostError(f"{self.name}: no answer to “{what}” in time")
            chunk = os.read(self._ssh.stdout.fileno(), 1 << 16)
            if not chunk:
                raise self._lost()
            self._received += chunk
        line, _, self._received = self._received.partition(b"\n")
        return line

    def _feed(self) -> None:
        """Say from time to time that the sweep lives."""
        while not self._closed.wait(FEED_S):
            try:
                self._send({"do": "feed"})
            except OSError:
                return

    def _lost(self) -> PeerLostError:
        """Why the connection is gone, in the words of ssh and of the peer."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._ssh.wait(2.0)
        self._errors.seek(0)
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        said = "; ".join(line.strip() for line in lines[-3:])
        lower = said.lower()
        hint = next((hint for sign, hint in HINTS.items() if sign in lower), None)
        if hint is None and not said:
            said = "the connection was cut"
        return PeerLostError(f"{self.name}: {said}{f' — {hint}' if hint else ''}")


class NoConnection:
    """A conversation that could not begin."""

    closed = True

    def __init__(self, reason: str) -> None:
        self._reason = reason

    def ask(self, what: str, *, seconds: float = ANSWER_S, **content: Any) -> Any:
        """Nothing can be asked.

        Raises:
            PeerLostError: always.
        """
        raise PeerLostError(self._reason)

    def close(self) -> None:
        """Nothing is open."""
