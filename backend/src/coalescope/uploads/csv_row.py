# SPDX-License-Identifier: Apache-2.0
"""One row of a table, field by field."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from coalescope_models.vocabulary.quantity import Quantity

from coalescope.db.timestamps import as_utc
from coalescope.experiments.levels import Setting
from coalescope.experiments.records import FactorValue
from coalescope.exports.formulas import as_meant
from coalescope.runs.records import MeasuredValue
from coalescope.untrusted.bounds import LARGEST_NUMBER, LEVEL_CHARACTERS, most
from coalescope.untrusted.texts import fault_in
from coalescope.uploads.columns import Column, Role
from coalescope.uploads.csv_faults import Faults

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_INTEGER = re.compile(r"\+?\d{1,9}")
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+")


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row: a run (n = 1) or a cell's means; `row` as a spreadsheet counts it."""

    row: int
    factors: dict[str, FactorValue]
    replicate: int | None
    measures: dict[str, MeasuredValue]
    recorded_at: str | None = None
    order: int | None = None
    block: str | None = None


class RowReader:
    """Reads the rows of one table, one after the other; faults go to `faults`.

    Rows of one setting share its factors, which are read once.
    """

    def __init__(self, columns: Sequence[Column], faults: Faults) -> None:
        self._columns = columns
        self._faults = faults
        self._place = {column.name: place for place, column in enumerate(columns)}
        self._factors = self._of_role("factor", "free factor")
        self._counts = self._of_role("replicate", "n")
        self._means = self._of_role("measure")
        self._deviations = self._of_role("sd")
        self._settings: dict[tuple[str, ...], Setting] = {}

    def read(self, number: int, fields: list[str]) -> TableRow | None:
        """The row in these fields; None after a fault."""
        faults = self._faults
        before = len(faults.problems)
        if len(fields) != len(self._columns):
            _wrong_length(number, fields, self._columns, faults)
            return None
        reader = _FieldReader(number, faults)
        texts = [field.strip() for field in fields]
        setting = self._setting(reader, texts)
        counts = {
            column.name: reader.count(column.name, texts[place]) for place, column in self._counts
        }
        means = {
            column.name: value
            for place, column in self._means
            if (value := reader.number(column, texts[place])) is not None
        }
        deviations = {
            str(column.measure): value
            for place, column in self._deviations
            if (value := reader.deviation(column, texts[place], self._mean(column, texts)))
            is not None
        }
        n = counts.get("n", 1)
        order = reader.order(self._text("order", texts))
        block = reader.block(self._text("block", texts))
        recorded_at = reader.moment(self._text("recorded_at", texts))
        if setting is None or n is None or len(faults.problems) > before:
            return None
        reader.check_deviations(deviations, means, n)
        if not means:
            faults.add(
                "no_value", "The row has no measured value.", "Fill one in, or remove it.", number
            )
        if len(faults.problems) > before:
            return None
        measures = {
            name: MeasuredValue(mean, deviations.get(name), n) for name, mean in means.items()
        }
        replicate = counts.get("replicate")
        return TableRow(number, setting, replicate, measures, recorded_at, order, block)

    def _of_role(self, *roles: Role) -> Sequence[tuple[int, Column]]:
        return [(at, column) for at, column in enumerate(self._columns) if column.role in roles]

    def _setting(self, reader: "_FieldReader", texts: Sequence[str]) -> Setting | None:
        """What the row was set to; None after a fault."""
        written = tuple([texts[place] for place, _ in self._factors])
        known = self._settings.get(written)
        if known is not None:
            return known
        factors = {
            column.name: level
            for place, column in self._factors
            if (level := reader.level(column, texts[place])) is not None
        }
        if len(factors) < len(self._factors):
            return None
        setting = self._settings[written] = Setting(factors)
        return setting

    def _text(self, name: str, texts: Sequence[str]) -> str:
        place = self._place.get(name)
        return "" if place is None else texts[place]

    def _mean(self, column: Column, texts: Sequence[str]) -> str:
        return self._text(str(column.measure), texts)


def _wrong_length(
    number: int, fields: list[str], columns: Sequence[Column], faults: Faults
) -> None:
    advice = "Check for a missing or an extra comma; a text with a comma needs quotation marks."
    if len(fields) > len(columns):
        advice += " Decimals are written with a point."
    faults.add(
        "row_length",
        f"Row {number} has {len(fields)} fields, the header has {len(columns)}.",
        advice,
        number,
    )


