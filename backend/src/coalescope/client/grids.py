# SPDX-License-Identifier: Apache-2.0
"""Documents as xarray data sets: cells, surfaces and predictions over the levels of factors.

Beside a measure stand `MEASURE_sd`, `MEASURE_n`, `MEASURE_ci95_low` and `MEASURE_ci95_high`, the
names of `coalescope export --format parquet`. What is not known is NaN, and a count is 0 there.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from coalescope.client.extras import required
from coalescope.client.source import Document
from coalescope.errors import CoalescopeError
from coalescope.experiments.levels import factor_levels
from coalescope.exports.parquet import factor_types

if TYPE_CHECKING:
    import xarray

# of all measures together: 400 MB with what stands beside them
_MOST_VALUES = 10_000_000
_SUFFIXES = {
    "_sd": "standard deviation",
    "_ci95_low": "lower end of the 95 % interval",
    "_ci95_high": "upper end of the 95 % interval",
}
_Axes = Mapping[str, NDArray[Any]]
_Variable = tuple[list[str], NDArray[Any], dict[str, str]]


def cells_dataset(
    about: Document, document: Document, cells: Sequence[Document]
) -> "xarray.Dataset":
    """Cells over the levels of their factors. `about` is the experiment's document.

    Errors: 422 where the levels span far more settings than were measured.
    """
    present = {name for cell in cells for name in cell["measures"]}
    measures = [measure for measure in about["measures"] if measure["name"] in present]
    axes = _axes([cell["factors"] for cell in cells])
    _refuse_sparse(axes, len(measures), len(cells))
    places = _places(axes, cells)
    variables = _variables(axes, places, cells, measures, document["independence"])
    for name in ("runs", "partial_runs"):
        counted = _counts(axes, places, [cell[name] for cell in cells])
        variables[name] = (list(axes), counted, {"long_name": name.replace("_", " ")})
    return _dataset(variables, axes, about["factors"], _sources(about, document))


def surface_dataset(about: Document, document: Document) -> "xarray.Dataset":
    """One measure over its two factors, or the one."""
    named = [axis for axis in (document["x"], document["y"]) if axis is not None]
    cells = [
        {
            "factors": {
                axis["name"]: cell[place]
                for axis, place in zip(named, "xy", strict=False)
                if cell[place] is not None
            },
            "measures": {document["measure"]["name"]: cell},
        }
        for cell in document["cells"]
    ]
    axes = _axes([cell["factors"] for cell in cells])
    judged = document["independence"]
    independence = {} if judged is None else {document["measure"]["name"]: judged}
    variables = _variables(axes, _places(axes, cells), cells, [document["measure"]], independence)
    told = _sources(about, document) | {
        name: _in_words(level) for name, level in document["where"].items()
    }
    return _dataset(variables, axes, named, told)


def prediction_dataset(document: Document) -> "xarray.Dataset":
    """Outputs of a model over what varies."""
    axes = {name: np.asarray(levels, np.float64) for name, levels in document["axes"].items()}
    units = document["units"]
    variables = {
        name: (
            list(axes),
            np.asarray(values, np.float64).reshape(document["shape"]),
            {"units": units[name]} if units[name] else {},
        )
        for name, values in document["outputs"].items()
    }
    factors = [{"name": name, "unit": units[name], "label": ""} for name in axes]
    return _dataset(variables, axes, factors, {"model": document["model"]})


def _axes(settings: Sequence[Mapping[str, Any]]) -> dict[str, NDArray[Any]]:
    """Levels of each factor, in rising order; NaN or "" where some setting is without one."""
    levels = factor_levels(settings)
    kinds = factor_types(settings)
    axes: dict[str, NDArray[Any]] = {}
    for name, found in levels.items():
        is_text = kinds[name] == "string"
        some_without = any(name not in factors for factors in settings)
        absent = [("" if is_text else np.nan)] if some_without else []
        written = [str(level) if is_text else float(level) for level in found]
        axes[name] = np.asarray([*absent, *written])
    return axes


def _places(axes: _Axes, cells: Sequence[Document]) -> tuple[NDArray[np.intp], ...]:
    """Where on each axis each cell stands."""
    found = []
    for name, levels in axes.items():
        place = {level: index for index, level in enumerate(levels.tolist())}
        is_text = levels.dtype.kind == "U"
        own = [cell["factors"].get(name) for cell in cells]
        # the first is that of settings without this factor, where there are any
        places = [0 if v is None else place[str(v) if is_text else float(v)] for v in own]
        found.append(np.asarray(places, np.intp))
    return tuple(found)


def _variables(
    axes: _Axes,
    places: tuple[NDArray[np.intp], ...],
    cells: Sequence[Document],
    measures: Iterable[Document],
    independence: Mapping[str, Document],
) -> dict[str, _Variable]:
    variables: dict[str, _Variable] = {}
    for measure in measures:
        name, label = measure["name"], measure["label"]
        told = {"units": measure["unit"]} if measure["unit"] else {}
        own = [cell["measures"].get(name, {}) for cell in cells]
        beside = " ".join(f"{name}{suffix}" for suffix in (*_SUFFIXES, "_n"))
        attrs = {"long_name": label, **told, "ancillary_variables": beside}
        variables[name] = (list(axes), _values(axes, places, [s.get("mean") for s in own]), attrs)
        reason = independence.get(name, {}).get("reason")
        for suffix, words in _SUFFIXES.items():
            attrs = {"long_name": f"{label}, {words}", **told}
            if reason and "ci95" in suffix:
                attrs["comment"] = reason
            found = [_part(summary, suffix) for summary in own]
            variables[name + suffix] = (list(axes), _values(axes, places, found), attrs)
        counts = [summary.get("n", 0) for summary in own]
        attrs = {"long_name": f"{label}, number of runs"}
        variables[f"{name}_n"] = (list(axes), _counts(axes, places, counts), attrs)
    return variables


def _part(summary: Document, suffix: str) -> float | None:
    low, high = summary.get("ci95") or (None, None)
    parts = {"_sd": summary.get("sd"), "_ci95_low": low, "_ci95_high": high}
    return parts[suffix]


def _values(
    axes: _Axes, places: tuple[NDArray[np.intp], ...], found: Sequence[float | None]
) -> NDArray[np.float64]:
    values = np.full([levels.size for levels in axes.values()], np.nan)
    if found:  # else there is no axis: the one value of no cells is not known
        values[places] = np.asarray([np.nan if value is None else value for value in found])
    return values


def _counts(
    axes: _Axes, places: tuple[NDArray[np.intp], ...], found: Sequence[int]
) -> NDArray[np.int64]:
    counts = np.zeros([levels.size for levels in axes.values()], np.int64)
    if found:
        counts[places] = found
    return counts


def _dataset(
    variables: Mapping[str, _Variable],
    axes: _Axes,
    factors: Iterable[Document],
    attrs: Mapping[str, Any],
) -> "xarray.Dataset":
    told = {
        factor["name"]: {"long_name": factor["label"], "units": factor["unit"]}
        for factor in factors
    }
    coordinates = {
        name: ([name], levels, {key: text for key, text in told.get(name, {}).items() if text})
        for name, levels in axes.items()
    }
    found: xarray.Dataset = required("xarray").Dataset(variables, coordinates, attrs)
    return found


def _sources(about: Document, document: Document) -> dict[str, Any]:
    """Where the data are from: texts and numbers, which netCDF can keep."""
    source = {name: text for name, text in about["source"].items() if name != "notes" and text}
    notes = "\n".join(about["source"]["notes"])
    return {
        "experiment": about["slug"],
        "title": about["title"],
        "kind": about["kind"],
        "data_version": document["data_version"],
        **source,
        **({"notes": notes} if notes else {}),
    }


def _in_words(level: Any) -> Any:
    return ", ".join(map(str, level)) if isinstance(level, list) else level


def _refuse_sparse(axes: _Axes, measures: int, cells: int) -> None:
    settings = prod(levels.size for levels in axes.values())
    if settings * measures <= _MOST_VALUES:
        return
    listed = ", ".join(f"{name} {levels.size}" for name, levels in axes.items())
    raise CoalescopeError(
        "too_sparse",
        f"The levels span {settings} settings, of which {cells} were measured ({listed}).",
        advice="Choose levels with where(…), or take runs, which is a table.",
    )
