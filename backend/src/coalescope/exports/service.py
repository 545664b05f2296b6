# SPDX-License-Identifier: Apache-2.0
"""Put an export together, piece by piece, so that its size costs no memory."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, Literal

from sqlalchemy.engine import Connection

from coalescope.experiments.levels import factor_names, measure_names
from coalescope.experiments.records import CellRecord, ExperimentRecord, SummaryRecord
from coalescope.experiments.service import list_cells
from coalescope.exports import repository
from coalescope.exports.repository import ExportedRun
from coalescope.exports.tables import Columns, csv_of_cells, csv_of_runs
from coalescope.glossary.quantities import factor, glossary_order, measure

Format = Literal["csv", "json"]
What = Literal["cells", "runs"]

JSON_FORMAT = 1


def export(
    connection: Connection, experiment: ExperimentRecord, file_format: Format, what: What
) -> Iterator[str]:
    """Yield the pieces of an experiment's cells or current runs as CSV or JSON text."""
    if what == "cells":
        return _export_cells(list_cells(connection, experiment), experiment, file_format)
    return _export_runs(connection, experiment, file_format)


def file_name(experiment: ExperimentRecord, file_format: Format, what: What) -> str:
    """Return what to call the file; slugs have letters, digits and hyphens only."""
    return f"{experiment.slug}-{what}.{file_format}"


def _export_cells(
    cells: list[CellRecord], experiment: ExperimentRecord, file_format: Format
) -> Iterator[str]:
    factors, measures = factor_names(cells), measure_names(cells)
    if file_format == "json":
        return _json(experiment, "cells", factors, measures, map(_cell, cells))
    known = {
        name for cell in cells for name, found in cell.measures.items() if found.sd is not None
    }
    return csv_of_cells(Columns(factors, "n", measures, frozenset(known)), cells)


def _export_runs(
    connection: Connection, experiment: ExperimentRecord, file_format: Format
) -> Iterator[str]:
    named = {
        name
        for factors in repository.factors_of_cells(connection, experiment.id)
        for name in factors
    }
    found = repository.measures_of_runs(connection, experiment.id)
    factors = sorted(named, key=glossary_order)
    measures = sorted((column.name for column in found), key=glossary_order)
    runs = repository.current_runs(connection, experiment.id)
    if file_format == "json":
        return _json(experiment, "runs", factors, measures, map(_run, runs))
    count = "n" if any(column.has_means for column in found) else "replicate"
    known = frozenset(column.name for column in found if column.has_sd)
    used = repository.replicate_numbers(connection, experiment.id)
    return csv_of_runs(Columns(factors, count, measures, known), runs, used)


def _json(
    experiment: ExperimentRecord,
    what: What,
    factors: list[str],
    measures: list[str],
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
        "factors": [_named(name) for name in factors],
        "measures": [_named(name) for name in measures],
    }
    yield _dump(head).removesuffix("}") + f', "{what}": ['
    separator = "\n"
    for item in items:
        yield separator + _dump(item)
        separator = ",\n"
    yield "\n]}\n"


def _named(name: str) -> dict[str, str]:
    quantity = factor(name) or measure(name)
    if quantity is None:
        return {"name": name, "label": name.removeprefix("factor."), "unit": ""}
    return {"name": name, "label": quantity.label, "unit": quantity.unit}


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
        "factors": dict(run.factors),
        "replicate": run.replicate,
        "partial": run.partial,
        "content": run.content,
        "recorded_at": run.recorded_at,
        "measures": {
            name: {"value": found.value, "sd": found.sd, "n": found.n}
            for name, found in run.measures.items()
        },
    }


def _dump(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
