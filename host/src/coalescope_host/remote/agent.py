# SPDX-License-Identifier: Apache-2.0
"""What runs on a peer: does what comes as JSON lines on standard input, and answers in lines.

A request is `{"id": 1, "do": "apply", …}`, an answer `{"id": 1, "value": …}` or
`{"id": 1, "error": "…"}`; `{"do": "feed"}` is not answered. When the input ends, or nothing comes
for `SILENCE_S`, the agent ends what it started, puts its interface back and goes. A process beside
it does so should the agent itself be killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import pwd
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..missing_program import not_installed
from ..program_environment import program_environment
from ..protocols import SweepError
from ..settings import Guard, Host, open_host, refusals, restore_all
from ..settings.restore_file import file_of
from .addresses import addresses
from .environment import environment
from .machine_facts import boot_id
from .path_mtu import probe
from .protocol import PROTOCOL, SILENCE_S, answer

STOP_S = 3.0
TAIL_BYTES = 4096
MOST_OUTPUT_BYTES = 1 << 16
UNPRIVILEGED = "nobody"
AGENT_HEARTBEAT_S = 1.0
HANG_S = 120.0
ANSWERS = os.dup(1)
"""Standard output as it was; what anything prints by mistake goes to standard error instead."""
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)

Request = Mapping[str, Any]


@dataclass
class Program:
    """A program that was started, or waits for its time."""

    argv: list[str]
    user: str | None
    output: Path
    errors: Path
    starts_at_ns: int
    process: subprocess.Popen[bytes] | None = None
    answer_to: int | None = None
    fault: str | None = None

    def start(self) -> None:
        """Start it in a session of its own, without root."""
        if shutil.which(self.argv[0]) is None:
            self.fault = not_installed(self.argv[0])
            return
        options: dict[str, Any] = {}
        if self.user is not None and os.geteuid() == 0:
            entry = pwd.getpwnam(self.user)
            options = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        try:
            with self.output.open("wb") as output, self.errors.open("wb") as errors:
                self.process = subprocess.Popen(  # noqa: S603
                    self.argv,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=errors,
                    cwd="/",
                    env=program_environment(self.user),
                    start_new_session=True,
                    preexec_fn=_die_with_parent,  # noqa: PLW1509  # this process has one thread
                    **options,
                )
        except OSError as error:
            self.fault = f"{self.argv[0]} cannot be started: {error.strerror}"

    def alive(self) -> bool:
        """Whether it runs, or is still to."""
        if self.process is None:
            return self.fault is None
        return self.process.poll() is None

    def stop(self) -> str:
        """End it with all that it started; the last of what it printed on stderr."""
        if self.process is None:
            return self.fault or ""
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(STOP_S)
        return self.tail()

    def tail(self) -> str:
        """The last of what it printed on stderr."""
        try:
            with self.errors.open("rb") as errors:
                errors.seek(max(0, self.errors.stat().st_size - TAIL_BYTES))
                return _text(errors.read(TAIL_BYTES)).strip()
        except OSError:
            return ""


class Agent:
    """One connection's worth of work on this host."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.host: Host | None = None
        self.guard: Guard | None = None
        self.state: Mapping[str, Any] | None = None
        self.programs: dict[int, Program] = {}
        self.does: Mapping[str, Callable[[Request], Any]] = {
            "hello": self.hello,
            "problems": lambda r: self.problems(r["levels"]),
            "changes": lambda r: self._host().changes(r["levels"]),
            "now": lambda r: self._host().now(r["factors"]),
            "save": lambda r: self._host().save(),
            "apply": lambda r: self.apply(r["levels"]),
            "restore": lambda r: self.restore(r["state"]),
            "facts": lambda r: self._host().facts(),
            "clock": lambda r: time.monotonic_ns(),
            "probe": lambda r: probe(r["address"], r["mtu_bytes"]),
            "start": self.start,
            "alive": lambda r: self._program(r).alive(),
            "stop": self.stop,
            "run": self.run,
            "environment": lambda r: {**environment(self.host), "boot_id": boot_id()},
            "addresses": lambda r: addresses(),
            "missing": lambda r: missing(r["programs"]),
        }

    def hello(self, request: Request) -> Mapping[str, Any]:
        """Take up the interface; what an earlier sweep left changed is put back first."""
        if interface := request["interface"]:
            self.host = open_host(interface)
            self.guard = Guard(interface, hang_s=HANG_S)
            if self.guard.stale():
                restore_all(file_of(interface))
        return {"protocol": PROTOCOL, "python": sys.version.split()[0], "uid": os.geteuid()}

    def problems(self, levels: Mapping[str, Any]) -> list[str]:
        """Why levels cannot be set here, or the interface must not be touched."""
        if self.host is None:
            return []
        return refusals(self.host.device.name) + self.host.problems(levels)

    def apply(self, levels: Mapping[str, Any]) -> Mapping[str, Any]:
        """Set levels; before the first change the way back is on this host's disk."""
        host = self._host()
        if refused := refusals(host.device.name):
            raise SweepError("; ".join(refused))
        if self.state is None and self.guard is not None:
            state = host.save(whole_machine=False)  # an MTU is all that is set at peers
            self.guard.arm(state)
            self.state = state
        return host.apply(levels)

    def restore(self, state: Mapping[str, Any] | None) -> None:
        """Put back what was saved; by default what this agent saved before its first change."""
        state = state or self.state
        if state is None:
            return
        self._host().restore(state)
        self.state = None
        if self.guard is not None:
            self.guard.disarm()

    def start(self, request: Request) -> int:
        """Start a program, now or at a time of this host's monotonic clock; its number."""
        return self._begin(request)[0]

    def run(self, request: Request) -> None:
        """Run a program; its answer comes when it ends."""
        _, program = self._begin(request)
        program.answer_to = request["id"]

    def stop(self, request: Request) -> str:
        """End a program and forget it; the last of what it printed on stderr."""
        program = self._program(request)
        del self.programs[request["program"]]
        return program.stop()

    def work(self) -> None:
        """Start programs whose time has come; answer for those that ran to their end."""
        for number, program in list(self.programs.items()):
            if program.process is None and program.fault is None and _due(program):
                program.start()
            if program.answer_to is None or program.alive():
                continue
            del self.programs[number]
            if program.process is None:
                answer(ANSWERS, program.answer_to, error=program.fault)
                continue
            with program.output.open("rb") as output:
                printed = _text(output.read(MOST_OUTPUT_BYTES))
            value = [program.process.returncode, printed, program.tail()]
            answer(ANSWERS, program.answer_to, value=value)

    def wait_s(self) -> float:
        """How long the agent may sleep before something is due."""
        due_ns = [p.starts_at_ns for p in self.programs.values() if p.process is None]
        waits = [(at - time.monotonic_ns()) / 1e9 for at in due_ns]
        running = any(p.answer_to is not None for p in self.programs.values())
        return max(0.0, min([0.02 if running else AGENT_HEARTBEAT_S, *waits]))

    def end(self) -> None:
        """End all programs and put the interface back."""
        for program in self.programs.values():
            program.stop()
        self.programs.clear()
        with contextlib.suppress(SweepError):  # the process beside it tries again
            self.restore(None)

    def _begin(self, request: Request) -> tuple[int, Program]:
        number = request["id"]
        program = Program(
            argv=list(request["argv"]),
            user=request.get("user", UNPRIVILEGED),
            output=self.folder / f"{number}.out",
            errors=self.folder / f"{number}.err",
            starts_at_ns=request.get("at_ns") or 0,
        )
        if _due(program):
            program.start()
            if program.fault:
                raise SweepError(program.fault)
        self.programs[number] = program
        return number, program

    def _program(self, request: Request) -> Program:
        return self.programs[request["program"]]

    def _host(self) -> Host:
        if self.host is None:
            raise SweepError("the plan names no interface for this peer")
        return self.host


