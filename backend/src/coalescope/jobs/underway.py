# SPDX-License-Identifier: Apache-2.0
"""The work of one job while it is computed: how far it is, and whether it is to go on."""

import os
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeVar

from coalescope_models.user_models.model import UserModel

from coalescope.settings import Settings
from coalescope.untrusted.confinement import Ending
from coalescope.user_models.confinement import confinement

T = TypeVar("T")
_LOOK_EVERY_S = 0.2


@dataclass
class Underway:
    """What computes says here how far it is, and hears here that it is to end.

    Attributes:
        ending: comes when the job is cancelled, or the server ends.
        done: parts that are computed.
        parts: parts counted so far; each pass of a bootstrap adds its own when it begins.
    """

    ending: Ending = field(default_factory=Ending)
    done: int = 0
    parts: int = 0
    _lock: Lock = field(default_factory=Lock)

    def over_threads(self, function: Callable[[Any], T], items: Sequence[Any]) -> Iterable[T]:
        """Apply a function to each item, as many at a time as there are cores."""
        return self._here(function, items, len(os.sched_getaffinity(0)))

    def one_by_one(self, function: Callable[[Any], T], items: Sequence[Any]) -> Iterable[T]:
        """The same, one at a time."""
        return self._here(function, items, 1)

    def _here(self, function: Callable[[Any], T], items: Sequence[Any], at_once: int) -> list[T]:
        self._begin(len(items))

        def watched(item: Any) -> T:
            self.ending.check()
            result = function(item)
            self._advance(1)
            return result

        with ThreadPoolExecutor(at_once) as threads:  # numpy works outside the interpreter's lock
            return list(threads.map(watched, items))

    def wait_for(self, parts: Sequence[Any]) -> None:
        """Until all parts that are computed elsewhere are done, each of which knows whether it is.

        Errors: CoalescopeError 503 once the end has come.
        """
        self._begin(len(parts))
        seen = 0
        while True:
            self.ending.check()
            done = sum(part.done() for part in parts)
            self._advance(done - seen)
            seen = done
            if seen == len(parts):
                return
            time.sleep(_LOOK_EVERY_S)

    def run(self, settings: Settings) -> Callable[..., Any]:
        """How to call a nonlinear fit of a model: one of a user's own in a process of its own."""
        elsewhere = confinement(settings, self.ending)

        def run(function: Callable[..., T], model: Any, *arguments: Any, **named: Any) -> T:
            if isinstance(model, UserModel):
                return elsewhere(function, model, *arguments, **named)
            return function(model, *arguments, workers=self.one_by_one, **named)

        return run

    def _begin(self, parts: int) -> None:
        with self._lock:
            self.parts += parts

    def _advance(self, parts: int) -> None:
        with self._lock:
            self.done += parts
