# SPDX-License-Identifier: Apache-2.0
"""Work that waits for the same turn, done as one piece by the first of those who wait."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")


@dataclass
class _Waiting:
    """An item, what became of it, and whose turn it is: its own, with these items, or nobody's."""

    item: Any
    outcome: Future[Any] = field(default_factory=Future)
    turn: Future[list["_Waiting"]] = field(default_factory=Future)


class Together:
    """Turns by key. What comes while a turn lasts is the next turn's, all of it.

    No thread of its own: whoever waited longest does the work of all who wait, the others sleep.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        # a key is here while somebody is at work under it
        self._waiting: dict[str, list[_Waiting]] = {}

    def do(self, key: str, item: T, work: Callable[[Sequence[T]], Sequence[R]]) -> R:
        """What `work` returns for this item; it may be given others of the same key beside it.

        `work` is the same for all under a key, and returns an outcome for each item, in order.
        What it raises is raised to everybody whose item it was given.
        """
        mine = _Waiting(item)
        with self._lock:
            waiting = self._waiting.get(key)
            if waiting is None:
                self._waiting[key] = []
            else:
                waiting.append(mine)
        turn = [mine] if waiting is None else mine.turn.result()
        if turn:
            self._take(key, turn, work)
        outcome: R = mine.outcome.result()
        return outcome

    def _take(
        self, key: str, turn: Sequence[_Waiting], work: Callable[[Sequence[Any]], Sequence[Any]]
    ) -> None:
        try:
            outcomes = work([one.item for one in turn])
            for one, outcome in zip(turn, outcomes, strict=True):
                one.outcome.set_result(outcome)
        except BaseException as error:
            for one in turn:
                if not one.outcome.done():
                    one.outcome.set_exception(error)
        finally:
            self._pass_on(key)
            for one in turn[1:]:
                one.turn.set_result([])

    def _pass_on(self, key: str) -> None:
        with self._lock:
            waiting = self._waiting.pop(key)
            if waiting:
                self._waiting[key] = []
        if waiting:
            waiting[0].turn.set_result(waiting)
