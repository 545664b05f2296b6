# SPDX-License-Identifier: Apache-2.0
"""What files hold that are looked at and not stored. `Reading.checked` calls this within bounds."""

from pathlib import Path
from typing import Any

from coalescope.errors import CoalescopeError, Problem
from coalescope.foreign.records import Reading
from coalescope.foreign.registry import MOST_BYTES, read_file
from coalescope.uploads.csv_faults import SPLIT_IT
from coalescope.uploads.row_doubts import row_doubts
from coalescope.uploads.tidy_csv import Table, check_size, measures_of, read_table

MOST_WARNINGS = 100


def check_table(path: Path, name: str) -> dict[str, Any]:
    """What a table holds, and what is doubted of it.

    Errors: 422 with every fault, up to 20; 413 above TABLE_BYTES; OSError.
    """
    check_size(path.stat().st_size, name)
    with path.open("rb") as content:
        table = read_table(content)
    return {
        "ok": True,
        "per": table.per,
        "rows": len(table.rows),
        "factors": list(dict.fromkeys(name for row in table.rows for name in row.factors)),
        "measures": list(dict.fromkeys(name for row in table.rows for name in row.measures)),
        "kind": table.source.kind,
        "problems": [],
        "warnings": _doubts(table)[:MOST_WARNINGS],
    }


def _doubts(table: Table) -> list[dict[str, Any]]:
    kind, means = table.source.kind or "measured", table.per == "cell"
    return [
        doubt.as_json()
        for row in table.rows
        for doubt in row_doubts(row, measures_of(table, row), kind, means=means)
    ]


def check_foreign(path: Path, name: str) -> tuple[str, Reading] | Problem:
    """The format of another tool's file and what it says, or what is wrong with it.

    Errors: 413 above MOST_BYTES; OSError.
    """
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise CoalescopeError(
            "too_large",
            f"The file has {size:,} bytes; up to {MOST_BYTES:,} are read at once.",
            where={"file": name},
            advice=SPLIT_IT,
            status=413,
        )
    found = read_file(name, path.read_bytes())
    assert found is not None
    return found if isinstance(found, Problem) else (found.format.name, found.reading)
