# SPDX-License-Identifier: Apache-2.0
"""What every kind of workload comes to: programs to run here and at the peers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from coalescope_host.protocols import SweepError, Where

#: How long traffic goes on after the window should have ended, in seconds: the logger's last
#: sample comes up to an interval late, and the command starts later than the servers.
TAIL_S = 1.0


class WorkloadError(SweepError):
    """The traffic cannot be prepared: what, where, what to do."""


def says_nothing(_body: bytes) -> list[str]:
    """Judge a command whose output is its own."""
    return []


@dataclass(frozen=True)
class Traffic:
    """The traffic of one run. Fulfils `protocols.Workload`.

    Attributes:
        command: what the logger runs; it ends by itself after the window.
        servers: what must run before it.
        user: who runs command and servers of this host.
        programs: of this host, that command and servers call.
        cpus: on which the command runs; None: on any.
        judge: what is wrong with what the command printed.
        remark: what is worth saying about it although the run counts.
    """

    command: Sequence[str]
    servers: Sequence[tuple[Where, Sequence[str]]] = ()
    user: str | None = None
    programs: Sequence[str] = ()
    judge: Callable[[bytes], list[str]] = says_nothing
    remark: Callable[[bytes], list[str]] = says_nothing
    cpus: str | None = None

    def needs(self) -> Sequence[str]:
        """Programs of this host that it calls."""
        return self.programs

    def result(self, body: bytes) -> list[str]:
        """What is wrong with what the command printed; empty if it worked."""
        return self.judge(body)

    def remarks(self, body: bytes) -> list[str]:
        """What is worth saying although the run counts: retransmissions, a sender too slow."""
        return self.remark(body)
