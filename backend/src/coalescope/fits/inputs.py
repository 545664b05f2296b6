# SPDX-License-Identifier: Apache-2.0
"""Where the inputs of a model come from: a factor or measure of that name, or what it follows from.

Pure.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from coalescope_models.vocabulary.following import FOLLOWING

from coalescope.errors import CoalescopeError
from coalescope.runs.records import RunValues


@dataclass(frozen=True)
class Source:
    """Factors or measures, and how the input follows from them; None where it does not."""

    names: tuple[str, ...]
    compute: Callable[..., float | None]

    def of(self, run: RunValues) -> float | None:
        """The input in that run."""
        values = [_value(run, name) for name in self.names]
        return None if None in values else self.compute(*values)


def candidates(name: str, given: str | None = None) -> tuple[Source, ...]:
    """What the input can come from; `given` names the only factor or measure that counts."""
    if given is not None:
        return (Source((given,), float),)
    following = [Source(*FOLLOWING[name])] if name in FOLLOWING else []
    return (Source((name,), float), *following)


def choose(name: str, given: str | None, runs: Sequence[RunValues]) -> Source:
    """The source that most runs have, and of equals the nearest. Errors: 422 if no run has any."""
    sources = candidates(name, given)
    have = {source.names: sum(source.of(run) is not None for run in runs) for source in sources}
    best = max(sources, key=lambda source: have[source.names])
    if have[best.names]:
        return best
    wanted = " or ".join(" with ".join(source.names) for source in sources)
    raise CoalescopeError(
        "not_available",
        f"The fit is not available: no run has {wanted} as a number.",
        where={"field": name},
        advice=f"Give {name} a fixed value (held), or choose another model.",
    )


def _value(run: RunValues, name: str) -> float | None:
    level = run.factors.get(name, run.values.get(name))
    return None if level is None or isinstance(level, str) else float(level)
