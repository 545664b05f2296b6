# SPDX-License-Identifier: Apache-2.0
"""A cache of what was computed last: the same request about the same data is computed once."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


def _one(_: object) -> int:
    return 1


class LruCache(Generic[T]):
    """The most recently used results; thread-safe, and one computation per key at a time."""

    def __init__(self, limit: int, weigh: Callable[[T], int] = _one) -> None:
        """Keep results that weigh up to `limit` together, and the last one whatever it weighs."""
        self._limit = limit
        self._weigh = weigh
        self._weight = 0
        self._answers: OrderedDict[Hashable, T] = OrderedDict()
        self._under_way: dict[Hashable, Future[T]] = {}
        self._lock = Lock()

    def find(self, key: Hashable) -> T | None:
        """The answer kept under `key`, None if there is none."""
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
            return self._answers.get(key)

    def get(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the answer kept under `key`, computed if there is none.

        A caller that asks while it is being computed waits for it, and shares a failure too; a
        failure is not kept.
        """
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
                return self._answers[key]
            other = self._under_way.get(key)
            if other is None:
                own = self._under_way[key] = Future[T]()
        if other is not None:
            return other.result()
        try:
            answer = compute()
        except BaseException as error:
            with self._lock:
                del self._under_way[key]
            own.set_exception(error)
            raise
        self.keep(key, answer)
        with self._lock:
            del self._under_way[key]
        own.set_result(answer)
        return answer

    def keep(self, key: Hashable, answer: T) -> None:
        """Keep an answer that was computed elsewhere."""
        with self._lock:
            if key in self._answers:
                self._weight -= self._weigh(self._answers.pop(key))
            self._answers[key] = answer
            self._weight += self._weigh(answer)
            while self._weight > self._limit and len(self._answers) > 1:
                self._weight -= self._weigh(self._answers.popitem(last=False)[1])
