# SPDX-License-Identifier: Apache-2.0
"""Work on a user's model, in a process of its own with bounds on memory and time.

A graph is bounded data, but what a fit of it takes is still its author's choice. Its process can
take no more than it is given, is killed when its time is over, and knows none of the server's
secrets.
"""

import logging
import pickle
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, cast

from coalescope_models.user_models.model import UserModel

from coalescope.errors import CoalescopeError
from coalescope.processes import plain_environment, python
from coalescope.settings import Settings
from coalescope.user_models.confined import NO_MEMORY, Bounds, Raised

_LOG = logging.getLogger("coalescope")
_COMMAND = python("from coalescope.user_models import confined; confined.main()")
# How a process ends whose memory is refused: Python says so, but not every native library asks
# (NumPy's loops die of it); and where the machine's own memory ends, the kernel kills.
_STARVED = (
    NO_MEMORY,
    -signal.SIGSEGV,
    -signal.SIGBUS,
    -signal.SIGABRT,
    -signal.SIGKILL,
)
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

    def __call__(self, function: Callable[..., T], model: Any, *arguments: Any, **named: Any) -> T:
        """Return function(model, …), or raise what it raises.

        Errors: CoalescopeError 422 where it takes more memory or time than it may.
        """
        if not isinstance(model, UserModel):
            return function(model, *arguments, **named)
        job = pickle.dumps((self.bounds, function, (model, *arguments), named))
        return cast(T, _outcome(job, self.bounds))


def confinement(settings: Settings) -> Confinement:
    """The confinement that an instance's settings ask for."""
    return Confinement(Bounds(settings.user_model_seconds, settings.user_model_mib))


def _outcome(job: bytes, bounds: Bounds) -> Any:
    process = subprocess.Popen(  # noqa: S603  (nothing of it comes from outside)
        _COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=plain_environment(),
        start_new_session=True,
    )
    with process:
        try:
            answer, said = process.communicate(job, timeout=bounds.seconds)
        except subprocess.TimeoutExpired:
            raise _too_long(bounds) from None
        finally:
            process.kill()
    if process.returncode == -signal.SIGXCPU:
        raise _too_long(bounds)
    if process.returncode in _STARVED:
        if process.returncode != NO_MEMORY:
            _LOG.warning("work on a user's model ended with %d", process.returncode)
        raise _too_much_memory(bounds)
    if process.returncode:
        _LOG.error("work on a user's model died: %s", said.decode(errors="replace")[-4000:])
        raise RuntimeError(f"work on a user's model ended with {process.returncode}")
    outcome = pickle.loads(answer)  # noqa: S301  (our own code wrote it)
    if isinstance(outcome, Raised):
        raise outcome.error
    return outcome


def _too_long(bounds: Bounds) -> CoalescopeError:
    return CoalescopeError(
        "took_too_long",
        f"Your model took longer than the {bounds.seconds:g} s that this server gives one.",
        where={"limit_s": bounds.seconds},
        advice="Fit fewer parameters or settings, ask for fewer resamples or points, or write the "
        "function with fewer operations.",
    )


def _too_much_memory(bounds: Bounds) -> CoalescopeError:
    return CoalescopeError(
        "took_too_much_memory",
        f"Your model needs more than the {bounds.mib:,} MiB that this server gives one.",
        where={"limit_mib": bounds.mib},
        advice="Fit fewer parameters or settings, ask for fewer points, or write the function "
        "with fewer operations.",
    )
