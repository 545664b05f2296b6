# SPDX-License-Identifier: Apache-2.0
"""The tidy tables: which columns, and each row's fields. Pure but for the rows it is given.

The form is the one that uploads take: factors, then `replicate` (a row is a run) or `n` (a row is
a mean), then measures, each with MEASURE_sd where a deviation is known.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from coalescope.experiments.records import CellRecord, Factors, FactorValue, SummaryRecord
from coalescope.exports.formulas import disarmed
from coalescope.exports.records import ExportedRun
from coalescope.exports.source_columns import KIND
from coalescope.runs.records import MeasuredValue

_ROWS_PER_CHUNK = 500


@dataclass(frozen=True)
class Columns:
    """The header: `count` is "replicate" or "n"; `deviations` names the measures with an sd.

    `when` names what is known of when runs were recorded: order, block, recorded_at; `units` has
    those of measures that the glossary does not know. `kind` stands
    in every row, and what `source` says by column in the first.
    """

    factors: Sequence[str]
    count: str
    measures: Sequence[str]
    deviations: frozenset[str]
    when: Sequence[str] = ()
    units: Mapping[str, str] = field(default_factory=dict)
    kind: str = ""
    source: Mapping[str, str] = field(default_factory=dict)

    def names(self) -> list[str]:
        """Return the header's fields."""
        named = [*self.factors, self.count, *self.when]
        for measure in self.measures:
            unit = f" [{self.units[measure]}]" if self.units.get(measure) else ""
            named.append(f"{measure}{unit}")
            if measure in self.deviations:
                named.append(f"{measure}_sd{unit}")
        return [*named, KIND, *self.source]


def own_units(source: Mapping[str, Any]) -> dict[str, str]:
    """Units of measures of one's own, which the source says."""
    return {name: said.get("unit", "") for name, said in source.get("measures", {}).items()}


@dataclass(frozen=True)
class _Row:
    factors: Factors
    count: int
    values: Mapping[str, tuple[float, float | None]]
    when: Mapping[str, FactorValue | None] = field(default_factory=dict)


def csv_of_cells(columns: Columns, cells: Iterable[CellRecord]) -> Iterator[str]:
    """Yield the table of cells as CSV text; a row per cell and count."""
    return _csv(columns, (row for cell in cells for row in _rows_of(cell.factors, cell.measures)))


def csv_of_runs(
    columns: Columns, runs: Iterable[ExportedRun], numbers_in_use: Mapping[int, set[int]]
) -> Iterator[str]:
    """Yield the table of runs as CSV text; a row per run, or per mean where runs are means.

    `numbers_in_use` are each cell's replicate numbers, so that runs without one get a free one.
    """
    if columns.count == "n":
        return _csv(columns, (row for run in runs for row in _rows_of(run.factors, run.measures)))
    return _csv(columns, _numbered(runs, numbers_in_use))


def _rows_of(
    factors: Factors, measures: Mapping[str, SummaryRecord] | Mapping[str, MeasuredValue]
) -> Iterator[_Row]:
    """One row for each count that stands behind some of the measures, the largest first."""
    by_count: dict[int, dict[str, tuple[float, float | None]]] = {}
    for name, found in measures.items():
        mean = found.mean if isinstance(found, SummaryRecord) else found.value
        sd = found.sd if found.n > 1 else None
        by_count.setdefault(found.n, {})[name] = (mean, sd)
    for count in sorted(by_count, reverse=True):
        yield _Row(factors, count, by_count[count])


def _numbered(
    runs: Iterable[ExportedRun], numbers_in_use: Mapping[int, set[int]]
) -> Iterator[_Row]:
    """Rows of single runs; one without a number, or with another run's, gets a free one."""
    blocked = {cell: set(numbers) for cell, numbers in numbers_in_use.items()}
    given: dict[int, set[int]] = {}
    for run in runs:
        number = run.replicate
        if number is None or number in given.setdefault(run.cell_id, set()):
            taken = blocked.setdefault(run.cell_id, set())
            number = next(i for i in range(1, len(taken) + 2) if i not in taken)
            taken.add(number)
        else:
            given[run.cell_id].add(number)
        values = {name: (found.value, None) for name, found in run.measures.items()}
        when = {"order": run.order, "block": run.block, "recorded_at": run.recorded_at}
        yield _Row(run.factors, number, values, when)


def _csv(columns: Columns, rows: Iterable[_Row]) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns.names())
    for number, row in enumerate(rows, start=1):
        told = columns.source.values() if number == 1 else [""] * len(columns.source)
        writer.writerow([*_fields(columns, row), columns.kind, *told])
        if number % _ROWS_PER_CHUNK == 0:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def _fields(columns: Columns, row: _Row) -> list[str]:
    fields = [_text(row.factors.get(name)) for name in columns.factors]
    fields.append(str(row.count))
    fields += [_text(row.when.get(name)) for name in columns.when]
    for measure in columns.measures:
        mean, sd = row.values.get(measure, (None, None))
        fields.append(_text(mean))
        if measure in columns.deviations:
            fields.append(_text(sd))
    return fields


def _text(value: FactorValue | None) -> str:
    """A field: a number in the shortest form that reads back the same; text, formulas disarmed."""
    if value is None:
        return ""
    if isinstance(value, str):
        return disarmed(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)
