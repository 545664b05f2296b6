# SPDX-License-Identifier: Apache-2.0
"""coalescope surface EXPERIMENT MEASURE."""

from argparse import Namespace

from coalescope.cli.local_store import local_store
from coalescope.cli.output import print_json, print_table, shown, with_unit
from coalescope.experiments.service import get_experiment
from coalescope.surfaces.schemas import surface_out
from coalescope.surfaces.service import Surface, SurfaceCell, get_surface


def run(arguments: Namespace) -> int:
    """Print a measure over its two factors."""
    with local_store(arguments) as store, store.database.read() as connection:
        experiment = get_experiment(connection, arguments.experiment)
        surface = get_surface(
            connection,
            experiment,
            arguments.measure,
            arguments.where,
            (arguments.x, arguments.y),
        )
    if arguments.json:
        print_json(surface_out(surface))
    else:
        _print(surface)
    return 0


def _print(surface: Surface) -> None:
    print(f"{surface.experiment.title} ({surface.experiment.kind})")
    chosen = "".join(f", {name} {shown(value)}" for name, value in surface.where.items())
    print(f"{with_unit(surface.measure.label, surface.measure.unit)}{chosen}; mean ± 95 % interval")
    print()
    x, y = surface.x, surface.y
    columns = [None] if y is None else y.levels
    header = [with_unit(x.name, x.unit)]
    header += ["" if y is None else f"{y.name} {shown(level)}" for level in columns]
    if y is None:
        header[1] = surface.measure.name
    at = {(cell.x, cell.y): cell for cell in surface.cells}
    print_table(
        header,
        [
            [shown(level), *(_value(at.get((level, column))) for column in columns)]
            for level in x.levels
        ],
    )


def _value(cell: SurfaceCell | None) -> str:
    if cell is None:
        return "–"
    if cell.ci95 is None:
        return shown(cell.mean)
    return f"{shown(cell.mean)} ± {shown((cell.ci95[1] - cell.ci95[0]) / 2, 2)}"
