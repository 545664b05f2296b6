# SPDX-License-Identifier: Apache-2.0
"""Put an export together, piece by piece, so that its size costs no memory."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any, BinaryIO, Literal

from sqlalchemy.engine import Connection

from coalescope.experiments.levels import factor_names, measure_names
from coalescope.experiments.records import CellRecord, Choice, ExperimentRecord, SummaryRecord
from coalescope.exports import parquet, repository
from coalescope.exports.chosen import told_of_levels
from coalescope.exports.means import told_of_means
from coalescope.exports.records import ALL_RUNS, ChosenRuns, ExportedRun
from coalescope.exports.source_columns import source_columns
from coalescope.exports.tables import Columns, csv_of_cells, csv_of_runs, own_units
from coalescope.glossary.quantities import glossary_order, label_and_unit, measure
from coalescope.runs.intervals import JudgedCells
from coalescope.runs.selection import current_among
from coalescope.runs.service import cells_in_sequence

Format = Literal["csv", "json"]
What = Literal["cells", "runs"]

JSON_FORMAT = 1
_ITEMS_PER_PIECE = 100  # each piece is handed from one thread to another


def export(
    connection: Connection,
    experiment: ExperimentRecord,
    file_format: Format,
    what: What,
    chosen: ChosenRuns = ALL_RUNS,
) -> Iterator[str]:
    """Yield the pieces of an experiment's cells or current runs as CSV or JSON text.

    A note of the source says which levels were chosen; the JSON names them, and the runs that are
    left out.
    """
    told = told_of_levels(experiment, chosen.where)
    if what == "cells":
        judged = _judged_cells(connection, experiment, chosen)
        return _export_cells(judged, told, file_format, chosen)
    return _export_runs(connection, told, file_format, chosen)


def write_parquet(
    connection: Connection,
    experiment: ExperimentRecord,
    what: What,
    sink: BinaryIO,
    chosen: ChosenRuns = ALL_RUNS,
) -> None:
    """Write an experiment's cells or current runs as Parquet; a note says which levels.

    Errors: CoalescopeError 500 where pyarrow is not installed.
    """
    told = told_of_levels(experiment, chosen.where)
    if what == "cells":
        judged = _judged_cells(connection, experiment, chosen)
        cells = judged.cells
        types = parquet.factor_types(cell.factors for cell in cells)
        why = _reasons(judged)
        parquet.write_cells(sink, told, types, measure_names(cells), cells, why)
        return
    settings = repository.factors_of_cells(connection, experiment.id, chosen)
    types = parquet.factor_types(factors for _, factors in settings)
    found = repository.measures_of_runs(connection, experiment.id, chosen)
    measures = sorted((column.name for column in found), key=glossary_order)
    runs = repository.current_runs(connection, experiment.id, chosen)
    parquet.write_runs(sink, told, types, measures, runs)


def file_name(
    experiment: ExperimentRecord,
    file_format: Format,
    what: What,
    where: Choice | None = None,
    left_out: int = 0,
) -> str:
    """Return what to call the file; slugs have letters, digits and hyphens only.

    It says that levels were chosen, and how many runs were left out: a table has no other place for
    that. Names of factors may have letters that a header cannot.
    """
    held = "-some-levels" if where else ""
    fewer = f"-without-{left_out}-{'run' if left_out == 1 else 'runs'}" if left_out else ""
    return f"{experiment.slug}-{what}{held}{fewer}.{file_format}"


def _judged_cells(
    connection: Connection, experiment: ExperimentRecord, chosen: ChosenRuns
) -> JudgedCells:
    """The cells, with the intervals that all runs of the experiment together tell of."""
    judged = cells_in_sequence(connection, experiment, chosen.without)
    return replace(judged, cells=[cell for cell in judged.cells if chosen.has(cell.id)])


def _export_cells(
    judged: JudgedCells, experiment: ExperimentRecord, file_format: Format, chosen: ChosenRuns
) -> Iterator[str]:
    cells = judged.cells
    factors, measures = factor_names(cells), measure_names(cells)
    if file_format == "json":
        about = {
            "where": chosen.where,
            "without": list(judged.left_out),
            "intervals": _reasons(judged),
        }
        return _json(experiment, "cells", factors, measures, about, map(_cell, cells))
    told_of, cells = told_of_means(experiment, cells, _reasons(judged))
    known = {
        name for cell in cells for name, found in cell.measures.items() if found.sd is not None
    }
    told = source_columns(told_of)
    columns = Columns(
        factors,
        "n",
        measures,
        frozenset(known),
        (),
        own_units(experiment.source),
        experiment.kind,
        told,
    )
    return csv_of_cells(columns, cells)


def _reasons(judged: JudgedCells) -> dict[str, str]:
    """By measure, why its intervals are not those of independent replicates, or need not hold."""
    return {
        name: found.reason
        for name, found in judged.independence.items()
        if found.reason is not None and (found.dependent or found.verdict == "not_known")
    }


def _export_runs(
    connection: Connection,
    experiment: ExperimentRecord,
    file_format: Format,
    chosen: ChosenRuns,
) -> Iterator[str]:
    named = {
        name
        for _, factors in repository.factors_of_cells(connection, experiment.id, chosen)
        for name in factors
    }
    found = repository.measures_of_runs(connection, experiment.id, chosen)
    factors = sorted(named, key=glossary_order)
    measures = sorted((column.name for column in found), key=glossary_order)
    runs = repository.current_runs(connection, experiment.id, chosen)
    if file_format == "json":
        left_out = current_among(connection, experiment, chosen.without)
        about = {"where": chosen.where, "without": left_out}
        return _json(experiment, "runs", factors, measures, about, map(_run, runs))
    count = "n" if any(column.has_means for column in found) else "replicate"
    known = frozenset(column.name for column in found if column.has_sd)
    used = repository.replicate_numbers(connection, experiment.id, chosen)
    known_of_when = repository.known_of_when(connection, experiment.id, chosen)
    when = known_of_when if count == "replicate" else []
    told = source_columns(experiment)
    columns = Columns(
        factors, count, measures, known, when, own_units(experiment.source), experiment.kind, told
    )
    return csv_of_runs(columns, runs, used)


def _json(
    experiment: ExperimentRecord,
    what: What,
    factors: list[str],
    measures: list[str],
    about: Mapping[str, Any],
    items: Iterable[dict[str, Any]],
) -> Iterator[str]:
    head = {
        "format": JSON_FORMAT,
        "experiment": {
            "slug": experiment.slug,
            "title": experiment.title,
            "subtitle": experiment.subtitle,
            "kind": experiment.kind,
            "source": dict(experiment.source),
        },
        "data_version": experiment.data_version,
        "factors": [_named(name, experiment) for name in factors],
        "measures": [_named(name, experiment) for name in measures],
        **about,
    }
    yield _dump(head).removesuffix("}") + f', "{what}": ['
    separator, rest = "\n", iter(items)
    while block := list(islice(rest, _ITEMS_PER_PIECE)):
        yield separator + ",\n".join(map(_dump, block))
        separator = ",\n"
    yield "\n]}\n"


def _named(name: str, experiment: ExperimentRecord) -> dict[str, str]:
    quantity = measure(name, experiment.source)
    label, unit = (quantity.label, quantity.unit) if quantity else label_and_unit(name)
    return {"name": name, "label": label, "unit": unit}


def _cell(cell: CellRecord) -> dict[str, Any]:
    return {
        "factors": dict(cell.factors),
        "runs": cell.runs,
        "partial_runs": cell.partial_runs,
        "measures": {name: _summary(found) for name, found in cell.measures.items()},
    }


def _summary(found: SummaryRecord) -> dict[str, Any]:
    return {"n": found.n, "mean": found.mean, "sd": found.sd, "ci95": found.ci95}


def _run(run: ExportedRun) -> dict[str, Any]:
    return {
        "id": run.uid,
        "cell": run.cell_id,
        "factors": dict(run.factors),
        "replicate": run.replicate,
        "partial": run.partial,
        "content": run.content,
        "recorded_at": run.recorded_at,
        "order": run.order,
        "block": run.block,
        "measures": {
            name: {"value": found.value, "sd": found.sd, "n": found.n}
            for name, found in run.measures.items()
        },
    }


def _dump(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
