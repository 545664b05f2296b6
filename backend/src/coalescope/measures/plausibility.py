# SPDX-License-Identifier: Apache-2.0
"""What makes a run doubtful, as `coalescope-host check` judges it: warnings of the store. Pure."""

from collections.abc import Iterable, Iterator, Mapping

from coalescope_host.run_log import Problem, implausible

from coalescope.experiments.records import FactorValue
from coalescope.runs.records import RunWarning


def as_warnings(problems: Iterable[Problem]) -> Iterator[RunWarning]:
    """Findings of the host's tools, as the store keeps them."""
    for problem in problems:
        yield RunWarning(problem.code, problem.message, dict(problem.details))


def doubts(
    values: Mapping[str, float],
    environment: Mapping[str, object],
    factors: Mapping[str, FactorValue],
    kind: str | None,
    others_at_least_percent: float | None = None,
) -> Iterator[RunWarning]:
    """All that is to be said about the values of one run; the last as in `implausible`."""
    yield from as_warnings(implausible(values, environment, factors, kind, others_at_least_percent))
