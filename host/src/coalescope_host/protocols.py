# SPDX-License-Identifier: Apache-2.0
"""What the sweep asks of settings, peers and workloads.

`settings`, `peers` and `workloads` fulfil these; the sweep knows them only so. Whoever is to say
what is wrong with something gives a list of sentences, empty where nothing is; what fails while it
is done raises `SweepError`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, Union

from .plan.factors import Level, Levels
from .plan.plan import PeerSpec
from .terminal import LinesError

RestoreState = Mapping[str, Any]
"""All that a restore needs, as JSON."""

Where = Union[Literal["here"], int]
"""This host, or a peer by its place in the plan, from 0."""


class SweepError(LinesError):
    """Something could not be done: what, where, what to do. The run fails, not the sweep."""


class Settable(Protocol):
    """A host whose settings can be changed: this one, or a peer."""

    def problems(self, levels: Levels) -> list[str]:
        """Why these levels cannot be set here. Changes nothing."""

    def changes(self, levels: Levels) -> list[str]:
        """What setting them would do, as shell commands; only what differs from now."""

    def now(self, factors: Iterable[str]) -> Levels:
        """How these factors are set; those that cannot be read are left out."""

    def save(self) -> RestoreState:
        """All that `apply` may change, as it is now."""

    def apply(self, levels: Levels) -> Mapping[str, Level | None]:
        """Set what differs; return what the host says it took: a factor's name → level, or None
        where it cannot be read. Factors that are no settings are ignored, and not returned."""

    def restore(self, state: RestoreState) -> None:
        """Set everything back; go on after what fails, then raise `SweepError` with all of it."""


class Host(Settable, Protocol):
    """The host under test."""

    def facts(self) -> Mapping[str, str]:
        """What is worth knowing and the logger does not record: for the header's environment."""


class Server(Protocol):
    """A program that was started for a run."""

    def alive(self) -> bool:
        """Whether it still runs."""

    def stop(self) -> str:
        """End it, with all it started; return the last of what it printed on stderr."""


class Peer(Settable, Protocol):
    """A host at the other end. Its agent restores it when the connection ends, however it ends."""

    spec: PeerSpec

    def start_server(self, argv: Sequence[str], *, user: str, at_ns: int | None = None) -> Server:
        """Start a program that runs until it is stopped; `at_ns`: when, by this host's clock."""

    def environment(self) -> Mapping[str, Any]:
        """Its kernel, processors, driver and settings: for the headers of this host's logs."""

    def missing(self, programs: Sequence[str]) -> list[str]:
        """Which of these programs are not there."""

    def probe(self, address: str, mtu_bytes: int) -> str | None:
        """What is wrong with the way from there to an address, for packets of that size."""

    def close(self) -> None:
        """Restore and disconnect."""


@dataclass(frozen=True)
class RunContext:
    """What a workload may know about the run it makes the traffic for.

    Attributes:
        interface: of this host.
        levels: the cell.
        seed: for what the workload draws.
        warmup_s, duration_s: the measurement window begins warmup_s after the command, and lasts
            duration_s; the logger ends the command afterwards.
        peers: the hosts at the other end.
        user: who runs the command.
    """

    interface: str
    levels: Levels
    seed: int
    replicate: int
    warmup_s: float
    duration_s: float
    peers: tuple[PeerSpec, ...]
    user: str | None


class Workload(Protocol):
    """The traffic of one run."""

    @property
    def servers(self) -> Sequence[tuple[Where, Sequence[str]]]:
        """What must run before the command starts; ended after it."""

    @property
    def command(self) -> Sequence[str]:
        """What the logger runs; its standard output is the run's result."""

    @property
    def user(self) -> str | None:
        """Who runs command and servers of this host; None: who called."""

    @property
    def cpus(self) -> str | None:
        """On which processors the command runs; None: on any."""

    def needs(self) -> Sequence[str]:
        """Programs of this host that it calls."""

    def result(self, body: bytes) -> list[str]:
        """What is wrong with what the command printed; empty if it worked."""

    def remarks(self, body: bytes) -> list[str]:
        """What is worth saying about what it printed although the run counts."""
