# SPDX-License-Identifier: Apache-2.0
"""What a sweep works with: the hosts, the workloads, the logger, and what guards the settings."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from coalescope_host.plan.plan import WorkloadSpec
from coalescope_host.protocols import Host, Peer, RestoreState, RunContext, Workload

_STEP_S = 0.2


class Guard(Protocol):
    """Keeps the way back while settings are changed."""

    def arm(self, state: RestoreState) -> None:
        """Have the state on disk, and someone who restores it should this process die or hang."""

    def feed(self) -> None:
        """Say that the sweep is alive; often."""

    def disarm(self) -> None:
        """The settings were put back: forget the state."""


@dataclass(frozen=True)
class Bench:
    """All that a sweep touches.

    Attributes:
        host: the host under test.
        peers: the other ends, in the order of the plan.
        guard: keeps the way back.
        prepare: a workload of the plan for one run.
        verify_mtu: whether packets of so many bytes reach that peer whole; what is wrong if not.
        effective_delay_us: the delay that a window's counters show, for a workload of a kind.
        logger: path of the logger.
        recover: what can be done after a run failed so: a peer that was lost is connected again.
        check: called often; raises `Interrupted` when the sweep is to end.
        failures: `SweepError`, and what else host, peers and workloads raise when something cannot
            be done.
        unreachable: why a peer cannot be reached, by its place in the plan; those that can are not
            there.
        reading_only: nothing can be changed, for want of root: it is for a dry run.
    """

    host: Host
    peers: Sequence[Peer]
    guard: Guard
    prepare: Callable[[WorkloadSpec, RunContext], Workload]
    verify_mtu: Callable[[Peer, int], list[str]]
    effective_delay_us: Callable[[Mapping[str, float], str], float | None]
    logger: str
    recover: Callable[[Exception], None]
    check: Callable[[], None]
    failures: tuple[type[Exception], ...]
    unreachable: Mapping[int, str] = field(default_factory=dict)
    reading_only: bool = False

    def alive(self) -> None:
        """Say that the sweep is alive, and ask whether it is to end: often, where it may end."""
        self.guard.feed()
        self.check()

    def pause(self, seconds: float) -> None:
        """Wait."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self.alive()
            time.sleep(min(left, _STEP_S))
