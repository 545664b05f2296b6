# SPDX-License-Identifier: Apache-2.0
"""Work that waits for the same turn, done as one piece by the first of those who wait."""

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
class _Waiting:
    """An item, and the word for who waits with it: what became of it, or that the turn is its own.

    A turn is all whose items it takes, whoever takes it first among them.
    """

    item: Any
    word: "SimpleQueue[_Done | Sequence[_Waiting]]" = field(default_factory=SimpleQueue)


class Together:
    """Turns by key. What comes while a turn lasts is the next turn's, all of it.

    No thread of its own: whoever waited longest does the work of all who wait, the others sleep.

    With `by_halves` a turn takes at most half of those who are there when it begins, they who had
    the turn before counted: for work that is done elsewhere. These are served and come again while
    the others' turn lasts; with all in one turn, each side would wait for the other.
    """

    def __init__(self, *, by_halves: bool = False) -> None:
        self._by_halves = by_halves
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
        word = [mine] if waiting is None else mine.word.get()
        if not isinstance(word, _Done):
            word = self._take(key, word, work)
        if word.error is not None:
            raise word.error
        outcome: R = word.outcome
        return outcome

    def _take(
        self,
        key: str,
        turn: Sequence[_Waiting],
        work: Callable[[Sequence[Any]], Sequence[Any]],
    ) -> _Done:
        """Do the work of a turn and pass the next one on; returns what became of the first item."""
        done: list[_Done]
        try:
            outcomes = work([one.item for one in turn])
            done = [_Done(outcome) for _, outcome in zip(turn, outcomes, strict=True)]
        except BaseException as error:
            done = [_Done(None, error)] * len(turn)
        self._pass_on(key, len(turn))
        for one, what in zip(turn[1:], done[1:], strict=True):
            one.word.put(what)
        return done[0]

    def _pass_on(self, key: str, had_it: int) -> None:
        with self._lock:
            waiting = self._waiting.pop(key)
            most = (had_it + len(waiting) + 1) // 2 if self._by_halves else len(waiting)
            turn, later = waiting[:most], waiting[most:]
            if turn:
                self._waiting[key] = later
        if turn:
            turn[0].word.put(turn)
