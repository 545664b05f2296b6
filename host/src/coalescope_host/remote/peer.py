# SPDX-License-Identifier: Apache-2.0
"""A host at the other end: set, restored and made to run programs, through its agent."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from ..missing_program import not_installed
from ..plan.factors import Level, Levels
from ..plan.plan import PeerSpec
from . import shapes
from .addresses import Address
from .clock import ClockOffset, measure
from .connection import Connection, NoConnection, over_ssh
from .deadlines import USUAL, Deadlines
from .errors import PeerError, PeerLostError
from .machine_facts import boot_id
from .shapes import count, nothing, outcome, table, text, text_or_nothing, texts, truth

UNPRIVILEGED = "nobody"


class Server:
    """A program that runs at a peer until it is stopped."""

    def __init__(self, connection: Connection | NoConnection, number: int) -> None:
        self._connection = connection
        self._number = number
        self._stopped = False

    def alive(self) -> bool:
        """Whether it still runs, or waits for its time."""
        return self._connection.ask("alive", truth, program=self._number)

    def stop(self) -> str:
        """End it, with all it started; return the last of what it printed on stderr.

        Once is enough: then it says no more.
        """
        if self._stopped:
            return ""
        self._stopped = True
        return self._connection.ask("stop", text, program=self._number)


class Peer:
    """A connected peer. Its agent restores it when the connection ends, however it ends."""

    def __init__(self, spec: PeerSpec, connection: Connection | NoConnection) -> None:
        self.spec = spec
        self._connection = connection

    def problems(self, levels: Levels) -> list[str]:
        """Why these levels cannot be set there. Changes nothing."""
        found = self._connection.ask("problems", texts, levels=dict(levels))
        return [f"{self.spec.ssh}: {problem}" for problem in found]

    def changes(self, levels: Levels) -> list[str]:
        """What setting them would do, as shell commands; only what differs from now."""
        return self._connection.ask("changes", texts, levels=dict(levels))

    def now(self, factors: Iterable[str]) -> Levels:
        """How these factors are set there; those that cannot be read are left out."""
        asked = list(factors)
        told = self._connection.ask("now", shapes.levels, factors=asked)
        return {name: level for name in asked if (level := told.get(name)) is not None}

    def save(self) -> Mapping[str, Any]:
        """All that `apply` may change, as it is now."""
        return self._connection.ask("save", table)

    def apply(self, levels: Levels) -> Mapping[str, Level | None]:
        """Set what differs; what the peer says it took. Its agent saved the way back before."""
        return self._connection.ask("apply", shapes.levels, levels=dict(levels))

    def restore(self, state: Mapping[str, Any]) -> None:
        """Set everything back as it was when `state` was saved."""
        self._restore(dict(state))

    def facts(self) -> Mapping[str, str]:
        """The driver of its interface, and its kernel."""
        return self._connection.ask("facts", shapes.facts)

    def start_server(
        self, argv: Sequence[str], *, user: str = UNPRIVILEGED, at_ns: int | None = None
    ) -> Server:
        """Start a program that runs until it is stopped.

        Args:
            argv: the program and its arguments.
            user: who runs it, where the agent is root.
            at_ns: of our own monotonic clock: it starts at this instant; None: at once.
        """
        theirs = None if at_ns is None else at_ns + self.clock_offset.offset_ns
        number = self._connection.ask("start", count, argv=list(argv), user=user, at_ns=theirs)
        return Server(self._connection, number)

    def run(self, argv: Sequence[str], *, user: str = UNPRIVILEGED) -> tuple[int, str]:
        """Run a program to its end; its exit status, and what it printed on standard output.

        What it printed on standard error stands in its place if it failed without a word there.
        """
        run_s = self._connection.deadlines.run_s
        status, printed, complaints = self._connection.ask(
            "run", outcome, seconds=run_s, argv=list(argv), user=user
        )
        return status, printed or (complaints if status else "")

    def environment(self) -> Mapping[str, Any]:
        """Its kernel, processors, driver and settings, and whether it shares this machine."""
        told = dict(self._connection.ask("environment", shapes.environment))
        own, there = boot_id(), told.pop("boot_id", None)
        return told | ({"same_machine": True} if own is not None and there == own else {})

    def addresses(self) -> list[Address]:
        """Its interfaces' addresses."""
        return self._connection.ask("addresses", shapes.addresses)

    def missing(self, programs: Sequence[str]) -> list[str]:
        """Which of these programs are not there."""
        found = self._connection.ask("missing", texts, programs=list(programs))
        return [f"{self.spec.ssh}: {not_installed(program, ' there')}" for program in found]

    def probe(self, address: str, mtu_bytes: int) -> str | None:
        """What is wrong with the way from the peer to an address, for packets of that size."""
        return self._connection.ask("probe", text_or_nothing, address=address, mtu_bytes=mtu_bytes)

    @cached_property
    def clock_offset(self) -> ClockOffset:
        """The peer's monotonic clock minus ours."""
        return measure(lambda: self._connection.ask("clock", count), time.monotonic_ns)

    def lost(self) -> bool:
        """Whether nothing can be asked any more."""
        try:
            self._connection.ask("clock", count)
        except PeerLostError:
            return True
        except PeerError:
            return False
        return False

    def close(self) -> None:
        """Restore and disconnect; once is enough.

        Raises:
            PeerError: if something could not be put back; the peer's own guard tries again.
        """
        if self._connection.closed:
            return
        try:
            self._restore(None)
        finally:
            self._connection.close()

    def _restore(self, state: Mapping[str, Any] | None) -> None:
        restore_s = self._connection.deadlines.restore_s
        self._connection.ask("restore", nothing, seconds=restore_s, state=state)


def connect(spec: PeerSpec, shell: Sequence[str] = (), deadlines: Deadlines = USUAL) -> Peer:
    """Connect to a peer, send it the host tools and start its agent.

    `shell` runs a command line there when that is added to it; without one, ssh does.

    Raises:
        PeerError: why it cannot be reached, or used.
    """
    return Peer(spec, Connection(spec, shell or over_ssh(spec), deadlines))


def absent(spec: PeerSpec, reason: str) -> Peer:
    """Return a peer in the place of one that cannot be reached; it is lost, with this reason."""
    return Peer(spec, NoConnection(reason))
