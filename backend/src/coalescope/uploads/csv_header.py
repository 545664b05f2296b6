# SPDX-License-Identifier: Apache-2.0
"""The header of a table: which columns it has, and whether they make a table together."""

from collections.abc import Mapping

from coalescope.untrusted.bounds import COLUMNS, FACTORS, NAME_CHARACTERS, most
from coalescope.uploads.columns import Column, classify, unknown_column
from coalescope.uploads.csv_faults import Faults
from coalescope.uploads.plain_text import SAY_WHAT_THEY_ARE


def read_header(names: list[str], faults: Faults, added: int = 0) -> list[Column]:
    """The columns of these names, of which so many are not of the file.

    What is wrong with them goes to `faults`.
    """
    if (
        _is_remark(names, faults)
        or _wrong_delimiter(names, faults)
        or _too_many(len(names) - added, faults)
    ):
        return []
    columns: dict[str, Column] = {}
    for position, name in enumerate(names, start=1):
        if len(name) > most(NAME_CHARACTERS):
            _too_long(name, position, faults)
            continue
        column = classify(name)
        if column is None:
            faults.keep(unknown_column(name, position))
        elif column.name in columns:
            faults.add("duplicate_column", f"Column {name!r} is there twice.", "Keep one.", 1, name)
        else:
            columns[column.name] = column
    if not faults.problems:
        _check_header(columns, faults)
    return list(columns.values())


def _too_many(columns: int, faults: Faults) -> bool:
    if columns <= most(COLUMNS):
        return False
    faults.add(
        "too_many_columns",
        f"The table has {columns:,} columns; up to {COLUMNS:,} are read.",
        "Leave out what was not set or observed: a table has a row, not a column, for each run.",
        1,
    )
    return True


def _too_long(name: str, position: int, faults: Faults) -> None:
    faults.add(
        "long_name",
        f"The name of column {position} has {len(name):,} characters; up to {NAME_CHARACTERS} are "
        "read.",
        "Check the quotation marks, and give the column a shorter name.",
        1,
        name[:NAME_CHARACTERS],
    )


def _is_remark(names: list[str], faults: Faults) -> bool:
    if not names or not names[0].startswith("#"):
        return False
    faults.add(
        "remark_row",
        f"The first row is a remark, {names[0][:40]!r}; it should name the columns.",
        f"{SAY_WHAT_THEY_ARE} Remarks are passed over then. Or remove the row.",
        1,
    )
    return True


def _wrong_delimiter(names: list[str], faults: Faults) -> bool:
    if len(names) != 1:
        return False
    for mark, name in ((";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars")):
        if mark in names[0]:
            faults.add(
                "wrong_delimiter",
                f"The columns are separated by {name}.",
                f"{SAY_WHAT_THEY_ARE} Or separate them by commas, and write decimals with a point.",
                1,
            )
            return True
    return False


def _check_header(by_name: Mapping[str, Column], faults: Faults) -> None:
    columns = by_name.values()
    roles = {column.role for column in columns}
    measured = {column.name for column in columns if column.role == "measure"}
    factors = sum(column.role in ("factor", "free factor") for column in columns)
    if factors > most(FACTORS):
        faults.add(
            "too_many_factors",
            f"The table has {factors:,} factors; up to {FACTORS} are read.",
            "What was observed is a measure (measure.NAME); leave out what never varied.",
            1,
        )
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
        mean = by_name.get(str(column.measure))
        if mean is not None and mean.quantity is not None and mean.quantity.unit != unit:
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
