# SPDX-License-Identifier: Apache-2.0
"""The header of a table: which columns it has, and whether they make a table together."""

from collections.abc import Sequence

from coalescope.uploads.columns import Column, classify, unknown_column
from coalescope.uploads.csv_faults import Faults


def read_header(names: list[str], faults: Faults) -> list[Column]:
    """The columns of these names; what is wrong with them goes to `faults`."""
    if _wrong_delimiter(names, faults):
        return []
    columns: list[Column] = []
    for position, name in enumerate(names, start=1):
        column = classify(name)
        if column is None:
            faults.keep(unknown_column(name, position))
        elif any(column.name == other.name for other in columns):
            faults.add("duplicate_column", f"Column {name!r} is there twice.", "Keep one.", 1, name)
        else:
            columns.append(column)
    if not faults.problems:
        _check_header(columns, faults)
    return columns


def _wrong_delimiter(names: list[str], faults: Faults) -> bool:
    if len(names) != 1:
        return False
    for mark, name in ((";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars")):
        if mark in names[0]:
            faults.add(
                "wrong_delimiter",
                f"The columns are separated by {name}.",
                "Separate columns by commas, and write decimals with a point.",
                1,
            )
            return True
    return False


def _check_header(columns: Sequence[Column], faults: Faults) -> None:
    roles = {column.role for column in columns}
    measured = {column.name for column in columns if column.role == "measure"}
    if {"replicate", "n"} <= roles:
        faults.add(
            "run_or_cell",
            "There are both a column 'replicate' and a column 'n'.",
            "A row is one run (replicate) or one cell's mean (n), not both: remove one.",
            1,
        )
    if {"when", "n"} <= roles:
        name = next(column.name for column in columns if column.role == "when")
        faults.add(
            "run_or_cell",
            f"Column {name!r} says when a run was recorded, but the rows are means.",
            "Remove it, or give one row per run.",
            1,
            name,
        )
    if not roles & {"factor", "free factor"}:
        faults.add(
            "missing_column",
            "There is no factor column.",
            "Add what was varied, for example mtu_bytes, delay_us, workload or factor.<name>.",
            1,
        )
    if not measured:
        faults.add(
            "missing_column",
            "There is no measure column.",
            "Add what was measured, for example throughput_mbps.",
            1,
        )
    for column in columns:
        if column.role != "sd":
            continue
        if "n" not in roles:
            faults.add(
                "sd_without_n",
                f"Column {column.name!r} is a deviation, but the rows are single runs.",
                "Give the number of runs behind each mean in 'n', or remove the deviation.",
                1,
                column.name,
            )
        unit = column.quantity.unit if column.quantity else ""
        if any(
            c.name == column.measure and c.quantity and c.quantity.unit != unit for c in columns
        ):
            faults.add(
                "wrong_unit",
                f"Column {column.name!r} is not in the unit of {column.measure!r}.",
                "Give both the same unit, in brackets.",
                1,
                column.name,
            )
        if column.measure not in measured:
            faults.add(
                "sd_without_mean",
                f"Column {column.name!r} has no column {column.measure!r} beside it.",
                "Add the means, or remove the deviation.",
                1,
                column.name,
            )
