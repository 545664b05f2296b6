# SPDX-License-Identifier: Apache-2.0
"""What the columns of a table mean, as it is said, sent and kept. Pure."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, get_args

from coalescope.errors import CoalescopeError, did_you_mean
from coalescope.glossary.units import scale, units_of
from coalescope.untrusted.bounds import COLUMNS, NAME_CHARACTERS
from coalescope.untrusted.json_texts import parsed
from coalescope.uploads.columns import Column, classify, unknown_column
from coalescope.uploads.mapping.decimals import DecimalSign
from coalescope.uploads.mapping.layout import ENCODINGS, SEPARATORS, Layout

_EXAMPLE = '{"columns": [{"column": "Gbps", "quantity": "throughput_mbps", "unit": "Gb/s"}]}'


@dataclass(frozen=True)
class MappedColumn:
    """What one column of a file means.

    Attributes:
        column: its name in the file.
        quantity: what a tidy table calls it: mtu_bytes, throughput_mbps_sd, factor.cable,
            measure.cache_misses, replicate …
        unit: what its values are in, as people write it; empty for the quantity's own, and of a
            measure of one's own the unit that it has.
        decimal: the decimal sign; None where it is to be found.
    """

    column: str
    quantity: str
    unit: str = ""
    decimal: DecimalSign | None = None

    @property
    def header(self) -> str:
        """The column's name in a tidy table."""
        own = self.quantity.startswith("measure.") and self.unit
        return f"{self.quantity} [{self.unit}]" if own else self.quantity

    @property
    def meant(self) -> Column:
        """What a tidy table makes of it."""
        column = classify(self.header)
        assert column is not None, self.header  # checked by checked()
        return column


@dataclass(frozen=True)
class TableMapping:
    """What the columns of a file mean; those that are not named are left out."""

    columns: Sequence[MappedColumn]
    layout: Layout | None = None

    def as_json(self) -> dict[str, Any]:
        """The mapping as plain data, as mapping_of takes it."""
        said: dict[str, Any] = {"columns": [asdict(column) for column in self.columns]}
        return said if self.layout is None else {**said, "layout": asdict(self.layout)}

    def text(self) -> str:
        """Its canonical text: equal mappings have equal text."""
        return json.dumps(self.as_json(), sort_keys=True, separators=(",", ":"))


def mapping_of(said: Any) -> TableMapping:
    """A mapping from plain data. Errors: CoalescopeError 422 with the column that is not right."""
    if not isinstance(said, dict) or not isinstance(said.get("columns"), list):
        raise _bad("it has no list of columns")
    if not 0 < len(said["columns"]) <= COLUMNS:
        raise _bad(f"it names {len(said['columns'])} columns, and 1 to {COLUMNS} can be")
    columns = [checked(_column(given)) for given in said["columns"]]
    for field in ("column", "header"):
        names = Counter(getattr(column, field) for column in columns)
        twice = next((name for name, times in names.items() if times > 1), None)
        if twice is not None:
            raise _bad(f"{twice!r} is there twice", {"column": twice})
    return TableMapping(tuple(columns), _layout(said.get("layout")))


def mapping_from_text(text: str) -> TableMapping:
    """A mapping from JSON. Errors: as mapping_of."""
    try:
        return mapping_of(parsed(text))
    except ValueError as error:
        raise _bad(f"it is no JSON: {str(error)[:100]}") from None


def checked(column: MappedColumn) -> MappedColumn:
    """The column, if quantity and unit fit. Errors: CoalescopeError 422."""
    meant = classify(column.header)
    where = {"column": column.column, "field": "mapping"}
    if meant is None:
        problem = unknown_column(column.quantity, 1)
        raise CoalescopeError(
            "unknown_quantity",
            f"Column {column.column!r}: there is no quantity {column.quantity!r}.",
            where=where,
            advice=problem.advice,
        )
    if meant.role in ("retired", "kind", "source"):
        raise CoalescopeError(
            "unknown_quantity",
            f"Column {column.column!r} cannot be mapped to {column.quantity!r}.",
            where=where,
            advice="Kind and source are said with the upload.",
        )
    own = column.quantity.startswith("measure.")
    if own or not column.unit:
        return column
    if meant.quantity is not None and scale(column.unit, meant.quantity) is not None:
        return column
    known = () if meant.quantity is None else units_of(meant.quantity)
    near = did_you_mean(column.unit, known)
    raise CoalescopeError(
        "bad_unit",
        f"Column {column.column!r}: {column.quantity} cannot be given in {column.unit!r}.",
        where=where,
        advice=f"{near}Its values may be in {', '.join(known)}." if known else "Leave it out.",
    )


def _column(given: Any) -> MappedColumn:
    if not isinstance(given, dict) or not {"column", "quantity"} <= given.keys():
        raise _bad("each column says its column and quantity")
    name, quantity, unit = given["column"], given["quantity"], given.get("unit", "")
    if not all(isinstance(t, str) and len(t) <= NAME_CHARACTERS for t in (name, quantity, unit)):
        raise _bad(f"column, quantity and unit are texts of at most {NAME_CHARACTERS} characters")
    decimal = given.get("decimal")
    if decimal not in (None, *get_args(DecimalSign)):
        raise _bad("a decimal sign is . or ,", {"column": given["column"]})
    return MappedColumn(name, quantity, unit, decimal)


def _layout(given: Any) -> Layout | None:
    if given is None:
        return None
    plain = asdict(Layout())
    if not isinstance(given, dict) or not given.keys() <= plain.keys():
        raise _bad(f"its layout says {', '.join(plain)}")
    said: Mapping[str, Any] = {**plain, **given}
    if not (
        said["encoding"] in ENCODINGS
        and said["separator"] in ("", *SEPARATORS)
        and isinstance(said["sheet"], str)
        and bool(said["separator"]) != bool(said["sheet"])
        and isinstance(said["header_row"], int)
        and 0 <= said["header_row"] <= 10_000
    ):
        raise _bad("its layout is not of its form")
    return replace(Layout(), **said)


def _bad(why: str, where: Mapping[str, str] | None = None) -> CoalescopeError:
    return CoalescopeError(
        "bad_mapping",
        f"The mapping cannot be used: {why}.",
        where={"field": "mapping", **(where or {})},
        advice=f"It looks like {_EXAMPLE}.",
    )
