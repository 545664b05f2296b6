# SPDX-License-Identifier: Apache-2.0
"""Documents as Arrow tables: pandas, polars and DuckDB take them as they are.

Columns are those of `coalescope export --format parquet`; a field's metadata has its unit and
label. A factor is a number where all its levels are.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from coalescope.client.extras import required
from coalescope.client.source import Document
from coalescope.exports.parquet import factor_types

if TYPE_CHECKING:
    import pyarrow

_OF_A_RUN = {
    "id": "string",
    "cell": "int64",
    "replicate": "int64",
    "partial": "bool_",
    "content": "string",
    "recorded_at": "string",
    "order": "int64",
    "block": "string",
}
_OF_A_VALUE = {"": ("value", "float64"), "_sd": ("sd", "float64"), "_n": ("n", "int64")}

Take = Callable[[Document], Any]


class Columns:
    """Columns of a table, one after the other."""

    def __init__(self, rows: Sequence[Document]) -> None:
        self._arrow = required("pyarrow")
        self._rows = rows
        self._fields: list[Any] = []
        self._arrays: list[Any] = []

    def add(self, name: str, kind: str, take: Take, about: Mapping[str, str] | None = None) -> None:
        """A column: what `take` finds in each row; None is null."""
        form = getattr(self._arrow, kind)()
        told = {key: text for key, text in (about or {}).items() if text}
        self._fields.append(self._arrow.field(name, form, metadata=told or None))
        self._arrays.append(self._arrow.array(map(take, self._rows), type=form))

    def add_factors(self, about: Iterable[Document]) -> None:
        """A column for each factor that some row sets."""
        told = {each["name"]: _told(each) for each in about}
        settings = [row["factors"] for row in self._rows]
        for name, kind in factor_types(settings).items():
            take = _text_level(name) if kind == "string" else _number_level(name)
            self.add(name, "string" if kind == "string" else "float64", take, told.get(name))

    def table(self, about: Document | None = None) -> "pyarrow.Table":
        """All of them; `about` is kept under `coalescope` in the metadata."""
        told = about and {"coalescope": json.dumps(about, ensure_ascii=False)}
        schema = self._arrow.schema(self._fields, metadata=told)
        return self._arrow.Table.from_arrays(self._arrays, schema=schema)


def runs_table(document: Document) -> "pyarrow.Table":
    """A row per run, of an export of runs."""
    columns = Columns(document["runs"])
    about = document["experiment"]
    columns.add("experiment", "string", lambda _: about["slug"])
    columns.add("kind", "string", lambda _: about["kind"])
    for name, kind in _OF_A_RUN.items():
        columns.add("run" if name == "id" else name, kind, _member(name))
    columns.add_factors(document["factors"])
    for measure in document["measures"]:
        for suffix, (part, kind) in _OF_A_VALUE.items():
            told = _told(measure) if suffix != "_n" else {}
            columns.add(measure["name"] + suffix, kind, _of_measure(measure["name"], part), told)
    kept = {name: document[name] for name in ("data_version", "where", "without")}
    return columns.table({**about, **kept})


def residuals_table(fit: Document, factors: Iterable[Document]) -> "pyarrow.Table":
    """A row per point of a fit: its setting, what was observed and what the model says."""
    points = fit["residuals"]
    columns = Columns(points)
    columns.add_factors(factors)
    for name in points[0].get("inputs", {}) if points else ():
        if name not in points[0]["factors"]:
            columns.add(name, "float64", _within("inputs", name))
    for name in ("observed", "predicted"):
        columns.add(name, "float64", _member(name), {"unit": fit["response_unit"]})
    columns.add("deviation_percent", "float64", _member("deviation_percent"), {"unit": "%"})
    if points and "runs" in points[0]:
        columns.add("runs", "int64", _member("runs"))
    return columns.table(
        {name: fit[name] for name in ("experiment", "model", "method", "response")}
    )


def candidates_table(found: Document, factors: Iterable[Document]) -> "pyarrow.Table":
    """A row per setting of a recommendation, the best first."""
    candidates = found["candidates"]
    columns = Columns(candidates)
    columns.add_factors(factors)
    columns.add("n", "int64", _member("n"))
    for name in candidates[0]["means"] if candidates else ():
        columns.add(name, "float64", _within("means", name))
    for name in ("loss_percent", "gain_percent"):
        columns.add(name, "float64", _member(name), {"unit": "%"})
    for name in ("allowed", "surely_allowed", "resolved"):
        columns.add(name, "bool_", _member(name))
    columns.add("runs_to_resolve", "int64", _member("runs_to_resolve"))
    return columns.table()


def comparison_table(found: Document, factors: Iterable[Document]) -> "pyarrow.Table":
    """A row per setting that both sides have."""
    cells = found["cells"]
    columns = Columns(cells)
    columns.add_factors(factors)
    for side in ("a", "b"):
        for name, part, kind in (("", "mean", "float64"), ("_n", "n", "int64")):
            told = _told(found["measure"]) if not name else {}
            columns.add(f"{side}{name}", kind, _within(side, part), told)
    columns.add("ratio", "float64", _member("ratio"))
    for name in ("ci95", "simultaneous_ci95"):
        for place, end in enumerate(("low", "high")):
            columns.add(f"{name}_{end}", "float64", _end(name, place))
    columns.add("p_value", "float64", _member("p_value"))
    columns.add("verdict", "string", _member("verdict"))
    return columns.table({"measure": found["measure"]["name"]})


def _end(name: str, place: int) -> Take:
    return lambda row: None if row[name] is None else row[name][place]


def _told(quantity: Document) -> dict[str, str]:
    return {"unit": quantity["unit"], "label": quantity["label"]}


def _member(name: str) -> Take:
    return lambda row: row[name]


def _within(outer: str, name: str) -> Take:
    return lambda row: row[outer].get(name)


def _of_measure(name: str, part: str) -> Take:
    return lambda row: row["measures"].get(name, {}).get(part)


def _number_level(name: str) -> Take:
    return lambda row: row["factors"].get(name)


def _text_level(name: str) -> Take:
    return lambda row: None if (level := row["factors"].get(name)) is None else str(level)
