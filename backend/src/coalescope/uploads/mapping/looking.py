# SPDX-License-Identifier: Apache-2.0
"""A table looked at before it is stored: what it is, what its columns mean, what is missing."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from math import prod
from pathlib import Path
from typing import Any, BinaryIO, Literal

from coalescope.errors import CoalescopeError, Problem
from coalescope.experiments.levels import factor_key, factor_levels
from coalescope.glossary.units import own_unit, scale, units_of
from coalescope.uploads.columns import classify
from coalescope.uploads.json_exports import as_table
from coalescope.uploads.mapping.decimals import DecimalSign, is_known, numbers_of
from coalescope.uploads.mapping.grid import Grid, open_grid
from coalescope.uploads.mapping.layout import SEPARATORS, Layout
from coalescope.uploads.mapping.proposals import (
    Certainty,
    ColumnRole,
    propose,
    role_of,
    without_doubles,
)
from coalescope.uploads.mapping.reading import MappedTable, read_grid, texts_of, usual_sign
from coalescope.uploads.mapping.records import MappedColumn, TableMapping
from coalescope.uploads.opening import show_table
from coalescope.uploads.tidy_csv import Table, read_table

_LOOKED_AT = 20_000  # rows that proposals are made from
_MOST_CELLS = 10_000  # of a preview
_LINES, _SAMPLES, _NOTES = 8, 3, 3
_LONGEST_LINE = 300


@dataclass(frozen=True)
class SeenColumn:
    """What a column holds, and what it is taken for.

    Attributes:
        samples: its first texts; levels: how many different ones it has; filled: how many say
            something.
        scale: what its values are multiplied by; 1 where the unit is the quantity's own.
        units: what its values may be in.
        marked: it has points or commas, so that the decimal sign matters.
        certainty: `yours` where a mapping was given.
    """

    column: str
    samples: Sequence[str]
    levels: int
    filled: int
    role: ColumnRole
    quantity: str
    unit: str
    units: Sequence[str]
    scale: float
    decimal: DecimalSign
    marked: bool
    certainty: Literal[Certainty, "yours"]
    why: str
    candidates: Sequence[str]


@dataclass(frozen=True)
class Remark:
    """What is there, or is missing, to draw, to give intervals, to recommend."""

    state: Literal["ok", "missing"]
    title: str
    text: str


@dataclass(frozen=True)
class Seen:
    """A file as it was seen.

    Attributes:
        tidy: its columns name themselves: it can be stored as it is, without a mapping.
        comments: rows that are remarks for people.
        decimal: the decimal sign of most columns; None where no column has one.
        mapping: what would be stored: of what is proposed, the columns that have a quantity.
        preview: experiment and cells as the API would show them; None where nothing can be drawn.
        problems: why what is mapped cannot be stored.
    """

    tidy: bool
    packed: bool
    layout: Layout
    separated_by: str
    comments: int
    decimal: DecimalSign | None
    rows: int
    columns: Sequence[SeenColumn]
    first_lines: Sequence[str]
    mapping: TableMapping | None
    preview: Mapping[str, Any] | None
    problems: Sequence[Problem]
    remarks: Sequence[Remark]


def look_at(path: Path, filename: str, mapping: TableMapping | None = None) -> Seen:
    """Look at the table in a file. Errors: as `look`."""
    with path.open("rb") as file:
        return look(file, filename, mapping)


def look(file: BinaryIO, filename: str, mapping: TableMapping | None = None) -> Seen:
    """Look at a table, as it is proposed to be read or as `mapping` says.

    Errors: CoalescopeError 422 for what is no table, 413 for one that is too large.
    """
    if mapping is None and (plain := as_table(file)) is not file:
        return _look_at_export(plain, filename)
    grid = open_grid(file, None if mapping is None else mapping.layout)
    texts = texts_of(grid, _LOOKED_AT)
    usual = usual_sign(texts)
    columns = _proposed(texts, usual) if mapping is None else _mapped(mapping, texts, usual)
    said = (
        _mapping_of(columns, grid.layout)
        if mapping is None
        else replace(mapping, layout=grid.layout)
    )
    tidy = mapping is None and _is_tidy(grid)
    read, problems = _read(file, grid, said, tidy=tidy)
    table = read.table if isinstance(read, MappedTable) else read
    rows = sum(1 for _ in grid.rows())
    signs = Counter(one.decimal for one in columns if one.marked)
    return Seen(
        tidy=tidy,
        packed=grid.packed,
        layout=grid.layout,
        separated_by=SEPARATORS.get(grid.layout.separator, ""),
        comments=sum(
            bool(row) and row[0].lstrip().startswith(("#", "%", "//")) for row in grid.first
        ),
        decimal=signs.most_common(1)[0][0] if signs else None,
        rows=rows,
        columns=columns,
        first_lines=_lines(grid),
        mapping=read.mapping if isinstance(read, MappedTable) else said,
        preview=_preview(table, filename),
        problems=problems,
        remarks=list(_remarks(columns, texts, read, grid)),
    )


def _look_at_export(plain: BinaryIO, filename: str) -> Seen:
    """A JSON export, which names its columns itself, by the table that it stands for."""
    seen = look(plain, filename)
    return replace(seen, tidy=True, first_lines=[])


def _is_tidy(grid: Grid) -> bool:
    plain = grid.layout == Layout() and not grid.packed
    return plain and all(classify(name) is not None for name in grid.names)


def _read(
    file: BinaryIO, grid: Grid, mapping: TableMapping | None, *, tidy: bool
) -> tuple[MappedTable | Table | None, Sequence[Problem]]:
    """The table, or why it is none."""
    try:
        if tidy:
            file.seek(0)
            return read_table(file), ()
        if mapping is None or not {"set", "observed"} <= {
            role_of(one.header) for one in mapping.columns
        }:
            return None, ()  # what is missing is said as such
        return read_grid(grid, mapping), ()
    except CoalescopeError as error:
        alone = Problem(error.code, error.message, dict(error.where), error.advice)
        return None, error.problems or [alone]


def _proposed(texts: Mapping[str, Sequence[str]], usual: DecimalSign | None) -> list[SeenColumn]:
    proposals = without_doubles([propose(name, texts[name], usual) for name in texts])
    return [
        _seen(
            MappedColumn(one.column, one.quantity, one.unit, one.numbers.decimal),
            texts[one.column],
            one.role,
            one.numbers.marked,
            one.certainty,
            one.why,
            one.candidates,
        )
        for one in proposals
    ]


def _mapped(
    mapping: TableMapping, texts: Mapping[str, Sequence[str]], usual: DecimalSign | None
) -> list[SeenColumn]:
    given = {column.column: column for column in mapping.columns}
    found = []
    for name in texts:
        numbers = numbers_of(texts[name], usual)
        column = given.get(name, MappedColumn(name, ""))
        column = replace(column, decimal=column.decimal or numbers.decimal)
        role = role_of(column.header) if name in given else "ignore"
        found.append(_seen(column, texts[name], role, numbers.marked, "yours", "", ()))
    return found


def _seen(
    column: MappedColumn,
    texts: Sequence[str],
    role: ColumnRole,
    marked: bool,
    certainty: Literal[Certainty, "yours"],
    why: str,
    candidates: Sequence[str],
) -> SeenColumn:
    # what is not decided has the units of what it may be
    shown = column.header if column.quantity else next(iter(candidates), "")
    meant = classify(shown) if shown else None
    quantity = None if meant is None else meant.quantity
    units = () if quantity is None or quantity.text else units_of(quantity)
    factor = None if quantity is None else scale(column.unit, quantity)
    own = own_unit(quantity) if quantity is not None and column.quantity else ""
    known = [text.strip() for text in texts if is_known(text)]
    return SeenColumn(
        column=column.column,
        samples=[text[:40] for text in known[:_SAMPLES]],
        levels=len(set(known)),
        filled=len(known),
        role=role,
        quantity=column.quantity,
        unit=column.unit or own,
        units=units,
        scale=1.0 if factor is None else float(factor),
        decimal=column.decimal or ".",
        marked=marked,
        certainty=certainty,
        why=why,
        candidates=candidates,
    )


def _mapping_of(columns: Sequence[SeenColumn], layout: Layout) -> TableMapping | None:
    """What is proposed, of the columns that have a quantity."""
    chosen: dict[str, MappedColumn] = {}
    for one in columns:
        if one.role != "ignore" and one.quantity:
            chosen.setdefault(
                one.quantity, MappedColumn(one.column, one.quantity, one.unit, one.decimal)
            )
    return TableMapping(tuple(chosen.values()), layout) if chosen else None


def _lines(grid: Grid) -> list[str]:
    separator = grid.layout.separator or "\t"
    return [separator.join(row)[:_LONGEST_LINE] for row in islice(grid.first, _LINES)]


def _preview(table: Table | None, filename: str) -> Mapping[str, Any] | None:
    if table is None or len({factor_key(row.factors) for row in table.rows}) > _MOST_CELLS:
        return None
    return show_table(table, filename)


def _remarks(
    columns: Sequence[SeenColumn],
    texts: Mapping[str, Sequence[str]],
    read: MappedTable | Table | None,
    grid: Grid,
) -> Iterator[Remark]:
    roles = {one.role for one in columns if one.quantity}
    for role, what in (("observed", "what was measured"), ("set", "what was set: MTU, delay")):
        if role not in roles:
            yield Remark("missing", f"No column is {role} yet.", f"Say which column holds {what}.")
    table = read.table if isinstance(read, MappedTable) else read
    if table is not None:
        yield _grid(table)
        yield from _runs(table, repeated=isinstance(read, MappedTable) and read.repeated)
    yield from _notes(columns, texts, grid)


def _grid(table: Table) -> Remark:
    cells = {factor_key(row.factors): row.factors for row in table.rows}
    levels = factor_levels(cells.values())
    varied = [len(found) for found in levels.values() if len(found) > 1]
    whole = prod(varied)
    if len(cells) < 2:
        return Remark("missing", "One setting only.", "Nothing was varied: there is no curve.")
    size = " × ".join(str(count) for count in varied)
    if len(cells) == whole:
        return Remark("ok", "Enough to draw:", f"{size} settings, none missing.")
    return Remark("missing", "Drawn as cells:", f"{len(cells)} of {size} settings are there.")


def _runs(table: Table, *, repeated: bool) -> Iterator[Remark]:
    if table.per == "cell":
        yield Remark("ok", "A row for each setting,", "with the number of runs behind its mean.")
        return
    runs = Counter(factor_key(row.factors) for row in table.rows)
    least = min(runs.values())
    if least == 1:
        more = sum(max(0, 3 - count) for count in runs.values())
        which = "each setting" if len(set(runs.values())) == 1 else "some settings"
        yield Remark(
            "missing",
            f"One run of {which}.",
            f"No intervals there yet, and no recommendation. {more} more runs would do: three of "
            "each.",
        )
    else:
        yield Remark(
            "ok", f"{least} runs", "of the least measured setting: intervals can be given."
        )
    if repeated:
        yield Remark(
            "missing",
            "Rows with the same setting",
            "are taken as runs of it. If they differ in a column that is ignored, set it.",
        )


def _notes(
    columns: Sequence[SeenColumn], texts: Mapping[str, Sequence[str]], grid: Grid
) -> Iterator[Remark]:
    """Remarks that the file has on single rows: shown, since nothing else shows them."""
    few = max(1, _third(texts))
    ignored = {
        one.column
        for one in columns
        if one.role == "ignore" and not one.marked and 0 < one.filled <= few
    }
    places = [place for place, name in enumerate(grid.names) if name in ignored]
    found = ((row, fields[place].strip()) for row, fields in grid.rows() for place in places)
    for row, text in islice(((row, text) for row, text in found if is_known(text)), _NOTES):
        yield Remark(
            "missing",
            f"Row {row} has a note:",
            f"“{text[:120]}”. Keep the row, or leave it out later.",
        )


def _third(texts: Mapping[str, Sequence[str]]) -> int:
    """How many rows of a file may have a note, for it to be one."""
    return max((len(column) for column in texts.values()), default=0) // 3


def as_json(seen: Seen) -> dict[str, Any]:
    """What was seen as plain data."""
    plain = asdict(replace(seen, preview=None))
    mapping = None if seen.mapping is None else seen.mapping.as_json()
    return {**plain, "mapping": mapping, "preview": seen.preview}
