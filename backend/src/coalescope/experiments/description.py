# SPDX-License-Identifier: Apache-2.0
"""An experiment described from its cells: factors, counts, first view, small pictures. Pure.

Plain data in the shapes of `schemas`: the page describes a table that it only opened with this.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate
from math import prod
from typing import Any

from coalescope.experiments.axes import choose_axes, openers, spanned
from coalescope.experiments.choice import can_be_chosen
from coalescope.experiments.levels import factor_levels, measure_names
from coalescope.experiments.records import CellRecord, ExperimentRecord, FactorValue
from coalescope.glossary.menu import is_raw, menu_order
from coalescope.glossary.quantities import label_and_unit, measure
from coalescope.untrusted.bounds import (
    FACTORS,
    GLANCE_ACROSS,
    GLANCE_ROWS,
    LISTED_LEVEL_CHARACTERS,
    LISTED_LEVELS,
    LISTED_MEASURES,
)

_GLANCES = 3
_LARGEST_COUNT = 2**53  # that a reader of JSON has exactly


@dataclass(frozen=True)
class View:
    """What to show first. A delay or an MTU is an axis with one level, too."""

    measure: str
    x: str
    y: str | None
    where: Mapping[str, FactorValue]


def summarise_experiment(record: ExperimentRecord, cells: Sequence[CellRecord]) -> dict[str, Any]:
    """The experiment as the list shows it (ExperimentSummaryOut)."""
    base = _base(record, cells)
    factors, measures = base["factors"], _in_menu_order(cells)
    return {
        **base,
        "factors": [
            {**each, "levels": _first_levels(each["levels"])} for each in factors[:FACTORS]
        ],
        "factor_count": len(factors),
        "measures": measures[:LISTED_MEASURES],
        "measure_count": len(measures),
        "glance": _glances(default_view(record, cells), cells),
    }


def _first_levels(levels: Sequence[FactorValue]) -> list[FactorValue]:
    """As many as the list names: fewer where they are long."""
    shown = levels[:LISTED_LEVELS]
    characters = accumulate(len(str(level)) for level in shown)
    return [
        level
        for level, so_far in zip(shown, characters, strict=True)
        if so_far <= LISTED_LEVEL_CHARACTERS
    ]


def describe_experiment(record: ExperimentRecord, cells: Sequence[CellRecord]) -> dict[str, Any]:
    """The experiment in full (ExperimentOut)."""
    source = record.source
    notes = [str(note) for note in source.get("notes", [])]
    about = {name: source.get(name) for name in ("citation", "url", "licence", "how_made")}
    view = default_view(record, cells)
    return {
        **_base(record, cells),
        "measures": _measures(cells, source),
        "source": {**about, "notes": notes},
        "fixed": [
            {"label": str(label), "value": str(value)}
            for label, value in source.get("fixed", {}).items()
        ],
        "notes": notes,
        "default_view": None if view is None else asdict(view),
        "default_fit": _default_fit(source.get("default_fit")),
        "of_a_data_set": record.dataset_sha256 is not None,
    }


def default_view(record: ExperimentRecord, cells: Sequence[CellRecord]) -> View | None:
    """The view the source asks for, completed where it is silent or does not fit the data."""
    levels = factor_levels(cell.factors for cell in cells)
    measures = _in_menu_order([cell for cell in cells if cell.factors])
    if not levels or not measures:
        return None
    asked = record.source.get("default_view", {})
    chosen = _first([asked.get("measure")], measures) or measures[0]
    having = [cell for cell in cells if chosen in cell.measures]
    available = factor_levels(cell.factors for cell in having)
    x = _first([asked.get("x")], list(available))
    y = _first([asked.get("y")], [name for name in available if name != x])
    able = openers(available, lambda name: can_be_chosen(name, available[name], record.source))
    x, y = choose_axes(able, x, y)
    where = _where(asked.get("where", {}), having, {x, y})
    return View(measure=chosen, x=x, y=y, where=where)


def _base(record: ExperimentRecord, cells: Sequence[CellRecord]) -> dict[str, Any]:
    levels = factor_levels(cell.factors for cell in cells)
    return {
        "slug": record.slug,
        "title": record.title,
        "subtitle": record.subtitle,
        "kind": record.kind,
        "citation": record.source.get("citation"),
        "source_note": record.source.get("source_note"),
        "factors": [_factor(name, values, record.source) for name, values in levels.items()],
        "cells": len(cells),
        "designed_cells": _designed(levels.values()),
        "runs": sum(cell.runs for cell in cells),
        "replicates_label": replicates_label(cells),
        "data_version": record.data_version,
        "updated_at": record.updated_at,
    }


def _designed(levels: Iterable[Sequence[FactorValue]]) -> int:
    """Cells of all levels with all others."""
    counts = [len(values) for values in levels]
    return min(prod(counts), _LARGEST_COUNT) if counts else 0


def replicates_label(cells: Sequence[CellRecord]) -> str:
    """How many replicates stand behind a cell: "mean of 10", "5 each", "3 to 5", "1", "none"."""
    if not cells:
        return "none"
    means = [max((s.n for s in cell.measures.values()), default=0) for cell in cells]
    if all(cell.runs == 1 for cell in cells) and max(means) > 1:
        return f"mean of {_range(means)}"
    label = _range([cell.runs for cell in cells])
    return label if label == "1" or " " in label else f"{label} each"


def _range(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low} to {high}"


def _factor(name: str, values: list[FactorValue], source: Mapping[str, Any]) -> dict[str, Any]:
    label, unit = label_and_unit(name)
    return {
        "name": name,
        "label": label,
        "unit": unit,
        "levels": values,
        "level_count": len(values),
        "choice": can_be_chosen(name, values, source),
    }


def _measures(cells: Sequence[CellRecord], source: Mapping[str, Any]) -> list[dict[str, Any]]:
    found = []
    for name in _in_menu_order(cells):
        quantity = measure(name, source)
        if quantity is None:
            continue
        count = sum(name in cell.measures for cell in cells)
        found.append({**quantity.to_json(), "cells": count, "raw": is_raw(name)})
    return found


def _in_menu_order(cells: Sequence[CellRecord]) -> list[str]:
    return sorted(measure_names(cells), key=menu_order)


def _default_fit(given: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if not given:
        return None
    return {"model": given["model"], "method": given["method"], "where": given.get("where", {})}


def _where(
    asked: Mapping[str, FactorValue], cells: Sequence[CellRecord], axes: set[str | None]
) -> dict[str, FactorValue]:
    """One level for every factor that varies and is not an axis: as asked, else the fullest."""
    where: dict[str, FactorValue] = {}
    left = list(cells)
    for name, values in factor_levels(cell.factors for cell in cells).items():
        if name in axes or (len(values) < 2 and name not in asked):
            continue
        value = asked.get(name)
        if value not in values:
            of_level = Counter(cell.factors.get(name) for cell in left)
            value = max(values, key=of_level.__getitem__)
        where[name] = value
        left = [cell for cell in left if cell.factors.get(name) == value]
    return where


def _glances(view: View | None, cells: Sequence[CellRecord]) -> list[dict[str, Any]]:
    if view is None:
        return []
    chosen = [
        cell
        for cell in cells
        if all(cell.factors.get(name) == value for name, value in view.where.items())
    ]
    others = [name for name in _in_menu_order(chosen) if name != view.measure and not is_raw(name)]
    names = [view.measure, *others]
    x, y = spanned((view.x, view.y), factor_levels(cell.factors for cell in chosen))
    return [_glance(name, x, y, chosen) for name in names[:_GLANCES]]


def _glance(name: str, x: str, y: str | None, cells: Sequence[CellRecord]) -> dict[str, Any]:
    having = [cell for cell in cells if name in cell.measures]
    levels = factor_levels(cell.factors for cell in having)
    columns = _spread(levels.get(x, []), GLANCE_ACROSS)
    lines: list[FactorValue | None]
    lines = [None] if y is None else [*_spread(levels.get(y, []), GLANCE_ROWS)]
    means: dict[tuple[FactorValue | None, FactorValue | None], float] = {}
    for cell in having:
        key = (None if y is None else cell.factors.get(y), cell.factors.get(x))
        means.setdefault(key, cell.measures[name].mean)
    rows = [[means.get((line, column)) for column in columns] for line in lines]
    return {"measure": name, "x": x, "y": y, "rows": rows}


def _spread(levels: list[FactorValue], most: int) -> list[FactorValue]:
    """All levels, or where they are more than a picture can show, so many from all over them."""
    if len(levels) <= most:
        return levels
    return [levels[place * (len(levels) - 1) // (most - 1)] for place in range(most)]


def _first(wanted: Sequence[str | None], available: Sequence[str]) -> str | None:
    return next((name for name in wanted if name in available), None)
