# SPDX-License-Identifier: Apache-2.0
"""coalescope surface EXPERIMENT MEASURE."""

from argparse import Namespace

from coalescope.cli.output import (
    chosen_levels,
    mean_shown,
    print_json,
    print_table,
    printable,
    shown,
    with_unit,
)
from coalescope.cli.places import analysing
from coalescope.surfaces.schemas import SurfaceCellOut, SurfaceOut


def run(arguments: Namespace) -> int:
    """Print a measure over its two factors."""
    axes = arguments.x, arguments.y
    with analysing(arguments) as source:
        title = source.experiment(arguments.experiment)["title"]
        found = source.surface(arguments.experiment, arguments.measure, arguments.where, axes)
    surface = SurfaceOut.model_validate(found)
    if arguments.json:
        print_json(surface)
    else:
        _print(surface, title)
    return 0


def _print(surface: SurfaceOut, title: str) -> None:
    x, y = surface.x, surface.y
    print(f"{printable(title)} ({surface.kind})")
    chosen = "".join(f", {levels}" for levels in chosen_levels(surface.where))
    print(f"{with_unit(surface.measure.label, surface.measure.unit)}{chosen}; {_spread(surface)}")
    print()
    corner = with_unit(x.name, x.unit)
    if y is None:
        header = [corner, surface.measure.name]
    else:
        header = [f"{corner} ↓  {with_unit(y.name, y.unit)} →", *map(shown, y.levels)]
    at = {(cell.x, cell.y): cell for cell in surface.cells}
    columns = [None] if y is None else y.levels
    rows = [
        [shown(level), *(_value(at.get((level, column))) for column in columns)]
        for level in x.levels
    ]
    print_table(header, rows)
    judged = surface.independence
    if judged is not None and judged.reason is not None:
        print(f"\n{judged.reason}")


def _spread(surface: SurfaceOut) -> str:
    counts = {cell.n for cell in surface.cells}
    if not counts:
        return "no cell"
    n = str(min(counts)) if len(counts) == 1 else f"{min(counts)} to {max(counts)}"
    if any(cell.ci95 for cell in surface.cells):
        return f"mean of {n} ± half its 95 % interval"
    if surface.independence is not None and surface.independence.verdict == "refused":
        return f"mean of {n}, no interval"
    return "single values, no interval" if n == "1" else f"mean of {n}, no interval known"


def _value(cell: SurfaceCellOut | None) -> str:
    if cell is None:
        return "–"
    return mean_shown(cell.mean, cell.ci95)
