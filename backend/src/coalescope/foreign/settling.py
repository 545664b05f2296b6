# SPDX-License-Identifier: Apache-2.0
"""What counts of a run: one value for each measure, its facts and its factors."""

from collections.abc import Mapping, Sequence

from coalescope.foreign.combining import ELAPSED
from coalescope.foreign.given import Given
from coalescope.foreign.questions import Asked, missing_settings
from coalescope.foreign.records import ENVIRONMENT, Record
from coalescope.foreign.runs import JoinedRun
from coalescope.glossary.quantities import factor
from coalescope.measures.derived import RATIOS

_MOST_NOTES = 100
_DIFFER = 0.1  # of two files that say the same measure
# counts that are of the interface's or machine's own window, and stand beside its length
_COUNTS = frozenset(name for above, below, _ in RATIOS.values() for name in (above, below))


def settle(run: JoinedRun, groups: Sequence[Sequence[Record]], order: Mapping[str, int]) -> None:
    """One value for each measure: the first that says it. Counts bring their own elapsed time."""
    counted = {r.quantity for r in groups[-1] if r.quantity in _COUNTS}
    found = dict.fromkeys(run.files)
    for place, group in enumerate(groups):
        for record in sorted(group, key=lambda r: order.get(r.file.split(", ")[0], 0)):
            name = record.quantity
            if record.kind == "fact" or (name == ELAPSED and counted and place < len(groups) - 1):
                continue
            before = run.values.setdefault(name, record)
            differs = before is not record and _disagree(before, record)
            if differs and len(run.notes) < _MOST_NOTES:
                run.notes.append(
                    f"{name} is {before.value:.5g} by {before.file} and {record.value:.5g} by "
                    f"{record.file}: the first counts."
                )
            found.update(dict.fromkeys(filter(None, record.file.split(", "))))
    run.files = list(found)


def _disagree(one: Record, other: Record) -> bool:
    largest = max(abs(one.value), abs(other.value))
    return bool(abs(one.value - other.value) > _DIFFER * largest)


def describe(
    run: JoinedRun, facts: Sequence[Record], host: str | None, interface: str | None
) -> None:
    """Add what else is known of the run to its facts."""
    for record in facts:
        if record.quantity.startswith(ENVIRONMENT):
            run.facts.setdefault(record.quantity.removeprefix(ENVIRONMENT), record.value)
    run.files = list(dict.fromkeys([*run.files, *(record.file for record in facts)]))
    if host is not None:
        run.facts["host"] = host
    if interface is not None:
        run.facts["interface"] = interface


def set_factors(run: JoinedRun, facts: Sequence[Record], given: Given, *, alone: bool) -> None:
    """The factors: as people say, else as the files do. Errors: Asked for what neither says."""
    said = {r.quantity: r for r in reversed(facts) if factor(r.quantity) is not None}
    if "delay_control" in said:
        said.pop("delay_us", None)  # adaptive: it varies
    run.origins = {name: record for name, record in said.items() if name not in given.factors}
    run.factors = {name: record.value for name, record in run.origins.items()}
    run.factors |= {name: level for name, level in given.factors.items() if level is not None}
    for name, record in said.items():
        level = given.factors.get(name)
        if level is not None and level != record.value:
            run.notes.append(
                f"{name} is {record.value} by {record.file}; {level} was given and counts."
            )
    asked = list(missing_settings({*run.factors, *given.factors}, run.files[:1], alone=alone))
    if asked:
        raise Asked(*asked)
