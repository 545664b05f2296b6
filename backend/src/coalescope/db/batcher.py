# SPDX-License-Identifier: Apache-2.0
"""Joins work that waits under one key into batches; the first waiting thread does the batch."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Lock
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")
R = TypeVar("R")


class _Done(NamedTuple):
    """What became of an item: an outcome, or what was raised."""

    outcome: Any
    error: BaseException | None = None


@dataclass
class _Pending:
    """An item, and the message to the thread that waits with it.

    The message is the item's outcome, or the batch that the thread has to do itself.
    """

    item: Any
    message: "SimpleQueue[_Done | Sequence[_Pending]]" = field(default_factory=SimpleQueue)


class Batcher:
    """Batches by key: whatever arrives while a batch runs makes up the next batch.

    It has no thread of its own. The thread that waited longest runs the batch of all that wait; the
    others sleep.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        # a key is here while somebody is at work under it
        self._waiting: dict[str, list[_Pending]] = {}

    def do(self, key: str, item: T, work: Callable[[Sequence[T]], Sequence[R]]) -> R:
        """What `work` returns for this item; it may be given others of the same key beside it.

        `work` is the same for all under a key, and returns an outcome for each item, in order.
        What it raises is raised to everybody whose item it was given.
        """
        mine = _Pending(item)
        with self._lock:
            waiting = self._waiting.get(key)
            if waiting is None:
                self._waiting[key] = []
            else:
                waiting.append(mine)
        message = [mine] if waiting is None else mine.message.get()
        if not isinstance(message, _Done):
            message = self._take(key, message, work)
        if message.error is not None:
            raise message.error
        outcome: R = message.outcome
        return outcome

    def waiting(self, key: str) -> int | None:
        """How many wait under this key for the batch that runs; None: none runs."""
        with self._lock:
            waiting = self._waiting.get(key)
            return None if waiting is None else len(waiting)

    def _take(
        self,
        key: str,
        batch: Sequence[_Pending],
        work: Callable[[Sequence[Any]], Sequence[Any]],
    ) -> _Done:
        """Run a batch and hand the next one on; returns the outcome of the first item."""
        done: list[_Done]
        try:
            outcomes = work([one.item for one in batch])
            done = [_Done(outcome) for _, outcome in zip(batch, outcomes, strict=True)]
        except BaseException as error:
            done = [_Done(None, error)] * len(batch)
        self._pass_on(key)
        for one, what in zip(batch[1:], done[1:], strict=True):
            one.message.put(what)
        return done[0]

    def _pass_on(self, key: str) -> None:
        with self._lock:
            batch = self._waiting.pop(key)
            if batch:
                self._waiting[key] = []
        if batch:
            batch[0].message.put(batch)