def main() -> None:
    """Serve one connection. The first argument is the private folder, removed at the end."""
    os.dup2(2, 1)
    folder = Path(sys.argv[1])
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        # The end of the input is what ends it. SIG_IGN would pass to the programs that it starts.
        signal.signal(number, lambda _number, _frame: None)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    agent = Agent(Path(tempfile.mkdtemp(dir=folder)))
    try:
        _serve(agent)
    finally:
        agent.end()
        shutil.rmtree(folder, ignore_errors=True)


def _serve(agent: Agent) -> None:
    received, heard = b"", time.monotonic()
    while time.monotonic() - heard < SILENCE_S:
        readable, _, _ = select.select([0], [], [], agent.wait_s())
        if readable:
            chunk = os.read(0, 1 << 16)
            if not chunk:
                return
            received += chunk
            *lines, received = received.split(b"\n")
            for line in lines:
                _do(agent, json.loads(line))
            heard = time.monotonic()
        try:
            agent.work()
        except BrokenPipeError:
            return
        if agent.state is not None and agent.guard is not None:
            agent.guard.feed()


def _do(agent: Agent, request: Request) -> None:
    if request["do"] == "feed":
        return
    try:
        value = agent.does[request["do"]](request)
    except SweepError as error:
        answer(ANSWERS, request["id"], error=str(error))
    except Exception as error:  # the other end has to know, whatever it is
        answer(ANSWERS, request["id"], error=f"{type(error).__name__}: {error}")
    else:
        if request["do"] != "run":
            answer(ANSWERS, request["id"], value=value)


def missing(programs: Sequence[str]) -> list[str]:
    """Which of these programs are not here."""
    return [program for program in programs if shutil.which(program) is None]


def _text(printed: bytes) -> str:
    """Text as an answer may have it."""
    return printed.decode("utf-8", "replace").replace("\0", "\ufffd")


def _die_with_parent() -> None:
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _due(program: Program) -> bool:
    return time.monotonic_ns() >= program.starts_at_ns


if __name__ == "__main__":
    main()
