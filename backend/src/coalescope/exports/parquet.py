# SPDX-License-Identifier: Apache-2.0
"""An experiment's cells or runs as a Parquet file, for DuckDB and its like.

Beside the columns of the CSV a row says its experiment and kind, so that files of several
experiments can be read as one table; the whole source is in the file's metadata, as JSON under
`coalescope`. A factor is a number where all its levels are.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, BinaryIO

from coalescope.errors import CoalescopeError
from coalescope.experiments.records import CellRecord, ExperimentRecord, Factors
from coalescope.exports.records import ExportedRun
from coalescope.exports.source_columns import source_of
from coalescope.glossary.quantities import glossary_order

_ROWS_IN_GROUP = 1_000
_ROWS_AT_ONCE = 500  # as objects; in Arrow's columns a group takes a tenth of that memory
_OF_A_RUN = {"replicate": "int64", "partial": "bool", "content": "string"}
_WHEN = {"recorded_at": "string", "order": "int64", "block": "string"}
_OF_A_CELL = {"runs": "int64", "partial_runs": "int64"}
_OF_A_VALUE = {"": "double", "_sd": "double", "_n": "int64"}
_OF_A_SUMMARY = {**_OF_A_VALUE, "_ci95_low": "double", "_ci95_high": "double"}

Types = dict[str, str]


def factor_types(settings: Iterable[Factors]) -> Types:
    """The type of each factor's column, in the glossary's order."""
    found: Types = {}
    for factors in settings:
        for name, level in factors.items():
            found[name] = "string" if _is_text(level) else found.get(name, "double")
    return {name: found[name] for name in sorted(found, key=glossary_order)}


def write_runs(
    sink: BinaryIO,
    experiment: ExperimentRecord,
    factors: Types,
    measures: Sequence[str],
    runs: Iterable[ExportedRun],
) -> None:
    """Write a row per run. Errors: CoalescopeError 500 where pyarrow is not installed."""
    own = {"run": "string", "cell": "int64", **_OF_A_RUN, **_WHEN}
    types = _types(own, factors, measures, _OF_A_VALUE)
    _write(sink, experiment, types, (_run(experiment, factors, run) for run in runs))


def write_cells(
    sink: BinaryIO,
    experiment: ExperimentRecord,
    factors: Types,
    measures: Sequence[str],
    cells: Iterable[CellRecord],
    why: Mapping[str, str],
) -> None:
    """Write a row per cell. Errors: CoalescopeError 500 where pyarrow is not installed.

    `why` says by measure what the sequence of the runs does to its intervals; it stands in the
    metadata.
    """
    types = _types({"cell": "int64", **_OF_A_CELL}, factors, measures, _OF_A_SUMMARY)
    rows = (_cell(experiment, factors, cell) for cell in cells)
    _write(sink, experiment, types, rows, {"intervals": dict(why)} if why else {})


def _types(own: Types, factors: Types, measures: Sequence[str], of_each: Types) -> Types:
    found = {"experiment": "string", "kind": "string", **own, **factors}
    for measure in measures:
        found |= {f"{measure}{suffix}": kind for suffix, kind in of_each.items()}
    return found


def _run(experiment: ExperimentRecord, factors: Types, run: ExportedRun) -> dict[str, Any]:
    row = _named(experiment, factors, run.factors) | {
        "run": run.uid,
        "cell": run.cell_id,
        "replicate": run.replicate,
        "partial": run.partial,
        "content": run.content,
        "recorded_at": run.recorded_at,
        "order": run.order,
        "block": run.block,
    }
    for name, found in run.measures.items():
        row |= {name: found.value, f"{name}_sd": found.sd, f"{name}_n": found.n}
    return row


def _cell(experiment: ExperimentRecord, factors: Types, cell: CellRecord) -> dict[str, Any]:
    row = _named(experiment, factors, cell.factors) | {
        "cell": cell.id,
        "runs": cell.runs,
        "partial_runs": cell.partial_runs,
    }
    for name, found in cell.measures.items():
        low, high = found.ci95 or (None, None)
        row |= {name: found.mean, f"{name}_sd": found.sd, f"{name}_n": found.n}
        row |= {f"{name}_ci95_low": low, f"{name}_ci95_high": high}
    return row


def _named(
    experiment: ExperimentRecord, types: Types, factors: Mapping[str, Any]
) -> dict[str, Any]:
    levels = {
        name: str(level) if types[name] == "string" else float(level)
        for name, level in factors.items()
    }
    return {"experiment": experiment.slug, "kind": experiment.kind, **levels}


def _told(experiment: ExperimentRecord, more: Mapping[str, Any]) -> dict[str, str]:
    """Metadata of the file: where the data is from, and more."""
    about = {"slug": experiment.slug, "kind": experiment.kind, "source": source_of(experiment)}
    return {"coalescope": json.dumps({**about, **more}, ensure_ascii=False)}


def _write(
    sink: BinaryIO,
    experiment: ExperimentRecord,
    types: Types,
    rows: Iterator[dict[str, Any]],
    more: Mapping[str, Any] | None = None,
) -> None:
    try:
        import pyarrow as pa  # noqa: PLC0415  not installed by all
        from pyarrow import parquet  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise CoalescopeError(
            "not_installed",
            f"Writing Parquet needs {error.name}, which is not installed.",
            advice="pip install pyarrow; or export CSV or JSON.",
            status=500,
        ) from None
    named = {"string": pa.string(), "double": pa.float64(), "int64": pa.int64(), "bool": pa.bool_()}
    columns = [(name, named[kind]) for name, kind in types.items()]
    schema = pa.schema(columns, _told(experiment, more or {}))
    with parquet.ParquetWriter(sink, schema, compression="zstd") as writer:
        while group := list(_tables(pa, schema, islice(rows, _ROWS_IN_GROUP))):
            writer.write_table(pa.concat_tables(group))


def _tables(pa: Any, schema: Any, rows: Iterator[dict[str, Any]]) -> Iterator[Any]:
    """The rows as Arrow tables, some in each."""
    while some := list(islice(rows, _ROWS_AT_ONCE)):
        yield pa.Table.from_pylist(some, schema=schema)


def _is_text(level: object) -> bool:
    return isinstance(level, str)
