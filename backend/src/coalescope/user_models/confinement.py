# SPDX-License-Identifier: Apache-2.0
"""Work on a user's model, in a process of its own with bounds on memory and time.

A graph is bounded data, but what a fit of it takes is still its author's choice. Its process can
take no more than it is given, is killed when its time is over, and knows none of the server's
secrets.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, cast

from coalescope_models.user_models.model import UserModel

from coalescope.errors import CoalescopeError
from coalescope.settings import Settings
from coalescope.untrusted.confined import Bounds
from coalescope.untrusted.confinement import OF_THE_SERVER, Ending, confined

T = TypeVar("T")


class Run(Protocol):
    """How to call what may take long: function(model, …)."""

    def __call__(self, function: Callable[..., T], model: Any, *arguments: Any, **named: Any) -> T:
        """Return function(model, …), or raise what it raises."""


def here(function: Callable[..., T], model: Any, *arguments: Any, **named: Any) -> T:
    """Call it in this process."""
    return function(model, *arguments, **named)


@dataclass(frozen=True)
class Confinement:
    """Calls functions of a user's model elsewhere, within bounds; of any other model, here."""

    bounds: Bounds
    ending: Ending = OF_THE_SERVER

    def __call__(self, function: Callable[..., T], model: Any, *arguments: Any, **named: Any) -> T:
        """Return function(model, …), or raise what it raises.

        Errors: CoalescopeError 422 where it takes more memory or time than it may.
        """
        if not isinstance(model, UserModel):
            return function(model, *arguments, **named)
        found = confined(
            self.bounds, _REFUSALS, function, model, *arguments, ending=self.ending, **named
        )
        return cast(T, found)


def confinement(settings: Settings, ending: Ending = OF_THE_SERVER) -> Confinement:
    """The confinement that an instance's settings ask for; `ending` kills what runs in it."""
    return Confinement(Bounds(settings.user_model_seconds, settings.user_model_mib), ending)


class _Refusals:
    """What is said of a user's model that took more than it may."""

    def too_long(self, bounds: Bounds) -> CoalescopeError:
        return CoalescopeError(
            "took_too_long",
            f"Your model took longer than the {bounds.seconds:g} s that this server gives one.",
            where={"limit_s": bounds.seconds},
            advice="Fit fewer parameters or settings, ask for fewer resamples or points, or write "
            "the function with fewer operations.",
        )

    def too_much_memory(self, bounds: Bounds) -> CoalescopeError:
        return CoalescopeError(
            "took_too_much_memory",
            f"Your model needs more than the {bounds.mib:,} MiB that this server gives one.",
            where={"limit_mib": bounds.mib},
            advice="Fit fewer parameters or settings, ask for fewer points, or write the function "
            "with fewer operations.",
        )


_REFUSALS = _Refusals()