class _FieldReader:
    """Reads the fields of one row, noting faults."""

    def __init__(self, row: int, faults: Faults) -> None:
        self.row = row
        self.faults = faults

    def level(self, column: Column, text: str) -> FactorValue | None:
        """A factor's level; None after a fault."""
        if not text:
            self._fault(
                "missing_factor",
                f"Row {self.row} does not say its {column.name}.",
                "Every row needs a level for every factor.",
                column.name,
            )
            return None
        if column.quantity is not None and not column.quantity.text:
            return self.number(column, text)
        if (
            column.quantity is None
            and _NUMBER.fullmatch(text)
            and abs(float(text)) <= LARGEST_NUMBER
        ):
            return float(text)
        if not self._is_plain(f"The level of {column.name}", column.name, text):
            return None
        return as_meant(text)

    def order(self, text: str) -> int | None:
        """The place of the run among all; None where it is not known."""
        return self.count("order", text) if text else None

    def block(self, text: str) -> str | None:
        """What the run was recorded together with; None where it is not known."""
        if not self._is_plain("The block", "block", text):
            return None
        return as_meant(text) or None

    def _is_plain(self, what: str, field: str, text: str) -> bool:
        fault = "is too long" if len(text) > most(LEVEL_CHARACTERS) else fault_in(text)
        if fault is not None:
            advice = f"Use plain text of at most {LEVEL_CHARACTERS} characters."
            self._fault("bad_text", f"{what} {fault}.", advice, field, text)
        return fault is None

    def moment(self, text: str) -> str | None:
        """When the run was recorded, in UTC; None where it is not known, or after a fault."""
        if not text:
            return None
        with suppress(ValueError, OverflowError):
            moment = datetime.fromisoformat(text)
            if moment.tzinfo is not None:
                return as_utc(moment)
        self._fault(
            "bad_time",
            f"Row {self.row}, column recorded_at: {text[:40]!r} is no point in time.",
            "Write ISO 8601 with the offset from UTC: 2026-01-31T12:00:00Z, or +01:00 for Z.",
            "recorded_at",
            text,
        )
        return None

    def number(self, column: Column, text: str) -> float | None:
        """A number in its quantity's domain; None if empty or after a fault."""
        if not text:
            return None
        value = self._float(column.name, text)
        quantity = column.quantity
        if value is None or quantity is None or quantity.contains(value):
            return value
        self._fault(
            "out_of_domain",
            f"{column.name} = {text} is not possible: {_domain(quantity)}.",
            f"{quantity.label} is in {quantity.unit or 'plain numbers'}; check value and unit.",
            column.name,
            text,
        )
        return None

    def deviation(self, column: Column, text: str, mean: str) -> float | None:
        """A standard deviation: not negative, and only beside a mean."""
        if not text:
            return None
        value = self._float(column.name, text)
        if value is None:
            return None
        if value < 0:
            self._fault(
                "out_of_domain",
                f"{column.name} = {text} is not possible: a deviation is not negative.",
                "Give the sample standard deviation.",
                column.name,
                text,
            )
            return None
        if not mean:
            self._fault(
                "sd_without_mean",
                f"Row {self.row} has {column.name} but no {column.measure}.",
                "Fill the mean in, or remove the deviation.",
                column.name,
                text,
            )
            return None
        return value

    def count(self, name: str, text: str) -> int | None:
        """A whole number: n from 1, replicate and order from 0."""
        least = 1 if name == "n" else 0
        value = int(text) if _INTEGER.fullmatch(text) else None
        if value is None or value < least:
            self._fault(
                "bad_count",
                f"{name} must be a whole number from {least}, not {text!r}.",
                "n counts the runs behind a mean; replicate numbers the runs of a cell, order all "
                "runs as they were recorded.",
                name,
                text,
            )
            return None
        return value

    def check_deviations(
        self, deviations: dict[str, float], means: dict[str, float], n: int
    ) -> None:
        """One run has no deviation."""
        for name in deviations:
            if n < 2:
                self._fault(
                    "sd_without_n",
                    f"Row {self.row} gives {name}_sd for n = {n}: one run has no deviation.",
                    "Give the number of runs behind the mean in 'n', or leave the deviation empty.",
                    f"{name}_sd",
                )

    def _float(self, name: str, text: str) -> float | None:
        if _NUMBER.fullmatch(text):
            value = float(text)
            if abs(value) <= LARGEST_NUMBER:
                return value
        code, advice = "not_a_number", "Write a plain decimal number, or leave the field empty."
        if _DECIMAL_COMMA.fullmatch(text):
            code, advice = "decimal_comma", "Write decimals with a point."
        elif _NUMBER.fullmatch(text):
            code = "not_finite"
            advice = f"Numbers go up to {LARGEST_NUMBER:g}; check value and unit."
        elif text.lower().lstrip("+-") in ("nan", "inf", "infinity"):
            code, advice = "not_finite", "Leave the field empty where the value is not known."
        self._fault(
            code,
            f"Row {self.row}, column {name}: {text[:40]!r} is not a number that can be used.",
            advice,
            name,
            text,
        )
        return None

    def _fault(
        self, code: str, message: str, advice: str, column: str, value: str | None = None
    ) -> None:
        self.faults.add(code, message, advice, self.row, column, value)


def _domain(quantity: Quantity) -> str:
    low, high = quantity.domain
    if low is not None and high is not None:
        return f"it lies between {low:g} and {high:g}"
    return f"it is at least {low:g}" if low is not None else f"it is at most {high:g}"
