# SPDX-License-Identifier: Apache-2.0
"""Joins the sweep with the real settings, peers and workloads."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

from coalescope_host.plan.plan import PeerSpec, Plan
from coalescope_host.protocols import SweepError
from coalescope_host.remote import Peer, PeerError, PeerLostError, absent, connect, verify_mtu
from coalescope_host.settings.errors import BusyError, SettingError
from coalescope_host.settings.guard import Guard, restore_all
from coalescope_host.settings.host import may_administer, open_host
from coalescope_host.workloads import prepare

from .bench import Bench
from .effective_delay import effective_delay_us

FAILURES: tuple[type[Exception], ...] = (SweepError, SettingError)

Connect = Callable[[PeerSpec], Peer]

NEEDS_SUDO = "A sweep changes settings, which needs root: run it with sudo."
_WATCHDOG_S = 10.0


def open_bench(
    plan: Plan, check: Callable[[], None], connect: Connect = connect
) -> AbstractContextManager[Bench]:
    """The real hosts and workloads of a plan. At the end of the block peers are put back.

    Raises:
        SweepError, SettingError: if a host cannot be had.
    """
    if not may_administer():
        raise SweepError(NEEDS_SUDO)
    return bench_to_read(plan, check, connect)


@contextmanager
def bench_to_read(
    plan: Plan, check: Callable[[], None], connect: Connect = connect
) -> Iterator[Bench]:
    """The same for a dry run, which needs no root."""
    guard = Guard(plan.interface)
    _let_watchdog_finish(guard)
    with ExitStack() as stack:
        peers: list[Peer] = []
        unreachable: dict[int, str] = {}
        for place, spec in enumerate(plan.peers):
            try:
                peers.append(connect(spec))
            except PeerError as error:
                unreachable[place] = str(error)
                peers.append(absent(spec, str(error)))
            stack.callback(_close, peers, place)
        host = open_host(plan.interface, plan.driver)
        yield Bench(
            host=host,
            peers=peers,
            guard=guard,
            prepare=prepare,
            verify_mtu=partial(verify_mtu, interface=host.device),
            effective_delay_us=effective_delay_us,
            logger=plan.logger.path,
            recover=partial(reconnect, peers, feed=guard.feed, connect=connect),
            check=check,
            failures=FAILURES,
            unreachable=unreachable,
            reading_only=not may_administer(),
        )


def restore(state: Path | None) -> list[str]:
    """Put back what sweeps that died left changed; what was done, a line each."""
    return restore_all(state)


def _let_watchdog_finish(guard: Guard) -> None:
    """A sweep that was killed a moment ago is being put back: going on at once is no mistake.

    One that runs is: that is said at once.
    """
    end = time.monotonic() + _WATCHDOG_S
    while stale := guard.stale():
        runs = isinstance(stale, BusyError) and not stale.restores
        if runs or time.monotonic() >= end:
            raise SweepError(str(stale))
        time.sleep(0.1)


def _close(peers: list[Peer], place: int) -> None:
    """Close the peer that is in this place now: it may have been connected anew."""
    peers[place].close()


def reconnect(
    peers: list[Peer],
    error: Exception,
    *,
    feed: Callable[[], None] = lambda: None,
    connect: Connect = connect,
) -> None:
    """Connect again to peers that were lost; one that is still away fails the next run too.

    The old connection goes first: its agent, if it lives, must not put back what the new one sets.
    `feed` says that the sweep is alive: each peer may take minutes.
    """
    if not isinstance(error, PeerLostError):
        return
    for place, peer in enumerate(peers):
        feed()
        if not peer.lost():
            continue
        feed()
        with suppress(PeerError):  # it is lost, as is known
            peer.close()
        feed()
        with suppress(PeerError):
            peers[place] = connect(peer.spec)
