# SPDX-License-Identifier: Apache-2.0
"""coalescope plan EXPERIMENT --measure M --width PERCENT."""

from argparse import Namespace

from coalescope.analyses.schemas import PlannedCellOut, ReplicationPlanOut
from coalescope.cli.output import print_json, print_left_out, print_table, printable, shown
from coalescope.cli.places import analysing


def run(arguments: Namespace) -> int:
    """Print which cells to measure again."""
    asked = arguments.measure, arguments.width, arguments.where, arguments.without
    with analysing(arguments) as source:
        about = source.experiment(arguments.experiment)
        found = source.replication_plan(arguments.experiment, *asked)
    out = ReplicationPlanOut.model_validate(found)
    if arguments.json:
        print_json(out)
        return 0
    print(f"{printable(about['title'])} ({about['kind']})")
    print_left_out(out.without)
    needy = [cell for cell in out.cells if cell.more]
    print(
        f"{out.measure} to ± {shown(out.width_percent)} %: {out.runs_to_add} more runs in "
        f"{len(needy)} of {len(out.cells)} cells"
    )
    if needy:
        print()
        names = list(dict.fromkeys(name for cell in needy for name in cell.factors))
        print_table(
            (*names, "runs", "± now [%]", "more", ""), [_row(cell, names) for cell in needy]
        )
    return 0


def _row(cell: PlannedCellOut, names: list[str]) -> tuple[str | int | float | None, ...]:
    note = "spread of the other cells" if cell.borrowed else ""
    levels = (cell.factors.get(name) for name in names)
    return (*levels, cell.n, cell.width_percent, cell.more, note)
