# SPDX-License-Identifier: Apache-2.0
"""The last answers, so that the same question about the same data is computed once."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class LatestAnswers(Generic[T]):
    """Keeps the answers asked for most recently; safe to use from several threads."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._answers: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Return the answer kept under `key`, computed if there is none."""
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
                return self._answers[key]
        answer = compute()
        with self._lock:
            self._answers[key] = answer
            self._answers.move_to_end(key)
            while len(self._answers) > self._limit:
                self._answers.popitem(last=False)
        return answer
